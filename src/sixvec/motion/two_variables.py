"""Programs in the two unknowns of a timing, u = s̈ and x = ṡ², in closed form, on scalars.

A limit is a row  lower ≤ a u + b x ≤ upper,  which is divided by |a| and so bounds u by straight lines of x.  One
line from above and one from below admit some u up to where they cross: one bound of x.  The largest x is the
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
    """u + slope x  within  lower and upper."""

    slope: Scalar
    upper: Scalar
    lower: Scalar

    @property
    def above(self) -> Side:
        return Side(self.slope, self.upper)

    @property
    def below(self) -> Side:
        return Side(self.slope, self.lower)


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
        half = abs(bound * share)
        scaled.append(Row(slope * share, half, -half))
    return scaled


def rows_of(rows: Rows) -> list[Row]:
    scaled = []
    for a, b, low, high in zip(*rows, strict=True):
        share = _per_size(a)
        turned, one, other = share < 0.0, low * share, high * share
        scaled.append(Row(b * share, where(turned, one, other), where(turned, other, one)))
    return scaled


def sides_of(rows: Rows) -> tuple[list[Side], list[Side]]:
    above, below = [], []
    for a, b, low, high in zip(*rows, strict=True):
        share = _per_size(a)
        turned = share < 0.0
        above.append(Side(b * share, where(turned, low, high) * share))
        below.append(Side(b * share, where(turned, high, low) * share))
    return above, below


def at_least_zero(limits: Limits, h: Scalar) -> Limits:
    """The rows and  x + 2 h u ≥ 0  at the end of an interval."""
    return Limits(limits.rows, limits.above, [*limits.below, Side(0.5 / h, 0.0)])


def speeds_inside(speeds: Sequence[Scalar], h: Scalar) -> list[Side]:
    """x + 2 h σ u ≤ speed  at evenly spaced fractions σ inside an interval."""
    full, parts = 0.5 / h, len(speeds) + 1
    shares = [full * (parts / (k + 1)) for k in range(len(speeds))]
    return [Side(share, speed * share) for share, speed in zip(shares, speeds, strict=True)]


Fraction = tuple[Scalar, Scalar]
"""A numerator and a denominator."""


def largest_square(limits: Limits, most: Scalar) -> Scalar:
    """The largest x, at most `most`, for which some u satisfies the rows; (0, 0) does."""
    return quotient(least_bound(limits, most))


def least_bound(limits: Limits, most: Scalar) -> Fraction:
    """This x as a fraction.

    No end is below zero, so that fractions with a slope below zero, which bound x from below, are never the least.
    """
    least = _Least((most, 1.0))
    for k, one in enumerate(limits.rows):
        for other in limits.rows[:k]:  # the upper side of the one and the lower side of the other, or the other way
            slope = one.slope - other.slope
            least.compare(where(slope < 0.0, other.upper - one.lower, one.upper - other.lower), abs(slope))
    below = [*limits.below, *(row.below for row in limits.rows)]
    pairs = [(up, low) for up in limits.above for low in below]
    pairs += [(row.above, low) for row in limits.rows for low in limits.below]
    for up, low in pairs:
        least.compare(up.end - low.end, up.slope - low.slope)
    return least.fraction


def square_before(bound: Fraction, limits: Limits, top: Scalar, h: Scalar) -> Scalar:
    """The largest x within this bound for which some u satisfies the rows and  x + 2 h u ≤ top."""
    least, twice = _Least(bound), 2.0 * h
    for low in [*limits.below, *(row.below for row in limits.rows)]:
        least.compare(top - twice * low.end, 1.0 - twice * low.slope)
    return quotient(least.fraction)


def quotient(fraction: Fraction) -> Scalar:
    x = fraction[0] / fraction[1]
    return where(x > 0.0, x, 0.0)


class _Least:
    """The least of many fractions, and of the first, which has a positive denominator."""

    def __init__(self, first: Fraction) -> None:
        self._least, self._count = [first] * SEARCHES, 0

    def compare(self, end: Scalar, slope: Scalar) -> None:
        k = self._count % SEARCHES
        self._least[k] = _smaller(self._least[k], (end, slope))
        self._count += 1

    @property
    def fraction(self) -> Fraction:
        return reduce(_smaller, self._least)


def _smaller(one: Fraction, other: Fraction) -> Fraction:
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
