"""Two lines: angle, distance, intersection, common normal."""

from __future__ import annotations

from dataclasses import dataclass

from sixvec.errors import DegenerateError
from sixvec.geometry.direction import angle_between
from sixvec.geometry.line import Line
from sixvec.geometry.point import Point
from sixvec.scalar import Scalar, certainly_not, sqrt, where
from sixvec.spatial.norm import PARALLEL_SINE, length, nonzero, precise_cross
from sixvec.spatial.vector import Vec3


@dataclass(frozen=True, slots=True)
class CommonNormal:
    """The line that intersects two others at right angles, with the points of intersection.

    line: through both feet, in the direction d₁ × d₂; first, second: the feet on the two lines; distance ≥ 0 between
    them.  The feet are r₁ + k d₁ and r₂ - m d₂, and r₂ - r₁ = k d₁ + l (d₁ × d₂) + m d₂.
    """

    line: Line
    first: Point
    second: Point
    distance: Scalar
    k: Scalar
    l: Scalar
    m: Scalar


def line_angle(a: Line, b: Line) -> Scalar:
    """The angle in [0, π] between two directed lines, whether or not they intersect.

    >>> from sixvec.geometry import Line, Point, line_angle
    >>> from sixvec.spatial import Vec3
    >>> line_angle(Line(Point(0.0, 0.0, 5.0), Vec3(1.0, 0.0, 0.0)), Line(Point.origin(), Vec3(0.0, 1.0, 0.0)))
    1.5707963267948966
    """
    return angle_between(a.direction, b.direction)


def lines_parallel(a: Line, b: Line, tolerance: float) -> Scalar:
    """Whether the sine of their angle is below the tolerance (in radians); antiparallel counts as parallel.

    >>> from sixvec.geometry import Line, Point, lines_parallel
    >>> from sixvec.spatial import Vec3
    >>> up, down = (Line(Point(x, 0.0, 0.0), Vec3(0.0, 0.0, x)) for x in (1.0, -1.0))
    >>> bool(lines_parallel(up, down, 1e-9))
    True
    """
    n = precise_cross(a.direction, b.direction)
    sizes = a.direction.dot(a.direction) * b.direction.dot(b.direction)
    return n.dot(n) < sizes * (tolerance * tolerance)


def line_distance(a: Line, b: Line) -> Scalar:
    """The shortest distance of two lines: |r·(d₁ × d₂)| / |d₁ × d₂|, or |d₁ × r| / |d₁| if they are parallel.

    r runs from a point of one to a point of the other.  In Plücker coordinates the numerator is |d₁·m₂ + d₂·m₁|; with r
    and a vector product without cancellation, no digits are lost however small the angle.  The distance itself is
    discontinuous at parallel lines: lines at the angle ε may intersect at 1/ε.  Lines within 1e-14 rad count as
    parallel.  Bruyninckx §2.5.2.

    >>> from sixvec.geometry import Line, Point, line_distance
    >>> from sixvec.spatial import Vec3
    >>> line_distance(Line(Point(0.0, 0.0, 5.0), Vec3(1.0, 0.0, 0.0)), Line(Point.origin(), Vec3(0.0, 1.0, 0.0)))
    5.0
    >>> line_distance(Line(Point(0.0, 0.0, 5.0), Vec3(1.0, 0.0, 0.0)), Line(Point.origin(), Vec3(2.0, 0.0, 0.0)))
    5.0
    """
    n, crossing = _normal(a, b)
    apart = abs((b.point - a.point).dot(n)) / sqrt(where(crossing, n.dot(n), 1.0))
    return where(crossing, apart, a.distance_to(b.point))


def lines_intersect(a: Line, b: Line, tolerance: float) -> Scalar:
    """Whether two lines have a point in common, to within a distance `tolerance`; coincident lines do.

    The reciprocal product d₁·m₂ + d₂·m₁ alone is zero for all parallel lines too, and its size shrinks with the
    angle; the distance does neither.  Bruyninckx (2.10).

    >>> from sixvec.geometry import Line, Point, lines_intersect
    >>> from sixvec.spatial import Vec3
    >>> z = Line(Point.origin(), Vec3(0.0, 0.0, 1.0))
    >>> lines_intersect(z, Line(Point(0.0, 0.0, 3.0), Vec3(1.0, 0.0, 0.0)), 1e-9)
    True
    >>> lines_intersect(z, Line(Point(1.0, 0.0, 0.0), Vec3(0.0, 0.0, 1.0)), 1e-9)
    False
    """
    return line_distance(a, b) < tolerance


def common_normal(a: Line, b: Line) -> CommonNormal:
    """The common normal of two lines, by solving  k d₁ + l n + m d₂ = r  with n = d₁ × d₂ and r = r₂ - r₁.

    k = (r × d₂)·n / n·n,  l = r·n / n·n,  m = (d₁ × r)·n / n·n;  the matrix [d₁ n d₂] has determinant -n·n.  Of
    parallel lines (within 1e-14 rad) there are infinitely many: an error on plain numbers; in arrays and traced code
    what `parallel_normal` returns.  Bruyninckx §2.5.2.  Bruyninckx (2.13).

    >>> from sixvec.geometry import Line, Point, common_normal
    >>> from sixvec.spatial import Vec3
    >>> along_x = Line(Point(4.0, 0.0, 1.0), Vec3(1.0, 0.0, 0.0))
    >>> along_y = Line(Point(2.0, 3.0, 0.0), Vec3(0.0, 1.0, 0.0))
    >>> n = common_normal(along_x, along_y)
    >>> n.first, n.second, n.distance
    (Point(x=2.0, y=0.0, z=1.0), Point(x=2.0, y=0.0, z=0.0), 1.0)
    """
    d1, d2, r = a.direction, b.direction, b.point - a.point
    n, crossing = _normal(a, b)
    if certainly_not(crossing):
        raise DegenerateError(
            "parallel lines have infinitely many common normals; "
            "parallel_normal(a, b) is the one through a.point, line_distance(a, b) needs none"
        )
    other = parallel_normal(a, b)
    per_nn = 1.0 / where(crossing, n.dot(n), 1.0)
    k = where(crossing, r.cross(d2).dot(n) * per_nn, 0.0)
    l = where(crossing, r.dot(n) * per_nn, 0.0)
    m = where(crossing, d1.cross(r).dot(n) * per_nn, other.m)
    first, second = a.at(k), b.at(-m)
    along = Vec3(*(where(crossing, x, y) for x, y in zip(n, other.line.direction, strict=True)))
    return CommonNormal(Line(first, along), first, second, line_distance(a, b), k, l, m)


def parallel_normal(a: Line, b: Line) -> CommonNormal:
    """The common normal of parallel lines through `a.point`; k = l = 0, directed from a to b.

    If the lines coincide too, the direction is zero.

    >>> from sixvec.geometry import Line, Point, parallel_normal
    >>> from sixvec.spatial import Vec3
    >>> n = parallel_normal(Line(Point.origin(), Vec3(0.0, 0.0, 1.0)), Line(Point(2.0, 0.0, 7.0), Vec3(0.0, 0.0, 1.0)))
    >>> n.second, n.distance
    (Point(x=2.0, y=0.0, z=0.0), 2.0)
    """
    d, r = b.direction, b.point - a.point
    m = r.dot(d) / nonzero(d.dot(d))
    second = b.at(-m)
    across = second - a.point
    return CommonNormal(Line(a.point, across), a.point, second, length(across), 0.0, 0.0, m)


def _normal(a: Line, b: Line) -> tuple[Vec3, Scalar]:
    """d₁ × d₂, and whether its direction is meaningful: not for lines within 1e-14 rad of parallel."""
    n = precise_cross(a.direction, b.direction)
    sizes = a.direction.dot(a.direction) * b.direction.dot(b.direction)
    return n, n.dot(n) > sizes * (PARALLEL_SINE * PARALLEL_SINE)
