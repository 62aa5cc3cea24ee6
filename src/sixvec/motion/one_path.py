"""One path at a time: the loops of a timing on arrays whose addresses stay, with little left for Python to do."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from sixvec.arguments import Array
from sixvec.kernels.function import CompiledFunction
from sixvec.motion.grid import shares_of_one
from sixvec.motion.limits import Bounds
from sixvec.motion.passes import PassesOfOne
from sixvec.motion.path import Path
from sixvec.motion.path_torques import ALLOWED
from sixvec.motion.reachability import FASTEST, Shape
from sixvec.verdict import Verdict

FEW = 4
"""Sets of arrays that are kept, one for each thread that times paths at the same time."""


MOST = 16
"""Kinds of paths of a robot, by their limits and numbers of intervals, for which arrays are kept."""


class OnePath:
    """The fastest motions, from rest to rest, along smooth paths of one robot with the same number of intervals."""

    def __init__(self, shape: Shape, points: int, numbers: int, loops: PassesOfOne, excess: CompiledFunction) -> None:
        self._arguments = shape, points, numbers, loops, excess
        self._spare: list[_Arrays] = []
        self._failed = 0

    def timed(self, path: Path, bounds: Bounds) -> list[Any] | None:
        """The verdict, s, ṡ, the largest ṡ, times, numbers of limits and faults; None for paths that need more: those
        that cannot be travelled, numbers that are not finite, and loops that are not compiled yet."""
        try:
            arrays = self._spare.pop()  # not shared by two threads, or with a call within a call
        except IndexError:
            self._failed += 1
            if self._failed & (self._failed - 1):  # tried again after 1, 2, 4, 8, … calls
                return None
            arrays = _Arrays(*self._arguments)
            if not arrays.calls:
                return None
            self._failed = 0
        try:
            return arrays.timed(path, bounds)
        finally:
            if len(self._spare) < FEW:
                self._spare.append(arrays)


class OnePaths:
    """Those of a robot that were used last, since arrays of long paths are large."""

    def __init__(self) -> None:
        self._kept: dict[Any, OnePath | None] = {}

    def get(self, key: Any, make: Callable[[], OnePath | None]) -> OnePath | None:
        try:
            return self._kept[key]
        except KeyError:
            for oldest in list(self._kept)[: max(0, len(self._kept) - MOST + 1)]:
                self._kept.pop(oldest, None)
            return self._kept.setdefault(key, make())


class _Arrays:
    """What the loops read and write, and `calls`, the loops on these arrays in order."""

    def __init__(self, shape: Shape, points: int, numbers: int, loops: PassesOfOne, excess: CompiledFunction) -> None:
        n, self.has_torques, self.inner = shape.joints, numbers > 0, shape.inner
        self.number = np.arange(float(points))
        self.C, self.h = np.empty((points + 1, shape.degree + self.has_torques, n)), np.empty(points)
        self.r = np.empty(points + 1)  # with the end of the path
        self.limits = [np.empty(n) for _ in range(2 + self.has_torques)]
        self.largest, self.squares, self.times = np.zeros((3, points + 1))
        self.square, self.which = np.empty((2, points))
        self.loads = np.zeros((2, points + 1)), np.zeros((2, points))
        self._constant = [*self.limits, np.zeros(1), np.ones(1), np.full(1, FASTEST)]
        self._divided: tuple[Any, ...] = ()
        calls = self._passes(loops, points, np.empty((points + 1, numbers * n)))
        self.calls: list[Callable[[], None]] = []
        if None not in calls:
            inputs = [*self.limits, self.C[:-1], self.r[:-1], self.h, self.squares[:-1], self.squares[1:]]
            outputs = [self.square, self.which, *(self.loads[1] if self.has_torques else [])]
            self.calls = [*calls, self._in_lanes(excess, points, inputs, outputs)]

    def _passes(self, loops: PassesOfOne, points: int, places: Array) -> list[Any]:
        """Torques at all points, what is known of all intervals, and the two loops."""
        zero, one, cap = self._constant[-3:]
        known = np.empty((points, loops.known.outputs[0].size))
        both = [places[:-1], places[1:]] if self.has_torques else []
        inputs = [*both, *self.limits, one, self.C[:-1], self.r[:-1], self.h, cap]
        backward, forward = (loop.executable("float64") for loop in (loops.backward, loops.forward))
        ahead, traced = [known, self.h, self.largest[1:]], [self.squares[1:], self.times[1:]]
        calls = [
            self._in_lanes(loops.known, points, inputs, [known]),
            backward.on_arrays([zero, known, self.h], [np.empty(1), self.largest[:-1]]),
            forward.on_arrays([zero, zero, *ahead], [*np.empty((2, 1)), *traced]),
        ]
        if loops.place is None:
            return calls
        inputs = [self.C, self.r, zero, self.limits[2]]
        return [self._in_lanes(loops.place, points + 1, inputs, [places, *self.loads[0]]), *calls]

    def _in_lanes(self, function: CompiledFunction, rows: int, inputs: list[Array], outputs: list[Array]) -> Any:
        shared = [any(x is y for y in self._constant) for x in inputs]
        return function.executable("float64").batch().prepared(rows, inputs, outputs, shared)

    def _divide(self, path: Path) -> Array:
        """The intervals, as `Grid.of` divides several paths; s at their ends."""
        knots, h, r = path.knots, self.h, self.r[:-1]
        lengths = knots[1:] - knots[:-1]
        shares = shares_of_one((lengths / knots[-1]).tolist(), len(h), 1)
        if not self._divided or self._divided[0] != shares:
            counts = np.array(shares)
            piece = np.arange(len(shares)).repeat(counts)
            self._divided = shares, counts, piece, self.number - (counts.cumsum() - counts)[piece]
        _, counts, piece, number = self._divided
        (lengths / counts).take(piece, out=h, mode="clip")
        np.multiply(number, h, out=r)
        s = np.empty(len(r) + 1)
        np.add(knots.take(piece), r, out=s[:-1])
        s[-1] = s[-2] + h[-1]
        C = path.coefficients[:, path.coefficients.shape[1] - self.C.shape[1] :]
        C.take(piece, axis=0, out=self.C[:-1], mode="clip")
        self.C[-1] = C[-1]
        self.r[-1] = r[-1] + h[-1]
        return s

    def timed(self, path: Path, bounds: Bounds) -> list[Any] | None:
        if not math.isfinite(path.coefficients.sum()):
            return None
        for limit, bound in zip(self.limits, (bounds.velocity, bounds.acceleration, bounds.torque), strict=False):
            np.minimum(np.inf if bound is None else bound, math.sqrt(FASTEST), out=limit)
        s = self._divide(path)
        for call in self.calls:
            call()
        if self.has_torques and not self._holds():
            return None
        square = float(self.square.max())
        if not math.isfinite(square):
            return None
        slower = math.sqrt(max(square, 1.0)) if self.inner else 1.0
        rate = np.sqrt(self.squares / (slower * slower))
        solved = np.array(int(Verdict.SOLVED), np.int8)
        which = self.which.astype(np.int32)
        return [solved, s, rate, np.sqrt(self.largest), self.times * slower, which, np.zeros(5)]

    def _holds(self) -> bool:
        """Whether the joints hold gravity and dry friction everywhere."""
        at_points, inside = (float(x[1].max()) for x in self.loads)
        return at_points <= 0.0 and inside <= ALLOWED
