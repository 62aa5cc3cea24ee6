"""Singular sets of the 321 structure: ranks, carried wrenches and lost twists, against the robot's Jacobian."""

from __future__ import annotations

import math

import numpy as np
import pytest
from arms_321_313 import ARMS, BOOK_ARM, columns, robot_of

from sixvec.ik.closed_form.arm_321 import Arm321, forward_position, singularity
from sixvec.ik.closed_form.arm_321.position import forearm_pose
from sixvec.spatial import Force, Vec3

ZERO = 1e-12
"""Singular values of J (lengths near one metre) and powers that are rounding."""

ABOVE = -math.atan2(0.5 * math.sin(0.8), 0.6 + 0.5 * math.cos(0.8))
"""q2 that brings the wrist of the plain arm above the shoulder when q3 = 0.8."""

ARM, WRIST, SHOULDER = "arm-extended", "wrist-extended", "wrist-above-shoulder"
CASES = [  # the ranks of Bruyninckx §7.19.1, where vanishing factors must not simply be counted
    ((0.3, 0.4, 0.5, 0.6, 0.7, 0.8), (), 6),
    ((0.3, 0.4, 0.0, 0.6, 0.7, 0.8), (ARM,), 5),
    ((0.3, 0.4, math.pi, 0.6, 0.7, 0.8), (ARM,), 5),
    ((0.3, 0.4, 0.5, 0.6, 0.0, 0.8), (WRIST,), 5),
    ((0.3, 0.4, 0.5, 0.6, math.pi, 0.8), (WRIST,), 5),
    ((0.3, ABOVE, 0.8, 0.6, 0.7, 0.8), (SHOULDER,), 5),
    ((0.3, 0.4, 0.0, 0.6, 0.0, 0.8), (ARM, WRIST), 5),
    ((0.3, 0.4, 0.0, 0.0, 0.0, 0.8), (ARM, WRIST), 4),
    ((0.3, 0.4, 0.0, math.pi, 0.0, 0.8), (ARM, WRIST), 4),
    ((0.3, ABOVE, 0.8, 0.6, 0.0, 0.8), (WRIST, SHOULDER), 5),
    ((0.3, ABOVE, 0.8, math.pi / 2, 0.0, 0.8), (WRIST, SHOULDER), 4),
    ((0.3, 0.0, 0.0, 0.6, 0.7, 0.8), (ARM, SHOULDER), 4),
    ((0.0,) * 6, (ARM, WRIST, SHOULDER), 3),
    ((0.0, 0.0, 0.0, 0.6, 0.0, 0.0), (ARM, WRIST, SHOULDER), 4),
]


def check_against_the_jacobian(arm: Arm321, q: tuple[float, ...], rank: int) -> None:
    found, J = singularity(arm, q), robot_of(arm).jacobian(q, "tool")
    assert found.rank == rank
    assert (np.linalg.svd(J, compute_uv=False) > ZERO).sum() == rank
    assert len(found.carried) == len(found.lost) == 6 - rank
    if rank == 6:
        return
    carried, lost = columns(found.carried), columns(found.lost)
    assert np.abs(J.T @ carried).max() < ZERO * np.abs(carried).max()  # no torque in any joint
    assert np.linalg.matrix_rank(carried, 1e-9) == 6 - rank
    assert np.linalg.matrix_rank(np.hstack([J, lost]), 1e-9) == 6  # the lost twists complete what J can do
    assert abs(np.linalg.det(carried.T @ lost)) > 1e-6  # and the carried wrenches feel them


@pytest.mark.covers("FORM-06")
@pytest.mark.parametrize(("q", "sets", "rank"), CASES)
def test_sets_and_ranks(q: tuple[float, ...], sets: tuple[str, ...], rank: int) -> None:
    assert singularity(BOOK_ARM, q).sets == sets
    check_against_the_jacobian(BOOK_ARM, q, rank)


@pytest.mark.covers("FORM-06")
@pytest.mark.parametrize(("q", "sets", "rank"), CASES)
def test_next_to_a_singularity_the_rank_is_full(q: tuple[float, ...], sets: tuple[str, ...], rank: int) -> None:
    moved = tuple(x + d for x, d in zip(q, (0.0, 1e-5, 2e-5, 1e-5, 1e-5, 0.0), strict=True))
    assert singularity(BOOK_ARM, moved).sets == ()
    check_against_the_jacobian(BOOK_ARM, moved, 6)


def line_of(w: Force) -> Vec3:
    return w.lin * (1.0 / w.lin.norm())


@pytest.mark.covers("FORM-06")
def test_the_carried_wrenches_are_those_of_the_book() -> None:
    for q3 in (0.0, math.pi):
        q = (0.3, 0.4, q3, 0.6, 0.7, 0.8)
        (w,) = singularity(BOOK_ARM, q).carried
        wrist, shoulder = forearm_pose(BOOK_ARM, q).pos, Vec3(0.0, 0.0, BOOK_ARM.l1)
        along = wrist - shoulder
        assert along.cross(line_of(w)).norm() < ZERO  # a force along the arm …
        assert w.shifted(wrist - forward_position(BOOK_ARM, q).pos).ang.norm() < ZERO  # … through the wrist
    q = (0.3, ABOVE, 0.8, 0.6, 0.7, 0.8)
    (w,) = singularity(BOOK_ARM, q).carried
    assert abs(line_of(w).dot(Vec3(math.cos(0.3), math.sin(0.3), 0.0))) == pytest.approx(1.0)  # parallel to axes 2, 3
    q = (0.3, 0.4, 0.5, 0.6, 0.0, 0.8)
    found = singularity(BOOK_ARM, q)
    normal = forearm_pose(BOOK_ARM, q).rot @ Vec3(-math.sin(0.6), math.cos(0.6), 0.0)
    assert (found.lost[0].ang - normal).norm() < ZERO  # the wrist cannot turn about the normal of its axes


@pytest.mark.covers("FORM-04", "FORM-06")
def test_offsets_move_the_singularities_and_remove_none() -> None:
    shoulder, elbow = ARMS["shoulder"], ARMS["elbow"]
    check_against_the_jacobian(shoulder, (0.3, ABOVE, 0.8, 0.6, 0.7, 0.8), 5)
    wrist = forearm_pose(shoulder, (0.3, ABOVE, 0.8)).pos
    assert math.hypot(wrist.x, wrist.y) == pytest.approx(shoulder.shoulder_offset)  # on the cylinder
    check_against_the_jacobian(elbow, (0.3, 0.4, 0.0, 0.6, 0.7, 0.8), 6)  # upright forearm is regular now
    check_against_the_jacobian(elbow, (0.3, 0.4, -elbow.elbow_angle, 0.6, 0.7, 0.8), 5)
    base = ARMS["base"]
    check_against_the_jacobian(base, (0.3, ABOVE, 0.8, 0.6, 0.7, 0.8), 6)
    q2 = -math.asin(base.base_offset / 1.1)  # a stretched arm that leans back over the first axis
    assert singularity(base, (0.3, q2, 0.0, 0.6, 0.7, 0.8)).sets == (ARM, SHOULDER)
    check_against_the_jacobian(base, (0.3, q2, 0.0, 0.6, 0.7, 0.8), 4)
    both = ARMS["all"]  # base and shoulder offset: two factors vanish, one direction is lost
    q = (0.3, -math.asin(both.base_offset / both.reach), -both.elbow_angle, 0.6, 0.7, 0.8)
    assert singularity(both, q).sets == (ARM, SHOULDER)
    check_against_the_jacobian(both, q, 5)


@pytest.mark.covers("FORM-04", "FORM-06")
@pytest.mark.parametrize("q4", [0.0, 0.6, math.pi / 2])
@pytest.mark.parametrize("q2", [0.0, 0.4])
@pytest.mark.parametrize("q5", [0.0, 0.7])
@pytest.mark.parametrize("name", ARMS)
def test_combined_singularities_of_every_arm_have_the_rank_of_the_jacobian(
    name: str, q2: float, q4: float, q5: float
) -> None:
    arm = ARMS[name]
    q = (0.3, q2, -arm.elbow_angle, q4, q5, 0.8)
    rank = int((np.linalg.svd(robot_of(arm).jacobian(q, "tool"), compute_uv=False) > 1e-11).sum())
    check_against_the_jacobian(arm, q, rank)
