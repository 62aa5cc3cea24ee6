"""Joints that follow others: where v_all = G v, virtual work gives tau = Gᵀ tau_all and M = Gᵀ M_all G."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from differences import gradient, tangent_gradient
from matrices import times
from random_states import random_states
from sixvec import Model, Robot
from sixvec.model import Mimic
from subjects import tree
from targets import OnTarget
from tolerances import DIFFERENCE, IDENTITY, SOLVED, assert_close

CASES = [("tree", "interpreter"), ("small", "scalar"), ("small", "simd"), ("tiny", "c")]


class Coupled:
    """A tree in which one joint follows another, beside the same tree with all joints free."""

    def __init__(self, name: str, target: str) -> None:
        free = tree(name).model
        single = [b for b in free.bodies if b.joint.nv == 1]
        self.leader, self.follower = single[0].name, single[-1].name
        self.law = Mimic(self.leader, -0.7, 0.2)
        bodies = tuple(replace(b, mimic=self.law) if b.name == self.follower else b for b in free.bodies)
        self.free = OnTarget(tree(name), target)
        self.robot = OnTarget(Robot(replace(free, bodies=bodies)), target)
        self.G = self._expansion(free, self.robot.model)

    def _expansion(self, free: Model, coupled: Model) -> np.ndarray:
        G = np.zeros((free.nv, coupled.nv))
        for b in coupled.moving:
            G[free.v_slices[b.name], coupled.v_slices[b.name]] = np.eye(b.joint.nv)
        G[free.v_slices[self.follower], coupled.v_slices[self.leader]] = self.law.multiplier
        return G

    def q(self, q: np.ndarray) -> np.ndarray:
        """The positions of all joints."""
        free, coupled = self.free.model, self.robot.model
        result = np.zeros((len(q), free.nq))
        for b in coupled.moving:
            result[:, free.q_slices[b.name]] = q[:, coupled.q_slices[b.name]]
        led = self.law.multiplier * q[:, coupled.q_slices[self.leader]] + self.law.offset
        result[:, free.q_slices[self.follower]] = led
        return result

    def v(self, v: np.ndarray) -> np.ndarray:
        return v @ self.G.T


@pytest.fixture(params=CASES, ids="-".join)
def pair(request: pytest.FixtureRequest) -> Coupled:
    return Coupled(*request.param)


@pytest.mark.every(2)
def test_dynamics_are_those_of_the_free_robot_by_virtual_work(pair: Coupled) -> None:
    robot, free, G = pair.robot, pair.free, pair.G
    q, v, a, _ = random_states(robot)
    Q, V, A = pair.q(q), pair.v(v), pair.v(a)
    assert robot.nv == free.nv - 1
    assert_close(robot.poses(q), free.poses(Q), IDENTITY)
    assert_close(robot.inverse_dynamics(q, v, a), free.inverse_dynamics(Q, V, A) @ G, IDENTITY)
    assert_close(robot.mass_matrix(q), G.T @ free.mass_matrix(Q) @ G, IDENTITY)
    assert_close(robot.coriolis_matrix(q, v), G.T @ free.coriolis_matrix(Q, V) @ G, IDENTITY)
    assert_close(robot.kinetic_energy(q, v), free.kinetic_energy(Q, V), IDENTITY)
    assert_close(robot.momentum(q, v), free.momentum(Q, V), IDENTITY)


@pytest.mark.every(2)
def test_jacobian_is_that_of_the_free_robot_times_G(pair: Coupled) -> None:
    robot, free = pair.robot, pair.free
    q, v, a, _ = random_states(robot)
    frame, Q, V, A = pair.follower, pair.q(q), pair.v(v), pair.v(a)
    assert_close(robot.jacobian(q, frame), free.jacobian(Q, frame) @ pair.G, IDENTITY)
    assert_close(robot.jacobian_derivative(q, v, frame), free.jacobian_derivative(Q, V, frame) @ pair.G, IDENTITY)
    assert_close(robot.acceleration(q, v, a, frame), free.acceleration(Q, V, A, frame), IDENTITY)


@pytest.mark.every(2)
def test_forward_undoes_inverse_dynamics_with_a_wrench_on_the_follower(pair: Coupled) -> None:
    robot = pair.robot
    q, v, a, _ = random_states(robot)
    push = {pair.follower: np.random.default_rng(6).normal(size=(len(q), 6))}
    tau = robot.inverse_dynamics(q, v, a, external=push)
    assert_close(robot.forward_dynamics(q, v, tau, external=push), a, SOLVED)
    M = robot.mass_matrix(q)
    assert_close(times(robot.mass_matrix_inverse(q), times(M, a)), a, SOLVED)


@pytest.mark.parametrize("pair", [("small", "simd")], ids="-".join, indirect=True)
def test_derivatives_by_differences(pair: Coupled) -> None:
    robot = pair.robot
    q, v, a, tau = random_states(robot)
    inverse, forward = robot.inverse_dynamics, robot.forward_dynamics
    d, e = robot.inverse_dynamics_derivatives(q, v, a), robot.forward_dynamics_derivatives(q, v, tau)
    assert_close(d.dq, tangent_gradient(robot, inverse, q, v, a), DIFFERENCE)
    assert_close(d.dv, gradient(lambda v, q, a: inverse(q, v, a), v, q, a), DIFFERENCE)
    assert_close(d.da, robot.mass_matrix(q), IDENTITY)
    assert_close(e.dq, tangent_gradient(robot, forward, q, v, tau), DIFFERENCE)
    assert_close(e.dv, gradient(lambda v, q, tau: forward(q, v, tau), v, q, tau), DIFFERENCE)
    assert_close(e.dtau, robot.mass_matrix_inverse(q), SOLVED)
