"""All assembly modes of platforms with six legs, by following forty paths."""

from __future__ import annotations

import numpy as np
import pytest

from naming import named
from parallel_robots import (
    DIETMAIER_BASE,
    DIETMAIER_LEGS,
    DIETMAIER_PLATFORM,
    FAMILIES,
    HOME,
    Array,
    arm_321,
    hexapod,
    pose,
    ring,
)
from sixvec import check_inputs
from sixvec.errors import ArgumentError
from sixvec.parallel import ParallelRobot, StewartGough, is_convex, mirrored
from sixvec.parallel.mode_map import _one_side
from sixvec.verdict import Verdict

RNG = np.random.default_rng(17)


def random_poses(n: int) -> Array:
    return np.stack([pose(RNG.normal(size=3), RNG.normal(size=3)) for _ in range(n)])


def starts_from_everywhere(robot: ParallelRobot, q: Array, n: int) -> Array:
    """Poses found by Newton from random starts: (…, n, 4, 4), not a number where none was found."""
    X = random_poses(n)
    X[:, :3, 3] = robot.roots.mean(axis=0) + 1.5 * X[:, :3, 3]
    found = robot.forward_position(q[..., None, :], X)
    return np.where(found.solved[..., None, None], found.pose, np.nan)


def nothing_missed(modes: Array, found: Array) -> bool:
    """Whether every pose found is among the modes."""
    gaps = np.nan_to_num(np.abs(found[:, None] - modes[None]), nan=np.inf).max(axis=(-1, -2)).min(axis=1)
    return bool((gaps[np.isfinite(found).all(axis=(-1, -2))] < 1e-6).all())


@pytest.mark.covers("PAR-17")
def test_dietmaiers_platform_has_forty_real_poses() -> None:
    robot = StewartGough(DIETMAIER_BASE, DIETMAIER_PLATFORM)
    modes = robot.assembly_modes(DIETMAIER_LEGS)
    assert modes.count == modes.complex_count == 40 and modes.certified
    assert modes.residual < 1e-13
    assert np.abs(robot.inverse_position(modes.poses) - DIETMAIER_LEGS).max() < 1e-13
    flat = modes.poses[:, :3].reshape(40, 12)
    gaps = np.abs(flat[:, None] - flat[None]).max(axis=-1) + 9.0 * np.eye(40)
    assert gaps.min() > 0.15
    assert sorted(set(modes.labels)) == ["+", "-"] and modes.labels.count("+") == 20


@pytest.mark.covers("PAR-17")
def test_no_pose_of_a_random_platform_is_missed_or_false() -> None:
    robot = StewartGough(RNG.normal(size=(6, 3)), RNG.normal(size=(6, 3)))
    X = random_poses(6)
    q = robot.inverse_position(X)
    modes = robot.assembly_modes(q)
    assert modes.certified.all() and (modes.complex_count == 40).all() and modes.residual.max() < 1e-13
    assert (modes.count % 2 == 0).all()
    gaps = np.nan_to_num(np.abs(modes.poses - X[:, None]), nan=np.inf).max(axis=(-1, -2))
    assert gaps.min(axis=-1).max() < 1e-9
    found = starts_from_everywhere(robot, q, 200)
    for k in range(len(q)):
        assert nothing_missed(modes.poses[k], found[k])


@pytest.mark.slow
def test_no_pose_of_a_hundred_random_platforms_with_ten_lengths_each_is_missed_or_false() -> None:
    missed = uncertified = 0
    for _ in range(100):
        robot = StewartGough(RNG.normal(size=(6, 3)), RNG.normal(size=(6, 3)))
        q = robot.inverse_position(random_poses(10))
        modes = robot.assembly_modes(q)
        uncertified += int((~modes.certified).sum())
        assert modes.residual.max() < 1e-12
        found = starts_from_everywhere(robot, q, 60)
        missed += sum(not nothing_missed(modes.poses[k], found[k]) for k in range(10) if modes.certified[k])
    assert missed == 0 and uncertified <= 5


def test_special_designs_have_fewer_solutions() -> None:
    """6-3, 3-3 and 3-1-1-1: 16; a 321 found by paths: 8, the same as in closed form."""
    base, top = ring(6, 1.0, 0.0, 0.1), ring(6, 0.6, 0.0, 0.0, 0.75)
    base = base + 0.05 * RNG.normal(size=base.shape)
    for pivots, below, solutions in (([0, 0, 2, 2, 4, 4], range(6), 16), ([5, 1, 1, 3, 3, 5], [0, 0, 2, 2, 4, 4], 16)):
        robot = StewartGough(base[list(below)], top[pivots])
        modes = robot.assembly_modes(robot.inverse_position(HOME))
        assert modes.certified and modes.complex_count == solutions, robot
        assert np.abs(modes.poses - HOME).max(axis=(1, 2)).min() < 1e-9
    closed = arm_321()
    q = closed.inverse_position(pose([0.2, 0.3, -0.1], [0.1, 1.4, 0.05]))
    by_paths = StewartGough(closed.roots, closed.platform).assembly_modes(q)
    assert by_paths.certified and by_paths.complex_count == by_paths.count == 8
    assert nothing_missed(by_paths.poses, closed.assembly_modes(q).poses)


def test_a_semiregular_planar_platform_sends_paths_to_infinity() -> None:
    robot = hexapod()
    q = robot.inverse_position(HOME)
    modes = robot.assembly_modes(q)
    assert modes.certified and modes.complex_count == 28 and modes.count == 8
    assert nothing_missed(modes.poses, starts_from_everywhere(robot, q, 100))


@pytest.mark.covers("PAR-17")
def test_planar_platforms_have_mirror_partners() -> None:
    """Reflection in both planes gives another pose with the same lengths."""
    robot = hexapod()
    modes = robot.assembly_modes(robot.inverse_position(HOME))
    H = np.diag([1.0, 1.0, -1.0, 1.0])
    assert np.allclose(mirrored(robot, modes.poses), H @ modes.poses @ H)
    assert nothing_missed(modes.poses, mirrored(robot, modes.poses))
    with pytest.raises(ArgumentError, match=named("base", "pivots")):
        mirrored(StewartGough(DIETMAIER_BASE, DIETMAIER_PLATFORM), HOME)


@pytest.mark.covers("PAR-17")
def test_one_mode_of_an_octahedron_and_its_mirror_partner_are_convex() -> None:
    """The 3-3 platform: triangles above each other, turned by 60 degrees."""
    robot = StewartGough(ring(6, 1.0, 0.0, 0.0)[[0, 0, 2, 2, 4, 4]], ring(6, 0.6, 0.0, 0.0, 0.75)[[5, 1, 1, 3, 3, 5]])
    best = max(np.linspace(-np.pi, np.pi, 73), key=lambda y: is_convex_volume(robot, y))
    X = pose([0, 0, best], [0, 0, 0.8])
    assert is_convex(robot, X)
    modes = robot.assembly_modes(robot.inverse_position(X))
    convex = modes.poses[is_convex(robot, modes.poses)]
    assert len(convex) == 2 and nothing_missed(convex, np.stack([X, mirrored(robot, X)]))
    assert not is_convex(robot, X @ pose([0, 0, np.pi], [0, 0, 0]))


def test_a_point_in_a_plane_is_on_neither_of_its_sides() -> None:
    normal, points = np.array([0.0, 0.6, 0.8]), np.random.default_rng(0).normal(size=(5, 3))
    points -= np.outer(points @ normal - np.arange(5.0), normal)  # heights 0 to 4
    flat = points.copy()
    flat[0] = [3.0, 0.0, 0.0]
    for sign in (1.0, -1.0):
        assert _one_side(sign * points[1:], normal) and not _one_side(sign * flat, normal)
    assert not _one_side(points[1:] * np.array([[1.0], [1.0], [-1.0], [1.0]]), normal)


def is_convex_volume(robot: StewartGough, yaw: float) -> float:
    """By another way: SciPy's hull of all pivots has every leg as an edge, and then the larger the better."""
    spatial = pytest.importorskip("scipy.spatial")
    S = robot.platform @ pose([0, 0, yaw], [0, 0, 0])[:3, :3].T + np.array([0, 0, 0.8])
    hull = spatial.ConvexHull(np.concatenate([robot.roots, S]), qhull_options="QJ")
    edges = {tuple(np.round(e, 6)) for f in hull.simplices for e in _directions(hull.points[f])}
    return hull.volume if all(tuple(np.round(d, 6)) in edges for d in S - robot.roots) else -1.0


def _directions(corners: Array) -> list[Array]:
    return [corners[i] - corners[j] for i in range(3) for j in range(3) if i != j]


def test_cranks_have_assembly_modes_as_well() -> None:
    robot, X = FAMILIES["hexa"]
    modes = robot.assembly_modes(robot.inverse_position(X))
    assert modes.certified and np.abs(modes.poses - X).max(axis=(1, 2)).min() < 1e-9


@pytest.mark.covers("PAR-19")
def test_architectural_singularities_and_self_motions_are_recognised() -> None:
    base = [(0, 0), (-0.5, 0.866025), (0.5, 0.866025), (1.5, 0.866025), (1, 0), (0.5, -0.866025)]
    platform = [(0, 0), (0.5, 0.866025), (1, 1.732051), (1.5, 0.866025), (2, 0), (1, 0)]
    griffis_duffy = StewartGough(*(np.pad(x, ((0, 0), (0, 1))) for x in (base, platform)))
    assert griffis_duffy.is_architecturally_singular
    modes = griffis_duffy.assembly_modes(griffis_duffy.inverse_position(HOME))
    assert modes.self_motion and modes.count == 0 and not modes.certified
    assert "self-motion" in repr(modes)
    hexagon = ring(6, 1.0, 0.0, 0.0, np.pi / 6)
    for offset in (0.0, 0.3, 0.5):  # regular hexagons, whatever the angle between them
        assert StewartGough(hexagon, ring(6, 0.5, 0.0, offset, np.pi / 6)).is_architecturally_singular
    assert not StewartGough(hexagon, 0.5 * hexagon[[1, 0, 3, 2, 5, 4]]).is_architecturally_singular
    uneven = hexagon * np.array([1.0, 1.3, 0.8, 1.1, 0.9, 1.2])[:, None]
    assert not StewartGough(uneven, 0.5 * uneven).is_architecturally_singular
    assert not hexapod().is_architecturally_singular


def test_lengths_that_cannot_close_have_no_poses() -> None:
    robot = StewartGough(DIETMAIER_BASE, DIETMAIER_PLATFORM)
    far = DIETMAIER_LEGS.copy()
    far[0] = 20.0
    modes = robot.assembly_modes(far)
    assert modes.count == 0 and modes.certified and modes.complex_count == 40
    assert robot.assembly_modes(np.full(6, np.nan)).count == 0
    assert not robot.assembly_modes(-DIETMAIER_LEGS).certified


def test_where_modes_meet_their_number_is_not_certified() -> None:
    """At a singular pose two solutions are one: it is found, and the answer says that it may not be all."""
    platform, X = hexapod(), pose([0, 0, np.pi / 2], [0, 0, 0.9])
    assert platform.singularity(X).types == ("II",)
    flat = pose([0.2, 0.3, -0.1], [0.1, 0.0, 0.05])  # of a 321: t3 in the plane of b1, b2, b3
    for robot, pose_ in ((platform, X), (arm_321(), flat)):
        modes = robot.assembly_modes(robot.inverse_position(pose_))
        assert not modes.certified
        assert np.abs(modes.poses - pose_).max(axis=(1, 2)).min() < 1e-4


def test_lengths_that_no_pose_has_are_verdicts_with_the_leg() -> None:
    robot, X = FAMILIES["hexapod"]
    q = robot.inverse_position(X)
    long, negative = q.copy(), q.copy()
    long[3], negative[4] = 9.0, -1.0
    modes = robot.assembly_modes(np.stack([q, long, negative]))
    assert modes.verdict.tolist() == [Verdict.SOLVED, Verdict.UNREACHABLE, Verdict.INVALID]
    assert modes.leg.tolist() == [-1, 3, 4] and modes.count.tolist()[1:] == [0, 0]
    assert "cannot close: legs 3 and" in modes.explain(1) and "leg 4 has no positive" in modes.explain(2)
    assert "cannot close" in repr(robot.assembly_modes(long))
    delta = FAMILIES["delta"][0]
    assert "cannot close" in delta.forward_position([3.0, 0.0, 0.0]).explain()
    assert delta.assembly_modes([3.0, 0.0, 0.0]).verdict == Verdict.UNREACHABLE
    assert delta.assembly_modes([np.nan, 0.0, 0.0]).leg == 0


def test_paths_that_end_nowhere_are_not_inputs() -> None:
    robot = StewartGough(DIETMAIER_BASE, DIETMAIER_PLATFORM)
    before = check_inputs(True)
    try:
        assert not robot.assembly_modes(-DIETMAIER_LEGS).certified
    finally:
        check_inputs(before)
