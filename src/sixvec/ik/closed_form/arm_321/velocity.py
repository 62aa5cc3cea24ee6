"""Velocities of the 321 structure, forward and inverse, through the wrist.  Bruyninckx §7.7, §7.12, §7.13."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from sixvec.ik.closed_form.arm_321.geometry import Arm321
from sixvec.ik.closed_form.arm_321.position import forearm_pose
from sixvec.ik.closed_form.arm_input import require_angles, require_regular
from sixvec.ik.closed_form.zxz import ZXZ
from sixvec.scalar import Scalar, cos, sin
from sixvec.spatial import Force, Mat3, Motion, Pose, Vec3
from sixvec.tolerances import ROUNDING


class SingularFactors(NamedTuple):
    """Zero where the arm is stretched or folded, the wrist is straight, the wrist is on the first axis."""

    stretch: Scalar
    straight: Scalar
    y: Scalar


@dataclass(frozen=True, slots=True)
class WristJacobian:
    """J = [A B; C 0] in frame 4: its reference point is the wrist centre, which the last three joints do not move.

    A and B are the directions of the arm's and the wrist's axes, C the velocities of the wrist centre due to the arm's
    joints (Bruyninckx (7.14), (7.15)).  Because of the zero, J is inverted block by block (Bruyninckx (7.33), (7.34));
    C too is triangular in blocks, the first joint against the other two.
    """

    arm: Arm321
    q: tuple[Scalar, ...]

    @property
    def wrist(self) -> ZXZ:
        return ZXZ(*self.q[3:])

    @property
    def B(self) -> Mat3:
        """The directions of the axes of the wrist.  Bruyninckx (7.14)."""
        return self.wrist.jacobian()

    @property
    def A(self) -> Mat3:
        """The directions of the axes of the arm.  Bruyninckx (7.15)."""
        c, s = cos(self.q[1] + self.q[2]), sin(self.q[1] + self.q[2])
        return Mat3(0.0, -1.0, -1.0, -s, 0.0, 0.0, c, 0.0, 0.0)

    @property
    def C(self) -> Mat3:
        """The velocities of the wrist centre due to the joints of the arm.  Bruyninckx (7.15)."""
        y, (gy, gz), (a, b, c, d) = self._parts
        return Mat3(-y, 0.0, 0.0, gy, a, b, gz, c, d)

    @property
    def columns(self) -> tuple[Motion, ...]:
        """The twist of the hand for unit rates of the six joints."""
        arm = zip(self.A.T.rows, self.C.T.rows, strict=True)
        return (*(Motion(w, v) for w, v in arm), *(Motion(w, Vec3.zero()) for w in self.wrist.axes))

    @property
    def factors(self) -> SingularFactors:
        """Factors that vanish with a stretched arm, a straight wrist, and the wrist above the shoulder.

        sin(q3 + φ), sin q5, and the wrist's forward distance y from the first axis.  Bruyninckx (7.35).
        """
        y = self.arm.base_offset + self.arm.wrist_reach(self.q[1], self.q[2]).forward
        return SingularFactors(sin(self.q[2] + self.arm.elbow_angle), sin(self.q[4]), y)

    def determinant(self) -> Scalar:
        """det J = y l2 L3 sin(q3 + φ) sin q5, independent of the frame.

        Bruyninckx (7.17) with the sign for the senses of the joints; it does not depend on the shoulder offset.
        Bruyninckx (7.18).

        >>> from sixvec.ik.closed_form.arm_321 import Arm321, WristJacobian
        >>> round(WristJacobian(Arm321(0.7, 0.6, 0.5, 0.1), (0.3, 0.4, 0.5, 0.6, 0.7, 0.8)).determinant(), 7)
        0.0579393
        """
        stretch, straight, y = self.factors
        return y * self.arm.l2 * self.arm.forearm * stretch * straight

    def times(self, rates: Sequence[Scalar]) -> Motion:
        """J q̇."""
        first, last = Vec3.of(rates[:3]), Vec3.of(rates[3:])
        return Motion(self.A @ first + self.B @ last, self.C @ first)

    def solve(self, twist: Motion) -> tuple[Scalar, ...]:
        """J⁻¹ t: the arm moves the wrist centre, the wrist adds the remaining rotation.  Bruyninckx (7.34), (7.36)."""
        self.require_regular()
        first = self._arm_solve(twist.lin)
        return (*first, *self.wrist.rates(twist.ang - self.A @ first))

    def transposed_times(self, wrench: Force) -> tuple[Scalar, ...]:
        """Jᵀ w: the power of a wrench on the unit motions of the joints."""
        return (*(self.A.T @ wrench.ang + self.C.T @ wrench.lin), *(self.B.T @ wrench.ang))

    def transposed_solve(self, torques: Sequence[Scalar]) -> Force:
        """J⁻ᵀ τ: the moment balances the wrist's torques, the force at the wrist centre the rest of the arm's."""
        self.require_regular()
        moment = self.wrist.transposed_rates(Vec3.of(torques[3:]))
        return Force(moment, self._arm_transposed_solve(Vec3.of(torques[:3]) - self.A.T @ moment))

    def require_regular(self) -> None:
        """On plain numbers, an error that names the singularity; batches become infinite or NaN there."""
        names = ("the arm is stretched or folded (sin(q3 + φ) = 0)", "the wrist is straight (sin q5 = 0)",
                 "the wrist is above the shoulder (y = 0)")  # fmt: skip
        least = (ROUNDING, ROUNDING, ROUNDING * self.arm.reach)
        require_regular((abs(x) < limit, name) for x, limit, name in zip(self.factors, least, names, strict=True))

    @property
    def _parts(self) -> tuple[Scalar, tuple[Scalar, Scalar], tuple[Scalar, Scalar, Scalar, Scalar]]:
        """C = [-y 0; g K], K by rows: the wrist's velocity along y and z of the forearm."""
        arm, (_, q2, q3) = self.arm, self.q[:3]
        y = self.factors[2]
        g = (arm.shoulder_offset * cos(q2 + q3), arm.shoulder_offset * sin(q2 + q3))
        upper_y, upper_z = arm.l2 * cos(q3), arm.l2 * sin(q3)
        return y, g, (upper_y + arm.l3, arm.l3, upper_z - arm.elbow_offset, -arm.elbow_offset)

    def _arm_solve(self, v: Vec3) -> Vec3:
        """C⁻¹ v, with det K = -l2 L3 sin(q3 + φ)."""
        y, (gy, gz), (a, b, c, d) = self._parts
        rate1 = -(v.x / y)
        vy, vz = v.y - gy * rate1, v.z - gz * rate1
        det = -self.arm.l2 * self.arm.forearm * self.factors[0]
        return Vec3(rate1, (d * vy - b * vz) / det, (a * vz - c * vy) / det)

    def _arm_transposed_solve(self, t: Vec3) -> Vec3:
        """C⁻ᵀ t."""
        y, (gy, gz), (a, b, c, d) = self._parts
        det = -self.arm.l2 * self.arm.forearm * self.factors[0]
        fy, fz = (d * t.y - c * t.z) / det, (a * t.z - b * t.y) / det
        return Vec3((gy * fy + gz * fz - t.x) / y, fy, fz)


def hand_in_forearm(arm: Arm321, q: Sequence[Scalar]) -> Vec3:
    """From the wrist centre to the hand, in frame 4."""
    return ZXZ(*q[3:]).axes[2] * arm.l6


def forearm_at_hand(arm: Arm321, q: Sequence[Scalar]) -> Pose:
    """Frame 4 relative to the hand's origin in axes of the base, the reference of the interface."""
    X = forearm_pose(arm, q)
    return Pose(X.rot, -(X.rot @ hand_in_forearm(arm, q)))


def forward_velocity(arm: Arm321, q: Sequence[Scalar], rates: Sequence[Scalar]) -> Motion:
    """The twist of the hand: reference point at its origin, axes of the base (FVK, Bruyninckx §7.7).

    Bruyninckx (7.16).

    >>> from sixvec.ik.closed_form.arm_321 import Arm321, forward_velocity
    >>> arm = Arm321(0.7, 0.6, 0.5, 0.1)
    >>> round(forward_velocity(arm, (0.0,) * 6, (0.0, 1.0, 0.0, 0.0, 0.0, 0.0)).lin.y, 12)
    1.2
    """
    require_angles(q, 6, "321")
    return forearm_at_hand(arm, q) @ WristJacobian(arm, tuple(q)).times(rates)


def inverse_velocity(arm: Arm321, q: Sequence[Scalar], twist: Motion) -> tuple[Scalar, ...]:
    """The joint rates for a twist of the hand as in `forward_velocity` (IVK, Bruyninckx §7.13).

    At a singularity plain numbers raise DegenerateError, batches become infinite or NaN for that sample.
    Bruyninckx (7.37).

    >>> from sixvec.ik.closed_form.arm_321 import Arm321, forward_velocity, inverse_velocity
    >>> arm, q = Arm321(0.7, 0.6, 0.5, 0.1), (0.3, 0.4, 0.5, 0.6, 0.7, 0.8)
    >>> rates = inverse_velocity(arm, q, forward_velocity(arm, q, (1.0, 2.0, 3.0, 4.0, 5.0, 6.0)))
    >>> [round(x, 9) for x in rates]
    [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]
    """
    return WristJacobian(arm, tuple(q)).solve(forearm_at_hand(arm, q).inv() @ twist)
