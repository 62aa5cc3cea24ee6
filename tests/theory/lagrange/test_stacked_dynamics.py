"""The stacked matrices of Lynch-Park §9.4 against the recursions, for chains and trees."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

import sixvec as sv
from naming import named
from random_states import random_states
from sixvec.errors import DtypeError, ShapeError
from sixvec.model import Body, JointDynamics, Model
from sixvec.model.edits.rotor import Rotor, with_rotor
from sixvec.model.joints import Spherical
from sixvec.spatial import RigidInertia, Sym3, Vec3
from sixvec.theory.lagrange import EulerLagrange, StackedDynamics
from subjects import tree
from tolerances import IDENTITY, assert_close


@cache
def subject(name: str) -> sv.Robot:
    if name == "rotor":
        panda = sv.load("panda").model
        shafts = tuple(replace(b, dynamics=JointDynamics(armature=(0.3,) * b.joint.nv)) for b in panda.bodies)
        return sv.Robot(with_rotor(replace(panda, bodies=shafts), "panda_joint4", Rotor(0.02, 7.0)))
    return tree(name) if name in ("tree", "floating", "forest") else sv.load(name)


@pytest.fixture(params=["panda", "tree", "floating", "rotor"])
def robot(request: pytest.FixtureRequest) -> sv.Robot:
    return subject(request.param)


@pytest.mark.every(2)
@pytest.mark.covers("DYN-22", "DYN-09", "Lynch-Park (9.62)-(9.68)", "Lynch-Park (9.82)-(9.84)")
def test_mass_matrix_velocity_and_gravity_forces(robot: sv.Robot) -> None:
    for q, v, a, _ in zip(*random_states(robot, 3), strict=True):
        form = StackedDynamics.at(robot, q)
        assert_close(form.mass_matrix, robot.mass_matrix(q), IDENTITY, batched=False)
        assert_close(form.gravity_forces, robot.gravity_forces(q), IDENTITY, batched=False)
        bias = robot.bias_forces(q, v)
        assert_close(form.velocity_forces(v) + form.gravity_forces, bias, IDENTITY, batched=False)
        assert_close(form.inverse_dynamics(v, a), robot.inverse_dynamics(q, v, a), IDENTITY, batched=False)


@pytest.mark.covers("DYN-22", "DYN-09")
def test_rotors_of_a_ball_feel_that_it_turns() -> None:
    """Against the energies: beyond A a there is ω × A ω."""
    inertia = RigidInertia.from_center_of_mass(1.0, Vec3(0.1, 0.0, 0.3), Sym3.diagonal(0.3, 0.2, 0.1))
    ball = Body("ball", None, Spherical(), inertia=inertia, dynamics=JointDynamics(armature=(0.5, 2.0, 7.0)))
    robot = sv.Robot(Model("ball", (ball,)))
    q, v, a, _ = (x[0] for x in random_states(robot, 1))
    form, energies = StackedDynamics.at(robot, q), EulerLagrange(robot)
    assert_close(form.inverse_dynamics(v, a), energies.inverse_dynamics(q, v, a), IDENTITY, batched=False)
    assert_close(form.velocity_forces(v), energies.velocity_forces(q, v), IDENTITY, batched=False)


@pytest.mark.covers("DYN-22", "Lynch-Park (9.76)")
def test_gamma_is_nilpotent_and_l_is_its_series(robot: sv.Robot) -> None:
    form = StackedDynamics.at(robot, robot.random(0))
    n = len(form.Gamma)
    assert not np.linalg.matrix_power(form.Gamma, form.nilpotency).any()
    assert np.linalg.matrix_power(form.Gamma, form.nilpotency - 1).any()
    assert form.nilpotency <= n // 6
    np.testing.assert_allclose(form.L @ (np.eye(n) - form.Gamma), np.eye(n), atol=1e-12)


@pytest.mark.covers("DYN-22")
def test_v_stacks_the_velocities_of_all_bodies() -> None:
    """V = 𝓛 A v: the last block is the twist of the last body in its own coordinates."""
    robot = sv.load("panda")
    q, v, _, _ = (x[0] for x in random_states(robot, 1))
    form = StackedDynamics.at(robot, q)
    last = form.L @ form.A @ v
    np.testing.assert_allclose(last[-6:], robot.velocity(q, v, "panda_link7", reference="local"), atol=1e-12)


@pytest.mark.covers("DYN-22", "DYN-21", "Lynch-Park (9.69)-(9.75)", "Lynch-Park (9.77)-(9.81)")
def test_a_moving_base_is_a_free_joint_whose_motion_is_given() -> None:
    """The same arm on a free base: τ of its joints when the base has twist V and spatial acceleration A."""
    arm, free = sv.load("panda"), sv.load("panda", floating=True)
    rng = np.random.default_rng(5)
    q, v, a = rng.normal(size=(3, 7))
    V, A = rng.normal(size=(2, 6))
    form = StackedDynamics.at(arm, q)
    tau = form.inverse_dynamics(v, a, base_twist=V, base_acceleration=A)
    home = free.neutral()[:7]
    # The acceleration of a free joint in its body's coordinates is the spatial one.
    whole = free.inverse_dynamics(np.concatenate([home, q]), np.concatenate([V, v]), np.concatenate([A, a]))
    assert_close(tau, whole[6:], IDENTITY, batched=False)


def test_batches_raise() -> None:
    with pytest.raises(ShapeError, match=named("StackedDynamics.at", "q")):
        StackedDynamics.at(sv.load("panda"), np.zeros((2, 7)))


def test_vectors_of_a_wrong_size_raise_and_are_named() -> None:
    form, v = StackedDynamics.at(sv.load("panda").model, np.zeros(7)), np.zeros(7)
    for call, message in (
        (lambda: form.velocity_forces(v[:6]), named("velocity_forces", "v")),
        (lambda: form.inverse_dynamics(v[:6], v), named("inverse_dynamics", "v")),
        (lambda: form.inverse_dynamics(v, v[:6]), "inverse_dynamics"),
        (lambda: form.inverse_dynamics(v, v, base_twist=v[:3]), named("inverse_dynamics", "base_twist")),
        (lambda: form.inverse_dynamics(v, v, base_acceleration=v), named("inverse_dynamics", "base_acceleration")),
        (lambda: form.inverse_dynamics([v, v], v), named("inverse_dynamics", "v")),
    ):
        with pytest.raises(ShapeError, match=message):
            call()
    with pytest.raises(DtypeError, match=named("velocity_forces", "v", "fast")):
        form.velocity_forces("fast")
