"""Inverse kinematics of mechanisms with loops: answers reach the target with every loop closed."""

from __future__ import annotations

import numpy as np
import pytest

import sixvec as sv
from sixvec.errors import DegenerateError
from sixvec.ik import PoseTask, PositionTask, Verdict, solve

CLOSED = 1e-9


@pytest.fixture(scope="module")
def bars() -> sv.Robot:
    return sv.load("four_bar")


def reached(robot: sv.Robot, count: int) -> np.ndarray:
    start = np.stack([np.linspace(0.3, 2.6, count), np.zeros(count), np.ones(count)], axis=-1)
    return robot.assemble(start, fixed=["drive"]).q


def test_poses_of_the_coupler_are_found(bars: sv.Robot) -> None:
    q = reached(bars, 9)
    X = bars.pose(q, "coupler_end")
    answer = bars.ik(X, "coupler_end")
    assert (answer.verdict == Verdict.SOLVED).all()
    assert np.abs(bars.closure_error(answer.q)).max() < CLOSED
    assert np.abs(bars.pose(answer.q, "coupler_end") - X).max() < 1e-6
    place = solve(bars, {PositionTask("coupler_end"): X[:, :3, 3]}, q0=q + 0.05)
    assert (place.verdict == Verdict.SOLVED).all()
    assert np.abs(bars.closure_error(place.q)).max() < CLOSED


def test_what_cannot_be_reached_ends_with_closed_loops(bars: sv.Robot) -> None:
    X = bars.pose(reached(bars, 1), "coupler_end")
    X[:, :3, 3] *= 2.0
    answer = bars.ik(X, "coupler_end")
    assert answer.verdict[0] == Verdict.UNREACHABLE
    assert np.abs(bars.closure_error(answer.q)).max() < CLOSED
    assert answer.position_error[0] > 1e-3


def test_a_path_is_tracked_with_closed_loops(bars: sv.Robot) -> None:
    q = reached(bars, 40)[:30]  # beyond, the starts lead to the other assembly
    path = bars.pose(q, "coupler_end")
    answer = bars.track(q[0], path, "coupler_end")
    assert (answer.verdict == Verdict.SOLVED).all() and not answer.switched.any()
    assert np.abs(answer.q - q).max() < 1e-6
    assert np.abs(bars.closure_error(answer.q)).max() < CLOSED


def test_there_are_no_formulas(bars: sv.Robot) -> None:
    X = bars.pose(reached(bars, 1)[0], "coupler_end")
    with pytest.raises(DegenerateError, match="coupler_end"):
        bars.ik(X, "coupler_end", method="closed_form")
    assert solve(bars, {PoseTask("coupler_end"): X})
