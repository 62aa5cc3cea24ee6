"""Vectors of a wrong size, and treatments that do not exist, are refused in words."""

from __future__ import annotations

import numpy as np
import pytest

import sixvec
from sixvec.errors import ArgumentError, ShapeError
from sixvec.task_space import task_space_dynamics


def test_sizes_of_accelerations_and_forces() -> None:
    robot = sixvec.load("planar_2r")
    task = task_space_dynamics(robot, [0.0, 1.0], np.zeros(2), "tip", rows=(3, 5))
    with pytest.raises(ShapeError, match=r"acceleration has shape \(6,\), but \(..., 2\)"):
        task.forces(np.zeros(6))
    with pytest.raises(ShapeError, match=r"secondary has shape \(3,\), but \(..., 2\)"):
        task.forces(np.zeros(2), secondary=np.zeros(3))
    with pytest.raises(ArgumentError, match=r'no treatment "ignored".*treatments: truncated, damped'):
        task_space_dynamics(robot, [0.0, 1.0], np.zeros(2), "tip", singular="ignored")  # type: ignore[arg-type]
