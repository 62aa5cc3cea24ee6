"""Reflections: the effect of a change of handedness."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeVar

from sixvec.geometry.direction import Direction
from sixvec.geometry.line import Line
from sixvec.geometry.plane import Plane
from sixvec.geometry.plucker_line import PluckerLine
from sixvec.geometry.point import Point
from sixvec.geometry.screw import Screw
from sixvec.scalar import Scalar, like, where
from sixvec.spatial.force import Force
from sixvec.spatial.motion import Motion
from sixvec.spatial.vector import Vec3

T = TypeVar("T", Point, Direction, Line, PluckerLine, Plane, Motion, Force, Screw)


@dataclass(frozen=True, slots=True)
class Mirror:
    """The reflection at a plane: x ↦ H x + s, with H = 1 - 2 n nᵀ and s = 2 c n.

    True vectors (displacements, velocities, forces) are reflected, v ↦ H v.  Pseudovectors (angular velocities,
    moments, every vector product of two true vectors) are reflected *and* reversed, w ↦ -H w, because
    [w] ↦ H [w] Hᵀ = [-H w].
    The same formulas change the coordinates to a left-handed frame.  Directions and normals count as true vectors.
    (Bruyninckx §2.4 calls forces "axial" and moments "polar", the opposite of the usage in physics; hence neither
    word here.)

    >>> from sixvec.geometry import Direction, Mirror, Plane, Point
    >>> from sixvec.spatial import Vec3
    >>> wall = Mirror(Plane(Direction(1.0, 0.0, 0.0), 1.0))
    >>> wall @ Point(3.0, 0.0, 0.0)
    Point(x=-1.0, y=0.0, z=0.0)
    >>> wall.pseudovector(Vec3(0.0, 0.0, 1.0))
    Vec3(x=-0.0, y=-0.0, z=-1.0)
    """

    plane: Plane

    def vector(self, v: Vec3) -> Vec3:
        """H v, for true vectors."""
        n = self.plane.normal
        twice = 2.0 * n.dot(v)
        return Vec3(v.x - n.x * twice, v.y - n.y * twice, v.z - n.z * twice)

    def pseudovector(self, w: Vec3) -> Vec3:
        """-H w, for pseudovectors."""
        return -self.vector(w)

    def __matmul__(self, thing: T) -> T:
        """The mirror image.  A bare Vec3 raises an error, because it may be a true vector or a pseudovector."""
        if isinstance(thing, Point):
            return Point.of(self.vector(thing.vec) + self._shift)
        if isinstance(thing, Direction):
            return Direction.of(self.vector(thing.vec))
        if isinstance(thing, Line):
            return Line(self @ thing.point, self.vector(thing.direction))
        if isinstance(thing, Plane):
            return Plane.from_point(self @ thing.closest_point(), self @ thing.normal)
        if isinstance(thing, Motion):
            ang = self.pseudovector(thing.ang)
            return Motion(ang, self.vector(thing.lin) + self._shift.cross(ang))
        if isinstance(thing, Force):
            lin = self.vector(thing.lin)
            return Force(self.pseudovector(thing.ang) + self._shift.cross(lin), lin)
        if isinstance(thing, PluckerLine | Screw):
            # It reflects the axis of a screw and reverses the pitch.
            d = self.vector(thing.direction)
            return type(thing)(d, self.pseudovector(thing.moment) + self._shift.cross(d))
        if isinstance(thing, Vec3):
            raise TypeError("a Mirror does not know what a Vec3 is; use mirror.vector(v) or mirror.pseudovector(w)")
        return NotImplemented

    @property
    def _shift(self) -> Vec3:
        """s = 2 c n, the image of the origin."""
        nearest = self.plane.closest_point().vec
        return nearest + nearest


def handedness(x: Vec3, y: Vec3, z: Vec3) -> Scalar:
    """1 for a right-handed set of axes, -1 for a left-handed one, 0 if they lie in a plane: the sign of (x × y)·z.

    >>> from sixvec.geometry import handedness
    >>> from sixvec.spatial import Vec3
    >>> handedness(Vec3(1.0, 0.0, 0.0), Vec3(0.0, 1.0, 0.0), Vec3(0.0, 0.0, 1.0))
    1.0
    """
    volume = x.cross(y).dot(z)
    return where(volume < 0.0, -1.0, where(volume > 0.0, like(volume, 1.0), 0.0))
