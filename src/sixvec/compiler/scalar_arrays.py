"""Arrays of traced scalars: NumPy's operators and functions on them, run on symbols.

>>> from sixvec.compiler.graph import Graph
>>> graph = Graph()
>>> x = scalar_array([graph.input("x", 0), graph.input("x", 1)])
>>> np.sin(x)
Scalars([%2 = sin(%0), %3 = sin(%1)], dtype=object)
>>> (10.0 * (np.array([1.0, 2.0]) - x)).shape, np.clip(x, -1.0, 1.0).shape
((2,), (2,))
"""

from __future__ import annotations

from collections.abc import Callable
from math import pi
from typing import Any

import numpy as np

from sixvec.compiler.graph import Node, Operand
from sixvec.scalar import arccos, arctan2, cos, sin, sqrt, where


class Scalars(np.ndarray[Any, np.dtype[Any]]):
    """An array whose entries are traced scalars and numbers; results of NumPy's functions are of the same type."""

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        return applied(ufunc, method, *inputs, **options)

    def __array_function__(self, func: Any, types: Any, args: Any, kwargs: Any) -> Any:
        if func in _FUNCTIONS or not all(issubclass(kind, np.ndarray) for kind in types):
            return arranged(func, args, kwargs)
        return super().__array_function__(func, types, args, kwargs)


def scalar_array(entries: Any, shape: tuple[int, ...] | None = None) -> Scalars:
    """Scalars and numbers, in lists or an array, as an array."""
    array = np.asarray(entries, object)
    return (array if shape is None else array.reshape(shape)).view(Scalars)


def holds_scalars(x: Any) -> bool:
    """Whether an argument is, or contains, a traced scalar.

    >>> holds_scalars([1.0, [2.0]])
    False
    """
    if isinstance(x, np.ndarray):
        return x.dtype == object and any(isinstance(entry, Node) for entry in x.flat)
    if isinstance(x, list | tuple):
        return any(map(holds_scalars, x))
    return isinstance(x, Node)


def applied(ufunc: Any, method: str, *inputs: Any, out: Any = None, **options: Any) -> Any:
    """A function of NumPy on arrays of which one holds traced scalars."""
    name = ufunc.__name__
    if name not in _BY_OPERATORS and name not in _BY_ENTRY:
        known = ", ".join(sorted({*_BY_ENTRY, "where", "linalg.norm", "abs"} - {"less", "greater"}))
        raise TypeError(
            f"{name} has no form for traced scalars; operators that do: + - * / @ ** < >, functions: {known}"
        )
    function = getattr(_BY_ENTRY.get(name, ufunc), method)
    result = function(*map(_plain, inputs), **options)
    if out is not None:
        out[0][...] = result
        return out[0]
    return result.view(Scalars) if isinstance(result, np.ndarray) and result.shape else _entry(result)


def arranged(func: Any, args: Any, kwargs: Any) -> Any:
    """A function of NumPy other than those by entry, of scalars and arrays of them."""
    if func in _FUNCTIONS:
        return _FUNCTIONS[func](*args, **kwargs)
    return func(*map(_as_arrays, args), **{name: _as_arrays(x) for name, x in kwargs.items()})


def _as_arrays(x: Any) -> Any:
    """An argument whose scalars are arrays without axes."""
    if isinstance(x, list | tuple):
        return [*map(_as_arrays, x)]
    return scalar_array(x) if isinstance(x, Node) else x


def _plain(x: Any) -> Any:
    """An input as an array of Python's objects, whose operators NumPy then calls; numbers of NumPy would call it."""
    objects = np.asarray(x, object)
    array = np.empty(objects.shape, object)
    for k, entry in enumerate(objects.flat):
        array.flat[k] = entry.item() if isinstance(entry, np.generic) else entry
    return array


def _entry(x: Any) -> Any:
    return x[()] if isinstance(x, np.ndarray) else x


def _maximum(a: Any, b: Any) -> Any:
    """NaN of a scalar stays when combined with a number."""
    return where(a < b, b, a) if isinstance(a, Node) else where(b < a, a, b)


def _minimum(a: Any, b: Any) -> Any:
    return where(b < a, b, a) if isinstance(a, Node) else where(a < b, a, b)


def _sign(x: Any) -> Any:
    return where(x < 0.0, -1.0, where(x > 0.0, 1.0, x))


_BY_OPERATORS = {
    "add", "subtract", "multiply", "divide", "negative", "positive", "absolute", "square", "reciprocal", "power",
    "matmul", "matvec", "vecmat",
}  # fmt: skip
"""Functions whose loops over objects call the operators of the entries."""

_VALUES: dict[str, Callable[..., Any]] = {
    "sin": lambda x: sin(x),
    "cos": lambda x: cos(x),
    "tan": lambda x: sin(x) / cos(x),
    "sqrt": lambda x: sqrt(x),
    "arcsin": lambda x: arctan2(x, sqrt((1.0 - x) * (1.0 + x))),
    "arccos": lambda x: arccos(x),
    "arctan": lambda x: arctan2(x, 1.0),
    "arctan2": lambda y, x: arctan2(y, x),
    "hypot": lambda x, y: sqrt(x * x + y * y),
    "maximum": _maximum,
    "minimum": _minimum,
    "clip": lambda x, low, high: _minimum(_maximum(x, low), high),
    "sign": _sign,
    "fabs": lambda x: abs(x),
    "less": lambda a, b: a < b,
    "greater": lambda a, b: a > b,
    "deg2rad": lambda x: x * (pi / 180.0),
    "radians": lambda x: x * (pi / 180.0),
}
_BY_ENTRY: dict[str, Any] = {name: np.frompyfunc(f, f.__code__.co_argcount, 1) for name, f in _VALUES.items()}
"""Functions that are called for each entry."""

_where = np.frompyfunc(where, 3, 1)


def _chosen(condition: Any, yes: Any, no: Any) -> Any:
    """`numpy.where`."""
    result = _where(*map(_plain, (condition, yes, no)))
    return result.view(Scalars) if isinstance(result, np.ndarray) else result


def _norm(x: Any) -> Any:
    """`numpy.linalg.norm` of a vector."""
    if np.ndim(x) != 1:
        raise TypeError(f"norm of traced scalars takes a vector, not an array of shape {np.shape(x)}")
    return sqrt(x @ x)


_FUNCTIONS: dict[Any, Callable[..., Any]] = {np.where: _chosen, np.linalg.norm: _norm}


def entries_of(x: Any) -> list[Operand]:
    """The entries of an argument in a row, numbers as floats."""
    return [entry if isinstance(entry, Node) else float(entry) for entry in np.asarray(x, object).flat]
