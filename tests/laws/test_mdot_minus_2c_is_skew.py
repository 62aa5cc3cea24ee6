"""C(q, v) v is the velocity-product force, and Ṁ - 2C is skew-symmetric: no power is lost (Lynch-Park Prop. 9.1)."""

from __future__ import annotations

import pytest

from differences import derivative
from matrices import times, transpose
from random_states import States
from targets import OnTarget
from tolerances import DIFFERENCE, IDENTITY, assert_close


@pytest.mark.every(4)
@pytest.mark.covers("DYN-23")
def test_mdot_minus_2c_is_skew(robot: OnTarget, states: States) -> None:
    q, v, _, _ = states
    rate = derivative(lambda s: robot.mass_matrix(robot.integrate(q, s * v)))
    C = robot.coriolis_matrix(q, v)
    assert_close(C + transpose(C), rate, DIFFERENCE)


@pytest.mark.every(2)
@pytest.mark.covers("DYN-09", "DYN-23", "Featherstone (37)")
def test_coriolis_matrix_times_velocity_is_the_velocity_product_force(robot: OnTarget, states: States) -> None:
    q, v, _, _ = states
    expected = robot.bias_forces(q, v) - robot.gravity_forces(q)
    assert_close(times(robot.coriolis_matrix(q, v), v), expected, IDENTITY)


@pytest.mark.every(2)
@pytest.mark.covers("DYN-23", "Lynch-Park (9.87)-(9.88)")
def test_coriolis_matrix_is_linear_in_velocity(robot: OnTarget, states: States) -> None:
    q, v, w, _ = states
    sum_ = robot.coriolis_matrix(q, v) + 2.0 * robot.coriolis_matrix(q, w)
    assert_close(robot.coriolis_matrix(q, v + 2.0 * w), sum_, IDENTITY)
