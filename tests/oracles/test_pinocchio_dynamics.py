"""Inverse and forward dynamics, mass matrix, energies and momentum of published robots: ours and Pinocchio's."""

from __future__ import annotations

import numpy as np
import pytest

from pinocchio_bridge import Peer, peer, pin, six
from published import ALL, MASSLESS, Published
from random_states import random_states
from targets import OnTarget
from tolerances import PEER, assert_close, solved

every_robot = pytest.mark.parametrize("published", ALL, ids=lambda p: p.name)
solvable_robots = pytest.mark.parametrize("published", [p for p in ALL if p not in MASSLESS], ids=lambda p: p.name)


def both(published: Published) -> tuple[OnTarget, Peer]:
    return published.target(), peer(published)


@pytest.mark.every(3)
@every_robot
@pytest.mark.covers("DYN-05", "DYN-16", "DYN-08", "DYN-09")
def test_inverse_dynamics_and_its_parts(published: Published) -> None:
    robot, other = both(published)
    q, v, a, _ = random_states(robot)
    m, d, ours = other.model, other.data, other.vector
    assert_close(robot.inverse_dynamics(q, v, a), other.each(lambda *x: ours(pin.rnea(m, d, *x)), q, v, a), PEER)
    assert_close(robot.bias_forces(q, v), other.each(lambda *x: ours(pin.nonLinearEffects(m, d, *x)), q, v), PEER)
    gravity = other.each(lambda x: ours(pin.computeGeneralizedGravity(m, d, x)), q)
    assert_close(robot.gravity_forces(q), gravity, PEER)


@every_robot
@pytest.mark.covers("KIN-26", "DYN-05")
def test_inverse_dynamics_with_a_wrench_at_the_tip(published: Published) -> None:
    robot, other = both(published)
    q, v, a, _ = random_states(robot)
    f = np.random.default_rng(4).normal(size=6)
    tip = other.model.frames[other.frame(published.tip)]
    on_joints = [pin.Force.Zero() for _ in range(other.model.njoints)]
    on_joints[tip.parentJoint] = tip.placement.act(pin.Force(f[3:], f[:3]))
    expected = other.each(lambda *x: other.vector(pin.rnea(other.model, other.data, *x, on_joints)), q, v, a)
    assert_close(robot.inverse_dynamics(q, v, a, external={published.tip: f}), expected, PEER)


@pytest.mark.every(6)
@every_robot
@pytest.mark.covers("DYN-10", "DYN-17", "DYN-23")
def test_mass_and_coriolis_matrix(published: Published) -> None:
    """Both libraries choose the C of the Christoffel symbols, so even that matrix is the same."""
    robot, other = both(published)
    q, v, _, _ = random_states(robot)
    m, d, ours = other.model, other.data, other.matrix
    assert_close(robot.mass_matrix(q), other.each(lambda x: ours(pin.crba(m, d, x)), q), PEER)
    C = other.each(lambda *x: ours(pin.computeCoriolisMatrix(m, d, *x)), q, v)
    assert_close(robot.coriolis_matrix(q, v), C, PEER)


@pytest.mark.every(3)
@solvable_robots
@pytest.mark.covers("DYN-06", "DYN-18")
def test_forward_dynamics(published: Published) -> None:
    robot, other = both(published)
    q, v, _, tau = random_states(robot)
    m, d = other.model, other.data
    a, M = robot.forward_dynamics(q, v, tau), robot.mass_matrix(q)
    assert_close(a, other.each(lambda *x: other.vector(pin.aba(m, d, *x)), q, v, tau), solved(PEER, M))
    # The forces that their inverse dynamics needs for our accelerations are the ones we started from.
    needed = other.each(lambda *x: other.vector(pin.rnea(m, d, *x)), q, v, a)
    assert_close(needed, tau, PEER, scale=abs(robot.mass_matrix(q)).max(axis=(1, 2)) * abs(a).max(axis=1))


@pytest.mark.every(6)
@solvable_robots
@pytest.mark.covers("DYN-17")
def test_mass_matrix_inverse(published: Published) -> None:
    robot, other = published.target(), peer(published)
    q = random_states(robot).q

    def inverse(q: np.ndarray) -> np.ndarray:
        upper = np.triu(pin.computeMinverse(other.model, other.data, q))
        return other.matrix(upper + np.triu(upper, 1).T)

    assert_close(robot.mass_matrix_inverse(q), other.each(inverse, q), solved(PEER, robot.mass_matrix(q)))


@pytest.mark.every(3)
@every_robot
@pytest.mark.covers("BODY-23", "BODY-26")
def test_energies_center_of_mass_and_momentum(published: Published) -> None:
    robot, other = both(published)
    q, v, _, _ = random_states(robot)
    m, d = other.model, other.data
    assert_close(robot.kinetic_energy(q, v), other.each(lambda *x: pin.computeKineticEnergy(m, d, *x), q, v), PEER)
    U = other.each(lambda x: pin.computePotentialEnergy(m, d, x), q)
    assert_close(robot.potential_energy(q), U, PEER, scale=robot.mass * abs(robot.gravity).max())
    assert_close(robot.center_of_mass(q), other.each(lambda x: pin.centerOfMass(m, d, x), q), PEER)
    assert_close(robot.momentum(q, v), other.each(lambda *x: six(pin.computeCentroidalMomentum(m, d, *x)), q, v), PEER)
