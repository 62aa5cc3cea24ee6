"""g(q) = ∂U/∂q in tangent coordinates, and U = -m g · c."""

from __future__ import annotations

import pytest

from differences import tangent_gradient
from random_states import States
from targets import OnTarget
from tolerances import DIFFERENCE, IDENTITY, assert_close


@pytest.mark.every(2)
@pytest.mark.covers("DYN-08", "DYN-09", "BODY-23")
def test_gravity_is_gradient_of_potential_energy(robot: OnTarget, states: States) -> None:
    q = states.q
    assert_close(robot.gravity_forces(q), tangent_gradient(robot, robot.potential_energy, q), DIFFERENCE)


@pytest.mark.covers("BODY-23")
def test_potential_energy_is_that_of_the_center_of_mass(robot: OnTarget, states: States) -> None:
    """A body that hangs on the world by nothing but fixed joints is part of the world and has no share."""
    moving = sum(b.inertia.mass for b in robot.model.bodies if any(c.joint.nv for c in robot.model.path(b.name)))
    expected = -moving * robot.center_of_mass(states.q) @ robot.gravity
    assert_close(robot.potential_energy(states.q), expected, IDENTITY, scale=moving * abs(robot.gravity).max())


@pytest.mark.covers("DYN-08")
def test_no_gravity_no_gravity_forces(robot: OnTarget, states: States) -> None:
    assert not robot.with_gravity([0.0, 0.0, 0.0]).gravity_forces(states.q).any()
