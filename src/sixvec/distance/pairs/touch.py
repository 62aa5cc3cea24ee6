"""Where two surfaces touch, or would: a point, the common normal, and the gap between them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sixvec.scalar import Scalar, sqrt, where
from sixvec.spatial import Vec3

FAR = 1e3
"""The gap, in metres, of a nonexistent contact point of a pair: too far to matter in any step."""

NONE = 1e30
"""The squared distance, or the depth, of a candidate that does not exist."""

COINCIDENT = 1e-24
"""Squared distance of points, in m², below which the direction from one to the other is rounding."""


@dataclass(frozen=True, slots=True)
class Touch:
    """A point where the first of two shapes may touch the second, in world coordinates.

    `normal` is a unit vector from the second shape to the first, `gap` the distance along it, negative where they
    overlap, and `point` a point of the second surface; of faces, of the one whose normal it is, of crossing edges the
    middle.  The points of one pair then are in one plane across the normal, so motion of one along it requires
    no slip of the others.
    """

    point: Vec3
    normal: Vec3
    gap: Scalar


def selected(condition: Scalar, yes: Vec3, no: Vec3) -> Vec3:
    """`where` for vectors."""
    return Vec3(*(where(condition, a, b) for a, b in zip(yes, no, strict=True)))


def nearest_touch(touches: Sequence[Touch]) -> Touch:
    """The one with the smallest gap, of equal ones the first."""
    best = touches[0]
    for x in touches[1:]:
        nearer = x.gap < best.gap
        point, normal = selected(nearer, x.point, best.point), selected(nearer, x.normal, best.normal)
        best = Touch(point, normal, where(nearer, x.gap, best.gap))
    return best


def clamped(x: Scalar, lower: Scalar, upper: Scalar) -> Scalar:
    return where(x < lower, lower, where(x > upper, upper, x))


def sign(x: Scalar) -> Scalar:
    """1 or -1, for zero 1."""
    return where(x < 0.0, -1.0, 1.0)


def size(x: Scalar) -> Scalar:
    return where(x < 0.0, -x, x)


def direction(d: Vec3, otherwise: Vec3) -> tuple[Vec3, Scalar]:
    """The unit vector along d and its length; where d vanishes, `otherwise` and zero."""
    square = d.dot(d)
    apart = square > COINCIDENT
    length = sqrt(where(apart, square, 1.0))
    return selected(apart, d * (1.0 / length), otherwise), where(apart, length, 0.0)


def of_spheres(first: Vec3, radius: Scalar, second: Vec3, other: Scalar) -> Touch:
    """Two balls with these centres and radii; points are balls of radius zero."""
    n, distance = direction(first - second, Vec3(0.0, 0.0, 1.0))
    gap = distance - radius - other
    return Touch(second + n * other, n, gap)
