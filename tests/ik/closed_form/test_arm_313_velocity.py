"""Velocities, self-motion, forces and singular sets of the 313 structure, against the robot's Jacobian."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from arms_321_313 import SEVEN, SEVEN_Q, columns, robot_of

import sixvec as sv
from differences import derivative
from sixvec.algorithms.parts.reference import REFERENCES, Reference
from sixvec.ik.closed_form.arm_313 import (
    forward_force,
    forward_velocity,
    inverse_force,
    inverse_velocity,
    null_vector,
    self_motion_load,
    singularity,
    swivel,
    swivel_rate,
    volume,
)
from sixvec.spatial import Force, Motion
from tolerances import DIFFERENCE, IDENTITY, SOLVED, assert_close

H = math.pi / 2
ABOVE = -math.atan2(0.4 * math.sin(0.9), 0.42 + 0.4 * math.cos(0.9))
"""q2 that brings the wrist above the shoulder when q3 = 0 and q4 = 0.9."""

REGULAR = {  # where a shoulder or a wrist alone would be singular, the arm is not
    "general": SEVEN_Q,
    "straight shoulder": (0.3, 0.0, 0.5, 0.9, 0.2, 0.7, 0.1),
    "folded shoulder": (0.3, math.pi, 0.5, 0.9, 0.2, 0.7, 0.1),
    "straight wrist": (0.3, 0.5, -0.4, 0.9, 0.2, 0.0, 0.1),
    "next to a straight shoulder": (0.3, 1e-9, 0.5, 0.9, 0.2, 0.7, 0.1),
    "next to a straight wrist": (0.3, 0.5, 0.5, 0.9, 0.2, 1e-7, 0.1),
    "wrist above shoulder": (0.3, ABOVE, 0.0, 0.9, 0.2, 0.7, 0.1),
}
SINGULAR = {
    "stretched": ((0.3, 0.5, -0.4, 0.0, 0.2, 0.7, 0.1), ("arm-extended",)),
    "folded": ((0.3, 0.5, -0.4, math.pi, 0.2, 0.7, 0.1), ("arm-extended",)),
    "shoulder": ((0.3, 0.0, H, 0.9, 0.2, 0.7, 0.1), ("shoulder-locked",)),
    "wrist": ((0.3, 0.5, -0.4, 0.9, -H, math.pi, 0.1), ("wrist-locked",)),
    "both": ((0.3, 0.0, 0.5, 0.9, 0.2, 0.0, 0.1), ("shoulder-and-wrist-extended",)),
    "two sets": ((0.3, 0.0, H, 0.0, 0.2, 0.7, 0.1), ("arm-extended", "shoulder-locked")),
    "upright": ((0.0,) * 7, ("arm-extended", "shoulder-and-wrist-extended")),
}
regular = pytest.mark.parametrize("q", REGULAR.values(), ids=REGULAR)


def unit(i: int) -> list[float]:
    return [float(i == j) for j in range(7)]


@pytest.mark.covers("FORM-07", "KIN-18")
@regular
def test_forward_velocity_is_the_jacobian_of_the_robot(q: tuple[float, ...]) -> None:
    mine = columns([forward_velocity(SEVEN, q, unit(i)) for i in range(7)])
    assert_close(mine, robot_of(SEVEN).jacobian(q, "tool"), IDENTITY, batched=False)


@pytest.mark.covers("FORM-07")
@regular
def test_inverse_velocity_is_the_smallest_one(q: tuple[float, ...]) -> None:
    """That of the pseudo-inverse; nothing breaks where a spherical joint alone is singular."""
    J = robot_of(SEVEN).jacobian(q, "tool")
    for t in np.random.default_rng(1).normal(size=(5, 6)):
        rates = inverse_velocity(SEVEN, q, Motion.of(t.tolist()))
        assert_close(rates, np.linalg.pinv(J) @ t, 10 * SOLVED, batched=False)  # cond J is near a hundred
        with_swivel = inverse_velocity(SEVEN, q, Motion.of(t.tolist()), self_motion=0.7)
        assert_close([*forward_velocity(SEVEN, q, with_swivel)], t, 10 * SOLVED, batched=False)
        assert_close(np.subtract(with_swivel, rates), 0.7 * np.array(null_vector(SEVEN, q)), 1e-9, batched=False)


@pytest.mark.covers("FORM-07")
@regular
def test_the_self_motion_leaves_the_hand_and_the_elbow_joint(q: tuple[float, ...]) -> None:
    n = np.array(null_vector(SEVEN, q))
    assert n[3] == 0.0
    assert np.abs(n).max() > 1e-3
    assert np.abs(robot_of(SEVEN).jacobian(q, "tool") @ n).max() < 1e-14


@pytest.mark.covers("FORM-07")
def test_the_swivel_moves_with_the_swivel_rate() -> None:
    n = np.array(null_vector(SEVEN, SEVEN_Q))
    assert swivel_rate(SEVEN, SEVEN_Q, n.tolist()) == pytest.approx(math.sin(0.5) * math.sin(0.7), rel=1e-12)

    def at(t: float) -> np.ndarray:
        # Along the self-motion the wrist, and so the reference of the swivel, rests to first order.
        return np.array(swivel(SEVEN, (np.array(SEVEN_Q) + t * n).tolist()))

    assert_close(derivative(at), swivel_rate(SEVEN, SEVEN_Q, n.tolist()), DIFFERENCE, batched=False)


@pytest.mark.covers("KIN-21")
@regular
@pytest.mark.parametrize("reference", REFERENCES)
def test_torques_of_a_wrench_and_back(q: tuple[float, ...], reference: Reference) -> None:
    J = robot_of(SEVEN).jacobian(q, "tool", reference)
    for w in np.random.default_rng(2).normal(size=(5, 6)):
        torques = inverse_force(SEVEN, q, Force.of(w.tolist()), reference)
        assert_close(torques, J.T @ w, IDENTITY, batched=False)
        assert abs(self_motion_load(SEVEN, q, torques)) < 1e-13
        pushed = np.add(torques, 0.3 * np.array(null_vector(SEVEN, q)))
        assert self_motion_load(SEVEN, q, pushed.tolist()) > 1e-7
        for tau in (torques, pushed.tolist()):
            assert_close(
                [*forward_force(SEVEN, q, tau, reference)], w, 100 * SOLVED, batched=False
            )  # cond(J Jᵀ) is some 1e4


@pytest.mark.covers("FORM-08")
def test_the_volume_of_the_jacobian() -> None:
    """√det(J Jᵀ) in closed form, whose zeros are the four sets."""
    q = robot_of(SEVEN).random(3, 200)
    J = robot_of(SEVEN).jacobian(q, "tool")
    dense = np.sqrt(np.linalg.det(J @ J.transpose(0, 2, 1)))
    mine = np.array([volume(SEVEN, row) for row in q.tolist()])
    assert np.abs(mine - dense).max() < 1e-10
    assert np.median(dense) > 1e-3


@pytest.mark.covers("FORM-08")
@regular
def test_regular_configurations(q: tuple[float, ...]) -> None:
    found = singularity(SEVEN, q)
    assert found.sets == ()
    assert found.rank == 6
    assert np.linalg.svd(robot_of(SEVEN).jacobian(q, "tool"), compute_uv=False)[-1] > 1e-3
    assert volume(SEVEN, q) > 1e-6


@pytest.mark.covers("FORM-08")
@pytest.mark.parametrize(("q", "sets"), SINGULAR.values(), ids=SINGULAR)
def test_singular_sets(q: tuple[float, ...], sets: tuple[str, ...]) -> None:
    found, J = singularity(SEVEN, q), robot_of(SEVEN).jacobian(q, "tool")
    rank = int((np.linalg.svd(J, compute_uv=False) > 1e-12).sum())
    assert found.sets == sets
    assert found.rank == rank < 6
    assert volume(SEVEN, q) < 1e-15
    carried, lost = columns(found.carried), columns(found.lost)
    assert np.abs(J.T @ carried).max() < 1e-12
    assert np.linalg.matrix_rank(np.hstack([J, lost]), 1e-9) == 6
    moved = tuple(x + 1e-4 for x in q)
    assert singularity(SEVEN, moved).sets == ()
    assert singularity(SEVEN, moved).rank == 6


def test_compiled_in_batches() -> None:
    @sv.compiled("q[7] v[7] -> again[6] twist[6] n[7]")
    def round_trip(q: Any, v: Any) -> Any:
        twist = forward_velocity(SEVEN, q, v)
        return forward_velocity(SEVEN, q, inverse_velocity(SEVEN, q, twist)), twist, null_vector(SEVEN, q)

    q = np.array([*REGULAR.values()])
    v = np.random.default_rng(4).normal(size=q.shape)
    again, twist, n = round_trip(q, v)
    assert_close(twist, robot_of(SEVEN).velocity(q, v, "tool"), IDENTITY)
    assert_close(again, twist, 10 * SOLVED)
    assert np.abs(robot_of(SEVEN).velocity(q, n, "tool")).max() < 1e-14
