"""Pictures by pixels: what is nearer hides what is farther, and everything is within the picture."""

from __future__ import annotations

import numpy as np
import pytest

import sixvec as sv
from sixvec.formats.mesh_triangles import Triangles
from sixvec.geometry.rigid_body.solids import Box, Capsule, Sphere
from sixvec.model.geom import Shape
from sixvec.spatial import Vec3
from sixvec.viz.raster import Surface, camera, covered, moved, painted, simplified, split, surface
from sixvec.viz.strip_chart import StripChart, ticks
from sixvec.viz.triangles import triangles

pytest.importorskip("PIL")

RED, GREEN = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0)


def area(surface: Triangles) -> float:
    a, b, c = np.moveaxis(surface.vertices[surface.faces], 1, 0)
    return float(np.linalg.norm(np.cross(b - a, c - a), axis=1).sum() / 2)


@pytest.mark.parametrize("shape", [Box(Vec3(1.0, 2.0, 3.0)), Capsule(0.1, 2.0), Sphere(0.7)])
def test_splitting_keeps_the_surface_and_bounds_its_edges(shape: Shape) -> None:
    whole = triangles(shape)
    fine = split(whole, 0.2)
    ends = fine.vertices[fine.faces]
    assert np.linalg.norm(ends - np.roll(ends, 1, axis=1), axis=2).max() <= 0.2
    assert area(fine) == pytest.approx(area(whole), rel=1e-12)


def test_simplifying_merges_near_corners_only() -> None:
    ball = triangles(Sphere(1.0))
    assert area(simplified(ball, 1e-9)) == pytest.approx(area(ball), rel=1e-12)
    coarse = simplified(ball, 0.2)
    assert len(coarse.faces) < len(ball.faces) and np.abs(coarse.vertices).max() <= 1.0 + 1e-12


def test_the_pixels_of_a_triangle_are_its_area() -> None:
    view = camera(np.array([[0.0, 0, 0], [1, 1, 1]]), 100, 100)
    triangle = np.array([[[10.2, 20.7], [120.4, 60.1], [50.3, 150.9]]])
    (x0, y0), (x1, y1), (x2, y2) = triangle[0]
    inside = covered(triangle, view)
    expected = abs((x1 - x0) * (y2 - y0) - (x2 - x0) * (y1 - y0)) / 2
    assert len(inside.pixel) == pytest.approx(expected, rel=0.02)
    assert inside.weights.sum(axis=1) == pytest.approx(1.0)
    again = covered(triangle[:, ::-1], view)
    assert sorted(again.pixel) == sorted(inside.pixel), "whatever the sense of the corners"
    assert len(covered(triangle + 1e6, view).pixel) == 0


@pytest.mark.parametrize("swapped", [False, True])
def test_the_nearer_surface_is_seen(swapped: bool) -> None:
    """Two crossed plates, in either order: half of each hides half of the other."""
    plates = [np.array([[-1.0, -1, 0], [1, -1, 0], [1, 1, 0], [-1, 1, 0]]) for _ in range(2)]
    plates[0] = plates[0] @ np.array([[1, 0, 0], [0, np.cos(1), np.sin(1)], [0, -np.sin(1), np.cos(1)]])
    colors = [RED, GREEN]
    if swapped:
        plates.reverse(), colors.reverse()
    faces = np.array([[0, 1, 2], [0, 2, 3]])
    corners = np.concatenate(plates)
    shape = Surface(corners, np.zeros(8, int), np.concatenate([faces, faces + 4]), np.repeat(colors, 2, axis=0))
    pixels = np.asarray(painted(shape, corners, camera(corners, 120, 120), -5.0), int)
    red = ((pixels[..., 0] > 60) & (pixels[..., 1] < 20)).sum()
    green = ((pixels[..., 1] > 60) & (pixels[..., 0] < 20)).sum()
    assert 0.2 < red / green < 5.0


@pytest.mark.parametrize("name", ["panda", "planar_2r", "solo12"])
def test_the_view_includes_the_robot_and_fills_the_picture(name: str) -> None:
    robot = sv.load(name)
    shape = surface(robot)
    corners = moved(shape, robot.poses(robot.random(3)))
    view = camera(corners, 300, 200)
    places = view.project(corners)[0]
    assert (places > 0).all() and (places < [view.width, view.height]).all()
    assert np.ptp(places / [view.width, view.height], axis=0).max() > 0.75
    drawn = np.asarray(painted(shape, corners, view, 0.0), int)
    assert drawn.shape == (200, 300, 3) and drawn.min() < 150 < 250 < drawn.max()


def test_a_chart_grows_with_time() -> None:
    t = np.linspace(0.0, 2.0, 50)
    chart = StripChart("torque [N m]", ("1", "2"), t, np.stack([np.sin(t), np.cos(t)], 1))
    ink = [int((np.asarray(chart.picture(time), int).min(axis=2) < 80).sum()) for time in (0.2, 1.0, 1.9)]
    assert ink == sorted(ink) and ink[0] < ink[-1]
    StripChart("flat", ("1",), t[:1], np.zeros((1, 1))).picture(0.0)


@pytest.mark.parametrize(("low", "high"), [(0.0, 1.0), (-3.7, 12.0), (1e-9, 2e-9), (5.0, 5.0)])
def test_ticks_are_few_and_inside(low: float, high: float) -> None:
    marks = ticks(low, high)
    assert len(marks) <= 6 and all(low - 1e-9 <= mark <= high + 1e-9 for mark in marks)
