"""The time step of a rollout: positive, and without a precision of its own."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import sixvec
from naming import named
from sixvec.errors import ArgumentError
from sixvec.verdict import Verdict


@pytest.mark.parametrize("dt", [0.0, -0.001, float("nan"), float("inf"), np.array([0.001, -0.001])])
def test_time_steps_must_be_positive(dt: Any) -> None:
    with pytest.raises(ArgumentError, match=named("rollout", "dt")):
        sixvec.load("cart_pole").rollout([0.0, 0.1], [0.0, 0.0], np.zeros((3, 2)), dt)


def test_a_plain_number_keeps_the_precision_of_the_arrays() -> None:
    robot, zero = sixvec.load("cart_pole"), np.zeros(2, np.float32)
    assert robot.rollout(zero, zero, np.zeros((3, 2), np.float32), 0.001).q.dtype == np.float32
    assert robot.rollout(zero, zero, np.zeros((3, 2)), 0.001).q.dtype == np.float64
    assert robot.rollout([0.0, 0.1], [0.0, 0.0], np.zeros((3, 2), np.float32), 0.001).q.dtype == np.float64


@pytest.mark.parametrize("integrator", ["bounded_leapfrog", "semi_implicit_euler", "rk4"])
def test_steps_of_many_turns_have_a_verdict(integrator: str) -> None:
    robot = sixvec.load("planar_2r")
    q, tau = np.array([[0.5, 0.4], [0.0, 1.0]]), np.zeros((2, 20, 2))
    with pytest.warns(RuntimeWarning, match="step"):
        motion = robot.rollout(q, np.zeros((2, 2)), tau, 1000.0, integrator=integrator)
    assert (motion.verdict == Verdict.DIVERGED).all()
    assert np.abs(motion.q).max() < 1e4
    assert robot.rollout(q, np.zeros((2, 2)), tau, 0.01, integrator=integrator).verdict.tolist() == [0, 0]


def test_rotors_may_make_many_turns_in_a_step() -> None:
    stretched = sixvec.load("planar_2r").with_gravity([0.0, 0.0, 0.0])
    assert stretched.rollout([0.0, 0.0], [1000.0, 0.0], np.zeros((5, 2)), 0.05).verdict == 0
