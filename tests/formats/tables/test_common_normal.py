"""The common normal of two axes: what a classic row must reach, and which choices are reported."""

from __future__ import annotations

import math

import numpy as np
import pytest

from sixvec.formats.tables import DHRow
from sixvec.formats.tables.denavit_hartenberg import NEARLY, PARALLEL, dh_row_to
from sixvec.geometry.line import Line
from sixvec.geometry.point import Point
from sixvec.spatial import Vec3


def line(direction: list[float], point: list[float]) -> Line:
    e = np.array(direction) / np.linalg.norm(direction)
    return Line(Point(*map(float, point)), Vec3(*map(float, e)))


def frame(n: DHRow) -> np.ndarray:
    """Turn θ about z, go d along it, go a along x, turn α about x."""
    c, s, ca, sa = math.cos(n.theta), math.sin(n.theta), math.cos(n.alpha), math.sin(n.alpha)
    return np.array([[c, -s * ca, s * sa, n.a * c], [s, c * ca, -c * sa, n.a * s], [0.0, sa, ca, n.d], [0, 0, 0, 1.0]])


@pytest.mark.parametrize("seed", range(20))
def test_the_row_places_z_on_the_axis(seed: int) -> None:
    rng = np.random.default_rng(seed)
    size = 10.0 ** rng.integers(-3, 4)
    e, p = rng.normal(size=3), size * rng.normal(size=3)
    if seed % 3 == 0:
        p = e * rng.normal() + [0.0, 0.0, size]  # intersects z
    if seed % 5 == 0:
        e = np.array([0.0, 0.0, rng.choice([-1.0, 1.0])])
    axis = line(e.tolist(), p.tolist())
    found = dh_row_to(axis, 1).row
    X = frame(found)
    assert np.allclose(X[:3, 2], [*axis.direction], rtol=0.0, atol=1e-12) and found.a > -1e-12 * size
    assert np.abs(np.cross(X[:3, 3] - p, X[:3, 2])).max() < 1e-10 * size
    assert abs(X[:3, 0] @ [0.0, 0.0, 1.0]) < 1e-12


@pytest.mark.parametrize(
    ("direction", "point", "kind", "said"),
    [
        ([1.0, 0.5, 0.3], [0.0, 0.0, 2.0], "intersecting axes", "x against z × z'"),
        ([1.0, -0.5, 0.3], [0.0, 0.0, 2.0], "intersecting axes", "x along z × z'"),
        ([1.0, 0.0, 0.3], [0.0, 0.0, 2.0], "intersecting axes", "x along z × z'"),
        ([-1.0, 0.0, 0.3], [0.0, 0.0, 2.0], "intersecting axes", "x along z × z'"),
        ([0.0, 0.0, 1.0], [0.3, 0.4, 5.0], "parallel axes", "through the frame before, d = 0"),
        ([0.5 * PARALLEL, 0.0, 1.0], [0.3, 0.4, 5.0], "parallel axes", "is neglected"),
        ([0.0, 0.0, -1.0], [0.0, 0.0, 5.0], "coincident axes", "θ = 0, d = 0, a = 0"),
        ([0.5 * NEARLY, 0.0, 1.0], [0.0, 0.4, 5.0], "nearly parallel axes", "the common normal is kept: d = "),
    ],
)
def test_choices_are_reported(direction: list[float], point: list[float], kind: str, said: str) -> None:
    (choice,) = dh_row_to(line(direction, point), 3).choices
    assert said in str(choice) and kind in str(choice)
    assert ("is neglected" in str(choice)) == ("neglected" in said)


def test_skew_axes_need_no_choice_and_two_may_be_needed() -> None:
    assert dh_row_to(line([1.0, 0.0, 1.0], [0.0, 1.0, 0.0]), 1).choices == ()
    assert dh_row_to(line([2.0 * NEARLY, 0.0, 1.0], [0.0, 1.0, 0.0]), 1).choices == ()
    kinds = [str(c) for c in dh_row_to(line([0.0, 0.5 * NEARLY, 1.0], [0.0, 0.0, 0.0]), 1).choices]
    assert "intersecting axes" in kinds[0] and "nearly parallel axes" in kinds[1]
    parallel, opposite = (dh_row_to(line([0.0, 0.0, z], [3.0, 4.0, 7.0]), 1).row for z in (1.0, -1.0))
    assert (parallel.d, parallel.a, parallel.alpha) == (0.0, 5.0, 0.0) and opposite.alpha == math.pi
