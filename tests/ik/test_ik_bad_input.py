"""What inverse kinematics cannot use is named at the border; what it can is answered, also if there is none of it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import sixvec
from naming import named
from sixvec import Robot
from sixvec.errors import ArgumentError, DtypeError, FrameNotFound, ModelError, ShapeError
from sixvec.ik import CenterOfMassTask, OrientationTask, PoseTask, PositionTask, PostureTask, Verdict, solve, track
from sixvec.model import Body, Model

ARMS = {"ur5e": "tool0", "panda": "panda_link8", "iiwa14": "flange"}
"""With a closed form, without, and with one that takes a swivel angle."""


@pytest.fixture(params=ARMS, scope="module")
def arm(request: pytest.FixtureRequest) -> tuple[Robot, str]:
    return sixvec.load(request.param), ARMS[request.param]


def _pose(arm: tuple[Robot, str]) -> Any:
    return arm[0].pose(arm[0].random(0), arm[1])


def test_matrices_that_are_no_rotations(arm: tuple[Robot, str]) -> None:
    robot, frame = arm
    X = _pose(arm)
    scaled, mirrored, sheared = X.copy(), X.copy(), X.copy()
    scaled[:3, :3] *= 1.01
    mirrored[:3, 0] *= -1.0
    sheared[0, 1] += 1e-3
    for bad in (scaled, mirrored, sheared):
        for call in (
            lambda bad=bad: robot.ik(bad, frame),
            lambda bad=bad: solve(robot, {OrientationTask(frame): bad[:3, :3]}),
            lambda bad=bad: track(robot, robot.neutral(), bad[None], frame),
        ):
            with pytest.raises(ArgumentError, match="rotation"):
                call()
    with pytest.raises(ArgumentError, match=named("ik", "pose[1]")):  # which of several
        robot.ik(np.stack([X, scaled]), frame)


def test_not_a_number_and_infinity_concern_their_own_pose(arm: tuple[Robot, str]) -> None:
    robot, frame = arm
    X = np.stack([_pose(arm)] * 4)
    X[1, 0, 3], X[2, 1, 3] = np.nan, np.inf
    answer = robot.ik(X, frame)
    assert answer.verdict.tolist() == [Verdict.SOLVED, Verdict.INVALID, Verdict.INVALID, Verdict.SOLVED]
    assert answer.explain(1) == "invalid"
    X[1, 0, 3], X[1, 0, 0] = X[0, 0, 3], np.nan
    assert robot.ik(X, frame).verdict[1] == Verdict.INVALID
    run = track(robot, answer.q[0], X, frame)
    assert run.verdict.tolist() == [Verdict.SOLVED, Verdict.INVALID, Verdict.INVALID, Verdict.SOLVED]


def test_starts_that_are_none(arm: tuple[Robot, str]) -> None:
    robot, frame = arm
    X = _pose(arm)
    for call in (lambda q: robot.ik(X, frame, q0=q), lambda q: robot.track(q, X[None], frame)):
        with pytest.raises(ShapeError, match=rf"\(\.\.\., {robot.nq}\) is needed"):
            call(np.zeros(robot.nq + 1))
        with pytest.raises(ArgumentError, match="posture"):
            call(np.full(robot.nq, np.nan))
        with pytest.raises(DtypeError):
            call(["a"] * robot.nq)


def test_targets_that_are_no_arrays_of_numbers(arm: tuple[Robot, str]) -> None:
    robot, frame = arm
    with pytest.raises(ShapeError, match=named("ik", "pose")):
        robot.ik(np.eye(3), frame)
    with pytest.raises(ShapeError, match=named("ik", "pose")):
        robot.ik([[1.0, 0.0], [0.0]], frame)
    with pytest.raises(DtypeError, match=named("ik", "pose")):
        robot.ik(np.eye(4) * 1j, frame)
    with pytest.raises(DtypeError):
        robot.ik([["x"] * 4] * 4, frame)


def test_limits_between_which_there_is_nothing(arm: tuple[Robot, str]) -> None:
    robot, frame = arm
    bodies = list(robot.model.bodies)
    k = next(i for i, b in enumerate(bodies) if b.joint.nv)
    bodies[k] = replace(bodies[k], limits=replace(bodies[k].limits, lower=(1.0,), upper=(-1.0,)))
    crossed = Robot(replace(robot.model, bodies=tuple(bodies)))
    X = _pose(arm)
    for call in (
        lambda: crossed.ik(X, frame),
        lambda: solve(crossed, {PoseTask(frame): X}),
        lambda: crossed.track(robot.neutral(), X[None], frame),
    ):
        with pytest.raises(ModelError, match=named(robot.joint_names[0], "limits")):
            call()


def test_a_range_of_one_point_is_a_joint_that_stays(arm: tuple[Robot, str]) -> None:
    robot, frame = arm
    bodies = list(robot.model.bodies)
    k = next(i for i, b in enumerate(bodies) if b.joint.nv)
    bodies[k] = replace(bodies[k], limits=replace(bodies[k].limits, lower=(0.25,), upper=(0.25,)))
    stiff = Robot(replace(robot.model, bodies=tuple(bodies)))
    q = np.array(robot.random(3))
    q[0] = 0.25
    answer = stiff.ik(robot.pose(q, frame), frame)
    assert answer.solved and answer.q[0] == pytest.approx(0.25, abs=1e-9)


def test_robots_and_frames_that_do_not_move(arm: tuple[Robot, str]) -> None:
    rock = Robot(Model("rock", (Body("stone"),)))
    for call in (
        lambda: rock.ik(np.eye(4), "stone"),
        lambda: solve(rock, {PositionTask("stone"): [1.0, 0.0, 0.0]}),
        lambda: rock.track([], np.eye(4)[None], "stone"),
    ):
        with pytest.raises(ModelError, match="rock"):
            call()
    robot, _ = arm
    base = robot.frame_names[0]
    here, there = robot.pose(robot.neutral(), base), robot.pose(robot.neutral(), base)
    there[0, 3] += 0.5
    answer = robot.ik(np.stack([here, there]), base)
    assert answer.verdict.tolist() == [Verdict.SOLVED, Verdict.UNREACHABLE]
    assert answer.position_error[1] == pytest.approx(0.5)


def test_frames_that_do_not_exist(arm: tuple[Robot, str]) -> None:
    robot, frame = arm
    X = _pose(arm)
    for call in (
        lambda: robot.ik(X, frame + "x"),
        lambda: solve(robot, {PoseTask(frame + "x"): X}),
        lambda: robot.track(robot.neutral(), X[None], frame + "x"),
    ):
        with pytest.raises(FrameNotFound, match=f'did you mean "{frame}"'):
            call()


def test_nothing_to_solve(arm: tuple[Robot, str]) -> None:
    robot, frame = arm
    for shape in ((0,), (2, 0), (0, 3)):
        empty = np.empty((*shape, 4, 4))
        for answer in (robot.ik(empty, frame), solve(robot, {PoseTask(frame): empty})):
            assert answer.q.shape == (*shape, robot.nq) and answer.solved.shape == shape and bool(answer)
            assert str(answer) == "nothing to solve"


@pytest.mark.parametrize("settings", [{"starts": 0}, {"starts": 2.5}, {"iterations": True}, {"iterations": -1}])
def test_counts_are_whole_numbers(settings: dict[str, Any]) -> None:
    robot = sixvec.load("panda")
    X = robot.pose(robot.neutral(), "panda_link8")
    with pytest.raises(ArgumentError):
        robot.ik(X, "panda_link8", **settings)
    with pytest.raises(ArgumentError):
        solve(robot, {PoseTask("panda_link8"): X}, **settings)


@pytest.mark.parametrize("gain", [-0.1, 1.5, np.nan])
def test_a_posture_is_approached_by_a_part(gain: float) -> None:
    robot = sixvec.load("panda")
    task = {PoseTask("panda_link8"): robot.pose(robot.neutral(), "panda_link8")}
    with pytest.raises(ArgumentError, match="posture_gain"):
        solve(robot, task, posture=robot.neutral(), posture_gain=gain)


def test_limits_are_kept_or_not(arm: tuple[Robot, str]) -> None:
    robot, frame = arm
    X = _pose(arm)
    for bad in ((robot.lower, robot.upper), None, 1, "yes"):
        for call in (
            lambda bad=bad: robot.ik(X, frame, limits=bad),
            lambda bad=bad: solve(robot, {PoseTask(frame): X}, limits=bad),
        ):
            with pytest.raises(ArgumentError, match="limits"):
                call()
    assert robot.ik(X, frame, limits=np.bool_(False)).solved


def test_postures_are_checked_also_where_a_formula_answers(arm: tuple[Robot, str]) -> None:
    robot, frame = arm
    X = _pose(arm)
    good = robot.neutral()
    with pytest.raises(ShapeError, match=rf"\(\.\.\., {robot.nq}\) is needed"):
        robot.ik(X, frame, posture=good[:-1])
    with pytest.raises(ShapeError, match=rf"\({robot.nq},\) is needed: one for all problems"):
        robot.ik(X, frame, posture=np.stack([good, good]))
    with pytest.raises(ArgumentError, match="posture"):
        robot.ik(X, frame, posture=good * np.nan)
    for gain in (-0.1, 1.5, np.nan):
        with pytest.raises(ArgumentError, match="posture_gain"):
            robot.ik(X, frame, posture=good, posture_gain=gain)
    with pytest.raises(DtypeError, match=named("posture_gain", "a")):
        robot.ik(X, frame, posture=good, posture_gain="a")


def test_words_where_numbers_belong(arm: tuple[Robot, str]) -> None:
    robot, frame = arm
    X = _pose(arm)
    with pytest.raises(DtypeError, match=named("Frame", "a")):
        solve(robot, {PoseTask(frame, weight="a"): X})  # type: ignore[arg-type]
    for weight in (0.0, -1.0, np.nan, np.inf):
        with pytest.raises(ArgumentError, match="weight"):
            solve(robot, {PoseTask(frame, weight=weight): X})
    for call in (lambda **o: robot.ik(X, frame, **o), lambda **o: robot.track(robot.neutral(), X[None], frame, **o)):
        with pytest.raises(DtypeError, match=named("tolerance", "a")):
            call(tolerance="a")
        for wrong in ((1e-6, np.nan), (0.0, 1e-6), (1e-6,)):
            with pytest.raises(ArgumentError):
                call(tolerance=wrong)
    with pytest.raises(ArgumentError, match=named("track", "starts")):
        robot.track(robot.neutral(), X[None], frame, starts=3)


def test_one_sentence_is_about_one_problem(arm: tuple[Robot, str]) -> None:
    robot, frame = arm
    X = robot.pose(robot.random(0, 2, 3), frame)
    answer = robot.ik(X, frame)
    with pytest.raises(ArgumentError, match="explain"):
        answer.explain()
    with pytest.raises(ArgumentError, match="explain"):
        answer.explain(1)
    assert answer.explain((1, 2)) == "solved"
    with pytest.raises(ArgumentError, match="explain"):
        robot.track(robot.random(0), X[0, :1], frame).explain()


def test_tasks_without_a_frame_show_none() -> None:
    assert repr(PostureTask(joints="elbow")) == "Posture(joints=('elbow',))"
    assert repr(CenterOfMassTask()) == "CenterOfMass()"


def test_starts_and_names_that_do_not_fit() -> None:
    flat = sixvec.load("planar_2r")
    with pytest.raises(ShapeError, match="solve"):
        solve(flat, {PositionTask("tip"): np.zeros((3, 3))}, q0=np.zeros((2, 2)))
    with pytest.raises(ArgumentError, match=named("fixed", "shoulder")):
        flat.assemble([0.0, 0.0], fixed="shoulder")
