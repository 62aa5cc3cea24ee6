"""The humanoid of the example stands, and pushes that its feet cannot balance throw it over."""

from __future__ import annotations

import runpy
from importlib import metadata
from pathlib import Path

import numpy as np
import pytest

EXAMPLE = Path(__file__).parents[2] / "examples/g1_pushed.py"


def test_small_pushes_are_balanced_and_large_ones_are_not() -> None:
    try:
        metadata.files("example-robot-data")
    except metadata.PackageNotFoundError:
        pytest.skip("the package example-robot-data is not installed")
    example = runpy.run_path(str(EXAMPLE))
    robot = example["robot_of"](example["file"]())
    pushes = np.array([[0.0, 0.0], [4.0, 0.0], [0.0, 12.0], [0.0, -12.0], [32.0, 0.0], [-32.0, 0.0], [0.0, 32.0]])
    path, env = example["pushed"](robot, pushes)
    lower = path[0, :, 2] - path[-1, :, 2]
    assert (lower[:4] < 0.02).all() and (lower[4:] > 0.15).all()
    assert np.abs(env.v[0]).max() < 1e-2 and np.abs(env.v[:4]).max() < 0.3
    assert env.residual[:4].max() < 1e-3
    moved = path[-1] - path[0]
    assert abs(moved[2, 1] + moved[3, 1]) < 1e-3  # left and right are alike
    feet = [robot.pose(path[-1, 0], f"{side}_ankle_roll_link")[:3, 3] for side in ("left", "right")]
    start = [robot.pose(path[0, 0], f"{side}_ankle_roll_link")[:3, 3] for side in ("left", "right")]
    assert np.allclose(feet, start, atol=2e-3)
