"""Null spaces: internal motion is not felt by the task, and redundancy is not the same as singularity."""

from __future__ import annotations

import numpy as np
import pytest

import sixvec
from naming import named
from planar_arms import planar
from sixvec.errors import ArgumentError, DegenerateError, FrameNotFound
from sixvec.ik.redundancy import null_space_basis, null_space_projector, redundancy, task_jacobian
from tolerances import SOLVED, assert_close

PANDA = sixvec.load("panda")
TOOL = "panda_link8"


@pytest.mark.covers("KIN-08")
def test_projector_is_idempotent_invisible_and_orthogonal_in_the_weight() -> None:
    q = PANDA.random(0, 30)
    J, M = PANDA.jacobian(q, TOOL), PANDA.mass_matrix(q)
    for weight in (None, M):
        P = null_space_projector(J, weight)
        assert_close(P @ P, P, SOLVED)
        assert np.abs(J @ P).max() < 1e-12
        assert np.allclose(np.trace(P, axis1=1, axis2=2), 1.0)
        MP = P if weight is None else M @ P
        assert_close(MP, np.swapaxes(MP, 1, 2), SOLVED)


@pytest.mark.covers("KIN-08", "Bruyninckx (5.47)-(5.48)")
def test_basis_spans_what_the_projector_keeps() -> None:
    J = PANDA.jacobian(PANDA.random(0, 30), TOOL)[:, 3:]
    N = null_space_basis(J)
    assert N.shape == (30, 7, 4)
    assert np.abs(J @ N).max() < 1e-13
    assert_close(N @ np.swapaxes(N, 1, 2), null_space_projector(J), SOLVED)


@pytest.mark.covers("KIN-08")
def test_the_tool_stays_while_the_elbow_moves() -> None:
    """Internal motion, integrated: the tool's pose is kept while joints move by a radian."""
    q0 = np.array([0.3, -0.8, 0.2, -2.2, 0.1, 1.7, 0.6])
    q, step = q0, 1e-3
    direction = null_space_basis(PANDA.jacobian(q, TOOL))[:, 0]
    for _ in range(400):
        k1 = null_space_projector(PANDA.jacobian(q, TOOL)) @ direction
        k2 = null_space_projector(PANDA.jacobian(q + step / 2 * k1, TOOL)) @ direction
        q, direction = q + step * k2, k2 / np.linalg.norm(k2)
    assert np.abs(q - q0).max() > 0.1
    assert np.abs(PANDA.pose(q, TOOL) - PANDA.pose(q0, TOOL)).max() < 1e-6


@pytest.mark.covers("KIN-05")
def test_redundancy_belongs_to_robot_and_task() -> None:
    q = np.array([0.3, -0.8, 0.2, -2.2, 0.1, 1.7, 0.6])
    whole = redundancy(PANDA, q, TOOL)
    assert (whole.degree, whole.internal, whole.is_redundant, whole.is_singular) == (1, 1, True, False)
    assert redundancy(PANDA, q, TOOL, "position").degree == 4
    assert redundancy(PANDA, q, TOOL, "z").degree == 6  # a vertex on a face
    # Two joints cannot be redundant for a position, and joints beyond a frame do not help it.
    assert redundancy(PANDA, q, "panda_link4").degree == 4 - 6
    assert redundancy(planar(3), [0.3, 0.5, 0.7], "tip", "x y").degree == 1
    assert redundancy(planar(2), [0.3, 0.5], "tip", "x y").degree == 0


@pytest.mark.covers("KIN-05", "KIN-08")
def test_a_singular_arm_has_internal_motion_without_being_redundant() -> None:
    stretched = redundancy(planar(2), [0.4, 0.0], "tip", "x y")
    assert not stretched.is_redundant and stretched.is_singular and stretched.internal == 1
    assert null_space_basis(task_jacobian(planar(2), [0.4, 0.0], "tip", "x y")).shape == (2, 1)
    assert "singular here: rank 1" in str(stretched)
    redundant = redundancy(planar(3), [0.4, 0.0, 0.0], "tip", "x y")
    assert redundant.is_redundant and redundant.is_singular and redundant.internal == 2


def test_batches_of_several_ranks_have_a_projector_but_no_basis() -> None:
    J = task_jacobian(planar(2), np.array([[0.4, 0.0], [0.4, 1.0]]), "tip", "x y")
    with pytest.raises(DegenerateError, match="null_space_projector"):
        null_space_basis(J)
    assert_close(np.trace(null_space_projector(J), axis1=1, axis2=2), [1.0, 0.0], SOLVED, batched=False)


def test_bad_requests_are_explained() -> None:
    q = PANDA.neutral()
    with pytest.raises(ArgumentError, match=named("xx", "x")):
        redundancy(PANDA, q, TOOL, "xx")
    with pytest.raises(ArgumentError, match=named("x")):
        redundancy(PANDA, q, TOOL, "position x")
    with pytest.raises(FrameNotFound):
        redundancy(PANDA, q, "panda_link9")
    with pytest.raises(ArgumentError, match=named("redundancy", "q")):
        redundancy(PANDA, [q, q], TOOL)
