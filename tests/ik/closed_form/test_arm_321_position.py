"""Positions of the 321 structure: every branch, every offset, every border."""

from __future__ import annotations

import math

import numpy as np
import pytest
import sympy
from arms_321_313 import ARMS, BOOK_ARM, BOOK_Q, RECHECK, apart, matrix, misses, robot_of, solver_321

from sixvec.errors import ModelError
from sixvec.ik.closed_form.arm_321 import BRANCHES, Arm321, forward_position, inverse_position
from sixvec.ik.closed_form.newton_raphson import newton_raphson
from sixvec.spatial import Pose, Rotation, Vec3
from sixvec.verdict import Verdict
from tolerances import IDENTITY, assert_close

PUBLISHED = {  # worked by hand from the corrected equations of Bruyninckx §7.10: l = (0.7, 0.6, 0.5, 0.1)
    (1.0, 1.0, False): BOOK_Q,
    (1.0, 1.0, True): (0.3, 0.4, 0.5, -2.541593, -0.7, -2.341593),
    (1.0, -1.0, False): (0.3, 0.853583, -0.5, 0.403635, 1.184036, 1.122360),
    (1.0, -1.0, True): (0.3, 0.853583, -0.5, -2.737958, -1.184036, -2.019233),
    (-1.0, 1.0, False): (-2.841593, -0.853583, 0.5, -2.737958, 1.184036, 1.122360),
    (-1.0, 1.0, True): (-2.841593, -0.853583, 0.5, 0.403635, -1.184036, -2.019233),
    (-1.0, -1.0, False): (-2.841593, -0.4, -0.5, -2.541593, 0.7, 0.8),
    (-1.0, -1.0, True): (-2.841593, -0.4, -0.5, 0.6, -0.7, -2.341593),
}


@pytest.mark.covers("FORM-03", "KIN-17", "Bruyninckx (7.24)-(7.31)")
def test_the_worked_example() -> None:
    X = forward_position(BOOK_ARM, BOOK_Q)
    assert np.allclose([*X.pos], (-0.247016, 0.675447, 1.569336), atol=5e-7)
    rows = ((0.204901, -0.755543, -0.622230), (0.235070, -0.579126, 0.780612), (-0.950135, -0.306216, 0.058942))
    assert np.allclose(matrix(X)[:3, :3], rows, atol=5e-7)
    found = inverse_position(BOOK_ARM, X)
    assert [s.verdict for s in found] == [0.0] * 8
    for branch, s in zip(BRANCHES, found, strict=True):
        assert apart(np.array(s.q), np.array(PUBLISHED[branch])) < 2e-6


@pytest.mark.covers("FORM-03", "FORM-04", "KIN-17", "Bruyninckx (7.3)", "Bruyninckx (7.7)-(7.9)")
@pytest.mark.parametrize("name", ARMS)
def test_forward_position_is_that_of_the_robot(name: str) -> None:
    arm = ARMS[name]
    q = robot_of(arm).random(1, 20)
    mine = np.stack([matrix(forward_position(arm, row)) for row in q.tolist()])
    assert_close(mine, robot_of(arm).pose(q, "tool"), IDENTITY)


@pytest.mark.every(2)
@pytest.mark.covers("FORM-03", "FORM-04")
@pytest.mark.parametrize("name", ARMS)
def test_every_solved_branch_reaches_the_target_and_one_is_where_it_came_from(name: str) -> None:
    arm = ARMS[name]
    q = robot_of(arm).random(2, 4000)
    X = robot_of(arm).pose(q, "tool")
    found, verdict = solver_321(arm)(X, np.zeros(6))
    miss = misses(arm, found, X)
    assert miss[verdict == Verdict.SOLVED].max() < RECHECK
    # The wrist comes as near as it can, which is not near enough.
    assert miss[verdict != Verdict.SOLVED].min(initial=1.0) > RECHECK
    assert (np.abs(found) <= math.pi).all()
    regular = np.abs(np.sin(q[:, 4])) > 1e-3
    home = np.where(verdict == Verdict.SOLVED, apart(found, q[:, None]), np.inf).min(1)
    assert home[regular].max() < 1e-6  # an angle loses the digits of its distance to a singularity
    if not (arm.base_offset or arm.shoulder_offset):
        assert (verdict == Verdict.SOLVED).all()


@pytest.mark.covers("FORM-03", "FORM-04")
@pytest.mark.parametrize(
    ("name", "poses", "starts", "seen_at_least"),
    [("plain", 10, 200, 0.95), ("all", 10, 200, 0.95), pytest.param("all", 1000, 60, 0.6, marks=pytest.mark.slow)],
)
def test_no_solution_is_missing(name: str, poses: int, starts: int, seen_at_least: float) -> None:
    """Newton-Raphson from many starts finds the solutions of the branches, each of them, and no other."""
    arm, robot = ARMS[name], robot_of(ARMS[name])
    rng = np.random.default_rng(3)
    X = robot.pose(robot.random(rng, poses), "tool")
    found, verdict = solver_321(arm)(X, np.zeros(6))
    tried = newton_raphson(robot, X[:, None], "tool", robot.random(rng, starts), iterations=25)
    assert tried.solved.mean() > 0.3
    gaps = apart(tried.q[:, :, None], found[:, None])  # target, start, branch
    gaps[np.broadcast_to((verdict != Verdict.SOLVED)[:, None], gaps.shape)] = np.inf
    assert gaps.min(2)[tried.solved].max() < 1e-5
    seen = np.where(tried.solved[:, :, None], gaps < 1e-5, False).any(1)
    assert seen[verdict == Verdict.SOLVED].mean() > seen_at_least  # starts are few; not every branch attracts one


@pytest.mark.covers("FORM-03")
def test_the_compiled_solver_computes_what_plain_numbers_do() -> None:
    arm = ARMS["all"]
    X = robot_of(arm).pose(robot_of(arm).random(4, 5), "tool")
    found, verdict = solver_321(arm)(X, np.zeros(6))
    for row, q, v in zip(X, found, verdict, strict=True):
        plain = inverse_position(arm, Pose.from_matrix(row.tolist()))
        assert apart(np.array([s.q for s in plain]), q).max() < 1e-9
        assert [s.verdict for s in plain] == v.tolist()
    as_arrays = inverse_position(arm, Pose.from_matrix([[X[:, i, j] for j in range(4)] for i in range(4)]))
    assert apart(np.stack([np.stack(s.q, -1) for s in as_arrays], 1), found).max() < 1e-9


def test_forward_position_on_symbols() -> None:
    symbols = sympy.symbols("q1:7")
    symbolic = sympy.Matrix(forward_position(ARMS["all"], symbols).as_matrix())
    numbers = np.array(symbolic.subs(dict(zip(symbols, BOOK_Q, strict=True))), float)
    assert_close(numbers, matrix(forward_position(ARMS["all"], BOOK_Q)), IDENTITY, batched=False)


def target(x: float, y: float, z: float) -> Pose:
    """A pose whose wrist centre is there, for arms with l6 = 0.1."""
    R = Rotation.from_rpy(0.4, 0.3, 0.2)
    return Pose(R, Vec3(x, y, z) + R @ Vec3(0.0, 0.0, 0.1))


@pytest.mark.covers("FORM-03", "FORM-04")
@pytest.mark.parametrize(
    ("name", "wrist", "verdict"),
    [
        ("plain", (0.0, 1.1 + 1e-6, 0.7), Verdict.TOO_FAR),
        ("plain", (0.0, 1.1 - 1e-6, 0.7), Verdict.SOLVED),
        ("plain", (0.0, 1.1, 0.7), Verdict.SOLVED),
        ("plain", (0.0, 0.1 - 1e-6, 0.7), Verdict.TOO_NEAR),
        ("plain", (0.0, 0.1, 0.7), Verdict.SOLVED),
        ("shoulder", (0.0, 0.12 - 1e-6, 1.2), Verdict.INSIDE_SHOULDER_CYLINDER),
        ("shoulder", (0.0, 0.12, 1.2), Verdict.SOLVED),
        ("shoulder", (0.0, 0.12 + 1e-6, 1.2), Verdict.SOLVED),
        ("elbow", (0.0, 0.6 + math.hypot(0.5, 0.08) + 1e-6, 0.7), Verdict.TOO_FAR),
        ("elbow", (0.0, 0.6 + math.hypot(0.5, 0.08), 0.7), Verdict.SOLVED),
    ],
)
def test_the_verdict_on_both_sides_of_every_border(name: str, wrist: tuple[float, ...], verdict: Verdict) -> None:
    arm, X = ARMS[name], target(*wrist)
    found = inverse_position(arm, X)
    assert [s.verdict for s in found] == [float(verdict)] * 8
    miss = misses(arm, np.array([s.q for s in found]), matrix(X))
    if verdict is Verdict.SOLVED:
        assert miss.max() < RECHECK
    else:  # the nearest configuration: the orientation is right and the wrist on the border
        assert miss.max() < 1.1e-6
        assert miss.min() > 1e-7


@pytest.mark.covers("FORM-04")
def test_a_base_offset_takes_the_backward_branches_first() -> None:
    """The backward wrist is twice the base offset farther from the shoulder."""
    verdicts = [s.verdict for s in inverse_position(ARMS["base"], target(0.0, 1.0, 0.7))]
    assert verdicts == [Verdict.SOLVED] * 4 + [Verdict.TOO_FAR] * 4


@pytest.mark.covers("FORM-03", "FORM-06")
@pytest.mark.parametrize("near", [0.0, 0.9])
@pytest.mark.parametrize("distance", [0.0, 1e-15, 1e-13, 1e-11, 1e-8, 1e-5])
@pytest.mark.parametrize("name", ["plain", "equal", "elbow", "shoulder", "all"])
def test_at_and_next_to_each_singularity(name: str, distance: float, near: float) -> None:
    arm = ARMS[name]
    stretched, d = -arm.elbow_angle, distance
    above = math.atan2(arm.forearm * math.sin(0.8), arm.l2 + arm.forearm * math.cos(0.8))
    lift = math.asin(-arm.base_offset / math.hypot(arm.l2 + arm.forearm * math.cos(0.8), arm.forearm * math.sin(0.8)))
    q = np.array([
        (0.3, 0.4, stretched + d, 0.6, 0.7, 0.8),
        (0.3, 0.4, stretched + math.pi - d, 0.6, 0.7, 0.8),
        (0.3, 0.4, 0.5, 0.6, d, 0.8),
        (0.3, 0.4, 0.5, 0.6, math.pi - d, 0.8),
        (0.3, lift - above + d, 0.8 + stretched, 0.6, 0.7, 0.8),
        (0.3, d, stretched, 0.6, 0.0, 0.8),
        (0.0,) * 6,
    ])  # fmt: skip
    X = robot_of(arm).pose(q, "tool")
    found, verdict = solver_321(arm)(X, np.full(6, near))
    solved = verdict == Verdict.SOLVED
    assert solved.any(1).all()
    assert misses(arm, found, X)[solved].max() < 5e-12  # the tolerance within which a border counts as reached
    assert np.isfinite(found).all()


@pytest.mark.covers("FORM-06")
def test_free_angles_are_those_of_the_neighbour() -> None:
    near = (0.11, 0.22, 0.33, 0.44, 0.55, 0.66)
    straight = forward_position(BOOK_ARM, (0.3, 0.4, 0.5, 0.6, 0.0, 0.8))
    q = inverse_position(BOOK_ARM, straight, near)[0].q
    assert q[3] == 0.44
    assert q[3] + q[5] == pytest.approx(1.4, abs=1e-12)
    folded = forward_position(BOOK_ARM, (0.3, 0.4, 0.5, 0.6, math.pi, 0.8))
    q = inverse_position(BOOK_ARM, folded, near)[0].q
    assert q[3] - q[5] == pytest.approx(-0.2, abs=1e-12)
    assert inverse_position(BOOK_ARM, target(0.0, 0.0, 1.2), near)[0].q[0] == 0.11
    assert inverse_position(ARMS["equal"], Pose.identity(), near)[0].q[1] == 0.22


@pytest.mark.covers("FORM-03")
def test_what_is_not_a_pose_is_said_to_be_none() -> None:
    X = matrix(forward_position(BOOK_ARM, BOOK_Q))
    mirror, stretched, nan, infinite = (X.copy() for _ in range(4))
    mirror[:3, 0] *= -1.0
    stretched[:3, :3] *= 1.001
    nan[0, 3], infinite[1, 3] = math.nan, math.inf
    q, verdict = solver_321(BOOK_ARM)(np.stack([X, mirror, stretched, nan, infinite, X]), np.zeros(6))
    assert (verdict[[0, 5]] == Verdict.SOLVED).all()
    assert (verdict[[1, 2]] == Verdict.INVALID).all()
    assert not (verdict[[3, 4]] == Verdict.SOLVED).any()
    assert np.array_equal(q[0], q[5])
    for bad in (nan, infinite):
        plain = inverse_position(BOOK_ARM, bad)
        assert {s.verdict for s in plain} == {float(Verdict.INVALID)}


@pytest.mark.parametrize(("lengths", "message"), [((0.7, 0.0, 0.5), "Arm321"), ((0.7, 0.6, math.nan), "Arm321")])
def test_impossible_lengths_raise(lengths: tuple[float, ...], message: str) -> None:
    with pytest.raises(ModelError, match=message):
        Arm321(*lengths)
