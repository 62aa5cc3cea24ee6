"""Polygons: inside and nearest points against sums of angles and dense search."""

from __future__ import annotations

import numpy as np
import pytest

import sixvec
from sixvec.errors import ArgumentError, DegenerateError
from sixvec.geometry import Point, Polygon
from sixvec.spatial import Pose, Rotation, Vec3

L_SHAPE = [(0.0, 0.0, 0.0), (3.0, 0.0, 0.0), (3.0, 1.0, 0.0), (1.0, 1.0, 0.0), (1.0, 2.0, 0.0), (0.0, 2.0, 0.0)]
TILT = Pose(Rotation.about(Vec3(0.6, 0.0, 0.8), 0.7), Vec3(0.3, -1.0, 2.0))


def star(seed: int, corners: int = 9) -> np.ndarray:
    """A random polygon around the origin, in general not convex."""
    rng = np.random.default_rng(seed)
    angle = (np.arange(corners) + rng.uniform(0.0, 0.8, corners)) * 2.0 * np.pi / corners
    radius = rng.uniform(0.3, 1.5, corners)
    return np.stack([radius * np.cos(angle), radius * np.sin(angle), np.zeros(corners)], -1)


def inside_by_angles(rows: np.ndarray, x: np.ndarray) -> bool:
    """The sum of the angles under which the edges are seen: a full turn inside, nothing outside."""
    r = rows[:, :2] - x[:2]
    s = np.roll(r, -1, axis=0)
    return bool(abs(np.arctan2(r[:, 0] * s[:, 1] - r[:, 1] * s[:, 0], (r * s).sum(1)).sum()) > np.pi)


@pytest.mark.covers("GEO-19")
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("turned", [False, True])
def test_inside_and_nearest_points_of_random_polygons(seed: int, turned: bool) -> None:
    rows = star(seed)[:: -1 if turned else 1]
    flat, rng = Polygon.through(rows), np.random.default_rng(seed)
    tilted = TILT @ flat
    share = np.linspace(0.0, 1.0, 401)[:, None]
    rim = np.concatenate([a + share * (b - a) for a, b in zip(rows, np.roll(rows, -1, axis=0), strict=True)])
    for x in rng.uniform(-1.6, 1.6, (60, 3)):
        inside = inside_by_angles(rows, x)
        assert bool(flat.contains(Point.of(x))) == inside
        expected = abs(x[2]) if inside else np.linalg.norm(rim - x, axis=1).min()
        assert flat.distance_to(Point.of(x)) == pytest.approx(expected, abs=1e-4)
        assert flat.distance_to(Point.of(x)) <= expected + 1e-12
        seen = TILT @ Point.of(x)
        assert bool(tilted.contains(seen)) == inside
        assert tilted.distance_to(seen) == pytest.approx(float(flat.distance_to(Point.of(x))), abs=1e-12)
        on = tilted.nearest(seen)
        assert tilted.distance_to(on) == pytest.approx(0.0, abs=1e-7)
        assert abs(tilted.plane.signed_distance(on)) < 1e-12


@pytest.mark.covers("GEO-19")
def test_an_l_has_its_area_centroid_and_notch() -> None:
    shape = Polygon.through(L_SHAPE)
    assert shape.area == 4.0 and shape.normal.vec == Vec3(0.0, 0.0, 1.0)
    centroid = (3.0 * np.array([1.5, 0.5, 0.0]) + 1.0 * np.array([0.5, 1.5, 0.0])) / 4.0
    np.testing.assert_allclose([*shape.centroid], centroid, atol=1e-15)
    assert not shape.contains(Point(2.0, 1.5, 0.0)) and shape.contains(Point(0.5, 1.5, 7.0))
    assert shape.distance_to(Point(2.0, 1.5, 0.0)) == 0.5
    assert shape.distance_to(Point(2.0, 0.5, -3.0)) == 3.0
    for edge in shape.edges:
        assert shape.distance_to(edge.at(0.3)) == pytest.approx(0.0, abs=1e-15)
        assert shape.nearest_on_boundary(edge.at(0.3)).distance_to(edge.at(0.3)) < 1e-15
    back = Polygon.through(L_SHAPE[::-1])
    assert back.normal.vec == Vec3(0.0, 0.0, -1.0) and back.area == 4.0


def test_heights_of_corners_do_not_count_twice() -> None:
    """Points level with corners, for every corner and edge parallel to the ray."""
    shape = Polygon.through(L_SHAPE)
    within = [(0.5, 1.0), (0.5, 0.999999)]
    beyond = [(2.0, 1.0 + 1e-9), (-0.5, 1.0), (3.5, 1.0), (-1.0, 0.0), (4.0, 2.0), (-1.0, 2.0)]
    for (x, y), inside in [*((p, True) for p in within), *((p, False) for p in beyond)]:
        assert bool(shape.contains(Point(x, y, 0.0))) == inside


def test_polygons_compile() -> None:
    shape = Polygon.through(L_SHAPE)

    @sixvec.compiled("x[3] -> d p[3]")
    def nearest(x):  # type: ignore[no-untyped-def]
        point = Point.of(x)
        return shape.distance_to(point), shape.nearest(point)

    x = np.random.default_rng(0).uniform(-1.0, 4.0, (40, 3))
    d, p = nearest(x)
    for i in range(40):
        assert d[i] == pytest.approx(float(shape.distance_to(Point.of(x[i]))), abs=1e-12)
        np.testing.assert_allclose(p[i], [*shape.nearest(Point.of(x[i]))], atol=1e-12)


def test_what_is_not_a_flat_polygon_is_named() -> None:
    with pytest.raises(ArgumentError, match="three corners"):
        Polygon.through(L_SHAPE[:2])
    with pytest.raises(DegenerateError, match="no area"):
        Polygon.through([(0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (2.0, 0.0, 0.0)])
    with pytest.raises(DegenerateError, match="plane"):
        Polygon.through([(0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (1.0, 1.0, 0.0), (0.0, 1.0, 0.3)])


@pytest.mark.covers("GEO-19")
def test_corners_of_a_drawing_are_in_one_plane() -> None:
    """Seven decimals are enough; the error says how far a corner is outside."""
    corners = np.array([[*(TILT @ Point.of(p))] for p in L_SHAPE])
    assert Polygon.through(np.round(corners, 7)).area == pytest.approx(4.0, abs=1e-6)
    with pytest.raises(DegenerateError, match=r"corner \d is .* m outside"):
        Polygon.through(corners + 1e-3 * np.eye(6)[:, [4]] * np.array([*TILT.rot.axes[2]]))
