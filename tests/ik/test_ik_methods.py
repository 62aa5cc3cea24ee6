"""robot.ik: formulas where there are some, iterations elsewhere, one kind of answer."""

from __future__ import annotations

import copy

import numpy as np
import pytest

import sixvec
from naming import named
from sixvec.errors import ArgumentError, FrameNotFound, ShapeError
from sixvec.ik import Verdict


def test_an_arm_with_a_closed_form_takes_no_start() -> None:
    robot = sixvec.load("ur5e")
    frame = robot.frame_names[-1]
    q = robot.random(0, 300)
    X = robot.pose(q, frame)
    answer = robot.ik(X, frame, q0=q)
    assert answer.solved.all() and (answer.starts == 0).all()
    assert np.abs(robot.pose(answer.q, frame) - X).max() < 1e-9
    # Of the eight, the nearest to q is q itself, up to whole turns.
    turns = np.round((answer.q - q) / (2 * np.pi))
    assert np.mean(np.abs(answer.q - q - 2 * np.pi * turns).max(axis=1) < 1e-6) > 0.95


def test_both_methods_agree_on_what_can_be_reached() -> None:
    robot = sixvec.load("puma560")
    X = robot.pose(robot.random(1, 200), "link6")
    formula, steps = robot.ik(X, "link6"), robot.ik(X, "link6", method="numerical")
    assert formula.solved.all() and steps.solved.mean() > 0.98
    assert np.abs(robot.pose(steps.q[steps.solved], "link6") - X[steps.solved]).max() < 2e-6


def test_what_formulas_cannot_reach_gets_a_reason_and_the_closest() -> None:
    robot = sixvec.load("puma560")
    X = robot.pose(robot.random(2, 4), "link6")
    X[1, :3, 3] *= 5.0
    X[2, 0, 3] = np.nan
    answer = robot.ik(X, "link6")
    assert answer.verdict.tolist() == [Verdict.SOLVED, Verdict.UNREACHABLE, Verdict.INVALID, Verdict.SOLVED]
    assert np.isfinite(answer.q[1]).all() and np.isnan(answer.q[2]).all()


def test_errors_teach() -> None:
    robot = sixvec.load("puma560")
    X = robot.pose(robot.neutral(), "link6")
    with pytest.raises(ArgumentError, match=named("method", "magic", "auto", "closed_form")):
        robot.ik(X, "link6", method="magic")
    with pytest.raises(FrameNotFound, match="link66"):
        robot.ik(X, "link66")
    with pytest.raises(ArgumentError, match=named("ik", "pose")):
        robot.ik(2 * X, "link6")


@pytest.mark.parametrize("name", ["ur5e", "puma560"])
def test_at_a_wrist_singularity_the_answer_stays_at_q0(name: str) -> None:
    """Two wrist axes in line: infinitely many answers, of which q0 is one."""
    robot = sixvec.load(name)
    frame = robot.frame_names[-1]
    q = np.clip(robot.random(5, 100), -2.0, 2.0)
    q[:, 4] = 0.0
    answer = robot.ik(robot.pose(q, frame), frame, q0=q)
    assert answer.solved.all()
    assert np.mean(np.abs(answer.q - q).max(axis=1) < 0.1) > 0.95


def test_joints_that_do_not_move_the_frame_stay() -> None:
    from sixvec.model.edits import attach
    from sixvec.robot import Robot

    arm, finger = sixvec.load("ur5e"), sixvec.load("planar_2r").model
    robot = Robot(attach(arm.model, finger, arm.frame_names[-1], prefix="finger_"))
    frame = arm.frame_names[-1]
    q = robot.random(6, 20)
    answer = robot.ik(robot.pose(q, frame), frame, q0=q)
    assert answer.solved.all() and (answer.starts == 0).any()
    assert np.array_equal(answer.q[:, 6:], q[:, 6:])


def test_starts_and_poses_broadcast_and_empty_batches_are_answered() -> None:
    for name in ("ur5e", "panda"):
        robot = sixvec.load(name)
        frame = robot.frame_names[-1]
        X = robot.pose(robot.random(0), frame)
        assert robot.ik(X, frame, q0=robot.random(1, 5)).q.shape == (5, robot.nq)
        assert robot.ik(np.empty((0, 4, 4)), frame).q.shape == (0, robot.nq)
        with pytest.raises(ShapeError, match=named("ik", "q0")):
            robot.ik(np.stack([X] * 4), frame, q0=robot.random(1, 5))
        with pytest.raises(ArgumentError, match=named("ik", "start")):
            robot.ik(X, frame, start=3)
        with pytest.raises(ArgumentError, match="tolerance"):
            robot.ik(X, frame, tolerance=-1.0)
        far = X.copy()
        far[0, 3] = 1e200
        assert robot.ik(far, frame).verdict == Verdict.INVALID
        X[3, 3] = 2.0
        with pytest.raises(ArgumentError, match=named("ik", "pose")):
            robot.ik(X, frame)


def test_loops_are_not_torn_open() -> None:
    linkage = sixvec.load("four_bar")
    answer = linkage.ik(np.eye(4), linkage.frame_names[-1])
    assert answer.verdict == Verdict.UNREACHABLE
    assert np.abs(linkage.closure_error(answer.q)).max() < 1e-9


@pytest.mark.every(3)
@pytest.mark.parametrize("shape", [(), (1,), (2, 3)])
@pytest.mark.parametrize("name", ["ur5e", "puma560", "stanford_arm", "cobra600", "iiwa14", "planar_2r", "panda"])
def test_one_pose_or_a_batch_from_a_start_far_away(name: str, shape: tuple[int, ...]) -> None:
    robot = sixvec.load(name)
    frame = robot.frame_names[-1]
    for k in range(5):
        X, q0 = robot.pose(robot.random(k, *shape), frame), robot.random(k + 100, *shape)
        answer = robot.ik(X, frame, q0=q0)
        assert answer.solved.all() and answer.q.shape == (*shape, robot.nq) and answer.starts.shape == shape
        assert np.abs(robot.pose(answer.q, frame) - X).max() < 5e-6
        for place in np.ndindex(shape):  # the same alone as in the batch
            alone = robot.ik(X[place], frame, q0=q0[place])
            assert np.abs(alone.q - answer.q[place]).max() < 1e-5


def test_a_posture_has_no_effect_on_an_arm_without_joints_to_spare() -> None:
    robot = sixvec.load("ur5e")
    X, wish = robot.pose(robot.random(0, 20), "tool0"), robot.random(1)
    assert np.array_equal(robot.ik(X, "tool0", posture=wish).q, robot.ik(X, "tool0").q)


def test_results_are_compared_by_identity() -> None:
    robot, bars = sixvec.load("planar_2r"), sixvec.load("four_bar")
    frame = robot.frame_names[-1]
    X = robot.pose(robot.random(0, 3), frame)
    for answer in (robot.ik(X, frame), robot.track(robot.random(0), X, frame), bars.assemble([0.7, 0.0, 1.0])):
        assert answer == answer and answer != copy.deepcopy(answer) and len({answer}) == 1
