"""Rotations as a single turn about an axis."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from sixvec.errors import DegenerateError
from sixvec.scalar import Scalar, arctan2, certainly, cos, sin, sqrt, where
from sixvec.spatial.quaternion import Quaternion
from sixvec.spatial.rotation import VANISHING_SQUARE, PlaneRotation, Rotation
from sixvec.spatial.vector import Vec3

NO_TURN = 1e-100
"""|sin(θ/2)| below which there is no axis."""


@dataclass(frozen=True, slots=True)
class AxisAngleRate:
    """Rates of axis and angle; the axis rate is perpendicular to the axis."""

    axis: Vec3
    angle: Scalar


@dataclass(frozen=True, slots=True)
class AxisAngle:
    """The turn by `angle` about the unit vector `axis`; (-e, -θ) is the same rotation (Bruyninckx §3.18).

    >>> from sixvec.geometry.orientation import AxisAngle
    >>> from sixvec.spatial import Rotation, Vec3
    >>> AxisAngle(Vec3(0.0, 0.0, 1.0), 0.0).as_rotation() == Rotation.identity()
    True
    """

    axis: Vec3
    angle: Scalar

    @classmethod
    def from_rotation(cls, R: Rotation | PlaneRotation) -> AxisAngle:
        """Axis and angle in [0, π] of a rotation (equivalent axis, Bruyninckx §3.18.2).

        Through the quaternion, so the axis is precise up to and at a half turn, where both senses are valid and one is
        chosen.  For small angles the axis has the error 1e-16/θ.  The identity has no axis: plain numbers raise
        DegenerateError, a batch or a trace gets the z axis there.  The rotation vector, `so3.log`, has no such
        singularity.  Bruyninckx (3.50).

        >>> from sixvec.geometry.orientation import AxisAngle
        >>> from sixvec.spatial import Rotation
        >>> AxisAngle.from_rotation(Rotation.about_y(2.0)).axis
        Vec3(x=0.0, y=1.0, z=0.0)
        """
        q = Quaternion.from_rotation(R)
        q = q.near(Quaternion.identity())
        ss = q.vec.dot(q.vec)
        none = ss < VANISHING_SQUARE
        if certainly(none):
            raise DegenerateError("the identity turns about no axis; use so3.log(R), the rotation vector, zero there")
        s = sqrt(where(none, 1.0, ss))
        axis = Vec3(where(none, 0.0, q.x / s), where(none, 0.0, q.y / s), where(none, 1.0, q.z / s))
        return cls(axis, 2.0 * arctan2(where(none, 0.0, s), q.w))

    def other(self) -> AxisAngle:
        """The same rotation, described as the opposite turn about the opposite axis."""
        return AxisAngle(-self.axis, -self.angle)

    def __iter__(self) -> Iterator[Scalar]:
        yield from self.axis
        yield self.angle

    def as_rotation(self) -> Rotation:
        """The matrix, by Rodrigues' formula; the axis must have unit length.  Bruyninckx (3.46)."""
        return Rotation.about(self.axis, self.angle)

    def as_vector(self) -> Vec3:
        """The rotation vector θ e, the argument of `so3.exp`."""
        vector: Vec3 = self.axis * self.angle
        return vector

    def space_velocity(self, rate: AxisAngleRate) -> Vec3:
        """ω = θ̇ e + sin θ ė + (1 - cos θ) e × ė in the axes of reference; only θ̇ e if the axis is at rest.

        Bruyninckx §3.19 has the case of an axis at rest.

        >>> from sixvec.geometry.orientation import AxisAngle, AxisAngleRate
        >>> from sixvec.spatial import Vec3
        >>> AxisAngle(Vec3(0.0, 0.0, 1.0), 1.0).space_velocity(AxisAngleRate(Vec3.zero(), 2.0))
        Vec3(x=0.0, y=0.0, z=2.0)
        """
        return self._velocity(rate, 1.0)

    def body_velocity(self, rate: AxisAngleRate) -> Vec3:
        """ω = θ̇ e + sin θ ė - (1 - cos θ) e × ė in the body's axes."""
        return self._velocity(rate, -1.0)

    def rate_from_space(self, w_space: Vec3) -> AxisAngleRate:
        """θ̇ = e · ω and ė = ½ (cot(θ/2) (ω - e e·ω) - e × ω), for ω in the axes of reference.

        Singular at the identity: plain numbers raise DegenerateError, other scalars become infinite.
        """
        return self._rate(w_space, -1.0)

    def rate(self, w_body: Vec3) -> AxisAngleRate:
        """θ̇ = e · ω and ė = ½ (cot(θ/2) (ω - e e·ω) + e × ω), for ω in the body's axes; singular at the identity."""
        return self._rate(w_body, 1.0)

    def _velocity(self, rate: AxisAngleRate, sense: float) -> Vec3:
        s, c = sin(0.5 * self.angle), cos(0.5 * self.angle)
        along, across = rate.axis * (2.0 * s * c), self.axis.cross(rate.axis) * (2.0 * s * s)
        w: Vec3 = self.axis * rate.angle + along + across * sense
        return w

    def _rate(self, w: Vec3, sense: float) -> AxisAngleRate:
        s, c = sin(0.5 * self.angle), cos(0.5 * self.angle)
        if certainly(abs(s) < NO_TURN):
            raise DegenerateError("without a turn the axis has no rate; use so3.left_jacobian_inverse(r) @ ω instead")
        spin = self.axis.dot(w)
        drift = (w - self.axis * spin) * (c / s) + self.axis.cross(w) * sense
        return AxisAngleRate(drift * 0.5, spin)
