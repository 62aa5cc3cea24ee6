"""The analytic derivatives of inverse and forward dynamics are what differences along `integrate` give."""

from __future__ import annotations

import pytest

from differences import gradient, tangent_gradient
from random_states import States
from subjects import SMALLER_CASES
from targets import OnTarget
from tolerances import DIFFERENCE, IDENTITY, SOLVED, assert_close

pytestmark = pytest.mark.parametrize("robot", SMALLER_CASES, indirect=True, ids="-".join)


@pytest.mark.every(2)
@pytest.mark.covers("DYN-05", "DYN-16")
def test_inverse_dynamics_derivatives_by_differences(robot: OnTarget, states: States) -> None:
    q, v, a, _ = states
    f, d = robot.inverse_dynamics, robot.inverse_dynamics_derivatives(q, v, a)
    assert_close(d.dq, tangent_gradient(robot, f, q, v, a), DIFFERENCE)
    assert_close(d.dv, gradient(lambda v, q, a: f(q, v, a), v, q, a), DIFFERENCE)
    assert_close(d.da, robot.mass_matrix(q), IDENTITY)


@pytest.mark.every(2)
@pytest.mark.covers("DYN-06", "DYN-18")
def test_forward_dynamics_derivatives_by_differences(robot: OnTarget, states: States) -> None:
    q, v, _, tau = states
    f, d = robot.forward_dynamics, robot.forward_dynamics_derivatives(q, v, tau)
    assert_close(d.dq, tangent_gradient(robot, f, q, v, tau), DIFFERENCE)
    assert_close(d.dv, gradient(lambda v, q, tau: f(q, v, tau), v, q, tau), DIFFERENCE)
    assert_close(d.dtau, robot.mass_matrix_inverse(q), SOLVED)
