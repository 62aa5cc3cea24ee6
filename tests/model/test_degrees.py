"""Angles in degrees, where radians are meant: a hint where it is certain, never otherwise."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import sixvec as sv
from naming import named
from sixvec.errors import ArgumentError
from sixvec.model import Body, Limits, Model
from sixvec.model.edits import lock, with_limits
from sixvec.model.joints import Free, Prismatic, Revolute, Spherical
from sixvec.model.wrong_positions import (
    has_unit_quaternions,
    joint_in_degrees,
    require_unit_quaternions,
    warn_of_degree,
)

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
    with pytest.warns(UserWarning, match=named("angles", "np.deg2rad")) as told:
        call(sv.load("panda"))
    assert told[0].filename == __file__


def test_kernels_notice_them_if_inputs_are_checked() -> None:
    robot, before = sv.load("panda"), sv.check_inputs(True)
    try:
        with pytest.warns(UserWarning, match="panda_joint2"):
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
    with pytest.warns(UserWarning, match=named("lock", "panda_joint1")):
        lock(robot.model, {"panda_joint1": 90.0})
    with pytest.warns(UserWarning, match=named("with_limits", "panda_joint2")):
        with_limits(robot.model, "panda_joint2", lower=-90.0)
    with pytest.warns(UserWarning, match=named("with_limits", "panda_joint2", "angles")):
        robot.with_limits("panda_joint2", upper=120)


@pytest.mark.parametrize("bound", [3.0, 7.0, 4 * np.pi, np.inf, 1e6])
def test_other_limits_do_not_warn(bound: float) -> None:
    with_limits(sv.load("panda").model, "panda_joint1", lower=-bound, upper=bound)
    lock(sv.load("cart_pole").model, dict.fromkeys(sv.load("cart_pole").joint_names, 90.0))  # a slider, and no stops


HINGE = Model("hinge", (Body("arm", None, Revolute(), limits=Limits((-1.0,), (2.0,))),))


@pytest.mark.parametrize(
    ("angle", "told"),
    [
        (6.0, False),  # less than a turn
        (6.3, True),
        (-6.3, True),
        (90.0, True),
        (114.5, True),  # 1.998 rad
        (115.0, False),  # beyond the limit in degrees too
        (-57.2, True),
        (-57.4, False),
        (90.1234, True),
        (90.12345, False),  # nobody writes that
    ],
)
def test_angles_that_are_degrees_and_those_that_are_not(angle: float, told: bool) -> None:
    found = "arm" if told else None
    assert joint_in_degrees(HINGE, np.array([angle])) == found
    assert joint_in_degrees(HINGE, np.array([[0.5], [angle], [1.0]])) == found
    wide = Model("wide", (Body("arm", None, Revolute(), limits=Limits((-200.0,), (200.0,))),))
    assert joint_in_degrees(wide, np.array([angle])) is None
    for limits in (
        Limits(),
        Limits((-1.0,)),
        Limits((), (2.0,)),
        Limits((-np.inf,), (2.0,)),
        Limits((-1.0,), (np.inf,)),
    ):
        assert joint_in_degrees(Model("m", (Body("arm", None, Revolute(), limits=limits),)), np.array([angle])) is None
    rail = Model("rail", (Body("arm", None, Prismatic(), limits=Limits((-1.0,), (2.0,))),))
    assert joint_in_degrees(rail, np.array([angle])) is None


def test_one_joint_that_degrees_do_not_explain_clears_all() -> None:
    two = Model("two", (*HINGE.bodies, Body("hand", "arm", Revolute(), limits=Limits((-1.0,), (1.0,)))))
    assert joint_in_degrees(two, np.array([0.0, 30.0])) == "hand"
    assert joint_in_degrees(two, np.array([90.0, 30.0])) == "arm"
    assert joint_in_degrees(two, np.array([90.0, 0.123456])) is None
    assert joint_in_degrees(two, np.array([90.0, 90.0])) is None
    assert joint_in_degrees(two, np.array([[90.0, 90.0], [0.0, 30.0]])) == "hand"
    assert joint_in_degrees(two, np.array([[[90.0, 90.0]] * 3, [[0.0, 0.0], [0.0, 30.0], [0.0, 0.0]]])) == "hand"


@pytest.mark.parametrize(
    ("angle", "told"),
    [
        (8.2, False),
        (8.3, True),  # a turn beyond 2
        (-7.2, False),
        (-7.3, True),
        (360.0, True),
        (361.0, False),
        (-361.0, False),
        (90.1234, True),
        (90.12345, False),
    ],
)
def test_one_angle_in_degrees(angle: float, told: bool) -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        warn_of_degree(HINGE.bodies[0], angle, "lock")
        for limits in (Limits(), Limits((-1.0,)), Limits((), (2.0,))):
            warn_of_degree(Body("arm", None, Revolute(), limits=limits), angle, "lock")
        warn_of_degree(Body("rail", None, Prismatic(), limits=Limits((-1.0,), (2.0,))), angle, "lock")
    assert [str(w.message).partition(";")[0] for w in caught] == [
        f'lock: {angle:g} rad is turns beyond the limits of "arm"'
    ] * told


def test_quaternions_of_unit_length() -> None:
    model = Model("m", (Body("a", None, Spherical()), Body("b", "a", Revolute()), Body("c", "b", Free())))
    q = np.array([0.0, 0.0, 0.6, 0.8, 5.0, 1.0, 2.0, 3.0, 0.5, 0.5, 0.5, 0.5])
    slightly, wrong, other = q.copy(), q.copy(), q.copy()
    slightly[3] += 5e-7
    wrong[3] += 2e-6
    other[11] = -0.51
    assert has_unit_quaternions(model, np.array([q, slightly, wrong, other])).tolist() == [True, True, False, False]
    grid = has_unit_quaternions(model, np.array([[q, slightly, wrong], [other, q, q]]))
    assert grid.tolist() == [[True, True, False], [False, True, True]]
    require_unit_quaternions(model, np.array([q, slightly]), "x")
    with pytest.raises(ArgumentError, match=named("x", "a")):
        require_unit_quaternions(model, np.array([[q], [wrong]]), "x")
    with pytest.raises(ArgumentError, match=named("x", "c")):
        require_unit_quaternions(model, other, "x")
    drakes = np.r_[q[:5], 0.5, 0.5, 0.5, 0.5, 1.0, 2.0, 3.0]
    with pytest.raises(ArgumentError, match="Drake"):
        require_unit_quaternions(model, drakes, "x")
