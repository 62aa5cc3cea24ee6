"""A robot that nothing touches keeps its momentum and its energy; gravity only moves its centre of mass."""

from __future__ import annotations

import numpy as np
import pytest

from differences import derivative
from matrices import times
from motion import runge_kutta
from random_states import States, random_states
from subjects import tree
from targets import OnTarget
from tolerances import DIFFERENCE, IDENTITY, INTEGRATED, assert_close

STEPS, STEP = 40, 3e-3
"""A short flight, but each joint turns and slides by a tenth."""


@pytest.fixture(params=["interpreter", "scalar", "simd"])
def free(request: pytest.FixtureRequest) -> OnTarget:
    """The floating tree on a target; C is too slow to compile for it."""
    return OnTarget(tree("floating"), request.param)


@pytest.mark.every(3)
@pytest.mark.covers("MODEL-09", "BODY-26", "OP-06", "DYN-18")
def test_momentum_and_energy_are_conserved(free: OnTarget) -> None:
    robot = free.with_gravity([0.0, 0.0, 0.0])
    q, v, _, _ = random_states(robot)
    h, c, T = robot.momentum(q, v), robot.center_of_mass(q), robot.kinetic_energy(q, v)
    q1, v1 = runge_kutta(robot, q, v, lambda q, v: robot.forward_dynamics(q, v, np.zeros_like(v)), STEPS, STEP)
    assert abs(robot.difference(q, q1)).max() > 0.1
    assert_close(robot.momentum(q1, v1), h, INTEGRATED)
    assert_close(robot.kinetic_energy(q1, v1), T, INTEGRATED)
    # The centre of mass flies straight on.
    assert_close(robot.center_of_mass(q1), c + h[:, 3:] / robot.mass * (STEPS * STEP), INTEGRATED)


@pytest.mark.covers("BODY-26", "DYN-08")
def test_gravity_changes_the_momentum_by_the_weight(free: OnTarget) -> None:
    """ḣ_lin = m g and no moment about the centre of mass, whatever the joints of the robot do inside."""
    q, v, _, tau = random_states(free)
    tau[:, :6] = 0.0  # the free joint is no motor
    a = free.forward_dynamics(q, v, tau)
    rate = derivative(lambda t: free.momentum(free.integrate(q, t * v), v + t * a))
    weight = np.concatenate([np.zeros(3), free.mass * free.gravity])
    scale = abs(a).max(axis=1)
    assert_close(rate, np.broadcast_to(weight, rate.shape), DIFFERENCE, scale=scale)


@pytest.mark.covers("BODY-26")
def test_linear_momentum_is_mass_times_velocity_of_the_center(robot: OnTarget, states: States) -> None:
    q, v, _, _ = states
    moving = sum(b.inertia.mass for b in robot.model.bodies if any(c.joint.nv for c in robot.model.path(b.name)))
    rate = derivative(lambda t: robot.center_of_mass(robot.integrate(q, t * v)))
    assert_close(robot.momentum(q, v)[:, 3:], moving * rate, DIFFERENCE)


@pytest.mark.covers("BODY-26")
def test_momentum_of_a_free_robot_is_what_its_root_joint_feels(free: OnTarget) -> None:
    """The first six rows of M v are the momentum, seen from the root body."""
    q, v, _, _ = random_states(free)
    h = times(free.mass_matrix(q)[:, :6], v)
    X = free.pose(q, free.model.bodies[0].name)
    R, p = X[:, :3, :3], X[:, :3, 3]
    linear = times(R, h[:, 3:])
    angular = times(R, h[:, :3]) + np.cross(p - free.center_of_mass(q), linear)
    assert_close(free.momentum(q, v), np.concatenate([angular, linear], axis=1), IDENTITY)
