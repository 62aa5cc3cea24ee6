"""Robots of other people, from the package example-robot-data: arms to humanoids, fixed and floating."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib import metadata
from pathlib import Path

import pytest

import sixvec
from sixvec import Robot
from sixvec.model.coupling import coupling
from targets import OnTarget

MOST_FREEDOMS = 12
"""Robots up to here are compiled for every algorithm."""


@dataclass(frozen=True)
class Published:
    """A file of the package, and whether the robot is let go of."""

    file: str
    floating: bool = False

    @property
    def path(self) -> Path:
        return folder() / self.file

    @property
    def name(self) -> str:
        return Path(self.file).stem

    @cache  # noqa: B019 (a handful of robots, for the whole session)
    def load(self) -> Robot:
        """With every joint free, also those that the file says follow others: so the other libraries read it."""
        return Robot(coupling(sixvec.load(self.path, floating=self.floating).model).free)

    def target(self) -> OnTarget:
        """The robot for the largest programs, whose machine code can take half a minute to make.

        With many freedoms the interpreter runs the same programs.
        """
        robot = self.load()
        return OnTarget(robot, "simd" if robot.nv <= MOST_FREEDOMS else "interpreter")

    @property
    def tip(self) -> str:
        """The frame with most joints below it."""
        model = self.load().model
        return max(model.frames, key=lambda f: sum(b.joint.nv for b in model.path(f.body))).name


@cache
def folder() -> Path:
    """Where the package keeps its robots."""
    try:
        files = metadata.files("example-robot-data") or []
    except metadata.PackageNotFoundError:
        pytest.skip("the package example-robot-data is not installed", allow_module_level=True)
    panda = next(f for f in files if f.name == "panda.urdf")
    return Path(str(panda.locate())).resolve().parents[2]


ARMS = (
    Published("panda_description/urdf/panda.urdf"),
    Published("ur_description/urdf/ur5_robot.urdf"),
    Published("ur_description/urdf/ur10_robot.urdf"),
    Published("kinova_description/robots/kinova.urdf"),
    Published("xarm_description/urdf/xarm7.urdf"),
    Published("z1_description/urdf/z1.urdf"),
    Published("so_arm_description/urdf/so101.urdf"),
    Published("bravo7_description/urdf/bravo7_gripper.urdf"),
    Published("talos_data/robots/talos_left_arm.urdf"),
    Published("double_pendulum_description/urdf/double_pendulum_continuous.urdf"),
)
BRANCHED = (
    Published("finger_edu_description/robots/finger_edu.urdf"),
    Published("allegro_hand_description/urdf/allegro_right_hand.urdf"),
    Published("baxter_description/urdf/baxter.urdf"),
    Published("tiago_description/robots/tiago_no_hand.urdf"),
)
LEGGED = (
    Published("solo_description/robots/solo12.urdf", floating=True),
    Published("anymal_c_simple_description/urdf/anymal.urdf", floating=True),
    Published("hyq_description/robots/hyq_no_sensors.urdf", floating=True),
    Published("go2_description/urdf/go2.urdf", floating=True),
    Published("b1_description/urdf/b1-z1.urdf", floating=True),
    Published("bolt_description/robots/bolt.urdf", floating=True),
    Published("iris_description/robots/iris.urdf", floating=True),
)
HUMANOIDS = (
    Published("simple_humanoid_description/urdf/simple_humanoid.urdf", floating=True),
    Published("talos_data/robots/talos_reduced.urdf", floating=True),
    Published("g1_description/urdf/g1_29dof_rev_1_0.urdf", floating=True),
    Published("icub_description/robots/icub.urdf"),
)
ALL = tuple(robot for robot in ARMS + BRANCHED + LEGGED + HUMANOIDS if robot.path.exists())
"""What this release of the package has."""

MASSLESS = tuple(robot for robot in ALL if robot.name == "bravo7_gripper")
"""Robots with a joint that moves nothing, so they have no forward dynamics: a finger of the Bravo 7 has no inertia."""
