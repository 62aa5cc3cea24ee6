"""Forces of the 321 structure: torques of a wrench, wrench of torques, and the six partial wrenches, one per joint.

Bruyninckx §7.14 to §7.16.  Weights of the segments are not included.
"""

from __future__ import annotations

from collections.abc import Sequence

from sixvec.algorithms.parts.reference import Reference, aligned_pose
from sixvec.ik.closed_form.arm_321.geometry import Arm321
from sixvec.ik.closed_form.arm_321.position import forward_position
from sixvec.ik.closed_form.arm_321.velocity import WristJacobian, forearm_at_hand
from sixvec.scalar import Scalar
from sixvec.spatial import Force


def inverse_force(
    arm: Arm321, q: Sequence[Scalar], wrench: Force, reference: Reference = "local"
) -> tuple[Scalar, ...]:
    """τ = Jᵀ w: the torques with which the robot exerts the wrench w *on its environment* (IFK, Bruyninckx §7.14).

    The wrench acts at the hand's origin, in its axes unless `reference` is given.  To resist a wrench that
    the environment exerts on the robot, negate it first.

    >>> from sixvec.ik.closed_form.arm_321 import Arm321, inverse_force
    >>> from sixvec.spatial import Force, Vec3
    >>> lift = Force(Vec3.zero(), Vec3(0.0, 0.0, 1.0))
    >>> round(inverse_force(Arm321(0.7, 0.6, 0.5), (0.0, 0.5, 0.5, 0.0, 0.0, 0.0), lift, "local_world_aligned")[1], 6)
    -0.708391
    """
    at_hand = aligned_pose(forward_position(arm, q), reference) @ wrench
    return WristJacobian(arm, tuple(q)).transposed_times(forearm_at_hand(arm, q).inv() @ at_hand)


def forward_force(arm: Arm321, q: Sequence[Scalar], torques: Sequence[Scalar], reference: Reference = "local") -> Force:
    """w = J⁻ᵀ τ: the wrench that a hand held by a rigid environment exerts on it (FFK, Bruyninckx §7.15, §7.16).

    In axes of the hand, as for `inverse_force`.

    >>> from sixvec.ik.closed_form.arm_321 import Arm321, forward_force, inverse_force
    >>> arm, q = Arm321(0.7, 0.6, 0.5, 0.1), (0.3, 0.4, 0.5, 0.6, 0.7, 0.8)
    >>> [round(x, 9) for x in inverse_force(arm, q, forward_force(arm, q, (1.0, 2.0, 3.0, 4.0, 5.0, 6.0)))]
    [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]
    """
    at_hand = forearm_at_hand(arm, q) @ WristJacobian(arm, tuple(q)).transposed_solve(torques)
    return aligned_pose(forward_position(arm, q), reference).inv() @ at_hand


def dual_wrench_basis(arm: Arm321, q: Sequence[Scalar]) -> tuple[Force, ...]:
    """The partial wrenches G in frame 4: the i-th loads joint i with a unit torque and no other, so JᵀG = 1.

    The first three are pure forces through the wrist centre; without offsets, parallel to axes 2 and 3, along the
    forearm, and along the line from shoulder to wrist (Bruyninckx §7.16).  In
    Bruyninckx (7.42) the transpose is missing.

    >>> from sixvec.ik.closed_form.arm_321 import Arm321, dual_wrench_basis
    >>> G = dual_wrench_basis(Arm321(0.7, 0.6, 0.5), (0.3, 0.4, 0.5, 0.6, 0.7, 0.8))
    >>> G[1].lin.y, round(G[1].lin.z, 6)
    (0.0, 3.476383)
    """
    J = WristJacobian(arm, tuple(q))
    return tuple(J.transposed_solve([1.0 if i == j else 0.0 for j in range(6)]) for i in range(6))
