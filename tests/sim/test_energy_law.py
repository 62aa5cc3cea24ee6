"""By default no rollout gains energy: undamped robots with a fixed base, ten seconds, steps of 1, 4 and 10 ms."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import sixvec
from package_files import published_urdf
from sixvec import Robot
from sixvec.algorithms.parts.weightless import WeightlessJoint
from sixvec.errors import SixvecError
from sixvec.verdict import Verdict

SMALL = ("so101", "ur5_robot", "allegro_right_hand", "double_pendulum")
STEPS = (0.001, 0.004, 0.010)
DURATION = 10.0
MOST = 0.01
"""The largest gain of energy, as a fraction of the largest kinetic energy: the law."""

SINGULAR = {"icub": "neck_yaw", "romeo": "LHand", "romeo_laas_small": "l_gripper_joint"}
"""Robots whose mass matrix is singular in the neutral position, and a joint that moves no mass there."""

UNRESOLVED = {"human": 0.001, "alex_psyonic_hands": 0.004, "g1_29dof_with_hand_rev_1_0": 0.010}
"""Robots whose lightest joints reach a thousand radians per second, and the least step that does not resolve that:
these rollouts may stop, with a verdict."""

FILES = {path.stem: path for path in published_urdf()}

pytestmark = pytest.mark.skipif(not FILES, reason="the package example-robot-data is not installed")


def starts(robot: Robot) -> np.ndarray:
    """The neutral position, and two random ones."""
    return np.concatenate([robot.neutral()[None], robot.random(np.random.default_rng(0), 2)])


def check(robot: Robot, name: str) -> None:
    if not robot.nv:
        return
    q, rest = starts(robot), np.zeros(robot.nv)
    for dt in STEPS:
        with warnings.catch_warnings():
            if dt >= UNRESOLVED.get(name, np.inf):
                warnings.filterwarnings("ignore", ".*by more than a turn per step", RuntimeWarning)
            motion = robot.rollout(q, rest, rest, dt, steps=round(DURATION / dt))
        assert np.isfinite(motion.q).all() and np.isfinite(motion.v).all()
        kinetic = robot.kinetic_energy(motion.q, motion.v)
        gain = kinetic + robot.potential_energy(motion.q) - robot.potential_energy(q)[:, None]
        assert (gain.max(axis=-1) <= MOST * kinetic.max(axis=-1) + 1e-12).all(), (robot.name, dt)


@pytest.mark.covers("DYN-15")
@pytest.mark.parametrize("name", SMALL)
def test_small_robots_gain_no_energy(name: str) -> None:
    check(sixvec.load(FILES[name]), name)


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(set(FILES) - set(SMALL) - set(SINGULAR)))
def test_no_published_robot_gains_energy(name: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            robot = sixvec.load(FILES[name])
        except SixvecError:
            pytest.skip("the file cannot be read")
    check(robot, name)


@pytest.mark.parametrize("name", SINGULAR)
def test_joints_that_move_no_mass_are_named(name: str) -> None:
    with pytest.warns(WeightlessJoint, match=SINGULAR[name]):
        robot = sixvec.load(FILES[name])
    rest = np.zeros(robot.nv)
    if name == "icub":  # elsewhere its mass matrix has an inverse
        with pytest.warns(RuntimeWarning, match=SINGULAR[name]):
            assert robot.rollout(robot.neutral(), rest, rest, 0.001, steps=3).verdict == Verdict.SINGULAR
    else:
        with pytest.raises(SixvecError, match="moves no mass"):
            robot.rollout(robot.neutral(), rest, rest, 0.001, steps=3)
