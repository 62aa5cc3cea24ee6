"""How fast a path can be travelled: reachability analysis on a grid (Pham and Pham 2018), on scalars.

With s the position on the path, x = ṡ² and u = s̈ are the unknowns, and every limit is a row  lower ≤ a u + b x ≤
upper. On an interval of length h with constant u, x grows by 2 h u.  Going backwards, the largest x from which the
rest of the path can be travelled follows from that of the next point; going forwards, u is as large as possible.

Each step is a program in two variables.  Eliminating u from one upper and one lower row gives one bound of x, so the
largest x is the least of a few hundred fractions, which are compared without division.  Rows with a = 0, where other
methods divide by zero, are not a special case.  Rest satisfies all rows; that is checked before.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from operator import add
from typing import Any

from sixvec.kernels import Port
from sixvec.kernels.function import CompiledFunction
from sixvec.motion.path_torques import Place, Torques
from sixvec.scalar import Scalar, sqrt, where
from sixvec.sim.adjoint import Loop

FASTEST = 1e12
"""Squared speed where no limit of speed applies."""

INNER = 3
"""Points inside each interval at which the limits of speed hold, too: speed is what exceeds its limit most there."""

CHECKS = 6
"""Points in each interval at which a motion is compared with its limits."""

INSIDE = (0.2, 0.5, 0.8)
"""Fractions of an interval at which torques and the limits of users are compared with their bounds, which the passes
enforce at its ends."""

SMALLEST = 1e-9
"""What a bound leaves for motion, relative to the bound, below which it counts as that."""

LEAST_SPEED = 1e-12
"""Added where a time is divided by a speed that may be zero at both ends of an interval."""


@dataclass(frozen=True)
class Side:
    """One side of a row, solved for u:  size u + slope x  is at most, or at least, `end`; size ≥ 0."""

    size: Scalar
    slope: Scalar
    end: Scalar


@dataclass(frozen=True)
class Row:
    """size u + slope x  within  centre ± half; size ≥ 0."""

    size: Scalar
    slope: Scalar
    centre: Scalar
    half: Scalar

    @property
    def above(self) -> Side:
        return Side(self.size, self.slope, self.centre + self.half)

    @property
    def below(self) -> Side:
        return Side(self.size, self.slope, self.centre - self.half)


@dataclass(frozen=True)
class Limits:
    """Rows with two sides of similar size, and single sides."""

    rows: list[Row]
    above: list[Side]
    below: list[Side]


Rows = Sequence[Sequence[Scalar]]
"""Scalars a, b, lower, upper of rows  lower ≤ a u + b x ≤ upper."""


def at_end(rows: Rows, h: Scalar) -> Rows:
    """Rows at the end of an interval, where x has grown by 2 h u, as rows at its start."""
    a, b, *bounds = rows
    return [y + 2.0 * h * z for y, z in zip(a, b, strict=True)], b, *bounds


def rows_of(rows: Rows) -> list[Row]:
    found = []
    for a, b, low, high in zip(*rows, strict=True):
        turned = a < 0.0
        centre, half = 0.5 * (low + high), 0.5 * (high - low)
        found.append(Row(abs(a), where(turned, -b, b), where(turned, -centre, centre), half))
    return found


def sides_of(rows: Rows) -> tuple[list[Side], list[Side]]:
    above, below = [], []
    for a, b, low, high in zip(*rows, strict=True):
        turned = a < 0.0
        size, along = abs(a), where(turned, -b, b)
        above.append(Side(size, along, where(turned, -low, high)))
        below.append(Side(size, along, where(turned, -high, low)))
    return above, below


def with_speeds(limits: Limits, speeds: Sequence[Scalar], h: Scalar) -> Limits:
    """The rows and  x + 2 h σ u ≤ speed  at evenly spaced fractions σ of the interval, the last of which is 1."""
    steps = [2.0 * h * (k + 1) / len(speeds) for k in range(len(speeds))]
    return Limits(
        limits.rows,
        limits.above + [Side(step, 1.0, speed) for step, speed in zip(steps, speeds, strict=True)],
        [*limits.below, Side(2.0 * h, 1.0, 0.0)],
    )


def largest_square(limits: Limits, most: Scalar) -> Scalar:
    """The largest x, at most `most`, for which some u satisfies the rows; (0, 0) does."""
    top, bottom = most, 1.0

    def compare(end: Scalar, slope: Scalar) -> None:
        nonlocal top, bottom
        sooner = end * bottom < top * slope
        top, bottom = where(sooner, end, top), where(sooner, slope, bottom)

    for k, one in enumerate(limits.rows):
        for other in limits.rows[
            :k
        ]:  # the upper side of the one and the lower side of the other, or the other way round
            slope = one.slope * other.size - other.slope * one.size
            shift = one.centre * other.size - other.centre * one.size
            width = one.half * other.size + other.half * one.size
            compare(width + where(slope < 0.0, -shift, shift), abs(slope))
    above = [(up, low) for up in limits.above for low in limits.below]
    above += [(up, row.below) for up in limits.above for row in limits.rows]
    above += [(row.above, low) for low in limits.below for row in limits.rows]
    for up, low in above:
        slope = up.slope * low.size - low.slope * up.size
        end = up.end * low.size - low.end * up.size
        sooner = where(slope > 0.0, where(end * bottom < top * slope, 1.0, 0.0), 0.0) > 0.5
        top, bottom = where(sooner, end, top), where(sooner, slope, bottom)
    x = top / bottom
    return where(x > 0.0, x, 0.0)


def largest_acceleration(limits: Limits, x: Scalar) -> Scalar:
    """The largest u that satisfies the rows at x."""
    top, bottom = 1.0, 0.0
    for side in [*(row.above for row in limits.rows), *limits.above]:
        room = side.end - side.slope * x
        sooner = where(side.size > 0.0, where(room * bottom < top * side.size, 1.0, 0.0), 0.0) > 0.5
        top, bottom = where(sooner, room, top), where(sooner, side.size, bottom)
    return top / where(bottom > 0.0, bottom, 1.0)


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

    def interval(self, torques: Torques | None) -> list[Port]:
        """The coefficients of a piece of the path, without the first unless there are torques; where an interval starts
        in it, and its length."""
        return [Port("coefficients", (self.degree + (torques is not None), self.joints)), Port("r", ()), Port("h", ())]

    def limits(self, torques: Torques | None) -> list[Port]:
        """Of speeds, accelerations and torques of the joints, and the share of them that is used."""
        names = ["fastest", "strongest", "most"][: 2 + (torques is not None)]
        return [*(Port(name, (self.joints,)) for name in names), Port("share", ())]

    def ends(self) -> list[Port]:
        names = [f"{name} {end}" for end in ("first", "last") for name in ("a", "b", "lower", "upper")]
        return [Port(name, (self.rows,)) for name in names] if self.rows else []


def evaluated(coefficients: Sequence[Sequence[Scalar]], r: Scalar) -> list[list[Scalar]]:
    """A polynomial with the coefficients of 1, r, r², …, and its first and second derivatives."""
    value = [0.0 * x for x in coefficients[0]]
    for row in reversed(coefficients):
        value = [x * r + c for x, c in zip(value, row, strict=True)]
    return [value, *rates(coefficients[1:], r)]


def rates(coefficients: Sequence[Sequence[Scalar]], r: Scalar) -> tuple[list[Scalar], list[Scalar]]:
    """The first and second derivatives of a polynomial with the coefficients of r, r², …"""
    first, second = [0.0 * x for x in coefficients[0]], [0.0 * x for x in coefficients[0]]
    for k in range(len(coefficients), 0, -1):
        row = coefficients[k - 1]
        first = [x * r + k * c for x, c in zip(first, row, strict=True)]
        if k > 1:
            second = [x * r + k * (k - 1) * c for x, c in zip(second, row, strict=True)]
    return first, second


def _speeds(coefficients: Any, r: Scalar, h: Scalar, fastest: Any) -> list[Scalar]:
    """The largest x at the start of an interval and at the points inside, by the speeds of the joints."""
    results = []
    for k in range(INNER + 1):
        top, bottom = FASTEST, 1.0
        for rate, v in zip(rates(coefficients, r + h * (k / (INNER + 1)))[0], fastest, strict=True):
            square = v * v
            sooner = square * bottom < top * (rate * rate)
            top, bottom = where(sooner, square, top), where(sooner, rate * rate, bottom)
        results.append(top / bottom)
    return results


class Interval:
    """The rows of an interval, from the numbers that a step takes."""

    def __init__(self, shape: Shape, torques: Torques | None, limits: Any, piece: Any, ends: Any) -> None:
        self.shape, self.torques = shape, torques
        self.fastest, self.strongest, self.share = limits[0], limits[1], limits[-1]
        self.most = limits[2] if torques else []
        coefficients, self.r, self.h = piece
        self.all = coefficients
        self.slopes = coefficients[1:] if torques else coefficients
        self.ends = ends

    def place(self, at: Scalar) -> Place:
        assert self.torques is not None
        return self.torques.place(evaluated(self.all, self.r + at), self.fastest)

    def rows(self, top: Scalar, first: Place | None, last: Place | None) -> tuple[Limits, Scalar]:
        """The rows if x is at most `top` at the end, and the largest x at the start by the speeds there."""
        rows: list[Row] = []
        for at, place, end in ((self.r, first, False), (self.r + self.h, last, True)):
            if self.shape.acceleration:
                found: Rows = [*rates(self.slopes, at), [-x for x in self.strongest], self.strongest]
                rows += rows_of(at_end(found, self.h) if end else found)
            if self.torques is not None:
                assert first is not None and last is not None and place is not None
                turning = self.torques.turning(first.direction, last.direction)
                found = self.torques.rows(place, turning, self.most, self.share)
                rows += rows_of(at_end(found, self.h) if end else found)
        above, below = sides_of(self.ends[:4]) if self.ends else ([], [])
        if self.ends:
            above, below = map(add, (above, below), sides_of(at_end(self.ends[4:], self.h)))
        speeds = _speeds(self.slopes, self.r, self.h, self.fastest)
        return with_speeds(Limits(rows, above, below), [*speeds[1:], top], self.h), speeds[0]


@dataclass(frozen=True, eq=False)
class Passes:
    """The loops over the intervals: backwards to the largest x at their starts, and forwards to x and the time.

    Arrays per step go in the direction of the loop.  `cap` is 0 where a motion stops at a corner.  With torques,
    `place` computes those at the start and at the end of a path, and the loop backwards which joint is loaded most at
    rest.
    """

    backward: Loop
    forward: Loop
    place: CompiledFunction | None


@lru_cache(maxsize=32)
def passes_without_torques(shape: Shape, steps: int) -> Passes:
    return passes(shape, steps, None)


def passes(shape: Shape, steps: int, torques: Torques | None) -> Passes:
    interval, ends, limits = shape.interval(torques), shape.ends(), shape.limits(torques)
    count, carried = len(limits), [Port("place", (len(PLACE) * shape.joints,))] if shape.carries else []

    def split(values: Any) -> tuple[Any, Interval, Scalar]:
        """What is carried of torques, the interval, and the number next to it."""
        known, values = values[: len(carried)], values[len(carried) :]
        more = values[count:]
        return known, Interval(shape, torques, values[:count], more[:3], more[4:]), more[3]

    def places(known: Any, piece: Interval, new: Scalar, forward: bool) -> tuple[Place | None, Place | None]:
        """Torques at the start and at the end; those at one of them are known."""
        if torques is None:
            return None, None
        computed = piece.place(new)
        if known:
            other = Place.of(known[0])
        else:
            other = piece.place(0.0 * piece.h if forward else piece.h)
        return (other, computed) if forward else (computed, other)

    def backward(top: Any, *values: Any) -> Any:
        known, piece, cap = split(values)
        first, last = places(known, piece, 0.0 * piece.h, False)
        rows, most = piece.rows(top, first, last)
        square = largest_square(rows, where(cap < most, cap, most))
        if first is None or torques is None:
            return square, square
        return square, *([first.flat()] if known else []), square, *torques.overload(first, piece.most)

    def forward(x: Any, t: Any, *values: Any) -> Any:
        known, piece, top = split(values)
        first, last = places(known, piece, piece.h, True)
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
        identity = "" if torques else f"{name} {shape}"
        inputs = (*state, *carried, *limits, *interval, cap, *ends)
        compiled = CompiledFunction(function, inputs, (*state, *carried, *results), identity)
        compiled.needs_double = True
        each = len(interval) + 1 + len(ends)
        loops.append(Loop(compiled, steps, len(state) + len(carried), each=each, name=f"time_optimal {name}"))
    return Passes(loops[0], loops[1], _place_kernel(shape, torques) if torques else None)


PLACE = Place.__dataclass_fields__


def _place_kernel(shape: Shape, torques: Torques) -> CompiledFunction:
    def place(coefficients: Any, r: Any, fastest: Any, most: Any) -> Any:
        found = torques.place(evaluated(coefficients, r), fastest)
        return found.flat(), *torques.overload(found, most)

    inputs = (*shape.interval(torques)[:2], *shape.limits(torques)[:3:2])
    outputs = (Port("place", (len(PLACE) * shape.joints,)), Port("loaded", ()), Port("load", ()))
    compiled = CompiledFunction(place, inputs, outputs)
    compiled.needs_double = True
    return compiled


@lru_cache(maxsize=16)
def excess_without_torques(shape: Shape) -> CompiledFunction:
    return excess_kernel(shape, None)


def excess_kernel(shape: Shape, torques: Torques | None) -> CompiledFunction:
    """By how much time must be stretched in an interval for limits of speed, acceleration and torque, and which limits
    most."""

    def excess(coefficients: Any, r: Any, h: Any, x0: Any, x1: Any, fastest: Any, strongest: Any, *more: Any) -> Any:
        largest: Scalar = 0.0
        which: Scalar = 0.0
        u = (x1 - x0) / (2.0 * h)
        slopes = coefficients[1:] if torques else coefficients

        def compare(squares: Any) -> None:
            nonlocal largest, which
            for square, index in squares:
                which = where(square > largest, float(index), which)
                largest = where(square > largest, square, largest)

        for k in range(CHECKS + 1):
            x = x0 + (x1 - x0) * (k / CHECKS)
            at = rates(slopes, r + h * (k / CHECKS))
            for i, (rate, bend, v, a) in enumerate(zip(*at, fastest, strongest, strict=True)):
                pairs = ((rate * rate * x / (v * v), i), (abs(rate * u + bend * x) / a, shape.joints + i))
                compare(pairs[: 1 + shape.acceleration])
        if torques is not None:
            turning = torques.turning(rates(slopes, r)[0], rates(slopes, r + h)[0])
            for share in INSIDE:
                place = evaluated(coefficients, r + h * share)
                ratios = torques.ratios(place, u, x0 + (x1 - x0) * share, turning, more[0], SMALLEST)
                compare(zip(ratios, range(2 * shape.joints, 3 * shape.joints), strict=True))
        return largest, which

    inputs = (*shape.interval(torques), Port("x0", ()), Port("x1", ()), *shape.limits(torques)[:-1])
    identity = "" if torques else f"excess {shape}"
    compiled = CompiledFunction(excess, inputs, (Port("square", ()), Port("which", ())), identity)
    compiled.needs_double = True
    return compiled
