"""Whether balls are apart: exact at the margin, in any order of shapes, and for small balls in wide groups."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from shaped_robots import arm, with_shapes

import sixvec as sv
from sixvec.distance.overlap import Balls, if_apart
from sixvec.geometry.rigid_body import Sphere
from sixvec.model import Geom
from sixvec.spatial import Pose, Vec3


def spheres(radius: float, width: float, each: int = 4) -> sv.Robot:
    """An arm with spheres of one size, scattered over cubes around its links."""
    rng = np.random.default_rng(3)
    robot = arm(4)
    places = [
        (frame, Vec3(*rng.uniform(-width, width, 3).tolist())) for _ in range(each) for frame in robot.frame_names
    ]
    geoms = [Geom(frame, Sphere(radius), Pose.translation(place)) for frame, place in places]
    robot = sv.Robot(replace(robot.model, geoms=tuple(geoms)))
    never = [pair for pair, why in robot.collision_pairs.omitted.items() if why == "never"]
    return robot.with_collision_pairs(also=never)


@pytest.mark.parametrize(("dtype", "error"), [("float64", 1e-13), ("float32", 2e-6)])
@pytest.mark.parametrize(("radius", "width"), [(0.08, 0.05), (0.01, 0.05), (0.002, 0.2)])
def test_a_margin_slightly_below_the_gap_is_kept_and_one_slightly_above_is_not(
    dtype: str, error: float, radius: float, width: float
) -> None:
    robot = spheres(radius, width)
    q = robot.random(0, 40)
    gap = robot.distance(q).distance
    for x, d in zip(q, gap, strict=True):
        if d > 1e-3:
            assert robot.is_clear(x.astype(dtype), margin=d - error)
            assert not robot.is_clear(x.astype(dtype), margin=d + error)
    np.testing.assert_array_equal(robot.is_clear(q.astype(dtype)), gap > 0.0)


def test_shapes_may_be_in_any_order() -> None:
    robot = with_shapes(arm(5), ("sphere", "capsule", "sphere"), each=3)
    q = robot.random(1, 60)
    clear = robot.is_clear(q, margin=0.01)
    order = np.random.default_rng(0).permutation(len(robot.model.geoms))
    mixed = sv.Robot(replace(robot.model, geoms=tuple(robot.model.geoms[k] for k in order)))
    np.testing.assert_array_equal(mixed.is_clear(q, margin=0.01), mixed.distance(q).distance > 0.01)
    np.testing.assert_array_equal(mixed.is_clear(q, margin=0.01), clear)


def test_balls_that_touch_are_not_apart_and_nan_is_never() -> None:
    for first in (0.5, 64.0):  # by products, and by differences
        for x, expected in ((first + 1.0, -1.0), (first + 1.25, 1.0), (float("nan"), -1.0)):
            pair = Balls(Vec3(first, 0.0, 0.0), first * first, Vec3(x, 0.0, 0.0), 1.0)
            assert if_apart(1.0, Vec3.zero(), [pair], 0.0) == expected


def test_small_balls_far_from_the_reference_are_compared_as_exactly_as_their_places() -> None:
    rng = np.random.default_rng(4)
    for _ in range(100):
        first, way = 100.0 * rng.normal(size=3), rng.normal(size=3)
        second = first + way * (1e-3 / np.linalg.norm(way))
        for radii, expected in ((1e-3 - 1e-12, 1.0), (1e-3 + 1e-12, -1.0)):
            pair = Balls(Vec3(*first.tolist()), float(first @ first), Vec3(*second.tolist()), radii)
            assert if_apart(1.0, Vec3.zero(), [pair], 0.0) == expected
