"""Reflected rotor inertia stands on the diagonal of M; what comes with it and the joints' own forces give no power."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from differences import tangent_gradient
from random_states import random_states
from sixvec import Robot
from sixvec.model import Body, JointDynamics
from subjects import SMALLER_CASES, tree
from targets import OnTarget
from tolerances import DIFFERENCE, IDENTITY, SOLVED, assert_close

Pair = tuple[OnTarget, OnTarget, np.ndarray]
"""A tree without and with motors, and the rotor inertias."""


def geared(b: Body, rng: np.random.Generator) -> Body:
    """The body with a motor, friction and a spring in its joint."""
    armature, damping, friction, stiffness = (tuple(x) for x in rng.uniform(0.1, 1.0, (4, b.joint.nv)).tolist())
    return replace(b, dynamics=JointDynamics(armature, damping, friction, stiffness))


@pytest.fixture(params=SMALLER_CASES, ids="-".join)
def pair(request: pytest.FixtureRequest) -> Pair:
    name, target = request.param
    bare, rng = tree(name), np.random.default_rng(8)
    bodies = tuple(geared(b, rng) for b in bare.model.bodies)
    rotors = np.concatenate([b.armature for b in bodies])
    return OnTarget(bare, target), OnTarget(Robot(replace(bare.model, bodies=bodies)), target), rotors


@pytest.mark.every(2)
@pytest.mark.covers("DYN-01")
def test_rotors_add_their_inertia(pair: Pair) -> None:
    bare, robot, rotors = pair
    q, v, a, tau = random_states(robot)
    assert_close(robot.mass_matrix(q), bare.mass_matrix(q) + np.diag(rotors), IDENTITY)
    assert_close(robot.kinetic_energy(q, v), bare.kinetic_energy(q, v) + 0.5 * v**2 @ rotors, IDENTITY)
    turning = robot.bias_forces(q, v) - bare.bias_forces(q, v)
    assert_close(robot.inverse_dynamics(q, v, a), bare.inverse_dynamics(q, v, a) + rotors * a + turning, IDENTITY)
    assert_close((turning * v).sum(-1), np.zeros(len(v)), IDENTITY, scale=np.abs(robot.bias_forces(q, v)).max(-1))
    fixed_axes = [
        i for b in robot.model.moving if b.joint.nq == b.joint.nv for i in range(robot.nv)[robot.model.v_slices[b.name]]
    ]
    assert_close(robot.bias_forces(q, v)[:, fixed_axes], bare.bias_forces(q, v)[:, fixed_axes], IDENTITY)
    assert_close(robot.forward_dynamics(q, v, robot.inverse_dynamics(q, v, a)), a, SOLVED)
    assert_close(robot.inverse_dynamics(q, v, robot.forward_dynamics(q, v, tau)), tau, SOLVED)


@pytest.mark.parametrize("pair", [("small", "simd")], ids="-".join, indirect=True)
def test_derivatives_see_the_rotors(pair: Pair) -> None:
    _, robot, _ = pair
    q, v, a, tau = random_states(robot)
    assert_close(robot.inverse_dynamics_derivatives(q, v, a).da, robot.mass_matrix(q), IDENTITY)
    found = robot.forward_dynamics_derivatives(q, v, tau)
    assert_close(found.dq, tangent_gradient(robot, robot.forward_dynamics, q, v, tau), DIFFERENCE)
    step = 1e-6 * np.eye(robot.nv)
    ahead, behind = (robot.forward_dynamics(q[:, None], v[:, None] + s * step, tau[:, None]) for s in (1.0, -1.0))
    assert_close(found.dv, np.swapaxes(ahead - behind, -1, -2) / 2e-6, DIFFERENCE)
    assert_close(found.dtau, robot.mass_matrix_inverse(q), SOLVED)


@pytest.mark.every(2)
def test_passive_forces_act_where_they_are_asked_for(pair: Pair) -> None:
    _, robot, _ = pair
    q, v, a, tau = random_states(robot)
    own = robot.passive_forces(q, v)
    assert_close(robot.inverse_dynamics(q, v, a, passive=True), robot.inverse_dynamics(q, v, a) - own, IDENTITY)
    assert_close(robot.forward_dynamics(q, v, tau, passive=True), robot.forward_dynamics(q, v, tau + own), SOLVED)


def test_damping_and_friction_take_power_and_springs_pull_back(pair: Pair) -> None:
    _, robot, _ = pair
    q, v, _, _ = random_states(robot)
    springs = robot.passive_forces(q, np.zeros_like(v))
    assert (((robot.passive_forces(q, v) - springs) * v) < 0.0).all()
    away = robot.difference(np.broadcast_to(robot.neutral(), q.shape), q)
    assert ((springs * away) <= 0.0).all()
    assert springs.any()
