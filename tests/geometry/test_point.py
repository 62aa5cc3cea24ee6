"""Points are places: differences are vectors, sums do not exist."""

from __future__ import annotations

import pytest
from geometry_kinds import close, near, points, poses, random_rows, same_on_all_scalars, vectors
from hypothesis import given, settings

from naming import named
from sixvec.geometry.point import Point
from sixvec.spatial import Pose, Vec3

few = settings(deadline=None, max_examples=40)


@pytest.mark.covers("GEO-01")
@few
@given(points, points, points, poses())
def test_distance_is_a_metric_and_the_same_in_all_frames(p: Point, q: Point, r: Point, X: Pose) -> None:
    assert p.distance_to(q) == q.distance_to(p)
    assert p.distance_to(r) <= p.distance_to(q) + q.distance_to(r) + 1e-12
    near((X @ p).distance_to(X @ q), p.distance_to(q), 10.0)


@pytest.mark.covers("GEO-01", "Bruyninckx (2.2)")
def test_distance_has_its_root() -> None:
    assert Point(1.0, 2.0, 3.0).distance_to(Point(1.0, 5.0, 7.0)) == 5.0


@pytest.mark.covers("GEO-02", "Bruyninckx (2.1)", "Bruyninckx (2.3)")
@few
@given(points, points, points, poses())
def test_differences_are_free_vectors(p: Point, q: Point, r: Point, X: Pose) -> None:
    near((q - p) + (r - q), r - p, 10.0)
    near((X @ q) - (X @ p), X.rot @ (q - p), 10.0)
    near(p + (q - p), q, 10.0)


@pytest.mark.covers("GEO-02")
def test_points_and_vectors_do_not_mix() -> None:
    p, v = Point(1.0, 2.0, 3.0), Vec3(1.0, 1.0, 1.0)
    assert isinstance(p - p, Vec3)
    assert isinstance(p - v, Point)
    assert isinstance(p + v, Point)
    for wrong in (
        lambda: v + p,
        lambda: v - p,
        lambda: p + p,
        lambda: -p,
        lambda: p * 2.0,
        lambda: p - 1.0,
        lambda: p + 1.0,
    ):
        with pytest.raises(TypeError, match="Point"):
            wrong()
    with pytest.raises(TypeError, match=named("Point", "Vec3")):
        p.distance_to(v)  # type: ignore[arg-type]


@pytest.mark.covers("GEO-16")
@few
@given(points, vectors, poses())
def test_a_pose_shifts_points_but_not_vectors(p: Point, v: Vec3, X: Pose) -> None:
    close((X @ p).vec + X.rot @ v, (X @ (p + v)).vec)
    near(X.inv() @ (X @ p), p, 10.0)
    near((X @ p).vec, X * p.vec, 10.0)


def test_on_all_scalars() -> None:
    p, q = random_rows(3, 1), random_rows(3, 2)
    same_on_all_scalars("p[3] q[3] -> d[1]", lambda p, q: [Point.of(p).distance_to(Point.of(q))], p, q)


def test_distance_has_a_finite_derivative_at_zero() -> None:
    import sixvec

    @sixvec.compiled("p[3] q[3] -> d[1]")
    def distance(p, q):  # type: ignore[no-untyped-def]
        return [Point.of(p).distance_to(Point.of(q))]

    p = random_rows(3)
    assert not distance.derivative("p")(p, p).any()
