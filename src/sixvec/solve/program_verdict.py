"""The verdict on a quadratic program: from the result and the program alone, on scalars."""

from __future__ import annotations

from typing import Any

from sixvec.scalar import Scalar, where
from sixvec.solve.active_set import (
    DEPENDENT,
    UNBOUNDED,
    Rows,
    Scaled,
    Search,
    larger_of,
    multipliers_of,
    of_rows,
    one_hot,
    smaller_of,
    total_of,
)
from sixvec.spatial.linear import Matrix, Row, dot, times
from sixvec.verdict import Verdict

ACCEPTED = 1e-9
"""The largest residual of a solved program."""

PROVEN = 1e3
"""A contradiction is proven if it holds for all x up to this many times larger than the result."""

TINY = 1e-300
"""Added to divisors that may be zero."""


def residual_of(x: Row, multipliers: Row, H: Matrix, g: Row, rows: Rows, lower: Row, upper: Row, active: Row) -> Scalar:
    """The largest violation of a row, of the balance of gradients and of a multiplier's sign, relative to its terms;
    infinite if a number is not finite.

    It is computed from the program alone: a search can end with a wrong result, but not with a wrong residual.
    """
    n, absolute = len(x), rows.sizes()
    length, force, curvature = TINY, 0.0, 0.0
    for i, (y, b) in enumerate(zip(x, g, strict=True)):
        length, force, curvature = larger_of(length, abs(y)), larger_of(force, abs(b)), larger_of(curvature, H[i][i])
    bent = curvature > 0.0
    length = length + where(bent, force / where(bent, curvature, 1.0), 0.0)  # how far the objective alone would go
    total: Scalar = 0.0
    worst: Scalar = 0.0
    for value, size, low, high in zip(rows.values(x), absolute.values([length] * n), lower, upper, strict=True):
        over = value > high
        beyond, bound = where(over, value - high, low - value), where(over, abs(high), abs(low))
        outside = beyond > 0.0
        worst = larger_of(worst, where(outside, beyond, 0.0) / (size + where(outside, bound, 1.0)))
        total = total + size
    pushes = absolute.transposed([abs(y) for y in multipliers], n)
    terms = [
        dot([abs(y) for y in row], [abs(y) for y in x]) + abs(b) + push
        for row, b, push in zip(H, g, pushes, strict=True)
    ]
    scale: Scalar = TINY
    for term in terms:
        scale, total = larger_of(scale, term), total + term
    for row, b, push in zip(H, g, rows.transposed(multipliers, n), strict=True):
        worst = larger_of(worst, abs(dot(row, x) + b + push) / scale)
    for side, y, size in zip(active, multipliers, absolute.values([1.0] * n), strict=True):
        worst = larger_of(worst, -side * y * size / scale)
    return where(total < 1.0 / TINY, worst, float("inf"))


def contradiction_of(
    multipliers: Row, search: Search, rows: Rows, scaled: Scaled, lower: Row, upper: Row
) -> tuple[list[Scalar], Scalar]:
    """Multipliers y, positive at upper and negative at lower bounds, whose rows add up to nearly nothing although the
    bounds require a negative sum; and how many times larger x would have to be for the rest to allow that.

    Where the search is stuck, y is the entering row minus its combination of the active rows; elsewhere the multipliers
    themselves, which grow without limit if rows that contradict each other are nearly dependent.
    """
    n, m = len(search.x), len(rows)
    pick = one_hot(search.entering, m)
    a = rows.transposed([p * s for p, s in zip(pick, scaled.scale, strict=True)], n)
    sign = where(dot(a, search.x) > dot(pick, scaled.upper), 1.0, -1.0)
    others = of_rows(times(search.N, a), search.row, m)
    y = [
        where(search.state < -0.5, sign * (p - o) * s, z)
        for p, o, s, z in zip(pick, others, scaled.scale, multipliers, strict=True)
    ]
    largest: Scalar = TINY
    for z in y:
        largest = larger_of(largest, abs(z))
    y = [where(abs(z) > DEPENDENT * largest, z / largest, 0.0) for z in y]
    demand = dot(y, [where(z > 0.0, smaller_of(high, UNBOUNDED), where(z < 0.0, larger_of(low, -UNBOUNDED), 0.0))
                     for z, low, high in zip(y, lower, upper, strict=True)])  # fmt: skip
    extent: Scalar = TINY
    for z in search.x:
        extent = larger_of(extent, abs(z))
    size = total_of([abs(z) for z in rows.transposed(y, n)])
    return y, where(demand < 0.0, -demand / (size * extent + TINY), 0.0)


def judged(
    x: Row, search: Search, H: Matrix, g: Row, rows: Rows, scaled: Scaled, lower: Row, upper: Row
) -> tuple[list[Scalar], Scalar, Scalar]:
    """Multipliers, residual and verdict of a result; the multipliers of infeasible programs prove the contradiction."""
    multipliers = multipliers_of(x, search, H, g, rows, scaled)
    residual = residual_of(x, multipliers, H, g, rows, lower, upper, search.active)
    proof, reach = contradiction_of(multipliers, search, rows, scaled, lower, upper)
    crossed = [where(low > high, 1.0, 0.0) for low, high in zip(lower, upper, strict=True)]
    crosses = total_of(crossed) > 0.5
    infeasible = where(crosses, 1.0, where(residual < ACCEPTED, 0.0, where(reach > PROVEN, 1.0, 0.0))) > 0.5
    y = [where(crosses, c, p) for c, p in zip(crossed, proof, strict=True)]
    signed = [where(side * z > 0.0, z, 0.0) for side, z in zip(search.active, multipliers, strict=True)]
    verdict = verdict_of(infeasible, residual, (*H, g, *rows.A), (*lower, *upper))
    return [where(infeasible, p, z) for p, z in zip(y, signed, strict=True)], residual, verdict


def judged_in_box(
    x: Row, active: Row, H: Matrix, g: Row, lower: Row, upper: Row
) -> tuple[list[Scalar], Scalar, Scalar]:
    """As `judged`, without rows: only bounds of the same variable can contradict each other."""
    n = len(x)
    gradient = [y + z for y, z in zip(times(H, x), g, strict=True)]
    multipliers = [where(abs(on) > 0.5, -y, 0.0) for on, y in zip(active, gradient, strict=True)]
    residual = residual_of(x, multipliers, H, g, Rows(n, []), lower, upper, active)
    crossed = [where(low > high, 1.0, 0.0) for low, high in zip(lower, upper, strict=True)]
    crosses = total_of(crossed) > 0.5
    signed = [where(side * z > 0.0, z, 0.0) for side, z in zip(active, multipliers, strict=True)]
    verdict = verdict_of(crosses, residual, (*H, g), (*lower, *upper))
    return [where(crosses, p, z) for p, z in zip(crossed, signed, strict=True)], residual, verdict


def verdict_of(infeasible: Any, residual: Scalar, numbers: Matrix, bounds: Row) -> Scalar:
    """The verdict from a proof and the residual; a program whose numbers are not finite is invalid."""
    total = total_of([abs(y) for row in numbers for y in row])
    missing = [where(b < 1.0, 0.0, where(b > 0.0, 0.0, 1.0)) for b in bounds]  # NaN; infinite ones may be
    valid = where(total < 1.0 / TINY, total_of(missing), 1.0) < 0.5
    verdict = where(infeasible, float(Verdict.INFEASIBLE), float(Verdict.NOT_CONVERGED))
    solved = where(infeasible, 0.0, where(residual < ACCEPTED, 1.0, 0.0)) > 0.5
    return where(valid, where(solved, float(Verdict.SOLVED), verdict), float(Verdict.INVALID))
