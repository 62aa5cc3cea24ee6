"""dE/dt = tau · v: the joints' power is the growth of kinetic and potential energy."""

from __future__ import annotations

import numpy as np
import pytest

from differences import derivative
from random_states import States
from targets import OnTarget
from tolerances import DIFFERENCE, assert_close


@pytest.mark.covers("DYN-05", "DYN-16", "BODY-23")
def test_power_balance_of_inverse_dynamics(robot: OnTarget, states: States) -> None:
    q, v, a, _ = states
    tau = robot.inverse_dynamics(q, v, a)
    assert_close(power(robot, q, v, a), (tau * v).sum(axis=1), DIFFERENCE, scale=abs(tau).max(axis=1))


@pytest.mark.covers("DYN-06", "DYN-18", "BODY-23")
def test_power_balance_of_forward_dynamics(robot: OnTarget, states: States) -> None:
    q, v, _, tau = states
    a = robot.forward_dynamics(q, v, tau)
    # The accelerations may be large and their terms in the power then cancel: compare with the largest of them.
    scale = abs(a).max(axis=1) * abs(v).max(axis=1)
    assert_close(power(robot, q, v, a), (tau * v).sum(axis=1), DIFFERENCE, scale=scale)


def power(robot: OnTarget, q: np.ndarray, v: np.ndarray, a: np.ndarray) -> np.ndarray:
    """d(T + U)/dt where the velocity is v and the acceleration a."""

    def energy(t: float) -> np.ndarray:
        at = robot.integrate(q, t * v)
        return robot.kinetic_energy(at, v + t * a) + robot.potential_energy(at)

    return derivative(energy)
