"""Cylinders, ellipsoids and convex hulls on planes."""

from __future__ import annotations

import math

from sixvec.distance.pairs.support import of_ellipsoid
from sixvec.distance.pairs.touch import FAR, Touch, direction, selected, sign
from sixvec.geometry.rigid_body.solids import Cylinder, Ellipsoid
from sixvec.model.geom import HalfSpace, Polyhedron
from sixvec.scalar import Scalar, where
from sixvec.spatial import Pose, Vec3
from sixvec.spatial.norm import length

THIRD = 2.0 * math.pi / 3.0
"""The angle between the three points of a rim."""

STEEPEST = 0.01
"""Slope of a side of a hull, relative to the plane, up to which its ends may both be points of contact: what lies on
the plane does so on several points, although it is never quite level."""

LEVEL = 1e-7
"""Metres by which a corner must be lower than another to be the lowest: level corners do not change places by rounding,
so impulses of the step before fit.  A tolerance of lengths on a floor, not of arithmetic."""


def ellipsoid_on_plane(a: Ellipsoid, X_a: Pose, plane: HalfSpace, X_b: Pose) -> list[Touch]:
    """The lowest point."""
    n = X_b.rot @ Vec3(0.0, 0.0, 1.0)
    lowest = of_ellipsoid([*a.semi_axes], X_a.rot.inv() @ -n)
    return [_above(X_a * lowest, n, X_b)]


def cylinder_on_plane(a: Cylinder, X_a: Pose, plane: HalfSpace, X_b: Pose) -> list[Touch]:
    """Three points of the lower rim, beginning with its lowest, and the lowest of the upper rim.

    An upright cylinder stands on three points, one that lies rolls on two.
    """
    n = X_b.rot @ Vec3(0.0, 0.0, 1.0)
    down = -(X_a.rot.inv() @ n)
    outward, _ = direction(Vec3(down.x, down.y, 0.0), Vec3(1.0, 0.0, 0.0))
    lower = sign(down.z) * (0.5 * a.length)
    rims = [(0.0, lower), (THIRD, lower), (-THIRD, lower), (0.0, -lower)]
    touches = []
    for angle, z in rims:
        c, s = a.radius * math.cos(angle), a.radius * math.sin(angle)
        corner = Vec3(outward.x * c - outward.y * s, outward.x * s + outward.y * c, z)
        touches.append(_above(X_a * corner, n, X_b))
    return touches


def hull_on_plane(a: Polyhedron, X_a: Pose, plane: HalfSpace, X_b: Pose) -> list[Touch]:
    """The lowest corner of a convex hull, the farthest from it, and the farthest on both sides of these two.

    Of corners that are not lowest, those nearly level with it are used (`STEEPEST`); where there are none, points are
    missing (`FAR`).
    """
    in_plane = X_b.inv() @ X_a
    corners = [in_plane * v for v in a.vertices]
    first = corners[0]
    for x in corners[1:]:
        first = selected(x.z < first.z - LEVEL, x, first)
    rises = [(x, (x.z - first.z) * (1.0 / STEEPEST)) for x in corners]
    chosen = [(first, 1.0)]
    way = Vec3.zero()
    reach: Scalar = 0.0
    for kind in range(3):
        best: Vec3 = first
        most: Scalar = 0.0
        for x, rise in rises:
            d = x - first
            if kind == 0:
                value = d.x * d.x + d.y * d.y - rise * rise
            else:
                across = way.x * d.y - way.y * d.x
                value = (across if kind == 1 else -across) - rise * reach
            better = value > most
            best, most = selected(better, x, best), where(better, value, most)
        chosen.append((best, where(most > 0.0, 1.0, 0.0)))
        if kind == 0:
            way = best - first
            reach = length(Vec3(way.x, way.y, 0.0))
    n = X_b.rot @ Vec3(0.0, 0.0, 1.0)
    return [
        Touch(X_b * Vec3(x.x, x.y, 0.0), n, where(there > 0.5, x.z, FAR) if k else x.z)
        for k, (x, there) in enumerate(chosen)
    ]


def _above(p: Vec3, n: Vec3, X_plane: Pose) -> Touch:
    gap = n.dot(p - X_plane.pos)
    return Touch(p - n * gap, n, gap)
