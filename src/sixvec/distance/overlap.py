"""Whether balls of two bodies overlap, with three products for each pair.

With a the way from a reference point to a ball of the same body, and w that to another ball,
|w - a|² = |w|² - 2 a·w + |a|².  The last term is constant, and the first is shared by the pairs of a ball.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from sixvec.scalar import Scalar, where
from sixvec.spatial import Vec3

NEAR = 4.0
"""Distance of a ball to the reference point, in sums of radii, up to which the terms above are used.  They grow with
its square: farther away, their rounding would be larger than that of the places of the balls."""


@dataclass(frozen=True, slots=True)
class Balls:
    """The centres of two balls and the sum of their radii; the first is at a constant distance from a reference."""

    first: Vec3
    square: float
    """Of that distance."""
    second: Vec3
    radii: float


def if_apart(value: Scalar, reference: Vec3, pairs: Iterable[Balls], margin: Scalar) -> Scalar:
    """The value, or -1 if the gap of some pair is not larger than the margin.

    One result of all comparisons costs less than a minimum: a device combines them in the instruction that compares.

    >>> balls = [Balls(Vec3(1.0, 0.0, 0.0), 1.0, Vec3(2.0, 0.0, 0.0), 0.75)]
    >>> [if_apart(1.0, Vec3.zero(), balls, margin) for margin in (0.0, 0.25, 0.5)]
    [1.0, -1.0, -1.0]
    """
    for pair in pairs:
        radii = pair.radii + margin
        if pair.square < (NEAR * pair.radii) ** 2:
            a, w = (reference - pair.first) * 2.0, pair.second - reference
            apart = w.dot(w) + a.x * w.x + a.y * w.y + a.z * w.z
            overlap = radii * radii - pair.square
        else:
            d = pair.first - pair.second
            apart, overlap = d.dot(d), radii * radii
        value = where(overlap < apart, value, -1.0)
    return value
