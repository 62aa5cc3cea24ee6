"""Equations of small robots on paper: SymPy symbols through the very same algorithms."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import cache
from itertools import chain, islice
from typing import Any

from sixvec.algorithms.declaration import Algorithm, flatten, input_shape, size
from sixvec.compile import require_options
from sixvec.errors import ArgumentError, MissingExtra, ShapeError
from sixvec.robot import Robot, find_algorithm

LARGEST_DENOMINATOR = 10**6
"""Numbers of the model within 1e-12 of such a fraction are written as one: 0.25 as 1/4."""

SAME = 1e-12
"""How near, relative to numbers above one."""

LONGEST_SIMPLIFIED = 1000
"""Nodes of all entries together that are still simplified.  Forward dynamics of two joints have some 400 and take three
seconds; the mass matrix of six would take most of a minute, and a Panda's inverse dynamics have a million nodes."""


def symbolic(robot: Robot, name: str, *inputs: Sequence[Any], simplify: bool = True, **options: Any) -> Any:
    """An algorithm's result as a SymPy expression (for a single number), vector or matrix, simplified where short.

    A result of more than `LONGEST_SIMPLIFIED` nodes, as of arms with six joints, stays as the algorithm left it.
    Parameters of the model may be symbols as well.

    Symbols are q1, q2, … for the input q and so on, unless `inputs` gives others (or numbers).  The result's
    `.latex()` is its formula.  Three axes, as of `christoffel_symbols`, come as a SymPy array.

    >>> import sixvec
    >>> M = symbolic(sixvec.load("planar_2r"), "mass_matrix")
    >>> M
    Matrix([
    [2*cos(q2) + 3, cos(q2) + 1],
    [  cos(q2) + 1,           1]])
    >>> print(M[:, 1].latex())
    \\left[\\begin{matrix}\\cos{\\left(q_{2} \\right)} + 1\\\\1\\end{matrix}\\right]
    """
    sympy = _sympy()
    algorithm = find_algorithm(name)
    for text in (x for x in inputs if isinstance(x, str)):
        raise ArgumentError(
            f"{name} takes {', '.join(algorithm.arrays)}, not the text {text!r}{_hint(algorithm, text)}"
        )
    if len(inputs) > len(algorithm.arrays):
        raise ArgumentError(f"{name} takes {', '.join(algorithm.arrays)}, not {len(inputs)} inputs")
    for option in options:
        if option not in algorithm.options:
            raise ArgumentError(f"{name} has no option {option!r}; options: {', '.join(algorithm.options) or 'none'}")
    require_options(algorithm, options)
    for option, default in algorithm.options.items():
        if default is Algorithm.REQUIRED and option not in options:
            raise ArgumentError(f"{name} needs the option {option!r}")
    given = [_listed(name, port, x) for port, x in zip(algorithm.arrays, inputs, strict=False)]
    for port in algorithm.arrays[len(given) :]:
        given.append(list(symbols(port, *input_shape(robot.model, port))))
    result = robot.evaluate(name, *given, **options)
    parts = result if len(algorithm.outputs) > 1 else (result,)
    made = []
    for output, part in zip(algorithm.outputs, parts, strict=True):
        shape = tuple(size(robot.model, d) for d in output.shape)
        entries = [exact(x) for x in flatten(part, len(shape))]
        short = simplify and not _is_long(sympy, entries)
        made.append(_shaped(sympy, [simplified(x) for x in entries] if short else entries, shape))
    return tuple(made) if len(made) > 1 else made[0]


def symbols(name: str, count: int) -> tuple[Any, ...]:
    """The symbols name1, name2, …, all real.

    >>> symbols("q", 2)
    (q1, q2)
    """
    sympy = _sympy()
    return tuple(sympy.Symbol(f"{name}{i + 1}", real=True) for i in range(count))


def equations_of_motion(kinetic: Any, potential: Any, q: Sequence[Any], v: Sequence[Any], a: Sequence[Any]) -> Any:
    """τ = d/dt ∂L/∂q̇ - ∂L/∂q with L = T - U, from two SymPy expressions (Lynch-Park 9.3; Bruyninckx 6.59).

    >>> import sympy
    >>> x, w, b, m, k = sympy.symbols("x w b m k")
    >>> equations_of_motion(m * w**2 / 2, k * x**2 / 2, [x], [w], [b])  # a mass on a spring
    Matrix([[b*m + k*x]])
    """
    sympy = _sympy()
    L, tau = kinetic - potential, []
    for i in range(len(q)):
        p = sympy.diff(L, v[i])
        rate = sum(sympy.diff(p, q[j]) * v[j] + sympy.diff(p, v[j]) * a[j] for j in range(len(q)))
        tau.append(simplified(rate - sympy.diff(L, q[i])))
    return _shaped(sympy, tau, (len(q),))


def exact(expression: Any) -> Any:
    """The expression with floats that are fractions of small numbers written as such, and rounding left out.

    >>> import sympy
    >>> exact(0.25 * sympy.Symbol("x") + 1e-17)
    x/4
    """
    sympy = _sympy()
    done: dict[Any, Any] = {}  # each shared part once: spelled out, the dynamics of an arm would not end

    def rewritten(x: Any) -> Any:
        if x not in done:
            parts = [rewritten(part) for part in x.args]
            changed = any(new is not old for new, old in zip(parts, x.args, strict=True))
            done[x] = _fraction(sympy, x) if x.is_Float else x.func(*parts) if changed else x
        return done[x]

    return rewritten(sympy.sympify(expression))


def simplified(expression: Any) -> Any:
    """Trigonometry gathered to the shortest form that SymPy finds."""
    sympy = _sympy()
    expanded = sympy.expand(sympy.expand_trig(sympy.expand(expression)))
    short = sympy.trigsimp(expanded)
    return min((sympy.simplify(short), short), key=sympy.count_ops)


def _is_long(sympy: Any, entries: list[Any]) -> bool:
    """Found without counting to the end."""
    nodes = chain.from_iterable(map(sympy.preorder_traversal, entries))
    return any(True for _ in islice(nodes, LONGEST_SIMPLIFIED, None))


def _hint(algorithm: Algorithm, text: str) -> str:
    """How to give an option that was taken for an input."""
    texts = [k for k, default in algorithm.options.items() if default is Algorithm.REQUIRED or isinstance(default, str)]
    return f"; give it by name: {texts[0]}={text!r}" if texts else ""


def _listed(name: str, port: str, given: Any) -> list[Any]:
    try:
        return list(given)
    except TypeError:
        raise ShapeError(f"{name}: {port} must be a sequence, not {given!r}") from None


def _fraction(sympy: Any, x: Any) -> Any:
    near = Fraction(float(x)).limit_denominator(LARGEST_DENOMINATOR)
    if abs(float(near) - float(x)) <= SAME * max(1.0, abs(float(x))):
        return sympy.Rational(near.numerator, near.denominator)
    return x


def _shaped(sympy: Any, entries: list[Any], shape: tuple[int, ...]) -> Any:
    if not shape:
        return entries[0]
    if len(shape) <= 2:
        return _formula()(shape[0], shape[1] if len(shape) == 2 else 1, entries)
    return sympy.ImmutableDenseNDimArray(entries, shape)


@cache
def _formula() -> Any:
    """The class of results, made when SymPy is first needed."""
    sympy = _sympy()
    matrix: Any = sympy.ImmutableDenseMatrix

    class Formula(matrix):  # type: ignore[misc]
        """A SymPy matrix that writes itself as LaTeX."""

        def latex(self) -> str:
            return str(sympy.latex(self))

        def __repr__(self) -> str:
            return repr(sympy.Matrix(self))

    return Formula


def _sympy() -> Any:
    try:
        import sympy
    except ImportError:
        raise MissingExtra('symbolic equations need SymPy: pip install "sixvec[symbolic]"') from None
    return sympy
