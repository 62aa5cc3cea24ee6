"""The front door exactly at and next to singular positions: solutions that coincide are returned once, none is lost.

The sets are those of the 321 and 313 structures (Bruyninckx §7.19), alone and together, with and without offsets.
"""

from __future__ import annotations

import math
from importlib import import_module

import numpy as np
import pytest
from arms_321_313 import ARMS, SEVEN, robot_of
from multi_start import joint_gap
from sample_arms import X, Y, Z, arm

import sixvec
from sixvec import Robot
from sixvec.ik.closed_form import Solutions, closed_form
from sixvec.ik.closed_form.arm_313 import Arm313, swivel
from sixvec.ik.closed_form.arm_321 import Arm321
from sixvec.spatial import Pose, Vec3

front_door = import_module("sixvec.ik.closed_form.closed_form")

H = math.pi / 2
RECHECK = 1e-12
"""Metres and entries of R between the best solution and its pose: some dozens of roundings."""

DISTANCES = (0.0, 1e-15, 1e-12, 1e-10, 1e-8, 1e-6, 1e-4)


def assert_sound(robot: Robot, poses: np.ndarray, found: Solutions, kinds: str) -> None:
    """Every pose has an exact solution; all others reach it as promised; no two are the same; none is lost."""
    error = np.where(found.valid, np.abs(robot.pose(found.q, "tool") - poses[:, None]).max((-1, -2)), np.inf)
    assert error.min(-1).max() < RECHECK
    # At a border of the reach, branches that miss by less than what counts as reached are solutions too.
    assert error[found.valid].max() < front_door.REACHED
    gap = joint_gap(kinds, found.q[:, :, None], found.q[:, None])
    both = found.valid[:, :, None] & found.valid[:, None] & ~np.eye(found.valid.shape[-1], dtype=bool)
    assert gap[both].min(initial=1.0) > front_door.SAME / 3.0  # the threshold is on the root of the sum of squares
    repeats = np.isnan(found.error)
    assert not (repeats & (found.valid | found.least_squares)).any()
    # Whatever is left out is a repeat of one that is kept.
    kept = np.where(found.valid[:, None], gap, np.inf).min(-1)
    assert kept[repeats].max(initial=0.0) < 3.0 * front_door.SAME


def singular_321(arm: Arm321) -> dict[str, tuple[float, ...]]:
    """Arm stretched and folded, wrist straight and folded, wrist above the shoulder, and all of them combined."""
    stretched = -arm.elbow_angle
    high = arm.l2 + arm.forearm * math.cos(0.8), arm.forearm * math.sin(0.8)
    above = math.asin(-arm.base_offset / math.hypot(*high)) - math.atan2(high[1], high[0])
    leaning = math.asin(-arm.base_offset / arm.reach)
    elbow = 0.8 + stretched
    return {
        "stretched": (0.3, 0.4, stretched, 0.6, 0.7, 0.8),
        "folded": (0.3, 0.4, stretched + math.pi, 0.6, 0.7, 0.8),
        "wrist straight": (0.3, 0.4, 0.5, 0.6, 0.0, 0.8),
        "wrist folded": (0.3, 0.4, 0.5, 0.6, math.pi, 0.8),
        "above": (0.3, above, elbow, 0.6, 0.7, 0.8),
        "stretched, wrist straight": (0.3, 0.4, stretched, 0.6, 0.0, 0.8),
        "stretched, wrist straight, rank 4": (0.3, 0.4, stretched, 0.0, 0.0, 0.8),
        "above, wrist straight": (0.3, above, elbow, 0.6, 0.0, 0.8),
        "above, wrist straight, rank 4": (0.3, above, elbow, H, 0.0, 0.8),
        "stretched above": (0.3, leaning, stretched, 0.6, 0.7, 0.8),
        "everything": (0.0, leaning, stretched, 0.0, 0.0, 0.0),
        "everything, rank 4": (0.0, leaning, stretched, 0.6, 0.0, 0.0),
    }


@pytest.mark.every(2)
@pytest.mark.covers("FORM-06")
@pytest.mark.parametrize("name", ARMS)
def test_arm_321(name: str) -> None:
    robot = robot_of(ARMS[name])
    solver = closed_form(robot, "tool")
    for at in singular_321(ARMS[name]).values():
        q = np.array(at) + np.array(DISTANCES)[:, None] * (0.0, 1.0, 2.0, 1.0, 1.0, 0.0)
        poses = robot.pose(q, "tool")
        found = solver(poses)
        assert_sound(robot, poses, found, "RRRRRR")
        # The last distance is far enough for the position that made the pose to be told from its neighbours.
        assert joint_gap("RRRRRR", found.q[-1], q[-1])[found.valid[-1]].min() < 1e-6


@pytest.mark.covers("FORM-06")
@pytest.mark.parametrize(
    ("name", "sets", "merged"),
    [("plain", "stretched", 4), ("plain", "folded", 4), ("elbow", "folded", 4), ("shoulder", "above", 4),
     ("all", "stretched", 6), ("plain", "wrist straight", 8)],
)  # fmt: skip
def test_branches_that_meet_are_counted_once(name: str, sets: str, merged: int) -> None:
    """Both elbows, or forward and backward, are one there, and two again a thousandth of a degree away."""
    robot, at = robot_of(ARMS[name]), np.array(singular_321(ARMS[name])[sets])
    next_to = at + 2e-5 * np.array((0.0, 1.0, 2.0, 1.0, 1.0, 0.0))
    found = closed_form(robot, "tool")(robot.pose(np.stack([at, next_to]), "tool"))
    assert found.count.tolist() == [merged, 8]


@pytest.mark.covers("FORM-08")
@pytest.mark.parametrize("arm", [SEVEN, Arm313(0.3, 0.4, 0.4, 0.1)], ids=["unequal", "equal"])
def test_arm_313(arm: Arm313) -> None:
    robot = robot_of(arm)
    solver = closed_form(robot, "tool")
    for at in (
        (0.3, 0.5, -0.4, 0.0, 0.2, 0.7, -0.6),  # stretched and folded
        (0.3, 0.5, -0.4, math.pi, 0.2, 0.7, -0.6),
        (0.3, 0.0, H, 0.9, 0.2, 0.7, -0.6),  # shoulder locked
        (0.3, math.pi, -H, 0.9, 0.2, 0.7, -0.6),
        (0.3, 0.5, -0.4, 0.9, H, 0.0, -0.6),  # wrist locked
        (0.3, 0.5, -0.4, 0.9, -H, math.pi, -0.6),
        (0.3, 0.0, -0.4, 0.9, 0.2, 0.0, -0.6),  # shoulder and wrist extended
        (0.3, 0.0, -0.4, 0.9, 0.2, 0.7, -0.6),  # regular, although the shoulder alone is not
        (0.3, 0.0, H, 0.0, 0.2, 0.7, -0.6),  # two sets at once
        (0.0,) * 7,
    ):
        q = np.array(at) + np.array(DISTANCES)[:, None] * (0.0, 1.0, 2.0, 1.0, 1.0, 1.0, 0.0)
        poses = robot.pose(q, "tool")
        psi = np.array([swivel(arm, row) for row in q.tolist()])
        assert_sound(robot, poses, solver(poses, psi), "RRRRRRR")
        assert_sound(robot, poses, solver(poses, 0.7), "RRRRRRR")


@pytest.mark.parametrize(
    "at",
    [
        (0.3, 0.4, 0.0, 0.6, 0.7, 0.8),  # the slide brings the wrist onto the second axis
        (0.3, 0.0, 0.5, 0.6, 0.7, 0.8),  # upright: the wrist as near to the first axis as it can come
        (0.3, math.pi, 0.5, 0.6, 0.7, 0.8),
        (0.3, 0.4, 0.5, 0.6, 0.0, 0.8),
        (0.3, 0.4, 0.5, 0.6, math.pi, 0.8),
        (0.3, 0.0, 0.5, 0.6, 0.0, 0.8),
        (0.0,) * 6,
    ],
)
def test_stanford_arm(at: tuple[float, ...]) -> None:
    robot = sixvec.load("stanford_arm")
    q = np.array(at) + np.array(DISTANCES)[:, None] * (0.0, 1.0, 2.0, 1.0, 1.0, 1.0)
    poses = robot.pose(q, "tool")
    assert_sound(robot, poses, closed_form(robot, "tool")(poses), "RRPRRR")


def test_a_stretched_scara_has_one_solution() -> None:
    scara = sixvec.load("cobra600")
    q = np.array([0.3, 0.0, 0.1, 0.4]) + np.array(DISTANCES)[:, None] * (0.0, 1.0, 0.0, 0.0)
    found = closed_form(scara, "flange")(scara.pose(q, "flange"))
    assert found.count.tolist() == [1, 1, 1, 1, 1, 2, 2]
    gap = np.where(found.valid, joint_gap("RRPR", found.q, q[:, None]), np.inf).min(-1)
    assert gap.max() < front_door.SAME


def test_a_gantry_in_gimbal_lock() -> None:
    """The outer turns share an axis: what they make together is right, whatever the share of each."""
    robot = arm("PPPRRR", [X, Y, Z, Z, Y, Z], [(0.0, 0.0, 0.1 * i) for i in range(6)], Pose.translation(_TIP))
    at = np.array([0.1, 0.2, 0.3, 0.6, 0.0, 0.8]) + np.array(DISTANCES)[:, None] * (0.0, 0.0, 0.0, 0.0, 1.0, 0.0)
    poses = robot.pose(at, "tool")
    found = closed_form(robot, "tool")(poses)
    assert_sound(robot, poses, found, "PPPRRR")
    assert found.count[-1] == 2


_TIP = Vec3(0.05, 0.1, 0.7)
