"""A robot as a 321 structure: its lengths, and the differences of base, hand and zero angles."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from sixvec.arguments import Array
from sixvec.errors import DegenerateError
from sixvec.ik.closed_form.arm_321.geometry import Arm321
from sixvec.ik.closed_form.chain import SerialChain
from sixvec.ik.closed_form.recognise import MEETING, PARALLEL, common_point
from sixvec.model.spanning_tree import require_tree
from sixvec.robot import Robot
from sixvec.spatial import Pose


@dataclass(frozen=True, slots=True)
class Placed321:
    """The structure `arm` of a robot:  robot.pose(q) = base · forward_position(arm, angles(q)) · tool.

    `base` is the structure's base in the world, `tool` the robot's frame in the structure's hand.
    """

    arm: Arm321
    base: Pose
    tool: Pose
    coordinates: tuple[int, ...]
    """The indices of the six joints in q."""
    signs: tuple[float, ...]
    offsets: tuple[float, ...]

    def angles(self, q: ArrayLike) -> Array:
        """The angles (..., 6) of the structure for positions (..., nq) of the robot."""
        return np.asarray(np.array(self.signs) * np.asarray(q, float)[..., list(self.coordinates)] + self.offsets)

    def positions(self, angles: ArrayLike) -> Array:
        """Positions (..., 6) of the robot's six joints, in the order of `coordinates`."""
        return np.asarray((np.asarray(angles, float) - self.offsets) * np.array(self.signs))


def placed(robot: Robot, frame: str) -> Placed321:
    """The 321 structure that moves a frame of a robot; a robot without one raises an error with the reason.

    >>> import sixvec
    >>> from sixvec.ik.closed_form.arm_321 import placed
    >>> found = placed(sixvec.load("puma560"), "link6")
    >>> round(found.arm.l2, 4), round(found.arm.forearm, 4)
    (0.4318, 0.4323)
    >>> placed(sixvec.load("ur5e"), "tool0")
    Traceback (most recent call last):
    sixvec.errors.DegenerateError: ur5e, "tool0" is not a 321 structure: the axes of wrist_1_joint, wrist_2_joint and \
wrist_3_joint do not meet in one point
    """
    require_tree(robot.model, "Arm321.from_robot")
    chain = SerialChain.of(robot.model, frame)
    reason = _reason(chain)
    if reason:
        raise DegenerateError(f'{robot.name}, "{frame}" is not a 321 structure: {reason}')
    return _measured(chain)


def _reason(chain: SerialChain) -> str:
    """Why a chain is not a 321 structure; empty if it is one."""
    if chain.kinds != "RRRRRR":
        return f"it needs six revolute joints, and has {chain.kinds or 'none'} (R turns, P slides)"
    names, h = chain.names, chain.axes
    if common_point(chain, (3, 4, 5)) is None:
        return f"the axes of {names[3]}, {names[4]} and {names[5]} do not meet in one point"
    if np.linalg.norm(np.cross(h[1], h[2])) > PARALLEL:
        return f"the axes of {names[1]} and {names[2]} are not parallel"
    for i, j in ((0, 1), (2, 3), (3, 4), (4, 5)):
        if abs(h[i] @ h[j]) > PARALLEL:
            return f"the axes of {names[i]} and {names[j]} are not at right angles"
    return _lengths(chain)


def _lengths(chain: SerialChain) -> str:
    names, x = chain.names, -chain.axes[1]
    upper, fore = _across(chain.points[2] - chain.points[1], x), _wrist(chain) - chain.points[2]
    if np.linalg.norm(upper) <= MEETING * chain.size:
        return f"the axes of {names[1]} and {names[2]} coincide: there is no upper arm"
    if abs(fore @ chain.axes[3]) <= MEETING * chain.size:
        return f"the wrist is at the side of {names[2]}, not ahead of it along {names[3]}: there is no forearm"
    return ""


def _measured(chain: SerialChain) -> Placed321:
    """The inverse of Bruyninckx §7.2: axes of the structure's frames from those of the joints, at q = 0."""
    h, p, wrist = chain.axes, chain.points, _wrist(chain)
    z, x = h[0], -h[1]
    y = np.cross(z, x)
    origin = p[0] - z * (p[0] @ z)  # the point of the first axis nearest to the world's origin
    shoulder, upper, fore = p[1] - origin, _across(p[2] - p[1], x), wrist - p[2]
    turn = 1.0 if fore @ h[3] > 0.0 else -1.0
    z4 = turn * h[3]
    y4, x5, z6 = np.cross(z4, x), -h[4], h[5]
    y5 = np.cross(z4, x5)
    raised = np.arctan2(upper @ y, upper @ z)
    bent = np.arctan2(z4 @ y, z4 @ z) - raised
    hand = np.column_stack([x5, np.cross(z6, x5), z6])
    l6 = float((chain.tool_pos - wrist) @ z6)
    arm = Arm321(
        float(shoulder @ z), float(np.linalg.norm(upper)), float(fore @ z4), l6, base_offset=float(shoulder @ y),
        shoulder_offset=float((wrist - origin) @ x), elbow_offset=float(fore @ y4),
    )  # fmt: skip
    offsets = (0.0, raised, bent, np.arctan2(x5 @ y4, x5 @ x), np.arctan2(z6 @ y5, z6 @ z4), 0.0)
    elbow = 1.0 if h[2] @ h[1] > 0.0 else -1.0
    at_hand = hand.T @ (chain.tool_pos - wrist - l6 * z6)
    return Placed321(
        arm, _pose(np.column_stack([x, y, z]), origin), _pose(hand.T @ chain.tool_rot, at_hand), chain.coordinates,
        (1.0, 1.0, elbow, turn, 1.0, 1.0), tuple(float(a) for a in offsets),
    )  # fmt: skip


def _wrist(chain: SerialChain) -> Array:
    center = common_point(chain, (3, 4, 5))
    assert center is not None  # checked before
    return center


def _across(v: Array, axis: Array) -> Array:
    """The part of a vector perpendicular to an axis."""
    return np.asarray(v - axis * (v @ axis))


def _pose(R: Array, p: Array) -> Pose:
    return Pose.from_matrix(np.column_stack([R, p]).tolist())
