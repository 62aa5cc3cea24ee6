"""Impulses of wheels within the limits of their friction, on scalars: an interior-point method of fixed length.

With u = G p + slip the velocities along the rows, the impulse p_k of wheel k opposes its slip and is no larger than its
limit: p is the least of  ½ pᵀ G p + slipᵀ p  with |p_k| ≤ limit_k (Moreau).  In units of the limits, with multipliers λ
and slacks w of each wheel,

    G x + s + λ_k x_k = 0        w_k + ½ |x_k|² = ½        λ_k w_k = μ → 0

is solved by Newton's method while μ decreases.  Its matrix is positive definite even where rows depend on each other.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sixvec.algorithms.parts.proximal import Proximal
from sixvec.scalar import Scalar, sqrt, where
from sixvec.spatial.linear import solve
from sixvec.spatial.norm import larger_or_nan

ITERATIONS = 24
SHRINK, LEAST = 0.1, 1e-14
"""The factor of μ per iteration, and its least value relative to the energies of the problem.  Below it, curvature
along the force of a slipping wheel hides that across it."""

TO_BOUNDARY = 0.99
REACH = 1e4
"""Limits above this multiple of all impulses that would keep the wheels rolling count as this multiple."""

DAMPING = 1e-12
"""Of Newton's matrix, relative to its diagonal, which keeps pivots positive; the equations have none."""

NEVER_ZERO = 1e-300

Matrix = Sequence[Sequence[Scalar]]


def limited_impulses(
    G: Matrix, slip: Sequence[Scalar], blocks: Sequence[range], limits: Sequence[Scalar]
) -> tuple[list[Scalar], Scalar]:
    """The impulses (rows), and the residual: the largest violation of the law as a velocity, m/s.

    >>> p, residual = limited_impulses([[1.0, 0.0], [0.0, 1.0]], [3.0, 0.1], [range(0, 1), range(1, 2)], [1.0, 1.0])
    >>> [round(x, 9) for x in p], residual < 1e-9
    ([-1.0, -0.1], True)
    """
    rolling = Proximal([row[: i + 1] for i, row in enumerate(G)]).solution([-u for u in slip])
    excess: Scalar = 0.0
    for rows, limit in zip(blocks, limits, strict=True):
        excess = larger_or_nan(excess, _size([rolling[i] for i in rows]) - limit)
    far = REACH * _sum(abs(x) for x in rolling)
    bounded = [where(f < far, f, far) for f in limits]
    held = _interior(G, slip, blocks, bounded)
    p = [where(excess > 0.0, x, y) for x, y in zip(held, rolling, strict=True)]
    return p, _misfit(G, slip, p, blocks, limits)


def _interior(G: Matrix, slip: Sequence[Scalar], blocks: Sequence[range], limits: Sequence[Scalar]) -> list[Scalar]:
    m, unit = len(slip), [f for rows, f in zip(blocks, limits, strict=True) for _ in rows]
    whole = _sum(abs(f * u) for f, u in zip(unit, slip, strict=True)) + NEVER_ZERO
    H = [[G[i][j] * unit[i] * unit[j] / whole for j in range(i + 1)] for i in range(m)]
    s = [f * u / whole for f, u in zip(unit, slip, strict=True)]
    x: list[Scalar] = [0.0] * m
    w: list[Scalar] = [0.5] * len(blocks)
    multiplier: list[Scalar] = [1.0] * len(blocks)
    mu: Scalar = SHRINK
    for _ in range(ITERATIONS):
        rate = [_sum(H[max(i, j)][min(i, j)] * x[j] for j in range(m)) + s[i] for i in range(m)]
        K = [[*row[:-1], row[-1] * (1.0 + DAMPING)] for row in H]
        right = [-u for u in rate]
        misses = []
        for rows, wk, lk in zip(blocks, w, multiplier, strict=True):
            miss = wk + 0.5 * _sum(x[i] * x[i] for i in rows) - 0.5
            misses.append(miss)
            for i in rows:
                right[i] = right[i] - x[i] * (mu + lk * miss) / wk
                K[i][i] = K[i][i] + lk
                for j in range(rows[0], i + 1):
                    K[i][j] = K[i][j] + lk / wk * x[i] * x[j]
        dx = solve(K, right)
        dw, dl = [], []
        for rows, wk, lk, miss in zip(blocks, w, multiplier, misses, strict=True):
            along = _sum(x[i] * dx[i] for i in rows)
            dw.append(-miss - along)
            dl.append((mu - wk * lk + lk * (miss + along)) / wk)
        part: Scalar = 1.0
        for value, change in zip([*w, *multiplier], [*dw, *dl], strict=True):
            most = where(change < 0.0, -TO_BOUNDARY * value / where(change < 0.0, change, 1.0), 1.0)
            part = where(most < part, most, part)
        x = [a + part * b for a, b in zip(x, dx, strict=True)]
        w = [a + part * b for a, b in zip(w, dw, strict=True)]
        multiplier = [a + part * b for a, b in zip(multiplier, dl, strict=True)]
        mean = _sum(a * b for a, b in zip(w, multiplier, strict=True)) / len(blocks)
        mu = where(SHRINK * mean > LEAST, SHRINK * mean, LEAST)
    found = [0.0 * f for f in unit]
    for rows, limit in zip(blocks, limits, strict=True):
        for i, value in zip(rows, _on_disc([x[i] * limit for i in rows], limit), strict=True):
            found[i] = value
    return found


def _misfit(
    G: Matrix, slip: Sequence[Scalar], p: Sequence[Scalar], blocks: Sequence[range], limits: Sequence[Scalar]
) -> Scalar:
    """The largest  |p - Π(p - u/ρ)| ρ  of a wheel, with Π the projection to its disc and ρ the mobility of its rows."""
    worst: Scalar = 0.0
    for rows, limit in zip(blocks, limits, strict=True):
        mobility = _sum(G[i][i] for i in rows) + NEVER_ZERO
        rates = [_sum(g * x for g, x in zip(G[i], p, strict=True)) + slip[i] for i in rows]
        projected = _on_disc([p[i] - u / mobility for i, u in zip(rows, rates, strict=True)], limit)
        worst = larger_or_nan(worst, _size([p[i] - x for i, x in zip(rows, projected, strict=True)]) * mobility)
    return worst


def _on_disc(x: Sequence[Scalar], radius: Scalar) -> list[Scalar]:
    size = _size(x)
    part = where(size > radius, radius / where(size > radius, size, 1.0), 1.0)
    return [a * part for a in x]


def _size(x: Sequence[Scalar]) -> Scalar:
    return sqrt(_sum(a * a for a in x) + NEVER_ZERO)


def _sum(terms: Iterable[Scalar]) -> Scalar:
    return sum(terms, 0.0)
