"""Accelerations of the 313 structure: forward, and the smallest inverse.

Bruyninckx §7.3 names the structure without these maps.  Axes and points are propagated outwards from the shoulder,
which is at rest: each joint adds its own rotation and the motion of its axis due to the joints before it.
"""

from __future__ import annotations

from collections.abc import Sequence

from sixvec.ik.closed_form.arm_313.geometry import Arm313
from sixvec.ik.closed_form.arm_313.position import shoulder_rotation
from sixvec.ik.closed_form.arm_313.velocity import hand_from_wrist, inverse_velocity, wrist_twists
from sixvec.scalar import Scalar
from sixvec.spatial import Motion, Rotation, Vec3

ELBOW, WRIST = 2, 3
"""The last joints before the elbow and before the wrist centre, counted from zero."""


def forward_acceleration(
    arm: Arm313, q: Sequence[Scalar], rates: Sequence[Scalar], accelerations: Sequence[Scalar]
) -> Motion:
    """Angular acceleration of the hand and acceleration of its origin as a point, axes of the base: J q̈ + J̇ q̇.

    >>> from sixvec.ik.closed_form.arm_313 import Arm313, forward_acceleration
    >>> arm, at_rest = Arm313(0.36, 0.42, 0.40), (0.0,) * 7
    >>> round(forward_acceleration(arm, at_rest, (0.0, 2.0, 0.0, 0.0, 0.0, 0.0, 0.0), at_rest).lin.z, 12)
    -3.28
    """
    R_03 = shoulder_rotation(q)
    upper_arm = R_03 @ Vec3(0.0, 0.0, arm.l2)
    forearm = R_03 @ Rotation.about_x(-q[3]) @ Vec3(0.0, 0.0, arm.l3)
    spin, turning, point = Vec3.zero(), Vec3.zero(), Vec3.zero()
    axes = (column.ang for column in wrist_twists(arm, q))
    for i, (axis, rate, acceleration) in enumerate(zip(axes, rates, accelerations, strict=True)):
        turning = turning + axis * acceleration + spin.cross(axis * rate)  # α = α' + z q̈ + ω' × z q̇
        spin = spin + axis * rate
        if i in (ELBOW, WRIST):
            point = point + _carried(upper_arm if i == ELBOW else forearm, spin, turning)
    return Motion(turning, point + _carried(hand_from_wrist(arm, q), spin, turning))


def inverse_acceleration(
    arm: Arm313,
    q: Sequence[Scalar],
    rates: Sequence[Scalar],
    acceleration: Motion,
    self_acceleration: Scalar = 0.0,
) -> tuple[Scalar, ...]:
    """q̈ = J⁺ (Ẍ - J̇ q̇) + `self_acceleration` times `null_vector`, for Ẍ as in `forward_acceleration`.

    The first part is the joint acceleration of least norm, by the closed form of `inverse_velocity`: the two maps
    have the same matrix.  It does not keep a given swivel: that requires a `self_acceleration`.

    >>> from sixvec.ik.closed_form.arm_313 import Arm313, forward_acceleration, inverse_acceleration
    >>> arm, q = Arm313(0.36, 0.42, 0.40, 0.126), (0.3, 0.5, -0.4, 0.9, 0.2, 0.7, -0.6)
    >>> desired = forward_acceleration(arm, q, (1.0,) * 7, (2.0,) * 7)
    >>> reached = forward_acceleration(arm, q, (1.0,) * 7, inverse_acceleration(arm, q, (1.0,) * 7, desired))
    >>> max(abs(a - b) for a, b in zip(reached, desired)) < 1e-12
    True
    """
    velocity_products = forward_acceleration(arm, q, rates, (0.0,) * len(q))  # J̇ q̇
    return inverse_velocity(arm, q, acceleration - velocity_products, self_acceleration)


def _carried(r: Vec3, spin: Vec3, turning: Vec3) -> Vec3:
    """Acceleration of a point of a rotating body relative to another one at distance r:  α × r + ω × (ω × r)."""
    result: Vec3 = turning.cross(r) + spin.cross(spin.cross(r))
    return result
