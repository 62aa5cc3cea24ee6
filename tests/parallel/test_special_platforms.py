"""Similar platforms and five points on a line: closed forms, against the paths of the general way."""

from __future__ import annotations

import numpy as np
import pytest

from parallel_robots import Array, pose
from sixvec.parallel import StewartGough
from sixvec.parallel.homotopy import assembly_general
from sixvec.parallel.special_platforms import five_collinear, similarity

RNG = np.random.default_rng(0)
FLAT = np.pad(RNG.normal(size=(6, 2)), ((0, 0), (0, 1)))
F, G = pose([0.3, 0.2, 0.1], [0.1, 0.2, 0.3]), pose([-0.3, 0.5, 0.1], [0.3, 0.2, 0.1])
BASE = FLAT @ F[:3, :3].T + F[:3, 3]
SIMILAR = 0.6 * FLAT @ G[:3, :3].T + G[:3, 3]
MIRRORED = 0.6 * FLAT * [1.0, -1.0, 1.0] @ G[:3, :3].T + G[:3, 3]
LINE = np.outer(RNG.normal(size=6), [1.0, 2.0, 0.5]) + np.array([0.1, 0.2, 0.3])
LINE[3] = RNG.normal(size=3)
POSES = np.stack([pose(0.5 * RNG.normal(size=3), 0.5 * RNG.normal(size=3) + np.array([0, 0, 1.5])) for _ in range(6)])

DESIGNS = {
    "similar": (BASE, SIMILAR),
    "mirrored": (BASE, MIRRORED),
    "line above": (BASE, LINE),
    "line below": (LINE, BASE),
}


def nearest(modes: Array, X: Array) -> Array:
    gaps = np.nan_to_num(np.abs(modes - X[:, None]), nan=np.inf).max(axis=(-1, -2))
    return np.asarray(gaps.min(axis=-1))


@pytest.mark.covers("PAR-24")
@pytest.mark.parametrize("name", DESIGNS)
def test_sixteen_solutions_in_closed_form(name: str) -> None:
    robot = StewartGough(*DESIGNS[name])
    assert not robot.is_architecturally_singular
    q = robot.inverse_position(POSES)
    modes = robot.assembly_modes(q)
    assert modes.certified.all() and (modes.complex_count == 16).all() and modes.residual.max() < 1e-12
    assert nearest(modes.poses, POSES).max() < 1e-10


@pytest.mark.covers("PAR-24")
@pytest.mark.parametrize("name", ["similar", "line above"])
def test_paths_find_the_same_poses(name: str) -> None:
    """The general way sends 24 of its 40 paths to infinity."""
    robot = StewartGough(*DESIGNS[name])
    q = robot.inverse_position(POSES[:2])
    closed, by_paths = robot.assembly_modes(q), assembly_general(robot, q)
    assert (by_paths.complex_count == 16).all() and by_paths.certified.all()
    assert by_paths.count.tolist() == closed.count.tolist()
    for k in range(2):
        n = closed.count[k]
        assert (
            nearest(np.broadcast_to(closed.poses[k], (n, *closed.poses[k].shape)), by_paths.poses[k, :n]).max() < 1e-9
        )


@pytest.mark.covers("PAR-19")
def test_similar_platforms_on_a_conic_are_singular_everywhere() -> None:
    angles = np.array([0.1, 0.9, 1.8, 2.9, 4.0, 5.2])
    ellipse = np.stack([2.0 * np.cos(angles), np.sin(angles), np.zeros(6)], axis=-1)
    assert StewartGough(ellipse, 0.5 * ellipse).is_architecturally_singular


@pytest.mark.parametrize("mirror", [1.0, -1.0])
def test_similar_pivots_in_any_place(mirror: float) -> None:
    """Both planes have a frame in which the platform's points are a multiple of the base's."""
    rng = np.random.default_rng(5)
    for _ in range(8):
        one, two = (pose(rng.normal(size=3), rng.normal(size=3)) for _ in range(2))
        base = FLAT @ one[:3, :3].T + one[:3, 3]
        platform = 0.7 * FLAT * [1.0, mirror, 1.0] @ two[:3, :3].T + two[:3, 3]
        found = similarity(base, platform)
        assert found is not None and found.ratio == pytest.approx(0.7)
        w = np.column_stack([found.points, np.zeros(6), np.ones(6)])
        assert np.allclose((w @ found.base.T)[:, :3], base)
        scaled = w * [found.ratio, found.ratio, 1.0, 1.0]
        assert np.allclose((scaled @ found.platform.T)[:, :3], platform)
        for F in (found.base, found.platform):
            assert np.isclose(np.linalg.det(F[:3, :3]), 1.0) and np.allclose(F[:3, :3] @ F[:3, :3].T, np.eye(3))
    assert similarity(base, LINE) is None
    assert similarity(base, 0.7 * FLAT + np.eye(6)[:, :3] * [1e-3, 0.0, 0.0]) is None


def test_five_points_on_a_line() -> None:
    found = five_collinear(BASE, LINE)
    assert found is not None and sorted(found.five) == [0, 1, 2, 4, 5] and not found.swapped
    assert np.abs(np.cross(found.direction, [1.0, 2.0, 0.5])).max() < 1e-9
    swapped = five_collinear(LINE, BASE)
    assert swapped is not None and swapped.swapped and swapped.five == found.five
    assert (
        five_collinear(BASE, SIMILAR) is None
        and five_collinear(np.random.default_rng(1).normal(size=(6, 3)), LINE) is None
    )
    twice = LINE.copy()
    twice[1] = twice[0]  # two of the five are one
    assert five_collinear(BASE, twice) is None
