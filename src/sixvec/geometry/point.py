"""Points: positions, not free vectors."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import overload

from sixvec.scalar import Scalar
from sixvec.spatial.norm import length
from sixvec.spatial.rotation import PlaneRotation, Rotation
from sixvec.spatial.vector import Vec3


@dataclass(frozen=True, slots=True)
class Point:
    """A position in space, by its coordinates in some frame.

    The difference of two points is a free vector (`Vec3`), a point plus a vector is a point; the sum of two points
    depends on where the origin is and therefore raises an error.  A pose moves a point by rotation *and* translation:
    X_AB @ p_B = p_A.  Bruyninckx §2.1-§2.2.  Bruyninckx (2.1), (2.3).

    >>> from sixvec.geometry import Point
    >>> p, q = Point(1.0, 0.0, 0.0), Point(1.0, 3.0, 4.0)
    >>> q - p
    Vec3(x=0.0, y=3.0, z=4.0)
    >>> p.distance_to(q)
    5.0
    >>> p + q
    Traceback (most recent call last):
    TypeError: unsupported operand type(s) for +: 'Point' and 'Point'
    """

    x: Scalar
    y: Scalar
    z: Scalar

    @classmethod
    def origin(cls) -> Point:
        return cls(0.0, 0.0, 0.0)

    @classmethod
    def of(cls, xyz: Iterable[Scalar]) -> Point:
        """From any three numbers in a row: coordinates, or the vector from the origin."""
        x, y, z = xyz
        return cls(x, y, z)

    @property
    def vec(self) -> Vec3:
        """The vector from the frame's origin to the point."""
        return Vec3(self.x, self.y, self.z)

    def __iter__(self) -> Iterator[Scalar]:
        return iter((self.x, self.y, self.z))

    def __add__(self, v: Vec3) -> Point:
        if not isinstance(v, Vec3):
            return NotImplemented
        return Point(self.x + v.x, self.y + v.y, self.z + v.z)

    @overload
    def __sub__(self, other: Point) -> Vec3: ...
    @overload
    def __sub__(self, other: Vec3) -> Point: ...
    def __sub__(self, other: Point | Vec3) -> Vec3 | Point:
        if isinstance(other, Point):
            return self.vec - other.vec
        if isinstance(other, Vec3):
            return Point.of(self.vec - other)
        return NotImplemented

    def distance_to(self, other: Point) -> Scalar:
        """|q - p|; its derivative is 0 where the points coincide.  Bruyninckx (2.2)."""
        if not isinstance(other, Point):
            raise TypeError(f"a distance is between two Points, not between a Point and a {type(other).__name__}")
        return length(other - self)

    def moved(self, R: Rotation | PlaneRotation, p: Vec3) -> Point:
        """From coordinates of B to those of A, where (R, p) is the pose of B in A.  Bruyninckx (2.22)."""
        return Point.of(p + R @ self.vec)

    def moved_back(self, R: Rotation | PlaneRotation, p: Vec3) -> Point:
        return Point.of(R.inv() @ (self.vec - p))
