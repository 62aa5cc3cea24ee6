"""Pairs of round shapes: balls and capsules with each other and with planes.  A point is a ball of radius zero."""

from __future__ import annotations

from sixvec.distance.pairs.touch import Touch, clamped, direction, of_spheres, selected, sign, size
from sixvec.geometry.rigid_body.solids import Capsule, Sphere
from sixvec.geometry.segment import SHORT, inverse, nearest_part, nearest_parts
from sixvec.model.geom import HalfSpace
from sixvec.scalar import Scalar, guard, sqrt, where
from sixvec.spatial import Pose, Vec3

LEVEL = 1e-10
"""Where the middle of the overlap of two axes is nearer than this fraction above the least, it is used: the closest
points of parallel capsules do not jump from end to end."""

CROSSING = 1e-14
"""Squared distance, relative to squared lengths, below which the direction between two axes is rounding along them."""

RESOLVED = 1e-24
"""Squared distance, relative to squared lengths, above which it says on which side axes are."""

PARALLEL = 1e-14
"""Squared sine below which axes have no common normal."""


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
    total = u.dot(u) + w.dot(w)
    level = between.dot(between) < least.dot(least) * (1.0 + LEVEL) + SHORT * total
    s, t = where(level, middle, s), where(level, across, t)
    p, q = a0 + u * s, b0 + w * t
    touch = of_spheres(p, radius, q, other)
    d = p - q
    n = Vec3(*guard(d.dot(d) < CROSSING * total, [*_across_axes(u, w, s, t, d)], [*touch.normal]))
    return Touch(q + n * other, n, touch.gap)


def _across_axes(u: Vec3, w: Vec3, s: Scalar, t: Scalar, d: Vec3) -> Vec3:
    """The direction in which segments that touch leave each other: across an axis that is met between its ends, and
    away from the rest of an axis that is met at an end.  Their distance d says only on which side they are."""
    uu, ww, cross = u.dot(u), w.dot(w), u.cross(w)
    inner_u, inner_w = _inside(s), _inside(t)
    away, _ = direction(u, Vec3.zero())
    towards, _ = direction(w, Vec3.zero())
    by_ends = away * (where(s < 0.5, 1.0, -1.0) * (1.0 - inner_u))
    by_ends -= towards * (where(t < 0.5, 1.0, -1.0) * (1.0 - inner_w))
    unit = sqrt(where(uu + ww > 0.0, uu + ww, 1.0))
    apart = d * (1.0 / unit)
    way, _ = direction(selected(apart.dot(apart) > RESOLVED, apart, by_ends), Vec3.zero())
    way -= away * (away.dot(way) * inner_u)
    way -= towards * (towards.dot(way) * inner_w)
    long = selected(uu > ww, u, w)
    way, _ = direction(selected(way.dot(way) > PARALLEL, way, _perpendicular(long)), Vec3(0.0, 0.0, 1.0))
    skew = where(cross.dot(cross) > PARALLEL * uu * ww, inner_u * inner_w, 0.0) > 0.5
    common, _ = direction(cross * (1.0 / where(skew, uu * ww, 1.0)), way)
    return selected(skew, common * sign(common.dot(d)), way)


def _inside(t: Scalar) -> Scalar:
    return where(t > 0.0, where(t < 1.0, 1.0, 0.0), 0.0)


def _perpendicular(u: Vec3) -> Vec3:
    """A vector across another one: their cross product with the axis from which that is farthest."""
    x, y, z = (size(v) for v in u)
    by_x = where(x < y, where(x < z, 1.0, 0.0), 0.0) > 0.5
    by_y = where(by_x, 0.0, where(y < z, 1.0, 0.0)) > 0.5
    across = selected(by_x, Vec3(0.0, -u.z, u.y), selected(by_y, Vec3(u.z, 0.0, -u.x), Vec3(-u.y, u.x, 0.0)))
    return across


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
