"""The zeros of M, factors that keep them, solves with the factors, and how far to trust those."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import sixvec as sv
from random_states import States, random_states
from random_trees import random_tree
from sixvec.algorithms.sparsity import mass_matrix_pattern, tree_order
from sixvec.errors import ModelError, ShapeError
from sixvec.lagrange import mass_condition
from sixvec.model import Mimic
from sixvec.model.edits import with_inertia
from sixvec.spatial import RigidInertia
from subjects import SMALLER_CASES, tree
from targets import OnTarget
from tolerances import IDENTITY, assert_close, solved


@pytest.fixture(params=SMALLER_CASES, ids="-".join)
def robot(request: pytest.FixtureRequest) -> OnTarget:
    name, target = request.param
    return OnTarget(tree(name), target)


@pytest.mark.covers("DYN-17")
def test_factors_multiply_to_the_mass_matrix_and_have_its_zeros(robot: OnTarget, states: States) -> None:
    M, apart = robot.mass_matrix(states.q), ~np.array(mass_matrix_pattern(robot.model))
    L, D = robot.mass_matrix_ltdl(states.q)
    assert_close(np.einsum("nki,nk,nkj->nij", L, D, L), M, IDENTITY)
    assert (np.diagonal(L, axis1=1, axis2=2) == 1.0).all()
    assert (D > 0.0).all()
    R = robot.mass_matrix_ltl(states.q)
    assert_close(np.einsum("nki,nkj->nij", R, R), M, IDENTITY)
    for factor in (L, R):
        assert not factor[:, apart].any()
        assert not np.triu(factor, 1).any()
    assert_close(np.prod(D, axis=1), np.linalg.det(M), 1e-10, scale=np.linalg.det(M))  # det M = Π D


@pytest.mark.covers("DYN-17", "DYN-10")
def test_solving_with_the_factors(robot: OnTarget, states: States) -> None:
    q, _, _, tau = states
    M = robot.mass_matrix(q)
    x = robot.mass_matrix_solve(q, tau)
    assert_close(x, np.linalg.solve(M, tau[..., None])[..., 0], solved(1e-11, M))
    assert_close(x, np.einsum("nij,nj->ni", robot.mass_matrix_inverse(q), tau), solved(1e-11, M))


@pytest.mark.covers("DYN-10")
def test_composite_inertia_route_to_forward_dynamics(robot: OnTarget, states: States) -> None:
    """q̈ = M⁻¹ (τ - c - g), the corrected (6.35), against the articulated-body recursion."""
    q, v, _, tau = states
    M = robot.mass_matrix(q)
    found = robot.mass_matrix_solve(q, tau - robot.bias_forces(q, v))
    assert_close(found, robot.forward_dynamics(q, v, tau), solved(1e-11, M))


@pytest.mark.covers("DYN-17")
def test_pattern_of_a_quadruped() -> None:
    """Four legs of three joints on a base: legs do not see each other, 4·3 pairs of 3x3 blocks are zero."""
    robot = sv.load("solo12", floating=True)
    pattern = np.array(mass_matrix_pattern(robot.model))
    assert pattern[:6].all()
    assert np.count_nonzero(~pattern) == 12 * 9
    M = robot.mass_matrix(robot.random(0))
    assert not M[~pattern].any()
    report = mass_condition(robot, robot.random(0))
    assert report.zeros == 108


@pytest.mark.covers("DYN-17")
def test_sparsity_saves_operations() -> None:
    """Factors of a quadruped cost far less than those of a chain of as many joints would: (nv³)/6 products."""
    robot = sv.load("solo12", floating=True)
    extra = robot.kernel("mass_matrix_ltdl").count()["mul"] - robot.kernel("mass_matrix").count()["mul"]
    assert extra < 0.6 * robot.nv**3 / 6


@pytest.mark.covers("DYN-17")
def test_any_order_of_the_joints_has_no_fill_in() -> None:
    """A model may list tips first; elimination still starts at the tips of the tree."""
    model = random_tree(3, bodies=8)
    backwards = sv.Robot(replace(model, order=tuple(b.name for b in reversed(model.bodies))))
    assert tree_order(backwards.model) != list(range(backwards.nv))
    q, _, _, tau = random_states(backwards)
    M, (L, D) = backwards.mass_matrix(q), backwards.mass_matrix_ltdl(q)
    assert_close(np.einsum("nki,nk,nkj->nij", L, D, L), M, IDENTITY)
    assert not L[:, ~np.array(mass_matrix_pattern(backwards.model))].any()
    assert_close(backwards.mass_matrix_solve(q, tau), np.linalg.solve(M, tau[..., None])[..., 0], solved(1e-11, M))


@pytest.mark.covers("DYN-17")
def test_joints_that_follow_others() -> None:
    panda = sv.load("panda").model
    robot = sv.Robot(
        replace(
            panda,
            bodies=tuple(
                replace(b, mimic=Mimic("panda_link2", -0.7)) if b.name == "panda_link4" else b for b in panda.bodies
            ),
        )
    )
    q, _, _, tau = random_states(robot)
    M, (L, D) = robot.mass_matrix(q), robot.mass_matrix_ltdl(q)
    assert_close(np.einsum("nki,nk,nkj->nij", L, D, L), M, IDENTITY)
    assert_close(robot.mass_matrix_solve(q, tau), np.linalg.solve(M, tau[..., None])[..., 0], solved(1e-11, M))
    solo = sv.load("solo12", floating=True).model
    leg = {"knee": [b.name for b in solo.moving][3], "other": [b.name for b in solo.moving][6]}
    tied = replace(
        solo, bodies=tuple(replace(b, mimic=Mimic(leg["knee"])) if b.name == leg["other"] else b for b in solo.bodies)
    )
    coupled = sv.Robot(tied)
    apart = ~np.array(mass_matrix_pattern(tied))
    assert not coupled.mass_matrix(coupled.random(0))[apart].any()
    assert apart.any()


def test_condition_report() -> None:
    robot = sv.load("panda")
    q = robot.random(0)
    M, report = robot.mass_matrix(q), mass_condition(robot, q)
    assert report.condition == pytest.approx(np.linalg.cond(M), rel=1e-9)
    assert report.easiest @ M @ report.easiest == pytest.approx(report.eigenvalues[0])
    size = np.sqrt(np.diag(M))
    assert report.scaled == pytest.approx(np.linalg.cond(M / np.outer(size, size)), rel=1e-9)
    assert "condition" in str(report)
    with pytest.raises(ShapeError, match="one position"):
        mass_condition(robot, np.zeros((2, 7)))


def test_a_joint_without_mass_is_refused_by_name() -> None:
    panda = sv.load("panda").model
    bare = with_inertia(with_inertia(panda, "panda_link7", RigidInertia.zero()), "panda_link8", RigidInertia.zero())
    robot = sv.Robot(bare)
    for name in ("mass_matrix_ltdl", "mass_matrix_ltl"):
        with pytest.raises(ModelError, match='"panda_link7" moves no mass'):
            getattr(robot, name)(np.zeros(7))
