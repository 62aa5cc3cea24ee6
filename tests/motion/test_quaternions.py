"""Paths of joints with quaternions: unit quaternions, velocities that fit, constant axes, and limits that hold."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import sixvec as sv
from sixvec import motion
from sixvec.errors import ArgumentError
from sixvec.model import JointDynamics
from sixvec.model.joints import Spherical

FLOATING = sv.load("panda", floating=True)


def ball_arm() -> sv.Robot:
    arm = sv.load("planar_2r")
    first = arm.model.moving[0].name
    bodies = tuple(replace(b, joint=Spherical(), dynamics=JointDynamics()) if b.name == first else b
                   for b in arm.model.bodies)  # fmt: skip
    return sv.Robot(replace(arm.model, bodies=bodies))


BALL = ball_arm()


def waypoints(robot: sv.Robot, seed: int, *batch: int, count: int = 4, step: float = 0.8) -> Any:
    """Positions that follow each other."""
    rng = np.random.default_rng(seed)
    Q = [np.broadcast_to(robot.random(rng), (*batch, robot.nq))]
    for _ in range(count - 1):
        Q.append(robot.integrate(Q[-1], step * rng.uniform(-1, 1, (*batch, robot.nv))))
    return np.clip(np.stack(Q, axis=-2), robot.lower, robot.upper)


def assert_consistent(robot: sv.Robot, path: motion.Path, at: Any) -> None:
    """q, dq and ddq of a path fit together."""
    h = 1e-5
    slope = robot.difference(path.q(at - h), path.q(at + h)) / (2.0 * h)
    assert abs(slope - path.dq(at)).max() < 1e-7
    assert abs((path.dq(at + h) - path.dq(at - h)) / (2.0 * h) - path.ddq(at)).max() < 1e-6


@pytest.mark.parametrize("robot", [BALL, FLOATING], ids=["ball", "floating"])
@pytest.mark.parametrize("kind", ["linear", "cubic", "quintic"])
def test_positions_and_their_derivatives_fit(robot: sv.Robot, kind: str) -> None:
    Q = waypoints(robot, 0)
    path = motion.spline(robot, Q, kind)
    inside = np.concatenate([a + (b - a) * np.linspace(0.05, 0.95, 9) for a, b in zip(path.knots, path.knots[1:])])
    assert_consistent(robot, path, inside)
    assert abs(robot.difference(path.q(path.knots), Q)).max() < 1e-12
    q = path.q(inside)
    for b in robot.model.moving:
        if b.joint.quaternion is not None:
            turn = q[:, robot.model.q_slices[b.name]][:, b.joint.quaternion]
            assert abs(np.linalg.norm(turn, axis=1) - 1.0).max() < 1e-12
    if kind != "linear":
        jump = path.ddq(path.knots[1:-1] + 1e-9) - path.ddq(path.knots[1:-1] - 1e-9)
        assert abs(jump).max() < 1e-6


def test_two_waypoints_are_a_turn_about_one_axis() -> None:
    scipy = pytest.importorskip("scipy.spatial.transform")
    Q = waypoints(BALL, 1, count=2)
    for kind in ("linear", "cubic", "quintic"):
        path = motion.spline(BALL, Q, kind)
        s = np.linspace(0.0, float(path.length), 11)
        turns = scipy.Rotation.from_quat(Q[:, :4])
        between = scipy.Slerp([0.0, float(path.length)], turns)(s)
        assert (between.inv() * scipy.Rotation.from_quat(path.q(s)[:, :4])).magnitude().max() < 1e-12


def test_the_sign_of_a_quaternion_does_not_matter_and_turns_go_on() -> None:
    Q = waypoints(BALL, 2)
    other = Q.copy()
    other[1:3, :4] *= -1.0
    paths = [motion.spline(BALL, x) for x in (Q, other)]
    s = np.linspace(0.0, float(paths[0].length), 20)
    assert abs(BALL.difference(paths[0].q(s), paths[1].q(s))).max() < 1e-12
    turning = np.zeros((5, BALL.nq))
    angle = np.linspace(0.0, 4.5, 5)
    turning[:, 2], turning[:, 3] = np.sin(angle / 2), np.cos(angle / 2)
    assert motion.spline(BALL, turning).length == pytest.approx(4.5)  # beyond half a turn in the same direction


@pytest.mark.parametrize("robot", [BALL, FLOATING], ids=["ball", "floating"])
def test_limits_hold_on_paths_with_quaternions(robot: sv.Robot) -> None:
    path = motion.spline(robot, waypoints(robot, 3, 6))
    limits: dict[str, Any] = {"velocity": 1.0, "acceleration": 3.0, "torque": None}
    fast = motion.time_optimal(path, **limits)
    t = np.linspace(0.0, 1.0, 4000) * fast.duration[:, None]
    assert fast and 0.999 < max(abs(fast.v(t)).max(), abs(fast.a(t)).max() / 3.0) < 1.001
    one = motion.time_optimal(motion.spline(robot, waypoints(robot, 3, 6)[2]), **limits)
    assert one.duration == pytest.approx(float(fast.duration[2]), rel=1e-12)
    h = 1e-6
    inside = t[:, 400:3600:97]
    slope = robot.difference(fast.q(inside - h), fast.q(inside + h)) / (2.0 * h)
    assert np.quantile(abs(slope - fast.v(inside)), 0.99) < 1e-5


def test_torques_hold_on_paths_with_quaternions() -> None:
    Q = waypoints(BALL, 4, 4, step=0.4)
    path = motion.spline(BALL, Q)
    s = np.linspace(0.0, 1.0, 100) * path.length[:, None]
    most = 1.5 * abs(BALL.gravity_forces(path.q(s))).max() * np.ones(BALL.nv)
    fast = motion.time_optimal(path, velocity=5.0, torque=most)
    t = np.linspace(0.0, 1.0, 4000) * fast.duration[:, None]
    assert fast and 0.999 < abs(fast.tau(t) / most).max() < 1.001
    frame = BALL.frame_names[-1]
    slow = motion.time_optimal(path, velocity=5.0, torque=most, limits=[motion.frame_limits(frame, speed=0.2)])
    t = np.linspace(0.0, 1.0, 4000) * slow.duration[:, None]
    speed = np.linalg.norm(BALL.velocity(slow.q(t), slow.v(t), frame)[..., 3:], axis=-1).max()
    assert 0.199 < speed < 0.2002


def test_wrong_waypoints_are_named() -> None:
    Q = waypoints(BALL, 5)
    with pytest.raises(ArgumentError, match="quaternions"):
        motion.spline(BALL, 1.1 * Q)
    with pytest.raises(ArgumentError, match="blend"):
        motion.spline(BALL, Q, "linear", blend=0.1)
    angle, far = np.linspace(0.0, 6.0, 7), np.zeros((7, BALL.nq))
    far[:, 2], far[:, 3] = np.sin(angle / 2), np.cos(angle / 2)
    with pytest.raises(ArgumentError, match="turns"):
        motion.spline(BALL, far)
