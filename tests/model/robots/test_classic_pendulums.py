"""The pendulums of the literature: their equations of motion as the papers print them, with the papers' numbers."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest

import sixvec
from tolerances import IDENTITY, assert_close

G = 9.81


def acrobot(q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Spong 1995, with the parameters of its simulations: mass matrix and gravity forces."""
    m1, m2, l1, c1, c2, i1, i2 = 1.0, 1.0, 1.0, 0.5, 1.0, 0.083, 0.33
    q1, q2 = q
    d22 = m2 * c2**2 + i2
    d12 = d22 + m2 * l1 * c2 * math.cos(q2)
    d11 = m1 * c1**2 + i1 + m2 * l1**2 + m2 * l1 * c2 * math.cos(q2) + d12
    phi2 = m2 * c2 * G * math.cos(q1 + q2)
    return np.array([[d11, d12], [d12, d22]]), np.array([(m1 * c1 + m2 * l1) * G * math.cos(q1) + phi2, phi2])


def cart_pole(q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Barto, Sutton and Anderson 1983: a cart of 1 kg, and a uniform pole of 0.1 kg with half length 0.5 m."""
    cart, pole, half = 1.0, 0.1, 0.5
    coupling = pole * half * math.cos(q[1])
    M = [[cart + pole, coupling], [coupling, 4.0 / 3.0 * pole * half**2]]
    return np.array(M), np.array([0.0, -pole * half * G * math.sin(q[1])])


def double_pendulum(q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Two uniform rods of 1 kg and 1 m that hang at q = 0."""
    q1, q2 = q
    coupling = 1.0 / 3.0 + 0.5 * math.cos(q2)
    low = 0.5 * G * math.sin(q1 + q2)
    M = [[5.0 / 3.0 + math.cos(q2), coupling], [coupling, 1.0 / 3.0]]
    return np.array(M), np.array([1.5 * G * math.sin(q1) + low, low])


@pytest.mark.parametrize("equations", [acrobot, cart_pole, double_pendulum])
def test_equations_of_motion(equations: Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]]) -> None:
    robot = sixvec.load(equations.__name__)
    q = np.random.default_rng(8).uniform(-2.0, 2.0, (20, 2))
    M, gravity = (np.array(x) for x in zip(*map(equations, q), strict=True))
    assert_close(robot.mass_matrix(q), M, IDENTITY)
    assert_close(robot.gravity_forces(q), gravity, IDENTITY)
