"""Assembly modes where the elimination degenerates: no certificate, true poses, and self-motions by name."""

from __future__ import annotations

import numpy as np
import pytest
from parallel_robots import BASE_321, PLATFORM_321, Array, pose

from sixvec.parallel import Delta, Parallel321, ParallelRobot, Planar3RPR, StewartGough
from sixvec.verdict import Verdict

RNG = np.random.default_rng(2)
TRIANGLE = np.stack([np.cos(2 * np.pi * np.arange(3) / 3), np.sin(2 * np.pi * np.arange(3) / 3)], axis=-1)
DELTA = Delta(0.2, 0.05, 0.25, 0.6)
CENTRED = np.arccos(-0.15 / 0.25)
"""The angle that brings the centre of an arm's sphere onto the axis of the Delta."""
TILTED = np.array([*BASE_321[:3], [1.5, 0.8, 1.2], [-1.2, 0.8, -0.9], [1.6, 0.3, -1.1]])


def moves(robot: ParallelRobot, q: Array) -> bool:
    modes = robot.assembly_modes(q)
    assert not modes.certified and modes.verdict == Verdict.SOLVED and (modes.count == 0 or not modes.self_motion)
    assert ("self-motion" in repr(modes)) == modes.self_motion
    return bool(modes.self_motion)


def test_equal_triangles_translate_along_a_circle() -> None:
    robot = Planar3RPR(TRIANGLE, TRIANGLE)
    q = robot.inverse_position([0.1, 0.2, 0.0])
    around = np.linspace(0.0, 2.0 * np.pi, 7)[:, None] * [0.0, 0.0, 1.0]
    around[:, :2] = np.hypot(0.1, 0.2) * np.stack([np.cos(around[:, 2]), np.sin(around[:, 2])], axis=-1)
    around[:, 2] = 0.0
    assert np.abs(robot.inverse_position(around) - q).max() < 1e-15 and moves(robot, q)
    assert robot.assembly_modes(robot.inverse_position([0.1, 0.2, 0.7])).count > 0


@pytest.mark.parametrize("scale", [0.5, -0.5, 1.0, 2.0])
def test_similar_platforms_on_a_line_have_four_poses(scale: float) -> None:
    """|p|², cos φ and the position along the line are fixed: two signs of φ with two positions each."""
    base = np.array([[0.0, 0.0], [1.0, 0.0], [3.0, 0.0]])
    robot, X = Planar3RPR(base, scale * base), np.array([0.5, 0.7, 0.3])
    q = robot.inverse_position(X)
    modes = robot.assembly_modes(q)
    assert modes.count == 4 and not modes.certified and modes.residual < 1e-11
    assert np.allclose(robot.inverse_position(modes.poses), q, atol=1e-11)
    assert np.abs(modes.poses - X).max(axis=-1).min() < 1e-9
    assert np.allclose(np.abs(modes.poses[:, 2]), 0.3) and np.allclose(np.hypot(*modes.poses.T[:2]), np.hypot(0.5, 0.7))


def test_a_double_root_is_one_pose_without_a_certificate() -> None:
    robot, X = Planar3RPR(TRIANGLE, 0.5 * TRIANGLE), np.array([0.1, 0.2, 0.0])
    assert robot.singularity(X).types == ("II",)
    modes = robot.assembly_modes(robot.inverse_position(X))
    assert modes.count == 1 and not modes.certified and np.abs(modes.poses - X).max() < 1e-5


def test_a_321_turns_about_a_line_through_three_pivots() -> None:
    """t3 on the line of b4 and b5; the platform then turns about it, t2 with it, with lengths that stay."""
    robot = Parallel321(TILTED, PLATFORM_321)
    on_line = pose([0, 0, 0], TILTED[3] + 0.45 * (TILTED[4] - TILTED[3]))
    assert moves(robot, robot.inverse_position(on_line))
    beside = on_line.copy()
    beside[1, 3] += 0.2
    both = robot.assembly_modes(robot.inverse_position(np.stack([on_line, beside])))
    assert both.self_motion.tolist() == [True, False] and both.certified.tolist() == [False, True]
    assert np.abs(both.poses[1, : both.count[1]] - beside).max(axis=(-1, -2)).min() < 1e-9


def test_a_321_with_three_pivots_on_a_line_is_singular_everywhere() -> None:
    base = np.array([[1, 0, 0], [0, 0, 0], [-1, 0, 0], *BASE_321[3:]])
    robot = Parallel321(base, PLATFORM_321)
    assert robot.is_architecturally_singular and moves(robot, robot.inverse_position(pose([0.1, 0.2, 0], [0.1, 1, 0])))


@pytest.mark.parametrize("last", [CENTRED, 0.3])
def test_delta_spheres_with_one_centre_leave_the_platform_free(last: float) -> None:
    assert moves(DELTA, np.array([CENTRED, CENTRED, last]))
    near = DELTA.assembly_modes([CENTRED - 0.1, CENTRED - 0.11, last])
    assert near.certified and near.count == 2


def test_equal_platforms_translate_on_a_sphere() -> None:
    pivots = RNG.normal(size=(6, 3))
    robot = StewartGough(pivots, pivots)
    assert moves(robot, robot.inverse_position(pose([0, 0, 0], [0.3, 0.2, 1.0])))


@pytest.mark.parametrize("turn", [[0, 0, 0], [0, 0, np.pi], [np.pi, 0, 0]])
def test_similar_platforms_with_parallel_planes_keep_their_pose(turn: list[float]) -> None:
    """There the quadratics of the closed form have double roots."""
    flat = np.pad(RNG.normal(size=(6, 2)), ((0, 0), (0, 1)))
    robot, X = StewartGough(flat, 0.5 * flat), pose(turn, [0.3, 0.2, 1.0])
    modes = robot.assembly_modes(robot.inverse_position(X))
    assert modes.verdict == Verdict.SOLVED and not modes.certified and modes.count >= 1
    assert np.abs(modes.poses - X).max(axis=(-1, -2)).min() < 1e-4
