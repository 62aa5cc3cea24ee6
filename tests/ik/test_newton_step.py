"""The step of the search: rows that concern one joint each are split off, and the step stays what it was."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import sixvec
from sixvec.ik import CenterOfMassTask, PoseTask, PostureTask
from sixvec.ik.levenberg_marquardt import descent
from sixvec.ik.position_solver import newton_step
from sixvec.ik.problem import Problem
from sixvec.ik.starts import measured, nearest


def _dense(e: Any, J: Any, free: Any, damping: float, z: Any) -> Any:
    """The damped least-squares step of the joints that are free."""
    A = J[:, free > 0.0]
    left = e - J @ (free * z)
    u = np.zeros(J.shape[1])
    u[free > 0.0] = np.linalg.solve(A.T @ A + damping * np.eye(A.shape[1]), A.T @ left)
    return u + free * z


@pytest.mark.parametrize(("shared", "own"), [(0, 3), (0, 12), (2, 0), (2, 3), (2, 6), (5, 3), (5, 12), (9, 0), (9, 6)])
@pytest.mark.parametrize("damping", [1e-6, 0.3])
def test_the_step_is_that_of_damped_least_squares(shared: int, own: int, damping: float) -> None:
    rng = np.random.default_rng(shared * 100 + own)
    J = np.concatenate([rng.normal(size=(shared, 6)), np.zeros((own, 6))])
    for row in range(shared, shared + own):
        J[row, row % 6] = rng.uniform(0.5, 2.0)
    e, z = rng.normal(size=shared + own), rng.normal(size=6)
    for free in (np.ones(6), np.array([1.0, 0.0, 1.0, 1.0, 0.0, 1.0])):
        for drift in (None, z):
            u = newton_step(e.tolist(), J.tolist(), free.tolist(), damping, None if drift is None else z.tolist())
            expected = _dense(e, J, free, damping, np.zeros(6) if drift is None else z)
            assert np.asarray(u) == pytest.approx(expected, rel=1e-7, abs=1e-7)


def test_a_posture_of_a_humanoid_costs_no_large_matrix() -> None:
    """Its 38 rows would make a matrix of 38 by 38 out of one of 3 by 3."""
    robot = sixvec.load("humanoid")
    limits = (tuple(map(float, robot.lower)), tuple(map(float, robot.upper)))
    balance, posture = CenterOfMassTask(), PostureTask()
    alone, both = (
        sum(descent(robot.model, tasks, limits, 0.0).program.count().values())
        for tasks in ((balance,), (balance, posture))
    )
    assert both < 1.5 * alone


def test_large_robots_start_where_small_ones_would() -> None:
    robot = sixvec.load("panda")
    problem = Problem.of(robot, {PoseTask("panda_link8"): robot.pose(robot.random(0, 300), "panda_link8")})
    numbers = nearest(robot.model, problem.tasks, problem.limits).call(*problem.targets)
    assert np.array_equal(measured(problem, np.arange(300)), numbers)
