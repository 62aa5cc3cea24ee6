"""How fast a path can be travelled: reachability analysis on a grid (Pham and Pham 2018), on scalars.

With s the position on the path, x = ṡ² and u = s̈ are the unknowns, and every limit is a row  lower ≤ a u + b x ≤
upper. On an interval of length h with constant u, x grows by 2 h u.  Going backwards, the largest x from which the
rest of the path can be travelled follows from that of the next point; going forwards, u is as large as possible.

Each step is a program in two variables.  Eliminating u from one upper and one lower row gives one bound of x, so the
largest x is the least of a few hundred fractions, which are compared without division.  Rows with a = 0, where other
methods divide by zero, are not a special case.  Rest satisfies all rows; that is checked before.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from sixvec.kernels import Iterated, Port
from sixvec.kernels.function import CompiledFunction
from sixvec.scalar import Scalar, sqrt, where

FASTEST = 1e12
"""Squared speed where no limit of speed applies."""

INNER = 3
"""Points inside each interval at which the limits of speed hold, too: speed is what exceeds its limit most there."""

CHECKS = 6
"""Points in each interval at which a motion is compared with its limits."""

LEAST_SPEED = 1e-12
"""Added where a time is divided by a speed that may be zero at both ends of an interval."""


@dataclass(frozen=True)
class Side:
    """One side of a row, solved for u:  size u + slope x  is at most, or at least, `end`; size ≥ 0."""

    size: Scalar
    slope: Scalar
    end: Scalar


@dataclass(frozen=True)
class Limits:
    """The rows of an interval by their sides."""

    above: list[Side]
    below: list[Side]


def limits_of(a: Sequence[Scalar], b: Sequence[Scalar], lower: Sequence[Scalar], upper: Sequence[Scalar]) -> Limits:
    """Rows  lower ≤ a u + b x ≤ upper  by their sides."""
    above, below = [], []
    for slope, x, low, high in zip(a, b, lower, upper, strict=True):
        turned = slope < 0.0
        size, along = abs(slope), where(turned, -x, x)
        above.append(Side(size, along, where(turned, -low, high)))
        below.append(Side(size, along, where(turned, -high, low)))
    return Limits(above, below)


def at_both_ends(first: Sequence[Any], last: Sequence[Any], h: Scalar) -> Limits:
    """The rows (a, b, lower, upper) at the start of an interval, and those at its end, where x has grown by 2 h u."""
    a, b, lower, upper = last
    ahead = limits_of([y + 2.0 * h * z for y, z in zip(a, b, strict=True)], b, lower, upper)
    here = limits_of(*first)
    return Limits(here.above + ahead.above, here.below + ahead.below)


def with_speeds(limits: Limits, speeds: Sequence[Scalar], h: Scalar) -> Limits:
    """The rows and  x + 2 h σ u ≤ speed  at evenly spaced fractions σ of the interval, the last of which is 1."""
    steps = [2.0 * h * (k + 1) / len(speeds) for k in range(len(speeds))]
    return Limits(
        limits.above + [Side(step, 1.0, speed) for step, speed in zip(steps, speeds, strict=True)],
        [*limits.below, Side(2.0 * h, 1.0, 0.0)],
    )


def largest_square(limits: Limits, most: Scalar) -> Scalar:
    """The largest x, at most `most`, for which some u satisfies the rows; (0, 0) does."""
    top, bottom = most, 1.0
    for up in limits.above:
        for low in limits.below:
            slope = up.slope * low.size - low.slope * up.size
            end = up.end * low.size - low.end * up.size
            sooner = where(slope > 0.0, where(end * bottom < top * slope, 1.0, 0.0), 0.0) > 0.5
            top, bottom = where(sooner, end, top), where(sooner, slope, bottom)
    x = top / bottom
    return where(x > 0.0, x, 0.0)


def largest_acceleration(limits: Limits, x: Scalar) -> Scalar:
    """The largest u that satisfies the rows at x."""
    top, bottom = 1.0, 0.0
    for side in limits.above:
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

    def interval(self) -> list[Port]:
        """The coefficients of r, r², … of a piece of the path, where an interval starts in it, and its length."""
        return [Port("coefficients", (self.degree, self.joints)), Port("r", ()), Port("h", ())]

    def limits(self) -> list[Port]:
        return [Port("fastest", (self.joints,)), Port("strongest", (self.joints,))]

    def ends(self) -> list[Port]:
        names = [f"{name} {end}" for end in ("first", "last") for name in ("a", "b", "lower", "upper")]
        return [Port(name, (self.rows,)) for name in names] if self.rows else []


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


def _limits(shape: Shape, interval: Any, fastest: Any, strongest: Any, ends: Any, top: Scalar) -> Any:
    """The rows of an interval at whose end x is at most `top`, and the largest x at its start by the speeds there."""
    coefficients, r, h = interval
    first, last = ([list(x) for x in part] for part in ((ends[:4], ends[4:]) if ends else ([[]] * 4, [[]] * 4)))
    if shape.acceleration:
        for rows, at in ((first, r), (last, r + h)):
            a, b = rates(coefficients, at)
            for part, more in zip(rows, (a, b, [-x for x in strongest], list(strongest)), strict=True):
                part.extend(more)
    speeds = _speeds(coefficients, r, h, fastest)
    return with_speeds(at_both_ends(first, last, h), [*speeds[1:], top], h), speeds[0]


@lru_cache(maxsize=32)
def passes(shape: Shape, steps: int) -> tuple[Iterated, Iterated]:
    """The loops over the intervals: backwards to the largest x at their starts, and forwards to x and the time.

    Arrays per step go in the direction of the loop.  `cap` is 0 where a motion stops at a corner.
    """
    interval, ends, cap = shape.interval(), shape.ends(), Port("cap", ())

    def backward(top: Any, fastest: Any, strongest: Any, *more: Any) -> Any:
        limits, most = _limits(shape, more[:3], fastest, strongest, more[4:], top)
        square = largest_square(limits, where(more[3] < most, more[3], most))
        return square, square

    def forward(x: Any, t: Any, fastest: Any, strongest: Any, *more: Any) -> Any:
        h, top = more[2], more[3]
        u = largest_acceleration(_limits(shape, more[:3], fastest, strongest, more[4:], top)[0], x)
        end = x + 2.0 * h * u
        end = where(end > top, top, where(end > 0.0, end, 0.0))
        later = t + 2.0 * h / (sqrt(x) + sqrt(end) + LEAST_SPEED)
        return end, later, end, later

    x, t = Port("x", ()), Port("t", ())
    back = CompiledFunction(
        backward, (x, *shape.limits(), *interval, cap, *ends), (x, Port("largest", ())), f"backward pass {shape}"
    )
    ahead = CompiledFunction(
        forward,
        (x, t, *shape.limits(), *interval, Port("largest", ()), *ends),
        (x, t, Port("squares", ()), Port("times", ())),
        f"forward pass {shape}",
    )
    for function in (back, ahead):
        function.needs_double = True
    each = len(interval) + 1 + len(ends)
    return (
        Iterated(back, steps, 1, each=each, name="time_optimal backwards"),
        Iterated(ahead, steps, 2, each=each, name="time_optimal forwards"),
    )


@lru_cache(maxsize=16)
def excess_kernel(shape: Shape) -> CompiledFunction:
    """By how much time must be stretched in an interval for limits of speed and acceleration, and which limits most."""

    def excess(coefficients: Any, r: Any, h: Any, x0: Any, x1: Any, fastest: Any, strongest: Any) -> Any:
        largest: Scalar = 0.0
        which: Scalar = 0.0
        u = (x1 - x0) / (2.0 * h)
        for k in range(CHECKS + 1):
            x = x0 + (x1 - x0) * (k / CHECKS)
            at = rates(coefficients, r + h * (k / CHECKS))
            for i, (rate, bend, v, a) in enumerate(zip(*at, fastest, strongest, strict=True)):
                pairs = ((rate * rate * x / (v * v), i), (abs(rate * u + bend * x) / a, shape.joints + i))
                for square, index in pairs[: 1 + shape.acceleration]:
                    which = where(square > largest, float(index), which)
                    largest = where(square > largest, square, largest)
        return largest, which

    inputs = (*shape.interval(), Port("x0", ()), Port("x1", ()), *shape.limits())
    compiled = CompiledFunction(excess, inputs, (Port("square", ()), Port("which", ())), f"excess {shape}")
    compiled.needs_double = True
    return compiled
