"""M_ij is zero exactly where joints i and j are not on one path to the root (Featherstone (48))."""

from __future__ import annotations

import numpy as np
import pytest

from random_states import States
from sixvec.algorithms.parts.factorization import ltdl, unit_lower_inverse
from targets import OnTarget


@pytest.mark.covers("DYN-17")
def test_mass_matrix_is_zero_exactly_between_branches(robot: OnTarget, states: States) -> None:
    M, related = robot.mass_matrix(states.q), on_one_path(robot)
    assert not M[:, ~related].any()
    # Between joints of one path only geometry can make a zero, such as a ball's own axes: none at random elsewhere.
    between = related & ~same_joint(robot)
    assert (M[:, between] != 0.0).all()


@pytest.mark.every(3)
@pytest.mark.covers("DYN-17")
def test_coriolis_matrix_and_derivatives_have_the_zeros_of_the_mass_matrix(robot: OnTarget, states: States) -> None:
    q, v, _, _ = states
    assert not robot.coriolis_matrix(q, v)[:, ~on_one_path(robot)].any()


@pytest.mark.covers("DYN-17")
def test_factors_have_no_fill_in(robot: OnTarget, states: States) -> None:
    """M = Lᵀ D L, where L and its inverse are zero wherever M is."""
    apart = ~on_one_path(robot)
    for M in robot.mass_matrix(states.q[:3]):
        L, D_inverse = ltdl(M.tolist())
        product = np.transpose(L) @ np.diag(1.0 / np.array(D_inverse)) @ L
        np.testing.assert_allclose(product, M, atol=1e-12 * abs(M).max())
        assert not np.array(L)[apart].any()
        assert not np.array(list(unit_lower_inverse(L)))[apart].any()


@pytest.mark.every(4)
@pytest.mark.covers("CHAIN-17", "KIN-24")
def test_jacobian_columns_are_zero_for_joints_that_do_not_move_the_frame(robot: OnTarget, states: States) -> None:
    for frame in robot.model.frames:
        moves = np.zeros(robot.nv, bool)
        for b in robot.model.path(frame.body):
            moves[robot.model.v_slices[b.name]] = True
        J = robot.jacobian(states.q, frame.name)
        assert not J[:, :, ~moves].any()
        assert J[:, :, moves].any(axis=1).all()


def on_one_path(robot: OnTarget) -> np.ndarray:
    """For each pair of freedoms, whether one's joint lies on the other's path to the root."""
    model, related = robot.model, np.zeros((robot.nv, robot.nv), bool)
    for b in model.moving:
        for c in model.path(b.name):
            related[model.v_slices[b.name], model.v_slices[c.name]] = True
    return related | related.T


def same_joint(robot: OnTarget) -> np.ndarray:
    joints = [i for i, b in enumerate(robot.model.moving) for _ in range(b.joint.nv)]
    return np.equal.outer(joints, joints)
