"""Numerical inverse kinematics: answers that forward kinematics confirms, and verdicts that are true."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import sixvec
from naming import named
from random_trees import random_tree
from sixvec import Robot
from sixvec.errors import ArgumentError, FrameNotFound, ModelError, ShapeError
from sixvec.ik import (
    CenterOfMassTask,
    OrientationTask,
    PointingTask,
    PoseTask,
    PositionTask,
    Solution,
    Verdict,
    solve,
    track,
)
from sixvec.ik.problem import Problem
from sixvec.ik.search import one_start
from sixvec.model import Body, Limits, Model
from sixvec.model.joints import Prismatic
from sixvec.spatial import Vec3

TIP = "panda_link8"


@pytest.fixture(scope="module")
def panda() -> Robot:
    return sixvec.load("panda")


@pytest.fixture(scope="module")
def reachable(panda: Robot) -> np.ndarray:
    return panda.pose(panda.random(0, 3000), TIP)


def _angle(R: np.ndarray, S: np.ndarray) -> np.ndarray:
    """The angle between rotations, by the norm of their difference: |R - S|² = 8 sin²(θ/2)."""
    return 2 * np.arcsin(np.minimum(1.0, np.linalg.norm(R - S, axis=(-1, -2)) / np.sqrt(8.0)))


@pytest.mark.covers("KIN-19", "KIN-23", "Featherstone (16)")
def test_reachable_poses_are_reached_within_limits(panda: Robot, reachable: np.ndarray) -> None:
    answer = solve(panda, {PoseTask(TIP): reachable})
    assert answer.solved.mean() >= 0.995
    found, wanted = panda.pose(answer.q, TIP)[answer.solved], reachable[answer.solved]
    assert np.linalg.norm(found[:, :3, 3] - wanted[:, :3, 3], axis=1).max() <= 1e-6
    assert _angle(found[:, :3, :3], wanted[:, :3, :3]).max() <= 1.001e-6
    assert (answer.q >= panda.lower).all() and (answer.q <= panda.upper).all()
    assert np.allclose(answer.position_error[answer.solved], np.linalg.norm((found - wanted)[:, :3, 3], axis=1))


def test_an_answer_does_not_depend_on_its_batch(panda: Robot, reachable: np.ndarray) -> None:
    many = solve(panda, {PoseTask(TIP): reachable[:300]})
    some = solve(panda, {PoseTask(TIP): reachable[100:160].reshape(3, 20, 4, 4)})
    assert np.array_equal(some.q.reshape(60, 7), many.q[100:160])
    for i in np.argsort(many.starts)[-3:]:
        assert np.array_equal(solve(panda, {PoseTask(TIP): reachable[i]}).q, many.q[i])


def test_targets_outside_are_called_unreachable_and_the_closest_is_given() -> None:
    """Of a planar arm stretched to 2 m, the closest point to one at distance d is d - 2 away, in its direction."""
    robot = sixvec.load("planar_2r")
    tip = robot.frame_names[-1]
    reach = np.linalg.norm(robot.pose(robot.neutral(), tip)[:3, 3] - robot.pose(robot.neutral(), "link1")[:3, 3])
    shoulder = robot.pose(robot.neutral(), "link1")[:3, 3]
    directions = np.linspace(-3.0, 3.0, 7)
    stretched = robot.pose(np.column_stack([directions, np.zeros(7)]), tip)[:, :3, 3]
    answer = solve(robot, {PositionTask(tip): shoulder + (stretched - shoulder) * 1.5}, limits=False)
    assert (answer.verdict == Verdict.UNREACHABLE).all()
    assert answer.position_error == pytest.approx(0.5 * reach, rel=1e-4)
    assert "unreachable" in answer.explain(0) and str(answer) == "7 unreachable"


def test_a_limit_in_the_way_is_named() -> None:
    """A planar arm whose shoulder must turn by 1.2 rad to reach a point, and may turn by 0.5."""
    free = sixvec.load("planar_2r")
    tip = free.frame_names[-1]
    base, link1, link2, *rest = free.model.bodies
    narrow = replace(link1, limits=replace(link1.limits, lower=(-0.5,), upper=(0.5,)))
    wide = replace(link2, limits=replace(link2.limits, lower=(0.1,), upper=(3.0,)))
    robot = Robot(replace(free.model, bodies=(base, narrow, wide, *rest)))
    target = free.pose([[1.2, 0.6], [0.3, 0.6]], tip)[:, :3, 3]
    answer = solve(robot, {PositionTask(tip): target})
    assert answer.verdict.tolist() == [Verdict.AT_LIMIT, Verdict.SOLVED]
    assert answer.joint.tolist() == [0, -1]
    assert answer.q[0, 0] == 0.5
    assert f"with {robot.joint_names[0]} beyond its limit" in answer.explain(0)
    assert solve(robot, {PositionTask(tip): target}, limits=False)


def test_half_turns_and_singular_starts(panda: Robot) -> None:
    """Targets exactly 180° from the start, and starts with the arm stretched, are no obstacle."""
    q = np.zeros((3, 7))
    q[:, 3], q[:, 5] = -1.2, 1.0
    target = panda.pose(q, TIP)
    for k, axis in enumerate(np.eye(3)):
        target[k, :3, :3] = (2 * np.outer(axis, axis) - np.eye(3)) @ target[k, :3, :3]
        target[k, :3, 3] = [0.4, 0.1, 0.4]
    answer = solve(panda, {PoseTask(TIP): target}, q0=q, limits=False)
    assert answer.solved.all(), str(answer)
    stretched = solve(panda, {PoseTask(TIP): panda.pose(panda.random(5), TIP)}, q0=np.zeros(7))
    assert stretched


@pytest.mark.covers("KIN-23")
def test_a_target_at_the_edge_of_the_workspace_is_reached_or_called_singular() -> None:
    robot = sixvec.load("planar_2r")
    tip = robot.frame_names[-1]
    target = robot.pose([0.4, 0.0], tip)[:3, 3]  # the arm stretched: the Jacobian loses rank exactly there
    answer = solve(robot, {PositionTask(tip): target}, q0=[0.1, 0.5])
    assert answer.verdict in (Verdict.SOLVED, Verdict.SINGULAR)
    assert answer.position_error < 1e-4


def test_not_a_number_concerns_its_own_problem_only(panda: Robot, reachable: np.ndarray) -> None:
    targets = reachable[:9].copy()
    targets[4, 0, 3] = np.nan
    answer = solve(panda, {PoseTask(TIP): targets})
    assert answer.verdict[4] == Verdict.INVALID and np.isnan(answer.q[4]).all()
    others = np.delete(np.arange(9), 4)
    assert np.array_equal(answer.q[others], solve(panda, {PoseTask(TIP): reachable[others]}).q)


def test_several_end_effectors_and_a_floating_base() -> None:
    robot = Robot(random_tree(2, bodies=9, floating=True))
    q = robot.random(4, 40)
    ends = [robot.frame_names[-1], robot.frame_names[-3]]
    tasks = {PoseTask(ends[0]): robot.pose(q, ends[0]), PositionTask(ends[1]): robot.pose(q, ends[1])[:, :3, 3]}
    answer = solve(robot, tasks)
    assert answer.solved.mean() > 0.9, str(answer)
    done = answer.solved
    assert np.allclose(robot.pose(answer.q, ends[0])[done], robot.pose(q, ends[0])[done], atol=2e-6)
    assert np.allclose(robot.pose(answer.q, ends[1])[done, :3, 3], robot.pose(q, ends[1])[done, :3, 3], atol=2e-6)


def test_every_kind_of_task(panda: Robot) -> None:
    q = panda.random(6, 50)
    X, com = panda.pose(q, TIP), panda.center_of_mass(q)
    turned = solve(panda, {OrientationTask(TIP): X[:, :3, :3]})
    assert turned.solved.all()
    assert _angle(panda.pose(turned.q, TIP)[:, :3, :3], X[:, :3, :3]).max() < 1.001e-6
    pointed = solve(panda, {PointingTask(TIP): 3.0 * X[:, :3, 2], PositionTask(TIP): X[:, :3, 3]})
    assert pointed.solved.all()
    assert np.allclose(panda.pose(pointed.q, TIP)[:, :3, 2], X[:, :3, 2], atol=2e-6)
    balanced = solve(panda, {CenterOfMassTask(): com})
    assert balanced.solved.all()
    assert np.allclose(panda.center_of_mass(balanced.q), com, atol=2e-6)


@pytest.mark.covers("KIN-08")
def test_a_posture_is_approached_in_the_null_space(panda: Robot, reachable: np.ndarray) -> None:
    rest = (panda.lower + panda.upper) / 2
    rest[0] = 0.8
    plain = solve(panda, {PoseTask(TIP): reachable[:200]}, q0=rest)
    drawn = solve(panda, {PoseTask(TIP): reachable[:200]}, q0=rest, posture=rest)
    both = plain.solved & drawn.solved
    assert both.mean() > 0.9
    far = [np.linalg.norm((x.q - rest)[both], axis=1).mean() for x in (plain, drawn)]
    assert far[1] < far[0]


def test_a_path_is_followed_without_jumps(panda: Robot) -> None:
    q0 = np.array([0.1, -0.4, 0.2, -2.0, 0.1, 1.8, 0.4])
    start = panda.pose(q0, TIP)
    t = np.linspace(0.0, 2 * np.pi, 400)
    path = np.repeat(start[None], 400, axis=0)
    path[:, 0, 3] += 0.05 * (np.cos(t) - 1)
    path[:, 1, 3] += 0.05 * np.sin(t)
    answer = track(panda, q0, path, TIP)
    assert answer.solved.all()
    assert np.allclose(panda.pose(answer.q, TIP), path, atol=2e-6)
    assert np.abs(np.diff(answer.q, axis=0)).max() < 0.01
    several = track(panda, np.stack([q0, q0]), np.stack([path, path]), TIP)
    assert np.array_equal(several.q[1], answer.q)


def test_a_path_out_of_reach_is_followed_as_far_as_it_goes(panda: Robot) -> None:
    q0 = np.array([0.1, -0.4, 0.2, -2.0, 0.1, 1.8, 0.4])
    path = np.repeat(panda.pose(q0, TIP)[None], 300, axis=0)
    path[:, 0, 3] += np.linspace(0.0, 2.0, 300)
    answer = track(panda, q0, path, TIP)
    assert answer.solved[0] and not answer.solved[-1]
    assert np.isfinite(answer.q).all() and (answer.q >= panda.lower).all()


def test_errors_teach(panda: Robot) -> None:
    X = panda.pose(panda.neutral(), TIP)
    with pytest.raises(FrameNotFound, match="panda_link8"):
        solve(panda, {PoseTask("panda_link88"): X})
    with pytest.raises(ShapeError, match="Frame"):
        solve(panda, {PoseTask(TIP): X[:3]})
    with pytest.raises(ArgumentError, match="Frame"):
        solve(panda, {PoseTask(TIP): X * 1.1})
    mirrored = X.copy()
    mirrored[:3, 0] *= -1
    with pytest.raises(ArgumentError, match="Frame"):
        solve(panda, {PoseTask(TIP): np.stack([X, mirrored])})
    with pytest.raises(ArgumentError, match="Pointing"):
        solve(panda, {PointingTask(TIP): np.zeros(3)})
    with pytest.raises(ArgumentError, match="solve"):
        solve(panda, {})
    with pytest.raises(ArgumentError, match="tolerance"):
        solve(panda, {PoseTask(TIP): X}, tolerance=(1e-6, 0.0))
    with pytest.raises(ShapeError, match="solve"):
        solve(panda, {PoseTask(TIP): np.stack([X] * 2), CenterOfMassTask(): np.zeros((3, 3))})
    with pytest.raises(ModelError, match=named("rock", "solve")):
        solve(Robot(Model("rock", (Body("stone"),))), {PositionTask("stone"): [1.0, 0.0, 0.0]})
    link1 = panda.model.bodies[1]
    crossed = replace(link1, limits=replace(link1.limits, lower=(1.0,), upper=(-1.0,)))
    model = replace(panda.model, bodies=(panda.model.bodies[0], crossed, *panda.model.bodies[2:]))
    with pytest.raises(ModelError, match="panda_joint1"):
        solve(Robot(model), {PoseTask(TIP): X})
    assert isinstance(crossed.limits, Limits)


def test_one_start_may_be_far_away() -> None:
    """A large error is no reason to give a start up."""
    rail = Robot(Model("rail", (Body("sled", joint=Prismatic(Vec3(1.0, 0.0, 0.0))),)))
    answer = solve(rail, {PositionTask("sled"): [5.0, 0.0, 0.0]}, q0=[0.0], starts=1)
    assert answer.solved and answer.starts == 1 and abs(answer.q[0] - 5.0) < 1e-5


def test_the_number_of_steps_is_bounded(panda: Robot, reachable: np.ndarray) -> None:
    answer = solve(panda, {PoseTask(TIP): reachable[:50]}, starts=1, iterations=2)
    assert isinstance(answer, Solution) and (answer.starts == 1).all()
    assert (answer.verdict != Verdict.SOLVED).any()


def test_a_pose_that_is_none_does_not_end_a_path(panda: Robot) -> None:
    q0 = np.array([0.1, -0.4, 0.2, -2.0, 0.1, 1.8, 0.4])
    path = np.repeat(panda.pose(q0, TIP)[None], 60, axis=0)
    path[:, 0, 3] += np.linspace(0.0, 0.05, 60)
    path[20, 1, 3] = np.nan
    answer = track(panda, q0, path, TIP)
    assert answer.verdict[20] == Verdict.INVALID
    assert np.delete(answer.solved, 20).all()


def test_tasks_are_checked(panda: Robot) -> None:
    X = panda.pose(panda.neutral(), TIP)
    with pytest.raises(ArgumentError, match=named("panda_link8", "Frame")):
        solve(panda, {TIP: X})
    with pytest.raises(ArgumentError, match=named("weight", "Frame")):
        solve(panda, {PoseTask(TIP, weight=float("nan")): X})
    with pytest.raises(ArgumentError, match="direction"):
        PointingTask(TIP, axis=(0.0, 0.0, 0.0))
    assert PointingTask(TIP, axis=[0.0, 0.0, 2.0]).axis == (0.0, 0.0, 1.0)


def test_a_floating_robot_goes_where_its_jacobian_says() -> None:
    """The velocity of a free joint is in the axes of its body, which may be turned any way."""
    robot = sixvec.load("solo12")
    poses = robot.pose(robot.random(0, 50), "HR_FOOT")
    problem = Problem.of(robot, {PoseTask("HR_FOOT"): poses})
    _, solved = one_start(problem, problem.rows(robot.random(1, 50)), np.full(2, 1e-6), 30)
    assert solved.all()
