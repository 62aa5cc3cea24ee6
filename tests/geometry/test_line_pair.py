"""Two lines: distance, intersection, common normal; exactly parallel and nearly so."""

from __future__ import annotations

import math

import numpy as np
import pytest
import sympy
from geometry_kinds import coordinates, lines, near, points, poses, random_rows, same_on_all_scalars
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import sixvec
from sixvec.errors import DegenerateError
from sixvec.geometry.line import Line
from sixvec.geometry.line_pair import (
    CommonNormal,
    common_normal,
    line_angle,
    line_distance,
    lines_intersect,
    lines_parallel,
    parallel_normal,
)
from sixvec.geometry.plucker_line import PluckerLine
from sixvec.geometry.point import Point
from sixvec.spatial import Mat3, Pose, Vec3

few = settings(deadline=None, max_examples=40)


def _sine(a: Line, b: Line) -> float:
    return float(a.direction.cross(b.direction).norm())


@pytest.mark.covers("GEO-08", "Bruyninckx (2.13)")
@few
@given(lines, lines, poses())
def test_common_normal(a: Line, b: Line, X: Pose) -> None:
    assume(_sine(a, b) > 0.01)
    n = common_normal(a, b)
    between = n.second - n.first
    for line, foot in ((a, n.first), (b, n.second)):
        near(line.distance_to(foot), 0.0, 1e4)
        near(between.dot(line.direction), 0.0, 1e4)
        near(n.line.direction.dot(line.direction), 0.0)
        near(n.line.distance_to(foot), 0.0, 1e6)
    near(n.distance, n.first.distance_to(n.second), 1e4)
    near(n.distance, abs(n.l) * _sine(a, b), 1e4)
    near(a.direction * n.k + n.line.direction * n.l + b.direction * n.m, b.point - a.point, 1e4)
    near(line_distance(X @ a, X @ b), n.distance, 1e4)
    near(common_normal(X @ a, X @ b).first, X @ n.first, 1e5)


@pytest.mark.covers("GEO-08")
@few
@given(lines, lines)
def test_distance_from_the_reciprocal_product(a: Line, b: Line) -> None:
    assume(_sine(a, b) > 0.01)
    product = PluckerLine.from_line(a).reciprocal(PluckerLine.from_line(b))
    near(line_distance(a, b), abs(product) / _sine(a, b), 1e3)
    near(line_distance(a, b), line_distance(b, a), 1e3)


@pytest.mark.covers("GEO-08")
def test_determinant_of_the_system() -> None:
    d1, d2 = Vec3(*sympy.symbols("a:3")), Vec3(*sympy.symbols("b:3"))
    n = d1.cross(d2)
    system = sympy.Matrix(3, 3, list(Mat3.from_rows(d1, n, d2)))
    assert sympy.expand(system.det() + n.dot(n)) == 0


@pytest.mark.covers("GEO-08", "Bruyninckx (2.10)")
@few
@given(points, lines, lines)
def test_lines_through_one_point_intersect(p: Point, a: Line, b: Line) -> None:
    assume(_sine(a, b) > 0.01)
    a, b = Line(p + a.direction * 2.0, a.direction), Line(p - b.direction, b.direction)
    assert lines_intersect(a, b, 1e-9)
    near(common_normal(a, b).first, p, 1e4)
    away = Line(b.point + a.direction.cross(b.direction), b.direction)
    assert not lines_intersect(a, away, 1e-9)


@pytest.mark.covers("GEO-08")
@few
@given(lines, coordinates, points, st.sampled_from([1.0, -1.0]))
def test_parallel_lines(a: Line, t: float, p: Point, sense: float) -> None:
    b = Line(p, a.direction * sense)
    assert lines_parallel(a, b, 1e-12)
    near(PluckerLine.from_line(a).reciprocal(PluckerLine.from_line(b)), 0.0, 100.0)
    near(line_distance(a, b), a.distance_to(p), 10.0)
    assert lines_intersect(a, b, 1e-6) == (a.distance_to(p) < 1e-6)
    with pytest.raises(DegenerateError, match="parallel_normal"):
        common_normal(a, b)
    n = parallel_normal(a, b)
    assert n.first == a.point
    near((n.second - n.first).dot(a.direction), 0.0, 10.0)
    near(b.distance_to(n.second), 0.0, 10.0)
    near(n.distance, a.distance_to(p), 10.0)
    near(line_angle(a, b), 0.0 if sense > 0.0 else math.pi)


@pytest.mark.covers("GEO-08")
@pytest.mark.parametrize("tilt", [1e-3, 1e-6, 1e-9, 1e-12])
def test_nearly_parallel_lines_keep_their_digits(tilt: float) -> None:
    a = Line(Point(0.3, -0.2, 0.1), Vec3(0.0, 0.0, 1.0))
    b = Line(Point(2.0, 0.7, 0.4), Vec3(0.0, tilt, 1.0))
    near(line_distance(a, b), 1.7)
    n = common_normal(a, b)
    # The second line has the y of the first where its z has grown by -0.9 / tilt.
    near(n.second, Point(2.0, -0.2, 0.4 - 0.9 / tilt), 1.0 / tilt)
    near(n.first, Point(0.3, -0.2, 0.4 - 0.9 / tilt), 1.0 / tilt)
    near(line_angle(a, b), math.atan(tilt), tilt)


def _pair(a: list[float], b: list[float]) -> list[float]:
    first, second = (Line(Point.of(x[:3]), Vec3.of(x[3:])) for x in (a, b))
    n: CommonNormal = common_normal(first, second)
    return [*n.line, *n.first, *n.second, n.distance, n.k, n.l, n.m, line_angle(first, second)]


def test_on_all_scalars() -> None:
    same_on_all_scalars("a[6] b[6] -> y[17]", _pair, random_rows(6, 4), random_rows(6, 5))


@pytest.mark.covers("GEO-08")
def test_parallel_lines_in_a_batch_get_the_normal_of_the_first_point() -> None:
    a, b = random_rows(6, 1), random_rows(6, 2)
    b[:, 3:] = a[:, 3:] * -1.0
    compiled = sixvec.compiled("a[6] b[6] -> y[17]")(_pair)
    for i, row in enumerate(compiled(a, b)):
        first, second = (Line(Point.of(x[i, :3].tolist()), Vec3.of(x[i, 3:].tolist())) for x in (a, b))
        n = parallel_normal(first, second)
        near(row[:16], [*n.line, *n.first, *n.second, n.distance, n.k, n.l, n.m], 10.0)
    assert np.isfinite(compiled.derivative("a")(a, b)).all()
    assert np.isfinite(compiled.derivative("a")(a, a)).all()


def test_parallel_is_below_the_tolerance_and_not_at_it() -> None:
    along = Line(Point(1.0, 0.0, 0.0), Vec3(0.0, 0.0, 1.0))
    for angle, tolerance, parallel in ((0.0, 1e-9, True), (0.0, 0.0, False), (0.1, 0.09, False), (0.1, 0.11, True)):
        other = Line(Point(0.0, 2.0, 0.0), Vec3(math.sin(angle), 0.0, -math.cos(angle)) * 3.0)
        assert bool(lines_parallel(along, other, tolerance)) == parallel
