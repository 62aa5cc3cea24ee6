"""Quadratic programs with bounds of the variables alone: the dual active-set method on one swept matrix, on scalars.

The method and its tolerances are those of `active_set.py`.  Variables are free, or held at a bound.  The matrix H,
swept on its free variables F, holds all that a change of the active set needs, so each change is one sweep:

    T_FF = -H_FF⁻¹,   T_AF = H_AF H_FF⁻¹,   T_AA = H_AA - H_AF H_FF⁻¹ H_FA

Its column i is how free variables and multipliers of held ones change with the multiplier of a bound of variable i, or,
where it is held, with -xᵢ.

The search begins near a point within the bounds.  Variables that are at a bound there, and that the gradient there
pushes against it, are held from the start; those whose multipliers turn out to have the wrong sign are released.  Then
all multipliers have the right sign, which is all that the dual method needs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sixvec.scalar import Scalar, sqrt, where
from sixvec.solve.active_set import (
    LEAST_PIVOT,
    RAISED_PIVOT,
    UNBOUNDED,
    VIOLATED,
    full,
    larger_of,
    smaller_of,
    symmetric_part,
    triangle,
)
from sixvec.spatial.linear import Matrix, Row, times


@dataclass(frozen=True)
class BoxSearch:
    """The state between two changes of the active set."""

    values: list[Scalar]
    """Of free variables x, of held ones the multiplier."""
    T: list[Scalar]
    """The lower triangle, row after row."""
    active: list[Scalar]
    """Of each variable: +1 at the upper bound, -1 at the lower one, 0 if it is free."""
    entering_multiplier: Scalar
    entering: Scalar
    """The number of the variable that moves to its bound, counted from 1, or 0 if no bound is violated."""


@dataclass(frozen=True)
class Box:
    """The bounds, and what is rounding."""

    lower: list[Scalar]
    upper: list[Scalar]
    scale: list[Scalar]
    """Of violations of each bound, so that they are comparable."""
    tolerance: Scalar
    """Scaled violations below it are rounding; so are multipliers below it times the scale."""
    least: Scalar
    """Pivots below it are rounding."""


@dataclass(frozen=True)
class Start:
    """The matrix and the gradient at a point; which variables are held there, and which are to be freed."""

    values: list[Scalar]
    T: list[Scalar]
    active: list[Scalar]
    freed: list[Scalar]
    """1 for variables that are to be freed, else 0."""
    point: list[Scalar]
    lower: list[Scalar]
    upper: list[Scalar]
    least: Scalar
    quadratic: list[Scalar]
    """The lower triangle of the symmetric part of H."""


def start_in_box(H: Matrix, g: Row, lower: Row, upper: Row, near: Row | None = None) -> Start:
    """Before anything is freed.  The point is `near`, or where each variable alone would go."""
    n = len(g)
    T, largest = symmetric_part(H)
    F = full(T, n)
    low, high = [larger_of(y, -UNBOUNDED) for y in lower], [smaller_of(y, UNBOUNDED) for y in upper]
    sides: list[Scalar] = []
    point: list[Scalar] = []
    for i, (a, b) in enumerate(zip(low, high, strict=True)):
        if near is None:
            over, under = -g[i] > F[i][i] * b, -g[i] < F[i][i] * a
            between = larger_of(smaller_of(0.0, b), a)
        else:
            over, under, between = near[i] > b - VIOLATED * abs(b), near[i] < a + VIOLATED * abs(a), near[i]
        side = where(over, where(b < UNBOUNDED, 1.0, 0.0), where(under, where(a > -UNBOUNDED, -1.0, 0.0), 0.0))
        sides.append(side)
        point.append(where(side > 0.5, b, where(side < -0.5, a, between)))
    pushes = [-(y + z) for y, z in zip(times(F, point), g, strict=True)]
    active = [where(side * push > 0.0, side, 0.0) for side, push in zip(sides, pushes, strict=True)]
    return Start(pushes, T, active, [1.0 - abs(on) for on in active], point, low, high, LEAST_PIVOT * largest, T)


def freed(
    T: Sequence[Scalar], values: Row, k: int, freed: Scalar, place: Scalar, least: Scalar
) -> tuple[list[Scalar], list[Scalar]]:
    """The matrix and the values after variable k, held at this place, is freed, if it is to be."""
    n, F, on = len(values), full(T, len(values)), freed > 0.5
    column, push = F[k], values[k]
    pivot = where(column[k] > least, column[k], RAISED_PIVOT / LEAST_PIVOT * least)
    inverse = where(on, 1.0 / pivot, 0.0)
    scaled = [x * inverse for x in column]
    after = [
        where(on, -inverse, F[i][i]) if i == j == k
        else where(on, scaled[i + j - k], F[i][j]) if k in (i, j)
        else F[i][j] - scaled[i] * column[j]
        for i, j in triangle(n)
    ]  # fmt: skip
    moved = [y - x * push for x, y in zip(scaled, values, strict=True)]
    moved[k] = where(on, place + push * inverse, push)
    return after, moved


def freed_in_turn(
    T: Sequence[Scalar], values: Row, which: Row, point: Row, least: Scalar
) -> tuple[list[Scalar], list[Scalar]]:
    """The matrix and the values after all variables that are to be freed."""
    for k, (on, place) in enumerate(zip(which, point, strict=True)):
        T, values = freed(T, values, k, on, place, least)
    return list(T), list(values)


def begin_in_box(start: Start, T: Row, values: Row, g: Row) -> tuple[BoxSearch, Scalar, Box]:
    """The search after variables are freed, whether others must be released, and the scale of violations."""
    F, n, active = full(T, len(g)), len(g), start.active
    x = [where(abs(on) > 0.5, p, y) for on, p, y in zip(active, start.point, values, strict=True)]
    size: Scalar = 0.0
    for y, z, b, on in zip(x, values, g, active, strict=True):
        size = size - y * (b + abs(on) * z)
    size = sqrt(larger_of(size, 0.0))  # the length of x in the norm of H, which no scaled value exceeds
    scale: list[Scalar] = []
    for i in range(n):
        root = sqrt(where(abs(F[i][i]) > 0.0, abs(F[i][i]), 1.0))
        scale.append(where(F[i][i] > 0.0, root, 1.0 / root))
    for y, a, b, s in zip(x, start.lower, start.upper, scale, strict=True):
        size = larger_of(size, s * where(y > b, abs(b), where(y < a, abs(a), 0.0)))
    box = Box(start.lower, start.upper, scale, VIOLATED * size, start.least)
    return *_ready(T, values, active, box), box


def wrong_in_box(values: Row, active: Row, box: Box) -> list[Scalar]:
    """1 for each held variable whose multiplier has the wrong sign, else 0."""
    return [where(-on * y > box.tolerance * s, 1.0, 0.0) for y, on, s in zip(values, active, box.scale, strict=True)]


def released_in_box(T: Row, values: Row, active: Row, released: Row, box: Box) -> tuple[BoxSearch, Scalar]:
    """The search after held variables are freed, and whether others must be released."""
    return _ready(T, values, [where(r > 0.5, 0.0, on) for r, on in zip(released, active, strict=True)], box)


def _ready(T: Row, values: Row, active: Row, box: Box) -> tuple[BoxSearch, Scalar]:
    search = BoxSearch(list(values), list(T), list(active), 0.0, _most_violated(values, active, box))
    return search, sum(wrong_in_box(values, active, box), 0.0)


def _most_violated(values: Row, active: Row, box: Box) -> Scalar:
    """The number, from 1, of the variable whose bound is violated most, or 0."""
    violations = []
    for y, on, a, b, s in zip(values, active, box.lower, box.upper, box.scale, strict=True):
        over = y > b
        excess = where(over, y - b - VIOLATED * abs(b), a - y - VIOLATED * abs(a))  # without what is rounding
        violations.append(where(abs(on) > 0.5, -UNBOUNDED, excess * s))
    worst, first = _largest(violations)
    return where(worst > box.tolerance, first + 1.0, 0.0)  # false for NaN, which ends the search


def change_in_box(search: BoxSearch, box: Box) -> BoxSearch:
    """One change: the entering variable is held at its bound, or moves until another one must be freed.

    A search that has ended stays as it is.
    """
    n = len(search.values)
    F, low, high = full(search.T, n), box.lower, box.upper
    moves = search.entering > 0.5
    enters = _is(search.entering - 1.0, n)
    column = [_picked(row, enters) for row in F]
    value, below, above, diagonal = (_picked(x, enters) for x in (search.values, low, high, column))
    begun, steepness = search.entering_multiplier, -diagonal
    over = where(begun > 0.0, 1.0, where(begun < 0.0, 0.0, where(value > above, 1.0, 0.0))) > 0.5
    sign, violation = where(over, 1.0, -1.0), where(over, value - above, below - value)
    falls = [-side * sign * c for side, c in zip(search.active, column, strict=True)]
    ratio, rate, leaving = _first_at_zero(search.values, falls)
    adds = where(ratio * steepness < violation * rate, 0.0, 1.0) > 0.5
    changed = _is(where(moves, where(adds, search.entering - 1.0, leaving), -1.0), n)
    length = where(moves, sign * where(adds, violation, ratio) / where(adds, steepness, rate), 0.0)
    multiplier = begun + length
    end = _picked([where(on > 0.0, b, a) for on, a, b in zip(search.active, low, high, strict=True)], changed)
    values = [where(c, where(adds, multiplier, end), y + length * z)
              for c, y, z in zip(changed, search.values, column, strict=True)]  # fmt: skip
    active = [where(c, where(adds, sign, 0.0), x) for c, x in zip(changed, search.active, strict=True)]
    return BoxSearch(
        values,
        _swept(F, changed, moves),
        active,
        where(moves, where(adds, 0.0, multiplier), begun),
        where(moves, where(adds, _most_violated(values, active, box), search.entering), 0.0),
    )


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
