"""Planes, and the lines and points in which they meet."""

from __future__ import annotations

import numpy as np
import pytest
from geometry_kinds import (
    coordinates,
    directions,
    lines,
    near,
    points,
    poses,
    random_rows,
    same_on_all_scalars,
)
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import sixvec
from sixvec.errors import DegenerateError
from sixvec.geometry.direction import Direction
from sixvec.geometry.line import Line
from sixvec.geometry.plane import Plane
from sixvec.geometry.point import Point
from sixvec.spatial import Pose, Vec3

few = settings(deadline=None, max_examples=40)
planes = st.builds(Plane, directions, coordinates)


@pytest.mark.covers("GEO-05")
@few
@given(points, directions, points)
def test_from_a_point_and_a_normal(p: Point, n: Direction, x: Point) -> None:
    plane = Plane.from_point(p, n)
    near(plane.signed_distance(p), 0.0, 10.0)
    foot = plane.closest_point_to(x)
    near(plane.signed_distance(foot), 0.0, 10.0)
    near(abs(plane.signed_distance(x)), foot.distance_to(x), 10.0)
    near(plane.flipped().signed_distance(x), -plane.signed_distance(x), 10.0)
    near(plane.closest_point(), plane.closest_point_to(Point.origin()), 10.0)


@pytest.mark.covers("GEO-05")
@few
@given(points, points, points)
def test_through_three_points(p: Point, q: Point, r: Point) -> None:
    assume((q - p).cross(r - p).norm() > 0.1)
    plane = Plane.through(p, q, r)
    for x in (p, q, r):
        near(plane.signed_distance(x), 0.0, 10.0)


@pytest.mark.covers("GEO-05")
def test_a_plane_through_the_origin_keeps_its_normal() -> None:
    assert Plane.through(Point.origin(), Point(1.0, 0.0, 0.0), Point(0.0, 1.0, 0.0)).normal == Direction(0.0, 0.0, 1.0)


@pytest.mark.covers("GEO-05")
@few
@given(planes, planes)
def test_two_planes_meet_in_a_line(a: Plane, b: Plane) -> None:
    assume(a.normal.cross(b.normal).norm() > 1e-3)
    line = a.meet(b)
    for t in (-1.0, 0.0, 2.0):
        near(a.signed_distance(line.at(t)), 0.0, 1e4)
        near(b.signed_distance(line.at(t)), 0.0, 1e4)
    near(line.point.vec.dot(line.direction), 0.0, 1e4)
    near(line.direction, a.normal.cross(b.normal))


@pytest.mark.covers("GEO-05")
@few
@given(planes, lines)
def test_a_line_pierces_a_plane(plane: Plane, line: Line) -> None:
    assume(abs(plane.normal.dot(line.direction)) > 1e-3)
    x = plane.intersection(line)
    near(plane.signed_distance(x), 0.0, 1e4)
    near(line.distance_to(x), 0.0, 1e4)


@pytest.mark.covers("GEO-05")
def test_nearly_parallel_planes_keep_their_digits() -> None:
    tilt = 1e-9
    line = Plane(Direction(0.0, 0.0, 1.0), 0.5).meet(Plane(Direction(0.0, tilt, 1.0), 0.5))
    near(line.point, Point(0.0, 0.0, 0.5))
    near(line.direction.x, -tilt, tilt)


@pytest.mark.covers("GEO-05")
def test_parallel_things_raise() -> None:
    up = Direction(0.0, 0.0, 1.0)
    with pytest.raises(DegenerateError, match="line"):
        Plane(up, 0.0).meet(Plane(-up, 1.0))
    with pytest.raises(DegenerateError, match="plane"):
        Plane(up, 0.0).intersection(Line(Point.origin(), Vec3(1.0, 0.0, 0.0)))
    with pytest.raises(DegenerateError, match="line"):
        Plane.through(Point.origin(), Point(1.0, 1.0, 1.0), Point(2.0, 2.0, 2.0))


@pytest.mark.covers("GEO-16")
@few
@given(planes, points, poses())
def test_a_pose_moves_planes(plane: Plane, p: Point, X: Pose) -> None:
    near((X @ plane).signed_distance(X @ p), plane.signed_distance(p), 100.0)
    near(X.inv() @ (X @ plane), plane, 100.0)


def _meet(a: list[float], b: list[float]) -> Line:
    return Plane(Direction.from_vector(Vec3.of(a[:3])), a[3]).meet(Plane(Direction.from_vector(Vec3.of(b[:3])), b[3]))


def _pierce(a: list[float], b: list[float]) -> Point:
    plane = Plane(Direction.from_vector(Vec3.of(a[:3])), a[3])
    return plane.intersection(Line(Point.of(b[:3]), Vec3.of(b[3:])))


def test_on_all_scalars() -> None:
    same_on_all_scalars("a[4] b[4] -> y[6]", _meet, random_rows(4, 1), random_rows(4, 2), symbolic=False)
    a = np.abs(random_rows(4, 1)) + 0.5
    same_on_all_scalars("a[4] b[6] -> y[3]", _pierce, a, np.abs(random_rows(6, 3)) + 0.5)


def test_parallel_things_in_a_batch_are_finite() -> None:
    a = random_rows(4)
    meet, pierce = sixvec.compiled("a[4] b[4] -> y[6]")(_meet), sixvec.compiled("a[4] b[6] -> y[3]")(_pierce)
    assert not meet(a, a).any()
    assert np.isfinite(meet.derivative("a")(a, a)).all()
    flat = np.tile([0.0, 0.0, 1.0, 0.5, 1.0, 2.0, 3.0, 1.0, 1.0, 0.0], (3, 1))
    assert (pierce(flat[:, :4], flat[:, 4:]) == [1.0, 2.0, 3.0]).all()
    assert np.isfinite(pierce.derivative("a")(flat[:, :4], flat[:, 4:])).all()
