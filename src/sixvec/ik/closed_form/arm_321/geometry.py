"""The 321 structure as numbers: lengths, offsets, and the robot that has them.  Bruyninckx §7.2."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from typing import Any, NamedTuple

from sixvec.errors import ModelError
from sixvec.model import Body, Frame, Model
from sixvec.model.joints import Revolute
from sixvec.robot import Robot
from sixvec.scalar import Scalar, arctan2, cos, sin, sqrt
from sixvec.spatial import Pose, Vec3

UP, BEND = Vec3(0.0, 0.0, 1.0), Vec3(-1.0, 0.0, 0.0)
"""Positive angles about z turn left; those about -x bend an upright arm forward, towards +y."""

TOOL = "tool"


class WristReach(NamedTuple):
    """The wrist centre from the shoulder, in the plane of the arm."""

    forward: Scalar
    upward: Scalar


class Elbow(NamedTuple):
    """The bend q3 + φ at the elbow, and the forearm's components along and across the upper arm."""

    bend: Scalar
    along: Scalar
    across: Scalar


@dataclass(frozen=True, slots=True)
class Arm321:
    """Six revolute joints: three through the wrist centre, two parallel ones before, one vertical at the base.

    At zero the arm is vertical with all frames parallel; the joints turn about +Z, -X, -X, +Z, -X, +Z.  `l1` is the
    height of the shoulder, `l2` the upper arm, `l3` the forearm up to the wrist centre, `l6` the hand.  The offsets:
    `base_offset` moves shoulder and all that follows along Y, `shoulder_offset` along X, `elbow_offset` the wrist
    centre along Y (Bruyninckx §7.2).

    >>> from sixvec.ik.closed_form.arm_321 import Arm321
    >>> arm = Arm321(0.7, 0.6, 0.5, 0.1)
    >>> arm.model().nv, round(arm.elbow_angle, 3)
    (6, 0.0)
    """

    l1: float
    l2: float
    l3: float
    l6: float = 0.0
    base_offset: float = 0.0
    shoulder_offset: float = 0.0
    elbow_offset: float = 0.0

    def __post_init__(self) -> None:
        require_lengths(self)

    @classmethod
    def from_robot(cls, robot: Robot, frame: str) -> Arm321:
        """The 321 structure that moves a frame of a robot; other robots raise an error with the reason.

        Where the robot's base, frame and zero angles differ from the structure's, `placed` gives the difference.

        >>> import sixvec
        >>> from sixvec.ik.closed_form.arm_321 import Arm321
        >>> Arm321.from_robot(sixvec.load("panda"), "panda_link8")
        Traceback (most recent call last):
        sixvec.errors.DegenerateError: panda, "panda_link8" is not a 321 structure: it needs six revolute joints, \
and has RRRRRRR (R turns, P slides)
        """
        from sixvec.ik.closed_form.arm_321.placed import placed

        return placed(robot, frame).arm

    @property
    def forearm(self) -> float:
        """From the elbow's axis to the wrist centre, elbow offset included."""
        return math.hypot(self.l3, self.elbow_offset)

    @property
    def elbow_angle(self) -> float:
        """φ: the elbow offset as an angle; the arm is stretched at q3 = -φ."""
        return math.atan2(self.elbow_offset, self.l3)

    @property
    def reach(self) -> float:
        """The largest distance of the wrist centre from the shoulder's axis."""
        return self.l2 + self.forearm

    def wrist_reach(self, q2: Scalar, q3: Scalar) -> WristReach:
        """Wrist from shoulder, forward and upward in the arm's plane: d^h and d^v of Bruyninckx (7.3), with offsets."""
        c, s = cos(q2 + q3), sin(q2 + q3)
        forward = self.l2 * sin(q2) + self.l3 * s + self.elbow_offset * c
        return WristReach(forward, self.l2 * cos(q2) + self.l3 * c - self.elbow_offset * s)

    def elbow(self, reach_squared: Scalar, side: float) -> Elbow:
        """The bend at the elbow for |wrist - shoulder|², within reach: the angle and the forearm's components.

        The half angle's tangent comes from two differences of squares, tan²(q/2) = ((a + b)² - d²) / (d² - (a - b)²),
        and stays accurate near the stretched arm, where the arc cosine of Bruyninckx (7.27) loses half of the digits.
        """
        a, b = self.l2, self.forearm
        far, near = sqrt((a + b) * (a + b) - reach_squared), sqrt(reach_squared - (a - b) * (a - b))
        along = (reach_squared - a * a - b * b) * (0.5 / a)
        return Elbow(side * 2.0 * arctan2(far, near), along, far * near * (side * 0.5 / a))

    def model(self, name: str = "arm_321") -> Model:
        """The robot, without masses; its frame "tool" is the end effector."""
        steps = (
            ("link1", UP, Vec3.zero()),
            ("link2", BEND, Vec3(0.0, self.base_offset, self.l1)),
            ("link3", BEND, Vec3(self.shoulder_offset, 0.0, self.l2)),
            ("link4", UP, Vec3(0.0, self.elbow_offset, self.l3)),
            ("link5", BEND, Vec3.zero()),
            ("link6", UP, Vec3.zero()),
        )
        return serial_model(name, steps, Vec3(0.0, 0.0, self.l6))


def require_lengths(arm: Any) -> None:
    """Raise for an arm with numbers that are not finite, or with an upper arm or forearm without length."""
    name = type(arm).__name__
    for f in fields(arm):
        if not math.isfinite(getattr(arm, f.name)):
            raise ModelError(f"{name}: {f.name} = {getattr(arm, f.name)} is not a finite number")
    if arm.l2 <= 0.0 or arm.l3 <= 0.0:
        raise ModelError(f"{name}: upper arm l2 = {arm.l2} and forearm l3 = {arm.l3} must be positive lengths")


def serial_model(name: str, steps: tuple[tuple[str, Vec3, Vec3], ...], tool: Vec3) -> Model:
    """A chain of revolute joints (body, axis, position in the frame before), all frames parallel at zero."""
    bodies = [Body("base")]
    for i, (body, axis, place) in enumerate(steps, start=1):
        bodies.append(Body(body, bodies[-1].name, Revolute(axis), Pose.translation(place), joint_name=f"joint{i}"))
    frames = (*(Frame(b.name, b.name) for b in bodies), Frame(TOOL, bodies[-1].name, Pose.translation(tool)))
    return Model(name, tuple(bodies), frames)
