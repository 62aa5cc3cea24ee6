"""Quadratic programs with bounds of the variables alone: the dual active-set method on one swept matrix, on scalars.

The method and its tolerances are those of `active_set.py`.  Variables are free, or held at a bound.  The matrix H,
swept on its free variables F, holds all that a change of the active set needs, so each change is one sweep:

    T_FF = -H_FF⁻¹,   T_AF = H_AF H_FF⁻¹,   T_AA = H_AA - H_AF H_FF⁻¹ H_FA

Its column i is how free variables and multipliers of held ones change with the multiplier of a bound of variable i.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sixvec.scalar import Scalar, sqrt, where
from sixvec.solve.active_set import UNBOUNDED, VIOLATED, Scaled, full, larger_of, smaller_of, triangle
from sixvec.spatial.linear import Matrix, Row, dot, times


@dataclass(frozen=True)
class BoxSearch:
    """The state between two changes of the active set."""

    values: list[Scalar]
    """Of free variables x, of held ones the multiplier."""
    T: list[Scalar]
    """The lower triangle, row after row."""
    active: list[Scalar]
    """Of each variable: +1 at the upper bound, -1 at the lower one, 0 if it is free."""
    entering: Scalar
    """The variable that moves to its bound, or -1."""
    entering_multiplier: Scalar
    state: Scalar
    """1 while the search goes on, 0 where no bound is violated."""


def begin_in_box(S: Sequence[Scalar], g: Row, lower: Row, upper: Row) -> tuple[BoxSearch, Scaled]:
    """The minimum without bounds, from S = -H⁻¹; the bounds, the scale of their violations, and what is rounding."""
    n = len(g)
    F = full(S, n)
    x = times(F, g)
    scale = [1.0 / sqrt(where(F[i][i] < 0.0, -F[i][i], 1.0)) for i in range(n)]
    low, high = [larger_of(y, -UNBOUNDED) for y in lower], [smaller_of(y, UNBOUNDED) for y in upper]
    size = sqrt(larger_of(-dot(x, g), 0.0))
    for y, below, above, s in zip(x, low, high, scale, strict=True):
        size = larger_of(size, s * where(y > above, abs(above), where(y < below, abs(below), 0.0)))
    return BoxSearch(x, list(S), [0.0] * n, -1.0, 0.0, 1.0), Scaled(low, high, scale, VIOLATED * size)


def change_in_box(search: BoxSearch, scaled: Scaled, preferred: Row | None = None) -> BoxSearch:
    """One change: the entering variable is held at its bound, or moves until another one must be freed.

    A search that has ended stays as it is.
    """
    n = len(search.values)
    F, low, high = full(search.T, n), scaled.lower, scaled.upper
    violations = [
        where(abs(on) > 0.5, -UNBOUNDED, larger_of(y - b, a - y) * s)
        for y, on, a, b, s in zip(search.values, search.active, low, high, scaled.scale, strict=True)
    ]
    if preferred is not None:  # violated bounds that are preferred come first
        violations = [
            where(v > scaled.tolerance, v + abs(p) * UNBOUNDED, v) for v, p in zip(violations, preferred, strict=True)
        ]
    worst, first = _largest(violations)
    fresh = search.entering < -0.5
    entering = where(fresh, first, search.entering)
    enters = _is(entering, n)
    column = [_picked(row, enters) for row in F]
    value, below, above, diagonal = (_picked(x, enters) for x in (search.values, low, high, column))
    begun, steepness = search.entering_multiplier, -diagonal
    over = where(begun > 0.0, 1.0, where(begun < 0.0, 0.0, where(value > above, 1.0, 0.0))) > 0.5
    sign, violation = where(over, 1.0, -1.0), where(over, value - above, below - value)
    bound = abs(where(over, above, below)) * _picked(scaled.scale, enters)
    violated = worst > scaled.tolerance + VIOLATED * bound  # false for NaN, which ends the search
    ended = where(fresh, where(violated, 0.0, 1.0), 0.0)
    moves = where(ended > 0.5, 0.0, where(search.state > 0.5, 1.0, 0.0)) > 0.5

    falls = [-side * sign * c for side, c in zip(search.active, column, strict=True)]
    ratio, rate, leaving = _first_at_zero(search.values, falls)
    adds = where(ratio * steepness < violation * rate, 0.0, 1.0) > 0.5
    changed = _is(where(moves, where(adds, entering, leaving), -1.0), n)
    length = where(moves, sign * where(adds, violation, ratio) / where(adds, steepness, rate), 0.0)
    multiplier = begun + length
    end = _picked([where(on > 0.0, b, a) for on, a, b in zip(search.active, low, high, strict=True)], changed)
    return BoxSearch(
        [where(c, where(adds, multiplier, end), y + length * z)
         for c, y, z in zip(changed, search.values, column, strict=True)],
        _swept(F, changed, moves),
        [where(c, where(adds, sign, 0.0), x) for c, x in zip(changed, search.active, strict=True)],
        where(moves, where(adds, -1.0, entering), search.entering),
        where(moves, where(adds, 0.0, multiplier), begun),
        where(search.state > 0.5, where(ended > 0.5, 0.0, 1.0), search.state),
    )  # fmt: skip


def refined_in_box(search: BoxSearch, H: Matrix, g: Row, lower: Row, upper: Row, corrections: int) -> list[Scalar]:
    """x on its bounds, after corrections that balance the gradient of the free variables to the rounding of H."""
    F, is_free = full(search.T, len(g)), [abs(on) < 0.5 for on in search.active]
    x = placed_in_box(search.values, search.active, lower, upper)
    for _ in range(corrections):
        left = [where(free, y + z, 0.0) for free, y, z in zip(is_free, times(H, x), g, strict=True)]
        x = [where(free, y + z, y) for free, y, z in zip(is_free, x, times(F, left), strict=True)]
    return x


def placed_in_box(values: Row, active: Row, lower: Row, upper: Row) -> list[Scalar]:
    """x, with held variables at their bounds."""
    return [
        where(abs(on) < 0.5, y, where(on > 0.0, high, low))
        for y, on, low, high in zip(values, active, lower, upper, strict=True)
    ]


def _swept(F: Matrix, changed: Sequence[Any], moves: Any) -> list[Scalar]:
    """The lower triangle after the exchange of the changed variable and its multiplier."""
    column = [_picked(row, changed) for row in F]
    inverse = 1.0 / where(moves, _picked(column, changed), 1.0)
    size = abs(inverse)
    signed, scaled = [x * inverse for x in column], [x * size for x in column]
    return [
        where(changed[i], -inverse, F[i][i] - signed[i] * column[i]) if i == j
        else where(changed[i], scaled[j], where(changed[j], scaled[i], F[i][j] - signed[i] * column[j]))
        for i, j in triangle(len(F))
    ]  # fmt: skip


def _is(k: Scalar, n: int) -> list[Any]:
    return [abs(k - float(i)) < 0.5 for i in range(n)]


def _picked(values: Sequence[Scalar], which: Sequence[Any]) -> Scalar:
    """The value whose condition holds, or 0."""
    value: Scalar = 0.0
    for x, on in zip(values, which, strict=True):
        value = where(on, x, value)
    return value


def _largest(values: Row) -> tuple[Scalar, Scalar]:
    """The largest value and the first index that has it, pair by pair: a chain of comparisons takes twice as long."""
    pairs: list[tuple[Scalar, Scalar]] = [(x, float(i)) for i, x in enumerate(values)]
    while len(pairs) > 1:
        later = [(a, b, b[0] > a[0]) for a, b in zip(pairs[::2], pairs[1::2], strict=False)]
        joined = [(where(right, b[0], a[0]), where(right, b[1], a[1])) for a, b, right in later]
        pairs = joined + pairs[len(pairs) // 2 * 2 :]
    return pairs[0]


def _first_at_zero(values: Row, falls: Row) -> tuple[Scalar, Scalar, Scalar]:
    """Which multiplier vanishes first where its size falls at these rates: numerator and denominator of the ratio, and
    its index; a rate of 0 if none does."""
    ratios: list[tuple[Scalar, Scalar, Scalar]] = [
        (where(rate > 0.0, abs(y), 1.0), larger_of(rate, 0.0), float(k))
        for k, (y, rate) in enumerate(zip(values, falls, strict=True))
    ]
    while len(ratios) > 1:
        sooner = [(a, b, b[0] * a[1] < a[0] * b[1]) for a, b in zip(ratios[::2], ratios[1::2], strict=False)]
        joined = [tuple(where(right, y, x) for x, y in zip(a, b, strict=True)) for a, b, right in sooner]
        ratios = joined + ratios[len(ratios) // 2 * 2 :]
    return ratios[0]
