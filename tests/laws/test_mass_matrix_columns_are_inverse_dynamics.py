"""M e_j = ID(q, 0, e_j) without gravity; M⁻¹ M = 1; tau = M a + C v + g."""

from __future__ import annotations

import numpy as np
import pytest

from matrices import times
from random_states import States
from targets import OnTarget
from tolerances import IDENTITY, SOLVED, assert_close


@pytest.mark.every(2)
@pytest.mark.covers("DYN-09", "DYN-10", "DYN-17")
def test_mass_matrix_columns_are_inverse_dynamics(robot: OnTarget, states: States) -> None:
    weightless, zero = robot.with_gravity([0.0, 0.0, 0.0]), np.zeros_like(states.v)
    columns = [weightless.inverse_dynamics(states.q, zero, zero + e) for e in np.eye(robot.nv)]
    assert_close(robot.mass_matrix(states.q), np.stack(columns, axis=-1), IDENTITY)


@pytest.mark.every(2)
@pytest.mark.covers("DYN-05", "DYN-09")
def test_inverse_dynamics_is_the_sum_of_its_terms(robot: OnTarget, states: States) -> None:
    q, v, a, _ = states
    terms = times(robot.mass_matrix(q), a) + robot.bias_forces(q, v)
    assert_close(robot.inverse_dynamics(q, v, a), terms, IDENTITY)


@pytest.mark.covers("DYN-08")
def test_bias_at_rest_is_gravity(robot: OnTarget, states: States) -> None:
    at_rest = robot.bias_forces(states.q, np.zeros_like(states.v))
    assert_close(at_rest, robot.gravity_forces(states.q), IDENTITY)


@pytest.mark.every(2)
@pytest.mark.covers("DYN-17")
def test_mass_matrix_inverse_undoes_the_mass_matrix(robot: OnTarget, states: States) -> None:
    product = robot.mass_matrix_inverse(states.q) @ robot.mass_matrix(states.q)
    assert_close(product, np.broadcast_to(np.eye(robot.nv), product.shape), SOLVED)


@pytest.mark.covers("DYN-06")
def test_forward_dynamics_is_a_solve_with_the_mass_matrix(robot: OnTarget, states: States) -> None:
    q, v, _, tau = states
    solved = np.linalg.solve(robot.mass_matrix(q), (tau - robot.bias_forces(q, v))[..., None])[..., 0]
    assert_close(robot.forward_dynamics(q, v, tau), solved, SOLVED)
