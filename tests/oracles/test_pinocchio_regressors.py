"""Regressors and centroidal momentum of published robots: ours and Pinocchio's.

Pinocchio's parameters of a body are in the same frame, with the inertia as (xx, xy, yy, xz, yz, zz).
"""

from __future__ import annotations

import numpy as np
import pytest

from pinocchio_bridge import SWAPPED, Peer, peer, pin
from published import ARMS, BRANCHED, LEGGED, Published
from random_states import random_states
from sixvec.identification import inertial_parameters, parameter_names
from tolerances import PEER, assert_close

ROBOTS = (ARMS[0], ARMS[1], ARMS[3], BRANCHED[0], LEGGED[0], LEGGED[6])
SAMPLES = 3
THEIR_ORDER = [0, 1, 2, 3, 4, 5, 7, 6, 8, 9]
"""Where our ten numbers of a body stand among theirs: (m, mx, my, mz, xx, xy, yy, xz, yz, zz)."""

some_robots = pytest.mark.parametrize("published", ROBOTS, ids=lambda p: p.name)


def columns(other: Peer) -> list[int]:
    """For each of our parameters, its place among theirs."""
    joints = {name: i for i, name in enumerate(other.model.names[1:])}
    bodies = [b for b in other.robot.model.bodies if b.joint.nv]
    return [10 * joints[b.joint_name or b.name] + k for b in bodies for k in THEIR_ORDER]


@some_robots
def test_their_parameters_are_ours(published: Published) -> None:
    other = peer(published)
    theirs = np.concatenate([I.toDynamicParameters() for I in other.model.inertias[1:]])
    ours = inertial_parameters(other.robot.model)
    assert len(ours) == len(parameter_names(other.robot.model)) == len(theirs)
    assert_close(ours, theirs[columns(other)], PEER, batched=False)


@pytest.mark.every(2)
@some_robots
@pytest.mark.covers("DYN-05", "DYN-16")
def test_inverse_dynamics_regressor(published: Published) -> None:
    other, robot = peer(published), published.target()
    q, v, a, _ = random_states(robot, SAMPLES)
    theirs = other.each(lambda *x: pin.computeJointTorqueRegressor(other.model, other.data, *x).copy(), q, v, a)
    assert_close(robot.inverse_dynamics_regressor(q, v, a), theirs[:, other.back][..., columns(other)], PEER)


@some_robots
def test_energy_regressors(published: Published) -> None:
    other, robot = peer(published), published.target()
    q, v, _, _ = random_states(robot, SAMPLES)
    kinetic = other.each(lambda *x: pin.computeKineticEnergyRegressor(other.model, other.data, *x).copy(), q, v)
    potential = other.each(lambda x: pin.computePotentialEnergyRegressor(other.model, other.data, x).copy(), q)
    assert_close(robot.kinetic_energy_regressor(q, v), kinetic[:, columns(other)], PEER)
    assert_close(robot.potential_energy_regressor(q), potential[:, columns(other)], PEER)


@pytest.mark.every(2)
@some_robots
@pytest.mark.covers("DYN-11")
def test_centroidal_momentum_matrix_and_its_derivative(published: Published) -> None:
    other, robot = peer(published), published.target()
    q, v, _, _ = random_states(robot, SAMPLES)

    def both(*x: np.ndarray) -> tuple[np.ndarray, ...]:
        pin.dccrba(other.model, other.data, *x)
        return other.data.Ag.copy(), other.data.dAg.copy()

    A, A_rate = other.each(both, q, v)
    assert_close(robot.centroidal_momentum_matrix(q), A[:, SWAPPED][..., other.back], PEER)
    assert_close(robot.centroidal_momentum_matrix_derivative(q, v), A_rate[:, SWAPPED][..., other.back], PEER)
