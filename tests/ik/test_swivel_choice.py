"""Arms with spherical shoulder and wrist: robot.ik chooses the swivel angle, or keeps the one that is asked for."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import sixvec
from naming import named
from sixvec import Robot
from sixvec.errors import ArgumentError, DegenerateError, ShapeError
from sixvec.ik import Verdict
from sixvec.ik.closed_form import closed_form

TIP = "flange"


@pytest.fixture(scope="module")
def arm() -> Robot:
    return sixvec.load("iiwa14")


@pytest.mark.covers("FORM-07")
def test_every_reachable_pose_gets_a_swivel_within_limits(arm: Robot) -> None:
    X = arm.pose(arm.random(3, 300), TIP)
    answer = arm.ik(X, TIP)
    assert answer.solved.all() and (answer.starts == 0).mean() > 0.99
    assert np.abs(arm.pose(answer.q, TIP) - X).max() < 2e-6
    assert (answer.q >= arm.lower - 1e-9).all() and (answer.q <= arm.upper + 1e-9).all()


def test_the_choice_is_near_q0(arm: Robot) -> None:
    q = arm.random(4, 200)
    answer = arm.ik(arm.pose(q, TIP), TIP, q0=q)
    assert answer.solved.all()
    gaps = np.abs(answer.q - q).max(axis=1)
    assert np.quantile(gaps, 0.95) < 1e-4 and gaps.max() < 0.1  # q itself is an answer


def test_a_given_swivel_is_kept(arm: Robot) -> None:
    solver = closed_form(arm, TIP)
    X = arm.pose(arm.random(5, 40), TIP)
    angles = np.linspace(-0.4, 0.4, 3)[:, None]
    answer = arm.ik(X, TIP, swivel=angles)
    assert answer.q.shape == (3, 40, 7)
    every = solver(X, angles)
    gaps = np.abs(every.q - answer.q[..., None, :]).max(axis=-1).min(axis=-1)
    assert answer.solved.any() and gaps[answer.solved].max() < 1e-9
    assert np.array_equal(answer.solved, every.within_limits.any(axis=-1))
    # Where that angle needs more than the limits give, no other angle is taken in its place.
    outside = ~answer.solved
    assert outside.any() and (answer.verdict[outside] == Verdict.AT_LIMIT).all()
    joints = answer.joint[outside]
    at = np.take_along_axis(answer.q[outside], joints[:, None], axis=1)[:, 0]
    assert np.all((at == arm.lower[joints]) | (at == arm.upper[joints]))
    assert (answer.position_error[outside] + answer.rotation_error[outside] > 1e-6).all()


def test_an_angle_that_limits_forbid_is_named() -> None:
    """The last joint may only be where a swivel of 0.4 puts it: that angle is a solution, and others raise an error."""
    free = sixvec.load("iiwa14")
    X = free.pose([0.3, 0.6, 0.2, -1.2, 0.1, 0.8, 0.3], TIP)
    at = free.ik(X, TIP, swivel=0.4).q[6]
    bodies = list(free.model.bodies)
    k = next(i for i, b in enumerate(bodies) if b.joint_name == free.joint_names[6])
    bodies[k] = replace(bodies[k], limits=replace(bodies[k].limits, lower=(at - 0.02,), upper=(at + 0.02,)))
    robot = Robot(replace(free.model, bodies=tuple(bodies)))
    chosen = robot.ik(X, TIP)
    assert chosen.solved and abs(chosen.q[6] - at) < 0.02 + 1e-6
    asked = robot.ik(X, TIP, swivel=0.0)
    assert asked.verdict == Verdict.AT_LIMIT and asked.joint == 6


def test_out_of_reach_is_out_of_reach_at_any_angle(arm: Robot) -> None:
    X = arm.pose(arm.random(6, 5), TIP)
    X[:, :3, 3] += [0.0, 0.0, 3.0]
    for swivel in (None, 0.2):
        answer = arm.ik(X, TIP, swivel=swivel)
        assert (answer.verdict == Verdict.UNREACHABLE).all()
        assert np.isfinite(answer.q).all() and (answer.position_error > 1.0).all()


def test_swivel_is_for_arms_that_have_one(arm: Robot) -> None:
    X = arm.pose(arm.neutral(), TIP)
    for name, reason in (("ur5e", named("tool0", "swivel")), ("panda", named("panda_link8", "swivel"))):
        other = sixvec.load(name)
        frame = other.frame_names[-1]
        with pytest.raises(ArgumentError, match=reason):
            other.ik(other.pose(other.neutral(), frame), frame, swivel=0.1)
    with pytest.raises(DegenerateError):
        sixvec.load("panda").ik(X, "panda_link8", method="closed_form")
    with pytest.raises(ArgumentError, match=named("swivel", "method", "numerical")):
        arm.ik(X, TIP, swivel=0.1, method="numerical")
    with pytest.raises(ArgumentError, match="swivel"):
        arm.ik(X, TIP, swivel=np.nan)
    with pytest.raises(ShapeError, match=named("ik", "swivel")):
        arm.ik(np.stack([X, X]), TIP, swivel=[0.1, 0.2, 0.3])


def test_a_posture_chooses_the_angle(arm: Robot) -> None:
    """Nearer to the posture than any of the solutions at 400 swivel angles, as far as the angles lie apart."""
    X, wish = arm.pose(arm.random(7, 30), TIP), arm.random(8)
    answer, unasked = arm.ik(X, TIP, posture=wish), arm.ik(X, TIP)
    assert answer.solved.all() and np.abs(arm.pose(answer.q, TIP) - X).max() < 2e-6
    gaps = np.abs(answer.q - wish).max(axis=-1)
    assert np.mean(gaps < np.abs(unasked.q - wish).max(axis=-1) - 0.1) > 0.5
    nearest = closed_form(arm, TIP)(X[:, None], np.linspace(-np.pi, np.pi, 400)).nearest(wish)
    every, found = nearest.q, nearest.solved
    best = np.where(found, np.abs(every - wish).max(axis=-1), np.inf).min(axis=-1)
    assert (gaps < best + 0.05).all()
    assert np.array_equal(arm.ik(X, TIP, posture=wish, posture_gain=0.0).q, unasked.q)


def test_a_forbidden_angle_is_explained_as_such(arm: Robot) -> None:
    X = arm.pose(arm.random(0), TIP)
    answer = arm.ik(X, TIP, swivel=-3.0)
    text = answer.explain()
    assert answer.verdict == Verdict.AT_LIMIT and arm.ik(X, TIP).solved
    assert "the swivel angle -3 " in text and "beyond the limit of iiwa_joint_2; other angles may do" in text
    assert "no start" not in text and "closest" not in text
