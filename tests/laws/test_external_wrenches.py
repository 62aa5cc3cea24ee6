"""Wrenches that act on the robot: tau = M a + C v + g - Jᵀ f, with f given in any of the three references."""

from __future__ import annotations

import numpy as np
import pytest

from matrices import times, transpose
from random_states import States
from sixvec.algorithms.parts.reference import REFERENCES
from subjects import SMALLER_CASES
from targets import OnTarget
from tolerances import IDENTITY, SOLVED, assert_close

pytestmark = pytest.mark.parametrize("robot", SMALLER_CASES, indirect=True, ids="-".join)
every_reference = pytest.mark.parametrize("reference", REFERENCES)
FRAMES = ("tool0", "tool1")


@pytest.mark.every(3)
@every_reference
@pytest.mark.covers("KIN-26", "KIN-21", "DYN-05")
def test_a_wrench_takes_J_transposed_f_from_inverse_dynamics(robot: OnTarget, states: States, reference: str) -> None:
    q, v, a, _ = states
    wrenches = random_wrenches(len(q))
    pushed = robot.inverse_dynamics(q, v, a, external=wrenches, external_reference=reference)
    expected = robot.inverse_dynamics(q, v, a) - mapped(robot, q, wrenches, reference)
    assert_close(pushed, expected, IDENTITY)


@pytest.mark.every(3)
@every_reference
@pytest.mark.covers("KIN-26", "DYN-06")
def test_a_wrench_adds_J_transposed_f_in_forward_dynamics(robot: OnTarget, states: States, reference: str) -> None:
    q, v, _, tau = states
    wrenches = random_wrenches(len(q))
    pushed = robot.forward_dynamics(q, v, tau, external=wrenches, external_reference=reference)
    expected = robot.forward_dynamics(q, v, tau + mapped(robot, q, wrenches, reference))
    assert_close(pushed, expected, SOLVED)


@pytest.mark.covers("KIN-26")
def test_the_axes_of_a_wrench_are_those_of_its_frame_unless_said_otherwise(robot: OnTarget, states: States) -> None:
    q, v, a, _ = states
    wrenches = random_wrenches(len(q))
    plain = robot.inverse_dynamics(q, v, a, external=wrenches)
    np.testing.assert_array_equal(plain, robot.inverse_dynamics(q, v, a, external=wrenches, external_reference="local"))


@pytest.mark.every(2)
@pytest.mark.covers("KIN-26")
def test_holding_up_the_weight_of_each_body_leaves_nothing_to_hold(robot: OnTarget, states: States) -> None:
    """A force of -m g at each centre of mass replaces the gravity forces: direction and point are as stated."""
    wrenches = {}
    for b in robot.model.bodies:
        R, p = np.split(robot.pose(states.q, b.name)[:, :3], [3], axis=2)
        arm = np.einsum("nij,j->ni", R, np.array([*b.inertia.moment]))  # m c, seen from the world
        lift = np.broadcast_to(-b.inertia.mass * robot.gravity, arm.shape)
        moment = np.cross(arm + b.inertia.mass * p[..., 0], -robot.gravity)
        wrenches[b.name] = np.concatenate([moment, lift], axis=1)
    zero = np.zeros_like(states.v)
    held = robot.inverse_dynamics(states.q, zero, zero, external=wrenches, external_reference="world")
    assert_close(held, zero, IDENTITY, scale=abs(robot.gravity_forces(states.q)).max(axis=1))


def random_wrenches(n: int) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(5)
    return {name: rng.normal(size=(n, 6)) for name in FRAMES}


def mapped(robot: OnTarget, q: np.ndarray, wrenches: dict[str, np.ndarray], reference: str) -> np.ndarray:
    """Σ Jᵀ f."""
    return sum(times(transpose(robot.jacobian(q, name, reference)), f) for name, f in wrenches.items())
