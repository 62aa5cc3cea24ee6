"""T = ½ vᵀ M(q) v = ½ Σ Vᵀ I V, and M is symmetric and positive definite."""

from __future__ import annotations

import numpy as np
import pytest

from matrices import spatial_inertia, transpose
from random_states import States
from targets import OnTarget
from tolerances import IDENTITY, assert_close


@pytest.mark.every(2)
@pytest.mark.covers(
    "DYN-09",
    "DYN-10",
    "BODY-23",
    "Bruyninckx (6.33)",
    "Featherstone (36)",
    "Featherstone (38)-(39)",
    "Featherstone (42)",
    "Featherstone (44)-(48)",
    "Lynch-Park (9.10)",
    "Lynch-Park (9.59)",
    "Lynch-Park (9.61)",
)
def test_kinetic_energy_is_half_v_M_v(robot: OnTarget, states: States) -> None:
    q, v, _, _ = states
    expected = 0.5 * np.einsum("ni,nij,nj->n", v, robot.mass_matrix(q), v)
    assert_close(robot.kinetic_energy(q, v), expected, IDENTITY)


@pytest.mark.every(2)
@pytest.mark.covers("BODY-23")
def test_kinetic_energy_is_the_sum_over_the_bodies(robot: OnTarget, states: States) -> None:
    """With each body's velocity from `velocity` and its inertia from the model."""
    q, v, _, _ = states
    total = np.zeros(len(q))
    for b in robot.model.bodies:
        V = robot.velocity(q, v, b.name, "local")
        total += 0.5 * np.einsum("ni,ij,nj->n", V, spatial_inertia(b.inertia), V)
    assert_close(robot.kinetic_energy(q, v), total, IDENTITY)


@pytest.mark.covers("DYN-09")
def test_mass_matrix_is_symmetric_and_positive_definite(robot: OnTarget, states: States) -> None:
    M = robot.mass_matrix(states.q)
    np.testing.assert_array_equal(M, transpose(M))
    assert np.linalg.eigvalsh(M).min() > 0.0
