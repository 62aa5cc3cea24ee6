"""Mass matrix and inverse dynamics of published robots: ours and MuJoCo's."""

from __future__ import annotations

import numpy as np
import pytest

from mujoco_bridge import peer
from published import ALL, Published
from random_states import random_states
from tolerances import PEER, assert_close

REFUSED = {
    "bravo7_gripper": "a moving body without mass",
    "finger_edu": "a rotational inertia that is not positive definite",
    "allegro_right_hand": "a rotational inertia that breaks the triangle inequality",
    "tiago_no_hand": "a rotational inertia that is not positive definite",
    "anymal": "a rotational inertia that breaks the triangle inequality",
    "hyq_no_sensors": "a rotational inertia that is not positive definite",
    "b1-z1": "a rotational inertia that is not positive definite",
    "icub": "a rotational inertia that is not positive definite",
}
"""Files that MuJoCo does not accept as they are, and what it finds in them."""


def robot_or_skip(published: Published) -> object:
    skip = pytest.mark.skip(reason=f"MuJoCo refuses the file: {REFUSED.get(published.name)}")
    return pytest.param(published, id=published.name, marks=skip if published.name in REFUSED else ())


every_robot = pytest.mark.parametrize("published", [robot_or_skip(p) for p in ALL])


@pytest.mark.every(3)
@every_robot
@pytest.mark.covers("DYN-05", "DYN-16")
def test_inverse_dynamics(published: Published) -> None:
    other, robot = peer(published), published.load()
    q, v, a, _ = random_states(robot)
    expected = [other.inverse_dynamics(*x) for x in zip(q, v, a, strict=True)]
    assert_close(robot.inverse_dynamics(q, v, a), expected, PEER)


@pytest.mark.every(3)
@every_robot
@pytest.mark.covers("DYN-10")
def test_mass_matrix(published: Published) -> None:
    other, robot = peer(published), published.load()
    q = random_states(robot).q
    assert_close(robot.mass_matrix(q), np.array([other.mass_matrix(x) for x in q]), PEER)
