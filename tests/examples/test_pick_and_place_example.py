"""The pick-and-place path: every posture re-checked by forward kinematics, from the part to its new place."""

from __future__ import annotations

import runpy
from pathlib import Path

import numpy as np
import pytest

import sixvec
from sixvec.ik import track

EXAMPLE = Path(__file__).parents[2] / "examples/pick_and_place.py"


def test_the_part_arrives_within_joint_speeds(capsys: pytest.CaptureFixture[str]) -> None:
    figures = runpy.run_path(str(EXAMPLE))["main"]()
    assert figures["postures in closed form"] == 8.0  # a pose in the middle of the workspace, ranges of two turns
    assert figures["of them follow the path"] >= 1.0
    assert figures["fastest joint, rad/s"] > 0.1 and figures["part of its limit"] < 1.0
    assert figures["largest position error, m"] < 1e-6 and figures["largest turn error, rad"] < 1e-6
    assert "fastest joint" in capsys.readouterr().out


def test_the_path_goes_from_pick_to_place_and_the_robot_with_it() -> None:
    example = runpy.run_path(str(EXAMPLE))
    robot, poses = sixvec.load("ur5e"), example["path"]()
    quarter = (len(poses) - 1) // 4
    assert np.allclose(poses[quarter, :3, 3], example["PICK"])
    assert np.allclose(poses[-1, :3, 3], example["PLACE"])
    assert np.allclose(poses[:, 2, :3], [0.0, 0.0, -1.0])  # the tool points down all the way
    start = robot.ik(poses[0], "tool0").q
    run = track(robot, start, poses, "tool0")
    assert np.abs(robot.pose(run.q, "tool0") - poses).max() < 1e-6
    # At rest in the corners: the first step after each is tiny beside the fastest.
    speed = np.abs(np.diff(run.q, axis=0)).max(axis=1)
    assert speed[[0, quarter, 2 * quarter, 3 * quarter]].max() < 1e-3 * speed.max()
