"""3x3 matrices: general (9 numbers) and symmetric (6 numbers)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from sixvec.scalar import Scalar
from sixvec.spatial.vector import Vec3


@dataclass(frozen=True, slots=True)
class Mat3:
    """A 3x3 matrix by rows: `xy` is the entry in row x and column y.

    >>> from sixvec.spatial import Mat3, Vec3
    >>> Mat3.cross_matrix(Vec3(1.0, 2.0, 3.0)) @ Vec3(0.0, 0.0, 1.0)
    Vec3(x=2.0, y=-1.0, z=0.0)
    """

    xx: Scalar
    xy: Scalar
    xz: Scalar
    yx: Scalar
    yy: Scalar
    yz: Scalar
    zx: Scalar
    zy: Scalar
    zz: Scalar

    @classmethod
    def zero(cls) -> Mat3:
        return cls(0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)

    @classmethod
    def cross_matrix(cls, a: Vec3) -> Mat3:
        """`a×`: the matrix whose product with b is the vector product a × b."""
        return cls(0.0, -a.z, a.y, a.z, 0.0, -a.x, -a.y, a.x, 0.0)

    @classmethod
    def outer(cls, a: Vec3, b: Vec3) -> Mat3:
        """`a bᵀ`."""
        return cls.from_rows(b * a.x, b * a.y, b * a.z)

    @classmethod
    def from_rows(cls, x: Vec3, y: Vec3, z: Vec3) -> Mat3:
        return cls(x.x, x.y, x.z, y.x, y.y, y.z, z.x, z.y, z.z)

    @property
    def rows(self) -> tuple[Vec3, Vec3, Vec3]:
        return (
            Vec3(self.xx, self.xy, self.xz),
            Vec3(self.yx, self.yy, self.yz),
            Vec3(self.zx, self.zy, self.zz),
        )

    @property
    def T(self) -> Mat3:
        return Mat3(self.xx, self.yx, self.zx, self.xy, self.yy, self.zy, self.xz, self.yz, self.zz)

    def __iter__(self) -> Iterator[Scalar]:
        return iter((self.xx, self.xy, self.xz, self.yx, self.yy, self.yz, self.zx, self.zy, self.zz))

    def __add__(self, other: Mat3) -> Mat3:
        return Mat3(*(a + b for a, b in zip(self, other, strict=True)))

    def __sub__(self, other: Mat3) -> Mat3:
        return Mat3(*(a - b for a, b in zip(self, other, strict=True)))

    def __neg__(self) -> Mat3:
        return Mat3(*(-a for a in self))

    def __mul__(self, k: Scalar) -> Mat3:
        return Mat3(*(a * k for a in self))

    def __matmul__(self, v: Vec3) -> Vec3:
        x, y, z = self.rows
        return Vec3(x.dot(v), y.dot(v), z.dot(v))

    def product(self, other: Mat3) -> Mat3:
        """The matrix product (`@` is kept for acting on vectors)."""
        columns = other.T
        return Mat3.from_rows(*(columns @ row for row in self.rows))


@dataclass(frozen=True, slots=True)
class Sym3:
    """A symmetric 3x3 matrix, such as a rotational inertia."""

    xx: Scalar
    xy: Scalar
    xz: Scalar
    yy: Scalar
    yz: Scalar
    zz: Scalar

    @classmethod
    def zero(cls) -> Sym3:
        return cls(0.0, 0.0, 0.0, 0.0, 0.0, 0.0)

    @classmethod
    def diagonal(cls, xx: Scalar, yy: Scalar, zz: Scalar) -> Sym3:
        return cls(xx, 0.0, 0.0, yy, 0.0, zz)

    @property
    def full(self) -> Mat3:
        return Mat3(self.xx, self.xy, self.xz, self.xy, self.yy, self.yz, self.xz, self.yz, self.zz)

    def __iter__(self) -> Iterator[Scalar]:
        return iter((self.xx, self.xy, self.xz, self.yy, self.yz, self.zz))

    def __add__(self, other: Sym3) -> Sym3:
        return Sym3(*(a + b for a, b in zip(self, other, strict=True)))

    def __sub__(self, other: Sym3) -> Sym3:
        return Sym3(*(a - b for a, b in zip(self, other, strict=True)))

    def __neg__(self) -> Sym3:
        return Sym3(*(-a for a in self))

    def __mul__(self, k: Scalar) -> Sym3:
        return Sym3(*(a * k for a in self))

    def __matmul__(self, v: Vec3) -> Vec3:
        return self.full @ v
