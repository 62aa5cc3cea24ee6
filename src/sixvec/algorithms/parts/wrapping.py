"""How a tendon runs over a sphere or a cylinder between two points.

In the plane of the path the shape is a circle.  The tendon is the shortest path that goes around the circle the same
way as the line from the first point over the side point to the last: a tangent, an arc and a tangent, or straight
where that is the same way.  If the side point lies inside, it consists of two straight parts that meet at the circle.
These are the rules of MuJoCo 4 (XML reference, spatial/geom, "sidesite").  There are no kernels here.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from sixvec.scalar import Scalar, arccos, arctan2, certainly, certainly_not, cos, sin, where
from sixvec.spatial import Vec3
from sixvec.spatial.norm import length, nonzero, root

TINY = 1e-15
"""m²: two points whose vector product is below this are on one line with the centre."""

NEWTON_STEPS = 12
"""Steps to the point at which a tendon inside a circle touches it, each at least a bisection; rounding after seven."""


class Planar(NamedTuple):
    """A point of the plane of the path."""

    x: Scalar
    y: Scalar

    def dot(self, other: Planar) -> Scalar:
        return self.x * other.x + self.y * other.y

    def norm(self) -> Scalar:
        return root(self.dot(self))

    def angle_to(self, other: Planar) -> Scalar:
        """The angle by which this direction turns to the other, between -π and π."""
        return arctan2(self.x * other.y - self.y * other.x, self.dot(other))

    def turned(self, c: Scalar, s: Scalar) -> Planar:
        """Turned by the angle with this cosine and sine, and scaled with their length."""
        return Planar(c * self.x - s * self.y, s * self.x + c * self.y)


@dataclass(frozen=True, slots=True)
class Touch:
    """Where a tendon meets and leaves a shape, and the length between.  If it passes freely all three are unused."""

    wraps: Scalar
    first: Vec3
    last: Vec3
    arc: Scalar


def wrapped(p0: Vec3, p1: Vec3, radius: float, cylinder: bool, side: Vec3 | None) -> Touch:
    """How a tendon from p0 to p1 touches a sphere about the origin, or a cylinder about z.

    `side` is the point on whose side it passes; if it is less than a radius away, the tendon passes inside.
    """
    ex, ey = (Vec3(1.0, 0.0, 0.0), Vec3(0.0, 1.0, 0.0)) if cylinder else _plane(p0, p1)
    d0, d1 = Planar(p0.dot(ex), p0.dot(ey)), Planar(p1.dot(ex), p1.dot(ey))
    if side is None:
        wraps, first, last, arc = _over(d0, d1, radius, None)
    else:
        wraps, first, last, arc = _either(length(side) < radius, d0, d1, radius, Planar(side.dot(ex), side.dot(ey)))
    w0, w1 = ex * first.x + ey * first.y, ex * last.x + ey * last.y
    if cylinder:  # the helix rises evenly along the unrolled path
        before, after = _between(d0, first), _between(d1, last)
        slope = (p1.z - p0.z) / nonzero(before + arc + after)
        w0, w1 = Vec3(w0.x, w0.y, p0.z + slope * before), Vec3(w1.x, w1.y, p0.z + slope * (before + arc))
        arc = root(arc * arc + (w1.z - w0.z) * (w1.z - w0.z))
    return Touch(wraps, w0, w1, arc)


def _plane(p0: Vec3, p1: Vec3) -> tuple[Vec3, Vec3]:
    """The axes of the plane through the centre of a sphere and two points, the first towards p0."""
    ex = p0 * (1.0 / nonzero(length(p0)))
    normal = p0.cross(p1)
    n = length(normal)
    parallel = n < TINY
    # All planes through a line serve; this one has the sum of the two axes along which p0 is shorter.
    is_x = where(abs(ex.y) > abs(ex.x), 0.0, where(abs(ex.z) > abs(ex.x), 0.0, 1.0))
    is_y = where(is_x > 0.5, 0.0, where(abs(ex.z) > abs(ex.y), 0.0, 1.0))
    other = ex.cross(Vec3(1.0 - is_x, 1.0 - is_y, is_x + is_y))
    k, m = 1.0 / where(parallel, 1.0, n), 1.0 / nonzero(length(other))
    normal = Vec3.of(where(parallel, b * m, a * k) for a, b in zip(normal, other, strict=True))
    return ex, normal.cross(ex)


def _either(
    is_inside: Scalar, d0: Planar, d1: Planar, radius: float, side: Planar
) -> tuple[Scalar, Planar, Planar, Scalar]:
    """Around the circle or inside it; only what is needed where the choice is known."""
    if certainly_not(is_inside):
        return _over(d0, d1, radius, side)
    inner, point = _inside(d0, d1, radius)
    if certainly(is_inside):
        return inner, point, point, 0.0
    outer, first, last, arc = _over(d0, d1, radius, side)
    wraps = where(is_inside, where(inner, 1.0, 0.0), where(outer, 1.0, 0.0)) > 0.5
    return wraps, _pick(is_inside, point, first), _pick(is_inside, point, last), where(is_inside, 0.0, arc)


def _over(d0: Planar, d1: Planar, radius: float, side: Planar | None) -> tuple[Scalar, Planar, Planar, Scalar]:
    """Whether the tendon touches the circle from outside, the tangent points, and the arc between them.

    The angle that the path turns about the centre has three parts: up to the first tangent point, whose cosine is
    radius / distance, the arc, and the same behind it.  Without an arc the path is straight.
    """
    outside = _all(_outside(d0, radius), _outside(d1, radius))
    d0, d1 = _safe(outside, d0, d1, radius)
    l0, l1 = d0.norm(), d1.norm()
    turn = d0.angle_to(d1) if side is None else d0.angle_to(side) + side.angle_to(d1)
    sense = where(turn < 0.0, -1.0, 1.0)
    arc = sense * turn - arccos(radius / l0) - arccos(radius / l1)
    return _all(outside, arc > 0.0), _tangent(d0, l0, radius, sense), _tangent(d1, l1, radius, -sense), radius * arc


def _tangent(d: Planar, distance: Scalar, radius: float, sense: Scalar) -> Planar:
    """The point where a tangent through d touches the circle."""
    k = radius / (distance * distance)
    return d.turned(k * radius, sense * k * root(distance * distance - radius * radius))


def _inside(d0: Planar, d1: Planar, radius: float) -> tuple[Scalar, Planar]:
    """Whether the tendon bends at the circle, which it passes inside, and the point where it does.

    At the angle x from the first point the length of the two parts is least.  Both are convex where the point sees the
    ends, cos x > radius / distance, so the root of the slope is bracketed and found by Newton's method.
    """
    possible = _all(_outside(d0, radius), _outside(d1, radius), _outside(_nearest_to_origin(d0, d1), radius))
    d0, d1 = _safe(possible, d0, d1, radius)
    l0, l1 = d0.norm(), d1.norm()
    turn = d0.angle_to(d1)
    sense, span = where(turn < 0.0, -1.0, 1.0), abs(turn)
    low, high = span - arccos(radius / l1), arccos(radius / l0)
    low, high = where(low < 0.0, 0.0, low), where(span < high, span, high)
    x = 0.5 * (low + high)
    for _ in range(NEWTON_STEPS):
        (s0, k0), (s1, k1) = _slope(x, radius, l0), _slope(span - x, radius, l1)
        slope = s0 - s1
        low, high = where(slope < 0.0, x, low), where(slope < 0.0, high, x)
        step = x - slope / nonzero(k0 + k1)
        x = where(step < low, 0.5 * (low + high), where(step > high, 0.5 * (low + high), step))
    k = radius / l0
    return possible, d0.turned(k * cos(x), sense * k * sin(x))


def _slope(x: Scalar, radius: float, distance: Scalar) -> tuple[Scalar, Scalar]:
    """The first two derivatives, by the angle x between them, of the distance of a point and one on the circle."""
    c, product = cos(x), radius * distance
    length = root(radius * radius + distance * distance - 2.0 * product * c)
    first = product * sin(x) / length
    return first, (product * c - first * first) / length


def _nearest_to_origin(d0: Planar, d1: Planar) -> Planar:
    """The nearest point of a segment."""
    step = Planar(d1.x - d0.x, d1.y - d0.y)
    share = -step.dot(d0) / nonzero(step.dot(step))
    share = where(share < 0.0, 0.0, where(share > 1.0, 1.0, share))
    return Planar(d0.x + step.x * share, d0.y + step.y * share)


def _safe(usable: Scalar, d0: Planar, d1: Planar, radius: float) -> tuple[Planar, Planar]:
    """The points, or two outside the circle, so that what is computed in vain has finite derivatives."""
    return _pick(usable, d0, Planar(2.0 * radius, 0.0)), _pick(usable, d1, Planar(0.0, 2.0 * radius))


def _outside(d: Planar, radius: float) -> Scalar:
    return d.dot(d) > radius * radius


def _between(a: Planar, b: Planar) -> Scalar:
    return Planar(a.x - b.x, a.y - b.y).norm()


def _pick(condition: Scalar, yes: Planar, no: Planar) -> Planar:
    return Planar(where(condition, yes.x, no.x), where(condition, yes.y, no.y))


def _all(*conditions: Scalar) -> Scalar:
    satisfied: Scalar = 1.0
    for condition in conditions:
        satisfied = where(condition, satisfied, 0.0)
    return satisfied > 0.5
