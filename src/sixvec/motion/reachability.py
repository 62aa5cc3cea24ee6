"""How fast a path can be travelled: reachability analysis on a grid (Pham and Pham 2018), on scalars.

With s the position on the path, x = ṡ² and u = s̈ are the unknowns, and every limit is a row  lower ≤ a u + b x ≤ upper.
On an interval of length h with constant u, x grows by 2 h u.  Going backwards, the largest x from which the rest of the
path can be travelled follows from that of the next point; going forwards, u is as large as possible.

Each step is a program in two variables.  Eliminating u from one upper and one lower row gives one bound of x, so the
largest x is the least of a few hundred fractions, which are compared without division.  Rows with a = 0, where other
methods divide by zero, are no special case.  Standing still satisfies all rows; that is checked before.
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


@lru_cache(maxsize=32)
def passes(rows: int, steps: int) -> tuple[Iterated, Iterated]:
    """The loops over the grid: backwards to the largest x at each point, and forwards to x, u and the time.

    Both carry the rows of the neighbouring point.  Arrays per step go in the direction of the loop.
    """
    of_row = [Port(name, (rows,)) for name in ("a", "b", "lower", "upper")]
    carried = [Port(f"{p.name} before", p.shape) for p in of_row]
    speeds = Port("speeds", (INNER + 1,))

    def backward(top: Any, *more: Any) -> Any:
        after, h, here, limit = more[:4], more[4], more[5:9], more[9]
        limits = with_speeds(at_both_ends(here, after, h), [*limit[1:], top], h)
        square = largest_square(limits, limit[0])
        return square, *here, square

    def forward(x: Any, t: Any, *more: Any) -> Any:
        here, h, after, limit, top = more[:4], more[4], more[5:9], more[9], more[10]
        u = largest_acceleration(with_speeds(at_both_ends(here, after, h), [*limit[1:], top], h), x)
        end = x + 2.0 * h * u
        end = where(end > top, top, where(end > 0.0, end, 0.0))
        later = t + 2.0 * h / (sqrt(x) + sqrt(end) + LEAST_SPEED)
        return end, later, *after, end, (end - x) * (0.5 / h), later

    x, t, h = Port("x", ()), Port("t", ()), Port("h", ())
    back = CompiledFunction(
        backward, (x, *carried, h, *of_row, speeds), (x, *carried, Port("largest", ())), f"backward pass {rows}"
    )
    ahead = CompiledFunction(
        forward,
        (x, t, *carried, h, *of_row, speeds, Port("largest", ())),
        (x, t, *carried, Port("squares", ()), Port("accelerations", ()), Port("times", ())),
        f"forward pass {rows}",
    )
    for function in (back, ahead):
        function.needs_double = True
    return (
        Iterated(back, steps, 5, each=6, name="time_optimal backwards"),
        Iterated(ahead, steps, 6, each=7, name="time_optimal forwards"),
    )
