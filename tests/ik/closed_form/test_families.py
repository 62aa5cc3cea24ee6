"""Closed forms return all solutions and nothing else: checked by forward kinematics and against multi-start search."""

from __future__ import annotations

from collections.abc import Callable
from importlib import metadata
from pathlib import Path

import numpy as np
import pytest
from multi_start import angle_gap, solutions
from sample_arms import random_arm, ur5e

import sixvec
from sixvec import Robot
from sixvec.ik.closed_form import Solutions, closed_form

ACCURACY = 1e-9
"""Metres and radians: what is asked of every solution."""

SAME_SOLUTION = 1e-5
"""Radians between a solution and its counterpart from the search, whose Jacobians may be ill-conditioned (1e-3)."""

POSES, STARTS = 1000, 4


def published_ur5() -> Robot:
    """The UR5 of the package example-robot-data, whose right angles have ten digits."""
    try:
        files = metadata.files("example-robot-data") or []
    except metadata.PackageNotFoundError:
        pytest.skip("the package example-robot-data is not installed")
    return sixvec.load(Path(str(next(f for f in files if f.name == "ur5_robot.urdf").locate())))


ARMS: dict[str, tuple[Callable[[], Robot], str]] = {
    "puma560": (lambda: sixvec.load("puma560"), "link6"),
    "ur5": (published_ur5, "tool0"),
    "ur5e": (ur5e, "tool"),
}
for first in range(4):
    block = (first, first + 1, first + 2)
    ARMS[f"meeting-{first + 1}"] = (lambda b=block, s=first: random_arm(s + 1, meet=b), "tool")
    ARMS[f"parallel-{first + 1}"] = (lambda b=block, s=first: random_arm(s + 1, parallel=b), "tool")


def assert_exact(robot: Robot, frame: str, X: np.ndarray, found: Solutions) -> None:
    """Every solution that is called valid reaches the pose by the robot's own forward kinematics."""
    error = np.abs(robot.pose(found.q, frame) - X[:, None]).max((-1, -2))
    assert error[found.valid].max() < ACCURACY


@pytest.mark.every(4)
@pytest.mark.covers("FORM-05")
@pytest.mark.parametrize("name", ARMS)
def test_all_solutions_of_six_joints(name: str) -> None:
    make, frame = ARMS[name]
    robot = make()
    q = np.random.default_rng(3).uniform(-np.pi, np.pi, (POSES, 6))
    X = robot.pose(q, frame)
    found = closed_form(robot, frame)(X)
    assert_exact(robot, frame, X, found)
    searched, good = solutions(robot, frame, X, STARTS, seed=4)
    searched, good = np.concatenate([searched, q[:, None]], 1), np.concatenate([good, np.ones((POSES, 1), bool)], 1)
    gap = angle_gap(searched[:, :, None], found.q[:, None])
    missed = good & ~(np.where(found.valid[:, None], gap, np.inf).min(-1) < SAME_SOLUTION)
    assert good.mean() > 0.5  # otherwise the search would prove nothing
    assert not missed.any(), f"{missed.sum()} of {good.sum()} solutions are missing"
    # Valid solutions are different ones, and generically come in pairs.
    twins = angle_gap(found.q[:, :, None], found.q[:, None])
    both = found.valid[:, :, None] & found.valid[:, None] & ~np.eye(8, dtype=bool)
    assert not (both & (twins < 1e-9)).any()
    assert (found.count % 2 == 0).all() and found.count.max() > 2


@pytest.mark.every(2)
@pytest.mark.covers("FORM-02")
@pytest.mark.parametrize(
    ("kinds", "parallel"),
    [("PPPRRR", ()), ("RRR", (0, 1, 2)), ("RRRP", (0, 1, 2, 3)), ("RRPR", (0, 1, 2, 3)), ("PRRR", (0, 1, 2, 3))],
)
def test_gantry_planar_arm_and_scara(kinds: str, parallel: tuple[int, ...]) -> None:
    for seed in (5, 6):
        robot = random_arm(seed, kinds, parallel=parallel)
        q = np.random.default_rng(7).uniform(-1.0, 1.0, (POSES, len(kinds))) * 3.0
        X = robot.pose(q, "tool")
        found = closed_form(robot, "tool")(X)
        assert_exact(robot, "tool", X, found)
        assert (found.count == 2).all()
        turning = [i for i, kind in enumerate(kinds) if kind == "R"]
        gap = np.abs(found.q - q[:, None])
        gap[..., turning] = np.abs(np.remainder(gap[..., turning] + np.pi, 2 * np.pi) - np.pi)
        assert (gap.max(-1).min(-1) < 1e-6).all()
        assert (angle_gap(found.q[:, 0], found.q[:, 1]) > 1e-9).all()


def test_planar_arm_with_two_joints_reaches_positions() -> None:
    robot = random_arm(8, "RR", parallel=(0, 1))
    solver = closed_form(robot, "tool")
    X = robot.pose(robot.random(0, POSES), "tool")
    found = solver(X)
    assert solver.family.task == "position"
    error = np.abs(robot.pose(found.q, "tool") - X[:, None])[..., :3, 3].max(-1)
    assert found.valid.all() and error.max() < ACCURACY


@pytest.mark.every(2)
@pytest.mark.covers("FORM-05")
@pytest.mark.parametrize("pair", [{}, {"meet": (4, 5)}, {"meet": (1, 2)}, {"parallel": (1, 2)}, {"parallel": (2, 3)}])
def test_arms_without_a_closed_form_are_solved_numerically(pair: dict[str, tuple[int, ...]]) -> None:
    robot = random_arm(20, **pair)
    q = np.random.default_rng(9).uniform(-np.pi, np.pi, (40, 6))
    X = robot.pose(q, "tool")
    found = closed_form(robot, "tool")(X)
    assert_exact(robot, "tool", X, found)
    searched, good = solutions(robot, "tool", X, 12, seed=10)
    gap = angle_gap(searched[:, :, None], found.q[:, None])
    present = np.where(found.valid[:, None], gap, np.inf).min(-1) < SAME_SOLUTION
    assert good.mean() > 0.3
    assert present[good].all()
