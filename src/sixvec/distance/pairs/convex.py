"""The distance of two convex shapes by the method of Gilbert, Johnson and Keerthi (1988), a step at a time.

The difference of two shapes, {a - b}, is convex, and its point nearest to the origin is the shortest vector v between
them.  A step looks for the farthest point w of the difference towards the origin: v·w / |v| is a lower bound of the
distance and |v| an upper one, which proves the result.  Otherwise the nearest point of the triangles between w
and the previous triangle is the next v.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sixvec.distance.pairs.touch import clamped, selected
from sixvec.scalar import Scalar, sqrt, where
from sixvec.spatial import Vec3

LEAST = 1e-200
"""Squared lengths below this are zero."""

SAME = 1e-15
"""A squared distance that decreases by less than this fraction is the same one, up to rounding."""

CLOSING = 0.5
"""Where the distance stays the same, the search ends unless its bounds are nearer to each other by this factor: the
direction of v, and with it the lower bound, may still have errors of the square root of rounding."""

FLAT = 1e-13
"""Of a volume, relative to the cube of the distance of its corners from the origin: rounding."""

TOUCHING = 10.0
"""Of the tolerance of a distance: a shorter vector is zero."""

LAST_DIGITS = 1e-14
"""Of a distance, relative to the length of v."""


@dataclass(frozen=True, slots=True)
class Corner:
    """A point of the difference of two shapes, and the point of the first shape that it belongs to."""

    w: Vec3
    a: Vec3


@dataclass(frozen=True, slots=True)
class Nearest:
    """The point of a triangle nearest to the origin, and the triangle, without corners that do not matter."""

    v: Vec3
    square: Scalar
    corners: tuple[Corner, Corner, Corner]


@dataclass(frozen=True, slots=True)
class Search:
    """The state of the search for one pair."""

    corners: tuple[Corner, Corner, Corner]
    v: Vec3
    lower: Scalar
    """The best lower bound of the distance so far."""
    overlap: Scalar
    """1 if the origin is in the difference, else 0."""
    going: Scalar
    """1 while the search continues, else 0."""


def step(s: Search, new: Corner, tolerance: Scalar, limit: Scalar) -> Search:
    """The state after one more corner, which is the farthest towards the origin from s.v.

    The search ends early where the distance is certainly beyond a limit.
    """
    square = s.v.dot(s.v)
    length = sqrt(where(square > LEAST, square, 1.0))
    bound = s.v.dot(new.w) / length
    lower = where(bound > s.lower, bound, s.lower)
    touching = where(length > tolerance * TOUCHING, where(square > LEAST, 0.0, 1.0), 1.0)
    proven = where(length - lower > tolerance + LAST_DIGITS * length, 0.0, 1.0)
    around = where(lower > 0.0, 0.0, _contains(s.corners, new))
    best = _nearest_of_triangles(s.corners, new)
    closing = where(length - lower < CLOSING * (length - s.lower), 1.0 + LAST_DIGITS, 1.0 - SAME)
    stuck = where(best.square < square * closing, 0.0, 1.0)
    overlap = where(touching + around > 0.5, 1.0, 0.0)
    beyond = where(lower > limit, 1.0, 0.0)
    ends = overlap + proven + stuck + beyond > 0.5
    goes = s.going > 0.5
    moves = where(goes, where(ends, 0.0, 1.0), 0.0) > 0.5
    corners = [
        Corner(selected(moves, x.w, y.w), selected(moves, x.a, y.a))
        for x, y in zip(best.corners, s.corners, strict=True)
    ]
    return Search(
        (corners[0], corners[1], corners[2]),
        selected(moves, best.v, s.v),
        where(goes, lower, s.lower),
        where(goes, overlap, s.overlap),
        where(moves, 1.0, 0.0),
    )


def unit_vector(v: Vec3) -> tuple[Vec3, Scalar]:
    """The direction of v and its length, also of a length whose square is too small for its digits."""
    largest: Scalar = LEAST
    for x in v:
        size = where(x < 0.0, -x, x)
        largest = where(size > largest, size, largest)
    scaled = v * (1.0 / largest)
    length = sqrt(scaled.dot(scaled))
    apart = length > 0.0
    return scaled * where(apart, 1.0 / where(apart, length, 1.0), 0.0), length * largest


def nearest_points(s: Search) -> tuple[Vec3, Vec3]:
    """The nearest points of both shapes."""
    (p, q, r), v = s.corners, s.v
    x, y, z = _weights([c.w for c in (p, q, r)], v)
    on_a = p.a * x + q.a * y + r.a * z
    return on_a, on_a - v


def _weights(w: Sequence[Vec3], v: Vec3) -> tuple[Scalar, Scalar, Scalar]:
    """Barycentric coordinates of v in a triangle, which may be a segment or a point."""
    u, r = w[1] - w[0], w[2] - w[0]
    d = v - w[0]
    n = u.cross(r)
    nn, uu, rr = n.dot(n), u.dot(u), r.dot(r)
    flat = nn > 1e-24 * uu * rr
    inverse = 1.0 / where(flat, where(nn > LEAST, nn, 1.0), 1.0)
    y, z = d.cross(r).dot(n) * inverse, u.cross(d).dot(n) * inverse
    along = clamped(d.dot(u) / where(uu > LEAST, uu, 1.0), 0.0, 1.0)
    across = clamped(d.dot(r) / where(rr > LEAST, rr, 1.0), 0.0, 1.0)
    longer = uu > rr
    y = where(flat, y, where(longer, along, 0.0))
    z = where(flat, z, where(longer, 0.0, across))
    return 1.0 - y - z, y, z


def _contains(corners: Sequence[Corner], new: Corner) -> Scalar:
    """1 if the tetrahedron of four corners contains the origin in its interior, else 0.

    Corners in one plane, up to rounding, contain nothing.
    """
    a, b, c = (x.w for x in corners)
    d = new.w
    ab, bc, ca = a.cross(b), b.cross(c), c.cross(a)
    sides = [bc.dot(d), ca.dot(d), ab.dot(d), -a.dot(bc)]
    scale = d.dot(d)
    for x in (a, b, c):
        square = x.dot(x)
        scale = where(square > scale, square, scale)
    least = FLAT * scale * sqrt(scale)
    positive = where(sides[0] > least, 1.0, 0.0)
    negative = where(sides[0] < -least, 1.0, 0.0)
    for x in sides[1:]:
        positive, negative = where(x > least, positive, 0.0), where(x < -least, negative, 0.0)
    return positive + negative


def _nearest_of_triangles(corners: Sequence[Corner], new: Corner) -> Nearest:
    """The nearest point of the three triangles between a corner and the edges of a triangle."""
    p, q, r = corners
    edges = [_on_edge(x, new) for x in (p, q, r)]
    best = edges[0]
    for other in edges[1:]:
        best = _nearer(other, best)
    for x, y in ((p, q), (q, r), (r, p)):
        best = _nearer(_in_triangle(x, y, new), best)
    return best


def _nearer(a: Nearest, b: Nearest) -> Nearest:
    closer = a.square < b.square
    both = zip(a.corners, b.corners, strict=True)
    corners = [Corner(selected(closer, x.w, y.w), selected(closer, x.a, y.a)) for x, y in both]
    return Nearest(selected(closer, a.v, b.v), where(closer, a.square, b.square), (corners[0], corners[1], corners[2]))


def _on_edge(p: Corner, new: Corner) -> Nearest:
    along = new.w - p.w
    square = along.dot(along)
    t = clamped(-p.w.dot(along) / where(square > LEAST, square, 1.0), 0.0, 1.0)
    v = p.w + along * t
    # at the new corner the old one does not matter
    corner = Corner(selected(t < 1.0, p.w, new.w), selected(t < 1.0, p.a, new.a))
    return Nearest(v, v.dot(v), (corner, new, new))


def _in_triangle(p: Corner, q: Corner, new: Corner) -> Nearest:
    """The foot of the perpendicular from the origin, with an infinite distance if it is not in the triangle."""
    u, r = p.w - new.w, q.w - new.w
    n = u.cross(r)
    square = n.dot(n)
    flat = where(square > 1e-26 * u.dot(u) * r.dot(r), 0.0, 1.0) > 0.5
    inverse = 1.0 / where(flat, 1.0, where(square > LEAST, square, 1.0))
    d = -new.w
    y, z = d.cross(r).dot(n) * inverse, u.cross(d).dot(n) * inverse
    inside = where(y > 0.0, where(z > 0.0, where(y + z < 1.0, 1.0, 0.0), 0.0), 0.0)
    v = n * (n.dot(new.w) * inverse)
    return Nearest(v, where(flat, FAR, where(inside > 0.5, v.dot(v), FAR)), (p, q, new))


FAR = 1e60
"""Instead of an infinite squared distance."""
