"""One level of a hierarchy of rows: its projection by the levels above, and forces along it.  No kernels.

Rows z = L⁻ᵀ Aᵀ are halves of `Factors`, so that zᵀ D⁻¹ w is the mobility of two rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sixvec.algorithms.parts.factorization import Factors
from sixvec.algorithms.parts.proximal import DAMPING, NEVER_ZERO, STEPS
from sixvec.scalar import Scalar, is_zero

TWICE = 2
"""Projections: the second removes what rounding left of the first."""

Rows = list[list[Any]]


@dataclass(frozen=True)
class Level:
    """The projected rows Z' of a level, and factors of their mobilities with the damping μ of proximal steps."""

    rows: Rows
    gram: Rows
    """Z'ᵀ D⁻¹ Z' / scale."""
    inverse_scale: Scalar
    damped: Factors
    metric: Factors

    @classmethod
    def below(cls, above: Sequence[Level], Z: Rows, M: Factors) -> Level:
        """The rows Z projected by the levels above.

        Whether a direction is present is judged by the size of the rows before projection: the projected rows of a
        level without freedom are rounding error, whatever their relative size.
        """
        whole = sum((M.weighted(z, z) for z in Z), NEVER_ZERO) * (1.0 / max(1, len(Z)))
        projected = Z
        for level in above:
            projected = [level.without(z) for z in projected]
        gram = [[M.weighted(z, w) * (1.0 / whole) for w in projected] for z in projected]
        mobility = [[x + DAMPING * (i == j) for j, x in enumerate(row)] for i, row in enumerate(gram)]
        return cls(projected, gram, 1.0 / whole, Factors(mobility, range(len(projected))), M)

    def force(self, right: Sequence[Scalar]) -> list[Scalar]:
        """F of least norm that gives  Z'ᵀ D⁻¹ Z' F  nearest to the desired vector.

        The proximal steps do not change the unreachable part; it is removed before they are repeated, otherwise
        forces along missing directions would be as large as the damping allows.
        """
        scaled = [x * self.inverse_scale for x in right]
        reached = self._times(self._proximal(scaled))
        return self._proximal(reached)

    def without(self, z: Sequence[Scalar]) -> list[Any]:
        """z less its part in this level."""
        remainder: list[Any] = list(z)
        for _ in range(TWICE):
            share = [self.metric.weighted(w, remainder) * self.inverse_scale for w in self.rows]  # always within reach
            remainder = self.pushed(remainder, [-x for x in self._proximal(share)])
        return remainder

    def pushed(self, y: Sequence[Scalar], F: Sequence[Scalar]) -> list[Any]:
        """y + Z' F."""
        return [
            sum((z[i] * f for z, f in zip(self.rows, F, strict=True) if not is_zero(z[i])), x) for i, x in enumerate(y)
        ]

    def _proximal(self, b: Sequence[Scalar]) -> list[Scalar]:
        x = self._damped(b)
        for _ in range(STEPS - 1):
            miss = [r - s for r, s in zip(b, self._times(x), strict=True)]
            x = [old + new for old, new in zip(x, self._damped(miss), strict=True)]
        return x

    def _damped(self, b: Sequence[Scalar]) -> list[Scalar]:
        return self.damped.rest(self.damped.half(b))

    def _times(self, x: Sequence[Scalar]) -> list[Scalar]:
        return [sum((g * y for g, y in zip(row, x, strict=True)), 0.0) for row in self.gram]
