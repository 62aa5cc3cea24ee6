"""Inverse dynamics on a base whose motion is given: what the same robot on a free joint needs, and screws say."""

from __future__ import annotations

import numpy as np
import pytest

import sixvec
from random_states import base_motion, random_states
from sixvec import Robot
from sixvec.errors import ShapeError
from sixvec.model.body import Body
from sixvec.model.edits import attach
from sixvec.model.joints import Free
from sixvec.model.model import Model
from sixvec.spatial import Motion, Pose
from sixvec.theory.lagrange import ScrewChain
from subjects import CASES, TREES, tree
from targets import OnTarget
from tolerances import IDENTITY, SOLVED, assert_close

STILL = np.zeros(6)


def carried(robot: Robot) -> Robot:
    """The robot on a platform without mass that moves freely."""
    platform = Model("platform", (Body("platform", None, Free()),), gravity=robot.model.gravity)
    return Robot(attach(platform, robot.model, "platform", Pose.identity(), prefix="r_"))


@pytest.mark.every(2)
@pytest.mark.covers("DYN-21")
@pytest.mark.parametrize("name", TREES)
def test_it_is_the_robot_on_a_free_joint_that_moves_so(name: str) -> None:
    robot = tree(name)
    q, v, a, _ = random_states(robot, 5)
    given = base_motion(5)
    on = carried(robot)
    frame = robot.frame_names[-1]
    w = np.random.default_rng(1).normal(size=(5, 6))
    at_origin = np.tile([0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0], (5, 1))
    whole = on.inverse_dynamics(
        np.hstack([at_origin, q]), np.hstack([given["base_twist"], v]), np.hstack([given["base_acceleration"], a]),
        external={f"r_{frame}": w},
    )  # fmt: skip
    tau = robot.moving_base_inverse_dynamics(q, v, a, *given.values(), external={frame: w})
    assert_close(tau, whole[:, 6:], SOLVED, scale=np.abs(whole).max())


@pytest.mark.every(2)
@pytest.mark.parametrize(("name", "target"), CASES)
def test_at_rest_it_is_inverse_dynamics(name: str, target: str) -> None:
    robot = OnTarget(tree(name), target)
    q, v, a, _ = random_states(robot)
    none = np.zeros((len(q), 6))
    found = robot.moving_base_inverse_dynamics(q, v, a, none, none)
    assert_close(found, robot.inverse_dynamics(q, v, a), IDENTITY, scale=100.0)


@pytest.mark.covers("DYN-21")
def test_screws_say_the_same() -> None:
    robot = sixvec.load("panda")
    chain = ScrewChain.of(robot)
    q, v, a, _ = random_states(robot, 3)
    twists, rates = base_motion(3).values()
    for i in range(3):
        up = rates[i] - np.array([0.0, 0.0, 0.0, *robot.gravity])
        expected = chain.inverse_dynamics(
            q[i].tolist(), v[i].tolist(), a[i].tolist(),
            base_twist=Motion.of(twists[i].tolist()), base_acceleration=Motion.of(up.tolist()),
        )  # fmt: skip
        found = robot.moving_base_inverse_dynamics(q[i], v[i], a[i], twists[i], rates[i])
        assert_close(found, expected, SOLVED, batched=False)


def test_a_base_has_six_numbers() -> None:
    robot = sixvec.load("planar_2r")
    with pytest.raises(ShapeError, match="base_twist"):
        robot.moving_base_inverse_dynamics(*np.zeros((3, 2)), np.zeros(3), STILL)
