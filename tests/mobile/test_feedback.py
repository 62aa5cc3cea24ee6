"""Feedback laws converge: to poses from everywhere, and onto paths."""

from __future__ import annotations

import math

import numpy as np
import pytest

import sixvec as sv
from sixvec.errors import ArgumentError, ShapeError
from sixvec.mobile import FixedWheel, PlanarPose, PlanarTwist, Platform, approach, follow, reeds_shepp
from sixvec.mobile.feedback import posture_law, tracking_law

RNG = np.random.default_rng(7)
DD = sv.mobile.differential_drive(0.5, 0.1)
CAR = sv.mobile.bicycle(1.0)


@pytest.mark.covers("MOB-15")
def test_poses_are_reached_from_everywhere() -> None:
    start = np.column_stack([RNG.uniform(-3.0, 3.0, (300, 2)), RNG.uniform(-np.pi, np.pi, 300)])
    goal = np.array([0.5, -0.3, 0.8])
    path = approach(DD, start, goal, 0.01, 3000)
    error = path[:, -1] - goal
    assert np.hypot(*error[:, :2].T).max() < 1e-7
    assert np.abs(np.exp(1j * error[:, 2]) - 1.0).max() < 1e-5


def test_the_heading_converges_to_the_curve_at_its_own_rate() -> None:
    """z = δ - arctan(-k₁ θ)  falls as exp(-k₂ t), exactly, while r falls at a rate of at most 1."""
    goal, dt = np.array([1.0, -0.5, 0.7]), 1e-4
    path = approach(DD, np.array([-1.0, 0.4, 0.5]), goal, dt, 6000)[::1500]
    dx, dy = (goal[:2] - path[:, :2]).T
    sight = np.arctan2(dy, dx)
    z = path[:, 2] - sight - np.arctan(-1.5 * (goal[2] - sight))
    assert np.allclose(np.diff(np.log(np.abs(z))), -3.0 * 1500 * dt, rtol=1e-3)
    assert (np.diff(np.log(np.hypot(dx, dy))) > -1500 * dt).all()


def test_a_car_can_steer_along_the_law() -> None:
    start = np.column_stack([RNG.uniform(-3.0, 3.0, (50, 2)), RNG.uniform(-np.pi, np.pi, 50)])
    dt = 0.01
    path = approach(CAR, start, [0.0, 0.0, 0.0], dt, 800)
    whole = np.concatenate([start[:, None], path], axis=1)
    turned = np.diff(whole[..., 2])
    chord = np.linalg.norm(np.diff(whole[..., :2], axis=1), axis=-1)
    v = chord / np.sinc(turned / (2 * np.pi)) / dt
    steer = np.arctan(turned / dt / v)
    assert np.abs(steer).max() < np.pi / 2
    driven = CAR.odometry(v[..., None], dt, start, steer=steer[..., None])
    assert np.allclose(driven.end, path[:, -1], atol=1e-9)


def test_paths_are_followed_in_both_gears() -> None:
    path = reeds_shepp([0.0, 0.0, 0.0], [0.0, 2.0, 0.0], 1.5)
    assert "-" in str(path.words)
    references = np.repeat(path.samples(801), 1, axis=0)
    found = follow(DD, [-0.1, 0.15, 0.1], references, 0.01, gain=3.0)
    error = np.linalg.norm(found - references[1:], axis=-1)
    assert error[0] > 0.1 and error[-1] < 1e-3
    on_path = follow(DD, references[0], references, 0.01)
    assert np.linalg.norm(on_path - references[1:], axis=-1).max() < 5e-2  # samples next to a cusp cut it short


def test_platforms_without_a_drive_along_x_raise() -> None:
    crab = Platform([FixedWheel(0.3, 0.1, 1.0, radius=0.1), FixedWheel(0.3, -0.2, 1.0, radius=0.1)], name="crab")
    with pytest.raises(ArgumentError, match="crab"):
        approach(crab, np.zeros(3), np.ones(3), 0.1, 10)


def test_the_posture_law_in_numbers() -> None:
    straight = posture_law([0.0, 0.0, 0.0], [3.0, 4.0, math.atan2(4.0, 3.0)], 2.0)  # the goal heads along the sight
    assert [*straight] == pytest.approx([2.0 * (3.0 * math.atan2(4.0, 3.0) + 2.5 * 0.8), 10.0, 0.0])
    ahead = posture_law([0.0, 0.0, 0.0], [2.0, 0.0, 1.0])
    assert [*ahead] == pytest.approx([-3.0 * math.atan(1.5), 2.0, 0.0])
    across = posture_law([0.0, 0.0, math.pi / 2], [2.0, 0.0, 1.0])
    assert [*across] == pytest.approx([-3.0 * (math.pi / 2 + math.atan(1.5)) - 1.0 - 1.5 / 3.25, 2.0, 0.0])


def test_at_the_goal_platforms_stop_or_turn() -> None:
    for here, heading, left in ((0.3, 1.3, 1.0), (-3.0, 3.0, 6.0 - 2.0 * math.pi)):
        pose, goal = [1.0, 2.0, here], [1.0, 2.0, heading]
        assert [*posture_law(pose, goal, 2.0, turns_in_place=True)] == pytest.approx([2.0 * left, 0.0, 0.0])
        assert [*posture_law(pose, goal, 2.0)] == [0.0, 0.0, 0.0]
        assert approach(CAR, pose, goal, 0.1, 2).tolist() == [pose, pose]
        assert approach(DD, pose, goal, 0.1, 1)[0].tolist() == pytest.approx([1.0, 2.0, here + 0.1 * left])
        assert approach(DD, pose, goal, 0.1, 1, rate=3.0)[0, 2] == pytest.approx(here + 0.3 * left)


def test_the_tracking_law_in_numbers() -> None:
    pose = [1.0, 2.0, math.pi / 2]
    for gap in (0.5, -0.5, 9e-5, 0.0):
        found = tracking_law(pose, [1.5, 2.25, pose[2] + gap], -2.0, 0.3, 3.0)
        sinc = math.sin(gap) / gap if gap else 1.0
        turn = 0.3 + 9.0 * -2.0 * -0.5 * sinc + 2.0 * 3.0 * 2.0 * gap
        assert [*found] == pytest.approx([turn, -2.0 * math.cos(gap) + 3.0 * 0.25, 0.0], rel=1e-11)
    default = tracking_law([0.0, 0.0, 0.0], [0.0, 0.1, 0.2], 1.0, 0.0)
    assert default.ang == pytest.approx(0.4 * math.sin(0.2) / 0.2 + 0.8)


@pytest.mark.parametrize(("turning", "speed", "dt"), [(2.0, 0.7, 0.5), (-2.0, -0.7, 0.5), (0.0, -1.2, 0.1)])
def test_arcs_are_followed_exactly(turning: float, speed: float, dt: float) -> None:
    steps = [PlanarPose.of([0.3, -0.2, 0.5])]
    for _ in range(12):
        steps.append(steps[-1] @ PlanarPose.exp(PlanarTwist(turning * dt, speed * dt, 0.0)))
    references = np.array([list(X.as_vector()) for X in steps])
    references[:, 2] = np.arctan2(np.sin(references[:, 2]), np.cos(references[:, 2]))
    for gain in (1.0, 2.0):
        found = follow(DD, references[0], references, dt, gain)
        assert np.allclose(found[:, :2], references[1:, :2], rtol=0.0, atol=1e-12)
        assert np.allclose(np.exp(1j * (found[:, 2] - references[1:, 2])), 1.0, rtol=0.0, atol=1e-12)
    off = [0.0, 0.1, 0.4]
    assert np.array_equal(follow(DD, off, references, dt), follow(DD, off, references, dt, 2.0))
    for wrong in (references[:1], references[0]):
        with pytest.raises(ShapeError, match="references"):
            follow(DD, off, wrong, dt)
