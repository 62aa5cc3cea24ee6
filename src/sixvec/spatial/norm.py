"""Lengths whose derivative is finite everywhere."""

from __future__ import annotations

from collections.abc import Iterable
from functools import reduce

from sixvec.scalar import Scalar, like, sqrt, where
from sixvec.spatial.vector import Vec3

PARALLEL_SINE = 1e-14
"""Directions within 1e-14 rad of each other count as parallel: below that, the rounding of unit vectors (2⁻⁵³ a
coordinate) decides where their vector product points."""


def root(x: Scalar) -> Scalar:
    """√x for x ≥ 0, with derivative 0 at x = 0, where the true one is infinite.

    >>> root(0.0), root(4.0)
    (0.0, 2.0)
    """
    positive = x > 0.0
    return where(positive, sqrt(where(positive, x, like(x, 1.0))), 0.0)


def length(v: Vec3) -> Scalar:
    """|v|, with derivative 0 at v = 0 (the middle of all one-sided derivatives).

    >>> length(Vec3(2.0, 3.0, 6.0))
    7.0
    """
    return root(v.dot(v))


def nonzero(x: Scalar) -> Scalar:
    """x where it is positive, else 1: a safe divisor where the quotient is discarded.

    >>> nonzero(0.0), nonzero(2.0)
    (1.0, 2.0)
    """
    return where(x > 0.0, x, like(x, 1.0))


def largest(v: Vec3) -> Scalar:
    """The largest |coordinate|: divide by it before squaring, to avoid overflow.

    >>> largest(Vec3(1e-200, -3e200, 0.0))
    3e+200
    """
    x, y, z = (abs(a) for a in v)
    xy = where(x > y, x, y)
    return where(xy > z, xy, z)


def larger_or_nan(a: Scalar, b: Scalar) -> Scalar:
    """The larger of two numbers, NaN if one of them is.

    >>> larger_or_nan(1.0, 2.0), larger_or_nan(2.0, float("nan"))
    (2.0, nan)
    """
    return where(b < a, a, where(a < b, b, (b + a) * 0.5))


def largest_size(values: Iterable[Scalar]) -> Scalar:
    """The largest absolute value, 0 of none, NaN if any is.

    >>> largest_size([1.0, -3.0]), largest_size([float("nan"), 1.0])
    (3.0, nan)
    """
    return reduce(larger_or_nan, map(abs, values), 0.0)


def precise_cross(a: Vec3, b: Vec3) -> Vec3:
    """a × b with small relative error also for nearly parallel vectors of about the same length.

    a × b = a × (b ∓ a); the difference of nearby numbers is exact in floating point (Sterbenz), so nothing cancels.
    The plain form loses log10(1/angle) digits.

    >>> precise_cross(Vec3(1.0, 0.0, 0.0), Vec3(1.0, 1e-20, 0.0))
    Vec3(x=0.0, y=0.0, z=1e-20)
    """
    along = a.dot(b)
    toward = where(along < 0.0, like(along, -1.0), 1.0)
    return a.cross(b - a * toward)
