"""Candidates moved onto solutions: whatever is called good reaches its pose, from however far away it started."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from general_arms import offset_wrist
from sample_arms import X, Y, Z, arm

from sixvec import Robot
from sixvec.ik.closed_form.chain import SerialChain
from sixvec.ik.closed_form.families.polish import CONVERGED, polished
from sixvec.spatial import Pose, Rotation, Vec3

REACHED = 10 * CONVERGED
"""Entries of a pose of an arm about a metre long."""


def straight_wrist() -> Robot:
    """The tool on the last axis: turning the last joint moves no point of it."""
    points = [(0.0, 0.0, 0.25), (0.0, 0.0, 0.45), (0.0, 0.0, 0.99), (0.0, 0.0, 0.99), (0.43, 0.1, 0.99)]
    tool = Pose(Rotation.from_rpy(0.2, -0.1, 0.4), Vec3(0.59, 0.13, 1.03))
    return arm("RRRRRR", [Z, Y, Y, X, Y, X], [*points, (0.43, 0.13, 1.03)], tool)


@pytest.mark.covers("FORM-05")
@pytest.mark.parametrize("start", ["near", "half a turn off", "anywhere"])
@pytest.mark.parametrize("make", [offset_wrist, straight_wrist])
def test_what_is_good_reaches_the_pose(make: Callable[[], Robot], start: str) -> None:
    robot = make()
    rng = np.random.default_rng(7)
    q = rng.uniform(-np.pi, np.pi, (50, 6))
    poses = robot.pose(q, "tool")
    begin = {
        "near": q + rng.uniform(-0.01, 0.01, q.shape),
        "half a turn off": q + np.pi * np.eye(6)[5],
        "anywhere": rng.uniform(-np.pi, np.pi, q.shape),
    }[start]
    found, good = polished(SerialChain.of(robot.model, "tool"), poses, begin)
    assert np.abs(robot.pose(found, "tool") - poses)[good].max(initial=0.0) < REACHED
    assert good.mean() > (0.9 if start == "near" else 0.0)
