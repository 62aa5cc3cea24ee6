"""Verdicts where geometry decides: a planar arm at and next to its reach, limits, half turns, singular wrists."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import sixvec
from sixvec import Robot
from sixvec.errors import ArgumentError
from sixvec.ik import OrientationTask, PositionTask, Verdict, solve
from sixvec.ik.solution import Solution

FREE = sixvec.load("planar_2r")
TIP = FREE.frame_names[-1]


def _limited(*limits: tuple[float, float]) -> Robot:
    bodies, given = [], iter(limits)
    for b in FREE.model.bodies:
        low, high = next(given) if b.joint.nv else (0.0, 0.0)
        bodies.append(replace(b, limits=replace(b.limits, lower=(low,), upper=(high,))) if b.joint.nv else b)
    return Robot(replace(FREE.model, bodies=tuple(bodies)))


def _place(*q: float) -> np.ndarray:
    return FREE.pose(list(q), TIP)[:3, 3]


def _outward() -> np.ndarray:
    """The unit vector along the arm, stretched at (0.4, 0)."""
    shoulder = FREE.pose([0.4, 0.0], FREE.model.moving[0].name)[:3, 3]
    along = _place(0.4, 0.0) - shoulder
    return along / np.linalg.norm(along)


@pytest.mark.covers("KIN-23")
@pytest.mark.parametrize("beyond", [-1e-3, -1e-9, 0.0, 1e-9])
def test_on_the_edge_of_the_workspace_and_within_tolerance_is_solved(beyond: float) -> None:
    answer = solve(FREE, {PositionTask(TIP): _place(0.4, 0.0) + beyond * _outward()}, limits=False)
    assert answer.verdict == Verdict.SOLVED and answer.position_error < 1e-6


@pytest.mark.covers("KIN-23")
@pytest.mark.parametrize("beyond", [2e-6, 1e-4, 1e-2, 1.0, 100.0])
def test_beyond_the_edge_is_unreachable_by_exactly_that(beyond: float) -> None:
    for limits in (True, False):
        answer = solve(FREE, {PositionTask(TIP): _place(0.4, 0.0) + beyond * _outward()}, limits=limits)
        assert answer.verdict == Verdict.UNREACHABLE, answer.explain()
        assert answer.position_error == pytest.approx(beyond, rel=1e-9, abs=1e-13)
        assert answer.q == pytest.approx([0.4, 0.0], abs=1e-4)


@pytest.mark.parametrize("beyond", [-1e-9, 1e-9])
def test_tolerances_decide_on_which_side_of_the_edge_a_target_lies(beyond: float) -> None:
    target = {PositionTask(TIP): _place(0.4, 0.0) + beyond * _outward()}
    answer = solve(FREE, target, limits=False, tolerance=(1e-6, 1e-11))
    assert answer.verdict == (Verdict.SOLVED if beyond < 0.0 else Verdict.UNREACHABLE)
    assert answer.position_error == pytest.approx(max(0.0, beyond), abs=1e-11)


def test_off_the_plane_the_height_is_what_is_missing() -> None:
    normal = np.cross(_place(0.5, 0.3) - _place(0.0, 0.3), _outward())
    target = _place(0.4, 1.0) + 0.25 * normal / np.linalg.norm(normal)
    answer = solve(FREE, {PositionTask(TIP): target})
    assert answer.verdict == Verdict.UNREACHABLE
    assert answer.position_error == pytest.approx(0.25, rel=1e-9)
    assert FREE.pose(answer.q, TIP)[:3, 3] == pytest.approx(_place(0.4, 1.0), abs=1e-6)


@pytest.mark.covers("KIN-23")
def test_a_stretched_start_with_the_target_straight_behind_is_singular() -> None:
    """The joints cannot pull the arm in, to first order; bending it comes closer, so it is not out of reach."""
    target = {PositionTask(TIP): _place(0.4, 0.0) - 0.5 * _outward()}
    stuck = solve(FREE, target, q0=[0.4, 0.0], limits=False, starts=1)
    assert stuck.verdict == Verdict.SINGULAR and stuck.position_error == pytest.approx(0.5)
    assert "closer" in stuck.explain()
    assert solve(FREE, target, q0=[0.4, 0.0], limits=False).verdict == Verdict.SOLVED
    assert solve(FREE, target, q0=[0.4, 0.0]).verdict == Verdict.SOLVED


def test_a_half_turn_away_is_singular_for_one_start_and_solved_for_many() -> None:
    q0 = np.array([0.3, -0.2])
    axis = FREE.jacobian(q0, TIP)[:3, 0]
    for turn in (np.diag([-1.0, -1.0, 1.0]), np.diag([-1.0, 1.0, -1.0]), np.diag([1.0, -1.0, -1.0])):
        target = {OrientationTask(TIP): turn @ FREE.pose(q0, TIP)[:3, :3]}
        one = solve(FREE, target, q0=q0, limits=False, starts=1)
        many = solve(FREE, target, q0=q0)
        if np.allclose(turn @ axis, axis):
            assert one.verdict == Verdict.SINGULAR and one.rotation_error == pytest.approx(np.pi)
            assert many.verdict == Verdict.SOLVED
        else:  # a planar arm turns about one axis only: about another it is half a turn away wherever it goes
            assert many.verdict == Verdict.UNREACHABLE and many.rotation_error == pytest.approx(np.pi, abs=1e-6)


def test_a_tilt_that_no_joint_makes_is_what_is_left() -> None:
    axis = FREE.jacobian([0.0, 0.0], TIP)[:3, 0]
    across = np.cross(axis, [0.3, 0.5, 0.7])
    across /= np.linalg.norm(across)
    K = np.cross(np.eye(3), across)
    tilt = np.eye(3) + np.sin(0.5) * -K + (1 - np.cos(0.5)) * K @ K
    answer = solve(FREE, {OrientationTask(TIP): tilt @ FREE.pose([0.2, 0.3], TIP)[:3, :3]})
    assert answer.verdict == Verdict.UNREACHABLE
    assert answer.rotation_error == pytest.approx(0.5, rel=1e-9)


@pytest.mark.parametrize(
    ("limits", "q", "joint"),
    [
        (((-0.5, 0.5), (0.1, 3.0)), (1.2, 0.6), 0),  # the shoulder must turn further than it may
        (((-3.0, 3.0), (0.1, 1.0)), (0.2, 1.5), 1),  # the elbow must bend further, either way
        (((2.0, 5.0), (0.1, 3.0)), (5.5, 0.6), 0),  # ranges that are not around zero
        (((-8.0, -6.0), (0.1, 3.0)), (-5.0, 0.6), 0),
    ],
)
def test_a_limit_that_cuts_the_solution_off_is_named(
    limits: tuple[tuple[float, float], ...], q: tuple[float, float], joint: int
) -> None:
    robot = _limited(*limits)
    answer = solve(robot, {PositionTask(TIP): _place(*q)})
    assert answer.verdict == Verdict.AT_LIMIT and answer.joint == joint, answer.explain()
    assert robot.joint_names[joint] in answer.explain()
    assert (answer.q >= robot.lower).all() and (answer.q <= robot.upper).all()
    assert answer.position_error > 1e-3


@pytest.mark.parametrize("q", [(2.5, 0.6), (4.0, 2.0), (4.9, 0.2)])
def test_ranges_away_from_zero_are_used(q: tuple[float, float]) -> None:
    robot = _limited((2.0, 5.0), (0.1, 3.0))
    answer = solve(robot, {PositionTask(TIP): _place(*q)})
    assert answer.solved and answer.q == pytest.approx(q, abs=1e-5)


def test_beyond_reach_within_narrow_limits_is_unreachable_not_at_limit() -> None:
    answer = solve(_limited((-0.5, 0.5), (0.1, 3.0)), {PositionTask(TIP): 3.0 * _place(1.2, 0.0)})
    assert answer.verdict == Verdict.UNREACHABLE and answer.joint == -1


def test_a_singular_wrist_is_no_obstacle() -> None:
    robot = sixvec.load("puma560")
    q = np.clip(robot.random(5, 60), -2.0, 2.0)
    q[:, 4] = 0.0
    for method in ("auto", "numerical"):
        answer = robot.ik(robot.pose(q, "link6"), "link6", method=method)
        assert answer.solved.all(), str(answer)


@pytest.mark.covers("KIN-23")
@pytest.mark.parametrize("distance", [1e3, 1e6, 1e9, 1e12, 1e50])
def test_however_far_away_is_unreachable(distance: float) -> None:
    """From 1e8 m the squared error no longer shows how the hand is turned; it still shows where the arm points."""
    robot = sixvec.load("panda")
    X = np.diag([1.0, -1.0, -1.0, 1.0])
    X[0, 3] = distance
    answer = robot.ik(X, "panda_link8")
    assert answer.verdict == Verdict.UNREACHABLE and answer.position_error == pytest.approx(distance, rel=2e-3)
    if distance <= 1e12:
        assert robot.pose(answer.q, "panda_link8")[0, 3] > 0.7


@pytest.mark.parametrize(("x", "z"), [(0.3, 0.925), (0.275, 0.95)])
def test_bent_valleys_next_to_a_limit_are_followed_to_their_end(x: float, z: float) -> None:
    robot = sixvec.load("panda")
    X = np.diag([1.0, -1.0, -1.0, 1.0])
    X[0, 3], X[2, 3] = x, z
    answer = robot.ik(X, "panda_link8")
    assert answer.verdict == Verdict.UNREACHABLE, answer.explain()
    longer = robot.ik(X, "panda_link8", iterations=500)
    assert answer.position_error == pytest.approx(longer.position_error, rel=1e-5)


def _at_limits(share: float, seed: int, rows: list[int]) -> np.ndarray:
    """Positions of a Panda with that share of the joints at a limit."""
    panda, rng = sixvec.load("panda"), np.random.default_rng(seed)
    q = panda.random(rng, 6000)
    side = np.where(rng.random(q.shape) < 0.5, panda.lower, panda.upper)
    return np.where(rng.random(q.shape) < share, side, q)[rows]


@pytest.mark.covers("KIN-23")
def test_poses_with_most_joints_at_their_limits_are_found() -> None:
    """Of 12 000 such poses the hardest: a hundred uniform starts lead nowhere near them."""
    panda = sixvec.load("panda")
    q = np.concatenate([
        _at_limits(0.5, 5, [3601, 4071, 4175, 5385]),
        _at_limits(0.8, 8, [58, 180, 843, 1449, 2732, 3058, 3232, 3497, 3721, 4270, 4618, 4843, 5140]),
    ])  # fmt: skip
    pose = panda.pose(q, "panda_link8")
    answer = panda.ik(pose, "panda_link8")
    assert answer.solved.all(), str(answer)
    assert (answer.q >= panda.lower).all() and (answer.q <= panda.upper).all()
    assert np.abs(panda.pose(answer.q, "panda_link8") - pose).max() < 2e-6
    alone = panda.ik(pose[0], "panda_link8")
    assert (alone.q == answer.q[0]).all()


@pytest.mark.covers("KIN-23")
def test_a_single_unreachable_pose_needs_no_long_compilation(monkeypatch: pytest.MonkeyPatch) -> None:
    """The comparison of a target with the whole table, as one program, is for many problems."""

    def forbidden(*_: object) -> None:
        raise AssertionError("compiled the table for one problem")

    monkeypatch.setattr("sixvec.ik.search.nearest", forbidden)
    arm = sixvec.load("ur5e")
    pose = arm.pose(arm.random(0), "tool0")
    pose[0, 3] += 3.0
    answer = arm.ik(pose, "tool0")
    assert answer.verdict == Verdict.UNREACHABLE and answer.starts == 40


@pytest.mark.parametrize(
    ("verdict", "joint", "errors", "swivel", "words"),
    [
        (Verdict.SOLVED, -1, (0.5, 0.5), None, ""),
        (Verdict.INVALID, -1, (0.5, 0.5), None, ""),
        (Verdict.UNREACHABLE, -1, (0.25, 0.0), None, "the closest position found is 0.25 m away"),
        (Verdict.UNREACHABLE, -1, (0.0, 0.125), None, "the closest position found is turned by 0.12 rad"),
        (Verdict.NOT_CONVERGED, -1, (2.0, 1.0), None, "the closest position found is 2 m away and turned by 1 rad"),
        (Verdict.AT_LIMIT, 0, (2.0, 0.0), None, "no start led to the target within the limits; with hip beyond its "
         "limit it was reached; the closest position found is 2 m away"),
        (Verdict.AT_LIMIT, 1, (2.0, 0.0), None, "no start led to the target within the limits; with coordinate 1 beyond"
         " its limit it was reached; the closest position found is 2 m away"),
        (Verdict.AT_LIMIT, 0, (2.0, 0.0), 0.5, "with the swivel angle 0.5 the target is reached only beyond the limit "
         "of hip; other angles may do; that position, taken back to the limits, is 2 m away"),
        (Verdict.SINGULAR, -1, (2.0, 0.0), None, "the Jacobian has lost the missing motion here, but from elsewhere "
         "the joints come closer; the closest position found is 2 m away"),
    ],
)  # fmt: skip
def test_every_verdict_in_words(
    verdict: Verdict, joint: int, errors: tuple[float, float], swivel: float | None, words: str
) -> None:
    batch = (2, 1)
    place, turn = (np.full(batch, x) for x in errors)
    angle = None if swivel is None else np.full(batch, swivel)
    found = Solution(
        np.zeros((*batch, 2)), np.full(batch, verdict, np.int8), place, turn, np.full(batch, joint),
        np.zeros(batch, np.int64), ("hip",), angle,
    )  # fmt: skip
    assert found.explain((1, 0)) == (f"{verdict}: {words}" if words else str(verdict))
    assert bool(found) == (verdict == Verdict.SOLVED) == found.solved.all()
    with pytest.raises(ArgumentError, match="explain"):
        found.explain()
    with pytest.raises(ArgumentError, match="explain"):
        found.explain(1)
