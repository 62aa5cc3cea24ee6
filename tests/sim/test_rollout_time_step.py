"""The time step of a rollout: positive, and without a precision of its own."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import sixvec
from naming import named
from sixvec.errors import ArgumentError


@pytest.mark.parametrize("dt", [0.0, -0.001, float("nan"), float("inf"), np.array([0.001, -0.001])])
def test_steps_that_are_not_positive_are_refused(dt: Any) -> None:
    with pytest.raises(ArgumentError, match=named("rollout", "dt")):
        sixvec.load("cart_pole").rollout([0.0, 0.1], [0.0, 0.0], np.zeros((3, 2)), dt)


def test_a_plain_number_keeps_the_precision_of_the_arrays() -> None:
    robot, zero = sixvec.load("cart_pole"), np.zeros(2, np.float32)
    assert robot.rollout(zero, zero, np.zeros((3, 2), np.float32), 0.001).q.dtype == np.float32
    assert robot.rollout(zero, zero, np.zeros((3, 2)), 0.001).q.dtype == np.float64
    assert robot.rollout([0.0, 0.1], [0.0, 0.0], np.zeros((3, 2), np.float32), 0.001).q.dtype == np.float64
