"""Rotations: `R_AB @ v_B = v_A`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import overload

from sixvec.scalar import Scalar, cos, sin
from sixvec.spatial.matrix import Mat3, Sym3
from sixvec.spatial.vector import Vec3


@dataclass(frozen=True, slots=True)
class Rotation:
    """A rotation as its 3x3 matrix, the columns being the axes of B seen from A.

    >>> R = Rotation.about(Vec3(0.0, 0.0, 1.0), 0.0)
    >>> R @ Vec3(1.0, 2.0, 3.0)
    Vec3(x=1.0, y=2.0, z=3.0)
    """

    matrix: Mat3

    @classmethod
    def identity(cls) -> Rotation:
        return cls(Mat3(1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0))

    @classmethod
    def about(cls, axis: Vec3, angle: Scalar) -> Rotation:
        """Turn by `angle` about the unit vector `axis` (Rodrigues' formula R = 1 + s a× + (1 - c) a× a×)."""
        c, s = cos(angle), sin(angle)
        u = axis * (1.0 - c)
        matrix = Mat3(
            c + axis.x * u.x, axis.x * u.y - axis.z * s, axis.x * u.z + axis.y * s,
            axis.y * u.x + axis.z * s, c + axis.y * u.y, axis.y * u.z - axis.x * s,
            axis.z * u.x - axis.y * s, axis.z * u.y + axis.x * s, c + axis.z * u.z,
        )  # fmt: skip
        return cls(matrix)

    @classmethod
    def from_rpy(cls, roll: Scalar, pitch: Scalar, yaw: Scalar) -> Rotation:
        """Roll about x, then pitch about y, then yaw about z, all axes fixed (the URDF convention)."""
        x, y, z = Vec3(1.0, 0.0, 0.0), Vec3(0.0, 1.0, 0.0), Vec3(0.0, 0.0, 1.0)
        return cls.about(z, yaw) @ cls.about(y, pitch) @ cls.about(x, roll)

    def inv(self) -> Rotation:
        return Rotation(self.matrix.T)

    @overload
    def __matmul__(self, other: Vec3) -> Vec3: ...
    @overload
    def __matmul__(self, other: Rotation | PlaneRotation) -> Rotation: ...
    def __matmul__(self, other: Vec3 | Rotation | PlaneRotation) -> Vec3 | Rotation:
        if isinstance(other, Vec3):
            return self.matrix @ other
        return Rotation(self.matrix.product(other.matrix))

    def turn(self, m: Mat3) -> Mat3:
        """`R m Rᵀ`: a matrix in B's axes, seen in A's."""
        return self.matrix.product(m).product(self.matrix.T)

    def turn_symmetric(self, m: Sym3) -> Sym3:
        """`R m Rᵀ` for symmetric m; only the six entries that are needed."""
        x, y, z = self.matrix.product(m.full).rows
        rx, ry, rz = self.matrix.rows
        return Sym3(x.dot(rx), x.dot(ry), x.dot(rz), y.dot(ry), y.dot(rz), z.dot(rz))


@dataclass(frozen=True, slots=True)
class PlaneRotation:
    """A rotation about +z by the angle whose cosine and sine are given.

    It is what most joints do, and it costs far less than a general rotation: a vector takes 4 multiplications;
    a symmetric matrix 8, because in `R m Rᵀ` the trace of the xy-block stays and its deviator turns by twice
    the angle.
    """

    c: Scalar
    s: Scalar

    @property
    def matrix(self) -> Mat3:
        return Mat3(self.c, -self.s, 0.0, self.s, self.c, 0.0, 0.0, 0.0, 1.0)

    def inv(self) -> PlaneRotation:
        return PlaneRotation(self.c, -self.s)

    @overload
    def __matmul__(self, other: Vec3) -> Vec3: ...
    @overload
    def __matmul__(self, other: Rotation | PlaneRotation) -> Rotation: ...
    def __matmul__(self, other: Vec3 | Rotation | PlaneRotation) -> Vec3 | Rotation:
        if isinstance(other, Vec3):
            return Vec3(self.c * other.x - self.s * other.y, self.s * other.x + self.c * other.y, other.z)
        return Rotation(self.matrix.product(other.matrix))

    def turn(self, m: Mat3) -> Mat3:
        """`R m Rᵀ`."""
        ss, cs = self.s * self.s, self.c * self.s
        difference, sum_ = m.xx - m.yy, m.xy + m.yx
        t = ss * difference + cs * sum_
        u = cs * difference - ss * sum_
        column, row = self @ Vec3(m.xz, m.yz, m.zz), self @ Vec3(m.zx, m.zy, m.zz)
        return Mat3(m.xx - t, m.xy + u, column.x, m.yx + u, m.yy + t, column.y, row.x, row.y, m.zz)

    def turn_symmetric(self, m: Sym3) -> Sym3:
        """`R m Rᵀ` for symmetric m."""
        full = self.turn(m.full)
        return Sym3(full.xx, full.xy, full.xz, full.yy, full.yz, full.zz)
