"""The intervals of a path at whose ends its limits are enforced: each is part of one polynomial."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from sixvec.arguments import Array
from sixvec.kernels.devices import namespace
from sixvec.lazy import lazy
from sixvec.motion.exponential import positions_kernel
from sixvec.motion.path import Path, derivative

FEWEST = 4
"""Intervals of a piece, however short, of paths with corners: blends are shorter than what they join."""

SHARE_DIGITS = 6
"""Decimals of the share of a piece, coarser than rounding and finer than what matters."""


@dataclass(frozen=True, eq=False)
class Grid:
    """Intervals of n paths: they start at s (n, intervals) and at r from the start of a piece of the path, and have
    length h; `piece` (n, intervals) are the numbers of their pieces among those of all paths, one after another."""

    path: Path
    piece: Any
    s: Any
    r: Any
    h: Any

    @classmethod
    def of(cls, path: Path, points: int) -> Grid:
        """Intervals that divide all pieces of the paths nearly evenly."""
        xp = namespace(path.knots)
        lengths = xp.diff(path.knots, axis=-1)
        least = 1 if path.smooth >= 2 else min(FEWEST, points // lengths.shape[-1])
        shares = shares_of(lengths / path.length[:, None], points, least)
        stop = xp.cumsum(shares, axis=1)
        number = xp.arange(points)
        if xp is np:
            piece = np.repeat(np.arange(shares.size), shares.ravel()).reshape(len(shares), points)
        else:
            piece = (number[:, None] >= stop[:, None, :-1]).sum(axis=-1)
            piece += shares.shape[1] * xp.arange(len(shares))[:, None]
        h = (lengths / shares).ravel()[piece]
        r = (number - (stop - shares).ravel()[piece]) * h
        s = path.knots[:, :-1].ravel()[piece] + r
        return cls(path, piece, s, r, h)

    def coefficients(self, least: int = 0, out: Any = None) -> Any:
        """Those of the piece of each interval (n, intervals, degree + 1 - least, nq), from power `least`."""
        C = self.path.coefficients[:, :, least:]
        shape = (*self.piece.shape, *C.shape[2:])
        xp = namespace(C)
        if xp is not np:
            return self._coefficients_of_lanes(xp, C)
        if out is None:
            return C.reshape(-1, *shape[2:])[self.piece]
        out = out.reshape(*self.piece.shape, math.prod(C.shape[2:]))
        # clipping, since an index that is checked would be gathered in other memory first
        C.reshape(math.prod(C.shape[:2]), out.shape[-1]).take(self.piece, axis=0, out=out, mode="clip")
        return out.reshape(shape)

    def _coefficients_of_lanes(self, xp: Any, C: Any) -> Any:
        """The same with the paths as the last axis in memory, gathered from there: threads next to each other read and
        write numbers next to each other."""
        count, pieces = C.shape[:2]
        there = xp.ascontiguousarray(xp.moveaxis(C.reshape(count, pieces, -1), 0, -1).swapaxes(0, 1)).reshape(
            -1, pieces * count
        )
        local = self.piece - pieces * xp.arange(count)[:, None]
        number = xp.ascontiguousarray(local.swapaxes(0, 1)) * count + xp.arange(count)
        found = xp.take(there, number, axis=1)
        return found.swapaxes(0, 2).reshape(count, len(number), *C.shape[2:])

    @property
    def stops(self) -> Any:
        """Which intervals start at a corner, where the first derivative jumps."""
        return (self.r == 0.0) & (self.s > 0.0) & (self.path.smooth == 0)

    @property
    def ends(self) -> Any:
        """s at all points (n, intervals + 1)."""
        return namespace(self.s).concatenate([self.s, self.s[:, -1:] + self.h[:, -1:]], axis=1)

    @lazy
    def first(self) -> list[Array]:
        """q, q' and q'' at the starts (n, intervals, nq)."""
        return self._at(self.r)

    @lazy
    def last(self) -> list[Array]:
        """q, q' and q'' at the ends."""
        return self._at(self.r + self.h)

    def points(self) -> list[list[Array]]:
        """[q, q', q''] where limits are rows: at all points, or at the starts and at the ends if q'' jumps."""
        if self.path.smooth >= 2:
            xp = namespace(self.s)
            return [[xp.concatenate([x, y[:, -1:]], axis=1) for x, y in zip(self.first, self.last, strict=True)]]
        return [self.first, self.last]

    def inside(self, fractions: Array) -> list[Array]:
        """q, q' and q'' at fractions of all intervals: (n, intervals, fractions, nq)."""
        return self._at(self.r[..., None] + self.h[..., None] * fractions)

    def _at(self, r: Any) -> list[Array]:
        more = (slice(None), slice(None), *(None,) * (r.ndim - 2))
        C = self.coefficients()[more]
        values = [derivative(C, r, k) for k in range(3)]
        if self.reference is None:
            return values
        return list(positions_kernel(self.path.robot)(self.reference[more], *values))

    @property
    def reference(self) -> Any:
        """The references of exponential coordinates (n, intervals, nq); None without quaternions."""
        values = self.path.reference
        return None if values is None else values.reshape(-1, values.shape[-1])[self.piece]


def shares_of(parts: Array, points: int, least: int) -> Any:
    """Whole numbers with the sum `points`, in proportion to the parts of each row, and at least `least`.

    Among equal parts the order decides, not their rounding.
    """
    xp = namespace(parts)
    free = points - least * parts.shape[1]
    exact = xp.round(parts * free, SHARE_DIGITS)
    shares = xp.floor(exact).astype(int)
    order = xp.argsort(xp.argsort(shares - exact, axis=1, kind="stable"), axis=1, kind="stable")
    return shares + (order < (free - shares.sum(axis=1))[:, None]) + least


def shares_of_one(parts: Sequence[float], points: int, least: int) -> list[int]:
    """`shares_of` for one row of numbers.

    >>> shares_of_one([0.5, 0.25, 0.25], 10, 1), shares_of(np.array([[0.5, 0.25, 0.25]]), 10, 1).tolist()
    ([4, 3, 3], [[4, 3, 3]])
    """
    free, digits = points - least * len(parts), 10.0**SHARE_DIGITS
    exact = [round(part * free * digits) / digits for part in parts]
    shares = [math.floor(x) for x in exact]
    order = sorted(range(len(parts)), key=lambda k: shares[k] - exact[k])
    for k in order[: max(0, free - sum(shares))]:
        shares[k] += 1
    return [x + least for x in shares]
