"""The 313 structure as numbers: the 321 structure with one more joint in the upper arm.  Bruyninckx §7.3."""

from __future__ import annotations

from dataclasses import dataclass

from sixvec.ik.closed_form.arm_321.geometry import BEND, UP, Arm321, require_lengths, serial_model
from sixvec.model import Model
from sixvec.spatial import Vec3


@dataclass(frozen=True, slots=True)
class Arm313:
    """Seven revolute joints: a spherical shoulder, an elbow, a spherical wrist, as in a human arm.

    At zero the arm is vertical with all frames parallel; the joints turn about +Z, -X, +Z, -X, +Z, -X, +Z.  `l1` is
    the height of the shoulder, `l2` the upper arm, `l3` the forearm, `l7` the hand.

    >>> from sixvec.ik.closed_form.arm_313 import Arm313
    >>> Arm313(0.36, 0.42, 0.40, 0.126).model().nv
    7
    """

    l1: float
    l2: float
    l3: float
    l7: float = 0.0

    def __post_init__(self) -> None:
        require_lengths(self)

    @property
    def reach(self) -> float:
        """The largest distance of the wrist centre from the shoulder."""
        return self.l2 + self.l3

    @property
    def with_locked_roll(self) -> Arm321:
        """The same arm at q3 = 0: a 321 structure, whose plane is the reference of the swivel angle."""
        return Arm321(self.l1, self.l2, self.l3, self.l7)

    def model(self, name: str = "arm_313") -> Model:
        """The robot, without masses; its frame "tool" is the end effector."""
        o = Vec3.zero()
        steps = (
            ("link1", UP, Vec3(0.0, 0.0, self.l1)),
            ("link2", BEND, o),
            ("link3", UP, o),
            ("link4", BEND, Vec3(0.0, 0.0, self.l2)),
            ("link5", UP, Vec3(0.0, 0.0, self.l3)),
            ("link6", BEND, o),
            ("link7", UP, o),
        )
        return serial_model(name, steps, Vec3(0.0, 0.0, self.l7))
