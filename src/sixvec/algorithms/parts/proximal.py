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


class Proximal:
    """G x = b for any number of right sides, where G is symmetric, given by its lower triangle, and semidefinite.

    (G + μ) d = b - G x,  x ← x + d, from x = 0 (Carpentier, Budhiraja and Mansard 2021): no pivots, no branches.  Rows
    are scaled to a diagonal of one, so forces and moments, light and heavy parts count alike; of several solutions the
    one of least norm in that scale is found.  Where b is out of reach, the parts of it that can be reached are.

    With a `weight` for each row, what is missed is least as  Σ weight miss²  instead.  With `damping` the rows give
    way:  miss = damping / weight x, which is one step, and x stays small where b cannot be reached.

    >>> [round(x, 6) for x in Proximal([[2.0], [2.0, 2.0]]).solution([4.0, 4.0])]
    [1.0, 1.0]
    >>> Proximal([[2.0]], damping=2.0).solution([4.0])
    [1.0]
    """

    def __init__(
        self,
        G: Sequence[Sequence[Any]],
        weight: Sequence[float] | None = None,
        damping: float = 0.0,
        steps: int = STEPS,
        least: float = DAMPING,
    ) -> None:
        self._rows = [i for i in range(len(G)) if not is_zero(G[i][i])]  # a row without entries takes no part
        self._size, self._steps = len(G), steps if damping == 0.0 else 1
        if not self._rows:
            return
        self._scale = _scale([G[i][i] for i in self._rows], weight and [weight[i] for i in self._rows], damping)
        self._G = [[0.0] * len(self._rows) for _ in self._rows]
        for i, r in enumerate(self._scale):
            for j, s in enumerate(self._scale[: i + 1]):
                entry = G[self._rows[i]][self._rows[j]]
                self._G[i][j] = self._G[j][i] = 0.0 if is_zero(entry) else entry * (r * s)
        self._L, self._D_inverse = ldlt([[*row[:i], row[i] + (damping or least)] for i, row in enumerate(self._G)])

    def solution(self, b: Sequence[Scalar]) -> list[Any]:
        """x for one right side."""
        found: list[Any] = [0.0] * self._size
        wanted = [b[i] * s for i, s in zip(self._rows, self._scale, strict=True)] if self._rows else []
        if all(map(is_zero, wanted)):
            return found
        x = self._solved(wanted)
        for _ in range(self._steps - 1):
            miss = [r - dot(row, x) for r, row in zip(wanted, self._G, strict=True)]
            x = [old + new for old, new in zip(x, self._solved(miss), strict=True)]
        for i, s, value in zip(self._rows, self._scale, x, strict=True):
            found[i] = value * s
        return found

    def inverse(self) -> list[list[Any]]:
        """The first step's matrix, from b to x, both triangles.

        Where rows depend on each other it is large, and x is better found one by one.
        """
        n, total = len(self._rows), [[0.0] * self._size for _ in range(self._size)]
        for k, r in enumerate(self._rows):
            column = self._solved([float(i == k) for i in range(n)])
            for i, s in enumerate(self._rows[: k + 1]):
                total[r][s] = total[s][r] = column[i] * (self._scale[i] * self._scale[k])
        return total

    def _solved(self, b: Sequence[Any]) -> list[Any]:
        y: list[Any] = []
        for row, r in zip(self._L, b, strict=True):
            y.append(r - dot(row, y))
        x = [r * d for r, d in zip(y, self._D_inverse, strict=True)]
        for i in reversed(range(len(x))):
            x[i] = x[i] - dot([self._L[k][i] for k in range(i + 1, len(x))], x[i + 1 :])
        return x


def proximal_solution(G: Sequence[Sequence[Any]], b: Sequence[Scalar]) -> list[Any]:
    """x with G x = b, for one right side."""
    return Proximal(G).solution(b)


def _scale(diagonal: Sequence[Any], weight: Sequence[float] | None, damping: float) -> list[Any]:
    """What rows are multiplied by: with weights √weight, without a common factor unless the damping is given in it."""
    if weight is None and damping:
        return [1.0] * len(diagonal)
    if weight is None:
        least = sum(diagonal) * NOISE + NEVER_ZERO
        return [1.0 / sqrt(d + least) for d in diagonal]
    if damping:
        return [sqrt(w) for w in weight]
    mean = sum(d * w for d, w in zip(diagonal, weight, strict=True)) * (1.0 / len(diagonal)) + NEVER_ZERO
    return [sqrt(w / mean) for w in weight]


def ldlt(G: Sequence[Sequence[Any]]) -> tuple[list[list[Any]], list[Any]]:
    """L and 1/D with  L D Lᵀ = G,  L unit lower triangular, its diagonal left out."""
    L: list[list[Any]] = []
    D_inverse: list[Any] = []
    for i, given in enumerate(G):
        row: list[Any] = []  # first L D
        for j in range(i):
            row.append(given[j] - dot(row, L[j]))
        scaled = [x * d for x, d in zip(row, D_inverse, strict=True)]
        D_inverse.append(1.0 / (given[i] - dot(row, scaled)))
        L.append(scaled)
    return L, D_inverse


def dot(a: Sequence[Any], b: Sequence[Any]) -> Any:
    """Σ a b over the entries that both have, zeros left out."""
    terms = [x * y for x, y in zip(a, b, strict=False) if not (is_zero(x) or is_zero(y))]
    return sum(terms[1:], terms[0]) if terms else 0.0
