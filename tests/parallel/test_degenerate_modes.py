"""Assembly modes where the elimination degenerates: no certificate, true poses, and self-motions by name."""

from __future__ import annotations

import numpy as np
import pytest

from parallel_robots import BASE_321, PLATFORM_321, Array, pose
from sixvec.parallel import Delta, Parallel321, ParallelRobot, Planar3RPR, StewartGough
from sixvec.parallel.exact_321 import exact_321
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
    assert modes.poses.shape[1:] == ((3,) if robot.space.turns == 1 else (4, 4))
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


def degenerate_321(kind: str, eps: float, seed: int = 0) -> tuple[Parallel321, Array]:
    """A random 321, and a pose of it, `eps` from one where a tetrahedron of its closed form is flat or has no base."""
    rng = np.random.default_rng([seed, *kind.encode()])
    base, top = rng.normal(size=(6, 3)), 0.6 * rng.normal(size=(3, 3))
    off = eps * np.array([0.6, -0.64, 0.48])
    if kind == "base on a line":
        base[2] = 1.4 * base[1] - 0.4 * base[0] + off
    if kind == "platform on a line":
        top[2] = 1.4 * top[1] - 0.4 * top[0] + off
    X = pose(rng.normal(size=3), rng.normal(size=3))
    t3, t2, t1 = top @ X[:3, :3].T + X[:3, 3]
    if kind == "t3 in the base plane":
        X[:3, 3] += base[:3].T @ [0.5, 0.8, -0.3] + off - t3
    if kind == "t3 on the line of b4 and b5":
        X[:3, 3] += 0.7 * base[3] + 0.3 * base[4] + off - t3
    if kind == "t2 in the plane of t3, b4 and b5":
        base[4] = 0.4 * base[3] + 0.9 * t3 - 0.3 * t2 + off
    if kind == "b6 in the platform's plane":
        base[5] = 0.4 * t3 + 0.9 * t2 - 0.3 * t1 + off
    if kind == "b6 on the line of t2 and t3":
        base[5] = 1.4 * t3 - 0.4 * t2 + off
    return Parallel321(base, top), X


LOST = ("base on a line", "platform on a line", "t3 on the line of b4 and b5", "b6 on the line of t2 and t3")
FLAT = ("t3 in the base plane", "t2 in the plane of t3, b4 and b5", "b6 in the platform's plane")


def lengths_of(robot: Parallel321, X: Array) -> Array:
    return np.linalg.norm(robot.platform @ X[:3, :3].T + X[:3, 3] - robot.roots, axis=-1)


@pytest.mark.parametrize("kind", [*LOST, *FLAT])
def test_sixty_digits_find_a_degenerate_pose(kind: str) -> None:
    """Nothing is lost: the pose is found and certain, until rounding of the lengths decides."""
    for eps in (1e-3, 1e-5, 1e-7, 1e-10)[: 3 if kind == "platform on a line" else 4]:  # then it raises an error
        robot, X = degenerate_321(kind, eps)
        q = lengths_of(robot, X)
        poses, certain = exact_321(robot.platform[[0, 3, 5]], robot.roots, q)
        assert certain or eps < 1e-5
        if certain or kind in FLAT:
            assert np.abs(poses - X).max(axis=(-1, -2)).min() < 2e-6
            assert max(np.abs(lengths_of(robot, x) - q).max() for x in poses) < 1e-12
        assert not (certain and kind in FLAT and eps == 1e-10)


UNCERTAIN = 0.1
"""Largest share of samples 1e-5 from a degenerate one whose number of poses the last digits decide."""


@pytest.mark.parametrize(("kind", "count"), [("t3 on the line of b4 and b5", 1), *(
    pytest.param(k, 40, marks=pytest.mark.slow) for k in (*LOST, *FLAT))])  # fmt: skip
def test_a_321_near_degenerate_has_exact_poses(kind: str, count: int) -> None:
    """The pose is in the list; nearly all lists are certified, and the others say so."""
    uncertain = 0
    for seed in range(count):
        robot, X = degenerate_321(kind, 1e-5, seed)
        modes = robot.assembly_modes(robot.inverse_position(X))
        assert modes.residual < 1e-13 * robot.size and not modes.self_motion
        assert np.abs(modes.poses - X).max(axis=(-1, -2)).min() < 1e-6
        assert len(set(modes.labels)) == modes.count <= 8
        uncertain += not modes.certified
    assert uncertain <= UNCERTAIN * count


@pytest.mark.parametrize("kind", [FLAT[0], *(pytest.param(k, marks=pytest.mark.slow) for k in FLAT[1:])])
def test_two_poses_of_a_321_that_rounding_cannot_separate_are_one(kind: str) -> None:
    robot, X = degenerate_321(kind, 1e-10)
    modes = robot.assembly_modes(robot.inverse_position(X))
    assert not modes.certified and modes.residual < 1e-12 * robot.size and modes.count <= 6
    assert np.abs(modes.poses - X).max(axis=(-1, -2)).min() < 1e-6


def test_sixty_digits_and_eight_lanes_agree() -> None:
    """The same poses, and as many, where nothing is degenerate; by mpmath the lengths close to forty digits."""
    mpmath = pytest.importorskip("mpmath")
    robot = Parallel321(BASE_321, PLATFORM_321)
    X = np.stack([pose(0.3 * RNG.normal(size=3), [0.1, 1.4, 0.05] + 0.3 * RNG.normal(size=3)) for _ in range(20)])
    q = robot.inverse_position(X)
    modes = robot.assembly_modes(q)
    for k in range(len(q)):
        poses, certain = exact_321(robot.platform[[0, 3, 5]], robot.roots, q[k])
        assert certain and modes.certified[k] and len(poses) == modes.count[k]
        gaps = np.abs(poses[:, None] - modes.poses[k, : modes.count[k]]).max(axis=(-1, -2))
        assert gaps.min(axis=0).max() < 1e-9 and gaps.min(axis=1).max() < 1e-9
    with mpmath.workdps(50):
        M = mpmath.matrix(poses[0].tolist())
        for b, a, length in zip(robot.platform.tolist(), robot.roots.tolist(), q[-1].tolist(), strict=True):
            S = M * mpmath.matrix([*b, 1.0])
            assert abs(mpmath.norm(S[:3] - mpmath.matrix(a)) - length) < 4e-15


@pytest.mark.parametrize(("far", "scale"), [(1e4, 1.0), (1e6, 1.0), (0.0, 1e-3)])
def test_a_321_far_away_or_small_has_the_pose_that_made_its_lengths(far: float, scale: float) -> None:
    robot = Parallel321(BASE_321 + np.array([far, 0.0, 0.0]), PLATFORM_321 * scale)
    X = np.stack([pose([0.3 * k, -0.2, 0.1], [far + 0.2, 0.8, 0.1 * k]) for k in range(8)])
    q = robot.inverse_position(X)
    found = robot.assembly_modes(q)
    for k in range(len(X)):
        nearest = min(np.abs(Y - X[k]).max() for Y in found.poses[k, : found.count[k]])
        assert nearest < 1e-9 * (1.0 + far)
    near = X + np.array([[0, 0, 0, 0.01 * scale]] * 3 + [[0.0] * 4])
    assert robot.forward_position(q, near).solved.all()
