"""Arms without a closed form whose axes meet or are parallel in pairs: both ends of the arm give singular equations."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module

import numpy as np
import pytest
from general_arms import curved_wrist, offset_wrist
from multi_start import angle_gap, solutions
from sample_arms import random_arm

from naming import named
from sixvec import Robot
from sixvec.ik.closed_form import Solutions, closed_form
from sixvec.ik.closed_form.chain import SerialChain
from sixvec.ik.closed_form.families.loop import Loop
from sixvec.ik.closed_form.families.raghavan_roth import pencil, regularity

general_six = import_module("sixvec.ik.closed_form.families.general_six")

POSES, SEARCHED, STARTS = 200, 30, 24

SAME_SOLUTION = 1e-5
"""Radians between a solution and its counterpart, as in test_families.py."""

SINGULAR = 1e-3
"""Least singular value of the Jacobian below which two solutions may be too near to each other to be told apart."""


ARMS: dict[str, Callable[[], Robot]] = {"offset-wrist": offset_wrist, "curved-wrist": curved_wrist}


def solved(robot: Robot, n: int) -> tuple[np.ndarray, np.ndarray, Solutions]:
    """Random positions (n, 6), their poses, and all solutions for these."""
    q = np.random.default_rng(11).uniform(-np.pi, np.pi, (n, 6))
    poses = robot.pose(q, "tool")
    solver = closed_form(robot, "tool")
    assert solver.family.name.startswith("general 6R")
    return q, poses, solver(poses)


def present(found: Solutions, q: np.ndarray) -> np.ndarray:
    """(n, k): which of the positions q (n, k, 6) are among the solutions."""
    gap = angle_gap(q[:, :, None], found.q[:, None])
    return np.asarray(np.where(found.valid[:, None], gap, np.inf).min(-1) < SAME_SOLUTION)


@pytest.mark.covers("FORM-05")
@pytest.mark.parametrize("name", ARMS)
def test_the_position_that_made_the_pose_is_found(name: str) -> None:
    robot = ARMS[name]()
    q, poses, found = solved(robot, POSES)
    assert present(found, q[:, None]).all()
    assert np.abs(robot.pose(found.q, "tool") - poses[:, None]).max((-1, -2))[found.valid].max() < 1e-9
    sigma = np.linalg.svd(robot.jacobian(np.nan_to_num(found.q), "tool"), compute_uv=False)[..., -1]
    away = np.where(found.valid, sigma, np.inf).min(-1) > SINGULAR
    assert away.mean() > 0.9
    assert (found.count[away] % 2 == 0).all()
    assert found.count.max() > 8  # more than any arm with a closed form


@pytest.mark.covers("FORM-05")
@pytest.mark.parametrize("name", ARMS)
def test_search_finds_nothing_else(name: str) -> None:
    robot = ARMS[name]()
    _, poses, found = solved(robot, SEARCHED)
    searched, good = solutions(robot, "tool", poses, STARTS, seed=12)
    assert good.mean() > 0.3
    assert present(found, searched)[good].all()


@pytest.mark.filterwarnings("ignore::sixvec.ik.closed_form.families.general_six.IncompleteSolutions")
@pytest.mark.parametrize("name", ARMS)
def test_right_angles_where_solutions_share_an_angle(name: str) -> None:
    robot = ARMS[name]()
    q = np.random.default_rng(15).choice([0.0, np.pi / 2, -np.pi / 2, np.pi], (100, 6))
    q = q[np.linalg.svd(robot.jacobian(q, "tool"), compute_uv=False)[:, -1] > 0.02]
    assert len(q) > 20
    assert present(closed_form(robot, "tool")(robot.pose(q, "tool")), q[:, None]).all()


@pytest.mark.parametrize("name", ARMS)
def test_both_ends_are_singular_and_another_cut_is_not(name: str) -> None:
    robot = ARMS[name]()
    q = np.random.default_rng(13).uniform(-np.pi, np.pi, (20, 6))
    loop = Loop.of(SerialChain.of(robot.model, "tool"), np.asarray(robot.pose(q, "tool"), np.float64))
    for end in (loop, loop.backwards()):
        assert regularity(pencil(end)).max() < general_six.ROUNDING / 100
    assert regularity(pencil(loop.cut(1).backwards())).min() > general_six.ROUNDING * 100


def test_a_cut_or_reversed_loop_closes_at_the_same_positions() -> None:
    robot = random_arm(21)
    q = np.random.default_rng(14).uniform(-np.pi, np.pi, (5, 6))
    loop = Loop.of(SerialChain.of(robot.model, "tool"), np.asarray(robot.pose(q, "tool"), np.float64))
    for shift in range(6):
        cut, moved = loop.cut(shift), np.roll(q, -shift, axis=1)
        for some, positions in ((cut, moved), (cut.backwards(), moved[:, ::-1])):
            assert_closes(some, positions)


def assert_closes(loop: Loop, q: np.ndarray) -> None:
    axes, points = (np.broadcast_to(a, (len(q), 6, 3)) for a in (loop.axes, loop.points))
    none = np.zeros(6)
    for i in range(len(q)):
        chain = SerialChain(("",) * 6, (0,) * 6, "RRRRRR", axes[i], points[i], np.eye(3), np.zeros(3), none, none)
        X = chain.pose(q[i])
        assert np.allclose(X[:3, :3], loop.rot[i], atol=1e-12) and np.allclose(X[:3, 3], loop.pos[i], atol=1e-12)


def test_a_pose_without_regular_split_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(general_six, "ROUNDING", np.inf)
    with pytest.warns(general_six.IncompleteSolutions, match=named("poses", "singular")):
        solved(random_arm(22), 3)
