"""Positive semidefinite systems of any rank, solved in a fixed number of steps.  No kernel lives here."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sixvec.algorithms.factorization import is_zero
from sixvec.scalar import Scalar, sqrt

STEPS = 3
DAMPING = 1e-9
"""The damping μ as a fraction of the mean of the diagonal.  A step divides the error in a direction of eigenvalue σ by
1 + σ/μ, so three leave 1e-12 of it where σ is 1e-5 of the mean, while rounding errors in directions that do not exist
are amplified by no more than 1/DAMPING."""

NEVER_ZERO = 1e-20
"""Where the whole matrix vanishes, nothing is divided by zero."""


def proximal_solution(G: Sequence[Sequence[Any]], b: Sequence[Scalar], kinds: Sequence[str] = ()) -> list[Any]:
    """x of least norm with G x = b, where G is symmetric, given by its lower triangle, and positive semidefinite.

    (G + μ) d = b - G x,  x ← x + d, from x = 0 (Carpentier, Budhiraja and Mansard 2021): no pivots, no branches.
    Where b is out of reach, the parts of it that can be reached are.  Rows of other `kinds`, as forces and moments, are
    measured against each other by the means of their diagonals; within a kind the norm is the plain one.

    >>> [round(x, 6) for x in proximal_solution([[2.0], [2.0, 2.0]], [4.0, 4.0])]
    [1.0, 1.0]
    """
    found: list[Any] = [0.0] * len(b)
    there = [i for i in range(len(b)) if not is_zero(G[i][i])]  # a row without entries takes no part
    if not there:
        return found
    scale = _scales([G[i][i] for i in there], [kinds[i] for i in there] if kinds else [""] * len(there))
    full = [[_scaled(G[max(i, j)][min(i, j)], r, s) for j, s in zip(there, scale, strict=True)]
            for i, r in zip(there, scale, strict=True)]  # fmt: skip
    wanted = [b[i] * s for i, s in zip(there, scale, strict=True)]
    damping = sum(row[i] for i, row in enumerate(full)) * (DAMPING / len(there)) + NEVER_ZERO
    L, D_inverse = _ldlt([[*row[:i], row[i] + damping] for i, row in enumerate(full)])
    x = _solved(L, D_inverse, wanted)
    for _ in range(STEPS - 1):
        miss = [r - _dot(row, x) for r, row in zip(wanted, full, strict=True)]
        x = [old + new for old, new in zip(x, _solved(L, D_inverse, miss), strict=True)]
    for i, s, value in zip(there, scale, x, strict=True):
        found[i] = value * s
    return found


def _scales(diagonal: Sequence[Any], kinds: Sequence[str]) -> list[Any]:
    """One number for each row, the same for rows of a kind: the first kind is the measure of the others."""
    if len(set(kinds)) < 2:
        return [1.0] * len(kinds)
    means = {}
    for kind in kinds:
        own = [x for x, k in zip(diagonal, kinds, strict=True) if k == kind]
        means[kind] = sum(own) * (1.0 / len(own))
    first = means[kinds[0]] + NEVER_ZERO
    of = {kind: 1.0 if kind == kinds[0] else sqrt(first / (mean + NEVER_ZERO)) for kind, mean in means.items()}
    return [of[kind] for kind in kinds]


def _scaled(x: Any, r: Any, s: Any) -> Any:
    return 0.0 if is_zero(x) else x * (r * s)


def _ldlt(G: Sequence[Sequence[Any]]) -> tuple[list[list[Any]], list[Any]]:
    """L and 1/D with  L D Lᵀ = G,  L unit lower triangular."""
    L: list[list[Any]] = []
    D_inverse: list[Any] = []
    for i, given in enumerate(G):
        row: list[Any] = []  # first L D
        for j in range(i):
            row.append(given[j] - _dot(row, L[j]))
        scaled = [x * d for x, d in zip(row, D_inverse, strict=True)]
        D_inverse.append(1.0 / (given[i] - _dot(row, scaled)))
        L.append(scaled)
    return L, D_inverse


def _solved(L: Sequence[Sequence[Any]], D_inverse: Sequence[Any], b: Sequence[Any]) -> list[Any]:
    y: list[Any] = []
    for row, r in zip(L, b, strict=True):
        y.append(r - _dot(row, y))
    x = [r * d for r, d in zip(y, D_inverse, strict=True)]
    for i in reversed(range(len(x))):
        x[i] = x[i] - _dot([L[k][i] for k in range(i + 1, len(x))], x[i + 1 :])
    return x


def _dot(a: Sequence[Any], b: Sequence[Any]) -> Any:
    terms = [x * y for x, y in zip(a, b, strict=False) if not (is_zero(x) or is_zero(y))]
    return sum(terms[1:], terms[0]) if terms else 0.0
