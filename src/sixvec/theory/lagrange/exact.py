"""Floats in formulas: written as the intended fractions, without rounding residues."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from functools import lru_cache, reduce
from itertools import product
from typing import Any, Generic, TypeAlias, TypeVar

from sixvec.errors import MissingExtra
from sixvec.tolerances import ROUNDING

T = TypeVar("T")

LARGEST_DENOMINATOR = 10**6
"""Largest denominator: numbers equal to a fraction up to `ROUNDING` are written as one, 0.25 as 1/4."""

LARGEST_INTEGER = 2**53
"""Floats represent every integer up to this one."""

RESIDUE = 1e-14
"""A term of a sum is rounding error if its coefficient is this much smaller than that of another term in the same unit.
Coefficients in different units are not comparable: next to a force, the inertia of a small body is not rounding."""

LAST_DIGIT = 2.0**-52
"""A plain number next to terms with symbols is rounding error below this fraction of their largest coefficient."""

Sizes: TypeAlias = dict[frozenset[Any], float]
"""Unit -> size.  A unit is identified by the powers of the symbols: {("v", 2)}."""


class Known(Generic[T]):
    """A cache of results by the identity of expressions: comparing long expressions costs more than recomputing."""

    def __init__(self) -> None:
        self._of: dict[int, tuple[Any, T]] = {}

    def __contains__(self, x: Any) -> bool:
        return id(x) in self._of

    def __getitem__(self, x: Any) -> T:
        return self._of[id(x)][1]

    def __setitem__(self, x: Any, value: T) -> None:
        self._of[id(x)] = x, value  # kept alive, so that its id is not reused


def exact(expression: Any) -> Any:
    """The expression with floats equal to fractions of small numbers written as such, without rounding errors.

    >>> import sympy
    >>> exact(0.25 * sympy.Symbol("x") + 1e-17)
    x/4
    >>> exact(1.5e-6 * sympy.Symbol("x"))  # no fraction of small numbers: it stays
    1.5e-6*x
    """
    sympy = sympy_package()
    done: Known[Any] = Known()  # each shared part once: fully expanded, the dynamics of an arm is far too long
    sizes: Known[Sizes] = Known()

    def rewritten(x: Any) -> Any:
        if x not in done:
            parts = [rewritten(part) for part in x.args]
            changed = any(new is not old for new, old in zip(parts, x.args, strict=True))
            done[x] = _fraction(sympy, x) if x.is_Float else without_residue(x.func(*parts) if changed else x, sizes)
        return done[x]

    return rewritten(sympy.sympify(expression))


def without_residue(expression: Any, known: Known[Sizes] | None = None) -> Any:
    """A sum without terms of rounding error; anything else is unchanged.

    >>> from sympy import cos, symbols
    >>> q, v, tau = symbols("q v tau")
    >>> without_residue(v + 1e-17 * v * cos(q))
    v
    >>> without_residue(tau - 1e-17 * v**2)  # a small body's inertia
    tau - 1.0e-17*v**2
    """
    if not expression.is_Add or not any(x.as_coeff_Mul()[0].is_Float for x in expression.args):
        return expression
    memory = Known[Sizes]() if known is None else known
    largest: Sizes = {}
    for x in expression.args:
        for unit, size in _sizes(x, memory).items():
            largest[unit] = max(size, largest.get(unit, 0.0))

    def is_residue(x: Any) -> bool:
        if x.is_Float and abs(float(x)) <= LAST_DIGIT * max(largest.values()):
            return True
        small = all(size <= RESIDUE * largest[unit] for unit, size in _sizes(x, memory).items())
        return bool(x.as_coeff_Mul()[0].is_Float and small)

    terms = [x for x in expression.args if not is_residue(x)]
    return expression if len(terms) == len(expression.args) else expression.func(*terms)


def _sizes(x: Any, known: Known[Sizes]) -> Sizes:
    """The magnitude of the coefficients of an expression, for each unit in it; sines and cosines count as one."""
    if x not in known:
        if x.is_Number:
            known[x] = {frozenset(): abs(float(x))}
        elif x.is_Add:
            largest = known[x] = Sizes()
            for part in x.args:
                for unit, size in _sizes(part, known).items():
                    largest[unit] = max(size, largest.get(unit, 0.0))
        elif x.is_Mul:
            known[x] = reduce(_product, (_sizes(part, known) for part in x.args))
        elif x.is_Pow and x.exp.is_Integer and x.exp.is_positive:
            known[x] = reduce(_product, [_sizes(x.base, known)] * int(x.exp))
        elif x.is_Pow and x.exp.is_Integer and x.base.is_Add:
            known[x] = reduce(_product, [_reciprocal(_sizes(x.base, known))] * -int(x.exp))
        elif x.func.__name__ in ("sin", "cos"):
            known[x] = {frozenset(): 1.0}
        else:  # symbols that differ by their index only, as v1 and v2, have the same unit
            known[x] = {frozenset({(x.name.rstrip("0123456789") if x.is_Symbol else x, 1)}): 1.0}
    return known[x]


def _reciprocal(a: Sizes) -> Sizes:
    """Of a sum, as a pivot of the mass matrix; where it contains symbols outside sines and cosines, a separate unit."""
    units = frozenset(a)
    return {frozenset() if units == {frozenset()} else frozenset({(units, 1)}): 1.0 / max(a.values())}


def _product(a: Sizes, b: Sizes) -> Sizes:
    sizes: Sizes = {}
    for (one, x), (other, y) in product(a.items(), b.items()):
        unit = _joined(one, other)
        sizes[unit] = max(x * y, sizes.get(unit, 0.0))
    return sizes


@lru_cache(maxsize=4096)
def _joined(one: frozenset[Any], other: frozenset[Any]) -> frozenset[Any]:
    """The unit of a product."""
    return frozenset((Counter(dict(one)) + Counter(dict(other))).items())


def as_rational(expression: Any) -> Any:
    """The expression with all floats as the fractions of their decimal digits: SymPy does not cancel floats in time.

    >>> import sympy
    >>> as_rational(1.5e-9 * sympy.Symbol("x"))
    3*x/2000000000
    """
    sympy = sympy_package()
    return _replaced(expression, {x: sympy.Rational(_digits(float(x))) for x in expression.atoms(sympy.Float)})


def _digits(x: float) -> str:
    """Few digits if they represent the number exactly, else all."""
    few = f"{x:.9g}"
    return few if abs(float(few) - x) <= ROUNDING * abs(x) else repr(x)


def as_decimal(expression: Any) -> Any:
    """The expression with fractions of large numbers as floats.

    >>> import sympy
    >>> as_decimal(sympy.Rational(3, 2 * 10**9) * sympy.Symbol("x"))
    1.5e-9*x
    """
    sympy = sympy_package()
    long = [x for x in expression.atoms(sympy.Rational) if x.q > LARGEST_DENOMINATOR or abs(x.p) > LARGEST_INTEGER]
    return _replaced(expression, {x: sympy.Float(x) for x in long})


def _replaced(expression: Any, new: dict[Any, Any]) -> Any:
    return expression.xreplace(new) if new else expression


def _fraction(sympy: Any, x: Any) -> Any:
    near = Fraction(float(x)).limit_denominator(LARGEST_DENOMINATOR)
    if abs(float(near) - float(x)) <= ROUNDING * abs(float(x)):
        return sympy.Rational(near.numerator, near.denominator)
    return x


def sympy_package() -> Any:
    """SymPy, or an error that says how to get it."""
    try:
        import sympy
    except ImportError:
        raise MissingExtra("symbolic equations need SymPy", extra="symbolic") from None
    return sympy
