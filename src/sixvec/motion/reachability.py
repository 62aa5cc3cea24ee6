"""How fast a path can be travelled: reachability analysis on a grid (Pham and Pham 2018), on scalars.

With s the position on the path, x = ṡ² and u = s̈ are the unknowns, and every limit is a row  lower ≤ a u + b x ≤
upper. On an interval of length h with constant u, x grows by 2 h u.  Going backwards, the largest x from which the
rest of the path can be travelled follows from that of the next point; going forwards, u is as large as possible.

Each step is a program in two variables (`two_variables.py`).  Rest satisfies all rows; that is checked before.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from operator import add
from typing import Any

from sixvec.kernels import Port
from sixvec.kernels.function import CompiledFunction
from sixvec.model import Model
from sixvec.motion.curve import Curve
from sixvec.motion.path_torques import Place, Torques
from sixvec.motion.two_variables import (
    Limits,
    Row,
    Rows,
    at_end,
    highest,
    largest_acceleration,
    largest_square,
    rows_of,
    sides_of,
    summit,
    symmetric_rows,
    with_speeds,
)
from sixvec.scalar import Scalar, sqrt, where
from sixvec.sim.adjoint import Loop

FASTEST = 1e60
"""Squared speed where no limit of speed applies."""

INNER = 3
"""Points inside each interval at which the limits of speed hold, too: speed is what exceeds its limit most there."""

CHECKS = 4
"""Parts of each interval at whose ends the speeds are compared with their limits, and where a parabola through them is
largest.  Accelerations have three such points, and are parabolas on cubic paths."""

INSIDE = (0.2, 0.5, 0.8)
"""Fractions of an interval at which torques and the limits of users are compared with their bounds, which the passes
enforce at its ends; a parabola goes through them."""

REACH = 5.0 / 3.0
"""Where an interval ends, relative to the distance of these points from its middle."""

SMALLEST = 1e-9
"""What a bound leaves for motion, relative to the bound, below which it counts as that."""

LEAST_SPEED = 1e-90
"""Added where a time is divided by a speed that may be zero at both ends of an interval."""


@dataclass(frozen=True)
class Shape:
    """What the kernels of a timing depend on: joints, degree of the polynomials, and which limits there are."""

    joints: int
    degree: int
    acceleration: bool
    rows: int
    """Rows that are given at both ends of each interval."""
    carries: bool = False
    """Whether torques at the end of an interval are those at the start of the next one, computed once."""
    inner: int = INNER
    """Points inside each interval at which the limits of speed hold."""
    reference: int = 0
    """Numbers of the position about which coordinates are exponential; zero without quaternions."""

    def interval(self, torques: Torques | None) -> list[Port]:
        """The coefficients of a piece of the path, without the first unless positions matter; where an interval starts
        in it, and its length; and the reference of exponential coordinates."""
        whole = torques is not None or self.reference > 0
        ports = [Port("coefficients", (self.degree + whole, self.joints)), Port("r", ()), Port("h", ())]
        return [*ports, Port("reference", (self.reference,))] if self.reference else ports

    def curve(self, coefficients: Any, model: Model | None, reference: Any) -> Curve:
        """The piece of the path, from the coefficients and the references, if there are any."""
        if self.reference:
            return Curve(coefficients, True, model, reference[0])
        return Curve(coefficients, len(coefficients) > self.degree)

    def limits(self, torques: Torques | None) -> list[Port]:
        """Of speeds, accelerations and torques of the joints, and the share of them that is used."""
        names = ["fastest", "strongest", "most"][: 2 + (torques is not None)]
        return [*(Port(name, (self.joints,)) for name in names), Port("share", ())]

    def reach(self, torques: Torques | None) -> list[Port]:
        """The largest squared rates at the start and at the end of an interval, for joints with viscous friction."""
        return [Port("reach", (2,))] if torques is not None and any(torques.viscous) else []

    def ends(self) -> list[Port]:
        names = [f"{name} {end}" for end in ("first", "last") for name in ("a", "b", "lower", "upper")]
        return [Port(name, (self.rows,)) for name in names] if self.rows else []


def _speeds(curve: Curve, r: Scalar, h: Scalar, fastest: Any, inner: int) -> list[Scalar]:
    """The largest x at the start of an interval and at the points inside, by the speeds of the joints."""
    results = []
    for k in range(inner + 1):
        top, bottom = FASTEST, 1.0
        for rate, v in zip(curve.rates(r + h * (k / (inner + 1)))[0], fastest, strict=True):
            square = v * v
            sooner = square * bottom < top * (rate * rate)
            top, bottom = where(sooner, square, top), where(sooner, rate * rate, bottom)
        results.append(top / bottom)
    return results


class Interval:
    """The rows of an interval, from the numbers that a step takes."""

    def __init__(
        self, shape: Shape, model: Model | None, torques: Torques | None, limits: Any, piece: Any, ends: Any, reach: Any
    ) -> None:
        self.shape, self.torques, self.reach = shape, torques, reach
        self.fastest, self.strongest, self.share = limits[0], limits[1], limits[-1]
        self.most = limits[2] if torques else []
        coefficients, self.r, self.h, *reference = piece
        self.curve = shape.curve(coefficients, model, reference)
        self.ends = ends

    def place(self, end: bool) -> Place:
        assert self.torques is not None
        r = self.r + self.h if end else self.r
        return self.torques.place(self.curve.at(r), self.reach[end] if self.reach else 0.0)

    def rows(self, top: Scalar, first: Place | None, last: Place | None) -> tuple[Limits, Scalar]:
        """The rows if x is at most `top` at the end, and the largest x at the start by the speeds there."""
        rows: list[Row] = []
        for at, place, end in ((self.r, first, False), (self.r + self.h, last, True)):
            if self.shape.acceleration:
                found: Rows = self.curve.rates(at)
                a, b, *_ = at_end(found, self.h) if end else found
                rows += symmetric_rows(a, b, self.strongest)
            if self.torques is not None:
                assert first is not None and last is not None and place is not None
                turning = self.torques.turning(first.direction, last.direction)
                found = self.torques.rows(place, turning, self.most, self.share)
                rows += rows_of(at_end(found, self.h) if end else found)
        above, below = sides_of(self.ends[:4]) if self.ends else ([], [])
        if self.ends:
            above, below = map(add, (above, below), sides_of(at_end(self.ends[4:], self.h)))
        speeds = _speeds(self.curve, self.r, self.h, self.fastest, self.shape.inner)
        return with_speeds(Limits(rows, above, below), [*speeds[1:], top], self.h), speeds[0]


@dataclass(frozen=True, eq=False)
class Passes:
    """The loops over the intervals: backwards to the largest x at their starts, and forwards to x and the time.

    Arrays per step go in the direction of the loop.  `cap` is 0 where a motion stops at a corner.  With torques,
    `place` computes those at the start and at the end of a path, and the loop backwards which joint is loaded most by
    gravity and dry friction.
    """

    backward: Loop
    forward: Loop
    place: CompiledFunction | None


@lru_cache(maxsize=32)
def passes_without_torques(shape: Shape, steps: int) -> Passes:
    return passes(shape, steps, None, None)


def passes(shape: Shape, steps: int, model: Model | None, torques: Torques | None) -> Passes:
    interval, ends, limits = shape.interval(torques), shape.ends(), shape.limits(torques)
    reach = shape.reach(torques)
    count, carried = len(limits), [Port("place", (len(PLACE) * shape.joints,))] if shape.carries else []

    def split(values: Any) -> tuple[Any, Interval, Scalar]:
        """What is carried of torques, the interval, and the number next to it."""
        known, values = values[: len(carried)], values[len(carried) :]
        more, k = values[count:], len(interval)
        rows, top = more[k + 1 : k + 1 + len(ends)], more[len(more) - 1] if reach else []
        return known, Interval(shape, model, torques, values[:count], more[:k], rows, top), more[k]

    def places(known: Any, piece: Interval, forward: bool) -> tuple[Place | None, Place | None]:
        """Torques at the start and at the end; those at one of them are known."""
        if torques is None:
            return None, None
        computed = piece.place(forward)
        if known:
            other = Place.of(known[0])
        else:
            other = piece.place(not forward)
        return (other, computed) if forward else (computed, other)

    def backward(top: Any, *values: Any) -> Any:
        known, piece, cap = split(values)
        first, last = places(known, piece, False)
        rows, most = piece.rows(top, first, last)
        square = largest_square(rows, where(cap < most, cap, most))
        if first is None or torques is None:
            return square, square
        return square, *([first.flat()] if known else []), square, *torques.overload(first, piece.most)

    def forward(x: Any, t: Any, *values: Any) -> Any:
        known, piece, top = split(values)
        first, last = places(known, piece, True)
        u = largest_acceleration(piece.rows(top, first, last)[0], x)
        end = x + 2.0 * piece.h * u
        end = where(end > top, top, where(end > 0.0, end, 0.0))
        later = t + 2.0 * piece.h / (sqrt(x) + sqrt(end) + LEAST_SPEED)
        return end, later, *([last.flat()] if known and last is not None else []), end, later

    x, t = Port("x", ()), Port("t", ())
    loads = [Port("loaded", ()), Port("load", ())] if torques else []
    made: list[tuple[Callable[..., Any], tuple[Port, ...], Port, tuple[Port, ...], str]] = [
        (backward, (x,), Port("cap", ()), (Port("largest", ()), *loads), "backwards"),
        (forward, (x, t), Port("largest", ()), (Port("squares", ()), Port("times", ())), "forwards"),
    ]
    loops = []
    for function, state, cap, results, name in made:
        identity = "" if torques or model else f"{name} {shape}"
        inputs = (*state, *carried, *limits, *interval, cap, *ends, *reach)
        compiled = CompiledFunction(function, inputs, (*state, *carried, *results), identity)
        compiled.needs_double = True
        each = len(interval) + 1 + len(ends) + len(reach)
        loops.append(Loop(compiled, steps, len(state) + len(carried), each=each, name=f"time_optimal {name}"))
    return Passes(loops[0], loops[1], _place_kernel(shape, model, torques) if torques else None)


PLACE = Place.__dataclass_fields__


def _place_kernel(shape: Shape, model: Model | None, torques: Torques) -> CompiledFunction:
    def place(coefficients: Any, r: Any, reach: Any, most: Any, *reference: Any) -> Any:
        found = torques.place(shape.curve(coefficients, model, reference).at(r), reach)
        return found.flat(), *torques.overload(found, most)

    interval = shape.interval(torques)
    inputs = (*interval[:2], Port("reach", ()), shape.limits(torques)[2], *interval[3:])
    outputs = (Port("place", (len(PLACE) * shape.joints,)), Port("loaded", ()), Port("load", ()))
    compiled = CompiledFunction(place, inputs, outputs)
    compiled.needs_double = True
    return compiled


def _summit(values: Sequence[Scalar]) -> Scalar:
    """The fraction of an interval at which the parabola around the largest of evenly spaced values is largest."""
    parts = len(values) - 1
    three: Sequence[Scalar] = values[:3]
    middle: Scalar = 1.0
    for k in range(1, parts - 1):
        higher = values[k + 1] > three[1]
        three = [where(higher, new, old) for new, old in zip(values[k : k + 3], three, strict=True)]
        middle = where(higher, k + 1.0, middle)
    return (middle + summit(*three)) / parts


@lru_cache(maxsize=16)
def excess_without_torques(shape: Shape) -> CompiledFunction:
    return excess_kernel(shape, None, None)


def excess_kernel(shape: Shape, model: Model | None, torques: Torques | None) -> CompiledFunction:
    """By how much time must be stretched in an interval for limits of speed, acceleration and torque, and which limits
    most; with torques also which joint gravity and dry friction load most inside, and by which part too much."""

    def excess(coefficients: Any, r: Any, h: Any, *more: Any) -> Any:
        reference, more = more[: shape.reference > 0], more[shape.reference > 0 :]
        x0, x1, fastest, strongest, *rest = more
        curve = shape.curve(coefficients, model, reference)
        largest: Scalar = 0.0
        which: Scalar = 0.0
        u = (x1 - x0) / (2.0 * h)

        def compare(squares: Any) -> None:
            nonlocal largest, which
            for square, index in squares:
                which = where(square > largest, float(index), which)
                largest = where(square > largest, square, largest)

        along = [curve.rates(r + h * (k / CHECKS)) for k in range(CHECKS + 1)]
        squares = [x0 + (x1 - x0) * (k / CHECKS) for k in range(CHECKS + 1)]
        for i, (v, a) in enumerate(zip(fastest, strongest, strict=True)):
            used = [d[i] * d[i] * x / (v * v) for (d, _), x in zip(along, squares, strict=True)]
            at = _summit(used)
            rate = curve.rates(r + h * at)[0][i]
            compare([(x, i) for x in (*used, rate * rate * (x0 + (x1 - x0) * at) / (v * v))])
            if shape.acceleration:
                signed = [(along[k][0][i] * u + along[k][1][i] * squares[k]) / a for k in (0, CHECKS // 2, CHECKS)]
                side = where(signed[1] < 0.0, -1.0, 1.0)
                most = highest(*(side * x for x in signed))
                compare([(x, shape.joints + i) for x in (abs(signed[0]), abs(signed[2]), most)])
        if torques is None:
            return largest, which
        turning = torques.turning(curve.rates(r)[0], curve.rates(r + h)[0])
        found = [torques.ratios(curve.at(r + h * k), u, x0 + (x1 - x0) * k, turning, rest[0]) for k in INSIDE]
        tops = (highest(x, y, z, REACH) for x, y, z in zip(*(ratios for ratios, _ in found), strict=True))
        compare(zip(tops, range(2 * shape.joints, 3 * shape.joints), strict=True))
        loaded: Scalar = 0.0
        over: Scalar = -1.0
        for _, overs in found:
            for index, load in enumerate(overs):
                loaded, over = where(load > over, float(index), loaded), where(load > over, load, over)
        return largest, which, loaded, over

    inputs = (*shape.interval(torques), Port("x0", ()), Port("x1", ()), *shape.limits(torques)[:-1])
    identity = "" if torques or model else f"excess {shape}"
    names = ("square", "which", "loaded", "over")[: 2 + 2 * (torques is not None)]
    compiled = CompiledFunction(excess, inputs, tuple(Port(name, ()) for name in names), identity)
    compiled.needs_double = True
    return compiled
