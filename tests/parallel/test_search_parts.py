"""Parts of the searches for poses, by hand: starts, gaps, paths through a grid, planes and their reflections."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from parallel_robots import pose
from sixvec.errors import ArgumentError
from sixvec.parallel import Delta, ParallelRobot, Planar3RPR, StewartGough
from sixvec.parallel.mode_change import _breadth_first, _nearest
from sixvec.parallel.mode_map import _normal, _one_side, _reflection
from sixvec.parallel.multi_start import SAME, SAME_DOUBLE, SINGULAR, STARTS, _distinct, _gaps, _starts

RNG = np.random.default_rng(8)
SPATIAL = StewartGough(RNG.normal(size=(6, 3)), RNG.normal(size=(6, 3)) + np.array([5.0, -6.0, 7.0]))
PLANAR = Planar3RPR([[0, 0], [4, 0], [2, 3]], [[0, 0], [1, 0], [0.5, 1]])
DELTA = Delta(0.2, 0.05, 0.25, 0.6)


@pytest.mark.parametrize("robot", [SPATIAL, PLANAR, DELTA], ids=["space", "plane", "delta"])
def test_starts_are_spread_about_the_middle_of_the_legs(robot: ParallelRobot) -> None:
    centre, radius = RNG.normal(size=(robot.n, 3)) + np.array([20.0, 30.0, 40.0]), RNG.uniform(1.0, 2.0, robot.n)
    found = _starts(robot, centre, radius)
    assert len(found) == STARTS and np.array_equal(found, _starts(robot, centre, radius))
    middle, inner = centre.mean(axis=0), robot.platform.mean(axis=0)
    spread = 0.5 * (radius.max() + robot.size)
    if robot is SPATIAL:
        R = found[:, :3, :3]
        assert np.allclose(R @ np.swapaxes(R, 1, 2), np.eye(3)) and np.allclose(np.linalg.det(R), 1.0)
        assert (found[:, 3] == [0.0, 0.0, 0.0, 1.0]).all() and R.std(axis=0).min() > 0.2
        places = (found @ np.append(inner, 1.0))[:, :3]
    elif robot is PLANAR:
        assert np.abs(found[:, 2]).max() < np.pi and np.ptp(found[:, 2]) > 5.0
        places, middle = found[:, :2], middle[:2]
    else:
        places = found + inner
    assert np.abs(places.mean(axis=0) - middle).max() < 0.4 * spread
    assert np.allclose(places.std(axis=0), spread, rtol=0.3)


def test_gaps_are_turns_and_sizes() -> None:
    flat = np.array([[0.0, 0.0, 3.0], [0.0, 0.0, -3.0], [PLANAR.size, 0.0, 3.0], [0.1, -0.5 * PLANAR.size, 3.2]])
    assert _gaps(PLANAR, flat, flat[0]) == pytest.approx([0.0, 2.0 * np.pi - 6.0, 1.0, 0.5])
    X = pose([0, 0, 0], [1.0, 2.0, 3.0])
    other = np.stack(
        [X, pose([0, 0, 0], [1.0, 2.0, 3.0 + 2.0 * SPATIAL.size]), pose([0, 0, np.pi / 2], [1.0, 2.0, 3.0])]
    )
    assert _gaps(SPATIAL, other, X) == pytest.approx([0.0, 2.0, 1.0])


@pytest.mark.parametrize(
    ("gap", "values", "kept"),
    [
        (0.5 * SAME, [1.0, 1.0], [0]),
        (2.0 * SAME, [1.0, 1.0], [0, 1]),
        (0.5 * SAME_DOUBLE, [0.5 * SINGULAR, 1.0], [0]),
        (0.5 * SAME_DOUBLE, [1.0, 0.5 * SINGULAR], [0]),
        (0.5 * SAME_DOUBLE, [2.0 * SINGULAR, 1.0], [0, 1]),
        (2.0 * SAME_DOUBLE, [0.0, 0.0], [0, 1]),
    ],
)
def test_distinct_poses(gap: float, values: list[float], kept: list[int]) -> None:
    poses = np.array([[0.3, 0.2, 0.1], [0.3, 0.2 + gap * PLANAR.size, 0.1]])
    assert _distinct(PLANAR, poses, np.array(values)).tolist() == kept
    far = np.array([[5.0, 5.0, 0.0], *poses, [5.0, 5.0, 0.0]])
    assert _distinct(PLANAR, far, np.array([1.0, *values, 1.0])).tolist() == [0, *(k + 1 for k in kept)]
    assert _distinct(PLANAR, poses[:0], np.zeros(0)).tolist() == []


def test_shortest_ways_through_a_grid() -> None:
    """Three axes of which the last one is closed; steps up from a cell are free or not, and steps down likewise."""
    free = np.ones((4, 3, 5), bool)
    clear: list[Any] = [free.copy() for _ in range(3)]
    path = _breadth_first(clear, (0, 0, 0), (3, 2, 1))
    assert path is not None and len(path) == 7 and path[0] == (0, 0, 0) and path[-1] == (3, 2, 1)
    assert all(np.abs(np.subtract(a, b)).sum() == 1 for a, b in pairwise(path))
    assert _breadth_first(clear, (0, 0, 0), (0, 0, 4)) == [(0, 0, 0), (0, 0, 4)]
    assert _breadth_first(clear, (0, 0, 4), (0, 0, 0)) == [(0, 0, 4), (0, 0, 0)]
    assert _breadth_first(clear, (1, 1, 1), (1, 1, 1)) == [(1, 1, 1)]
    for axis, (a, b) in enumerate((((1, 0, 0), (2, 0, 0)), ((0, 1, 0), (0, 2, 0)), ((0, 0, 1), (0, 0, 2)))):
        closed = [x.copy() for x in clear]
        closed[axis][a] = False  # the step from a to b
        assert len(_breadth_first(clear, a, b)) == len(_breadth_first(clear, b, a)) == 2
        assert len(_breadth_first(closed, a, b)) == len(_breadth_first(closed, b, a)) == 4
    clear[0][1] = False
    assert _breadth_first(clear, (0, 0, 0), (3, 2, 1)) is None
    assert _breadth_first(clear, (3, 0, 0), (1, 0, 0)) is None
    assert _breadth_first(clear, (2, 0, 0), (3, 0, 0)) == [(2, 0, 0), (3, 0, 0)]


def test_the_nearest_free_cell() -> None:
    axes = np.linspace(0.0, 1.0, 3), np.linspace(0.0, 2.0, 3), np.array([-3.0, -1.0, 1.0, 3.0])
    grid = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1)
    free = np.ones(grid.shape[:-1], bool)
    assert _nearest(grid, free, np.array([0.4, 1.1, -0.8])) == (1, 1, 1)
    assert _nearest(grid, free, np.array([1.0, 2.0, 3.0 + 2.0 * np.pi])) == (2, 2, 3)
    assert _nearest(grid, free, np.array([0.0, 0.0, 3.25])) == (0, 0, 0)  # around the other way
    free[1, 1, 1] = False
    assert _nearest(grid, free, np.array([0.4, 1.1, -0.8])) == (0, 1, 1)
    assert _nearest(grid, np.zeros_like(free), np.array([0.4, 1.1, -0.8])) is None


def test_planes_of_pivots() -> None:
    ring = np.array([[1.0, 0.0, 2.0], [0.0, 1.0, 2.0], [-1.0, 0.0, 2.0], [0.0, -1.0, 2.0]])
    assert np.abs(_normal(ring, "base")) == pytest.approx([0.0, 0.0, 1.0])
    H = _reflection(ring, "base")
    assert np.allclose(H @ [0.3, -0.4, 5.0, 1.0], [0.3, -0.4, -1.0, 1.0]) and np.allclose(H @ H, np.eye(4))
    X = pose([0.4, 0.3, -0.2], [1.0, 2.0, 3.0])
    tilted = _reflection(ring @ X[:3, :3].T + X[:3, 3], "base")
    assert np.allclose(tilted, X @ H @ np.linalg.inv(X))
    with pytest.raises(ArgumentError, match="platform"):
        _normal(np.eye(4)[:, :3], "platform")
    up = np.array([0.0, 0.0, 1.0])
    for heights, one in (([1, 2, 3], True), ([-1, -2, -3], True), ([1, -2, 3], False), ([0, 1, 2], False)):
        points = np.stack([np.array([0.5, -0.5, float(h)]) for h in heights])
        assert bool(_one_side(points, up)) == one
