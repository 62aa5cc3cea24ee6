"""Angles in degrees, where radians are meant: a hint where it is certain, never otherwise."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import sixvec as sv
from sixvec.model.edits import lock, with_limits
from sixvec.model.wrong_positions import joint_in_degrees

DEGREES = np.array([0.0, -23.0, 0.0, -115.0, 0.0, 90.0, 45.0])
ZERO = np.zeros(7)


@pytest.mark.parametrize(
    "call",
    [
        lambda robot: robot.rollout(DEGREES, ZERO, ZERO, 0.001, steps=2),
        lambda robot: robot.ik(np.eye(4), "panda_link8", q0=DEGREES),
        lambda robot: robot.joint_vector({"panda_joint1": 90.0}),
        lambda robot: robot.assemble(DEGREES),
    ],
    ids=["rollout", "ik", "joint_vector", "assemble"],
)
def test_degrees_are_noticed(call: Callable[[sv.Robot], Any]) -> None:
    with pytest.warns(UserWarning, match=r"turns beyond its limits; angles are in radians: np.deg2rad\(q\)") as told:
        call(sv.load("panda"))
    assert told[0].filename == __file__


def test_kernels_notice_them_if_inputs_are_checked() -> None:
    robot, before = sv.load("panda"), sv.check_inputs(True)
    try:
        with pytest.warns(UserWarning, match="radians"):
            robot.pose(DEGREES, "panda_link8")
    finally:
        sv.check_inputs(before)


@pytest.mark.parametrize("name", ["panda", "humanoid", "solo12", "cart_pole", "double_pendulum"])
def test_radians_give_no_alarm(name: str) -> None:
    robot = sv.load(name)
    q = robot.random(0, 500)
    assert joint_in_degrees(robot.model, q) is None
    beyond = robot.integrate(q, 3.0 * np.random.default_rng(1).normal(size=(500, robot.nv)))
    assert joint_in_degrees(robot.model, np.clip(beyond, -2 * np.pi, 2 * np.pi)) is None


def test_neither_far_bases_nor_unlimited_joints_nor_huge_numbers_give_one() -> None:
    robot = sv.load("panda", floating=True)
    q = robot.neutral()
    q[:3] = 40.0, -90.0, 180.0
    spinning = np.array([500.0, -2000.0, 0.0, -1e6, 0.0, 90.0, 45.0])  # degrees do not explain it either
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        robot.rollout(q, np.zeros(robot.nv), np.zeros(robot.nv), 0.001, steps=1)
        sv.load("double_pendulum").rollout([90.0, 45.0], [0.0, 0.0], [0.0, 0.0], 0.001, steps=1)
    assert joint_in_degrees(sv.load("panda").model, spinning) is None


def test_an_arm_that_has_turned_in_a_simulation_gives_none() -> None:
    robot = sv.load("panda")
    swing = robot.rollout([0.0, -0.4, 0.0, -2.0, 0.0, 1.6, 0.8], ZERO, ZERO, 0.001, steps=2000)
    assert (np.abs(swing.q[-1]) > 2 * np.pi).any(), "let go without stops, it turns"
    assert joint_in_degrees(robot.model, swing.q) is None
    assert joint_in_degrees(robot.model, DEGREES.astype(np.float32)) == "panda_joint2"


def test_locks_and_limits_in_degrees_warn() -> None:
    robot = sv.load("panda")
    with pytest.warns(UserWarning, match=r'lock: 90 rad is turns beyond the limits of "panda_joint1"; .*deg2rad\(90\)'):
        lock(robot.model, {"panda_joint1": 90.0})
    with pytest.warns(UserWarning, match='with_limits: -90 rad is turns beyond the limits of "panda_joint2"'):
        with_limits(robot.model, "panda_joint2", lower=-90.0)
    with pytest.warns(UserWarning, match="angles are in radians"):
        robot.with_limits("panda_joint2", upper=120)


@pytest.mark.parametrize("bound", [3.0, 7.0, 4 * np.pi, np.inf, 1e6])
def test_other_limits_do_not_warn(bound: float) -> None:
    with_limits(sv.load("panda").model, "panda_joint1", lower=-bound, upper=bound)
    lock(sv.load("cart_pole").model, dict.fromkeys(sv.load("cart_pole").joint_names, 90.0))  # a slider, and no stops
