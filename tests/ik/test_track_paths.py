"""Paths: followed without jumps where there is a way, taken up again where there is none, and every jump is told."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import sixvec
from sixvec import Robot
from sixvec.errors import FrameNotFound, ModelError, ShapeError
from sixvec.ik import Track, Verdict, follow, track
from sixvec.ik.closed_form import closed_form
from sixvec.ik.follow import FINER

TIP = "panda_link8"
Q0 = np.array([0.1, -0.4, 0.2, -2.0, 0.1, 1.8, 0.4])


@pytest.fixture(scope="module")
def panda() -> Robot:
    return sixvec.load("panda")


def _with_limits(robot: Robot, joint: str, lower: float, upper: float) -> Robot:
    bodies = [
        replace(b, limits=replace(b.limits, lower=(lower,), upper=(upper,))) if b.joint_name == joint else b
        for b in robot.model.bodies
    ]
    return Robot(replace(robot.model, bodies=tuple(bodies)))


def test_a_calm_path_has_no_switch_and_tells_its_jumps(panda: Robot) -> None:
    t = np.linspace(0.0, 2 * np.pi, 300)
    path = np.repeat(panda.pose(Q0, TIP)[None], 300, axis=0)
    path[:, 1, 3] += 0.1 * np.sin(t)
    run = panda.track(Q0, path, TIP)
    assert isinstance(run, Track) and run.solved.all() and run.switches == []
    assert run.jump[1:] == pytest.approx(np.abs(np.diff(run.q, axis=0)).max(axis=1))
    assert run.max_jump == run.jump.max() and run.max_jump < 0.02
    assert "300 solved, no branch switch" in str(run)


def test_where_a_limit_ends_a_branch_the_other_one_is_taken() -> None:
    """The hand turns about its axis by 3 rad, its last joint by 1.7: there another posture begins, the nearest."""
    free = sixvec.load("puma560")
    robot = _with_limits(free, free.joint_names[5], -1.7, 1.7)
    q = np.tile([0.2, 0.6, -0.9, 0.3, 0.8, 0.0], (301, 1))
    q[:, 5] = np.linspace(0.0, 3.0, 301)
    run = robot.track(q[0], free.pose(q, "link6"), "link6")
    assert run.solved.all()
    first = int(np.argmax(q[:, 5] > 1.7))
    assert run.switches == [(first,)]
    assert np.abs(run.q[:first] - q[:first]).max() < 1e-5
    every = closed_form(robot, "link6")(free.pose(q[first], "link6"))
    assert np.abs(run.q[first] - every.nearest(run.q[first - 1]).q).max() < 1e-5
    assert np.argmax(run.jump) == first and np.delete(run.jump, first).max() < 0.02
    assert run.max_jump == pytest.approx(np.abs(run.q[first] - run.q[first - 1]).max())
    assert "1 branch switch," in str(run)
    lost = track(robot, q[0], free.pose(q, "link6"), "link6", search=False)
    assert not lost.solved[first] and not lost.switched.any()


def test_a_coarse_path_is_followed_in_finer_steps() -> None:
    """Poses of a way in joint space, 200 of them or 9: the same end, without a switch of branch."""
    robot = sixvec.load("ur5e")
    ends = np.array([[0.4, -1.3, 1.4, -1.2, -1.2, 0.3], [2.2, -0.9, 0.9, -2.0, -0.6, 1.5]])
    s = np.linspace(0.0, 1.0, 401)[:, None]
    way = robot.pose((1 - s) * ends[0] + s * ends[1], "tool0")
    fine, coarse = robot.track(ends[0], way, "tool0"), robot.track(ends[0], way[::50], "tool0")
    assert fine.solved.all() and coarse.solved.all()
    assert not fine.switched.any() and not coarse.switched.any()
    assert np.abs(coarse.q - fine.q[::50]).max() < 1e-4 and np.abs(fine.q[-1] - ends[1]).max() < 1e-4


def test_out_of_reach_and_back(panda: Robot) -> None:
    path = np.repeat(panda.pose(Q0, TIP)[None], 200, axis=0)
    path[:, 0, 3] += 1.5 * np.sin(np.linspace(0.0, np.pi, 200))
    run = panda.track(Q0, path, TIP)
    away = np.flatnonzero(~run.solved)
    assert run.solved[:10].all() and run.solved[-10:].all() and away.size > 50
    assert np.array_equal(run.solved, panda.ik(path, TIP).solved)  # what can be reached is, on the path too
    far = np.linalg.norm(path[:, :3, 3] - [0.0, 0.0, 0.333], axis=1) > 1.1
    assert (run.verdict[far] == Verdict.UNREACHABLE).all()  # from the shoulder to the flange it is not 1.1 m
    assert (run.q >= panda.lower).all() and (run.q <= panda.upper).all()
    # It waits at the last pose that it reached, and goes on from there on the way back.
    assert np.array_equal(run.q[away], np.tile(run.q[away[0] - 1], (away.size, 1)))
    assert run.max_jump < 1.0
    found = panda.pose(run.q[run.solved], TIP)
    assert np.abs(found - path[run.solved]).max() < 2e-6


def test_a_start_far_from_the_path_is_reported(panda: Robot) -> None:
    q = panda.random(1)
    run = panda.track(Q0, panda.pose(q, TIP)[None], TIP)
    assert run.solved.all() and run.jump[0] == pytest.approx(np.abs(run.q[0] - Q0).max())


def test_a_path_does_not_depend_on_those_next_to_it(panda: Robot) -> None:
    path = np.repeat(panda.pose(Q0, TIP)[None], 60, axis=0)
    path[:, 0, 3] += np.linspace(0.0, 0.6, 60)
    other = path.copy()
    other[:, 2, 3] += 0.1 * np.sin(np.linspace(0.0, 3.0, 60))
    both = track(panda, Q0, np.stack([path, other]), TIP)
    for k, alone in enumerate((track(panda, Q0, path, TIP), track(panda, Q0, other, TIP))):
        assert np.array_equal(both.verdict[k], alone.verdict)
        assert np.allclose(both.q[k], alone.q, atol=1e-5)


def test_poses_without_any_order_end_too(panda: Robot) -> None:
    run = track(panda, Q0, panda.pose(panda.random(0, 25), TIP), TIP)
    assert run.solved.all()
    assert np.isfinite(run.q).all()


def test_empty_paths_and_bad_input(panda: Robot) -> None:
    assert track(panda, Q0, np.empty((0, 4, 4)), TIP).q.shape == (0, 7)
    assert track(panda, Q0, np.empty((0, 5, 4, 4)), TIP).q.shape == (0, 5, 7)
    assert track(panda, Q0, np.empty((3, 0, 4, 4)), TIP).max_jump == 0.0
    X = panda.pose(Q0, TIP)
    with pytest.raises(ShapeError, match="track"):
        track(panda, Q0, X, TIP)
    with pytest.raises(ShapeError, match="track"):
        track(panda, np.stack([Q0] * 2), np.stack([X] * 12).reshape(3, 4, 4, 4), TIP)
    with pytest.raises(FrameNotFound, match="panda_link8"):
        track(panda, Q0, X[None], "panda_link88")
    with pytest.raises(ModelError, match="panda_joint1"):
        track(_with_limits(panda, "panda_joint1", 1.0, -1.0), Q0, X[None], TIP)


@pytest.mark.parametrize("name", ["panda", "ur5e"])
@pytest.mark.parametrize("entry", [(slice(None), slice(None)), (0, 3), (3, 0), (1, 1)])
def test_a_pose_that_is_none_is_left_out_and_the_rest_followed(name: str, entry: tuple[int | slice, ...]) -> None:
    robot = sixvec.load(name)
    frame = robot.frame_names[-1]
    q0 = np.clip([0.1, -0.9, 0.7, -2.0, 0.4, 1.2, 0.3][: robot.nq], robot.lower, robot.upper)
    path = np.repeat(robot.pose(q0, frame)[None], 100, axis=0)
    path[:, 0, 3] -= np.linspace(0.0, 0.05, 100)
    whole = robot.track(q0, path, frame)
    assert whole.solved.all()
    batch = np.stack([path] * 5)
    gaps = (0, 1, 10, 98, 99)
    for row, k in enumerate(gaps):
        batch[(row, k, *entry)] = np.nan
    both = robot.track(q0, batch, frame)
    for row, k in enumerate(gaps):
        for run in (robot.track(q0, batch[row], frame).verdict, both.verdict[row]):
            assert run[k] == Verdict.INVALID and (np.delete(run, k) == Verdict.SOLVED).all()
        assert np.abs(np.delete(both.q[row] - whole.q, k, axis=0)).max() < 1e-3
    assert np.isnan(batch[2, 10][entry]).all() and np.array_equal(batch[0, 1:], path[1:])  # nothing was written into


def test_through_a_wrist_singularity_a_smooth_motion_goes_on_as_it_came() -> None:
    """Joint paths on which the wrist is stretched half way, and on some the elbow too: there two branches meet."""
    robot, rng = sixvec.load("puma560"), np.random.default_rng(0)
    s = np.linspace(-1.0, 1.0, 61)[:, None]
    middle = robot.lower + (robot.upper - robot.lower) * rng.uniform(0.25, 0.75, (120, 6))
    middle[:, 4] = 0.0
    speed = rng.uniform(-0.5, 0.5, (120, 6))
    speed[:, 4] = rng.choice([-0.6, 0.6], 120)
    for shift in (0.0, 0.37 / 61):  # exactly through the singularity, and past it
        q = middle[:, None] + (s + shift) * speed[:, None]
        # One that starts at a singularity has not come from anywhere.
        q = q[np.linalg.svd(robot.jacobian(q[:, :2], "link6"), compute_uv=False)[..., -1].min(axis=1) > 0.01]
        assert len(q) > 100
        run = robot.track(q[:, 0], robot.pose(q, "link6"), "link6")
        assert run.solved.all() and run.switches == []
        assert np.abs(run.q - q).max() < 1e-3 and run.max_jump < 0.03


def test_small_steps_lead_straight_from_here_to_there(monkeypatch: pytest.MonkeyPatch) -> None:
    """Positions on a line; rotations about the one axis that leads from the first to the last, without way back."""
    robot = sixvec.load("panda")
    frame = "panda_link8"
    q, goal = robot.random(3, 4), robot.pose(robot.random(4, 4), frame)
    asked: list[np.ndarray] = []

    def follow_(robot: object, frame: str, q: np.ndarray, drift: np.ndarray, targets: np.ndarray) -> object:
        asked.append(targets)
        return np.zeros((4, FINER, 7)), np.zeros((4, FINER)), np.zeros((4, FINER))

    monkeypatch.setattr(follow, "follow", follow_)
    follow.slowly(robot, frame, q, np.zeros((4, 7)), goal)
    (way,) = asked
    here = robot.pose(q, frame)
    s = np.arange(1, FINER + 1)[None, :, None] / FINER
    assert np.allclose(way[..., :3, 3], (1.0 - s) * here[:, None, :3, 3] + s * goal[:, None, :3, 3], atol=1e-12)
    assert np.allclose(way[:, -1], goal) and np.allclose(way[..., 3, :], [0.0, 0.0, 0.0, 1.0])
    R = way[..., :3, :3]
    assert np.allclose(R @ np.swapaxes(R, -1, -2), np.eye(3), atol=1e-12) and (np.linalg.det(R) > 0.0).all()

    def angle(A: np.ndarray, B: np.ndarray) -> np.ndarray:
        trace = np.einsum("...ij,...ij", A, B)
        return np.arccos(np.clip((trace - 1.0) / 2.0, -1.0, 1.0))

    start, end = here[:, None, :3, :3], goal[:, None, :3, :3]
    whole = angle(start, end)
    assert np.allclose(angle(start, R) + angle(R, end), whole, atol=1e-6)  # on the shortest arc
    assert (np.diff(angle(start, R), axis=1) > 0.0).all()


def test_a_pose_is_reached_in_place_and_in_turn() -> None:
    """Two joints in a plane: at the place but turned, or as turned but elsewhere, is not there."""
    arm = sixvec.load("planar_2r")
    q0 = np.array([0.3, 0.5])
    here = arm.pose(q0, "tip")
    turned, moved = here.copy(), here.copy()
    c, s = np.cos(0.2), np.sin(0.2)
    turned[:3, :3] = np.array([[c, 0.0, s], [0.0, 1.0, 0.0], [-s, 0.0, c]]) @ here[:3, :3]
    moved[1, 3] += 0.1  # off its plane
    found = track(arm, q0, np.stack([here, turned, here, moved, here]), "tip")
    assert (found.verdict == Verdict.SOLVED).tolist() == [True, False, True, False, True]
    assert found.rotation_error[1] > 0.01 and found.position_error[3] > 0.01
