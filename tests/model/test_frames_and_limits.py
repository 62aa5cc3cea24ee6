"""A robot with one more frame, with other limits, and its positions by the names of its joints."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import sixvec
from naming import named
from sixvec.errors import ArgumentError, DegenerateError, FrameNotFound, ModelError, ShapeError, SixvecError
from sixvec.model.edits import lock
from sixvec.spatial import Pose, Vec3

PANDA = sixvec.load("panda")
TOOL = "panda_link8"
TURNED = np.array([[0.0, -1.0, 0.0, 0.1], [1.0, 0.0, 0.0, 0.2], [0.0, 0.0, 1.0, 0.3], [0.0, 0.0, 0.0, 1.0]])


def test_a_frame_moves_with_the_one_it_is_fixed_to() -> None:
    robot = PANDA.with_frame("tip", TOOL, TURNED)
    q = robot.random(0, 5)
    np.testing.assert_allclose(robot.pose(q, "tip"), robot.pose(q, TOOL) @ TURNED, atol=1e-14)
    assert robot.frame_names == (*PANDA.frame_names, "tip") and "tip" not in PANDA.frame_names
    again = robot.with_frame("nail", "tip", Pose.translation(Vec3(0.0, 0.0, 1.0)))
    np.testing.assert_allclose(again.pose(q, "nail")[:, :3, 3], (robot.pose(q, "tip") @ [0.0, 0.0, 1.0, 1.0])[:, :3])
    np.testing.assert_allclose(PANDA.with_frame("same", TOOL).pose(q, "same"), PANDA.pose(q, TOOL), atol=1e-14)


def test_frames_that_cannot_be() -> None:
    with pytest.raises(FrameNotFound) as told:
        PANDA.with_frame("tip", "panda_link9")
    assert "it is a body" not in str(told.value)
    with pytest.raises(ModelError, match="panda_link8"):
        PANDA.with_frame(TOOL, TOOL)
    with pytest.raises(DegenerateError, match="rotation"):
        PANDA.with_frame("tip", TOOL, 2.0 * TURNED + np.diag([0.0, 0.0, 0.0, -1.0]))
    with pytest.raises(ArgumentError, match="pose"):
        PANDA.with_frame("tip", TOOL, 2.0 * np.eye(4))
    with pytest.raises(ArgumentError, match="tip"):
        PANDA.with_frame("tip", TOOL, np.eye(3))


def test_limits_of_one_joint() -> None:
    robot = PANDA.with_limits("panda_joint2", lower=-0.5, effort=np.inf)
    assert robot.lower[1] == -0.5 and robot.upper[1] == PANDA.upper[1] and robot.effort_limits[1] == np.inf
    assert np.array_equal(np.delete(robot.lower, 1), np.delete(PANDA.lower, 1))
    q = robot.random(0, 200)
    assert q[:, 1].min() >= -0.5
    with pytest.raises(ArgumentError, match=named("panda_joint2", "lower")):
        PANDA.with_limits("panda_joint2", lower=3.0)
    with pytest.raises(ArgumentError, match="panda_joint2"):
        PANDA.with_limits("panda_joint2", velocity=-1.0)
    with pytest.raises(ArgumentError, match="panda_joint2"):
        PANDA.with_limits("panda_joint2", upper=(1.0, 2.0))
    with pytest.raises(ModelError):
        PANDA.with_limits("panda_joint9", upper=1.0)


@pytest.mark.parametrize("bound", [np.float32(1.0), np.int64(1), np.array(1.0), np.array([1.0]), 1, [1], (1.0,)])
def test_limits_of_any_number_type(bound: Any) -> None:
    robot = PANDA.with_limits("panda_joint1", upper=bound, velocity=bound)
    assert robot.upper[0] == robot.velocity_limits[0] == 1.0
    assert type(robot.model.moving[0].limits.upper[0]) is float


@pytest.mark.parametrize("bound", ["x", "5", "55", ["a"], ["5"], [None], 1 + 2j, np.array([1j]), {}, [[1.0]], [1, [2]]])
@pytest.mark.parametrize("kind", ["lower", "effort"])
def test_limits_that_are_not_numbers(bound: Any, kind: str) -> None:
    with pytest.raises(SixvecError, match="panda_joint1"):
        PANDA.with_limits("panda_joint1", **{kind: bound})


@pytest.mark.parametrize("position", ["5", ["5"], np.array("5"), b"5", 1 + 2j, np.array([1.0 + 2j])])
def test_positions_to_lock_at_that_are_not_numbers(position: Any) -> None:
    with pytest.raises(ModelError, match="panda_joint1"):
        lock(PANDA.model, {"panda_joint1": position})


def test_positions_by_joint_there_and_back() -> None:
    robot = sixvec.load("solo12")
    q = robot.random(0, 3)
    values = robot.joint_values(q)
    assert tuple(values) == robot.joint_names
    np.testing.assert_array_equal(robot.joint_vector(values), q)
    one = PANDA.joint_vector({"panda_joint4": [-1.0, -2.0]}, q0=PANDA.random(1))
    assert one.shape == (2, 7) and one[:, 3].tolist() == [-1.0, -2.0] and (one[0, :3] == one[1, :3]).all()


def test_mistakes_in_joints_are_named() -> None:
    with pytest.raises(ArgumentError, match="panda_joint8"):
        PANDA.joint_vector({"panda_joint8": 0.0})
    root = sixvec.load("solo12")
    with pytest.raises(ShapeError, match="root_joint"):
        root.joint_vector({root.joint_names[0]: [0.0, 1.0]})
    with pytest.raises(ShapeError, match="joint_vector"):
        PANDA.joint_vector({"panda_joint1": [0.0, 1.0], "panda_joint2": [0.0, 1.0, 2.0]})
    with pytest.raises(ShapeError, match=named("joint_values", "q")):
        PANDA.joint_values([0.0, 1.0])
