"""The centroidal momentum matrix gives the momentum, and its derivative the change of it."""

from __future__ import annotations

import numpy as np
import pytest

from differences import derivative
from random_states import States, random_states
from sixvec import Robot
from sixvec.algorithms import REGISTRY
from sixvec.model import Body, Model
from sixvec.model.joints import Fixed
from sixvec.spatial import RigidInertia, Sym3, Vec3
from subjects import SMALLER_CASES, tree
from targets import OnTarget
from tolerances import DIFFERENCE, IDENTITY, SOLVED, assert_close

on_targets = pytest.mark.parametrize("robot", SMALLER_CASES, indirect=True, ids="-".join)


@pytest.mark.every(2)
@on_targets
@pytest.mark.covers("DYN-11")
def test_the_matrix_times_the_velocity_is_the_momentum(robot: OnTarget, states: States) -> None:
    q, v, _, _ = states
    A = robot.centroidal_momentum_matrix(q)
    assert_close(np.einsum("nij,nj->ni", A, v), robot.momentum(q, v), IDENTITY)


@pytest.mark.every(2)
@on_targets
def test_its_derivative_by_differences(robot: OnTarget, states: States) -> None:
    q, v, _, _ = states
    slope = derivative(lambda t: robot.centroidal_momentum_matrix(robot.integrate(q, t * v)))
    assert_close(robot.centroidal_momentum_matrix_derivative(q, v), slope, DIFFERENCE)


@pytest.mark.parametrize("name", ["tree", "floating"])
def test_its_derivative_by_automatic_differentiation(name: str) -> None:
    robot = tree(name)
    q, v, _, _ = random_states(robot)
    automatic = robot.kernel("centroidal_momentum_matrix").directional("q")(q, v)
    assert_close(robot.centroidal_momentum_matrix_derivative(q, v), automatic, IDENTITY)


def test_only_outer_forces_change_the_momentum_of_a_free_robot() -> None:
    """ḣ = A a + Ȧ v is the weight at the centre of mass, whatever the joints do inside."""
    robot = tree("floating")
    q, v, _, tau = random_states(robot)
    tau[:, robot.model.v_slices[robot.model.bodies[0].name]] = 0.0
    a = robot.forward_dynamics(q, v, tau)
    A, A_rate = robot.centroidal_momentum_matrix(q), robot.centroidal_momentum_matrix_derivative(q, v)
    change = np.einsum("nij,nj->ni", A, a) + np.einsum("nij,nj->ni", A_rate, v)
    weight = np.concatenate([np.zeros(3), robot.mass * robot.gravity])
    assert_close(change, np.broadcast_to(weight, change.shape), SOLVED)


def test_robots_without_joints_have_six_empty_rows() -> None:
    solid = RigidInertia.from_center_of_mass(2.0, Vec3(0.5, 0.0, 0.25), Sym3.diagonal(1.0, 1.0, 1.0))
    robot = Robot(Model("still", (Body("block", None, Fixed(), inertia=solid),)))
    for name in ("centroidal_momentum_matrix", "centroidal_momentum_matrix_derivative", "momentum_regressor"):
        algorithm = REGISTRY[name]
        assert np.shape(algorithm(robot.model, *([] for _ in algorithm.arrays))) == (6, 0)
