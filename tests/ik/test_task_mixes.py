"""Tasks of every kind, alone and mixed: their Jacobians by finite differences, and solutions by forward kinematics."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import sixvec
from naming import named
from random_trees import random_tree
from sixvec import Robot
from sixvec.errors import ArgumentError, ShapeError
from sixvec.ik import (
    CenterOfMassTask,
    OrientationTask,
    PointingTask,
    PoseTask,
    PositionTask,
    PostureTask,
    Task,
    Verdict,
    solve,
)
from sixvec.model.canonical import canonical

TIP = "panda_link8"
STEP = 1e-6


@pytest.fixture(scope="module")
def panda() -> Robot:
    return sixvec.load("panda")


@pytest.fixture(scope="module")
def walker() -> Robot:
    """A tree with a floating base and every kind of joint."""
    return Robot(random_tree(2, bodies=5, floating=True))


def _targets(robot: Robot, q: Any, end: str, other: str) -> dict[Task, Any]:
    """One task of each kind, with the target that q fulfils."""
    X, Y = robot.pose(q, end), robot.pose(q, other)
    return {
        PoseTask(end): X, PositionTask(other): Y[..., :3, 3], OrientationTask(other): Y[..., :3, :3],
        PointingTask(end, axis=(0.0, 0.6, 0.8)): X[..., :3, :3] @ [0.0, 0.6, 0.8],
        CenterOfMassTask(): robot.center_of_mass(q), PostureTask(): q,
    }  # fmt: skip


def _ends(robot: Robot) -> tuple[str, str]:
    return robot.frame_names[-1], robot.frame_names[-3]


def _mismatch(robot: Robot, task: Task, q: Any, target: Any) -> Any:
    return task.mismatch(canonical(robot.model), list(map(float, q)), np.asarray(target).tolist())


@pytest.mark.parametrize("name", ["panda", "walker"])
def test_jacobians_are_how_errors_change(name: str, request: pytest.FixtureRequest) -> None:
    """Next to the target, error(q ⊕ h u) = error(q) - h J u, for each task and each joint."""
    robot: Robot = request.getfixturevalue(name)
    q = robot.random(1)
    near = robot.integrate(q, 1e-7 * np.ones(robot.nv))
    for task, target in _targets(robot, q, *_ends(robot)).items():
        J = np.array(_mismatch(robot, task, near, target).jacobian, float)
        found = np.empty_like(J)
        for k, u in enumerate(np.eye(robot.nv) * STEP):
            ahead, behind = (_mismatch(robot, task, robot.integrate(near, s * u), target).error for s in (1.0, -1.0))
            found[:, k] = (np.array(behind, float) - np.array(ahead, float)) / (2 * STEP)
        assert np.abs(found - J).max() < 1e-5, task


@pytest.mark.parametrize("name", ["panda", "walker"])
def test_far_from_the_target_the_slope_is_that_of_the_squared_error(name: str, request: pytest.FixtureRequest) -> None:
    """-Jᵀ e is the gradient of half of distance² + angle², so the closest position is a stationary one."""
    robot: Robot = request.getfixturevalue(name)
    q, away = robot.random(1), robot.random(2)
    for task, target in _targets(robot, q, *_ends(robot)).items():
        if isinstance(task, PostureTask) and robot.nq != robot.nv:
            continue  # the screw to a free joint's posture is not its gradient
        m = _mismatch(robot, task, away, target)
        slope = -np.array(m.jacobian, float).T @ np.array(m.error, float)
        for k, u in enumerate(np.eye(robot.nv) * STEP):
            a, b = (_mismatch(robot, task, robot.integrate(away, s * u), target) for s in (1.0, -1.0))
            rise = (a.position + a.rotation - b.position - b.rotation) / (4 * STEP)
            assert rise == pytest.approx(slope[k], abs=1e-5), task


MIXES = [(0,), (0, 1), (1, 3), (2, 4), (3, 5), (0, 4), (1, 2, 4), (1, 3, 4, 5)]
"""Each kind with several others, as places in what `_targets` gives."""


@pytest.mark.every(4)
@pytest.mark.parametrize("chosen", MIXES, ids=str)
def test_any_mix_is_solved_for_a_floating_base_and_several_ends(walker: Robot, chosen: tuple[int, ...]) -> None:
    q = walker.random(4, 6)
    every = list(_targets(walker, q, *_ends(walker)).items())
    answer = solve(walker, dict(every[k] for k in chosen))
    assert answer.solved.mean() > 0.8, str(answer)
    done = answer.solved
    reached = list(_targets(walker, answer.q, *_ends(walker)).values())
    for k in chosen:
        if k == 5:
            assert np.abs(walker.difference(answer.q, q))[done].max() < 1e-5
        else:
            assert np.abs(np.asarray(reached[k]) - np.asarray(every[k][1]))[done].max() < 1e-5


def test_joints_held_by_a_posture_stay_and_the_rest_does_the_work(panda: Robot) -> None:
    q = panda.random(3, 60)
    held = PostureTask(joints=("panda_joint3",))
    answer = solve(panda, {PoseTask(TIP): panda.pose(q, TIP), held: q})
    assert answer.solved.all()
    assert np.abs(answer.q[:, 2] - q[:, 2]).max() < 1e-6
    assert np.abs(panda.pose(answer.q, TIP) - panda.pose(q, TIP)).max() < 2e-6


def test_a_posture_that_cannot_be_is_the_weighted_compromise(panda: Robot) -> None:
    """A slider between two wishes: one revolute joint asked for 1 by a task and for 0 by another of half the weight."""
    q = np.array([0.0, 0.0, 0.0, -1.5, 0.0, 1.5, 0.0])
    one, zero = q.copy(), q.copy()
    one[0], zero[0] = 1.0, 0.0
    answer = solve(panda, {PostureTask(): one, PostureTask(weight=0.5): zero})
    assert answer.verdict == Verdict.UNREACHABLE
    assert answer.q[0] == pytest.approx(1.0 / (1.0 + 0.25), abs=1e-9)
    assert answer.rotation_error == pytest.approx(np.hypot(0.2, 0.8), abs=1e-9)


def test_postures_are_checked(panda: Robot) -> None:
    with pytest.raises(ArgumentError, match=named("elbow", "joints", "panda_joint1")):
        solve(panda, {PostureTask(joints=("elbow",)): panda.neutral()})
    with pytest.raises(ShapeError, match="Posture"):
        solve(panda, {PostureTask(): np.zeros(6)})
    assert PostureTask(joints="panda_joint1").joints == ("panda_joint1",)
