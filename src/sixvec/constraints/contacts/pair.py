"""The supported pairs of shapes, and where two shapes touch."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sixvec.constraints.contacts.box_pair import box_on_box
from sixvec.distance.pairs.boxes import box_on_plane, capsule_on_box, sphere_on_box
from sixvec.distance.pairs.on_plane import cylinder_on_plane, ellipsoid_on_plane, hull_on_plane
from sixvec.distance.pairs.rounded import (
    capsule_on_capsule,
    capsule_on_plane,
    sphere_on_capsule,
    sphere_on_plane,
    sphere_on_sphere,
)
from sixvec.distance.pairs.touch import Touch
from sixvec.errors import ArgumentError
from sixvec.geometry.rigid_body.solids import Box, Capsule, Cylinder, Ellipsoid, Sphere
from sixvec.model.geom import HalfSpace, Polyhedron, Shape
from sixvec.spatial import Pose

Pair = Callable[[Any, Pose, Any, Pose], list[Touch]]

PAIRS: dict[tuple[type, type], tuple[Pair, int]] = {
    (Sphere, HalfSpace): (sphere_on_plane, 1),
    (Capsule, HalfSpace): (capsule_on_plane, 2),
    (Box, HalfSpace): (box_on_plane, 4),
    (Cylinder, HalfSpace): (cylinder_on_plane, 4),
    (Ellipsoid, HalfSpace): (ellipsoid_on_plane, 1),
    (Polyhedron, HalfSpace): (hull_on_plane, 4),
    (Sphere, Sphere): (sphere_on_sphere, 1),
    (Sphere, Capsule): (sphere_on_capsule, 1),
    (Sphere, Box): (sphere_on_box, 1),
    (Capsule, Capsule): (capsule_on_capsule, 1),
    (Capsule, Box): (capsule_on_box, 3),
    (Box, Box): (box_on_box, 4),
}
"""The function of each pair of shapes, and its number of points.  A point is `Sphere(0.0)`."""


def touches(first: Shape, X_first: Pose, second: Shape, X_second: Pose) -> list[Touch]:
    """Where two shapes at these poses touch, or would: normals from the second to the first.

    Written on scalars, without branches on numbers: it can be traced, compiled and differentiated.  If shapes are
    apart, the gap is their distance; that of boxes which are nearly in contact may be smaller by up to 1 % of the
    shortest edge where their corners are nearest.  If shapes overlap, the smallest gap is minus the length of the
    shortest displacement that separates them, and at corners of boxes of one that turns continuously.

    >>> from sixvec.constraints.contacts import touches
    >>> from sixvec.geometry.rigid_body import Sphere
    >>> from sixvec.model import HalfSpace
    >>> from sixvec.spatial import Pose, Vec3
    >>> ball = touches(Sphere(0.5), Pose.translation(Vec3(0.0, 0.0, 2.0)), HalfSpace(), Pose.identity())[0]
    >>> ball.gap, ball.normal
    (1.5, Vec3(x=0.0, y=0.0, z=1.0))
    """
    kinds = (type(first), type(second))
    if kinds in PAIRS:
        return PAIRS[kinds][0](first, X_first, second, X_second)
    require_pair(first, second)
    turned = PAIRS[kinds[::-1]][0](second, X_second, first, X_first)
    return [Touch(t.point, -t.normal, t.gap) for t in turned]


def point_count(first: Shape, second: Shape) -> int:
    """The number of points of the pair.

    >>> point_count(HalfSpace(), Sphere(0.1))
    1
    """
    require_pair(first, second)
    kinds = (type(first), type(second))
    return PAIRS[kinds if kinds in PAIRS else kinds[::-1]][1]


def require_pair(first: Shape, second: Shape) -> None:
    """Raise an error for shapes for which there is no function."""
    kinds = (type(first), type(second))
    if kinds not in PAIRS and kinds[::-1] not in PAIRS:
        known = ", ".join(f"{a.__name__}-{b.__name__}" for a, b in PAIRS)
        raise ArgumentError(
            f"no contact of a {kinds[0].__name__} with a {kinds[1].__name__}; pairs: {known} (a point is Sphere(0.0))"
        )
