"""Distances of a robot to itself: brute force over its shapes, finite differences, other libraries' numbers."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from shaped_robots import arm, with_shapes

import sixvec as sv
from sixvec.distance.collision_pairs import candidate_pairs
from sixvec.distance.gaps import Solids
from sixvec.distance.search import PlacedRobot, self_search
from sixvec.errors import ArgumentError, ShapeError

SPHERES, CAPSULES = ("sphere",), ("sphere", "capsule")
ALL = ("sphere", "capsule", "box", "cylinder", "cone", "ellipsoid", "convex hull")
KINDS = (SPHERES, CAPSULES, ALL)


@pytest.fixture(scope="module", params=KINDS, ids=len)
def robot(request: pytest.FixtureRequest) -> sv.Robot:
    return with_shapes(arm(4 if request.param is ALL else 6), request.param, each=2)


def brute_force(robot: sv.Robot, q: np.ndarray) -> np.ndarray:
    """The gap of every compared pair of frames, from all pairs of shapes."""
    shapes = robot.collision_shapes
    poses = PlacedRobot(robot.model, shapes).placing(q).reshape(-1, len(shapes), 12)
    solids, pairs = Solids(shapes), candidate_pairs(robot.model, shapes)[0]
    found = []
    for names in robot.collision_pairs:
        i, j = np.array(pairs[names]).T
        each = [solids.gaps(i, j, X[i], X[j]).gap.min() for X in poses]
        found.append(each)
    return np.array(found).T


@pytest.mark.covers("DIST-01")
def test_the_smallest_gap_is_that_of_all_pairs_of_shapes(robot: sv.Robot) -> None:
    q = robot.random(0, 40)
    gaps = brute_force(robot, q)
    assert (gaps < 0.0).any() and (gaps.min(axis=1) > 0.0).any()
    d = robot.distance(q)
    np.testing.assert_allclose(robot.distances(q), gaps, atol=1e-9)
    np.testing.assert_allclose(d.distance, gaps.min(axis=1), atol=1e-9)
    np.testing.assert_allclose(gaps[np.arange(len(q)), d.pair], d.distance, atol=1e-9)
    assert d.pairs == tuple(robot.collision_pairs)
    for margin in (0.0, 0.03):
        np.testing.assert_array_equal(robot.is_clear(q, margin=margin), d.distance > margin)


def test_nearest_points_span_the_gap_along_the_normal(robot: sv.Robot) -> None:
    d = robot.distance(robot.random(1, 40))
    np.testing.assert_allclose(np.linalg.norm(d.normal, axis=-1), 1.0, atol=1e-12)
    np.testing.assert_allclose(d.points[:, 1] - d.points[:, 0], d.normal * d.distance[:, None], atol=2e-7)


def test_the_gradient_is_the_derivative_of_the_distance(robot: sv.Robot) -> None:
    q, step = robot.random(2, 40), 1e-5
    d = robot.distance(q, gradient=True)
    ahead, behind = (
        np.stack([robot.distance(robot.integrate(q, s * step * e)).distance for e in np.eye(robot.nv)], axis=-1)
        for s in (1.0, -1.0)
    )
    slope, change = (ahead - behind) / (2.0 * step), np.abs(ahead - 2.0 * d.distance[:, None] + behind)
    smooth = change < 20.0 * step**2  # not where the nearest pair changes
    assert smooth.mean() > 0.9
    np.testing.assert_allclose(d.gradient[smooth], slope[smooth], atol=2e-4)


def test_a_state_that_is_nan_is_nan_and_its_neighbours_keep_their_bits(robot: sv.Robot) -> None:
    q = robot.random(3, 21)
    broken = q.copy()
    broken[4, 2] = np.nan
    d, e = robot.distance(q, gradient=True), robot.distance(broken, gradient=True)
    rest = np.arange(21) != 4
    for name in ("distance", "points", "normal", "gradient"):
        assert np.isnan(getattr(e, name)[4]).all()
        np.testing.assert_array_equal(getattr(d, name)[rest], getattr(e, name)[rest])
    assert np.isnan(robot.distances(broken)[4]).all()
    assert not robot.is_clear(broken, margin=0.0)[4]
    np.testing.assert_array_equal(robot.is_clear(broken)[rest], robot.is_clear(q)[rest])


def test_bits_do_not_depend_on_the_batch(robot: sv.Robot) -> None:
    q = robot.random(4, 9)
    together = robot.distance(q, gradient=True)
    for k in range(9):
        alone = robot.distance(q[k], gradient=True)
        for name in ("distance", "pair", "points", "normal", "gradient"):
            np.testing.assert_array_equal(getattr(alone, name), getattr(together, name)[k])


def test_shapes_precision_and_changed_arguments(robot: sv.Robot) -> None:
    q = robot.random(5, 2, 3)
    d = robot.distance(q, gradient=True)
    assert d.distance.shape == d.pair.shape == (2, 3) and d.gradient.shape == (2, 3, robot.nv)
    assert d.points.shape == (2, 3, 2, 3) and robot.distances(q).shape == (2, 3, len(d.pairs))
    assert robot.distance(np.zeros((0, robot.nq))).distance.shape == (0,)
    single = robot.distance(q.astype(np.float32))
    assert single.distance.dtype == np.float32
    np.testing.assert_allclose(single.distance, d.distance, atol=1e-5)
    late = robot.distance(q)
    q[:] = 0.0
    np.testing.assert_allclose(late.points, d.points, atol=1e-12)
    with pytest.raises(ShapeError, match="distance: q"):
        robot.distance(np.zeros(robot.nq + 1))
    with pytest.raises(ArgumentError, match="margin"):
        robot.is_clear(robot.neutral(), margin=-0.1)
    with pytest.raises(ArgumentError, match="World"):
        robot.distance(robot.neutral(), world=3.0)


def test_results_are_pickled_with_their_points(robot: sv.Robot) -> None:
    d = robot.distance(robot.random(7, 4), gradient=True)
    copied = pickle.loads(pickle.dumps(d))
    for name in ("distance", "pair", "points", "normal", "gradient"):
        np.testing.assert_array_equal(getattr(copied, name), getattr(d, name))
    assert copied.pairs == d.pairs and pickle.loads(pickle.dumps(robot)).collision_pairs.pairs == d.pairs


def test_a_robot_without_shapes_says_what_shapes_are() -> None:
    with pytest.raises(ArgumentError, match="<collision>"):
        sv.load("panda").distance(np.zeros(7))


def test_round_robots_and_the_search_agree() -> None:
    robot = with_shapes(arm(), CAPSULES, seed=4)
    q, shapes = robot.random(6, 60), robot.collision_shapes
    pairs = candidate_pairs(robot.model, shapes)[0]
    compared = {names: pairs[names] for names in robot.collision_pairs}
    found = self_search(robot.model, shapes, compared).nearest(q)
    d = robot.distance(q, gradient=True)
    np.testing.assert_allclose(found.gap, d.distance, atol=1e-12)
    np.testing.assert_allclose(found.details()[2], d.gradient, atol=1e-6)
