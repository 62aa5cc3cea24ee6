"""Unit quaternions (x, y, z, w), vector part first, Hamilton's product."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import overload

from sixvec.errors import DegenerateError
from sixvec.scalar import Scalar, arctan2, certainly_not, cos, is_finite, is_plain, like, sin, sqrt, where
from sixvec.spatial.matrix import Mat3
from sixvec.spatial.rotation import VANISHING_SQUARE, PlaneRotation, Rotation, tolerance_of
from sixvec.spatial.vector import Vec3

SMALL_ANGLE_SQUARED = 1e-4
"""Below it the five-term series is more accurate than the closed forms: its remainder is under 1e-22."""


@dataclass(frozen=True, slots=True)
class Quaternion:
    """A rotation as a unit quaternion (sin(θ/2) e; cos(θ/2)); q and -q are the same rotation.

    i = (1, 0, 0, 0), j and k are half turns about x, y and z, with i j = k and i i = -1 (Bruyninckx §3.23).
    Bruyninckx (3.56)-(3.58), (3.60), (3.64).

    >>> from sixvec.spatial import Quaternion, Vec3
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
    def of(cls, xyzw: Iterable[Scalar]) -> Quaternion:
        """From any four numbers in a row, the scalar part last."""
        x, y, z, w = xyzw
        return cls(x, y, z, w)

    @classmethod
    def about(cls, axis: Vec3, angle: Scalar) -> Quaternion:
        """Turn by `angle` about the unit vector `axis`: (sin(θ/2) e; cos(θ/2)) (Bruyninckx §3.23.1).

        Bruyninckx (3.54).

        >>> from sixvec.spatial import Quaternion, Vec3
        >>> Quaternion.about(Vec3(0.0, 0.0, 1.0), 0.0) == Quaternion.identity()
        True
        """
        v = axis * sin(0.5 * angle)
        return cls(v.x, v.y, v.z, cos(0.5 * angle))

    @classmethod
    def from_rotation(cls, R: Rotation | PlaneRotation) -> Quaternion:
        """One of the two quaternions of a rotation matrix; `near` chooses the sign.

        The entries of a rotation contain the ten products 4 q qᵀ; a column whose diagonal entry is at least 1, over
        twice the root of that entry, is q.  No branch divides by a small number, so q and its derivatives have full
        precision for every rotation.

        >>> from sixvec.spatial import Quaternion, Rotation
        >>> Quaternion.from_rotation(Rotation.about_x(0.0)) == Quaternion.identity()
        True
        """
        column, largest = pivot_column(fourfold_products(R.matrix))
        k = 0.5 / sqrt(largest)
        return cls(*(a * k for a in column))

    @classmethod
    def exp(cls, rotation_vector: Vec3) -> Quaternion:
        """The rotation about the vector's direction by its length, smooth through zero."""
        half = rotation_vector * 0.5
        sinc, cosine = sinc_cosine(half.dot(half))
        return cls(half.x * sinc, half.y * sinc, half.z * sinc, cosine)

    def log(self) -> Vec3:
        """The rotation vector, at most π long."""
        sign = where(self.w < 0.0, like(self.w, -1.0), 1.0)
        w, v = self.w * sign, self.vec * sign
        self._square()
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
        """(-q_v; q), the opposite rotation of a unit quaternion.  Bruyninckx (3.63)."""
        return Quaternion(-self.x, -self.y, -self.z, self.w)

    def __neg__(self) -> Quaternion:
        """The other quaternion of the same rotation."""
        return Quaternion(-self.x, -self.y, -self.z, -self.w)

    def dot(self, other: Quaternion) -> Scalar:
        """The scalar product of two quaternions, cos(θ/2) for the angle θ between two rotations, up to sign."""
        return self.x * other.x + self.y * other.y + self.z * other.z + self.w * other.w

    def norm(self) -> Scalar:
        """Its length, 1 for a rotation; integration and noise change it, `normalized` restores it.

        Bruyninckx (3.55).
        """
        return sqrt(self.dot(self))

    def near(self, other: Quaternion) -> Quaternion:
        """q or -q, whichever lies on the side of `other`: the choice that keeps a sequence continuous.

        >>> from sixvec.spatial import Quaternion
        >>> Quaternion(0.0, 0.0, 0.0, -1.0).near(Quaternion.identity()).w
        1.0
        """
        along = self.dot(other)
        sign = where(along < 0.0, like(along, -1.0), 1.0)
        return Quaternion(self.x * sign, self.y * sign, self.z * sign, self.w * sign)

    def angle(self) -> Scalar:
        """The angle of the rotation, in [0, π]: 2 arctan2(|v|, |w|), precise everywhere; its slope at 0 is set to 0.

        >>> from sixvec.spatial import Quaternion
        >>> Quaternion.identity().angle()
        0.0
        """
        self._square()
        ss = self.vec.dot(self.vec)
        none = ss < VANISHING_SQUARE
        return 2.0 * arctan2(where(none, 0.0, sqrt(where(none, 1.0, ss))), abs(self.w))

    def distance(self, other: Quaternion) -> Scalar:
        """The angle of the rotation from one to the other, in [0, π] (Bruyninckx §3.22)."""
        return (self.inv() @ other).angle()

    @overload
    def __matmul__(self, other: Vec3) -> Vec3: ...
    @overload
    def __matmul__(self, other: Quaternion) -> Quaternion: ...
    def __matmul__(self, other: Vec3 | Quaternion) -> Vec3 | Quaternion:
        """Composition: first `other`, then `self`; on a vector p the rotation q p q⁻¹ = p + w t + v × t, t = 2 v × p.

        >>> Quaternion(1.0, 0.0, 0.0, 0.0) @ Vec3(1.0, 2.0, 3.0)
        Vec3(x=1.0, y=-2.0, z=-3.0)
        """
        if isinstance(other, Vec3):
            t = self._unit().vec.cross(other) * 2.0
            turned: Vec3 = other + t * self.w + self.vec.cross(t)
            return turned
        if not isinstance(other, Quaternion):
            return NotImplemented
        a, b = self.vec, other.vec
        v = b * self.w + a * other.w + a.cross(b)
        return Quaternion(v.x, v.y, v.z, self.w * other.w - a.dot(b))

    def left_matrix(self) -> list[list[Scalar]]:
        """Q_l with q ∘ p = Q_l(q) p, by rows; orthogonal for unit q, and Q_l(q⁻¹) = Q_lᵀ (Bruyninckx §3.23.3).

        Bruyninckx (3.61), (3.62).

        >>> from sixvec.spatial import Quaternion
        >>> Quaternion(1.0, 2.0, 3.0, 4.0).left_matrix()[0]
        [4.0, -3.0, 2.0, 1.0]
        """
        x, y, z, w = self
        return [[w, -z, y, x], [z, w, -x, y], [-y, x, w, z], [-x, -y, -z, w]]

    def right_matrix(self) -> list[list[Scalar]]:
        """Q_r with p ∘ q = Q_r(q) p, by rows; it commutes with every Q_l, as the product is associative.

        Bruyninckx (3.61), (3.62).

        >>> from sixvec.spatial import Quaternion
        >>> Quaternion(1.0, 2.0, 3.0, 4.0).right_matrix()[0]
        [4.0, 3.0, -2.0, 1.0]
        """
        x, y, z, w = self
        return [[w, z, -y, x], [-z, w, x, y], [y, -x, w, z], [-x, -y, -z, w]]

    def normalized(self) -> Quaternion:
        """The unit quaternion of the same sense; plain numbers without one (zero, infinite, NaN) raise DegenerateError.

        >>> from sixvec.spatial import Quaternion
        >>> Quaternion(0.0, 0.0, 3.0, 4.0).normalized()
        Quaternion(x=0.0, y=0.0, z=0.6000000000000001, w=0.8)
        """
        k = 1.0 / sqrt(self._square())
        return Quaternion(self.x * k, self.y * k, self.z * k, self.w * k)

    def _square(self) -> Scalar:
        """x² + y² + z² + w²; an error on plain numbers that are not a multiple of a rotation: zero, infinite, NaN."""
        qq = self.x * self.x + self.y * self.y + self.z * self.z + self.w * self.w
        if is_plain(qq) and (certainly_not(qq > 0.0) or not is_finite(qq)):
            raise DegenerateError(
                f"the quaternion {tuple(self)} is not a rotation, nor a multiple of one: its norm is {qq}"
            )
        return qq

    def _unit(self) -> Quaternion:
        """Itself; but if it certainly has not unit length, an error."""
        qq = self._square()
        if is_plain(qq) and certainly_not(abs(qq - 1.0) < tolerance_of(self.w)):
            raise DegenerateError(
                f"the quaternion {tuple(self)} is not a rotation: its norm is {sqrt(qq):.6g}, not 1; use q.normalized()"
            )
        return self

    def as_rotation(self) -> Rotation:
        """The rotation matrix, quadratic in the quaternion, which must have unit length (checked on plain numbers).

        Bruyninckx (3.67).
        """
        x, y, z, w = self._unit()
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

    def rate_from_space(self, w_space: Vec3) -> Quaternion:
        """dq/dt of a body that turns with ω in the axes of reference: ½ (ω, 0) ∘ q (Bruyninckx §3.23.5).

        Bruyninckx (3.68).
        """
        half = w_space * 0.5
        return Quaternion(half.x, half.y, half.z, 0.0) @ self

    def body_velocity(self, rate: Quaternion) -> Vec3:
        """ω in the body's axes from dq/dt: the vector part of 2 q⁻¹ ∘ q̇, never singular.

        >>> from sixvec.spatial import Quaternion, Vec3
        >>> q = Quaternion.identity()
        >>> q.body_velocity(q.rate(Vec3(1.0, 2.0, 3.0)))
        Vec3(x=1.0, y=2.0, z=3.0)
        """
        return (self.inv() @ rate).vec * 2.0

    def space_velocity(self, rate: Quaternion) -> Vec3:
        """ω in the axes of reference from dq/dt: the vector part of 2 q̇ ∘ q⁻¹ (Bruyninckx §3.23.5).

        The scalar part, 2 q · q̇, is zero while q has unit length; it is left out.  Bruyninckx (3.69).
        """
        return (rate @ self.inv()).vec * 2.0


def sinc_cosine(tt: Scalar) -> tuple[Scalar, Scalar]:
    """(sin(t)/t, cos t) as functions of t², smooth through zero."""
    small = tt < SMALL_ANGLE_SQUARED
    t = sqrt(where(small, 1.0, tt))
    sinc = where(small, 1.0 - tt / 6.0 * (1.0 - tt / 20.0 * (1.0 - tt / 42.0)), sin(t) / t)
    cosine = where(small, 1.0 - tt / 2.0 * (1.0 - tt / 12.0 * (1.0 - tt / 30.0 * (1.0 - tt / 56.0))), cos(t))
    return sinc, cosine


def fourfold_products(m: Mat3, shift: Scalar = 1.0) -> list[list[Scalar]]:
    """The symmetric matrix K + shift with qᵀ K q = trace(R(q)ᵀ m) for all q; for a rotation m, K + 1 is 4 q qᵀ."""
    xy, xz, yz = m.xy + m.yx, m.xz + m.zx, m.yz + m.zy
    xw, yw, zw = m.zy - m.yz, m.xz - m.zx, m.yx - m.xy
    return [
        [shift + m.xx - (m.yy + m.zz), xy, xz, xw],
        [xy, shift + m.yy - (m.xx + m.zz), yz, yw],
        [xz, yz, shift + m.zz - (m.xx + m.yy), zw],
        [xw, yw, zw, shift + m.xx + (m.yy + m.zz)],
    ]


def pivot_column(symmetric: Sequence[Sequence[Scalar]]) -> tuple[list[Scalar], Scalar]:
    """A column with a large diagonal entry, at least a quarter of the trace, and that entry.

    It is the larger of the pair (x, y) or of the pair (z, w), whichever pair has the larger sum.
    """

    def either(advantage: Scalar, a: list[Scalar], b: list[Scalar]) -> list[Scalar]:
        return [where(advantage > 0.0, p, q) for p, q in zip(a, b, strict=True)]

    x, y, z, w = ([*column, column[i]] for i, column in enumerate(symmetric))
    xy, zw = either(x[-1] - y[-1], x, y), either(z[-1] - w[-1], z, w)
    *column, largest = either(x[-1] + y[-1] - (z[-1] + w[-1]), xy, zw)
    return column, largest
