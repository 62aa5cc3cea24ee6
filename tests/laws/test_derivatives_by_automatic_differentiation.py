"""The analytic derivatives are what dual numbers, run through the plain equations, give to the last digits."""

from __future__ import annotations

import numpy as np
import pytest

from dual import along, derivatives
from random_states import random_states
from subjects import SMALLER_CASES
from targets import OnTarget
from tolerances import IDENTITY, SOLVED, assert_close

pytestmark = pytest.mark.parametrize("robot", SMALLER_CASES, indirect=True, ids="-".join)
SAMPLES = 2
"""Dual numbers are slow."""


@pytest.mark.every(2)
@pytest.mark.covers("DYN-05", "DYN-16")
def test_inverse_dynamics_derivatives_by_automatic_differentiation(robot: OnTarget) -> None:
    q, v, a, _ = random_states(robot, SAMPLES)
    found = robot.inverse_dynamics_derivatives(q, v, a)
    for expected, actual in zip(automatic(robot, "inverse_dynamics", q, v, a), found, strict=True):
        assert_close(actual, expected, IDENTITY)


@pytest.mark.every(4)
@pytest.mark.covers("DYN-06", "DYN-18")
def test_forward_dynamics_derivatives_by_automatic_differentiation(robot: OnTarget) -> None:
    q, v, _, tau = random_states(robot, SAMPLES)
    found = robot.forward_dynamics_derivatives(q, v, tau)
    for expected, actual in zip(automatic(robot, "forward_dynamics", q, v, tau), found, strict=True):
        assert_close(actual, expected, SOLVED)


def automatic(robot: OnTarget, name: str, q: np.ndarray, v: np.ndarray, x: np.ndarray) -> list[np.ndarray]:
    """∂/∂q (tangent), ∂/∂v and ∂/∂x of an algorithm of (q, v, x), sample by sample."""
    nv = robot.nv
    samples = []
    for q_i, v_i, x_i in zip(q, v, x, strict=True):
        none, each = np.zeros((nv, nv)), np.eye(nv)
        result = robot.evaluate(
            name,
            along(q_i, np.hstack([tangents(robot, q_i), np.zeros((robot.nq, 2 * nv))])),
            along(v_i, np.hstack([none, each, none])),
            along(x_i, np.hstack([none, none, each])),
        )
        samples.append(derivatives(result, 3 * nv))
    return np.split(np.array(samples), 3, axis=-1)


def tangents(robot: OnTarget, q: np.ndarray) -> np.ndarray:
    """∂q̇/∂v (nq, nv), from the joints' rates."""
    model, rates = robot.model, np.zeros((robot.nq, robot.nv))
    for b in model.moving:
        rows, columns = model.q_slices[b.name], model.v_slices[b.name]
        rates[rows, columns] = np.transpose([b.joint.rate(q[rows].tolist(), e) for e in np.eye(b.joint.nv).tolist()])
    return rates
