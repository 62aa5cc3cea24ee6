"""Homogeneous points: finite points and points at infinity in one type."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sixvec.errors import DegenerateError
from sixvec.geometry.point import Point
from sixvec.scalar import Scalar, certainly, where
from sixvec.spatial.vector import Vec3

if TYPE_CHECKING:
    from sixvec.geometry.direction import Direction
    from sixvec.spatial.rotation import PlaneRotation, Rotation


@dataclass(frozen=True, slots=True)
class HomogeneousPoint:
    """(x, y, z; w): the point (x, y, z) / w, or for w = 0 the point at infinity in the direction (x, y, z).

    All multiples are the same point.  The 4x4 matrix of a pose moves finite points by rotation and translation,
    and only rotates points at infinity: (R v + p w; w).  Bruyninckx §2.1.

    >>> from sixvec.geometry import HomogeneousPoint, Point
    >>> HomogeneousPoint.from_point(Point(1.0, 2.0, 3.0))
    HomogeneousPoint(x=1.0, y=2.0, z=3.0, w=1.0)
    >>> HomogeneousPoint(2.0, 4.0, 6.0, 2.0).as_point()
    Point(x=1.0, y=2.0, z=3.0)
    """

    x: Scalar
    y: Scalar
    z: Scalar
    w: Scalar

    @classmethod
    def of(cls, xyzw: Iterable[Scalar]) -> HomogeneousPoint:
        x, y, z, w = xyzw
        return cls(x, y, z, w)

    @classmethod
    def from_point(cls, point: Point) -> HomogeneousPoint:
        """(p; 1)."""
        return cls(point.x, point.y, point.z, 1.0)

    @classmethod
    def at_infinity(cls, direction: Direction | Vec3) -> HomogeneousPoint:
        """(d; 0): the common point of all lines in this direction."""
        return cls(direction.x, direction.y, direction.z, 0.0)

    @property
    def vec(self) -> Vec3:
        return Vec3(self.x, self.y, self.z)

    def __iter__(self) -> Iterator[Scalar]:
        return iter((self.x, self.y, self.z, self.w))

    def __mul__(self, k: Scalar) -> HomogeneousPoint:
        """The same point with other numbers (k ≠ 0)."""
        return HomogeneousPoint(self.x * k, self.y * k, self.z * k, self.w * k)

    __rmul__ = __mul__

    def as_point(self) -> Point:
        """The finite point (x, y, z) / w; in arrays and traced code, a point at infinity gives its direction (x, y, z).

        >>> from sixvec.geometry import HomogeneousPoint
        >>> HomogeneousPoint(1.0, 0.0, 0.0, 0.0).as_point()
        Traceback (most recent call last):
        sixvec.errors.DegenerateError: this point is at infinity (w = 0) and has no coordinates; its direction is `vec`
        """
        if certainly(self.w == 0.0):
            raise DegenerateError("this point is at infinity (w = 0) and has no coordinates; its direction is `vec`")
        k = 1.0 / where(abs(self.w) > 0.0, self.w, 1.0)
        return Point(self.x * k, self.y * k, self.z * k)

    def moved(self, R: Rotation | PlaneRotation, p: Vec3) -> HomogeneousPoint:
        """From coordinates of B to those of A, where (R, p) is the pose of B in A.  Bruyninckx (2.22)."""
        v = R @ self.vec + p * self.w
        return HomogeneousPoint(v.x, v.y, v.z, self.w)

    def moved_back(self, R: Rotation | PlaneRotation, p: Vec3) -> HomogeneousPoint:
        v = R.inv() @ (self.vec - p * self.w)
        return HomogeneousPoint(v.x, v.y, v.z, self.w)
