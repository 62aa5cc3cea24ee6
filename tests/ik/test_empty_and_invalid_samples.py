"""Inverse kinematics of no poses, of poses that are not finite, of robots and frames that do not move."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import sixvec
from sixvec import Robot
from sixvec.ik import CenterOfMassTask, PoseTask, PostureTask, Verdict, solve, track

ARMS = {"ur5e": "tool0", "panda": "panda_link8", "iiwa14": "flange"}
"""With a closed form, without, and with one that takes a swivel angle."""


@pytest.fixture(params=ARMS, scope="module")
def arm(request: pytest.FixtureRequest) -> tuple[Robot, str]:
    return sixvec.load(request.param), ARMS[request.param]


def _pose(arm: tuple[Robot, str]) -> Any:
    return arm[0].pose(arm[0].random(0), arm[1])


def test_a_pose_that_is_not_finite_is_invalid_and_no_other(arm: tuple[Robot, str]) -> None:
    robot, frame = arm
    X = np.stack([_pose(arm)] * 4)
    X[1, 0, 3], X[2, 1, 3] = np.nan, np.inf
    solution = robot.ik(X, frame)
    assert solution.verdict.tolist() == [Verdict.SOLVED, Verdict.INVALID, Verdict.INVALID, Verdict.SOLVED]
    assert solution.explain(1) == "invalid"
    X[1, 0, 3], X[1, 0, 0] = X[0, 0, 3], np.nan
    assert robot.ik(X, frame).verdict[1] == Verdict.INVALID
    run = track(robot, solution.q[0], X, frame)
    assert run.verdict.tolist() == [Verdict.SOLVED, Verdict.INVALID, Verdict.INVALID, Verdict.SOLVED]


def test_a_joint_whose_limits_are_equal_stays_there(arm: tuple[Robot, str]) -> None:
    robot, frame = arm
    bodies = list(robot.model.bodies)
    k = next(i for i, b in enumerate(bodies) if b.joint.nv)
    bodies[k] = replace(bodies[k], limits=replace(bodies[k].limits, lower=(0.25,), upper=(0.25,)))
    stiff = Robot(replace(robot.model, bodies=tuple(bodies)))
    q = np.array(robot.random(3))
    q[0] = 0.25
    solution = stiff.ik(robot.pose(q, frame), frame)
    assert solution.solved and solution.q[0] == pytest.approx(0.25, abs=1e-9)


def test_a_frame_that_does_not_move_is_reached_or_unreachable(arm: tuple[Robot, str]) -> None:
    robot, _ = arm
    base = robot.frame_names[0]
    here, there = robot.pose(robot.neutral(), base), robot.pose(robot.neutral(), base)
    there[0, 3] += 0.5
    solution = robot.ik(np.stack([here, there]), base)
    assert solution.verdict.tolist() == [Verdict.SOLVED, Verdict.UNREACHABLE]
    assert solution.position_error[1] == pytest.approx(0.5)


def test_no_poses_have_no_solutions(arm: tuple[Robot, str]) -> None:
    robot, frame = arm
    for shape in ((0,), (2, 0), (0, 3)):
        empty = np.empty((*shape, 4, 4))
        for solution in (robot.ik(empty, frame), solve(robot, {PoseTask(frame): empty})):
            assert solution.q.shape == (*shape, robot.nq) and solution.solved.shape == shape and bool(solution)
            assert str(solution) == "nothing to solve"


def test_limits_may_be_a_boolean_of_numpy(arm: tuple[Robot, str]) -> None:
    robot, frame = arm
    X = _pose(arm)
    assert robot.ik(X, frame, limits=np.bool_(False)).solved


def test_explain_takes_the_index_of_one_problem(arm: tuple[Robot, str]) -> None:
    robot, frame = arm
    X = robot.pose(robot.random(0, 2, 3), frame)
    solution = robot.ik(X, frame)
    assert solution.explain((1, 2)) == "solved"


def test_tasks_without_a_frame_show_none() -> None:
    assert repr(PostureTask(joints="elbow")) == "Posture(joints=('elbow',))"
    assert repr(CenterOfMassTask()) == "CenterOfMass()"
