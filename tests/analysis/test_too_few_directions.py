"""A frame that its joints cannot move in six directions has no operational-space inertia, and is told so by name."""

from __future__ import annotations

import numpy as np
import pytest

import sixvec
from naming import named
from sixvec.errors import DegenerateError

METHODS = (
    "operational_space_inertia",
    "dynamically_consistent_inverse",
    "dynamically_consistent_null_space",
    "task_space_bias",
)


@pytest.mark.parametrize("name", ["planar_2r", "cart_pole", "acrobot", "double_pendulum"])
@pytest.mark.parametrize("method", METHODS)
def test_error_without_damping_and_finite_with_it(name: str, method: str) -> None:
    robot = sixvec.load(name)
    frame = robot.frame_names[-1]
    state = [np.array([0.3, 1.0])] + ([np.ones(2)] if method == "task_space_bias" else [])
    with pytest.raises(DegenerateError, match=named(name, frame, "damping", "directions")):
        getattr(robot, method)(*state, frame)
    assert np.isfinite(getattr(robot, method)(*state, frame, damping=1e-3)).all()
