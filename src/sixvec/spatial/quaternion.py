"""Unit quaternions (x, y, z, w), vector part first, Hamilton's product."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from sixvec.scalar import Scalar, arctan2, cos, sin, sqrt, where
from sixvec.spatial.matrix import Mat3
from sixvec.spatial.rotation import Rotation
from sixvec.spatial.vector import Vec3

SMALL_ANGLE_SQUARED = 1e-4
"""Below it the series of five terms beats the closed forms: its remainder is under 1e-22."""


@dataclass(frozen=True, slots=True)
class Quaternion:
    """A rotation as a unit quaternion; q and -q are the same rotation.

    >>> Quaternion.identity().as_rotation() @ Vec3(1.0, 2.0, 3.0)
    Vec3(x=1.0, y=2.0, z=3.0)
    """

    x: Scalar
    y: Scalar
    z: Scalar
    w: Scalar

    @classmethod
    def identity(cls) -> Quaternion:
        return cls(0.0, 0.0, 0.0, 1.0)

    @classmethod
    def exp(cls, rotation_vector: Vec3) -> Quaternion:
        """The rotation about the vector's direction by its length, smooth through zero."""
        half = rotation_vector * 0.5
        tt = half.dot(half)
        small = tt < SMALL_ANGLE_SQUARED
        t = sqrt(where(small, 1.0, tt))
        sinc = where(small, 1.0 - tt / 6.0 * (1.0 - tt / 20.0 * (1.0 - tt / 42.0)), sin(t) / t)
        cosine = where(small, 1.0 - tt / 2.0 * (1.0 - tt / 12.0 * (1.0 - tt / 30.0 * (1.0 - tt / 56.0))), cos(t))
        return cls(half.x * sinc, half.y * sinc, half.z * sinc, cosine)

    def log(self) -> Vec3:
        """The rotation vector, at most π long."""
        sign = where(self.w < 0.0, -1.0, 1.0)
        w, v = self.w * sign, self.vec * sign
        ss = v.dot(v)
        small = ss < SMALL_ANGLE_SQUARED
        s = sqrt(where(small, 1.0, ss))
        # θ/2 = arctan2(s, w); for small s the ratio (θ/2)/s is arcsin(s)/s of the normalised quaternion.
        xx = ss / (ss + w * w)
        series = 1.0 + xx / 6.0 * (1.0 + 0.45 * xx * (1.0 + 25.0 / 42.0 * xx * (1.0 + 49.0 / 72.0 * xx)))
        ratio = where(small, series / sqrt(ss + w * w), arctan2(s, w) / s)
        angle_over_sine: Scalar = 2.0 * ratio
        return Vec3(v.x * angle_over_sine, v.y * angle_over_sine, v.z * angle_over_sine)

    @property
    def vec(self) -> Vec3:
        return Vec3(self.x, self.y, self.z)

    def __iter__(self) -> Iterator[Scalar]:
        return iter((self.x, self.y, self.z, self.w))

    def inv(self) -> Quaternion:
        return Quaternion(-self.x, -self.y, -self.z, self.w)

    def __matmul__(self, other: Quaternion) -> Quaternion:
        """Composition: first `other`, then `self`."""
        a, b = self.vec, other.vec
        v = b * self.w + a * other.w + a.cross(b)
        return Quaternion(v.x, v.y, v.z, self.w * other.w - a.dot(b))

    def normalized(self) -> Quaternion:
        k = 1.0 / sqrt(self.x * self.x + self.y * self.y + self.z * self.z + self.w * self.w)
        return Quaternion(self.x * k, self.y * k, self.z * k, self.w * k)

    def as_rotation(self) -> Rotation:
        """The rotation matrix, entries quadratic in the quaternion; it must have unit length."""
        x, y, z, w = self
        x2, y2, z2 = x + x, y + y, z + z
        xx, yy, zz, xy, xz, yz = x * x2, y * y2, z * z2, x * y2, x * z2, y * z2
        wx, wy, wz = w * x2, w * y2, w * z2
        matrix = Mat3(
            1.0 - (yy + zz), xy - wz, xz + wy,
            xy + wz, 1.0 - (xx + zz), yz - wx,
            xz - wy, yz + wx, 1.0 - (xx + yy),
        )  # fmt: skip
        return Rotation(matrix)

    def rate(self, w_body: Vec3) -> Quaternion:
        """dq/dt of a body that turns with angular velocity `w_body` in its own axes: ½ q ∘ (ω, 0)."""
        half = w_body * 0.5
        return self @ Quaternion(half.x, half.y, half.z, 0.0)
