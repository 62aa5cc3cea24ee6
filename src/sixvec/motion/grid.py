"""The points of a path at which its limits are enforced: knots are among them, so each interval is one polynomial."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from sixvec.arguments import Array
from sixvec.kernels import Port
from sixvec.kernels.function import CompiledFunction
from sixvec.motion.path import Path
from sixvec.motion.reachability import FASTEST, INNER
from sixvec.scalar import Scalar, where

CHECKS = 6
"""Points in each interval at which a motion is compared with its limits."""


@dataclass(frozen=True, eq=False)
class Grid:
    """Points s (n, points + 1) of n paths, with position and derivatives there; `third` (n, points) is constant in each
    interval of length h."""

    s: Array
    h: Array
    q: Array
    d: Array
    e: Array
    third: Array

    @classmethod
    def of(cls, path: Path, points: int) -> Grid:
        """Points that divide all pieces of the paths nearly evenly."""
        lengths = np.diff(path.knots, axis=-1)
        shares = _shares(lengths / path.length[:, None], points)
        count, pieces = shares.shape
        piece = np.stack([np.repeat(np.arange(pieces), share) for share in shares])
        first = np.cumsum(shares, axis=1) - shares
        rows = np.arange(count)[:, None]
        number = np.arange(points) - first[rows, piece]
        h = (lengths / shares)[rows, piece]
        r = number * h
        c = path.coefficients[rows, piece]
        c = np.concatenate([c, c[:, -1:]], axis=1)
        end = np.concatenate([r, (r + h)[:, -1:]], axis=1)[..., None]
        q = c[:, :, 0] + end * (c[:, :, 1] + end * (c[:, :, 2] + end * c[:, :, 3]))
        d = c[:, :, 1] + end * (2.0 * c[:, :, 2] + 3.0 * end * c[:, :, 3])
        e = 2.0 * c[:, :, 2] + 6.0 * end * c[:, :, 3]
        s = np.concatenate([path.knots[rows, piece] + r, path.length[:, None]], axis=1)
        return cls(s, h, q, d, e, 6.0 * c[:, :-1, 3])

    def inside(self, fractions: Array) -> tuple[Array, Array, Array]:
        """q, q' and q'' at fractions of all intervals: (n, points, fractions, nq)."""
        r = (self.h[..., None] * fractions)[..., None]
        q, d, e, j = (x[:, : self.h.shape[1], None] for x in (self.q, self.d, self.e, self.third))
        return q + r * (d + r * (0.5 * e + r * j / 6.0)), d + r * (e + 0.5 * r * j), e + r * j


def _shares(parts: Array, points: int) -> Any:
    """Whole numbers with the sum `points`, in proportion to the parts of each row, and at least 1."""
    pieces = parts.shape[1]
    free = points - pieces
    exact = parts * free
    shares = np.floor(exact).astype(int)
    order = np.argsort(np.argsort(shares - exact, axis=1, kind="stable"), axis=1, kind="stable")
    return shares + (order < (free - shares.sum(axis=1))[:, None]) + 1


@lru_cache(maxsize=16)
def speed_kernel(n: int) -> CompiledFunction:
    """The largest ṡ² at the start of an interval and at the points inside, by the speeds of the joints."""

    def speeds(d: Any, e: Any, third: Any, h: Any, fastest: Any) -> Any:
        results = []
        for k in range(INNER + 1):
            r = h * (k / (INNER + 1))
            top, bottom = FASTEST, 1.0
            for x, y, z, v in zip(d, e, third, fastest, strict=True):
                rate = x + r * (y + 0.5 * r * z)
                square = v * v
                sooner = square * bottom < top * (rate * rate)
                top, bottom = where(sooner, square, top), where(sooner, rate * rate, bottom)
            results.append(top / bottom)
        return results

    return _function(speeds, [*_interval(n), Port("fastest", (n,))], (Port("speeds", (INNER + 1,)),))


@lru_cache(maxsize=16)
def excess_kernel(n: int) -> CompiledFunction:
    """By how much time must be stretched in an interval for limits of speed and acceleration, and which limits most."""

    def excess(d: Any, e: Any, third: Any, h: Any, x0: Any, x1: Any, fastest: Any, strongest: Any) -> Any:
        largest: Scalar = 0.0
        which: Scalar = 0.0
        u = (x1 - x0) / (2.0 * h)
        for k in range(CHECKS + 1):
            r = h * (k / CHECKS)
            x = x0 + 2.0 * r * u
            x = where(x > 0.0, x, 0.0)
            for i, (p, y, z, v, a) in enumerate(zip(d, e, third, fastest, strongest, strict=True)):
                rate, bend = p + r * (y + 0.5 * r * z), y + r * z
                pairs = ((rate * rate * x / (v * v), i), (abs(rate * u + bend * x) / a, n + i))
                for square, index in pairs:
                    which = where(square > largest, float(index), which)
                    largest = where(square > largest, square, largest)
        return largest, which

    inputs = [*_interval(n), Port("x0", ()), Port("x1", ()), Port("fastest", (n,)), Port("strongest", (n,))]
    return _function(excess, inputs, (Port("square", ()), Port("which", ())))


def _interval(n: int) -> list[Port]:
    return [Port("d", (n,)), Port("e", (n,)), Port("third", (n,)), Port("h", ())]


def _function(function: Any, inputs: list[Port], outputs: tuple[Port, ...]) -> CompiledFunction:
    compiled = CompiledFunction(function, tuple(inputs), outputs)
    compiled.needs_double = True
    return compiled
