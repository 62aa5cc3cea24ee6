"""Lagrange's equations from derivatives of the energies say what the recursions say, for every joint type."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

import sixvec as sv
from differences import gradient
from naming import named
from random_states import random_states
from random_trees import random_tree
from sixvec.errors import ArgumentError, ShapeError
from sixvec.model import JointDynamics
from sixvec.model.edits.rotor import Rotor, with_rotor
from sixvec.spatial import RigidInertia, Sym3, Vec3
from sixvec.theory.lagrange import (
    EulerLagrange,
    christoffel_by_differentiation,
    coriolis_and_centrifugal,
    structure_constants,
    velocity_forces,
)
from subjects import tree
from tolerances import DIFFERENCE, IDENTITY, SOLVED, assert_close

NAMES = ["ball", "small", "rotor"]
"""A free body with a ball on it, ordinary joints, and joints that follow others; nv³ results stay small."""


@cache
def subject(name: str) -> sv.Robot:
    if name == "rotor":
        panda = sv.load("panda").model
        shafts = tuple(replace(b, dynamics=JointDynamics(armature=(0.3,) * b.joint.nv)) for b in panda.bodies)
        return sv.Robot(with_rotor(replace(panda, bodies=shafts), "panda_joint4", Rotor(0.02, 7.0)))
    return sv.Robot(random_tree(7, bodies=3, floating=True)) if name == "ball" else tree(name)


@pytest.fixture(params=NAMES)
def robot(request: pytest.FixtureRequest) -> sv.Robot:
    return subject(request.param)


@pytest.mark.every(2)
@pytest.mark.covers(
    "DYN-13",
    "DYN-19",
    "DYN-09",
    "Bruyninckx (6.35)",
    "Bruyninckx (6.52)",
    "Lynch-Park (9.9)",
    "Lynch-Park (9.11)",
)
@pytest.mark.parametrize("name", ["floating", *NAMES])
def test_every_part_of_the_equations(name: str) -> None:
    robot = subject(name)
    q, v, a, tau = random_states(robot)
    energies = EulerLagrange(robot)
    assert_close(energies.mass_matrix(q), robot.mass_matrix(q), IDENTITY)
    assert_close(energies.gravity_forces(q), robot.gravity_forces(q), IDENTITY)
    bias = robot.bias_forces(q, v)
    assert_close(energies.velocity_forces(q, v), bias - robot.gravity_forces(q), 10 * IDENTITY)  # ∂T/∂q cancels
    assert_close(energies.inverse_dynamics(q, v, a), robot.inverse_dynamics(q, v, a), IDENTITY)
    assert_close(energies.forward_dynamics(q, v, tau), robot.forward_dynamics(q, v, tau), SOLVED)


@pytest.mark.covers("DYN-11")
def test_canonical_momenta_are_the_slope_of_kinetic_energy(robot: sv.Robot) -> None:
    q, v, _, _ = random_states(robot)
    p = robot.canonical_momenta(q, v)
    assert_close(p, EulerLagrange(robot).momenta(q, v), IDENTITY)
    assert_close(p, np.einsum("nij,nj->ni", robot.mass_matrix(q), v), IDENTITY)
    assert_close(p, gradient(lambda w, at: robot.kinetic_energy(at, w), v, q), DIFFERENCE)
    assert_close(np.einsum("ni,ni->n", p, v) / 2, robot.kinetic_energy(q, v), IDENTITY)
    assert_close(robot.mass_matrix_solve(q, p), v, SOLVED)


@pytest.mark.covers("DYN-11")
def test_momenta_change_with_force() -> None:
    """Hamilton: ṗ = τ - ∂H/∂q at fixed p, for joints whose velocity is q̇ (∂H/∂q at p is -∂T/∂q at v, plus ∂U/∂q)."""
    robot = sv.load("panda")
    q, v, _, tau = random_states(robot)
    a, h = robot.forward_dynamics(q, v, tau), 1e-5
    after, before = (robot.canonical_momenta(q + s * v + 0.5 * s * s * a, v + s * a) for s in (h, -h))
    slope = robot.kernel("kinetic_energy").derivative("q")(q, v)
    expected = tau + slope - robot.gravity_forces(q)
    assert np.abs((after - before) / (2 * h) - expected).max() < 1e-6 * np.abs(expected).max()


@pytest.mark.covers("DYN-20", "Bruyninckx (6.34)", "Lynch-Park (9.12)-(9.13)")
@pytest.mark.slow
def test_christoffel_symbols_by_recursion_and_by_definition(robot: sv.Robot) -> None:
    q, v, _, _ = random_states(robot)
    gamma = robot.christoffel_symbols(q)
    assert_close(gamma, christoffel_by_differentiation(robot, q), IDENTITY)
    c = robot.bias_forces(q, v) - robot.gravity_forces(q)
    assert_close(velocity_forces(gamma, v), c, 10 * IDENTITY)  # a difference of larger forces
    assert_close(np.einsum("nijk,nk->nij", gamma, v), robot.coriolis_matrix(q, v), IDENTITY)


@pytest.mark.covers("DYN-20")
def test_christoffel_symbols_are_symmetric_up_to_brackets(robot: sv.Robot) -> None:
    """Γ_ijk - Γ_ikj = Σ_l M_il [e_k, e_j]_l, which is zero for ordinary joints."""
    q = random_states(robot).q
    gamma, brackets = robot.christoffel_symbols(q), structure_constants(robot)
    twist = np.einsum("nil,lkj->nijk", robot.mass_matrix(q), brackets)
    gap = gamma - np.swapaxes(gamma, -1, -2)
    assert np.abs(gap - twist).max() < 1e-12 * np.abs(gamma).max()
    assert brackets.any() == any(b.joint.nq != b.joint.nv for b in robot.model.moving)


@pytest.mark.covers("DYN-20")
def test_christoffel_symbols_by_differences() -> None:
    """½ (∂M_ij/∂q_k + ∂M_ik/∂q_j - ∂M_jk/∂q_i) with central differences."""
    robot = sv.load("panda")
    q = random_states(robot, 4).q
    D = gradient(robot.mass_matrix, q)
    expected = 0.5 * (D + np.einsum("nikj->nijk", D) - np.einsum("njki->nijk", D))
    assert_close(robot.christoffel_symbols(q), expected, DIFFERENCE)


@pytest.mark.covers("DYN-20")
def test_coriolis_and_centrifugal_parts() -> None:
    robot = subject("small")
    q, v, _, _ = random_states(robot)
    sorted_ = coriolis_and_centrifugal(robot.christoffel_symbols(q))
    products, squares = sorted_.coriolis, sorted_.centrifugal
    j, k = np.triu_indices(robot.nv, 1)
    c = np.einsum("nip,np->ni", products, v[:, j] * v[:, k]) + np.einsum("nip,np->ni", squares, v**2)
    assert_close(c, robot.bias_forces(q, v) - robot.gravity_forces(q), 10 * IDENTITY)


@pytest.mark.covers("DYN-13", "DYN-20")
def test_a_robot_with_a_payload() -> None:
    tool = RigidInertia.from_center_of_mass(2.0, Vec3(0.0, 0.1, 0.2), Sym3.diagonal(0.1, 0.2, 0.25))
    robot = sv.load("panda").with_payload("panda_link8", tool)
    q, v, a, tau = random_states(robot)
    energies = EulerLagrange(robot)
    assert_close(energies.inverse_dynamics(q, v, a), robot.inverse_dynamics(q, v, a), IDENTITY)
    assert_close(energies.forward_dynamics(q, v, tau), robot.forward_dynamics(q, v, tau), SOLVED)
    assert_close(christoffel_by_differentiation(robot, q), robot.christoffel_symbols(q), IDENTITY)


def test_a_model_will_do() -> None:
    robot = sv.load("planar_2r")
    q = [0.3, 0.4]
    assert_close(EulerLagrange(robot.model).mass_matrix(q), robot.mass_matrix(q), IDENTITY, batched=False)
    gamma = christoffel_by_differentiation(robot.model, q)
    assert_close(gamma, robot.christoffel_symbols(q), IDENTITY, batched=False)
    with pytest.raises(ArgumentError, match=named("EulerLagrange", "panda")):
        EulerLagrange("panda")  # type: ignore[arg-type]


def test_arrays_of_a_wrong_size_raise_and_are_named() -> None:
    energies, x = EulerLagrange(sv.load("panda")), np.zeros(7)
    gamma = np.zeros((7, 7, 7))
    for call, message in (
        (lambda: energies.mass_matrix(x[:6]), named("mass_matrix", "q")),
        (lambda: energies.inverse_dynamics(x, x, x[:6]), "inverse_dynamics"),
        (lambda: energies.forward_dynamics(x, x, x[:6]), named("forward_dynamics", "tau")),
        (lambda: energies.forward_dynamics(x, 0.0, x), named("forward_dynamics", "v")),
        (
            lambda: energies.inverse_dynamics(np.zeros((2, 7)), x, np.zeros((3, 7))),
            "inverse_dynamics",
        ),
        (lambda: velocity_forces(gamma, x[:6]), named("velocity_forces", "v", "gamma")),
        (lambda: velocity_forces([gamma] * 2, [x] * 3), "velocity_forces"),
        (lambda: coriolis_and_centrifugal(np.zeros((2, 3))), named("coriolis_and_centrifugal", "gamma")),
        (lambda: coriolis_and_centrifugal(gamma[:6]), named("coriolis_and_centrifugal", "gamma")),
    ):
        with pytest.raises(ShapeError, match=message):
            call()
