"""A path of lines and arcs of one radius: the result of Dubins and Reeds-Shepp."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sixvec.border import real_array, whole_number
from sixvec.compiler.program import Port
from sixvec.kernels.function import CompiledFunction
from sixvec.lazy import lazy
from sixvec.mobile.odometry import arc
from sixvec.mobile.planar import PlanarTwist
from sixvec.scalar import Scalar, where

Array = NDArray[Any]

SEGMENTS = 5
"""The largest number of segments of a shortest path."""

_NOTHING = 1e-9
"""Radii below which a segment has no letter in its word."""

TURN_OF = {"L": 1.0, "S": 0.0, "R": -1.0}


@dataclass(frozen=True, repr=False)
class CurvePath:
    """Shortest paths from `start` to `goal` (..., 3), their `length` (...), and, on request, their segments.

    >>> from sixvec.mobile import dubins
    >>> path = dubins([0.0, 0.0, 0.0], [4.0, 2.0, 0.0], 1.0)
    >>> str(path.words), round(float(path.length), 6)
    ('LSR', 4.511299)
    >>> path.samples(3).round(6).tolist()
    [[0.0, 0.0, 0.0], [2.0, 1.0, 0.523599], [4.0, 2.0, 0.0]]
    """

    start: Array
    goal: Array
    radius: Array
    length: Array
    alphabet: tuple[str, ...] = field(repr=False)
    """The letters of each word, by its index."""
    solve: Callable[..., Any] = field(repr=False)
    """Start, goal, radius to length, segments, number of the word."""
    gears: bool = field(repr=False)
    """Whether the platform can drive backward, so that words have signs."""

    @lazy
    def _parts(self) -> tuple[Array, Array]:
        _, segments, number = self.solve(self.start, self.goal, self.radius)
        return segments, np.where(np.isnan(number), 0, number).astype(int)

    @property
    def segments(self) -> Array:
        """Signed lengths (..., 5) of the segments, in metres, negative for backward; those at the end may be zero."""
        return self._parts[0]

    @property
    def curvature(self) -> Array:
        """Signed curvatures (..., 5) of the segments, 1/m, positive to the left."""
        turns = np.array([[TURN_OF[x] for x in word.ljust(SEGMENTS, "S")] for word in self.alphabet])
        return np.asarray(turns[self._parts[1]] / np.asarray(self.radius)[..., None])

    @property
    def words(self) -> Any:
        """The letters of each path, as strings: L and R for turns, S for a line; with gears "L+R-S-…"."""
        segments, number = self._parts
        flat = (segments / np.asarray(self.radius)[..., None]).reshape(-1, SEGMENTS)
        found = [_word(self.alphabet[k], s, self.gears) for k, s in zip(number.ravel().tolist(), flat, strict=True)]
        return np.array(found).reshape(number.shape)[()]

    def at(self, distance: Any) -> Array:
        """The poses (..., 3) at a distance (...) along the path, in metres."""
        distance = real_array("distance", distance)
        poses = np.asarray(_walk()(self.start, self.segments, self.curvature, distance))
        return np.where(np.isfinite(distance)[..., None], poses, np.nan)

    def samples(self, n: int) -> Array:
        """n poses (..., n, 3), evenly spaced along each path, both ends included."""
        whole_number("n, the number of samples,", n, 2)  # a path has at least its two ends
        s = np.linspace(0.0, 1.0, n) * np.asarray(self.length)[..., None]
        start, segments, curvature = (np.asarray(x)[..., None, :] for x in (self.start, self.segments, self.curvature))
        return np.asarray(_walk()(start, segments, curvature, s))

    def __repr__(self) -> str:
        if np.ndim(self.length) == 0:
            return f"<CurvePath: {self.words}, {float(self.length):.6g} m>"
        return f"<CurvePath: {np.size(self.length)} paths>"


def _word(letters: str, segments: Array, gears: bool) -> str:
    if not gears:
        return letters
    return "".join(x + ("-" if s < 0.0 else "+") for x, s in zip(letters, segments, strict=False) if abs(s) > _NOTHING)


@lru_cache(1)
def _walk() -> CompiledFunction:
    def walk(start: Sequence[Scalar], segments: Sequence[Scalar], curvature: Sequence[Scalar], s: Scalar) -> Any:
        pose = list(start)
        for length, bend in zip(segments, curvature, strict=True):
            size = abs(length)
            here = where(s < 0.0, 0.0, where(s < size, s, size))
            signed = where(length < 0.0, -here, here)
            pose = arc(pose, PlanarTwist(bend, 1.0, 0.0), signed)
            s = s - size
        return pose

    n = SEGMENTS
    inputs = (Port("start", (3,)), Port("segments", (n,)), Port("curvature", (n,)), Port("s", ()))
    return CompiledFunction(walk, inputs, (Port("pose", (3,)),))
