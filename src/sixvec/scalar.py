"""Functions of scalars of any type.

Equations are written once and run on Python floats, NumPy arrays (a batch axis inside the scalar), traced nodes
(to be compiled), SymPy symbols, JAX tracers or quantities of pint.  `+ - * /` come with the scalar; the functions
here find the right implementation from the scalar's type.  This file is one of the two interfaces between robot code
and compiler.

>>> import math
>>> sin(math.pi / 6)
0.49999999999999994
"""

from __future__ import annotations

import importlib
import math
from collections.abc import Callable
from numbers import Real
from typing import Any, TypeAlias

Scalar: TypeAlias = Any
"""A float, an array, a traced node, a SymPy expression, a JAX tracer, a pint quantity: anything with `+ - * /`."""

# Which namespace holds the functions of scalars defined in a given top-level package.
_NAMESPACES = {"sixvec": "sixvec.compiler.graph", "jaxlib": "jax.numpy", "jax": "jax.numpy", "pint": "numpy"}

_KNOWN = {*_NAMESPACES, "numpy", "sympy"}

# Names that differ between namespaces; the key is ours (NumPy's name where it has one).
_SPELLING = {
    "sympy": {"arctan2": "atan2", "arccos": "acos", "where": "Piecewise", "abs": "Abs"},
}


_functions: dict[tuple[str, type], Callable[..., Scalar]] = {}


def _function(name: str, kind: type) -> Callable[..., Scalar]:
    """The implementation of `name` for scalars of type `kind`."""
    if (name, kind) not in _functions:
        package = _package(kind)
        module = importlib.import_module(_NAMESPACES.get(package, package))
        _functions[name, kind] = getattr(module, _SPELLING.get(package, {}).get(name, name))
    return _functions[name, kind]


def _package(kind: type) -> str:
    """The top-level package of a scalar's functions: that of the first known class in its ancestry.

    SymPy's undefined functions are classes made on the fly, which have no module.
    """
    if hasattr(kind, "__array_finalize__"):  # a class of arrays: NumPy's functions call its own
        return "numpy"
    packages = [(base.__module__ or "").partition(".")[0] for base in kind.__mro__]
    return next((name for name in packages if name in _KNOWN), packages[0])


def _is_number(x: Scalar) -> bool:
    return isinstance(x, int | float)


def sin(x: Scalar) -> Scalar:
    return math.sin(x) if _is_number(x) else _function("sin", type(x))(x)


def cos(x: Scalar) -> Scalar:
    return math.cos(x) if _is_number(x) else _function("cos", type(x))(x)


def sqrt(x: Scalar) -> Scalar:
    return math.sqrt(x) if _is_number(x) else _function("sqrt", type(x))(x)


def arccos(x: Scalar) -> Scalar:
    return math.acos(x) if _is_number(x) else _function("arccos", type(x))(x)


def arctan2(y: Scalar, x: Scalar) -> Scalar:
    if _is_number(y) and _is_number(x):
        return math.atan2(y, x)
    return _function("arctan2", type(x if _is_number(y) else y))(y, x)


def where(condition: Scalar, yes: Scalar, no: Scalar) -> Scalar:
    """`yes` where the condition holds, else `no`: the only branch on numbers allowed in traced code.

    >>> where(1.0 < 2.0, "yes", "no")
    'yes'
    """
    if _is_decided(condition):
        return yes if condition else no
    function = _function("where", type(condition))
    if _package(type(condition)) == "sympy":
        return function((yes, condition), (no, True))
    return function(condition, yes, no)


UNREAD = math.nan
"""The second value of a `guard` that nothing reads unless its condition holds: a result may then stay unwritten."""


def guard(condition: Scalar, yes: Any, no: Any) -> Any:
    """As `where`, for a `yes` that takes many operations and is seldom needed: compiled code skips them if it can.

    What only `yes` needs is not computed unless one of the samples that share a vector register needs it.  Several
    values, as lists or tuples of the same structure, are guarded by one branch.  docs/howto/skip.md has an example.

    >>> guard(1.0 < 2.0, 3.0, 4.0), guard(1.0 > 2.0, [1.0, (2.0, 3.0)], [4.0, (5.0, 6.0)])
    (3.0, [4.0, (5.0, 6.0)])
    """
    if isinstance(yes, list | tuple):
        values = [guard(condition, a, b) for a, b in zip(yes, no, strict=True)]
        return values if isinstance(yes, list) else tuple(values)
    if _package(type(condition)) == "sixvec" and not _is_decided(condition):
        return _function("guard", type(condition))(condition, yes, no)
    return where(condition, yes, no)


def like(x: Scalar, number: float) -> Scalar:
    """The number in the precision and the unit of x: required by comparisons and by both branches of a `where`.

    >>> import numpy as np
    >>> x = np.array([-2.0, 3.0], np.float32)
    >>> where(x < 0.0, like(x, -1.0), 1.0).dtype.name
    'float32'
    """
    if hasattr(x, "units"):
        return number * x.units
    dtype = getattr(x, "dtype", None)
    return number if dtype is None else dtype.type(number)


def operations(function: Callable[..., Any], *sizes: int) -> int:
    """How many operations a function of sequences of these sizes takes, which returns a sequence of scalars.

    The function is run on symbols, as for compilation; the count selects between two methods for the same result.

    >>> operations(lambda x, y: [x[0] * y[0] + x[1] * y[1]], 2, 2)
    3
    """
    program = importlib.import_module("sixvec.compiler.program")
    ports = [program.Port(f"x{i}", (size,)) for i, size in enumerate(sizes)]
    traced = program.trace("counted", ports, lambda *symbols: [(program.Port("y", ()), function(*symbols))])
    return sum(traced.count().values())


def slopes(function: Callable[..., Any], *values: Any) -> list[list[list[Any]]]:
    """For each of the lists `values` the derivatives of a function of them, by rows of its results.

    The function is run on symbols, as for compilation, and differentiated by rule; the values are numbers or nodes.

    >>> slopes(lambda x, y: [x[0] * y[0], y[0] + y[1]], [2.0], [3.0, 4.0])
    [[[3.0], [0.0]], [[2.0, 0.0], [1.0, 1.0]]]
    """
    program, autodiff = (importlib.import_module(f"sixvec.compiler.{name}") for name in ("program", "autodiff"))
    ports = [program.Port(f"x{i}", (len(x),)) for i, x in enumerate(values)]

    def traced(*symbols: Any) -> Any:
        results = list(function(*symbols))
        return [(program.Port("y", (len(results),)), results)]

    whole = program.trace("sloping", ports, traced)
    arguments = {p.name: list(x) for p, x in zip(ports, values, strict=True)}
    count = whole.outputs[0].size
    outputs = []
    for port in ports:
        (entries,) = autodiff.jacobian(whole, port.name).on(arguments)
        outputs.append([entries[k * port.size : (k + 1) * port.size] for k in range(count)])
    return outputs


def is_symbolic(x: Scalar) -> bool:
    """Whether x is an expression of SymPy: exact, so nothing overflows, but larger with every `where`.

    >>> is_symbolic(1.0)
    False
    """
    return _package(type(x)) == "sympy"


def is_zero(x: Any) -> bool:
    """A structural zero: known at trace time, not a number that is zero by coincidence."""
    return isinstance(x, (int, float)) and x == 0  # called for every product; a union type is slower


def certainly(condition: Scalar) -> bool:
    """Whether a condition certainly holds: known for plain numbers, not for symbols, tracers or batches.

    Code that raises errors for ill-defined input uses this, so the same line has no effect while tracing.

    >>> certainly(1.0 > 0.0)
    True
    """
    return _is_decided(condition) and bool(condition)


def certainly_not(condition: Scalar) -> bool:
    """Whether a condition certainly fails.  Every comparison with NaN fails, so NaN is caught.

    >>> certainly_not(math.nan < 1.0), certainly(math.nan >= 1.0)
    (True, False)
    """
    return _is_decided(condition) and not condition


def is_finite(x: Scalar) -> bool:
    """Whether a number is neither infinite nor NaN; symbols, tracers and batches, whose values are unknown, pass.

    >>> is_finite(1.0), is_finite(math.inf), is_finite(math.nan)
    (True, False, False)
    """
    number: Any = getattr(x, "magnitude", x)
    return not is_plain(x) or math.isfinite(number)


def is_plain(x: Scalar) -> bool:
    """Whether a scalar is a number, with or without a unit; other scalars may not support comparison.

    >>> is_plain(1.0), is_plain("x")
    (True, False)
    """
    return isinstance(getattr(x, "magnitude", x), Real)


def _is_decided(condition: Scalar) -> bool:
    """A plain truth value, Python's or NumPy's."""
    return isinstance(condition, bool) or (type(condition).__name__ in ("bool", "bool_") and not condition.shape)
