"""Derivatives of inverse and forward dynamics of published robots: ours and Pinocchio's."""

from __future__ import annotations

import numpy as np
import pytest

from pinocchio_bridge import peer, pin
from published import ALL, MASSLESS, Published
from random_states import random_states
from tolerances import PEER, PEER_DERIVATIVE, assert_close, solved

every_robot = pytest.mark.parametrize("published", ALL, ids=lambda p: p.name)
solvable_robots = pytest.mark.parametrize("published", [p for p in ALL if p not in MASSLESS], ids=lambda p: p.name)


@pytest.mark.every(6)
@every_robot
@pytest.mark.covers("DYN-05", "DYN-16")
def test_inverse_dynamics_derivatives(published: Published) -> None:
    other, robot = peer(published), published.target()
    q, v, a, _ = random_states(robot)

    def derivatives(*x: np.ndarray) -> tuple[np.ndarray, ...]:
        return tuple(map(other.matrix, pin.computeRNEADerivatives(other.model, other.data, *x)))

    dq, dv, _ = other.each(derivatives, q, v, a)
    found = robot.inverse_dynamics_derivatives(q, v, a)
    assert_close(found.dq, dq, PEER)
    assert_close(found.dv, dv, PEER)
    assert_close(found.da, robot.mass_matrix(q), PEER)


@pytest.mark.every(6)
@solvable_robots
@pytest.mark.covers("DYN-06", "DYN-18")
def test_forward_dynamics_derivatives(published: Published) -> None:
    other, robot = peer(published), published.target()
    q, v, _, tau = random_states(robot)

    def derivatives(*x: np.ndarray) -> tuple[np.ndarray, ...]:
        pin.computeABADerivatives(other.model, other.data, *x)
        return tuple(map(other.matrix, (other.data.ddq_dq, other.data.ddq_dv)))

    dq, dv = other.each(derivatives, q, v, tau)
    found = robot.forward_dynamics_derivatives(q, v, tau)
    tolerance = solved(PEER_DERIVATIVE, robot.mass_matrix(q))
    assert_close(found.dq, dq, tolerance)
    assert_close(found.dv, dv, tolerance)
    assert_close(found.dtau @ robot.mass_matrix(q), np.broadcast_to(np.eye(robot.nv), dq.shape), tolerance)
