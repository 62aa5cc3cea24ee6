"""Positive semidefinite systems of any rank, solved in a fixed number of steps.  No kernel lives here."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sixvec.algorithms.parts.factorization import is_zero
from sixvec.scalar import Scalar, sqrt

STEPS = 3
DAMPING = 1e-9
"""The damping μ of rows that are scaled to one.  A step divides the error in a direction of eigenvalue σ by 1 + σ/μ, so
three leave 1e-12 of it where σ is 1e-5, while rounding errors in directions that do not exist are amplified by no more
than 1/μ.  Programs with this number need double precision."""

NOISE = 1e-6
"""Rows whose diagonal is less than this part of all of them are scaled no further: it may be rounding."""

NEVER_ZERO = 1e-30
"""Where the whole matrix vanishes, nothing is divided by zero."""


def proximal_solution(G: Sequence[Sequence[Any]], b: Sequence[Scalar]) -> list[Any]:
    """x with G x = b, where G is symmetric, given by its lower triangle, and positive semidefinite.

    (G + μ) d = b - G x,  x ← x + d, from x = 0 (Carpentier, Budhiraja and Mansard 2021): no pivots, no branches.  Rows
    are scaled to a diagonal of one, so forces and moments, light and heavy parts count alike; of several solutions the
    one of least norm in that scale is found.  Where b is out of reach, the parts of it that can be reached are.

    >>> [round(x, 6) for x in proximal_solution([[2.0], [2.0, 2.0]], [4.0, 4.0])]
    [1.0, 1.0]
    """
    found: list[Any] = [0.0] * len(b)
    there = [i for i in range(len(b)) if not is_zero(G[i][i])]  # a row without entries takes no part
    if not there:
        return found
    least = sum(G[i][i] for i in there) * NOISE + NEVER_ZERO
    scale = [1.0 / sqrt(G[i][i] + least) for i in there]
    full = [[0.0] * len(there) for _ in there]
    for i, r in enumerate(scale):
        for j, s in enumerate(scale[: i + 1]):
            entry = G[there[i]][there[j]]
            full[i][j] = full[j][i] = 0.0 if is_zero(entry) else entry * (r * s)
    wanted = [b[i] * s for i, s in zip(there, scale, strict=True)]
    L, D_inverse = _ldlt([[*row[:i], row[i] + DAMPING] for i, row in enumerate(full)])
    x = _solved(L, D_inverse, wanted)
    for _ in range(STEPS - 1):
        miss = [r - _dot(row, x) for r, row in zip(wanted, full, strict=True)]
        x = [old + new for old, new in zip(x, _solved(L, D_inverse, miss), strict=True)]
    for i, s, value in zip(there, scale, x, strict=True):
        found[i] = value * s
    return found


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
