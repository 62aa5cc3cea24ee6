"""Symbolic equations of small robots: the same algorithms run on SymPy symbols."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import chain, islice
from typing import Any

from sixvec.algorithms.declaration import Algorithm, flatten, input_shape, size
from sixvec.arguments.binding import REQUIRED, named_arguments
from sixvec.errors import ArgumentError, ShapeError
from sixvec.kernels.as_robot import as_robot
from sixvec.kernels.store import find_algorithm
from sixvec.model import Model
from sixvec.model.spanning_tree import require_sliding
from sixvec.robot import Robot
from sixvec.theory.lagrange.exact import as_decimal, as_rational, exact, sympy_package, without_residue

LONGEST_SIMPLIFIED = 1000
"""Largest number of nodes in all entries together that is simplified.  Forward dynamics of two joints has about 400 and
takes three seconds; the mass matrix of six joints would take most of a minute, and a Panda's inverse dynamics has a
million nodes."""


def symbolic(robot: Robot | Model, name: str, *inputs: Sequence[Any], simplify: bool = True, **options: Any) -> Any:
    """An algorithm's result as a SymPy expression (for a single number), vector or matrix, simplified where short.

    A result of more than `LONGEST_SIMPLIFIED` nodes, as for arms with six joints, is returned unsimplified.
    Parameters of the model may be symbols as well.

    Symbols are q1, q2, … for the input q and so on, those of `symbols("q", n)`, unless `inputs` gives others (or
    numbers).  `options` are the method's; wrenches of `external` may contain symbols too.  `latex(result)` writes the
    formula.  Results with three axes, as of `christoffel_symbols`, are SymPy arrays.

    >>> import sixvec
    >>> from sixvec.theory.lagrange import latex, symbolic
    >>> M = symbolic(sixvec.load("planar_2r"), "mass_matrix")
    >>> M
    Matrix([
    [2*cos(q2) + 3, cos(q2) + 1],
    [  cos(q2) + 1,           1]])
    >>> print(latex(M[:, 1]))
    \\left[\\begin{matrix}\\cos{\\left(q_{2} \\right)} + 1\\\\1\\end{matrix}\\right]
    """
    sympy, robot, algorithm = sympy_package(), as_robot(robot, "symbolic"), find_algorithm(name)
    if algorithm.loops == "enforced":  # the forces of wheels are the result of iterations, which have no short formula
        require_sliding(robot.model, name)
    for text in (x for x in inputs if isinstance(x, str)):
        raise ArgumentError(
            f"{name} takes {', '.join(algorithm.arrays)}, not the text {text!r}{_hint(algorithm, text)}"
        )
    if len(inputs) > len(algorithm.arrays):
        raise ArgumentError(f"{name} takes {', '.join(algorithm.arrays)}, not {len(inputs)} inputs")
    arguments = [_listed(name, port, x) for port, x in zip(algorithm.arrays, inputs, strict=False)]
    for port in algorithm.arrays[len(arguments) :]:
        arguments.append(list(symbols(port, *input_shape(robot.model, port))))
    result = robot.evaluate(name, *arguments, **options)
    parts = result if len(algorithm.outputs) > 1 else (result,)
    results = []
    for output, expressions in zip(algorithm.outputs, parts, strict=True):
        shape = tuple(size(robot.model, d) for d in output.shape)
        entries = [exact(x) for x in flatten(expressions, len(shape))]
        short = simplify and not _is_long(sympy, entries)
        results.append(_shaped(sympy, [simplified(x) for x in entries] if short else entries, shape))
    return tuple(results) if len(results) > 1 else results[0]


def symbols(name: str, count: int) -> tuple[Any, ...]:
    """The symbols name1, name2, …, all real, as formulas use them: SymPy also compares assumptions.

    >>> from sixvec.theory.lagrange import symbols
    >>> symbols("q", 2)
    (q1, q2)
    """
    sympy = sympy_package()
    return tuple(sympy.Symbol(f"{name}{i + 1}", real=True) for i in range(count))


def latex(formula: Any) -> str:
    """A result of `symbolic` as LaTeX: an expression, a vector, a matrix, an array, or a tuple of those.

    >>> import sixvec
    >>> from sixvec.theory.lagrange import latex, symbolic
    >>> print(latex(symbolic(sixvec.load("cart_pole"), "potential_energy")))
    \\frac{981 \\cos{\\left(q_{2} \\right)}}{2000}
    """
    return str(sympy_package().latex(formula))


@named_arguments
def equations_of_motion(kinetic: Any, potential: Any, q: Sequence[Any], v: Sequence[Any], a: Sequence[Any]) -> Any:
    """τ = d/dt ∂L/∂q̇ - ∂L/∂q with L = T - U, from two SymPy expressions (Lynch-Park (9.3); Bruyninckx (6.59)).

    Lynch-Park (9.6), (9.8).

    >>> import sympy
    >>> from sixvec.theory.lagrange import equations_of_motion
    >>> x, w, b, m, k = sympy.symbols("x w b m k")
    >>> equations_of_motion(m * w**2 / 2, k * x**2 / 2, [x], [w], [b])  # a mass on a spring
    Matrix([[b*m + k*x]])
    """
    sympy = sympy_package()
    if not len(q) == len(v) == len(a):
        raise ShapeError(f"equations_of_motion needs as many q as v as a, not {len(q)}, {len(v)} and {len(a)}")
    L, tau = kinetic - potential, []
    for i in range(len(q)):
        p = sympy.diff(L, v[i])
        rate = sum(sympy.diff(p, q[j]) * v[j] + sympy.diff(p, v[j]) * a[j] for j in range(len(q)))
        tau.append(simplified(rate - sympy.diff(L, q[i])))
    return _shaped(sympy, tau, (len(q),))


def simplified(expression: Any) -> Any:
    """The shortest trigonometric form that SymPy finds."""
    sympy = sympy_package()
    expanded = without_residue(sympy.expand(sympy.expand_trig(sympy.expand(expression))))
    rational = as_rational(expanded)
    short = sympy.trigsimp(rational)
    shortest = min((sympy.simplify(short), short), key=sympy.count_ops)
    return shortest if rational is expanded else as_decimal(shortest)


def _is_long(sympy: Any, entries: list[Any]) -> bool:
    """Stops counting at the bound."""
    nodes = chain.from_iterable(map(sympy.preorder_traversal, entries))
    return any(True for _ in islice(nodes, LONGEST_SIMPLIFIED, None))


def _hint(algorithm: Algorithm, text: str) -> str:
    """How to pass an option that was mistaken for an input."""
    texts = [k for k, default in algorithm.options.items() if default is REQUIRED or isinstance(default, str)]
    return f"; give it as a keyword: {texts[0]}={text!r}" if texts else ""


def _listed(name: str, port: str, x: Any) -> list[Any]:
    try:
        return list(x)
    except TypeError:
        raise ShapeError(f"{name}: {port} must be a sequence, not {x!r}") from None


def _shaped(sympy: Any, entries: list[Any], shape: tuple[int, ...]) -> Any:
    if not shape:
        return entries[0]
    if len(shape) <= 2:
        return _formula()(shape[0], shape[1] if len(shape) == 2 else 1, entries)
    return sympy.ImmutableDenseNDimArray(entries, shape)


@cache
def _formula() -> Any:
    """The class of results, made when SymPy is first needed."""
    sympy = sympy_package()
    matrix: Any = sympy.ImmutableDenseMatrix

    class Formula(matrix):  # type: ignore[misc]
        """A SymPy matrix that writes itself as LaTeX."""

        def latex(self) -> str:
            return str(sympy.latex(self))

        def __repr__(self) -> str:
            return repr(sympy.Matrix(self))

    return Formula
