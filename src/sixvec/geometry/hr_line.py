"""Hayati-Roberts coordinates of a line (the variant with projected axes)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from sixvec.errors import DegenerateError
from sixvec.geometry.direction import Direction
from sixvec.geometry.line import Line
from sixvec.geometry.point import Point
from sixvec.scalar import Scalar, certainly, like, where
from sixvec.spatial.norm import PARALLEL_SINE, root


@dataclass(frozen=True, slots=True)
class DirectionAndTrace:
    """x and y of a line's unit direction, and of its place in a plane; `up` is the sign of the direction's z."""

    e_x: Scalar
    e_y: Scalar
    l_x: Scalar
    l_y: Scalar
    up: Scalar = 1.0

    def __iter__(self) -> Iterator[Scalar]:
        return iter((self.e_x, self.e_y, self.l_x, self.l_y, self.up))


@dataclass(frozen=True, slots=True)
class HRLine(DirectionAndTrace):
    """A directed line by the x and y of its unit direction e and of its trace in the xy-plane.

    (l_x, l_y) are defined in the plane through the origin at right angles to the line, along the world's x and y
    projected into it; measured along these axes, which are neither unit nor orthogonal, they are the coordinates of
    the trace: point (l_x, l_y, 0).  e_z = ±√(1 - e_x² - e_y²); `up` is that sign (1 or -1), which the four numbers do
    not contain.  `PCLine` is the variant with orthonormal axes.

    Regular near z, where Denavit-Hartenberg coordinates fail; singular for *every* line with e_z = 0, not only for
    those along x and y.  Bruyninckx §2.5.4.

    >>> from sixvec.geometry import HRLine, Line, Point
    >>> from sixvec.spatial import Vec3
    >>> HRLine.from_line(Line(Point(2.0, 3.0, 7.0), Vec3(0.0, 0.0, -4.0)))
    HRLine(e_x=0.0, e_y=0.0, l_x=2.0, l_y=3.0, up=-1.0)
    """

    @classmethod
    def from_line(cls, line: Line) -> HRLine:
        """The coordinates of a line whose direction may have any length.

        A line within 1e-14 rad of the xy-plane raises an error on plain numbers; in arrays and traced code l is
        then the x and y of `line.point`.
        """
        e, p = Direction.from_vector(line.direction), line.point
        level = abs(e.z) < PARALLEL_SINE
        if certainly(level):
            raise DegenerateError(
                "a line parallel to the xy-plane has no trace in it, hence no Hayati-Roberts coordinates; "
                "use DHLine, PCLine or Plücker coordinates"
            )
        t = where(level, 0.0, p.z / where(level, 1.0, e.z))
        return cls(e.x, e.y, p.x - t * e.x, p.y - t * e.y, where(e.z < 0.0, like(e.z, -1.0), 1.0))

    def as_line(self) -> Line:
        """The line with unit direction, at its trace in the xy-plane."""
        return Line(Point(self.l_x, self.l_y, 0.0), unit_from_xy(self.e_x, self.e_y, self.up).vec)

    @staticmethod
    def conditioning(line: Line) -> Scalar:
        """|cos| of the angle to z: 1 where the coordinates are best, 0 where they do not exist."""
        return abs(Direction.from_vector(line.direction).z)


def unit_from_xy(x: Scalar, y: Scalar, up: Scalar) -> Direction:
    """The direction with this x and y, pointing up (1) or down (-1); the root's derivative at z = 0 is set to 0.

    >>> unit_from_xy(0.0, 0.0, -1.0)
    Direction(x=0.0, y=0.0, z=-1.0)
    """
    z_squared = 1.0 - (x * x + y * y)
    if certainly(z_squared < -PARALLEL_SINE):
        raise DegenerateError(f"({x}, {y}) cannot be part of a unit vector: the sum of squares exceeds 1")
    return Direction(x, y, root(z_squared) * up)
