"""Motions come to rest: at limits, at clearances and out of reach, for every gain and weight."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import sixvec as sv
from sixvec import tasks
from sixvec.geometry.rigid_body import Sphere
from sixvec.model import Geom
from sixvec.spatial import Pose, Vec3
from sixvec.tasks.curvature import growth
from sixvec.tasks.levels import LARGEST_TURN

Q = np.array([0.0, -0.4, 0.0, -2.0, 0.0, 1.6, 0.8])
HAND, DT, STEPS = "panda_link8", 0.01, 2000
REST = 1e-9


def speed_at_the_end(path: tasks.Step) -> Any:
    return abs(path.v[:, -100:]).max(axis=(1, 2))


@pytest.mark.covers("TASK-02")
@pytest.mark.parametrize(("gain", "weight"), [(1.0, 1e-3), (0.5, 1e-3), (1.0, 1e-2), (0.5, 0.1)])
@pytest.mark.parametrize("acceleration", [None, 10.0])
def test_targets_beyond_a_limit_of_one_joint(gain: float, weight: float, acceleration: float | None) -> None:
    """Joints that are free turn the hand hardly at all, so a posture of small weight decides where they stop."""
    arm, rng = sv.load("panda"), np.random.default_rng(6)
    q, joint = arm.random(rng, 56), np.arange(56) % 7
    target = q.copy()
    target[np.arange(56), joint] = np.where(np.arange(56) < 28, arm.upper[joint] + 0.3, arm.lower[joint] - 0.3)
    start = np.clip(target + 0.1 * rng.normal(size=q.shape), arm.lower, arm.upper)
    stack = tasks.Stack(arm, tasks.Frame(HAND, gain=gain), tasks.Posture(Q, weight=weight), acceleration=acceleration)
    path = stack.follow(start, {HAND: arm.pose(target, HAND)[None]}, DT, steps=STEPS)
    assert (speed_at_the_end(path) < REST).all()


@pytest.mark.parametrize(("name", "farther"), [("panda", 1.0), ("panda", 3.0), ("ur5e", 3.0), ("puma560", 1.5)])
def test_targets_anywhere_and_out_of_reach(name: str, farther: float) -> None:
    arm, rng = sv.load(name), np.random.default_rng(1)
    frame, q = arm.frame_names[-1], arm.random(rng, 50)
    goals = arm.pose(arm.random(rng, 50), frame)
    goals[:, :3, 3] *= farther
    stack = tasks.Stack(arm, tasks.Frame(frame), tasks.Posture(np.zeros(arm.nq), weight=1e-3))
    path = stack.follow(q, {frame: goals[None]}, DT, steps=STEPS)
    assert path and (speed_at_the_end(path) < REST).all()


@pytest.mark.parametrize("name", ["planar_2r", "four_bar"])
@pytest.mark.parametrize("farther", [1.0, 2.5])
def test_joints_without_a_speed_limit(name: str, farther: float) -> None:
    robot, rng = sv.load(name), np.random.default_rng(3)
    frame = robot.frame_names[-1]
    q = robot.assemble(np.zeros((40, robot.nq))).q if robot.model.closures else rng.uniform(-3.0, 3.0, (40, robot.nq))
    goals = robot.pose(rng.uniform(-3.0, 3.0, (40, robot.nq)), frame)
    goals[:, :3, 3] *= farther
    stack = tasks.Stack(robot, tasks.Frame(frame), tasks.Posture(q[0], weight=1e-2))
    path = stack.follow(q, {frame: goals[None]}, DT, steps=STEPS)
    assert path and (speed_at_the_end(path) < REST).all()
    assert abs(path.v).max() * DT < LARGEST_TURN + REST
    if name == "planar_2r":  # the other's crank does not turn as fast
        names = {limit.partition(": ")[2] for k in range(40) for limit in path.limits_at((k, 0))}
        assert "largest turn of a step" in names


@pytest.mark.parametrize("acceleration", [None, 10.0])
def test_targets_within_an_obstacle(acceleration: float | None) -> None:
    arm, rng = sv.load("panda"), np.random.default_rng(0)
    hand = Geom(HAND, Sphere(0.08), Pose.translation(Vec3(0.0, 0.0, 0.08)))
    robot, world, at = sv.Robot(replace(arm.model, geoms=(hand,))), sv.World(), np.eye(4)
    at[:3, 3] = [0.5, 0.0, 0.2]
    world.box((1.0, 1.0, 0.05), at, name="table")
    at[:3, 3] = [0.4, 0.3, 0.6]
    world.sphere(0.1, at, name="ball")
    q = np.clip(Q + 0.3 * rng.normal(size=(40, 7)), robot.lower, robot.upper)
    goals = np.broadcast_to(robot.pose(Q, HAND), (40, 4, 4)).copy()
    goals[:20, :3, 3] += np.c_[0.2 * rng.normal(size=(20, 2)), rng.uniform(-0.6, -0.3, 20)]
    goals[20:, :3, 3] = at[:3, 3] + 0.08 * rng.normal(size=(20, 3))
    stack = tasks.Stack(
        robot, tasks.Frame(HAND), tasks.Posture(Q, weight=1e-3), clearance=(world, 0.02), acceleration=acceleration
    )
    path = stack.follow(q, {HAND: goals[None]}, DT, steps=STEPS)
    gaps = robot.distance(path.q[:, -1], world).distance
    assert (speed_at_the_end(path) < REST).all()
    assert gaps.min() > 0.02 - 1e-6 and (gaps < 0.02 + 1e-6).sum() > 20


def test_the_first_program_alone_jumps() -> None:
    """What the second one is for."""
    arm, rng = sv.load("panda"), np.random.default_rng(1)
    q, goals = arm.random(rng, 50), arm.pose(arm.random(rng, 50), HAND)
    goals[:, :3, 3] *= 1.5
    stack = tasks.Stack(arm, tasks.Frame(HAND), tasks.Posture(Q, weight=1e-3), damping=0.0)
    path = stack.follow(q, {HAND: goals[None]}, DT, steps=STEPS)
    assert speed_at_the_end(path).max() > 1.0


def test_what_a_matrix_lacks_to_be_definite() -> None:
    rng = np.random.default_rng(2)
    for _ in range(50):
        G = rng.normal(size=(6, 6))
        sound, mixed = G @ G.T + 0.1 * np.eye(6), G + G.T
        assert np.allclose(growth(sound.tolist(), 1e-9), 0.0, atol=1e-9)
        raised = mixed + np.diag(growth(mixed.tolist(), 1e-9))
        assert np.linalg.eigvalsh(raised).min() > 0.0 and np.diag(raised - mixed).min() > -1e-9
