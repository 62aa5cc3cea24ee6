"""Segments: nearest points against dense search and laws."""

from __future__ import annotations

import numpy as np
import pytest
from geometry_kinds import near, points, poses
from hypothesis import given, settings
from scipy.optimize import minimize

import sixvec
from naming import named
from sixvec.geometry import Point, Segment
from sixvec.spatial import Pose, Vec3

few = settings(deadline=None, max_examples=40)


@pytest.mark.covers("GEO-19")
@few
@given(points, points, points)
def test_the_nearest_point_is_between_the_ends_and_at_right_angles(a: Point, b: Point, x: Point) -> None:
    """Either the way to it is at right angles to the segment, or it is an end and the angle is not acute."""
    s, p = Segment(a, b), Segment(a, b).nearest(x)
    near(p.distance_to(a) + p.distance_to(b), s.length, 10.0)
    way, along = x - p, s.along
    if p.distance_to(a) > 1e-6:
        assert way.dot(along) >= -1e-8 * (1.0 + s.length * way.norm())
    if p.distance_to(b) > 1e-6:
        assert way.dot(along) <= 1e-8 * (1.0 + s.length * way.norm())
    near(s.distance_to(x), x.distance_to(p), 10.0)


@pytest.mark.covers("GEO-19")
@few
@given(points, points, points, points, poses())
def test_distances_are_symmetric_and_do_not_depend_on_the_frame(
    a: Point, b: Point, c: Point, d: Point, X: Pose
) -> None:
    s, t = Segment(a, b), Segment(c, d)
    near(s.distance_to(t), t.distance_to(s), 10.0)
    near(s.distance_to(t), Segment(b, a).distance_to(t), 10.0)
    near((X @ s).distance_to(X @ t), s.distance_to(t), 10.0)
    p, q = s.nearest_points(t)
    near(s.nearest(q).distance_to(q), p.distance_to(q), 10.0)
    assert s.distance_to(t) <= min(a.distance_to(c), s.distance_to(c), t.distance_to(b)) + 1e-9


@pytest.mark.covers("GEO-19")
def test_the_least_distance_is_that_of_a_general_optimiser() -> None:
    rng = np.random.default_rng(0)
    for _ in range(30):
        a, b, c, d = rng.normal(size=(4, 3))

        def square(x: np.ndarray, a: np.ndarray = a, b: np.ndarray = b, c: np.ndarray = c, d: np.ndarray = d) -> float:
            return float(((a + x[0] * (b - a) - c - x[1] * (d - c)) ** 2).sum())

        peer = minimize(square, [0.5, 0.5], bounds=[(0, 1), (0, 1)], options={"ftol": 1e-16, "gtol": 1e-12})
        ours = Segment(Point.of(a), Point.of(b)).distance_to(Segment(Point.of(c), Point.of(d)))
        assert ours == pytest.approx(np.sqrt(peer.fun), abs=1e-6)
        assert ours <= np.sqrt(peer.fun) + 1e-12


def test_parallel_and_degenerate_segments() -> None:
    a = Segment(Point(0.0, 0.0, 0.0), Point(2.0, 0.0, 0.0))
    assert a.distance_to(Segment(Point(1.0, 1.0, 0.0), Point(3.0, 1.0, 0.0))) == 1.0
    assert a.distance_to(Segment(Point(4.0, 0.0, 0.0), Point(3.0, 0.0, 0.0))) == 1.0
    dot = Segment(Point(1.0, 2.0, 0.0), Point(1.0, 2.0, 0.0))
    assert dot.distance_to(a) == a.distance_to(dot) == 2.0 and dot.length == 0.0
    assert dot.distance_to(dot) == 0.0
    with pytest.raises(TypeError, match=named("Point", "Segment", "Vec3")):
        a.distance_to(Vec3(0.0, 0.0, 0.0))  # type: ignore[arg-type]


def test_segments_compile_and_differentiate() -> None:
    @sixvec.compiled("a[3] b[3] c[3] d[3] -> x")
    def gap(a, b, c, d):  # type: ignore[no-untyped-def]
        return Segment(Point.of(a), Point.of(b)).distance_to(Segment(Point.of(c), Point.of(d)))

    rng = np.random.default_rng(1)
    a, b, c, d = rng.normal(size=(4, 50, 3))
    expected = [Segment(*map(Point.of, (p, q))).distance_to(Segment(*map(Point.of, (r, s))))
                for p, q, r, s in zip(a, b, c, d, strict=True)]  # fmt: skip
    np.testing.assert_allclose(gap(a, b, c, d), expected, rtol=1e-12)
    slope, h = gap.derivative("a")(a, b, c, d), 1e-6
    for i in range(3):
        step = np.eye(3)[i] * h
        rise = (gap(a + step, b, c, d) - gap(a - step, b, c, d)) / (2.0 * h)
        np.testing.assert_allclose(slope[:, i], rise, atol=1e-6)
