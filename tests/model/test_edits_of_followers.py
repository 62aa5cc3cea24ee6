"""Joints that mimic others: locked, renamed, limited."""

from __future__ import annotations

import numpy as np
import pytest

import sixvec
from sixvec.model import Body, Limits, Mimic, Model
from sixvec.model.edits import lock, rename
from sixvec.model.joints import Revolute
from sixvec.spatial import Pose, Vec3

STEP = Pose(Pose.identity().rot, Vec3(0.0, 0.0, 1.0))


def geared() -> Model:
    """j2 = -2 j1 + 0.1  and  j3 = 3 j2 + 0.2."""
    wide, x = Limits((-2.0,), (2.0,)), Revolute(Vec3(1.0, 0.0, 0.0))
    bodies = (
        Body("a", None, x, joint_name="j1", limits=wide),
        Body("b", "a", x, STEP, joint_name="j2", limits=wide, mimic=Mimic("a", -2.0, 0.1)),
        Body("c", "b", x, STEP, joint_name="j3", limits=wide, mimic=Mimic("b", 3.0, 0.2)),
        Body("d", "c", x, STEP, joint_name="j4", limits=wide),
    )
    return Model("geared", bodies)


@pytest.mark.parametrize(
    "joints", [["j1"], ["j1", "j2"], ["j3", "j1"], {"j1": 0.0}, {"j3": 0.5, "j1": 0.0}, {"j2": 0.1, "j1": 0.0}]
)
def test_followers_are_locked_where_their_leader_puts_them(joints: list[str] | dict[str, float]) -> None:
    model = geared()
    held = sixvec.Robot(lock(model, joints))
    assert held.nv == 1
    np.testing.assert_allclose(held.pose([0.3], "d"), sixvec.Robot(model).pose([0.0, 0.3], "d"), atol=1e-15)


def test_two_joints_may_exchange_their_names() -> None:
    assert rename(geared(), {"j1": "j4", "j4": "j1"}).moving[0].joint_name == "j4"


def test_limits_of_followers_bound_their_leader() -> None:
    robot = sixvec.Robot(geared())
    # j2: -2 ≤ -2 q + 0.1 ≤ 2;  j3 = -6 q + 0.5
    np.testing.assert_allclose(robot.lower, [-0.25, -2.0])
    np.testing.assert_allclose(robot.upper, [2.5 / 6.0, 2.0])
    q = robot.random(0, 1000)[:, 0]
    for positions in (q, -2.0 * q + 0.1, -6.0 * q + 0.5):
        assert np.all(np.abs(positions) <= 2.0 + 1e-12)
