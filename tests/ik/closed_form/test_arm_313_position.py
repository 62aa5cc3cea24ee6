"""Positions of the 313 structure: eight branches at every swivel."""

from __future__ import annotations

import math

import numpy as np
import pytest
from arms_321_313 import RECHECK, SEVEN, SEVEN_Q, apart, matrix, misses, robot_of, solver_313

from sixvec.errors import ModelError
from sixvec.ik.closed_form.arm_313 import BRANCHES, Arm313, forward_position, inverse_position, swivel
from sixvec.ik.closed_form.newton_raphson import newton_raphson
from sixvec.spatial import Mat3, Pose, Rotation, Vec3
from sixvec.verdict import Verdict
from tolerances import IDENTITY, assert_close

EQUAL = Arm313(0.3, 0.4, 0.4, 0.1)
SWIVELS = np.linspace(-math.pi, math.pi, 13)


@pytest.mark.covers("FORM-07")
def test_the_worked_example() -> None:
    X = forward_position(SEVEN, SEVEN_Q)
    assert np.allclose([*X.pos], (-0.051852, 0.694890, 0.748131), atol=5e-7)
    assert np.allclose([*X.rot.matrix.rows[0]], (0.833276, 0.552781, 0.009203), atol=5e-7)
    psi = swivel(SEVEN, SEVEN_Q)
    assert psi == pytest.approx(-0.237210, abs=5e-7)
    first = inverse_position(SEVEN, X, psi)[BRANCHES.index((False, 1.0, False))]
    assert first.verdict == Verdict.SOLVED
    assert apart(np.array(first.q), np.array(SEVEN_Q)) < 1e-13


@pytest.mark.covers("FORM-07", "KIN-17")
@pytest.mark.parametrize("arm", [SEVEN, EQUAL])
def test_forward_position_is_that_of_the_robot(arm: Arm313) -> None:
    q = robot_of(arm).random(1, 20)
    mine = np.stack([matrix(forward_position(arm, row)) for row in q.tolist()])
    assert_close(mine, robot_of(arm).pose(q, "tool"), IDENTITY)


@pytest.mark.covers("FORM-07")
@pytest.mark.parametrize("arm", [SEVEN, EQUAL])
def test_every_branch_reaches_the_target_at_every_swivel(arm: Arm313) -> None:
    X = robot_of(arm).pose(robot_of(arm).random(2, 300), "tool")
    q, verdict = solver_313(arm)(X[:, None], SWIVELS, np.zeros(7))
    assert (verdict == Verdict.SOLVED).all()
    assert misses(arm, q, np.broadcast_to(X[:, None], (*q.shape[:2], 4, 4))).max() < RECHECK
    assert (np.abs(q) <= math.pi).all()


@pytest.mark.covers("FORM-07")
def test_the_eight_branches_differ_and_share_the_swivel() -> None:
    X = forward_position(SEVEN, SEVEN_Q)
    for psi in SWIVELS[1:]:
        q = np.array([s.q for s in inverse_position(SEVEN, X, float(psi))])
        pairs = apart(q[:, None], q[None]) + 10.0 * np.eye(8)
        assert pairs.min() > 1e-3
        again = np.array([swivel(SEVEN, row) for row in q.tolist()])
        assert apart(again[:, None], np.full((8, 1), psi)).max() < 1e-12


@pytest.mark.covers("FORM-07")
@pytest.mark.parametrize("arm", [SEVEN, EQUAL])
def test_no_solution_is_missing(arm: Arm313) -> None:
    """Whatever configuration reaches the target is among the eight of its own swivel."""
    robot, rng = robot_of(arm), np.random.default_rng(3)
    X = robot.pose(robot.random(rng, 20), "tool")
    tried = newton_raphson(robot, X[:, None], "tool", robot.random(rng, 60), iterations=40)
    assert tried.solved.mean() > 0.8
    targets = np.broadcast_to(X[:, None], (*tried.q.shape[:2], 4, 4))[tried.solved]
    q = tried.q[tried.solved]
    psi = np.array([swivel(arm, row) for row in q.tolist()])
    found, verdict = solver_313(arm)(targets, psi, np.zeros(7))
    assert (verdict == Verdict.SOLVED).all()
    sines = np.abs(np.sin(q[:, [1, 3, 5]])).min(1)
    assert apart(found, q[:, None]).min(1)[sines > 1e-3].max() < 1e-5


def target(x: float, y: float, z: float) -> Pose:
    """A pose whose wrist centre is there, from the shoulder."""
    R = Rotation.from_rpy(0.4, 0.3, 0.2)
    return Pose(R, Vec3(x, y, z + SEVEN.l1) + R @ Vec3(0.0, 0.0, SEVEN.l7))


@pytest.mark.covers("FORM-07", "FORM-08")
@pytest.mark.parametrize(
    ("wrist", "verdict"),
    [
        ((0.0, 0.82, 0.0), Verdict.SOLVED),
        ((0.0, 0.82 - 1e-9, 0.0), Verdict.SOLVED),
        ((0.0, 0.82 + 1e-6, 0.0), Verdict.TOO_FAR),
        ((0.02, 0.0, 0.0), Verdict.SOLVED),
        ((0.02 - 1e-6, 0.0, 0.0), Verdict.TOO_NEAR),
        ((0.0, 0.0, 0.6), Verdict.SOLVED),
        ((0.0, 1e-14, -0.6), Verdict.SOLVED),
        ((0.0, 1e-9, 0.6), Verdict.SOLVED),
    ],
)
def test_the_verdict_on_both_sides_of_every_border(wrist: tuple[float, float, float], verdict: Verdict) -> None:
    X = target(*wrist)
    for psi in (0.0, 1.0):
        found = inverse_position(SEVEN, X, psi)
        assert [s.verdict for s in found] == [float(verdict)] * 8
        miss = misses(SEVEN, np.array([s.q for s in found]), matrix(X))
        assert miss.max() < (1e-12 if verdict is Verdict.SOLVED else 1.1e-6)


@pytest.mark.covers("FORM-07", "FORM-08")
@pytest.mark.parametrize("d", [0.0, 1e-15, 1e-12, 1e-8, 1e-5])
@pytest.mark.parametrize("arm", [SEVEN, EQUAL])
def test_at_and_next_to_singular_configurations(arm: Arm313, d: float) -> None:
    h = math.pi / 2
    q = np.array([
        (0.3, 0.5, -0.4, d, 0.2, 0.7, -0.6),
        (0.3, 0.5, -0.4, math.pi - d, 0.2, 0.7, -0.6),
        (0.3, d, h, 0.9, 0.2, 0.7, -0.6),
        (0.3, 0.5, -0.4, 0.9, h, d, -0.6),
        (0.3, d, -0.4, 0.9, 0.2, math.pi - d, -0.6),
        (0.0, d, 0.0, 0.0, 0.0, d, 0.0),
    ])  # fmt: skip
    X = robot_of(arm).pose(q, "tool")
    psi = np.array([swivel(arm, row) for row in q.tolist()])
    found, verdict = solver_313(arm)(X, psi, np.full(7, 0.4))
    assert (verdict == Verdict.SOLVED).all()
    assert misses(arm, found, X).max() < 5e-12


@pytest.mark.covers("FORM-07")
def test_free_angles_are_those_of_the_neighbour() -> None:
    q = (0.3, 0.5, 0.0, 0.9, 0.2, 0.0, -0.6)
    found = inverse_position(SEVEN, forward_position(SEVEN, q), swivel(SEVEN, q), (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7))
    assert found[0].q[4] == 0.5
    assert found[0].q[4] + found[0].q[6] == pytest.approx(-0.4, abs=1e-12)


@pytest.mark.covers("FORM-07")
def test_what_is_not_a_pose_is_said_to_be_none() -> None:
    X = matrix(forward_position(SEVEN, SEVEN_Q))
    X[:3, :3] *= 1.001
    for entry in (X[0, 0], math.nan):
        X[0, 0] = entry
        unchecked = Pose(Rotation(Mat3(*X[:3, :3].ravel().tolist())), Vec3(*X[:3, 3].tolist()))
        assert {s.verdict for s in inverse_position(SEVEN, unchecked)} == {float(Verdict.INVALID)}


def test_impossible_lengths_raise() -> None:
    with pytest.raises(ModelError, match="Arm313"):
        Arm313(0.3, -0.1, 0.4)
    with pytest.raises(ModelError, match="Arm313"):
        Arm313(0.3, 0.1, 0.4, math.inf)
