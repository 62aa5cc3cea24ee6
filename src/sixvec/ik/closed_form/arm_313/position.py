"""Positions of the 313 structure: the pose of the hand, and the eight ways to reach one at a given swivel.

Bruyninckx §7.3 names the structure and leaves the equations open.  The elbow can circle about the line from shoulder to
wrist without moving the hand; the swivel ψ is its angle on the circle.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

from numpy.typing import ArrayLike

from sixvec.ik.closed_form.arm_313.geometry import Arm313
from sixvec.ik.closed_form.arm_321.position import ArmSolution, arm_angles
from sixvec.ik.closed_form.arm_input import as_pose, require_angles
from sixvec.ik.closed_form.reach import pose_or
from sixvec.ik.closed_form.zxz import ZXZ
from sixvec.scalar import Scalar, arctan2, cos, sin, sqrt, where
from sixvec.spatial import PlaneRotation, Pose, Rotation, Vec3
from sixvec.tolerances import ROUNDING

BRANCHES: tuple[tuple[bool, float, bool], ...] = tuple(product((False, True), (1.0, -1.0), (False, True)))
"""(shoulder flipped, elbow, wrist flipped): the order of the eight solutions."""


def shoulder_rotation(q: Sequence[Scalar]) -> Rotation:
    """Of the upper arm: R_03 = Rz(q1) Rx(-q2) Rz(q3)."""
    require_angles(q, 7, "313")
    return ZXZ(*q[:3]).rotation()


def wrist_from_shoulder(arm: Arm313, q: Sequence[Scalar]) -> Vec3:
    """From the shoulder to the wrist centre, in the base."""
    return shoulder_rotation(q) @ Vec3(0.0, arm.l3 * sin(q[3]), arm.l2 + arm.l3 * cos(q[3]))


def forward_position(arm: Arm313, q: Sequence[Scalar]) -> Pose:
    """The pose of the hand in the base.

    >>> from sixvec.ik.closed_form.arm_313 import Arm313, forward_position
    >>> arm = Arm313(0.36, 0.42, 0.40, 0.126)
    >>> [round(x, 6) for x in forward_position(arm, (0.3, 0.5, -0.4, 0.9, 0.2, 0.7, -0.6)).pos]
    [-0.051852, 0.69489, 0.748131]
    """
    R = shoulder_rotation(q) @ Rotation.about_x(-q[3]) @ ZXZ(*q[4:]).rotation()
    wrist = wrist_from_shoulder(arm, q) + Vec3(0.0, 0.0, arm.l1)
    return Pose(R, wrist + R @ Vec3(0.0, 0.0, arm.l7))


def inverse_position(
    arm: Arm313, X: Pose | ArrayLike, swivel: Scalar = 0.0, q0: Sequence[Scalar] = (0.0,) * 7
) -> tuple[ArmSolution, ...]:
    """The eight configurations that bring the hand to X with the elbow at `swivel`, in the order of `BRANCHES`.

    The arm with q3 = 0 is a 321 structure; its forward branch fixes q4 and the plane where ψ = 0, and turning the
    upper arm about the line from shoulder to wrist by ψ leaves the wrist in place.  X is a pose or a matrix
    (4, 4).  A free angle is taken from `q0`: q1 with the upper arm upright, q5 with the wrist straight.
    With the wrist above the shoulder the reference plane is that of q1 = 0.  Verdicts as in the 321 structure;
    unreachable targets are clamped.

    >>> from sixvec.ik.closed_form.arm_313 import Arm313, forward_position, inverse_position
    >>> arm = Arm313(0.36, 0.42, 0.40, 0.126)
    >>> X = forward_position(arm, (0.3, 0.5, -0.4, 0.9, 0.2, 0.7, -0.6))
    >>> [round(x, 5) for x in inverse_position(arm, X, -0.2372097)[0].q]
    [0.3, 0.5, -0.4, 0.9, 0.2, 0.7, -0.6]
    """
    X = as_pose(X)
    R = Rotation(X.rot.matrix)
    wrist = X.pos - R @ Vec3(0.0, 0.0, arm.l7)
    line = _direction(wrist - Vec3(0.0, 0.0, arm.l1), arm.reach)
    solutions = []
    for shoulder_flip, side, wrist_flip in BRANCHES:
        # q0 = 0 for the reference: the reference plane of ψ must not depend on the start of the arm.
        q1, q2, q4, verdict = arm_angles(arm.with_locked_roll, wrist, 1.0, side, (0.0,) * 6)
        R_03 = Rotation.about(line, swivel) @ PlaneRotation(cos(q1), sin(q1)) @ Rotation.about_x(-q2)
        shoulder = ZXZ.of_rotation(R_03, shoulder_flip, q0[0])
        hand = ZXZ.of_rotation((R_03 @ Rotation.about_x(-q4)).inv() @ R, wrist_flip, q0[4])
        q = (shoulder.roll, shoulder.bend, shoulder.twist, q4, hand.roll, hand.bend, hand.twist)
        solutions.append(ArmSolution(q, pose_or(verdict, X)))
    return tuple(solutions)


def swivel(arm: Arm313, q: Sequence[Scalar]) -> Scalar:
    """ψ of a configuration: with it, the solutions of `inverse_position` include q.

    >>> from sixvec.ik.closed_form.arm_313 import Arm313, swivel
    >>> round(swivel(Arm313(0.36, 0.42, 0.40, 0.126), (0.3, 0.5, -0.4, 0.9, 0.2, 0.7, -0.6)), 6)
    -0.23721
    """
    w, side = wrist_from_shoulder(arm, q), sin(q[3])
    at = w + Vec3(0.0, 0.0, arm.l1)
    up, down = (arm_angles(arm.with_locked_roll, at, 1.0, s, (0.0,) * 6) for s in (1.0, -1.0))
    q1, q2 = up[0], where(side < 0.0, down[1], up[1])
    reference = PlaneRotation(cos(q1), sin(q1)) @ Rotation.about_x(-q2)
    turn = (shoulder_rotation(q) @ reference.inv()).matrix
    twice_sine = Vec3(turn.zy - turn.yz, turn.xz - turn.zx, turn.yx - turn.xy)
    return arctan2(_direction(w, arm.reach).dot(twice_sine), turn.xx + turn.yy + turn.zz - 1.0)


def _direction(w: Vec3, reach: float) -> Vec3:
    """The unit vector along w; vertical where w vanishes, possible if upper arm and forearm have equal length."""
    size = w.dot(w)
    gone = size < ROUNDING * ROUNDING * reach * reach
    k = where(gone, 0.0, 1.0 / sqrt(where(gone, 1.0, size)))
    return Vec3(w.x * k, w.y * k, where(gone, 1.0, w.z * k))
