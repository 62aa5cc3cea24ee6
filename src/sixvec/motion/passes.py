"""The loops over the intervals of a path: backwards to the largest ṡ² at their starts, forwards to ṡ² and the time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from sixvec.kernels import Iterated, Port
from sixvec.kernels.function import CompiledFunction
from sixvec.kernels.portable import Portable
from sixvec.model import Model
from sixvec.motion.path_torques import Place, Torques
from sixvec.motion.reachability import Interval, Known, Shape
from sixvec.scalar import Scalar, sqrt, where
from sixvec.sim.adjoint import Loop

LEAST_SPEED = 1e-90
"""Added where a time is divided by a speed that may be zero at both ends of an interval."""


class LoopForwards(Loop):
    """Steps from the first interval to the last, which take many numbers."""

    by_lanes = True


class LoopBackwards(Portable, Iterated):
    """Steps from the last interval to the first."""

    backwards = by_lanes = True

    @property
    def identity(self) -> str:
        return f"{self.step.identity} loop {self.steps} {self.carried} {self.each} backwards"


@dataclass(frozen=True, eq=False)
class Passes:
    """The loops of many paths.  `cap` is 0 where a motion stops at a corner.  With torques, `place` computes those at
    one place, and the loop backwards which joint gravity and dry friction load most; where torques at the end of an
    interval are those at the start of the next one, it leaves them to the loop forwards."""

    backward: LoopBackwards
    forward: LoopForwards
    place: CompiledFunction | None


@dataclass(frozen=True, eq=False)
class PassesOfOne:
    """The loops of one path, and what comes before them, in lanes over its intervals: `place` and `known`."""

    place: CompiledFunction | None
    known: CompiledFunction
    backward: LoopBackwards
    forward: Loop


class _Ports:
    """The inputs and outputs of the steps."""

    def __init__(self, shape: Shape, torques: Torques | None) -> None:
        self.shape, self.torques = shape, torques
        self.limits, self.interval, self.ends = shape.limits(torques), shape.interval(torques), shape.ends()
        self.reach = shape.reach(torques)
        self.each = [*self.interval, *self.ends, *self.reach]
        size = torques.numbers * shape.joints if torques else 0
        carries = torques is not None and shape.carries
        self.place, self.ahead = ([Port(name, (size,))] if carries else [] for name in ("place", "place at the end"))
        self.loads = [Port("loaded", ()), Port("load", ())] if torques else []

    def piece(self, model: Model | None, values: Sequence[Any]) -> Interval:
        """The interval from the values of limits and of what there is for each interval."""
        parts, start = [], 0
        for ports in (self.limits, self.interval, self.ends, self.reach):
            parts.append(values[start : start + len(ports)])
            start += len(ports)
        limits, piece, ends, reach = parts
        return Interval(self.shape, model, self.torques, limits, piece, ends, reach[0] if reach else [])


X, T, H, TOP, CAP = (Port(name, ()) for name in ("x", "t", "h", "largest", "cap"))
TRACED = (Port("squares", ()), Port("times", ()))


@lru_cache(maxsize=32)
def passes_without_torques(shape: Shape, steps: int) -> Passes:
    return passes(shape, steps, None, None)


def passes(shape: Shape, steps: int, model: Model | None, torques: Torques | None) -> Passes:
    ports = _Ports(shape, torques)
    carried = len(ports.place)

    def places(piece: Interval) -> tuple[Place | None, Place | None]:
        return (None, None) if torques is None else (piece.place(False), piece.place(True))

    def backward(top: Any, *values: Any) -> Any:
        piece = ports.piece(model, values[carried:-1])
        first, last = (piece.place(False), torques.read(values[0])) if carried and torques else places(piece)
        known = piece.known(first, last)
        square = known.square(known.bound(values[-1]), top)
        if first is None or torques is None:
            return square, square
        loads = torques.overload(first, piece.most)
        return (square, torques.flat(first), square, *loads, values[0]) if carried else (square, square, *loads)

    def forward(x: Any, t: Any, *values: Any) -> Any:
        piece, ahead = ports.piece(model, values[carried:]), values[len(values) - 1 - carried : -1]
        first, last = (torques.read(values[0]), torques.read(ahead[0])) if carried and torques else places(piece)
        state = _moved(piece.known(first, last), x, t, values[-1])
        return *state, *ahead, *state

    inputs, identity = (*ports.limits, *ports.each), "" if torques or model else f"{shape}"
    results = (X, *ports.place, TOP, *ports.loads, *ports.ahead)
    back = _compiled(backward, (X, *ports.place, *inputs, CAP), results, identity)
    inputs, results = (*ports.place, *inputs, *ports.ahead, TOP), (*ports.place, *TRACED)
    ahead = _compiled(forward, (X, T, *inputs), (X, T, *results), identity)
    each = len(ports.each) + 1
    return Passes(
        LoopBackwards(back, steps, 1 + carried, each=each, name="time_optimal backwards"),
        LoopForwards(ahead, steps, 2 + carried, each=each + carried, name="time_optimal forwards"),
        _place_kernel(shape, model, torques) if torques else None,
    )


def _moved(known: Known, x: Scalar, t: Scalar, top: Scalar) -> tuple[Scalar, Scalar]:
    """x and t at the end of an interval."""
    u = known.acceleration(x, top)
    end = x + 2.0 * known.h * u
    end = where(end > top, top, where(end > 0.0, end, 0.0))
    return end, t + 2.0 * known.h / (sqrt(x) + sqrt(end) + LEAST_SPEED)


@lru_cache(maxsize=32)
def passes_of_one_without_torques(shape: Shape, steps: int) -> PassesOfOne:
    return passes_of_one(shape, steps, None)


def passes_of_one(shape: Shape, steps: int, torques: Torques | None) -> PassesOfOne:
    """Those of smooth paths without limits of users; torques at the ends of intervals are those at the next starts."""
    ports = _Ports(shape, torques)
    carried = len(ports.place)

    def known(*values: Any) -> Any:
        first, last = (torques.read(x) for x in values[:2]) if torques else (None, None)
        return ports.piece(None, values[2 * carried : -1]).known(first, last).flat(values[-1])

    def backward(top: Any, numbers: Any, h: Any) -> Any:
        bound, interval = Known.of(numbers, h, shape.inner)
        square = interval.square(bound, top)
        return square, square

    def forward(x: Any, t: Any, numbers: Any, h: Any, top: Any) -> Any:
        state = _moved(Known.of(numbers, h, shape.inner)[1], x, t, top)
        return *state, *state

    identity = "" if torques else f"one {shape}"
    count = 2 + shape.inner + 6 * shape.joints * (shape.acceleration + (torques is not None))
    numbers = Port("known", (count,))
    both = (*ports.place, *ports.ahead)
    back = _compiled(backward, (X, numbers, H), (X, TOP), f"one {shape} {count}")
    ahead = _compiled(forward, (X, T, numbers, H, TOP), (X, T, *TRACED), f"one {shape} {count}")
    return PassesOfOne(
        _place_kernel(shape, None, torques) if torques else None,
        _compiled(known, (*both, *ports.limits, *ports.each, CAP), (numbers,), identity),
        LoopBackwards(back, steps, 1, each=2, name="time_optimal backwards"),
        Loop(ahead, steps, 2, each=3, name="time_optimal forwards"),
    )


def _compiled(function: Any, inputs: Sequence[Port], outputs: Sequence[Port], identity: str) -> CompiledFunction:
    name = f"{function.__name__} {identity}" if identity else ""
    compiled = CompiledFunction(function, tuple(inputs), tuple(outputs), name)
    compiled.needs_double = True
    return compiled


def _place_kernel(shape: Shape, model: Model | None, torques: Torques) -> CompiledFunction:
    def place(coefficients: Any, r: Any, reach: Any, most: Any, *reference: Any) -> Any:
        there = torques.place(shape.curve(coefficients, model, reference).at(r), reach)
        return torques.flat(there), *torques.overload(there, most)

    interval, ports = shape.interval(torques), _Ports(shape, torques)
    inputs = (*interval[:2], Port("reach", ()), shape.limits(torques)[2], *interval[3:])
    outputs = (Port("place", (torques.numbers * shape.joints,)), *ports.loads)
    return _compiled(place, inputs, outputs, "")
