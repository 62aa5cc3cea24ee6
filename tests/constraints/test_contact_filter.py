"""Contacts: which wrenches they bear, which joint motions they allow, and the filter that makes twists compatible."""

from __future__ import annotations

import numpy as np
import pytest

import sixvec
from planar_arms import planar
from sixvec.constraints import (
    WrenchSpace,
    constraint_of_wrenches,
    contact_rows,
    edge_edge,
    edge_face,
    face_face,
    kinetostatic_filter,
    vertex_face,
    wrench_matrix,
)
from sixvec.errors import DegenerateError, ShapeError
from sixvec.ik.redundancy import RateTask, prioritised_rates
from tolerances import SOLVED, assert_close

RNG = np.random.default_rng(4)
POINT, NORMAL, EDGE = RNG.normal(size=(3, 3))
EDGE = EDGE - NORMAL * (EDGE @ NORMAL) / (NORMAL @ NORMAL)
CONTACTS = {
    "vertex-face": (vertex_face(POINT, NORMAL), 1),
    "edge-edge": (edge_edge(POINT, NORMAL, EDGE), 1),
    "edge-face": (edge_face(POINT, NORMAL, EDGE), 2),
    "face-face": (face_face(POINT, NORMAL), 3),
}


def turn(axis: np.ndarray, through: np.ndarray) -> np.ndarray:
    """The twist at the world's origin of a turn about an axis through a point."""
    return np.concatenate([axis, np.cross(through, axis)])


def slide(direction: np.ndarray) -> np.ndarray:
    return np.concatenate([np.zeros(3), direction])


@pytest.mark.covers("KIN-13")
@pytest.mark.parametrize("name", CONTACTS)
def test_bases_have_the_right_size_and_allow_the_right_motions(name: str) -> None:
    wrenches, count = CONTACTS[name]
    G = wrench_matrix(wrenches)
    assert np.linalg.matrix_rank(G) == count == len(wrenches.basis)
    assert constraint_of_wrenches(wrenches.basis).freedom == 6 - count
    across = np.cross(NORMAL, EDGE)
    allowed = {
        "vertex-face": [slide(EDGE), slide(across), *(turn(e, POINT) for e in np.eye(3))],
        "edge-edge": [slide(NORMAL), slide(EDGE), *(turn(e, POINT) for e in np.eye(3))],
        "edge-face": [slide(EDGE), slide(across), turn(NORMAL, POINT), turn(EDGE, POINT)],
        "face-face": [slide(EDGE), slide(across), turn(NORMAL, POINT)],
    }[name]
    assert np.abs(G.T @ np.array(allowed).T).max() < 1e-12
    assert np.linalg.matrix_rank(np.array(allowed)) == 6 - count  # and these are all
    blocked = slide(np.cross(NORMAL, EDGE)) if name == "edge-edge" else slide(NORMAL)
    assert np.abs(G.T @ blocked).max() > 0.1


@pytest.mark.covers("KIN-13")
@pytest.mark.parametrize("name", CONTACTS)
def test_filtered_twists_are_compatible_nearest_and_unchanged_by_a_second_filter(name: str) -> None:
    wrenches = CONTACTS[name][0]
    G, t = wrench_matrix(wrenches), RNG.normal(size=(20, 6))
    A = RNG.normal(size=(6, 6))
    M = A @ A.T + np.eye(6)
    once = kinetostatic_filter(t, wrenches, M)
    assert np.abs(once @ G).max() < 1e-11
    assert_close(kinetostatic_filter(once, wrenches, M), once, SOLVED)
    # Nearest in M: what was removed is M-orthogonal to every compatible twist.
    free = np.linalg.svd(G.T)[2][G.shape[1] :]
    assert np.abs((t - once) @ M @ free.T).max() < 1e-10
    book = np.eye(6) - np.linalg.solve(M, G) @ np.linalg.inv(G.T @ np.linalg.solve(M, G)) @ G.T
    assert_close(once, t @ book.T, 1e-10)


@pytest.mark.covers("KIN-13", "Bruyninckx (5.58)")
def test_filter_is_the_same_in_every_frame_if_the_weight_moves_along() -> None:
    panda = sixvec.load("panda")
    X = panda.pose(panda.random(0), "panda_link8")
    R, p = X[:3, :3], X[:3, 3]
    skew = np.array([[0.0, -p[2], p[1]], [p[2], 0.0, -p[0]], [-p[1], p[0], 0.0]])
    S = np.block([[R, np.zeros((3, 3))], [skew @ R, R]])  # twists from the frame to the world
    M = np.diag([0.3, 0.4, 0.5, 2.0, 2.0, 2.0])
    there = vertex_face(R @ POINT + p, R @ NORMAL)
    t = RNG.normal(size=6)
    here = kinetostatic_filter(t, vertex_face(POINT, NORMAL), M)
    moved = kinetostatic_filter(S @ t, there, np.linalg.inv(S).T @ M @ np.linalg.inv(S))
    assert_close(moved, S @ here, 1e-10, batched=False)
    # Without a weight that moves, the answer depends on the frame: no weight is natural.
    unweighted = kinetostatic_filter(t, vertex_face(POINT, NORMAL))
    assert np.abs(kinetostatic_filter(S @ t, there) - S @ unweighted).max() > 1e-3


@pytest.mark.covers("KIN-13", "Bruyninckx (5.56)")
def test_joint_motion_under_a_contact_slides_along_the_wall() -> None:
    """The contact as the first task: the tip of a planar arm moves along the line y = const only."""
    arm = planar(3)
    q = np.array([0.4, 0.8, 0.5])
    point = arm.pose(q, "tip")[:3, 3]
    wall = vertex_face(point, [0.0, 1.0, 0.0])
    rows = contact_rows(arm, q, "tip", wall, "world")
    assert_close(rows[0], arm.jacobian(q, "tip")[4], SOLVED, batched=False)
    v = prioritised_rates([RateTask(rows, [0.0]), RateTask(arm.jacobian(q, "tip")[3:5], [0.3, 0.7])]).v
    tip_velocity = arm.velocity(q, v, "tip")[3:]
    assert abs(tip_velocity[1]) < 1e-12 and abs(tip_velocity[0] - 0.3) < 1e-12
    # Virtual work: joint torques that balance a contact force do no work on what the contact allows.
    assert abs(rows[0] @ v) < 1e-12
    # The contact point is fixed in the world, so the reference matters.
    assert np.abs(contact_rows(arm, q, "tip", wall, "local_world_aligned") - rows).max() > 1e-2


def test_bad_contacts_are_explained() -> None:
    with pytest.raises(DegenerateError, match="normal"):
        vertex_face([0.0, 0.0, 0.0], [0.0, 0.0, 0.0])
    with pytest.raises(DegenerateError, match="edges"):
        edge_edge([0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [2.0, 0.0, 0.0])
    with pytest.raises(DegenerateError, match="edge"):
        edge_face([0.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, 0.0, 1.0])
    with pytest.raises(ShapeError, match="twist"):
        kinetostatic_filter([1.0, 2.0, 3.0], vertex_face(POINT, NORMAL))
    twice = vertex_face(POINT, NORMAL).basis[0]
    with pytest.raises(DegenerateError, match="constraint_of_wrenches"):
        kinetostatic_filter(np.zeros(6), WrenchSpace((twice, twice)))
