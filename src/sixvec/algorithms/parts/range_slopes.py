"""How the combinations of rows that count turn with the state, where rows depend on each other up to rounding.

In units of length, the solvers satisfy  P (A a + γ - target) = 0  with forces  λ = P λ,  where P projects on the range
of a group of rows, of known rank (`known_rank`).  Rounded dimensions leave a residual  w = A a + γ - target  with
P w = 0.  Where the state changes, so does P, and  P A = A  up to rounding gives

    ∂P λ = (1 - P) ∂A A⁺ λ        ∂P w = P A⁺ᵀ ∂Aᵀ w

for any inverse A⁺ on the range.  Both are of the size of the rounding.  Where other rows of the same loops are
eliminated before the group, A is that of the group at rest of those.  No kernels.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from sixvec.algorithms.parts.kkt_factors import KktFactors
from sixvec.mechanism.row_rank import RowRank
from sixvec.scalar import is_zero

Rows = list[list[Any]]


def range_slopes(
    kkt: KktFactors,
    rank: RowRank,
    force: Sequence[Any],
    residual: Sequence[Any],
    force_slopes: Callable[[list[Any]], Rows],
    row_slopes: Callable[[list[Any]], Rows],
) -> tuple[Rows, Rows]:
    """What the turning range adds to ∂r (nv, nv) and ∂s (used rows, nv), for all rows' forces and residuals.

    `force_slopes` has -∂(Aᵀ f)/∂q for forces f along all rows, `row_slopes` ∂(A u)/∂q for a velocity u.
    """
    grouped = {row for group in rank.groups for row in group.rows}
    square = [rank.scale[r] ** 2 if r in grouped else 0.0 for r in range(rank.count)]
    acting = kkt.at_rest(rank.of_used([w * s for w, s in zip(residual, square, strict=True)]))
    r_w = force_slopes(rank.of_all(acting))
    n = len(r_w)
    _, reacting = kkt.changes(r_w, [[0.0] * n for _ in rank.used])
    s_more = [
        [x * (-1.0 / square[r]) for x in row] if square[r] else [0.0] * n
        for r, row in zip(rank.used, reacting, strict=True)
    ]
    along = [force[r] * (1.0 / square[r]) if square[r] else 0.0 for r in rank.used]
    u, _ = kkt.solution([0.0] * n, along)
    slopes = rank.of_used(row_slopes(u))
    outside = kkt.outside_range()  # A without what P A has of it, in units of rows
    r_more = [[-_sum(e[i] * d[k] for e, d in zip(outside, slopes, strict=True)) for k in range(n)] for i in range(n)]
    return r_more, s_more


def _sum(terms: Any) -> Any:
    some = [x for x in terms if not is_zero(x)]
    return sum(some[1:], some[0]) if some else 0.0
