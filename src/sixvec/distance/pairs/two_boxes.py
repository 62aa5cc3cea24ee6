"""Two boxes: their distance where they are apart, and the shortest translation that separates them where they overlap.

Of boxes that overlap, fifteen directions contain that of the shortest translation: the normals of their faces and the
common normals of two edges (separating axes; Gottschalk, Lin and Manocha 1996).  Of boxes that are apart, the nearest
points are a corner and a point of the other box, or points of two edges; each candidate is a pair of points of the
boxes, so none is nearer than the nearest.  Where several corners are as near, the middle of them is used, so the
nearest points of parallel faces do not jump from corner to corner.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

from sixvec.distance.pairs.boxes import AXES
from sixvec.distance.pairs.touch import NONE, Touch, clamped, selected, sign, size
from sixvec.geometry.rigid_body.solids import Box
from sixvec.scalar import Scalar, sqrt, where
from sixvec.spatial import Pose, Vec3
from sixvec.tolerances import EQUAL, ROUNDING

SKEW = 1e-20
"""Squared sine of the angle of two edges below which they have no common normal."""

SIDES = tuple(product((-1.0, 1.0), repeat=3))


@dataclass(frozen=True, slots=True)
class Axis:
    """A separating direction in the axes of b, from b to a; which box or which pair of edges it belongs to."""

    gap: Scalar
    normal: Vec3
    of_a: Scalar
    """Positive if it is the normal of a face of a."""
    weights: tuple[tuple[Scalar, ...], tuple[Scalar, ...]]
    """1 for the axis of a, and of b, to which it belongs, else 0."""


def box_on_box(a: Box, X_a: Pose, b: Box, X_b: Pose) -> Touch:
    """The nearest points, or where boxes overlap the ends of the shortest translation that separates them."""
    X = X_b.inv() @ X_a
    columns, ha, hb = [X.rot @ e for e in AXES], a.size * 0.5, b.size * 0.5
    face, edge = best_face(ha, hb, X.pos, columns), best_edges(ha, hb, X.pos, columns, SKEW)
    crossing = edge.gap > face.gap
    widest, n = where(crossing, edge.gap, face.gap), selected(crossing, edge.normal, face.normal)
    overlap = widest < 0.0
    touching = X.pos - n * where(overlap, widest, 0.0)
    p, q = nearest_of_boxes(ha, hb, touching, columns)
    normal, distance = along(p - q, n, EQUAL * sum((*ha, *hb), 0.0))
    return Touch(X_b * q, X_b.rot @ normal, where(overlap, widest, distance))


def along(way: Vec3, otherwise: Vec3, least: Scalar) -> tuple[Vec3, Scalar]:
    """The unit vector along a way and its length; of a way that is not longer than `least` the other unit vector."""
    square = way.dot(way)
    apart = square > least * least
    length = sqrt(where(square > 0.0, square, 1.0))
    return selected(apart, way * (1.0 / length), otherwise), where(square > 0.0, length, 0.0)


def nearest_of_boxes(ha: Vec3, hb: Vec3, T: Vec3, columns: Sequence[Vec3]) -> tuple[Vec3, Vec3]:
    """The nearest points of two boxes that do not overlap, in the axes of b; `ha` and `hb` are half edges, T is the
    middle of a, and `columns` are its axes."""
    rows = [Vec3(*(c.dot(e) for c in columns)) for e in AXES]
    inverse = -Vec3(*(c.dot(T) for c in columns))
    corners_a = [(p, _inside(p, hb)) for p in _corners(T, columns, ha)]
    corners_b = [(p, _inside(p, ha)) for p in _corners(inverse, rows, hb)]
    crossings = [_edges(ha, hb, T, columns, i, j) for i, j in product(range(3), range(3))]
    squares = [_square(p - q) for p, q in (*corners_a, *corners_b)]
    by_edges = [where(skew, _square(p - q), NONE) for p, q, skew in crossings]
    least, least_of_edges = _least(squares), _least(by_edges)
    slack = ROUNDING * sum((*ha, *hb), 0.0)
    limit = least + slack * (2.0 * sqrt(least) + slack)
    corners = where(least_of_edges < least, 0.0, 1.0)
    weights = [where(x > limit, 0.0, corners) for x in squares]
    weights += [where(x > least_of_edges, 0.0, 1.0 - corners) for x in by_edges]
    share = 1.0 / sum(weights[1:], weights[0])
    of_a, of_b, of_edges = weights[:8], weights[8:16], weights[16:]
    on_a, near_b = (_total([pair[k] for pair in corners_a], of_a) for k in (0, 1))
    on_b, near_a = (_total([pair[k] for pair in corners_b], of_b) for k in (0, 1))
    many = sum(of_b[1:], of_b[0])
    turned = [_total(columns, [*x]) + T * many for x in (near_a, on_b)]
    p = on_a + turned[0] + _total([x for x, _, _ in crossings], of_edges)
    q = near_b + turned[1] + _total([x for _, x, _ in crossings], of_edges)
    return p * share, q * share


def best_face(ha: Vec3, hb: Vec3, T: Vec3, columns: Sequence[Vec3]) -> Axis:
    """The normal of a face along which two boxes are farthest apart."""
    options = []
    for i, (e, h) in enumerate(zip(AXES, hb, strict=True)):
        t = e.dot(T)
        reach = sum((size(e.dot(c)) * k for c, k in zip(columns, ha, strict=True)), h)
        options.append(Axis(size(t) - reach, e * sign(t), 0.0, (unit(None), unit(i))))
    for j, (c, h) in enumerate(zip(columns, ha, strict=True)):
        t = c.dot(T)
        reach = sum((size(x) * k for x, k in zip(c, hb, strict=True)), h)
        options.append(Axis(size(t) - reach, c * sign(t), 1.0, (unit(j), unit(None))))
    return _best(options)


def best_edges(ha: Vec3, hb: Vec3, T: Vec3, columns: Sequence[Vec3], parallel: float) -> Axis:
    """The common normal of two edges along which two boxes are farthest apart; edges whose angle has a squared sine of
    at most `parallel` have none."""
    options = []
    for i, j in product(range(3), range(3)):
        n, skew = _across(columns, i, j, parallel)
        t = n.dot(T)
        reach = sum((size(n.dot(x)) * k for m, (x, k) in enumerate(zip(columns, ha, strict=True)) if m != j), 0.0)
        reach = sum((size(x) * k for m, (x, k) in enumerate(zip(n, hb, strict=True)) if m != i), reach)
        options.append(Axis(where(skew, size(t) - reach, -NONE), n * sign(t), 0.0, (unit(j), unit(i))))
    return _best(options)


def unit(k: int | None) -> tuple[float, ...]:
    """1 at a place, else 0."""
    return tuple(1.0 if i == k else 0.0 for i in range(3))


def _best(options: Sequence[Axis]) -> Axis:
    best = options[0]
    for x in options[1:]:
        better = x.gap > best.gap
        weights = tuple(
            tuple(where(better, u, w) for u, w in zip(mine, other, strict=True))
            for mine, other in zip(x.weights, best.weights, strict=True)
        )
        best = Axis(
            where(better, x.gap, best.gap), selected(better, x.normal, best.normal),
            where(better, x.of_a, best.of_a), (weights[0], weights[1]),
        )  # fmt: skip
    return best


def _across(columns: Sequence[Vec3], i: int, j: int, parallel: float) -> tuple[Vec3, Scalar]:
    """The common normal of an edge of b along i and one of a along j, and whether there is one."""
    across = AXES[i].cross(columns[j])
    square = across.dot(across)
    skew = square > parallel
    return across * (1.0 / sqrt(where(skew, square, 1.0))), skew


def _edges(ha: Vec3, hb: Vec3, T: Vec3, columns: Sequence[Vec3], i: int, j: int) -> tuple[Vec3, Vec3, Scalar]:
    """Points of the two edges along axis j of a and i of b that face each other, nearest if both are inside their
    edges; and whether the edges are skew."""
    n, skew = _across(columns, i, j, SKEW)
    side = sign(n.dot(T))
    p, q = T, Vec3.zero()
    for m in range(3):
        if m != j:
            p -= columns[m] * (side * sign(n.dot(columns[m])) * [*ha][m])
        if m != i:
            q += AXES[m] * (side * sign(n.dot(AXES[m])) * [*hb][m])
    u, w, r = columns[j], AXES[i], p - q
    uw, ur, wr = u.dot(w), u.dot(r), w.dot(r)
    square = AXES[i].cross(u)
    inverse = 1.0 / where(skew, square.dot(square), 1.0)
    s, t = [*ha][j], [*hb][i]
    s, t = clamped((uw * wr - ur) * inverse, -s, s), clamped((wr - uw * ur) * inverse, -t, t)
    return p + u * s, q + w * t, skew


def _corners(T: Vec3, columns: Sequence[Vec3], half: Vec3) -> list[Vec3]:
    x, y, z = (c * h for c, h in zip(columns, half, strict=True))
    return [T + x * i + y * j + z * k for i, j, k in SIDES]


def _inside(p: Vec3, half: Vec3) -> Vec3:
    """The point of a box nearest to p, in the axes of the box."""
    return Vec3(*(clamped(x, -h, h) for x, h in zip(p, half, strict=True)))


def _least(values: Sequence[Scalar]) -> Scalar:
    least = values[0]
    for x in values[1:]:
        least = where(x < least, x, least)
    return least


def _square(d: Vec3) -> Scalar:
    return d.dot(d)


def _total(vectors: Sequence[Vec3], weights: Sequence[Scalar]) -> Vec3:
    total: Vec3 = vectors[0] * weights[0]
    for v, w in zip(vectors[1:], weights[1:], strict=True):
        total += v * w
    return total
