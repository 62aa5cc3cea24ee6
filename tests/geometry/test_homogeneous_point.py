"""Homogeneous points: places and points at infinity under one 4x4 matrix."""

from __future__ import annotations

import numpy as np
import pytest
from geometry_kinds import close, directions, matrix, near, points, poses, random_rows, same_on_all_scalars
from hypothesis import given, settings

from sixvec.errors import DegenerateError
from sixvec.geometry.direction import Direction
from sixvec.geometry.homogeneous_point import HomogeneousPoint
from sixvec.geometry.point import Point
from sixvec.spatial import Pose

few = settings(deadline=None, max_examples=40)


@pytest.mark.covers("GEO-01", "GEO-16", "Bruyninckx (2.22)")
@few
@given(points, directions, poses())
def test_one_matrix_moves_both(p: Point, d: Direction, X: Pose) -> None:
    T = matrix(X.as_matrix())
    place, far = HomogeneousPoint.from_point(p), HomogeneousPoint.at_infinity(d)
    near(X @ place, T @ np.array(list(place)), 10.0)
    near(X @ far, T @ np.array(list(far)), 10.0)
    close((X @ far).vec, X.rot @ d.vec)
    near((X @ place).as_point(), X @ p, 10.0)
    near(X.inv() @ (X @ place), place, 10.0)


@pytest.mark.covers("GEO-01")
@few
@given(points)
def test_multiples_are_the_same_point(p: Point) -> None:
    near((HomogeneousPoint.from_point(p) * -3.7).as_point(), p, 10.0)


@pytest.mark.covers("GEO-01")
def test_a_point_at_infinity_has_no_coordinates() -> None:
    with pytest.raises(DegenerateError, match="vec"):
        HomogeneousPoint(1.0, 2.0, 3.0, 0.0).as_point()


def test_on_all_scalars() -> None:
    def dehomogenised(h: list[float]) -> Point:
        return HomogeneousPoint.of(h).as_point()

    same_on_all_scalars("h[4] -> p[3]", dehomogenised, np.add(random_rows(4), [0.0, 0.0, 0.0, 4.0]))


def test_points_at_infinity_in_a_batch_give_their_direction() -> None:
    h = np.array([[2.0, 4.0, 6.0, 2.0], [1.0, 2.0, 3.0, 0.0]])
    close(np.stack(list(HomogeneousPoint.of(list(h.T)).as_point()), 1).ravel(), [1.0, 2.0, 3.0, 1.0, 2.0, 3.0])


def test_weights_below_one_divide_as_well() -> None:
    for w in (0.5, -0.25, 2.0):
        assert [*HomogeneousPoint(1.0, 2.0, -3.0, w).as_point()] == [1.0 / w, 2.0 / w, -3.0 / w]
    w = np.array([0.5, 0.0, -4.0])
    found = HomogeneousPoint(*(np.full(3, x) for x in (1.0, 2.0, -3.0)), w).as_point()
    assert np.array_equal([*found], np.array([[2.0, 1.0, -0.25], [4.0, 2.0, -0.5], [-6.0, -3.0, 0.75]]))
