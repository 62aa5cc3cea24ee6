"""Positions of the 321 structure: the pose of the hand, and the eight ways to reach one.  Bruyninckx §7.5, §7.10.

Book and code differ where the book's signs contradict its own drawing: forward reach is (-s1, c1) in the plan view,
and the backward branch has a negative horizontal reach.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

from numpy.typing import ArrayLike

from sixvec.ik.closed_form.arm_321.geometry import Arm321
from sixvec.ik.closed_form.arm_input import as_pose, require_angles
from sixvec.ik.closed_form.reach import pose_or, within_a_turn
from sixvec.ik.closed_form.zxz import ZXZ
from sixvec.scalar import Scalar, arctan2, cos, sin, sqrt, where
from sixvec.spatial import PlaneRotation, Pose, Rotation, Vec3
from sixvec.tolerances import ROUNDING
from sixvec.verdict import Verdict

BRANCHES: tuple[tuple[float, float, bool], ...] = tuple(product((1.0, -1.0), (1.0, -1.0), (False, True)))
"""(forward or backward, elbow, wrist flipped): the order of the eight solutions."""


@dataclass(frozen=True, slots=True)
class ArmSolution:
    """Joint angles of one branch and the verdict on them, a value of `Verdict`."""

    q: tuple[Scalar, ...]
    verdict: Scalar


def forearm_pose(arm: Arm321, q: Sequence[Scalar]) -> Pose:
    """Frame 4: fixed to the forearm, moved by the first three joints, its origin the wrist centre."""
    q1, q2, q3 = q[:3]
    forward, upward = arm.wrist_reach(q2, q3)
    turn = PlaneRotation(cos(q1), sin(q1))
    place = turn @ Vec3(arm.shoulder_offset, arm.base_offset + forward, 0.0) + Vec3(0.0, 0.0, arm.l1 + upward)
    return Pose(turn @ Rotation.about_x(-(q2 + q3)), place)


def forward_position(arm: Arm321, q: Sequence[Scalar]) -> Pose:
    """The pose of the hand in the base (FPK, Bruyninckx §7.5).

    Bruyninckx (7.3), (7.7)-(7.9).

    >>> from sixvec.ik.closed_form.arm_321 import Arm321, forward_position
    >>> arm = Arm321(0.7, 0.6, 0.5, 0.1)
    >>> [round(x, 6) for x in forward_position(arm, (0.3, 0.4, 0.5, 0.6, 0.7, 0.8)).pos]
    [-0.247016, 0.675447, 1.569336]
    """
    require_angles(q, 6, "321")
    X = forearm_pose(arm, q)
    R = X.rot @ ZXZ(*q[3:]).rotation()
    return Pose(R, X.pos + R @ Vec3(0.0, 0.0, arm.l6))


def inverse_position(arm: Arm321, X: Pose | ArrayLike, q0: Sequence[Scalar] = (0.0,) * 6) -> tuple[ArmSolution, ...]:
    """The eight configurations that bring the hand to X, in the order of `BRANCHES` (IPK, Bruyninckx §7.10).

    X is a pose or a matrix (4, 4).  There are always eight: those that do not exist are clamped to the boundary of the
    workspace, with a verdict.  A free angle is taken from `q0`: q1 with the wrist on the first axis, q2 with the wrist
    on the shoulder, q4 where the wrist is straight.  Compiled, all eight are computed in one pass:

    Bruyninckx (7.24)-(7.31).

    >>> import numpy, sixvec
    >>> from sixvec.ik.closed_form.arm_321 import Arm321, forward_position, inverse_position
    >>> from sixvec.spatial import Pose
    >>> arm = Arm321(0.7, 0.6, 0.5, 0.1)
    >>> @sixvec.compiled("X[4,4] -> q[8,6] verdict[8]")
    ... def solve(X):
    ...     found = inverse_position(arm, Pose.from_matrix(X))
    ...     return [s.q for s in found], [s.verdict for s in found]
    >>> X = numpy.array(forward_position(arm, (0.3, 0.4, 0.5, 0.6, 0.7, 0.8)).as_matrix())
    >>> q, verdict = solve(numpy.stack([X, numpy.diag([1.0, 1.0, 9.0, 1.0])]))
    >>> q[0, 0].round(6).tolist(), verdict[:, 0].tolist()
    ([0.3, 0.4, 0.5, 0.6, 0.7, 0.8], [0.0, 5.0])
    """
    X = as_pose(X)
    R = Rotation(X.rot.matrix)
    wrist = X.pos - R @ Vec3(0.0, 0.0, arm.l6)
    solutions = []
    for facing, side, flip in BRANCHES:
        q1, q2, q3, verdict = arm_angles(arm, wrist, facing, side, q0)
        R_04 = forearm_pose(arm, (q1, q2, q3)).rot
        hand = ZXZ.of_rotation(R_04.inv() @ R, flip, q0[3])  # Bruyninckx (7.30), (7.31)
        q = (q1, q2, q3, hand.roll, hand.bend, hand.twist)
        solutions.append(ArmSolution(q, pose_or(verdict, X)))
    return tuple(solutions)


def arm_angles(
    arm: Arm321, wrist: Vec3, facing: float, side: float, q0: Sequence[Scalar]
) -> tuple[Scalar, Scalar, Scalar, Scalar]:
    """q1, q2, q3 for this wrist centre, and the verdict."""
    s, unit = arm.shoulder_offset, arm.reach * arm.reach
    radius_squared = wrist.x * wrist.x + wrist.y * wrist.y
    # In the rotating frame the wrist is at x = s, so its forward distance is y² = radius² - s².
    yy = radius_squared - s * s
    inside, touching = yy < -ROUNDING * unit, yy < ROUNDING * ROUNDING * unit
    y = where(touching, 0.0, facing * sqrt(where(touching, 1.0, yy)))
    on_axis = radius_squared < ROUNDING * ROUNDING * unit
    q1 = where(on_axis, q0[0], arctan2(s * wrist.y - y * wrist.x, s * wrist.x + y * wrist.y))  # Bruyninckx (7.25)
    forward, upward = y - arm.base_offset, wrist.z - arm.l1  # Bruyninckx (7.26), negative when facing backwards
    dd = forward * forward + upward * upward
    most, least = unit, (arm.l2 - arm.forearm) * (arm.l2 - arm.forearm)
    verdict = where(dd > most + ROUNDING * unit, float(Verdict.TOO_FAR), float(Verdict.SOLVED))
    verdict = where(dd < least - ROUNDING * unit, float(Verdict.TOO_NEAR), verdict)
    verdict = where(inside, float(Verdict.INSIDE_SHOULDER_CYLINDER), verdict)
    within = where(dd > most, most, where(dd < least, least, dd))
    bend, along, across = arm.elbow(within, side)  # Bruyninckx (7.27)
    a = arm.l2 + along
    at_shoulder = dd < ROUNDING * ROUNDING * unit
    q2 = where(at_shoulder, q0[1], arctan2(a * forward - across * upward, a * upward + across * forward))
    return q1, q2, within_a_turn(bend - arm.elbow_angle), verdict
