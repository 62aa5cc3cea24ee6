"""Pairs of round shapes: balls and capsules with each other and with planes.  A point is a ball of radius zero."""

from __future__ import annotations

from sixvec.constraints.contacts.touch import Touch, clamped, of_spheres
from sixvec.geometry.rigid_body.solids import Capsule, Sphere
from sixvec.model.geom import HalfSpace
from sixvec.scalar import Scalar, where
from sixvec.spatial import Pose, Vec3

PARALLEL = 1e-9
"""Squared sine below which two axes count as parallel, so that the middle of their overlap is used."""

SHORT = 1e-24
"""Squared length, in m², below which a segment is a point."""


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
    part = clamped((X_a.pos - start).dot(along) * _inverse(along.dot(along)), 0.0, 1.0)
    return [of_spheres(X_a.pos, a.radius, start + along * part, b.radius)]


def capsule_on_capsule(a: Capsule, X_a: Pose, b: Capsule, X_b: Pose) -> list[Touch]:
    """The closest points of the axes (Ericson 2005, 5.1.9); of parallel ones the middle of their overlap."""
    (a0, a1), (b0, b1) = ends(a, X_a), ends(b, X_b)
    u, w, r = a1 - a0, b1 - b0, a0 - b0
    uu, ww, uw, ur, wr = u.dot(u), w.dot(w), u.dot(w), u.dot(r), w.dot(r)
    cross = uu * ww - uw * uw
    skew = cross > PARALLEL * uu * ww
    crossing = clamped((uw * wr - ur * ww) / where(skew, cross, 1.0), 0.0, 1.0)
    inverse = _inverse(uu)
    middle = (clamped(-ur * inverse, 0.0, 1.0) + clamped((uw - ur) * inverse, 0.0, 1.0)) * 0.5
    s = where(skew, crossing, middle)
    t = clamped((uw * s + wr) * _inverse(ww), 0.0, 1.0)
    s = clamped((uw * t - ur) * inverse, 0.0, 1.0)
    return [of_spheres(a0 + u * s, a.radius, b0 + w * t, b.radius)]


def ends(capsule: Capsule, X: Pose) -> tuple[Vec3, Vec3]:
    """The ends of a capsule's axis."""
    half = X.rot @ Vec3(0.0, 0.0, capsule.length * 0.5)
    return X.pos - half, X.pos + half


def _ball_on_plane(center: Vec3, radius: Scalar, X_plane: Pose) -> Touch:
    n = X_plane.rot @ Vec3(0.0, 0.0, 1.0)
    gap = n.dot(center - X_plane.pos) - radius
    return Touch(center - n * (radius + gap), n, gap)


def _inverse(square: Scalar) -> Scalar:
    return where(square > SHORT, 1.0 / where(square > SHORT, square, 1.0), 0.0)
