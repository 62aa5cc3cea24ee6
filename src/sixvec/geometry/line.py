"""Lines in two-vector form: a point and a direction vector."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from sixvec.errors import DegenerateError
from sixvec.geometry.direction import Direction
from sixvec.geometry.point import Point
from sixvec.scalar import Scalar, certainly
from sixvec.spatial.norm import length, nonzero
from sixvec.spatial.rotation import PlaneRotation, Rotation
from sixvec.spatial.vector import Vec3


@dataclass(frozen=True, slots=True)
class Line:
    """The directed line  x(t) = point + t direction:  six numbers for its four freedoms.

    Any point of the line and any positive multiple of the direction describe the same line; `normalized` chooses the
    unit direction and the point nearest to the origin.  Unlike Plücker coordinates the six numbers are not
    homogeneous: (2 p, 2 d) is another line.  Bruyninckx §2.5.1.  Bruyninckx (2.6).

    >>> from sixvec.geometry import Line, Point
    >>> Line.through(Point(1.0, 0.0, 0.0), Point(1.0, 2.0, 0.0))
    Line(point=Point(x=1.0, y=0.0, z=0.0), direction=Vec3(x=0.0, y=2.0, z=0.0))
    """

    point: Point
    direction: Vec3

    @classmethod
    def through(cls, p: Point, q: Point) -> Line:
        """The join of two points, directed from p to q."""
        if certainly(p.distance_to(q) == 0.0):
            raise DegenerateError("two equal points have no line; give different ones, or Line(point, direction)")
        return cls(p, q - p)

    @classmethod
    def from_line(cls, line: Line) -> Line:
        """The line itself: every line representation converts from this one by `from_line` and back by `as_line`."""
        return line

    def as_line(self) -> Line:
        return self

    def __iter__(self) -> Iterator[Scalar]:
        yield from self.point
        yield from self.direction

    def at(self, t: Scalar) -> Point:
        """x(t) = p + t d."""
        p, d = self.point, self.direction
        return Point(p.x + d.x * t, p.y + d.y * t, p.z + d.z * t)

    @property
    def moment(self) -> Vec3:
        """m = p × d, the moment about the origin of a force of size |d| along the line."""
        return self.point.vec.cross(self.direction)

    def reversed(self) -> Line:
        """The same points with the opposite direction."""
        return Line(self.point, -self.direction)

    def closest_point_to(self, point: Point) -> Point:
        """The foot of the perpendicular from a point: t = (q - p)·d / d·d."""
        d = self._valid_direction()
        return self.at((point - self.point).dot(d) / nonzero(d.dot(d)))

    def closest_point(self) -> Point:
        """The point nearest to the origin."""
        return self.closest_point_to(Point.origin())

    def distance_to(self, point: Point) -> Scalar:
        """|d × (q - p)| / |d|; its derivative is 0 for points of the line."""
        d = self._valid_direction()
        return length(Direction.from_vector(d).cross(point - self.point))

    def normalized(self) -> Line:
        """The same line with |d| = 1 and p·d = 0."""
        return Line(self.closest_point(), Direction.from_vector(self._valid_direction()).vec)

    def moved(self, R: Rotation | PlaneRotation, p: Vec3) -> Line:
        """From coordinates of B to those of A, where (R, p) is the pose of B in A."""
        return Line(self.point.moved(R, p), R @ self.direction)

    def moved_back(self, R: Rotation | PlaneRotation, p: Vec3) -> Line:
        return Line(self.point.moved_back(R, p), R.inv() @ self.direction)

    def _valid_direction(self) -> Vec3:
        d = self.direction
        if certainly(d.dot(d) == 0.0):
            raise DegenerateError("a line needs a direction that is not zero; this one is only a point")
        return d
