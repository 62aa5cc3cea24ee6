"""Mirrors: products of mirror images are mirror images of products, up to the sign that handedness brings."""

from __future__ import annotations

import numpy as np
import pytest
from geometry_kinds import (
    coordinates,
    directions,
    lines,
    near,
    points,
    random_rows,
    same_on_all_scalars,
    screws,
    vectors,
)
from hypothesis import given, settings
from hypothesis import strategies as st

from naming import named
from sixvec.geometry.direction import Direction
from sixvec.geometry.line import Line
from sixvec.geometry.mirror import Mirror, handedness
from sixvec.geometry.plane import Plane
from sixvec.geometry.plucker_line import PluckerLine
from sixvec.geometry.point import Point
from sixvec.geometry.screw import Screw
from sixvec.geometry.skew import skew
from sixvec.spatial import Force, Motion, Vec3

few = settings(deadline=None, max_examples=40)
mirrors = st.builds(Mirror, st.builds(Plane, directions, coordinates))


@pytest.mark.covers("GEO-04")
@few
@given(mirrors, points, points, vectors, vectors)
def test_points_vectors_and_pseudovectors(mirror: Mirror, p: Point, q: Point, a: Vec3, b: Vec3) -> None:
    near((mirror @ p).distance_to(mirror @ q), p.distance_to(q), 10.0)
    near(mirror @ (mirror @ p), p, 10.0)
    near(mirror.plane.signed_distance(mirror @ p), -mirror.plane.signed_distance(p), 10.0)
    near(mirror.pseudovector(a.cross(b)), mirror.vector(a).cross(mirror.vector(b)), 100.0)
    H = np.array([list(mirror.vector(Vec3.of(e))) for e in np.eye(3)]).T
    near(np.linalg.det(H), -1.0)
    near(H @ np.array(list(skew(a))).reshape(3, 3) @ H.T, np.reshape(list(skew(mirror.pseudovector(a))), (3, 3)), 10.0)


@pytest.mark.covers("GEO-04")
@few
@given(mirrors, st.builds(Motion, vectors, vectors), st.builds(Force, vectors, vectors), points)
def test_motions_and_forces(mirror: Mirror, V: Motion, F: Force, p: Point) -> None:
    velocity = V.lin + V.ang.cross(p.vec)
    image = mirror @ V
    near(image.lin + image.ang.cross((mirror @ p).vec), mirror.vector(velocity), 100.0)
    near(image.dot(mirror @ F), V.dot(F), 1000.0)


@pytest.mark.covers("GEO-04")
@few
@given(mirrors, lines, screws)
def test_lines_and_screws(mirror: Mirror, line: Line, s: Screw) -> None:
    near(mirror @ PluckerLine.from_line(line), PluckerLine.from_line(mirror @ line), 100.0)
    near((mirror @ s).pitch(), -s.pitch(), 100.0)
    near((mirror @ s).axis().distance_to(mirror @ s.axis().point), 0.0, 1000.0)


@pytest.mark.covers("GEO-04")
@few
@given(mirrors, st.builds(Plane, directions, coordinates), points)
def test_planes_and_directions(mirror: Mirror, plane: Plane, p: Point) -> None:
    near((mirror @ plane).signed_distance(mirror @ p), plane.signed_distance(p), 100.0)
    near(mirror @ plane.normal, (mirror @ plane).normal)


@pytest.mark.covers("GEO-04")
def test_handedness() -> None:
    x, y, z = (Vec3.of(e.tolist()) for e in np.eye(3))
    wall = Mirror(Plane(Direction(0.6, 0.8, 0.0), 0.3))
    assert handedness(x, y, z) == 1.0
    assert handedness(wall.vector(x), wall.vector(y), wall.vector(z)) == -1.0
    assert handedness(x, y, x + y) == 0.0


@pytest.mark.covers("GEO-04")
def test_a_bare_vector_raises() -> None:
    with pytest.raises(TypeError, match=named("mirror.vector", "mirror.pseudovector")):
        Mirror(Plane(Direction(1.0, 0.0, 0.0), 0.0)) @ Vec3(1.0, 0.0, 0.0)  # type: ignore[type-var]


def test_on_all_scalars() -> None:
    def image(n: list[float], six: list[float]) -> Motion:
        return Mirror(Plane(Direction.from_vector(Vec3.of(n[:3])), n[3])) @ Motion.of(six)

    same_on_all_scalars("n[4] m[6] -> y[6]", image, random_rows(4), random_rows(6, 1))
