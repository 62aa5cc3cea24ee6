"""What a motion violates, and motions as samples, tables and messages."""

from __future__ import annotations

import csv
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sixvec as sv
from sixvec import motion
from sixvec.errors import SixvecError
from sixvec.geometry.rigid_body import Sphere
from sixvec.model import Geom
from sixvec.viz import draw_joint_path

ARM = sv.load("panda")
Q = np.array([0.0, -0.4, 0.0, -2.0, 0.0, 1.6, 0.8])


def swing(joint: int, size: float, rate: float, count: int = 200) -> Any:
    t = np.linspace(0.0, 1.0, count)
    q = np.tile(Q, (count, 1))
    q[:, joint] += size * np.sin(rate * t)
    return t, q


@pytest.mark.covers("TIME-05")
def test_each_limit_is_found_with_its_joint_time_and_value() -> None:
    assert ARM.check_motion(*swing(0, 0.1, 3.0))
    (speed,) = ARM.check_motion(*swing(0, 0.5, 6.0)).violations
    assert (speed.what, speed.name) == ("velocity", "panda_joint1") and speed.value == pytest.approx(3.0, rel=1e-4)
    assert (speed.limit == ARM.velocity_limits[0] and speed.worst in (speed.first, speed.last)) or speed.value > 2.9
    t, q = swing(3, 2.5, 1.0)
    (position,) = [v for v in ARM.check_motion(t, q).violations if v.what == "position"]
    over = t[q[:, 3] > ARM.upper[3]]
    assert position.name == "panda_joint4" and abs(position.first - over[0]) < 0.01 and position.last == 1.0
    torques = [v for v in ARM.check_motion(*swing(3, 0.05, 100.0, 2000)).violations if v.what == "torque"]
    assert "panda_joint4" in {v.name for v in torques}
    assert ARM.check_motion(*swing(0, 0.1, 3.0), acceleration=0.8).violations[0].what == "acceleration"


def test_limits_are_found_between_samples() -> None:
    """Three positions joined by a cubic exceed a limit that none of them does."""
    t, q = np.array([0.0, 0.5, 1.0]), np.tile(Q, (3, 1))
    q[:, 3] = [ARM.upper[3] - 0.01, ARM.upper[3] - 0.001, ARM.upper[3] - 0.3]
    assert [v.what for v in ARM.check_motion(t, q).violations] == ["position"]


def test_clearance_is_found_with_its_pair() -> None:
    shapes = Geom("panda_link0", Sphere(0.05)), Geom("panda_link8", Sphere(0.05))
    robot = sv.Robot(replace(ARM.model, geoms=shapes))
    world = sv.World()
    pose = np.eye(4)
    pose[:3, 3] = robot.pose(Q, "panda_link8")[:3, 3] + [0.0, 0.0, 0.2]
    world.sphere(0.05, pose)
    t, q = swing(0, 0.1, 3.0)
    assert robot.check_motion(t, q, world=world)
    (near,) = robot.check_motion(t, q, world=world, margin=0.12).violations
    assert near.what == "clearance" and "panda_link8" in near.name and near.value == pytest.approx(0.1, abs=1e-6)


def test_fastest_motions_and_profiles_pass_their_check() -> None:
    fast = motion.time_optimal(motion.spline(ARM, [Q, Q + 0.3, Q - 0.2]), acceleration=10.0)
    assert ARM.check_motion(fast, acceleration=10.0) and not ARM.check_motion(fast, acceleration=9.0)
    move = motion.rest_to_rest(ARM, Q, Q + 0.5, acceleration=5.0, jerk=50.0)
    assert "within all limits" in str(ARM.check_motion(move))


def test_motions_become_samples_and_samples_motions() -> None:
    move = motion.rest_to_rest(ARM, Q, Q + 0.5, acceleration=5.0, jerk=50.0)
    samples = move.sampled(0.01)
    assert samples.t[-1] >= move.duration > samples.t[-2]
    assert np.array_equal(samples.q, move.q(samples.t)) and np.array_equal(samples.tau, move.tau(samples.t - 0.01))
    again = motion.interpolate(ARM, samples)
    assert np.array_equal(again.q(0.1), motion.interpolate(ARM, samples.t, samples.q, samples.v).q(0.1))
    t = np.linspace(0.0, again.duration, 333)
    assert abs(again.q(t) - move.q(t + 0.01)).max() < 1e-5 and abs(again.v(t) - move.v(t + 0.01)).max() < 2e-3
    assert not again.v(-1.0).any() and np.array_equal(again.q(99.0), again.q(again.duration))
    figure = pytest.importorskip("matplotlib.figure")
    axes = draw_joint_path(ARM, move, ax=figure.Figure().subplots(), what="torque")
    assert len(axes.lines) >= 7


def test_rollouts_follow_motions_and_are_checked_like_them() -> None:
    arm = sv.load("planar_2r")
    move = motion.rest_to_rest(arm, [0.3, 0.2], [1.0, -0.4], acceleration=3.0, jerk=30.0)
    path = arm.rollout(move.q(0.0), move.v(0.0), move, 1e-4, integrator="rk4")
    assert abs(path.q[-1] - move.q(move.duration)).max() < 1e-3
    limited = arm.with_limits("joint1", velocity=0.9 * abs(path.v[:, 0]).max())
    assert arm.check_motion(path)
    (found,) = limited.check_motion(path).violations
    assert (found.what, found.name) == ("velocity", "joint1") and found.first > 1e-4
    with pytest.raises(SixvecError, match="steps"):
        arm.rollout(move.q(0.0), move.v(0.0), move, 1e-4, steps=5)


def test_tables_and_messages_hold_the_motion(tmp_path: Path) -> None:
    move = motion.rest_to_rest(ARM, Q, Q + 0.5, acceleration=5.0, jerk=50.0)
    move.export(tmp_path / "m.csv", dt=0.1)
    rows = list(csv.DictReader((tmp_path / "m.csv").read_text().splitlines()))
    assert float(rows[-1]["t"]) == move.duration and len(rows[0]) == 29
    assert float(rows[3]["q panda_joint4"]) == move.q(float(rows[3]["t"]))[3]
    move.export(tmp_path / "m.json", dt=0.1)
    message = json.loads((tmp_path / "m.json").read_text())
    assert message == move.joint_trajectory(0.1) and message["joint_names"][0] == "panda_joint1"
    stamps = [p["time_from_start"]["sec"] + 1e-9 * p["time_from_start"]["nanosec"] for p in message["points"]]
    assert np.all(np.diff(stamps) > 0.0) and stamps[-1] == pytest.approx(move.duration, abs=1e-9)
    with pytest.raises(SixvecError, match=r"m\.csv"):
        move.export(tmp_path / "m.csv")
    move.export(tmp_path / "m.csv", overwrite=True)


@pytest.mark.parametrize(
    ("call", "name"),
    [
        (lambda: ARM.check_motion([0.0, 1.0]), "q"),
        (lambda: ARM.check_motion([0.0, 0.0], np.zeros((2, 7))), "times"),
        (lambda: ARM.check_motion([0.0, 1.0], np.zeros((3, 7))), "t"),
        (lambda: ARM.check_motion(*swing(0, 0.1, 3.0), acceleration=-1.0), "acceleration"),
        (lambda: ARM.check_motion(*swing(0, 0.1, 3.0), margin=-1.0), "margin"),
        (lambda: motion.interpolate(ARM, [0.0, 1.0], np.zeros((2, 6))), "q"),
        (lambda: motion.interpolate(ARM, [0.0, 1.0]), "q"),
        (lambda: motion.interpolate(sv.load("planar_2r", floating=True), [0.0, 1.0], np.zeros((2, 9))), "quaternions"),
    ],
)
def test_wrong_arguments_are_named(call: Any, name: str) -> None:
    with pytest.raises(SixvecError, match=name):
        call()
