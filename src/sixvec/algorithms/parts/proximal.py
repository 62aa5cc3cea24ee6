"""Positive semidefinite systems of any rank, solved in a fixed number of steps.  There are no kernels here."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sixvec.scalar import Scalar, is_zero, where
from sixvec.spatial.linear import ldlt, substitute

STEPS = 3
DAMPING = 1e-9
"""The damping μ, as a fraction of each row's size.  A step divides the error in a direction of eigenvalue σ by
1 + σ/μ, so three leave 1e-12 of it where σ is 1e-5, while rounding errors in directions that do not exist are amplified
by no more than 1/μ.  Programs with this number need double precision."""

NOISE = 1e-6
"""Rows whose diagonal is below this fraction of the whole are treated as this large: it may be rounding."""

NEVER_ZERO = 1e-30
"""Avoids division by zero where the whole matrix vanishes."""


class Proximal:
    """G x = b for any number of right-hand sides, where G is symmetric, given by its lower triangle, and semidefinite.

    (G + μ S) d = b - G x,  x ← x + d, from x = 0 (Carpentier, Budhiraja and Mansard 2021): no pivots, no branches.
    The remainder after a step is  b - G x = μ S d,  so no step needs a product with G.  S is the diagonal of G, so
    forces and moments, light and heavy parts count alike; of several solutions the one with least  xᵀ S x  is found.
    Where b is not in the range of G, its projection on the range is reached.

    `sizes` replaces the diagonal of G as S.  With a `weight` for each row, the residual is least as  Σ weight miss²
    instead.  With `damping` the rows are compliant:  miss = damping / weight x, which is one step, and x stays small
    where b cannot be reached.

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
        sizes: Sequence[Any] | None = None,
    ) -> None:
        self._rows = [i for i in range(len(G)) if not is_zero(G[i][i])]  # a row without entries has no effect
        self._size, self._steps = len(G), steps if damping == 0.0 else 1
        if not self._rows:
            return
        block = [[G[i][j] for j in self._rows[: n + 1]] for n, i in enumerate(self._rows)]
        size = (
            [sizes[i] for i in self._rows]
            if sizes is not None
            else _sizes([row[-1] for row in block], weight and [weight[i] for i in self._rows], damping)
        )
        self._sizes = size
        self._shift = [s * (damping or least) for s in size]
        shifted = [[*row[:-1], row[-1] + e] for row, e in zip(block, self._shift, strict=True)]
        self._L, self._D_inverse = ldlt(shifted, damped=True)

    def small_pivots(self, limit: float) -> Any:
        """1 where a pivot is below this fraction of its row's size, else 0."""
        small: Any = 0.0
        for d, size in zip(self._D_inverse, self._sizes, strict=True) if self._rows else ():
            small = where(d * size * limit > 1.0, 1.0, small)
        return small

    def solution(self, b: Sequence[Scalar], steps: int = STEPS) -> list[Any]:
        """x for one right side, in at most so many steps."""
        solution: list[Any] = [0.0] * self._size
        if all(is_zero(b[i]) for i in self._rows):
            return solution
        x = d = substitute(self._L, self._D_inverse, [b[i] for i in self._rows])
        for _ in range(min(steps, self._steps) - 1):
            d = substitute(self._L, self._D_inverse, [e * y for e, y in zip(self._shift, d, strict=True)])
            x = [old + new for old, new in zip(x, d, strict=True)]
        for i, value in zip(self._rows, x, strict=True):
            solution[i] = value
        return solution


def proximal_solution(G: Sequence[Sequence[Any]], b: Sequence[Scalar]) -> list[Any]:
    """x with G x = b, for one right side."""
    return Proximal(G).solution(b)


def _sizes(diagonal: Sequence[Any], weight: Sequence[float] | None, damping: float) -> list[Any]:
    """S: the scale of each row; with weights 1 / weight, times a common factor unless the damping is given."""
    if weight is None and damping:
        return [1.0] * len(diagonal)
    if weight is None:
        least = sum(diagonal) * NOISE + NEVER_ZERO
        return [d + least for d in diagonal]
    if damping:
        return [1.0 / w for w in weight]
    mean = sum(d * w for d, w in zip(diagonal, weight, strict=True)) * (1.0 / len(diagonal)) + NEVER_ZERO
    return [mean * (1.0 / w) for w in weight]
