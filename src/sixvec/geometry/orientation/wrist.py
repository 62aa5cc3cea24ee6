"""The spherical ZXZ wrist: three revolute joints whose axes intersect in one point."""

from __future__ import annotations

from dataclasses import dataclass

from sixvec.geometry.orientation.euler import EulerAngles, EulerRates
from sixvec.scalar import Scalar
from sixvec.spatial.matrix import Mat3
from sixvec.spatial.rotation import PlaneRotation, Rotation
from sixvec.spatial.vector import Vec3


@dataclass(frozen=True, slots=True)
class SphericalWrist:
    """Joint angles of a wrist that turns about z, x and z; at zero the hand is parallel to the base (Bruyninckx §3.13).

    Its joint angles are the ZXZ Euler angles about moving axes of the hand, and it has their singularity.

    >>> from sixvec.geometry.orientation import SphericalWrist
    >>> from sixvec.spatial import Rotation
    >>> SphericalWrist(0.0, 0.0, 0.0).orientation() == Rotation.identity()
    True
    """

    q1: Scalar
    q2: Scalar
    q3: Scalar

    @classmethod
    def solutions(cls, R: Rotation | PlaneRotation) -> tuple[SphericalWrist, SphericalWrist]:
        """Both configurations that reach an orientation: q2 in [0, π], and flipped, (q1 ± π, -q2, q3 ± π).

        At the singularity there are infinitely many; the first has q3 = 0.
        """
        angles = EulerAngles.from_rotation(R, "zxz")
        return cls(*angles), cls(*angles.other())

    @property
    def angles(self) -> EulerAngles:
        """The joint angles as Euler angles.  Bruyninckx (3.28)-(3.30)."""
        return EulerAngles(self.q1, self.q2, self.q3, "zxz")

    @property
    def singular(self) -> Scalar:
        """Whether the first and the third joint axis lie on one line."""
        return self.angles.singular

    def orientation(self) -> Rotation:
        """The orientation of the hand in the base: R(z, q1) R(x, q2) R(z, q3).  Bruyninckx (3.27)."""
        return self.angles.as_rotation()

    def jacobian(self) -> Mat3:
        """ω in the base's axes is J q̇: the columns are the joint axes, and det J = -sin q2.

        Bruyninckx (3.40).

        >>> from sixvec.geometry.orientation import SphericalWrist
        >>> from sixvec.spatial import Vec3
        >>> SphericalWrist(0.0, 0.0, 0.0).jacobian() @ Vec3(1.0, 2.0, 3.0)
        Vec3(x=2.0, y=0.0, z=4.0)
        """
        return Mat3.from_rows(*self.angles.turning_axes()).T

    def joint_rates(self, w_space: Vec3) -> EulerRates:
        """The joint rates that turn the hand with ω; at the singularity plain numbers raise DegenerateError.

        Bruyninckx (3.41).
        """
        return self.angles.rate_from_space(w_space)

    def lost_direction(self) -> Vec3:
        """The unit vector about which a singular wrist cannot turn: y of the frame after the first joint.

        >>> from sixvec.geometry.orientation import SphericalWrist
        >>> SphericalWrist(0.0, 0.0, 0.0).lost_direction()
        Vec3(x=0.0, y=1.0, z=0.0)
        """
        return Rotation.about_z(self.q1) @ Vec3(0.0, 1.0, 0.0)
