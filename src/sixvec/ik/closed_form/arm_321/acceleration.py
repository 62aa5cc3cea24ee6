"""Accelerations of the 321 structure, forward and inverse, through the wrist.  Bruyninckx §7.17, §7.18.

The book does not give these equations; they are the second derivatives of the wrist's position in the rotating
plane of the arm, and of the wrist's axes.
"""

from __future__ import annotations

from collections.abc import Sequence

from sixvec.ik.closed_form.arm_321.geometry import Arm321
from sixvec.ik.closed_form.arm_321.position import forearm_pose
from sixvec.ik.closed_form.arm_321.velocity import WristJacobian, hand_in_forearm
from sixvec.scalar import Scalar, cos, sin
from sixvec.spatial import Motion, Rotation, Vec3


def forward_acceleration(
    arm: Arm321, q: Sequence[Scalar], rates: Sequence[Scalar], accelerations: Sequence[Scalar]
) -> Motion:
    """Angular acceleration of the hand and acceleration of its origin as a point, axes of the base: J q̈ + J̇ q̇.

    >>> from sixvec.ik.closed_form.arm_321 import Arm321, forward_acceleration
    >>> arm, at_rest = Arm321(0.7, 0.6, 0.5), (0.0,) * 6
    >>> forward_acceleration(arm, at_rest, (0.0, 2.0, 0.0, 0.0, 0.0, 0.0), at_rest).lin.z
    -4.4
    """
    J, R = WristJacobian(arm, tuple(q)), forearm_pose(arm, q).rot
    at_wrist = J.times(accelerations) + velocity_products(arm, q, rates)
    w, r = J.times(rates).ang, hand_in_forearm(arm, q)
    point = at_wrist.lin + at_wrist.ang.cross(r) + w.cross(w.cross(r))
    return Motion(R @ at_wrist.ang, R @ point)


def inverse_acceleration(
    arm: Arm321, q: Sequence[Scalar], rates: Sequence[Scalar], acceleration: Motion
) -> tuple[Scalar, ...]:
    """q̈ = J⁻¹ (Ẍ - J̇ q̇): the joint accelerations for an acceleration of the hand as in `forward_acceleration`.

    >>> from sixvec.ik.closed_form.arm_321 import Arm321, forward_acceleration, inverse_acceleration
    >>> arm, q, rest = Arm321(0.7, 0.6, 0.5, 0.1), (0.3, 0.4, 0.5, 0.6, 0.7, 0.8), (0.0,) * 6
    >>> a = forward_acceleration(arm, q, (1.0,) * 6, (2.0,) * 6)
    >>> [round(x, 9) for x in inverse_acceleration(arm, q, (1.0,) * 6, a)]
    [2.0, 2.0, 2.0, 2.0, 2.0, 2.0]
    """
    J, back = WristJacobian(arm, tuple(q)), forearm_pose(arm, q).rot.inv()
    ang = back @ acceleration.ang
    w, r = J.times(rates).ang, hand_in_forearm(arm, q)
    at_wrist = back @ acceleration.lin - ang.cross(r) - w.cross(w.cross(r))
    return J.solve(Motion(ang, at_wrist) - velocity_products(arm, q, rates))


def velocity_products(arm: Arm321, q: Sequence[Scalar], rates: Sequence[Scalar]) -> Motion:
    """J̇ q̇ in axes of frame 4: (angular acceleration; acceleration of the wrist centre) without joint accelerations."""
    J = WristJacobian(arm, tuple(q))
    spin, angular = Vec3.zero(), Vec3.zero()
    for column, rate in zip(J.columns, rates, strict=True):
        spin_of_joint = column.ang * rate
        angular = angular + spin.cross(spin_of_joint)  # each axis moves with the joints before it
        spin = spin + spin_of_joint
    return Motion(angular, Rotation.about_x(q[1] + q[2]) @ _wrist_in_turning_frame(arm, q, rates, J.factors[2]))


def _wrist_in_turning_frame(arm: Arm321, q: Sequence[Scalar], rates: Sequence[Scalar], y: Scalar) -> Vec3:
    """The wrist centre's acceleration at q̈ = 0 in the axes rotated by joint 1: relative, Coriolis, centripetal."""
    turn, shoulder, both = rates[0], rates[1], rates[1] + rates[2]
    a2, a3 = q[1], q[1] + q[2] + arm.elbow_angle
    upper, fore = arm.l2 * shoulder, arm.forearm * both
    forward_rate = upper * cos(a2) + fore * cos(a3)
    return Vec3(
        -2.0 * turn * forward_rate - turn * turn * arm.shoulder_offset,
        -(upper * shoulder * sin(a2) + fore * both * sin(a3)) - turn * turn * y,
        -(upper * shoulder * cos(a2) + fore * both * cos(a3)),
    )
