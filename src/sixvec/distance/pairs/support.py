"""The farthest point of a convex shape in a direction, in the coordinates of the shape.

Spheres and capsules are represented by their cores, a point and a segment, to which their radius is added.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sixvec.distance.pairs.touch import clamped, sign
from sixvec.scalar import Scalar, sqrt, where
from sixvec.spatial import Vec3

Support = Callable[[Sequence[Scalar], Vec3], Vec3]
"""(sizes, direction) -> the farthest point; the direction need not be a unit vector."""

TINY = 1e-290
"""Squared lengths below this are zero: a direction along the axis of a cylinder has no radial part."""


def of_point(sizes: Sequence[Scalar], d: Vec3) -> Vec3:
    return Vec3.zero()


def of_segment(sizes: Sequence[Scalar], d: Vec3) -> Vec3:
    return Vec3(0.0, 0.0, sign(d.z) * sizes[1])


def of_box(sizes: Sequence[Scalar], d: Vec3) -> Vec3:
    return Vec3(*(sign(x) * h for x, h in zip(d, sizes, strict=False)))


def of_cylinder(sizes: Sequence[Scalar], d: Vec3) -> Vec3:
    x, y, _ = _on_circle(sizes[0], d)
    return Vec3(x, y, sign(d.z) * sizes[1])


def of_cone(sizes: Sequence[Scalar], d: Vec3) -> Vec3:
    """The apex, or a point of the circle around the base at z = 0."""
    x, y, reach = _on_circle(sizes[0], d)
    is_apex = sizes[1] * d.z > reach
    return Vec3(where(is_apex, 0.0, x), where(is_apex, 0.0, y), where(is_apex, sizes[1], 0.0))


def of_ellipsoid(sizes: Sequence[Scalar], d: Vec3) -> Vec3:
    scaled = [h * x for h, x in zip(sizes, d, strict=False)]
    square = sum(x * x for x in scaled)
    inverse = where(square > TINY, 1.0 / sqrt(where(square > TINY, square, 1.0)), 0.0)
    return Vec3(*(h * x * inverse for h, x in zip(sizes, scaled, strict=False)))


def _on_circle(radius: Scalar, d: Vec3) -> tuple[Scalar, Scalar, Scalar]:
    """The farthest point of a circle about z, and how far it reaches."""
    square = d.x * d.x + d.y * d.y
    length = sqrt(where(square > TINY, square, 1.0))
    k = where(square > TINY, radius / length, 0.0)
    return d.x * k, d.y * k, where(square > TINY, radius * length, 0.0)


SUPPORTS: dict[str, Support] = {
    "sphere": of_point,
    "capsule": of_segment,
    "box": of_box,
    "cylinder": of_cylinder,
    "cone": of_cone,
    "ellipsoid": of_ellipsoid,
}
"""The function of each kind; a convex hull compares its vertices."""


def inside_cylinder(sizes: Sequence[Scalar], p: Vec3) -> tuple[Vec3, Scalar]:
    """The point of a solid cylinder nearest to p, and the depth of p below its surface, negative outside."""
    square = p.x * p.x + p.y * p.y
    length = sqrt(where(square > TINY, square, 1.0))
    reach = where(square > TINY, length, 0.0)
    k = where(reach > sizes[0], sizes[0] / length, 1.0)
    z = clamped(p.z, -sizes[1], sizes[1])
    depth_r, depth_z = sizes[0] - reach, sizes[1] - where(p.z < 0.0, -p.z, p.z)
    return Vec3(p.x * k, p.y * k, z), where(depth_r < depth_z, depth_r, depth_z)
