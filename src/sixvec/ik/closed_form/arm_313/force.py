"""Forces of the 313 structure: seven torques, six components of a wrench."""

from __future__ import annotations

from collections.abc import Sequence

from sixvec.algorithms.parts.reference import Reference, aligned_pose
from sixvec.ik.closed_form.arm_313.geometry import Arm313
from sixvec.ik.closed_form.arm_313.position import forward_position
from sixvec.ik.closed_form.arm_313.velocity import hand_from_wrist, null_vector, wrist_twists
from sixvec.scalar import Scalar
from sixvec.spatial import Force, Motion
from sixvec.spatial.linear import dot, product, solve, times, transpose


def inverse_force(
    arm: Arm313, q: Sequence[Scalar], wrench: Force, reference: Reference = "local"
) -> tuple[Scalar, ...]:
    """τ = Jᵀ w: the torques with which the robot exerts the wrench w *on its environment*.

    The wrench acts at the hand's origin, in its axes unless `reference` is given.

    >>> from sixvec.ik.closed_form.arm_313 import Arm313, inverse_force, self_motion_load
    >>> from sixvec.spatial import Force
    >>> arm, q = Arm313(0.36, 0.42, 0.40, 0.126), (0.3, 0.5, -0.4, 0.9, 0.2, 0.7, -0.6)
    >>> abs(self_motion_load(arm, q, inverse_force(arm, q, Force.of((1.0, 2.0, 3.0, 4.0, 5.0, 6.0))))) < 1e-14
    True
    """
    at_hand = aligned_pose(forward_position(arm, q), reference) @ wrench
    at_wrist = at_hand.shifted(-hand_from_wrist(arm, q))
    return tuple(c.dot(at_wrist) for c in wrist_twists(arm, q))


def self_motion_load(arm: Arm313, q: Sequence[Scalar], torques: Sequence[Scalar]) -> Scalar:
    """n · τ with the null vector n: the load on the self-motion; zero if the torques balance a wrench at the hand."""
    return dot(null_vector(arm, q), torques)


def forward_force(arm: Arm313, q: Sequence[Scalar], torques: Sequence[Scalar], reference: Reference = "local") -> Force:
    """The wrench that a hand held by a rigid environment exerts on it, at its origin, in its axes.

    It exists where `self_motion_load` vanishes.  Other torques also accelerate the elbow; of those
    the part along the null vector is omitted: w = (J Jᵀ)⁻¹ J τ.

    >>> from sixvec.ik.closed_form.arm_313 import Arm313, forward_force, inverse_force
    >>> from sixvec.spatial import Force
    >>> arm, q = Arm313(0.36, 0.42, 0.40, 0.126), (0.3, 0.5, -0.4, 0.9, 0.2, 0.7, -0.6)
    >>> wrench = Force.of((1.0, 2.0, 3.0, 4.0, 5.0, 6.0))
    >>> [round(x, 9) for x in forward_force(arm, q, inverse_force(arm, q, wrench))]
    [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]
    """
    # Lengths in units of the reach, so that the six equations have the same scale.
    size = 1.0 / arm.reach
    rows = [[*Motion(c.ang, c.lin * size)] for c in wrist_twists(arm, q)]
    J = transpose(rows)
    w = Force.of(solve(product(J, rows), times(J, torques)))
    at_hand = Force(w.ang, w.lin * size).shifted(hand_from_wrist(arm, q))
    return aligned_pose(forward_position(arm, q), reference).inv() @ at_hand
