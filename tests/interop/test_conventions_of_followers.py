"""Joints that mimic others: `sixvec.convert` fills in their coordinates for libraries that keep them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import mujoco
import pinocchio as pin
import pytest

import sixvec as sv
from random_states import random_states
from sixvec.formats.urdf.write import write_urdf
from sixvec.model.body import Mimic
from sixvec.model.coupling import coupling
from sixvec.model.edits import with_free_root
from tolerances import PEER, assert_close


@pytest.fixture
def robot() -> sv.Robot:
    """A Panda of which two joints follow others, one of them through the other."""
    model = sv.load("panda").model
    mimics = {"panda_link4": Mimic("panda_link2", -0.5, 0.3), "panda_link6": Mimic("panda_link4", 2.0, -0.1)}
    return sv.Robot(replace(model, bodies=tuple(replace(b, mimic=mimics.get(b.name)) for b in model.bodies)))


@pytest.mark.parametrize("base", ["fixed", "floating"])
def test_pinocchio_sees_the_same_motion(robot: sv.Robot, base: str, tmp_path: Path) -> None:
    if base == "floating":
        robot = sv.Robot(with_free_root(robot.model))
    path = tmp_path / "arm.urdf"
    path.write_text(write_urdf(sv.load("panda").model))
    root = (pin.JointModelFreeFlyer(),) if base == "floating" else ()
    theirs = pin.buildModelFromUrdf(str(path), *root)
    data = theirs.createData()
    q, v, a, _ = random_states(robot)
    Q = sv.convert(q, robot, to="pinocchio")
    V = sv.convert(v, robot, to="pinocchio", what="v", q=q)
    A = sv.convert(a, robot, to="pinocchio", what="a", q=q, v=v)
    tau = robot.inverse_dynamics(q, v, a)
    for i in range(3):
        forces = pin.rnea(theirs, data, Q[i], V[i], A[i])
        pin.framesForwardKinematics(theirs, data, Q[i])
        tip = data.oMf[theirs.getFrameId("panda_link8")].homogeneous
        assert_close(robot.pose(q[i], "panda_link8"), tip, PEER, batched=False)
        back = sv.convert(forces, robot, source="pinocchio", what="tau", q=q[i])
        assert_close(back, tau[i], PEER, batched=False)


def test_mujoco_sees_the_same_pose(robot: sv.Robot, tmp_path: Path) -> None:
    path = tmp_path / "arm.urdf"
    path.write_text(
        write_urdf(sv.load("panda").model).replace(
            "</robot>", "<mujoco><compiler fusestatic='false'/></mujoco></robot>"
        )
    )
    model = mujoco.MjModel.from_xml_path(str(path))
    data = mujoco.MjData(model)
    q = robot.random(3)
    data.qpos = sv.convert(q, robot, to="mujoco")
    mujoco.mj_kinematics(model, data)
    assert_close(robot.pose(q, "panda_link7")[:3, 3], data.body("panda_link7").xpos, PEER, batched=False)


@pytest.mark.parametrize("other", ["pinocchio", "mujoco", "drake", "ros"])
def test_there_and_back(robot: sv.Robot, other: str) -> None:
    q, v, _, tau = random_states(robot)
    kinds: list[tuple[Any, Any]] = [("q", q), ("v", v), ("a", v), ("tau", tau)]
    for what, x in kinds:
        there = sv.convert(x, robot, to=other, what=what)
        assert there.shape[-1] == coupling(robot.model).free.nv
        assert_close(sv.convert(there, robot, source=other, what=what), x, PEER)
