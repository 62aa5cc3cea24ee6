"""Shapes that pass each other within a step: certain ones do not touch at any time of it.

The row of a contact is that of the normal at the start of a step.  Shapes that move far in a step may pass each other
although they come nearer along that normal, and must not push each other then.  If there is a direction m along which
two shapes are apart at all times of the step, they do not touch: along m each reaches as far as its support says.

The shapes are segments, boxes and points, some of them rounded by a radius.  For those that only translate, the edges
that bound what they sweep over are their own edges and the way u, so without rounding it suffices to try the products
of pairs of these edges.  For rounded ones the normal at the start, less what it has along the way, is tried, too.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Any, NamedTuple

from sixvec.geometry.rigid_body.solids import Box, Capsule, Sphere
from sixvec.scalar import Scalar, sqrt, where
from sixvec.spatial import Motion, Pose, Quaternion, Rotation, Vec3

LEAST_SQUARE = 1e-30
"""Of a direction that is tried: products of parallel edges vanish."""


PASSABLE = (Sphere, Capsule, Box)
"""The shapes for which `passing` is asked."""


class _Swept(NamedTuple):
    """A shape that moves: its pose, its velocity, half of its edges at the start, and its radius."""

    pose: Pose
    motion: Motion
    edges: list[Vec3]
    radius: Scalar

    @property
    def centre(self) -> Vec3:
        return self.pose.pos

    @property
    def velocity(self) -> Vec3:
        velocity: Vec3 = self.motion.at(self.pose.pos)
        return velocity

    def turned(self, time: Scalar) -> Rotation:
        return Quaternion.exp(self.motion.ang * time).as_rotation()

    @property
    def reach(self) -> Scalar:
        """How far its edges are from its centre."""
        return sum((sqrt(e.dot(e)) for e in self.edges), 0.0)


def passing(
    first: Any, X_first: Pose, V_first: Motion, second: Any, X_second: Pose, V_second: Motion, dt: Scalar,
    normal: Vec3, margin: float = 0.0,
) -> Scalar:  # fmt: skip
    """1 if the shapes are shown to stay more than `margin` apart in a time dt at these velocities, else 0.

    Velocities are those of the bodies in world coordinates, `normal` is that of the nearest points at the start.

    >>> ball, still, fast = Sphere(0.1), Motion.zero(), Motion(Vec3.zero(), Vec3(10.0, 0.0, 0.0))
    >>> places = [Pose.translation(Vec3(-1.0, y, 0.0)) for y in (0.19, 0.21)]
    >>> [passing(ball, X, fast, ball, Pose.identity(), still, 0.2, Vec3(-1.0, 0.0, 0.0)) for X in places]
    [0.0, 1.0]
    """
    a, b = _swept(first, X_first, V_first), _swept(second, X_second, V_second)
    way = a.velocity - b.velocity
    square = way.dot(way) + 1e-30
    start = a.centre - b.centre
    closest = _within(-start.dot(way) / square, dt)
    tried = [start + way * closest]
    if (a.radius or b.radius) and (a.edges or b.edges):
        tried.append(normal - way * (normal.dot(way) / square))
        if len(a.edges) + len(b.edges) == 1:  # a ball and the ends of a segment
            for end in (start + edge for e in (*a.edges, *b.edges) for edge in (e, -e)):
                tried.append(end + way * _within(-end.dot(way) / square, dt))
    half = [[x.turned(0.5 * dt) @ e for e in x.edges] for x in (a, b)]
    flat = [*half[0], *half[1]]
    if flat:
        tried += [x.cross(y) for x, y in combinations([*flat, way * dt], 2)]
    middle = start + way * (0.5 * dt)
    radius = a.radius + b.radius + margin
    best, most = tried[0], _apart(tried[0], middle, flat, radius, way * (0.5 * dt))
    for m in tried[1:]:
        far = _apart(m, middle, flat, radius, way * (0.5 * dt))
        better = far > most
        most = where(better, far, most)
        best = Vec3(*(where(better, x, y) for x, y in zip(m, best, strict=True)))
    if not flat:
        return where(most > 0.0, 1.0, 0.0)
    return where(_gap(best, a, b, start, way, dt) > radius, 1.0, 0.0)


def _gap(m: Vec3, a: _Swept, b: _Swept, start: Vec3, way: Vec3, dt: Scalar) -> Scalar:
    """How far the shapes without their radii are apart along m at all times of the step, at least.

    The support of an edge that turns is between two of its values less what it may bulge between: h² ω²/8 of its length
    for a time h between them.
    """
    m = m * (1.0 / sqrt(m.dot(m) + 1e-30))
    m = m * where(m.dot(start + way * (0.5 * dt)) < 0.0, -1.0, 1.0)
    gaps = []
    for part in (0.0, 0.5, 1.0):
        time = part * dt
        edges = [x.turned(time) @ e if part else e for x in (a, b) for e in x.edges]
        gaps.append(m.dot(start + way * time) - sum((_size(m.dot(e)) for e in edges), 0.0))
    least = gaps[0]
    for g in gaps[1:]:
        least = where(g < least, g, least)
    bulge = sum((x.motion.ang.dot(x.motion.ang) * x.reach for x in (a, b)), 0.0) * dt * dt * (0.25 / 8.0)
    return least - bulge


def _apart(m: Vec3, middle: Vec3, edges: Sequence[Vec3], radius: Scalar, half: Vec3) -> Scalar:
    """How far shapes that only translate are apart along m; very little for a direction that vanishes."""
    square = m.dot(m)
    fine = square > LEAST_SQUARE
    extent = _size(m.dot(half)) + sum((_size(m.dot(e)) for e in edges), 0.0)
    return where(fine, (_size(m.dot(middle)) - extent) / sqrt(where(fine, square, 1.0)) - radius, -1e30)


def _swept(shape: Any, X: Pose, V: Motion) -> _Swept:
    axes = X.rot.matrix.T.rows
    if isinstance(shape, Sphere):
        return _Swept(X, V, [], shape.radius)
    if isinstance(shape, Capsule):
        return _Swept(X, V, [axes[2] * (0.5 * shape.length)], shape.radius)
    assert isinstance(shape, Box)
    return _Swept(X, V, [e * (0.5 * x) for e, x in zip(axes, shape.size, strict=True)], 0.0)


def _within(time: Scalar, dt: Scalar) -> Scalar:
    return where(time > 0.0, where(time < dt, time, dt), 0.0)


def _size(x: Scalar) -> Scalar:
    return where(x < 0.0, -x, x)
