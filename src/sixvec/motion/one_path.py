"""One path at a time: the loops of a timing on arrays whose addresses stay, with little left for Python to do."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from sixvec.arguments import Array
from sixvec.kernels.function import CompiledFunction
from sixvec.motion.grid import shares_of
from sixvec.motion.limits import Bounds
from sixvec.motion.path import Path
from sixvec.motion.path_torques import ALLOWED
from sixvec.motion.reachability import FASTEST, PLACE, Passes, Shape
from sixvec.verdict import Verdict

FEW = 4
"""Sets of arrays that are kept, one for each thread that times paths at the same time."""


MOST = 16
"""Kinds of paths of a robot, by their limits and numbers of intervals, for which arrays are kept."""


class OnePath:
    """The fastest motions, from rest to rest, along smooth paths of one robot with the same number of intervals."""

    def __init__(self, shape: Shape, points: int, has_torques: bool, loops: Passes, excess: CompiledFunction) -> None:
        self._arguments = shape, points, has_torques, loops, excess
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

    def __init__(self, shape: Shape, points: int, has_torques: bool, loops: Passes, excess: CompiledFunction) -> None:
        n, powers = shape.joints, shape.degree + has_torques
        self.has_torques, self.inner, self.owners = has_torques, shape.inner, (loops, excess)
        self.number = np.arange(points)
        self.C, self.back = np.empty((2, points, powers, n))
        self.r, self.h, self.r_back, self.h_back = np.empty((4, points))
        self.after = np.empty(1)
        self.limits = [np.empty(n) for _ in range(2 + has_torques)]
        self.backward, self.top = np.empty(points), np.zeros(points)
        self.squares, self.times = np.zeros((2, points + 1))
        self.square, self.which = np.empty((2, points))
        self.loads = np.zeros((2, points)), np.zeros((2, points)), np.zeros((2, 1)), np.zeros((2, 1))
        self.calls: list[Callable[[], None]] = []
        calls = [*self._places(loops, len(PLACE) * n), *self._passes(loops)]
        if None not in calls:
            inputs = [self.C, self.r, self.h, self.squares[:-1], self.squares[1:], *self.limits]
            outputs = [self.square, self.which, *(self.loads[1] if has_torques else [])]
            shared = [k >= 5 for k in range(len(inputs))]
            self.calls = [*calls, excess.executable("float64").batch().prepared(points, inputs, outputs, shared)]

    def _places(self, loops: Passes, count: int) -> list[Any]:
        """Torques at the start and at the end of the path."""
        self.first, self.last = np.empty((2, count))
        if loops.place is None:
            return []
        code, zero = loops.place.executable("float64"), np.zeros(1)
        return [
            code.on_arrays([C, r, zero, self.limits[2]], [place, *load])
            for C, r, place, load in (
                (self.C[0], self.r, self.first, self.loads[2]), (self.C[-1], self.after, self.last, self.loads[3])
            )
        ]  # fmt: skip

    def _passes(self, loops: Passes) -> list[Any]:
        """The loop backwards, what it means forwards, and the loop forwards."""
        points, zero = len(self.number), np.zeros(1)
        carried = [[x] if self.has_torques else [] for x in (self.first, self.last)]
        ignored = [[np.empty_like(x) for x in [zero, zero, *state]] for state in carried]
        limits, cap = [*self.limits, np.ones(1)], np.full(points, FASTEST)
        loads: list[Array] = [*self.loads[0]] if self.has_torques else []
        backward = loops.backward.executable("float64").on_arrays(
            [zero, *carried[1], *limits, self.back, self.r_back, self.h_back, cap],
            [*ignored[0][1:], self.backward, *loads],
        )
        forward = loops.forward.executable("float64").on_arrays(
            [zero, zero, *carried[0], *limits, self.C, self.r, self.h, self.top],
            [*ignored[1], self.squares[1:], self.times[1:]],
        )
        return [backward, self._turn, forward]

    def _turn(self) -> None:
        self.top[:-1] = self.backward[-2::-1]

    def _divide(self, path: Path) -> Array:
        """The intervals, as `Grid.of` divides several paths; s at their ends."""
        knots, r, h = path.knots, self.r, self.h
        lengths = knots[1:] - knots[:-1]
        shares = shares_of((lengths / knots[-1])[None], len(r), 1)[0]
        before = shares.cumsum() - shares
        piece = np.arange(len(shares)).repeat(shares)
        h[...] = (lengths / shares)[piece]
        np.multiply(self.number - before[piece], h, out=r)
        s = np.empty(len(r) + 1)
        np.add(knots[piece], r, out=s[:-1])
        s[-1] = s[-2] + h[-1]
        C = path.coefficients[:, path.coefficients.shape[1] - self.C.shape[1] :]
        self.C[...] = C[piece]
        self.back[...], self.r_back[...], self.h_back[...] = self.C[::-1], r[::-1], h[::-1]
        self.after[0] = r[-1] + h[-1]
        return s

    def timed(self, path: Path, bounds: Bounds) -> list[Any] | None:
        if not np.isfinite(path.coefficients).all():
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
        largest = np.zeros(len(s))
        np.sqrt(self.backward[::-1], out=largest[:-1])
        rate = np.sqrt(self.squares / (slower * slower))
        which = self.which.astype(np.int32)
        solved = np.array(int(Verdict.SOLVED), np.int8)
        return [solved, s, rate, largest, self.times * slower, which, np.zeros(5)]

    def _holds(self) -> bool:
        """Whether the joints hold gravity and dry friction everywhere."""
        passed, inside, start, end = (float(x[1].max()) for x in self.loads)
        return passed <= 0.0 and end <= 0.0 and inside <= ALLOWED and start <= 0.0
