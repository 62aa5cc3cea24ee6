"""Programs in the two unknowns of a timing, u = s̈ and x = ṡ², in closed form, on scalars.

A limit is a row  lower ≤ a u + b x ≤ upper,  which is divided by |a| and so bounds u by straight lines of x.  One
line from above and one from below leave room for some u up to where they cross: one bound of x.  The largest x is the
least of a few hundred such fractions, which are compared without division.  A row with a = 0 bounds x alone; it counts
as one with a very small a, so that it is no special case, where other methods divide by zero.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce

from sixvec.scalar import Scalar, where

LEAST_SIZE = 1e-100
"""|a| of rows that do not depend on s̈."""

SLACK = 1e-11
"""Of bounds, relative, where x is known and u is not: rows with a small |a| that hold for x but for rounding must not
decide on u."""

SEARCHES = 4
"""For the least of many fractions, side by side: each comparison waits for the one before it in its search."""

FLAT = 1e-30
"""Second differences of shares of limits below which a parabola is flat."""


@dataclass(frozen=True)
class Side:
    """u + slope x  is at most, or at least, `end`."""

    slope: Scalar
    end: Scalar


@dataclass(frozen=True)
class Row:
    """u + slope x  within  centre ± half."""

    slope: Scalar
    centre: Scalar
    half: Scalar

    @property
    def above(self) -> Side:
        return Side(self.slope, self.centre + self.half)

    @property
    def below(self) -> Side:
        return Side(self.slope, self.centre - self.half)


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


def _per_size(a: Scalar) -> Scalar:
    """1 / a, for a that may be zero."""
    return 1.0 / where(abs(a) > LEAST_SIZE, a, LEAST_SIZE)


def symmetric_rows(a: Sequence[Scalar], b: Sequence[Scalar], most: Sequence[Scalar]) -> list[Row]:
    """Rows  |a u + b x| ≤ most."""
    scaled = []
    for size, slope, bound in zip(a, b, most, strict=True):
        share = _per_size(size)
        scaled.append(Row(slope * share, 0.0, bound * abs(share)))
    return scaled


def rows_of(rows: Rows) -> list[Row]:
    scaled = []
    for a, b, low, high in zip(*rows, strict=True):
        share = _per_size(a)
        scaled.append(Row(b * share, 0.5 * (low + high) * share, 0.5 * (high - low) * abs(share)))
    return scaled


def sides_of(rows: Rows) -> tuple[list[Side], list[Side]]:
    above, below = [], []
    for a, b, low, high in zip(*rows, strict=True):
        turned, share = a < 0.0, _per_size(a)
        above.append(Side(b * share, where(turned, low, high) * share))
        below.append(Side(b * share, where(turned, high, low) * share))
    return above, below


def with_speeds(limits: Limits, speeds: Sequence[Scalar], h: Scalar) -> Limits:
    """The rows and  x + 2 h σ u ≤ speed  at evenly spaced fractions σ of the interval, the last of which is 1."""
    full = 0.5 / h
    shares = [full * (len(speeds) / (k + 1)) for k in range(len(speeds))]
    return Limits(
        limits.rows,
        limits.above + [Side(share, speed * share) for share, speed in zip(shares, speeds, strict=True)],
        [*limits.below, Side(full, 0.0)],
    )


def largest_square(limits: Limits, most: Scalar) -> Scalar:
    """The largest x, at most `most`, for which some u satisfies the rows; (0, 0) does.

    No end is below zero, so that fractions with a slope below zero, which bound x from below, are never the least.
    """
    least: list[tuple[Scalar, Scalar]] = [(most, 1.0)] * SEARCHES
    count = 0

    def compare(end: Scalar, slope: Scalar) -> None:
        nonlocal count
        least[count % SEARCHES] = _smaller(least[count % SEARCHES], (end, slope))
        count += 1

    for k, one in enumerate(limits.rows):
        for other in limits.rows[:k]:  # the upper side of the one and the lower side of the other, or the other way
            slope, shift = one.slope - other.slope, one.centre - other.centre
            compare(one.half + other.half + where(slope < 0.0, -shift, shift), abs(slope))
    below = [*limits.below, *(row.below for row in limits.rows)]
    pairs = [(up, low) for up in limits.above for low in below]
    pairs += [(row.above, low) for row in limits.rows for low in limits.below]
    for up, low in pairs:
        compare(up.end - low.end, up.slope - low.slope)
    top, bottom = reduce(_smaller, least)
    x = top / bottom
    return where(x > 0.0, x, 0.0)


def _smaller(one: tuple[Scalar, Scalar], other: tuple[Scalar, Scalar]) -> tuple[Scalar, Scalar]:
    """The smaller of two fractions, the first of which has a positive denominator."""
    sooner = other[0] * one[1] < one[0] * other[1]
    return where(sooner, other[0], one[0]), where(sooner, other[1], one[1])


def largest_acceleration(limits: Limits, x: Scalar) -> Scalar:
    """The largest u that satisfies the rows at x."""
    least: Scalar = 1.0 / LEAST_SIZE
    for side in [*(row.above for row in limits.rows), *limits.above]:
        along = side.slope * x
        u = side.end - along + SLACK * (abs(side.end) + abs(along))
        least = where(u < least, u, least)
    return least


def summit(before: Scalar, middle: Scalar, after: Scalar, reach: float = 1.0) -> Scalar:
    """Where the parabola through three values at -1, 0 and 1 is largest, from -reach to reach; of arrays, too."""
    rise, bend = 0.5 * (after - before), 2.0 * middle - before - after
    bends = bend > FLAT
    at = where(bends, rise / where(bends, bend, 1.0), 0.0)
    return where(at > reach, reach, where(at < -reach, -reach, at))


def highest(before: Scalar, middle: Scalar, after: Scalar, reach: float = 1.0) -> Scalar:
    """The largest value of this parabola."""
    at = summit(before, middle, after, reach)
    return middle + 0.5 * at * (after - before - at * (2.0 * middle - before - after))
