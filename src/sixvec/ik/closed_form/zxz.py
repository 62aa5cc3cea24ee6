"""Three revolute axes through one point, about +z, -x and +z: the wrist of both structures and the shoulder of one.

The senses are those of Bruyninckx §7.2: a positive middle angle bends from +z towards +y.
"""

from __future__ import annotations

from dataclasses import dataclass

from sixvec.scalar import Scalar, arctan2, cos, sin, sqrt, where
from sixvec.spatial import Mat3, PlaneRotation, Rotation, Vec3
from sixvec.tolerances import ROUNDING


@dataclass(frozen=True, slots=True)
class ZXZ:
    """The joint angles `roll`, `bend` and `twist` of R = Rz(roll) Rx(-bend) Rz(twist).

    >>> ZXZ(0.0, 0.0, 0.0).rotation() == Rotation.identity()
    True
    """

    roll: Scalar
    bend: Scalar
    twist: Scalar

    @classmethod
    def of_rotation(cls, R: Rotation, flip: bool = False, roll: Scalar = 0.0) -> ZXZ:
        """The angles of R with bend in [0, π], or flipped with bend in [-π, 0]; Bruyninckx (3.28)-(3.30).

        Where the outer axes are collinear, any roll is valid and `roll` is used.  The twist is the remainder of R
        after the roll, so R is reproduced to rounding near that singularity too, where the roll alone loses digits.

        >>> ZXZ.of_rotation(ZXZ(0.3, 0.5, 0.7).rotation(), flip=True).bend < 0.0
        True
        """
        m, w = R.matrix, -1.0 if flip else 1.0
        ss = m.xz * m.xz + m.yz * m.yz
        aligned = ss < ROUNDING * ROUNDING
        roll = where(aligned, roll, arctan2(-w * m.xz, w * m.yz))
        sine = where(aligned, 0.0, w * sqrt(where(aligned, 1.0, ss)))
        c, s = cos(roll), sin(roll)
        return cls(roll, arctan2(sine, m.zz), arctan2(-(c * m.xy + s * m.yy), c * m.xx + s * m.yx))

    def rotation(self) -> Rotation:
        """Rz(roll) Rx(-bend) Rz(twist)."""
        c, s = cos(self.roll), sin(self.roll)
        ct, st = cos(self.twist), sin(self.twist)
        return PlaneRotation(c, s) @ Rotation.about_x(-self.bend) @ PlaneRotation(ct, st)

    @property
    def middle_axis(self) -> Vec3:
        """The axis of `bend`."""
        return Vec3(-cos(self.roll), -sin(self.roll), 0.0)

    @property
    def normal(self) -> Vec3:
        """The unit vector normal to the first two axes; where bend is 0 or π, normal to all three."""
        return Vec3(-sin(self.roll), cos(self.roll), 0.0)

    @property
    def axes(self) -> tuple[Vec3, Vec3, Vec3]:
        """The joint axes, in the frame before the first; as the columns of B, det B = -sin(bend)."""
        c, s = cos(self.bend), sin(self.bend)
        return Vec3(0.0, 0.0, 1.0), self.middle_axis, self.normal * s + Vec3(0.0, 0.0, c)

    def jacobian(self) -> Mat3:
        """B with ω = B (rates): the axes as columns.

        >>> ZXZ(0.0, 0.0, 0.0).jacobian() @ Vec3(1.0, 2.0, 3.0)
        Vec3(x=-2.0, y=0.0, z=4.0)
        """
        return Mat3.from_rows(*self.axes).T

    def rates(self, w: Vec3) -> Vec3:
        """B⁻¹ ω: only the last axis has a component along `normal`, sin(bend), which is the divisor."""
        return self.rates_with_twist(w, self.normal.dot(w) / sin(self.bend))

    def rates_with_twist(self, w: Vec3, twist_rate: Scalar) -> Vec3:
        """The rates for ω if that of the last joint is known: no division."""
        return Vec3(w.z - cos(self.bend) * twist_rate, self.middle_axis.dot(w), twist_rate)

    def transposed_rates(self, torques: Vec3) -> Vec3:
        """B⁻ᵀ τ: the moment whose components along the three axes are the torques."""
        along_normal = (torques.z - cos(self.bend) * torques.x) / sin(self.bend)
        moment: Vec3 = self.middle_axis * torques.y + self.normal * along_normal
        return moment + Vec3(0.0, 0.0, torques.x)
