"""Pairs with one box: on planes, and with balls and capsules."""

from __future__ import annotations

from collections.abc import Sequence

from sixvec.distance.pairs.rounded import ends
from sixvec.distance.pairs.touch import NONE, Touch, clamped, direction, selected, sign, size
from sixvec.geometry.rigid_body.solids import Box, Capsule, Sphere
from sixvec.model.geom import HalfSpace
from sixvec.scalar import Scalar, sqrt, where
from sixvec.spatial import Pose, Vec3

AXES = (Vec3(1.0, 0.0, 0.0), Vec3(0.0, 1.0, 0.0), Vec3(0.0, 0.0, 1.0))
CORNERS = ((-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0))
"""The corners of a face, in cyclic order."""

PARALLEL = 1e-9
"""Squared sine below which a segment counts as parallel to an edge."""

STEEP = 1e-12
"""Lengths in m: a segment that changes a coordinate by less crosses no face normal to it."""

LEVEL = 1e-13
"""A slope of the squared distance, in m², that is rounding where the segment is level with a face or in the box; and
in m, depths that are equal but for rounding."""


def box_on_plane(a: Box, X_a: Pose, plane: HalfSpace, X_b: Pose) -> list[Touch]:
    """The four corners of the lowest face, even if only an edge or a corner of it touches."""
    n = X_b.rot @ Vec3(0.0, 0.0, 1.0)
    m = X_a.rot.inv() @ n
    touches = []
    for corner in lowest_face(a, m):
        p = X_a * corner
        gap = n.dot(p - X_b.pos)
        touches.append(Touch(p - n * gap, n, gap))
    return touches


def lowest_face(box: Box, up: Vec3) -> list[Vec3]:
    """The corners of the face of a box whose normal is nearest to -up, all in box coordinates."""
    (hx, hy, hz), (sx, sy, sz) = (box.size * 0.5), (size(x) for x in up)
    by_x = where(sx > sy, where(sx > sz, 1.0, 0.0), 0.0) > 0.5
    by_z = where(by_x, 0.0, where(sz > sy, 1.0, 0.0)) > 0.5
    x, y, z = (-sign(s) * h for s, h in zip(up, (hx, hy, hz), strict=True))
    return [
        Vec3(
            where(by_x, x, hx * r),
            where(by_x, hy * r, where(by_z, hy * s, y)),
            where(by_z, z, hz * s),
        )
        for r, s in CORNERS
    ]


def sphere_on_box(a: Sphere, X_a: Pose, b: Box, X_b: Pose) -> list[Touch]:
    return [_ball_on_box(X_a.pos, a.radius, b, X_b)]


def capsule_on_box(a: Capsule, X_a: Pose, b: Box, X_b: Pose) -> list[Touch]:
    """Both ends, and the point of the axis nearest to the box; the whole capsule, where its axis is in the box."""
    start, end = ends(a, X_a)
    p, q = X_b.inv() * start, X_b.inv() * end
    along, h = q - p, b.size * 0.5
    fraction = _nearest_part([*p], [*along], [*h])
    nearest = _ball_on_box(start + (end - start) * fraction, a.radius, b, X_b)
    out, depth, deepest = _way_out(p, along, h, fraction)
    inside = nearest.gap < -a.radius
    n = X_b.rot @ out
    whole = Touch(start + (end - start) * deepest + n * depth, n, -depth - a.radius)
    return [
        *(_ball_on_box(c, a.radius, b, X_b) for c in (start, end)),
        Touch(
            selected(inside, whole.point, nearest.point),
            selected(inside, whole.normal, nearest.normal),
            where(inside, whole.gap, nearest.gap),
        ),
    ]


def _way_out(p: Vec3, along: Vec3, h: Vec3, share: Scalar) -> tuple[Vec3, Scalar, Scalar]:
    """The shortest translation of a segment out of the box: its direction, its length, and t of the deepest point.

    The difference of a box and a segment is a polyhedron whose normals are those of the box and those across an edge of
    the box and the segment, so one of these six directions is the shortest (separating axes; Ericson 2005, 5.2.1).
    `share` is the deepest point if the segment is level with a face.  Of equal lengths, the first wins: that to a face.
    """
    middle, square = p + along * 0.5, along.dot(along)
    ways = []
    for axis in AXES:
        rise, side = along.dot(axis), sign(middle.dot(axis))
        up = rise * side
        depth = h.dot(axis) + size(rise) * 0.5 - middle.dot(axis) * side
        ways.append((axis * side, depth, where(up > STEEP, 0.0, where(up < -STEEP, 1.0, share))))
    for axis in AXES:
        across = axis.cross(along)
        length = across.dot(across)
        crosses = length > PARALLEL * square
        n = across * (1.0 / sqrt(where(crosses, length, 1.0)))
        side = sign(middle.dot(n))
        depth = sum(k * size(x) for k, x in zip(h, n, strict=True)) - middle.dot(n) * side
        edge = Vec3(*(k * sign(x * side) for k, x in zip(h, n, strict=True)))  # any point of the edge along the axis
        level = along - axis * along.dot(axis)
        t = clamped((edge - p).dot(level) / where(crosses, length, 1.0), 0.0, 1.0)  # where the segment passes the edge
        ways.append((n * side, where(crosses, depth, NONE), t))
    out, depth, deepest = ways[0]
    for n, d, t in ways[1:]:
        shorter = d < depth - LEVEL
        out, depth, deepest = selected(shorter, n, out), where(shorter, d, depth), where(shorter, t, deepest)
    return out, depth, deepest


def _ball_on_box(center: Vec3, radius: Scalar, box: Box, X: Pose) -> Touch:
    p, h = X.inv() * center, box.size * 0.5
    nearest = Vec3(*(clamped(x, -k, k) for x, k in zip(p, h, strict=True)))
    side, depth = _nearest_face(p, h)
    outside, distance = direction(p - nearest, side)
    inside = where(distance > 0.0, 0.0, 1.0) > 0.5
    gap = where(inside, -depth, distance) - radius
    n = X.rot @ outside
    return Touch(center - n * (radius + gap), n, gap)


def _nearest_face(p: Vec3, h: Vec3) -> tuple[Vec3, Scalar]:
    """The outward normal of the face nearest to a point in the box, and its depth below that face."""
    depths = [k - size(x) for x, k in zip(p, h, strict=True)]
    side, depth = AXES[0] * sign(p.x), depths[0]
    for x, axis, d in zip((p.y, p.z), AXES[1:], depths[1:], strict=True):
        nearer = d < depth
        side, depth = selected(nearer, axis * sign(x), side), where(nearer, d, depth)
    return side, depth


def _nearest_part(p: Sequence[Scalar], along: Sequence[Scalar], h: Sequence[Scalar]) -> Scalar:
    """t in [0, 1] for which p + t along is nearest to the box |x_i| ≤ h_i; the middle of all such t.

    The derivative of half the squared distance is piecewise linear in t and never decreases; its kinks are where the
    segment passes the planes of the faces, so its zero is between two neighbours of these.
    """

    def slope(t: Scalar) -> Scalar:
        reached = [x + d * t for x, d in zip(p, along, strict=True)]
        return sum(d * (x - clamped(x, -k, k)) for x, d, k in zip(reached, along, h, strict=True))

    low: Scalar = 0.0
    high: Scalar = 1.0
    at_low, at_high = slope(low), slope(high)
    for x, d, k in zip(p, along, h, strict=True):
        crosses = size(d) > STEEP
        inverse = 1.0 / where(crosses, d, 1.0)
        for face in (-k, k):
            t = where(crosses, clamped((face - x) * inverse, 0.0, 1.0), 0.0)
            f = slope(t)
            before, after = where(f > LEVEL, 0.0, 1.0) > 0.5, where(f < -LEVEL, 0.0, 1.0) > 0.5
            later = where(before, where(t > low, 1.0, 0.0), 0.0) > 0.5
            sooner = where(after, where(t < high, 1.0, 0.0), 0.0) > 0.5
            low, at_low = where(later, t, low), where(later, f, at_low)
            high, at_high = where(sooner, t, high), where(sooner, f, at_high)
    rise = at_high - at_low
    inner = low - (high - low) * at_low / where(rise > 0.0, rise, 1.0)
    within = where(low < high, where(rise > 0.0, inner, low), (low + high) * 0.5)
    return where(slope(0.0) > LEVEL, 0.0, where(slope(1.0) < -LEVEL, 1.0, within))
