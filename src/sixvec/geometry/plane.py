"""Planes: a unit normal and an offset."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from sixvec.errors import DegenerateError
from sixvec.geometry.direction import Direction
from sixvec.geometry.line import Line
from sixvec.geometry.point import Point
from sixvec.scalar import Scalar, certainly, certainly_not, like, where
from sixvec.spatial.norm import PARALLEL_SINE, precise_cross
from sixvec.spatial.rotation import PlaneRotation, Rotation
from sixvec.spatial.vector import Vec3


@dataclass(frozen=True, slots=True)
class Plane:
    """The points x with  normal·x = offset:  three freedoms, and the side to which the normal points.

    (The point nearest to the origin would determine all planes except those through the origin.)
    Bruyninckx §2.5.

    >>> from sixvec.geometry import Direction, Plane, Point
    >>> floor = Plane.from_point(Point(5.0, 5.0, 1.0), Direction(0.0, 0.0, 1.0))
    >>> floor.offset, floor.signed_distance(Point(0.0, 0.0, 3.0))
    (1.0, 2.0)
    """

    normal: Direction
    offset: Scalar

    @classmethod
    def from_point(cls, point: Point, normal: Direction) -> Plane:
        """Through a point, at right angles to a direction."""
        return cls(normal, normal.dot(point.vec))

    @classmethod
    def through(cls, p: Point, q: Point, r: Point) -> Plane:
        """Through three points, in counter-clockwise order as seen from the tip of the normal."""
        n = (q - p).cross(r - p)
        if certainly(n.dot(n) == 0.0):
            raise DegenerateError("three points on one line do not determine a plane; give a point and a normal")
        return cls.from_point(p, Direction.from_vector(n))

    def __iter__(self) -> Iterator[Scalar]:
        yield from self.normal
        yield self.offset

    def flipped(self) -> Plane:
        """The same points, with the normal to the other side."""
        return Plane(-self.normal, -self.offset)

    def signed_distance(self, point: Point) -> Scalar:
        """n·x - c, positive on the side of the normal."""
        return self.normal.dot(point.vec) - self.offset

    def closest_point_to(self, point: Point) -> Point:
        """The foot of the perpendicular from a point."""
        return self.normal_line(point).at(-self.signed_distance(point))

    def closest_point(self) -> Point:
        """The point nearest to the origin."""
        return Point.of(self.normal * self.offset)

    def normal_line(self, point: Point) -> Line:
        """The line through a point along the normal."""
        return Line(point, self.normal.vec)

    def meet(self, other: Plane) -> Line:
        """The line common to two planes: direction n₁ × n₂, moment c₂ n₁ - c₁ n₂, at its point nearest to the origin.

        Parallel planes (within 1e-14 rad) have none: an error on plain numbers; in arrays and traced code a line
        of direction zero through the origin.

        >>> from sixvec.geometry import Direction, Plane
        >>> x1, y2 = Plane(Direction(1.0, 0.0, 0.0), 1.0), Plane(Direction(0.0, 1.0, 0.0), 2.0)
        >>> x1.meet(y2).point
        Point(x=1.0, y=2.0, z=0.0)
        """
        d = precise_cross(self.normal.vec, other.normal.vec)
        dd = d.dot(d)
        parallel = dd < PARALLEL_SINE * PARALLEL_SINE
        if certainly(parallel):
            raise DegenerateError("parallel planes have no line in common; compare their offsets instead")
        m = self.normal * other.offset - other.normal * self.offset
        point = d.cross(m) * (1.0 / where(parallel, 1.0, dd))
        pick = where(parallel, 0.0, like(dd, 1.0))
        return Line(Point.of(point * pick), d * pick)

    def intersection(self, line: Line) -> Point:
        """The intersection of a line with the plane: t = (c - n·p) / n·d.

        A line parallel to the plane has none: an error on plain numbers; `line.point` in arrays and traced code.
        """
        nd, gap = self.normal.dot(line.direction), -self.signed_distance(line.point)
        pierced = nd * nd > line.direction.dot(line.direction) * (PARALLEL_SINE * PARALLEL_SINE)
        if certainly_not(pierced):
            raise DegenerateError("a line parallel to the plane does not pierce it; test signed_distance(line.point)")
        return line.at(where(pierced, gap / where(pierced, nd, 1.0), 0.0))

    def moved(self, R: Rotation | PlaneRotation, p: Vec3) -> Plane:
        """From coordinates of B to those of A, where (R, p) is the pose of B in A."""
        normal = self.normal.moved(R, p)
        return Plane(normal, self.offset + normal.dot(p))

    def moved_back(self, R: Rotation | PlaneRotation, p: Vec3) -> Plane:
        return Plane(self.normal.moved_back(R, p), self.offset - self.normal.dot(p))
