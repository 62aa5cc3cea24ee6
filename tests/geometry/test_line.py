"""Lines by a point and a direction."""

from __future__ import annotations

import numpy as np
import pytest
from geometry_kinds import coordinates, lines, near, points, poses, random_rows, same_on_all_scalars
from hypothesis import assume, given, settings

from sixvec.errors import DegenerateError
from sixvec.geometry.line import Line
from sixvec.geometry.point import Point
from sixvec.spatial import Pose, Vec3

few = settings(deadline=None, max_examples=40)


@pytest.mark.covers("GEO-05", "GEO-06", "Bruyninckx (2.6)")
@few
@given(points, points)
def test_the_join_of_two_points(p: Point, q: Point) -> None:
    assume(p.distance_to(q) > 0.1)
    line = Line.through(p, q)
    near(line.at(0.0), p, 10.0)
    near(line.at(1.0), q, 10.0)
    near(line.distance_to(q), 0.0, 10.0)


@pytest.mark.covers("GEO-06")
@few
@given(lines, coordinates, points)
def test_normalisation_keeps_the_line(line: Line, t: float, x: Point) -> None:
    other = Line(line.at(t), line.direction * 3.0)
    n = other.normalized()
    near(n, line.normalized(), 10.0)
    near(n.direction.norm(), 1.0)
    near(n.point.vec.dot(n.direction), 0.0, 10.0)
    near(other.distance_to(x), line.distance_to(x), 10.0)


@pytest.mark.covers("GEO-06")
@few
@given(lines, points, coordinates)
def test_the_foot_is_nearest(line: Line, x: Point, t: float) -> None:
    foot = line.closest_point_to(x)
    near((x - foot).dot(line.direction), 0.0, 10.0)
    near(foot.distance_to(x), line.distance_to(x), 10.0)
    assert line.at(t).distance_to(x) >= line.distance_to(x) - 1e-11


@pytest.mark.covers("GEO-06")
def test_the_two_vectors_are_not_homogeneous() -> None:
    line = Line(Point(1.0, 0.0, 0.0), Vec3(0.0, 0.0, 1.0))
    assert Line(Point(2.0, 0.0, 0.0), Vec3(0.0, 0.0, 2.0)).distance_to(line.point) == 1.0
    assert line.reversed().distance_to(line.at(5.0)) == 0.0
    assert line.reversed() != line


@pytest.mark.covers("GEO-06")
def test_a_line_needs_a_direction() -> None:
    dot = Line(Point(1.0, 2.0, 3.0), Vec3.zero())
    for ask in (dot.normalized, dot.closest_point, lambda: dot.distance_to(Point.origin())):
        with pytest.raises(DegenerateError, match="direction"):
            ask()
    with pytest.raises(DegenerateError, match="points"):
        Line.through(Point(1.0, 2.0, 3.0), Point(1.0, 2.0, 3.0))


@pytest.mark.covers("GEO-16")
@few
@given(lines, coordinates, poses())
def test_a_pose_moves_lines(line: Line, t: float, X: Pose) -> None:
    near((X @ line).at(t), X @ line.at(t), 100.0)
    near(X.inv() @ (X @ line), line, 100.0)


def test_on_all_scalars() -> None:
    def normal_form(six: list[float], x: list[float]) -> list[float]:
        line = Line(Point.of(six[:3]), Vec3.of(six[3:]))
        return [*line.normalized(), *line.moment, line.distance_to(Point.of(x))]

    same_on_all_scalars("line[6] x[3] -> y[10]", normal_form, random_rows(6), random_rows(3, 1))


def test_a_batch_may_hold_a_degenerate_line() -> None:
    rows = np.array([[1.0, 0.0, 0.0, 0.0, 0.0, 2.0], [1.0, 2.0, 3.0, 0.0, 0.0, 0.0]]).T
    line = Line(Point.of(rows[:3]), Vec3.of(rows[3:])).normalized()
    near(np.stack(list(line), 1), [[1.0, 0.0, 0.0, 0.0, 0.0, 1.0], [1.0, 2.0, 3.0, 0.0, 0.0, 0.0]])
