"""Pairs of round shapes: balls and capsules with each other and with planes.  A point is a ball of radius zero."""

from __future__ import annotations

from sixvec.distance.pairs.touch import Touch, clamped, of_spheres
from sixvec.geometry.rigid_body.solids import Capsule, Sphere
from sixvec.geometry.segment import SHORT, inverse, nearest_part, nearest_parts
from sixvec.model.geom import HalfSpace
from sixvec.scalar import Scalar, where
from sixvec.spatial import Pose, Vec3

LEVEL = 1e-10
"""Where the middle of the overlap of two axes is nearer than this fraction above the least, it is used: the closest
points of parallel capsules do not jump from end to end."""


def sphere_on_plane(a: Sphere, X_a: Pose, plane: HalfSpace, X_b: Pose) -> list[Touch]:
    return [_ball_on_plane(X_a.pos, a.radius, X_b)]


def capsule_on_plane(a: Capsule, X_a: Pose, plane: HalfSpace, X_b: Pose) -> list[Touch]:
    """Both ends, so that a capsule can lie on its side."""
    return [_ball_on_plane(end, a.radius, X_b) for end in ends(a, X_a)]


def sphere_on_sphere(a: Sphere, X_a: Pose, b: Sphere, X_b: Pose) -> list[Touch]:
    return [of_spheres(X_a.pos, a.radius, X_b.pos, b.radius)]


def sphere_on_capsule(a: Sphere, X_a: Pose, b: Capsule, X_b: Pose) -> list[Touch]:
    start, end = ends(b, X_b)
    along = end - start
    fraction = nearest_part(along, X_a.pos - start)
    return [of_spheres(X_a.pos, a.radius, start + along * fraction, b.radius)]


def capsule_on_capsule(a: Capsule, X_a: Pose, b: Capsule, X_b: Pose) -> list[Touch]:
    return [of_segments(ends(a, X_a), a.radius, ends(b, X_b), b.radius)]


def of_segments(a: tuple[Vec3, Vec3], radius: Scalar, b: tuple[Vec3, Vec3], other: Scalar) -> Touch:
    """Two segments with radii, at the closest points of the axes; of parallel ones in the middle of their overlap."""
    (a0, a1), (b0, b1) = a, b
    u, w, r = a1 - a0, b1 - b0, a0 - b0
    s, t = nearest_parts(u, w, r)
    k = inverse(u.dot(u))
    middle = (clamped(-u.dot(r) * k, 0.0, 1.0) + clamped((u.dot(w) - u.dot(r)) * k, 0.0, 1.0)) * 0.5
    across = nearest_part(w, r + u * middle)
    least, between = r + u * s - w * t, r + u * middle - w * across
    level = between.dot(between) < least.dot(least) * (1.0 + LEVEL) + SHORT
    s, t = where(level, middle, s), where(level, across, t)
    return of_spheres(a0 + u * s, radius, b0 + w * t, other)


def squared_distance(a0: Vec3, a1: Vec3 | None, b0: Vec3, b1: Vec3 | None) -> Scalar:
    """Of two segments, each given by its ends; a point has no second one."""
    r = a0 - b0
    if a1 is None and b1 is None:
        return r.dot(r)
    if a1 is None or b1 is None:
        start, end, point = (b0, b1, a0) if a1 is None else (a0, a1, b0)
        assert end is not None
        along, way = end - start, point - start
        d = way - along * nearest_part(along, way)
        return d.dot(d)
    u, w = a1 - a0, b1 - b0
    s, t = nearest_parts(u, w, r)
    d = r + u * s - w * t
    return d.dot(d)


def ends(capsule: Capsule, X: Pose) -> tuple[Vec3, Vec3]:
    """The ends of a capsule's axis."""
    half = X.rot @ Vec3(0.0, 0.0, capsule.length * 0.5)
    return X.pos - half, X.pos + half


def _ball_on_plane(center: Vec3, radius: Scalar, X_plane: Pose) -> Touch:
    n = X_plane.rot @ Vec3(0.0, 0.0, 1.0)
    gap = n.dot(center - X_plane.pos) - radius
    return Touch(center - n * (radius + gap), n, gap)
