"""Convex quadratic programs by a dual active-set method (Goldfarb and Idnani 1983), on scalars.

    minimise  ½ xᵀH x + gᵀx   subject to   lower ≤ A x ≤ upper

The search starts from the minimum without constraints and adds one violated row per step until none is left; rows whose
multiplier would change its sign are dropped on the way.  So it needs no feasible start, and it ends with a proof if the
rows contradict each other: multipliers y with Aᵀy = 0 for which no x is within the bounds.

There are n slots for active rows.  The state holds P, the inverse of H on the motions that leave the active rows alone,
and N, whose row s is the motion that moves the row in slot s alone.  Rows are scaled so that aᵀH⁻¹a = 1: then
violations of different rows are comparable, and aᵀPa is the square of the sine between a row and the active ones.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any

from sixvec.scalar import Scalar, sqrt, where
from sixvec.spatial.linear import Matrix, Row, dot, times

LEAST_PIVOT, RAISED_PIVOT = 1e-8, 1e-6
"""Pivots of H below the first fraction of its largest diagonal entry are rounding, and are raised to the second, so
that the search has a unique minimum.  Matrices with a condition below 1e8 are not changed."""

DEPENDENT = 1e-10
"""A row depends on the active ones if the square of its sine to them is smaller.  With 1e-12 rounding adds dependent
rows and contradictions are missed; with 1e-9 programs with a condition of 1e8 lose rows that they need."""

SPREAD = 1e-15
"""Where active rows are nearly dependent, other rows have large coordinates r in them, and the squares of sines have
rounding errors of this fraction of rᵀr."""

VIOLATED = 1e-12
"""A row is violated if it is by more than this fraction of the largest term of the program, in scaled rows."""

UNBOUNDED = 1e20
"""Bounds beyond this have no effect, as infinite ones."""


@dataclass(frozen=True)
class Rows:
    """The rows of a program: those that bound the variables themselves first, then those of the matrix A."""

    variables: int
    """How many variables are bounded: none or all."""
    A: Matrix

    def __len__(self) -> int:
        return self.variables + len(self.A)

    def values(self, x: Row) -> list[Scalar]:
        """All rows times x."""
        return [*x[: self.variables], *times(self.A, x)]

    def transposed(self, y: Row, n: int) -> list[Scalar]:
        """Σ yᵢ aᵢ, the gradient of yᵀA x."""
        k = self.variables
        return [(y[j] if j < k else 0.0) + dot(y[k:], [row[j] for row in self.A]) for j in range(n)]

    def sizes(self) -> Rows:
        """The rows of magnitudes."""
        return Rows(self.variables, [[abs(y) for y in row] for row in self.A])


@dataclass(frozen=True)
class Scaled:
    """The bounds of scaled rows."""

    lower: list[Scalar]
    upper: list[Scalar]
    scale: list[Scalar]
    tolerance: Scalar
    """Violations below it are rounding."""


@dataclass(frozen=True)
class Search:
    """The state between two changes of the active set."""

    x: list[Scalar]
    P: list[Scalar]
    """The lower triangle, row after row."""
    N: list[list[Scalar]]
    multiplier: list[Scalar]
    """Of each slot."""
    side: list[Scalar]
    """Of each slot: +1 upper, -1 lower, 0 if it is empty."""
    row: list[Scalar]
    """The number of the row in each slot, or -1."""
    active: list[Scalar]
    """Of each row: +1 upper, -1 lower, 0 if it is not active."""
    entering: Scalar
    """The row that is being added, or -1."""
    entering_multiplier: Scalar
    state: Scalar
    """1 while the search goes on, 0 where no row is violated, -1 where the entering row contradicts the active ones."""


def values_of(parts: Any) -> list[Any]:
    """The parts in the order of their declaration."""
    return [getattr(parts, f.name) for f in fields(parts)]


def triangle(n: int) -> list[tuple[int, int]]:
    """The entries of a lower triangle, row after row."""
    return [(i, j) for i in range(n) for j in range(i + 1)]


def full(P: Sequence[Scalar], n: int) -> list[list[Scalar]]:
    """A symmetric matrix from its lower triangle.

    >>> full([1.0, 2.0, 3.0], 2)
    [[1.0, 2.0], [2.0, 3.0]]
    """
    entries = dict(zip(triangle(n), P, strict=True))
    return [[entries[max(i, j), min(i, j)] for j in range(n)] for i in range(n)]


def symmetric_part(H: Matrix) -> tuple[list[Scalar], Scalar]:
    """The lower triangle of (H + Hᵀ) / 2, which has the same values xᵀH x, and its largest diagonal entry, or 1."""
    largest: Scalar = 0.0
    for i, row in enumerate(H):
        largest = larger_of(largest, row[i])
    return [0.5 * (H[i][j] + H[j][i]) if i != j else H[i][i] for i, j in triangle(len(H))], where(
        largest > 0.0, largest, 1.0
    )


def swept(S: Sequence[Scalar], k: int, largest: Scalar, n: int) -> tuple[list[Scalar], Scalar]:
    """The matrix after the exchange of variable k and its gradient, and by how much H grows at that diagonal entry.

    After all variables it is -H⁻¹.  The pivot is the curvature along x_k when the gradients of the variables before
    stay zero.
    """
    F = full(S, n)
    column, pivot = F[k], F[k][k]
    sound = pivot > LEAST_PIVOT * largest
    inverse = 1.0 / where(sound, pivot, RAISED_PIVOT * largest)
    scaled = [c * inverse for c in column]
    after = [
        -inverse if i == j == k else scaled[i + j - k] if k in (i, j) else F[i][j] - scaled[i] * column[j]
        for i, j in triangle(n)
    ]
    return after, where(sound, 0.0, RAISED_PIVOT * largest - pivot)


def inverted(S: Sequence[Scalar], largest: Scalar, n: int) -> tuple[list[Scalar], list[Scalar]]:
    """-H⁻¹ by all sweeps one after another, and by how much H grows on its diagonal."""
    growth: list[Scalar] = []
    for k in range(n):
        S, more = swept(S, k, largest, n)
        growth.append(more)
    return list(S), growth


def raised(S: Sequence[Scalar], growth: Row) -> list[Scalar]:
    """The lower triangle of a symmetric matrix that has grown on its diagonal."""
    return [x + growth[i] if i == j else x for x, (i, j) in zip(S, triangle(len(growth)), strict=True)]


def squared_length(P: Sequence[Scalar], a: Row) -> Scalar:
    """AᵀP a of one row."""
    return dot(a, times(full(P, len(a)), a))


def begin(S: Row, g: Row, squares: Row, rows: Rows, lower: Row, upper: Row) -> tuple[Search, Scaled]:
    """The minimum without constraints, and the scale of all rows; `squares` are aᵀS a of those of A, for S = -H⁻¹."""
    n, m, k = len(g), len(rows), rows.variables
    P = [-y for y in S]
    F = full(P, n)
    x = [-y for y in times(F, g)]
    lengths = [*(F[i][i] for i in range(k)), *(-s for s in squares)]
    scale = [where(s > 0.0, 1.0 / sqrt(where(s > 0.0, s, 1.0)), 1.0) for s in lengths]  # rows of zeros keep theirs
    low = [larger_of(x, -UNBOUNDED) * s for x, s in zip(lower, scale, strict=True)]
    high = [smaller_of(x, UNBOUNDED) * s for x, s in zip(upper, scale, strict=True)]
    y = [v * s for v, s in zip(rows.values(x), scale, strict=True)]
    size = sqrt(larger_of(-dot(x, g), 0.0))  # the length of x in the norm of H, which no |aᵀx| exceeds
    for value, below, above in zip(y, low, high, strict=True):
        size = larger_of(size, where(value > above, abs(above), where(value < below, abs(below), 0.0)))
    search = Search(
        x, P, [[0.0] * n for _ in range(n)], [0.0] * n, [0.0] * n, [-1.0] * n, [0.0] * m, -1.0, 0.0, 1.0
    )  # fmt: skip
    return search, Scaled(low, high, scale, VIOLATED * size)


def change(search: Search, H: Matrix, rows: Rows, scaled: Scaled, preferred: Row | None = None) -> Search:
    """One change of the active set: the entering row is added, or moves until a row in a slot must be dropped.

    H is the matrix of which P is the inverse, with raised pivots.  Ratios are compared as products, without division.
    A search that has ended stays as it is.
    """
    n, F = len(search.x), full(search.P, len(search.x))
    violations = _violations(search, rows, scaled)
    if preferred is not None:  # violated rows that are preferred come first
        violations = [
            where(v > scaled.tolerance, v + p * UNBOUNDED, v) for v, p in zip(violations, preferred, strict=True)
        ]
    worst, first = _first_of_largest(violations)
    fresh = search.entering < -0.5
    row = where(fresh, first, search.entering)
    pick = one_hot(row, len(rows))
    a = rows.transposed([p * s for p, s in zip(pick, scaled.scale, strict=True)], n)
    value, high, low = dot(a, search.x), dot(pick, scaled.upper), dot(pick, scaled.lower)
    begun = (
        search.entering_multiplier
    )  # a row that has begun to move keeps its side, whatever rounding does to equal ends
    over = where(begun > 0.0, 1.0, where(begun < 0.0, 0.0, where(value > high, 1.0, 0.0))) > 0.5
    sign, violation = where(over, 1.0, -1.0), where(over, value - high, low - value)
    violated = worst > scaled.tolerance + VIOLATED * abs(where(over, high, low))  # false for NaN, which ends the search
    ended = where(fresh, where(violated, 0.0, 1.0), 0.0)

    z, r = times(F, a), times(search.N, a)
    steepness = dot(a, z)
    ratio, rate, leaving = _first_multiplier_at_zero(search, sign, r)
    free: Scalar = -1.0
    for s in reversed(range(n)):
        free = where(abs(search.side[s]) < 0.5, float(s), free)
    independent = where(free > -0.5, steepness, 0.0) > DEPENDENT + SPREAD * dot(r, r)
    adds = where(independent, where(ratio * steepness < violation * rate, 0.0, 1.0), 0.0) > 0.5
    stuck = where(independent, 0.0, where(rate > 0.0, 0.0, 1.0))
    moves = where(ended + stuck > 0.5, 0.0, where(search.state > 0.5, 1.0, 0.0)) > 0.5

    slot = one_hot(where(moves, where(adds, free, leaving), -1.0), n)
    length = where(moves, sign * where(adds, violation, ratio) / where(adds, steepness, rate), 0.0)
    P, N = _updated(search, F, H, slot, z, r, steepness, adds, moves)
    entered = search.entering_multiplier + length
    on = [x > 0.5 for x in slot]
    changed = where(moves, where(adds, row, dot(slot, search.row)), -1.0)
    return Search(
        [x - length * y for x, y in zip(search.x, z, strict=True)],
        P,
        N,
        [where(c, where(adds, entered, 0.0), x - length * y)
         for c, x, y in zip(on, search.multiplier, r, strict=True)],
        [where(c, where(adds, sign, 0.0), x) for c, x in zip(on, search.side, strict=True)],
        [where(c, where(adds, row, -1.0), x) for c, x in zip(on, search.row, strict=True)],
        [where(abs(changed - float(i)) < 0.5, where(adds, sign, 0.0), x) for i, x in enumerate(search.active)],
        where(moves, where(adds, -1.0, row), where(search.state > 0.5, row, search.entering)),
        where(moves, where(adds, 0.0, entered), search.entering_multiplier),
        where(search.state > 0.5, where(ended > 0.5, 0.0, where(stuck > 0.5, -1.0, 1.0)), search.state),
    )  # fmt: skip


def held(
    x: Row, P: Row, N: Matrix, multiplier: Row, row: Row, a: Row, low: Scalar, high: Scalar, number: Scalar
) -> tuple[list[Scalar], list[Scalar], list[list[Scalar]], list[Scalar], list[Scalar]]:
    """Where the ends are equal and the scaled row a does not depend on those in slots: x on it, and the row in the
    first slot, which is empty.  The slots are then turned by one, so that the next one is the first.

    Such an equation needs no search, and its side follows from its multiplier in the end.
    """
    F = full(P, len(x))
    z, r = times(F, a), times(N, a)
    steepness = dot(a, z)
    equal = where(low < high, 0.0, where(low > high, 0.0, 1.0))
    enters = where(equal > 0.5, steepness, 0.0) > DEPENDENT + SPREAD * dot(r, r)
    weight = where(enters, 1.0 / where(enters, steepness, 1.0), 0.0)
    length = where(enters, (dot(a, x) - high) * weight, 0.0)
    scaled = [y * weight for y in z]
    after = [[y - f * s for y, s in zip(motion, scaled, strict=True)] for f, motion in zip(r[1:], N[1:], strict=True)]
    left = [y - length * f for y, f in zip(multiplier[1:], r[1:], strict=True)]
    return (
        [y - length * s for y, s in zip(x, z, strict=True)],
        [F[i][j] - z[i] * scaled[j] for i, j in triangle(len(x))],
        [*after, scaled],
        [*left, length],
        [*row[1:], where(enters, number, -1.0)],
    )


def sides_of(multiplier: Row, row: Row) -> list[Scalar]:
    """The sides of equations in slots: those to which their multipliers push."""
    return [where(k > -0.5, where(y > 0.0, 1.0, -1.0), 0.0) for y, k in zip(multiplier, row, strict=True)]


def at_work(search: Search, rows: Rows, scaled: Scaled) -> Scalar:
    """Its state, 0 where nothing is left to do: no row has begun to enter, and none is violated."""
    worst: Scalar = 0.0
    for x in _violations(search, rows, scaled):
        worst = larger_of(worst, x)
    violated = where(worst > scaled.tolerance, 1.0, 0.0)
    busy = where(search.entering > -0.5, 1.0, violated)
    return where(search.state > 0.5, busy, search.state)


def _violations(search: Search, rows: Rows, scaled: Scaled) -> list[Scalar]:
    """Of all rows, in their scale; those of active rows do not count."""
    y = [v * s for v, s in zip(rows.values(search.x), scaled.scale, strict=True)]
    return [
        larger_of(v - high, low - v) - UNBOUNDED * UNBOUNDED * abs(on)
        for v, low, high, on in zip(y, scaled.lower, scaled.upper, search.active, strict=True)
    ]


def _first_multiplier_at_zero(search: Search, sign: Scalar, r: Row) -> tuple[Scalar, Scalar, Scalar]:
    """Which slot's multiplier vanishes first as the entering row moves: numerator and denominator of the ratio."""
    ratio, rate, leaving = 1.0, 0.0, -1.0
    for s, (multiplier, side) in enumerate(zip(search.multiplier, search.side, strict=True)):
        falls, size = side * sign * r[s], abs(multiplier)
        sooner = size * rate < ratio * falls
        ratio, rate = where(sooner, size, ratio), where(sooner, falls, rate)
        leaving = where(sooner, float(s), leaving)
    return ratio, rate, leaving


def _updated(
    search: Search, F: Matrix, H: Matrix, slot: Row, z: Row, r: Row, steepness: Scalar, adds: Any, moves: Any
) -> tuple[list[Scalar], list[list[Scalar]]]:
    """P and N with a row more, which has the projection z and the coordinates r, or with the row in `slot` less."""
    n = len(z)
    out = [dot(slot, [row[j] for row in search.N]) for j in range(n)]
    products = times(search.N, times(H, out))
    weight = where(moves, 1.0 / where(adds, steepness, dot(slot, products)), 0.0)
    vector = [where(adds, x, y) for x, y in zip(z, out, strict=True)]
    factors = [where(adds, x - s, y) * weight for x, s, y in zip(r, slot, products, strict=True)]
    N = [[x - f * y for x, y in zip(row, vector, strict=True)] for row, f in zip(search.N, factors, strict=True)]
    signed = where(adds, -weight, weight)
    steps = [x * signed for x in vector]
    return [F[i][j] + vector[i] * steps[j] for i, j in triangle(n)], N


def refined(x: Row, search: Search, H: Matrix, g: Row, rows: Rows, scaled: Scaled) -> list[Scalar]:
    """x after a correction that balances the gradient and then one onto the active rows, to the rounding of H and A."""
    n = len(x)
    gradient = [y + z for y, z in zip(times(H, x), g, strict=True)]
    x = [y - z for y, z in zip(x, times(full(search.P, n), gradient), strict=True)]
    y = [v * s for v, s in zip(rows.values(x), scaled.scale, strict=True)]
    gaps = [
        abs(on) * (where(on > 0.0, high, low) - v)
        for on, high, low, v in zip(search.active, scaled.upper, scaled.lower, y, strict=True)
    ]
    steps = [dot(one_hot(row, len(rows)), gaps) for row in search.row]
    return [x[j] + dot(steps, [row[j] for row in search.N]) for j in range(n)]


def multipliers_of(x: Row, search: Search, H: Matrix, g: Row, rows: Rows, scaled: Scaled) -> list[Scalar]:
    """The multipliers of all rows at a minimum on the active ones, with one correction of what they leave unbalanced:
    N has rounding errors that grow with the condition of H."""
    m = len(rows)
    gradient = [y + z for y, z in zip(times(H, x), g, strict=True)]
    of_slots = [-y for y in times(search.N, gradient)]
    y = [s * z for s, z in zip(scaled.scale, of_rows(of_slots, search.row, m), strict=True)]
    left = [a + b for a, b in zip(gradient, rows.transposed(y, len(x)), strict=True)]
    more = of_rows(times(search.N, left), search.row, m)
    return [a - s * z for a, s, z in zip(y, scaled.scale, more, strict=True)]


def of_rows(of_slots: Row, rows: Row, m: int) -> list[Scalar]:
    """Values of slots at the rows that are in them."""
    return [
        total_of([where(abs(row - float(i)) < 0.5, y, 0.0) for row, y in zip(rows, of_slots, strict=True)])
        for i in range(m)
    ]


def one_hot(k: Scalar, n: int) -> list[Scalar]:
    return [where(abs(k - float(i)) < 0.5, 1.0, 0.0) for i in range(n)]


def _first_of_largest(values: Row) -> tuple[Scalar, Scalar]:
    best, index = values[0], 0.0
    for i, x in enumerate(values[1:], 1):
        larger = x > best
        best, index = where(larger, x, best), where(larger, float(i), index)
    return best, index


def larger_of(x: Scalar, y: Scalar) -> Scalar:
    return where(x > y, x, y)


def smaller_of(x: Scalar, y: Scalar) -> Scalar:
    return where(x < y, x, y)


def total_of(values: Sequence[Scalar]) -> Scalar:
    return sum(values, 0.0)
