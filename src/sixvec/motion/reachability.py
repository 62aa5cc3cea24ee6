"""How fast a path can be travelled: reachability analysis on a grid (Pham and Pham 2018), on scalars.

With s the position on the path, x = ṡ² and u = s̈ are the unknowns, and every limit is a row  lower ≤ a u + b x ≤
upper. On an interval of length h with constant u, x grows by 2 h u.  Going backwards, the largest x from which the
rest of the path can be travelled follows from that of the next point; going forwards, u is as large as possible.

Each step is a program in two variables (`two_variables.py`).  Rest satisfies all rows; that is checked before.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from operator import add
from typing import Any

from sixvec.kernels import Port
from sixvec.model import Model
from sixvec.motion.curve import Curve
from sixvec.motion.path_torques import Place, Torques
from sixvec.motion.two_variables import (
    Fraction,
    Limits,
    Row,
    Rows,
    Side,
    at_end,
    at_least_zero,
    largest_acceleration,
    least_bound,
    rows_of,
    sides_of,
    speeds_inside,
    square_before,
    symmetric_rows,
)
from sixvec.scalar import Scalar, where

FASTEST = 1e60
"""Squared speed where no limit of speed applies."""

INNER = 3
"""Points inside each interval at which the limits of speed hold, too: speed is what exceeds its limit most there."""

SMALLEST = 1e-9
"""What a bound leaves for motion, relative to the bound, below which it counts as that."""


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
            square, share = v * v, abs(rate) * abs(rate)  # rate² may be part of torques, and fused with a sum there
            sooner = square * bottom < top * share
            top, bottom = where(sooner, square, top), where(sooner, share, bottom)
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

    def known(self, first: Place | None, last: Place | None) -> Known:
        """What does not depend on x at the start or at the end."""
        rows: list[Row] = []
        for at, place, end in ((self.r, first, False), (self.r + self.h, last, True)):
            if self.shape.acceleration:
                row_values: Rows = self.curve.rates(at)
                a, b, *_ = at_end(row_values, self.h) if end else row_values
                rows += symmetric_rows(a, b, self.strongest)
            if self.torques is not None:
                assert first is not None and last is not None and place is not None
                turning = self.torques.turning(first.direction, last.direction)
                row_values = self.torques.rows(place, turning, self.most, self.share)
                rows += rows_of(at_end(row_values, self.h) if end else row_values)
        above, below = sides_of(self.ends[:4]) if self.ends else ([], [])
        if self.ends:
            above, below = map(add, (above, below), sides_of(at_end(self.ends[4:], self.h)))
        speeds = _speeds(self.curve, self.r, self.h, self.fastest, self.shape.inner)
        return Known(Limits(rows, above, below), speeds, self.h)


@dataclass(frozen=True)
class Known:
    """Limits of u and x in an interval, and the largest x at its start and at the points inside by the speeds there.

    One path computes them for all its intervals in lanes, and a batch in the loops.  They have the same bits: no number
    of `flat` is a product that could be fused with a sum.
    """

    limits: Limits
    speeds: Sequence[Scalar]
    h: Scalar

    def bound(self, cap: Scalar) -> Fraction:
        """The largest x at the start, at most `cap`, wherever x is at the end."""
        most = where(cap < self.speeds[0], cap, self.speeds[0])
        return least_bound(at_least_zero(self._with_speeds, self.h), most)

    def square(self, bound: Fraction, top: Scalar) -> Scalar:
        """The largest x at the start if it is at most `top` at the end."""
        return square_before(bound, self.limits, top, self.h)

    def acceleration(self, x: Scalar, top: Scalar) -> Scalar:
        """The largest u with this x at the start and at most `top` at the end."""
        limits, full = self._with_speeds, 0.5 / self.h
        return largest_acceleration(Limits(limits.rows, [*limits.above, Side(full, top * full)], []), x)

    @property
    def _with_speeds(self) -> Limits:
        inside = speeds_inside(self.speeds[1:], self.h)
        return Limits(self.limits.rows, [*self.limits.above, *inside], self.limits.below)

    def flat(self, cap: Scalar) -> list[Scalar]:
        """The bound, the speeds inside and the rows of an interval without limits of users."""
        rows = [x for row in self.limits.rows for x in (row.slope, row.upper, row.lower)]
        return [*self.bound(cap), *self.speeds[1:], *rows]

    @classmethod
    def of(cls, numbers: Sequence[Scalar], h: Scalar, inner: int) -> tuple[Fraction, Known]:
        top, bottom, *others = numbers
        each = [others[k : k + 3] for k in range(inner, len(others), 3)]
        return (top, bottom), cls(Limits([Row(*x) for x in each], [], []), [FASTEST, *others[:inner]], h)
