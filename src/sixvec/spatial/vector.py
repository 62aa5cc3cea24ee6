"""Ordinary 3-D vectors, the parts of 6-D vectors."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from sixvec.scalar import Scalar, sqrt


@dataclass(frozen=True, slots=True)
class Vec3:
    """Three coordinates `x, y, z`.

    >>> from sixvec.spatial import Vec3
    >>> Vec3(1.0, 0.0, 0.0).cross(Vec3(0.0, 1.0, 0.0))
    Vec3(x=0.0, y=0.0, z=1.0)
    """

    x: Scalar
    y: Scalar
    z: Scalar

    @classmethod
    def zero(cls) -> Vec3:
        return cls(0.0, 0.0, 0.0)

    @classmethod
    def of(cls, xyz: Iterable[Scalar]) -> Vec3:
        """From any three numbers in a row."""
        x, y, z = xyz
        return cls(x, y, z)

    def __iter__(self) -> Iterator[Scalar]:
        return iter((self.x, self.y, self.z))

    def __add__(self, other: Vec3) -> Vec3:
        if not isinstance(other, Vec3):
            return NotImplemented
        return Vec3(self.x + other.x, self.y + other.y, self.z + other.z)

    def __sub__(self, other: Vec3) -> Vec3:
        if not isinstance(other, Vec3):
            return NotImplemented
        return Vec3(self.x - other.x, self.y - other.y, self.z - other.z)

    def __neg__(self) -> Vec3:
        return Vec3(-self.x, -self.y, -self.z)

    def __mul__(self, k: Scalar) -> Vec3:
        return Vec3(self.x * k, self.y * k, self.z * k)

    __rmul__ = __mul__

    def dot(self, other: Vec3) -> Scalar:
        return self.x * other.x + self.y * other.y + self.z * other.z

    def cross(self, other: Vec3) -> Vec3:
        return Vec3(
            self.y * other.z - self.z * other.y,
            self.z * other.x - self.x * other.z,
            self.x * other.y - self.y * other.x,
        )

    def norm(self) -> Scalar:
        return sqrt(self.dot(self))
