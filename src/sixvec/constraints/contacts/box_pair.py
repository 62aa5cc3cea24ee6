"""Two boxes: the direction in which they are farthest apart, and up to four points where they touch along it.

Of the fifteen directions in which boxes can be separated (the normals of their faces and the common normals of their
edges), the one with the largest gap is the normal of the contact.  If it belongs to a face, the face of the other box
that faces it is clipped, and the four outermost corners of the remainder are the points; otherwise two edges cross,
and there is one point.

Where corners or parallel edges are nearest, no such direction leads from one nearest point to the other, and of boxes
that overlap by little there the best one changes by right angles from one position to the next.  There the normal is
that of two slightly smaller boxes, which are still apart, and turns continuously; the gap is measured along it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sixvec.distance.pairs.boxes import AXES, CORNERS
from sixvec.distance.pairs.touch import FAR, Touch, clamped, selected, sign, size
from sixvec.distance.pairs.two_boxes import Axis, along, best_edges, best_face, nearest_of_boxes
from sixvec.geometry.rigid_body.solids import Box
from sixvec.scalar import Scalar, where
from sixvec.spatial import Pose, Vec3
from sixvec.tolerances import EQUAL

FACES_FIRST = 1e-6
"""Two edges must be farther apart than two faces by this fraction of the boxes' size."""

PARALLEL = 1e-6
"""Squared sine of the angle of two edges below which they have no common normal."""

SMALLER = 0.01
"""Of the shortest edge: by this the faces of boxes that touch are moved inward where their corners decide."""

DEPTH = 10.0
"""How many times its depth counts as distance: faces tilted by more than a tenth touch at their deepest corner."""

NOWHERE = -1e9
"""The value of a nonexistent corner."""


def box_on_box(a: Box, X_a: Pose, b: Box, X_b: Pose) -> list[Touch]:
    """Four points; nonexistent ones have a gap of `FAR`."""
    X = X_b.inv() @ X_a
    columns, ha, hb = [X.rot @ e for e in AXES], a.size * 0.5, b.size * 0.5
    face, edge = best_face(ha, hb, X.pos, columns), best_edges(ha, hb, X.pos, columns, PARALLEL)
    bias = FACES_FIRST * sum((*a.size, *b.size), 0.0)
    by_edges = edge.gap > face.gap + bias
    normal, widest = selected(by_edges, edge.normal, face.normal), where(by_edges, edge.gap, face.gap)
    corner, by_corners = _corner_touch(ha, hb, X.pos, columns, normal, widest, bias)
    on_faces = _face_points(a, b, X.pos, columns, face)
    some: Scalar = where(by_edges, 1.0, 0.0)
    for _, _, there in on_faces:
        some = where(there, 1.0, some)
    by_corners = where(some > 0.5, where(by_corners, 1.0, 0.0), 1.0) > 0.5
    single = where(by_corners, 1.0, where(by_edges, 1.0, 0.0)) > 0.5
    alone = selected(by_corners, corner.point, _edge_point(a, b, X.pos, columns, edge))
    n, gap_alone = X_b.rot @ selected(by_corners, corner.normal, normal), where(by_corners, corner.gap, edge.gap)
    touches = []
    for k, (p, gap, there) in enumerate(on_faces):
        exists = where(single, 1.0 if k == 0 else 0.0, where(there, 1.0, 0.0)) > 0.5
        local = selected(single, alone, p)
        touches.append(Touch(X_b * local, n, where(exists, where(single, gap_alone, gap), FAR)))
    return touches


def _corner_touch(
    ha: Vec3, hb: Vec3, T: Vec3, columns: Sequence[Vec3], normal: Vec3, widest: Scalar, bias: Scalar
) -> tuple[Touch, Scalar]:
    """The touch of two boxes along the line between the nearest points of smaller ones, in the axes of b; and whether
    those are farther apart than along the normal of a face or of two edges.

    The boxes are made smaller where they touch or nearly do; farther apart, these are their own nearest points.
    """
    shortest = ha.x
    for h in (ha.y, ha.z, *hb):
        shortest = where(h < shortest, h, shortest)
    most = 2.0 * SMALLER * shortest
    less = clamped(2.0 * most - widest, 0.0, most)
    smaller = Vec3(less, less, less)
    p, q = nearest_of_boxes(ha - smaller, hb - smaller, T, columns)
    n, apart = along(p - q, normal, EQUAL * sum((*ha, *hb), 0.0))

    def moved(axes: Sequence[Vec3], n: Vec3) -> Scalar:
        """How far along n the corners of a box with these axes are moved."""
        return less * sum((size(axis.dot(n)) for axis in axes), 0.0)

    of_b = moved(AXES, n)
    along_normal = widest + moved(columns, normal) + moved(AXES, normal)
    by_corners = where(along_normal < 0.0, 0.0, where(apart > along_normal + bias, 1.0, 0.0)) > 0.5
    return Touch(q + n * of_b, n, apart - of_b - moved(columns, n)), by_corners


def _mix(vectors: Sequence[Vec3], weights: Sequence[Scalar]) -> Vec3:
    total: Vec3 = Vec3.zero()
    for v, w in zip(vectors, weights, strict=True):
        total += v * w
    return total


def _edge_point(a: Box, b: Box, T: Vec3, columns: Sequence[Vec3], edge: Axis) -> Vec3:
    """The middle between the crossing edges, in the axes of b."""
    wa, wb = edge.weights
    n, ha, hb = edge.normal, a.size * 0.5, b.size * 0.5
    p = T + _mix(columns, [-sign(n.dot(c)) * h * (1.0 - w) for c, h, w in zip(columns, ha, wa, strict=True)])
    q = _mix(AXES, [sign(x) * h * (1.0 - w) for x, h, w in zip(n, hb, wb, strict=True)])
    u, w, r = _mix(columns, wa), _mix(AXES, wb), p - q
    uw = u.dot(w)
    cross = 1.0 - uw * uw
    inverse = 1.0 / where(cross > PARALLEL, cross, 1.0)
    s, t = (uw * w.dot(r) - u.dot(r)) * inverse, (w.dot(r) - uw * u.dot(r)) * inverse
    reach_a, reach_b = _mix(AXES, wa).dot(ha), _mix(AXES, wb).dot(hb)
    on_a, on_b = p + u * clamped(s, -reach_a, reach_a), q + w * clamped(t, -reach_b, reach_b)
    middle: Vec3 = (on_a + on_b) * 0.5
    return middle


def _face_points(a: Box, b: Box, T: Vec3, columns: Sequence[Vec3], face: Axis) -> list[tuple[Vec3, Scalar, Scalar]]:
    """(point in the axes of b, gap, whether it exists) of the outermost corners of the overlap of two faces."""
    (wa, wb), of_a = face.weights, face.of_a > 0.5
    ha, hb, n = a.size * 0.5, b.size * 0.5, face.normal
    # The face that is the reference: its centre, outward normal, and two half edges; and the box that faces it.
    center = selected(of_a, T, Vec3.zero())
    axes = [selected(of_a, c, e) for c, e in zip(columns, AXES, strict=True)]
    half = [where(of_a, x, y) for x, y in zip(ha, hb, strict=True)]
    chosen = [where(of_a, x, y) for x, y in zip(wa, wb, strict=True)]
    outward = selected(of_a, -n, n)
    top = _mix([Vec3(h, 0.0, 0.0) for h in half], chosen).x
    u, hu, w, hw = _others(axes, half, chosen)
    other_axes = [selected(of_a, e, c) for c, e in zip(columns, AXES, strict=True)]
    other = [where(of_a, y, x) for x, y in zip(ha, hb, strict=True)]
    facing = _largest([size(outward.dot(x)) for x in other_axes])
    looks, depth = _mix(other_axes, facing), sum(h * f for h, f in zip(other, facing, strict=True))
    p, hp, r, hr = _others(other_axes, other, facing)
    middle = selected(of_a, Vec3.zero(), T) - looks * (sign(outward.dot(looks)) * depth) - center
    c = Vec3(u.dot(middle), w.dot(middle), outward.dot(middle) - top)
    P = Vec3(u.dot(p), w.dot(p), outward.dot(p)) * hp
    R = Vec3(u.dot(r), w.dot(r), outward.dot(r)) * hr
    picked = _outermost(_corners(c, P, R, hu, hw), hu, hw)
    return [(center + u * x.x + w * x.y + outward * top, x.z, there) for x, there in picked]


def _others(
    axes: Sequence[Vec3], half: Sequence[Scalar], chosen: Sequence[Scalar]
) -> tuple[Vec3, Scalar, Vec3, Scalar]:
    """The two axes of a box that are not the chosen one, and half its edges along them."""
    first, last = chosen[0] > 0.5, chosen[2] > 0.5
    return (
        selected(first, axes[1], axes[0]), where(first, half[1], half[0]),
        selected(last, axes[1], axes[2]), where(last, half[1], half[2]),
    )  # fmt: skip


def _largest(values: Sequence[Scalar]) -> list[Scalar]:
    """1 for the largest, else 0."""
    x, y, z = values
    first = where(x > y, where(x > z, 1.0, 0.0), 0.0)
    last = where(first > 0.5, 0.0, where(z > y, 1.0, 0.0))
    return [first, 1.0 - first - last, last]


def _corners(c: Vec3, P: Vec3, R: Vec3, hu: Scalar, hw: Scalar) -> list[tuple[Vec3, Scalar]]:
    """Corners of a face c ± P ± R cut to |x| ≤ hu, |y| ≤ hw: candidates, and 1 for those that are corners, else 0."""
    points = [c + P * s + R * t for s, t in CORNERS]
    corners = [(x, _both(_within(x.x, hu), _within(x.y, hw))) for x in points]
    det = P.x * R.y - P.y * R.x
    flat = size(det) > 1e-12 * hu * hw
    inverse = where(flat, 1.0 / where(flat, det, 1.0), 0.0)
    for s, t in CORNERS:
        dx, dy = hu * s - c.x, hw * t - c.y
        alpha, beta = (dx * R.y - dy * R.x) * inverse, (dy * P.x - dx * P.y) * inverse
        inside = _both(where(flat, 1.0, 0.0), _both(_within(alpha, 1.0), _within(beta, 1.0)))
        corners.append((Vec3(hu * s, hw * t, c.z + P.z * alpha + R.z * beta), inside))
    for start, end in zip(points, points[1:] + points[:1], strict=True):
        d = end - start
        for k in (-1.0, 1.0):
            corners.append(_crossing(start, d, d.x, hu * k - start.x, lambda x: _within(x.y, hw)))
            corners.append(_crossing(start, d, d.y, hw * k - start.y, lambda x: _within(x.x, hu)))
    return corners


def _crossing(
    start: Vec3, d: Vec3, rate: Scalar, way: Scalar, on_side: Callable[[Vec3], Scalar]
) -> tuple[Vec3, Scalar]:
    """Where an edge crosses a side of the rectangle."""
    crosses = size(rate) > 1e-12
    t = where(crosses, way / where(crosses, rate, 1.0), -1.0)
    x = start + d * t
    between = _both(where(t < 0.0, 0.0, 1.0), where(t > 1.0, 0.0, 1.0))
    return x, _both(between, on_side(x))


def _outermost(corners: Sequence[tuple[Vec3, Scalar]], hu: Scalar, hw: Scalar) -> list[tuple[Vec3, Scalar]]:
    """The corner farthest towards each corner of the rectangle, and whether there is any.

    Depth counts too: if boxes are tilted relative to each other, the deepest corner is in contact.
    """
    deep = DEPTH * 0.5 * (hu + hw)
    picked: list[tuple[Vec3, Scalar]] = []
    for s, t in CORNERS:
        best, score = corners[0][0], NOWHERE
        for x, there in corners:
            value = where(there > 0.5, x.x * hw * s + x.y * hu * t - x.z * deep, NOWHERE)
            better = value > score
            best, score = selected(better, x, best), where(better, value, score)
        picked.append((best, score > 0.5 * NOWHERE))
    return picked


def _within(x: Scalar, limit: Scalar) -> Scalar:
    return where(size(x) > limit, 0.0, 1.0)


def _both(x: Scalar, y: Scalar) -> Scalar:
    return x * y
