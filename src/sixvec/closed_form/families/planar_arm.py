"""Arms whose revolute axes are all parallel: planar 2R and 3R, and SCARA, which also slides along the axes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sixvec.closed_form.blocks import angle_about, planar
from sixvec.closed_form.chain import SerialChain
from sixvec.closed_form.recognise import PARALLEL, foot
from sixvec.closed_form.subproblems import Turn
from sixvec.closed_form.target import Family, Joints, Target, constant
from sixvec.scalar import Scalar
from sixvec.spatial import Pose


def planar_arm(chain: SerialChain) -> Family | None:
    """Two or three parallel revolute joints, and at most one sliding along them, in any order.

    With three, the pose is reached if it lies in the arm's plane; with two, only the position is looked at.  The slide
    commutes with the turns, so it takes whatever is missing along the axes (SCARA: Bruyninckx 7.1).
    """
    turning = [i for i, kind in enumerate(chain.kinds) if kind == "R"]
    sliding = [i for i, kind in enumerate(chain.kinds) if kind == "P"]
    across = np.linalg.norm(np.cross(chain.axes, chain.axes[turning[0]]), axis=1) if turning else np.ones(1)
    if len(turning) not in (2, 3) or len(sliding) > 1 or across.max() > PARALLEL:
        return None
    arm = _anchored(chain, turning).snapped()
    h = [constant(a) for a in arm.axes]
    p = [constant(arm.points[i]) for i in turning]
    up = h[turning[0]]
    signs = [1.0 if float(h[i].dot(up)) > 0.0 else -1.0 for i in turning]
    tip = constant(arm.tool_pos)

    def answer(X: Pose, _: Sequence[Scalar]) -> list[Joints]:
        G = Target.of(X, arm)
        joint3 = p[2] if len(turning) == 3 else tip
        end = G.carried(joint3) if len(turning) == 3 else X.pos
        total = angle_about(up, lambda v: G.rot @ v) if len(turning) == 3 else Turn(1.0, 0.0)
        found = []
        for turns in planar(up, p[1] - p[0], joint3 - p[1], end - p[0], total):
            joints: Joints = [0.0] * len(arm)
            for i, sign, turn in zip(turning, signs, turns, strict=False):
                joints[i] = Turn(turn.c, turn.s * sign)
            for i in sliding:
                joints[i] = h[i].dot(X.pos - tip)
            found.append(joints)
        return found

    scara = " with a slide along the axes" if sliding else ""
    task = "pose" if len(turning) == 3 else "position"
    return Family(f"planar arm with {len(turning)} joints{scara}", chain.snapped(), answer, 2, task=task)


def _anchored(chain: SerialChain, turning: list[int]) -> SerialChain:
    """Points of the revolute joints in one plane across the axes."""
    points = chain.points.copy()
    for i in turning[1:]:
        points[i] = foot(chain, i, points[turning[0]])
    return chain.with_points(points)
