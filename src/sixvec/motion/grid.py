"""The intervals of a path at whose ends its limits are enforced: each is part of one polynomial."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sixvec.arguments import Array
from sixvec.lazy import lazy
from sixvec.motion.path import Path, derivative

FEWEST = 4
"""Intervals of a piece, however short, of paths with corners: blends are shorter than what they join."""

SHARE_DIGITS = 6
"""Decimals of the share of a piece, coarser than rounding and finer than what matters."""


@dataclass(frozen=True, eq=False)
class Grid:
    """Intervals of n paths: they start at s (n, intervals) and at r from the start of a piece of the path, and have
    length h; `coefficients` (n, intervals, degree + 1, nq) are those of the piece."""

    s: Array
    r: Array
    h: Array
    coefficients: Array
    smooth: int

    @classmethod
    def of(cls, path: Path, points: int) -> Grid:
        """Intervals that divide all pieces of the paths nearly evenly."""
        lengths = np.diff(path.knots, axis=-1)
        least = 1 if path.smooth >= 2 else min(FEWEST, points // lengths.shape[-1])
        shares = _shares(lengths / path.length[:, None], points, least)
        count, pieces = shares.shape
        piece = np.stack([np.repeat(np.arange(pieces), share) for share in shares])
        start = np.cumsum(shares, axis=1) - shares
        rows = np.arange(count)[:, None]
        h = (lengths / shares)[rows, piece]
        r = (np.arange(points) - start[rows, piece]) * h
        return cls(path.knots[rows, piece] + r, r, h, path.coefficients[rows, piece], path.smooth)

    @property
    def stops(self) -> NDArray[np.bool_]:
        """Which intervals start at a corner, where the first derivative jumps."""
        return np.asarray((self.r == 0.0) & (self.s > 0.0) & (self.smooth == 0))

    @property
    def ends(self) -> Array:
        """s at all points (n, intervals + 1)."""
        return np.concatenate([self.s, self.s[:, -1:] + self.h[:, -1:]], axis=1)

    @lazy
    def first(self) -> list[Array]:
        """q, q' and q'' at the starts (n, intervals, nq)."""
        return [derivative(self.coefficients, self.r, k) for k in range(3)]

    @lazy
    def last(self) -> list[Array]:
        """q, q' and q'' at the ends."""
        return [derivative(self.coefficients, self.r + self.h, k) for k in range(3)]

    def points(self) -> list[list[Array]]:
        """[q, q', q''] where limits are rows: at all points, or at the starts and at the ends if q'' jumps."""
        if self.smooth >= 2:
            return [[np.concatenate([x, y[:, -1:]], axis=1) for x, y in zip(self.first, self.last, strict=True)]]
        return [self.first, self.last]

    def inside(self, fractions: Array) -> list[Array]:
        """q, q' and q'' at fractions of all intervals: (n, intervals, fractions, nq)."""
        r = self.r[..., None] + self.h[..., None] * fractions
        return [derivative(self.coefficients[:, :, None], r, k) for k in range(3)]


def _shares(parts: Array, points: int, least: int) -> Any:
    """Whole numbers with the sum `points`, in proportion to the parts of each row, and at least `least`.

    Among equal parts the order decides, not their rounding.
    """
    pieces = parts.shape[1]
    free = points - least * pieces
    exact = np.round(parts * free, SHARE_DIGITS)
    shares = np.floor(exact).astype(int)
    order = np.argsort(np.argsort(shares - exact, axis=1, kind="stable"), axis=1, kind="stable")
    return shares + (order < (free - shares.sum(axis=1))[:, None]) + least
