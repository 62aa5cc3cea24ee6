"""Reciprocal product and reciprocal sets."""

from __future__ import annotations

import math

import numpy as np
import pytest
import sympy
from geometry_kinds import lines, near, poses, random_rows, same_on_all_scalars, screws
from hypothesis import given, settings
from hypothesis import strategies as st

import sixvec
from sixvec.geometry.line import Line
from sixvec.geometry.line_pair import line_angle, line_distance
from sixvec.geometry.point import Point
from sixvec.geometry.reciprocal import reciprocal_product, reciprocal_set, screw_rank
from sixvec.geometry.screw import Screw
from sixvec.spatial import Pose, Vec3

few = settings(deadline=None, max_examples=40)
DELTA = np.roll(np.eye(6), 3, axis=1)


def _rows(screws: list[Screw]) -> np.ndarray:
    return np.array([list(s) for s in screws], dtype=float).reshape(-1, 6)


@pytest.mark.covers("GEO-14", "Bruyninckx (2.18)")
@few
@given(screws, screws, screws, poses())
def test_product_is_symmetric_bilinear_and_invariant(a: Screw, b: Screw, c: Screw, X: Pose) -> None:
    assert reciprocal_product(a, b) == reciprocal_product(b, a)
    near(reciprocal_product(a * 2.0 + b, c), 2.0 * reciprocal_product(a, c) + reciprocal_product(b, c), 1e3)
    near(reciprocal_product(X @ a, X @ b), reciprocal_product(a, b), 1e4)
    near(reciprocal_product(a, b), np.array(list(a)) @ DELTA @ np.array(list(b)), 100.0)


@pytest.mark.covers("GEO-14")
@few
@given(lines, lines, st.floats(-2.0, 2.0), st.floats(-2.0, 2.0))
def test_product_from_pitches_distance_and_angle(a: Line, b: Line, h1: float, h2: float) -> None:
    product = reciprocal_product(Screw.from_axis(a, h1), Screw.from_axis(b, h2))
    along, across = math.cos(line_angle(a, b)), math.sin(line_angle(a, b))
    # The sine term has the sign of the turn about the common normal.
    sign = math.copysign(1.0, (b.point - a.point).dot(a.direction.cross(b.direction)))
    near(product, (h1 + h2) * along - sign * line_distance(a, b) * across, 100.0)


@pytest.mark.covers("GEO-14")
def test_lines_that_meet_or_are_parallel_are_reciprocal() -> None:
    p, d1, d2 = (Vec3(*sympy.symbols(f"{name}:3")) for name in "pab")
    first, second = (Screw.from_axis(Line(Point.of(p), d), 0) for d in (d1, d2))
    assert sympy.expand(reciprocal_product(first, second)) == 0
    q = Vec3(*sympy.symbols("q:3"))
    assert sympy.expand(reciprocal_product(first, Screw.from_axis(Line(Point.of(q), d1), 0))) == 0


@pytest.mark.covers("GEO-14")
@pytest.mark.parametrize("count", range(7))
def test_reciprocal_set_of_independent_screws(count: int) -> None:
    given_screws = [Screw.of(row.tolist()) for row in random_rows(6)[:count]]
    basis = reciprocal_set(given_screws)
    assert len(basis) == 6 - count
    assert np.allclose(_rows(given_screws) @ DELTA @ _rows(basis).T, 0.0, atol=1e-12)
    assert np.allclose(_rows(basis) @ _rows(basis).T, np.eye(6 - count), atol=1e-12)
    twice = reciprocal_set(basis)
    assert len(twice) == count
    assert screw_rank([*given_screws, *twice]) == count


@pytest.mark.covers("GEO-14")
def test_dependent_screws_are_noticed() -> None:
    a, b = (Screw.of(row.tolist()) for row in random_rows(6)[:2])
    dependent = [a, Screw(Vec3.zero(), Vec3.zero()), b, a * 2.0 - b * 3.0, a]
    assert screw_rank(dependent) == np.linalg.matrix_rank(_rows(dependent)) == 2
    assert len(reciprocal_set(dependent)) == 4
    near(_rows(dependent) @ DELTA @ _rows(reciprocal_set(dependent)).T, np.zeros((5, 4)), 10.0)
    assert len(reciprocal_set([Screw.of(row.tolist()) for row in random_rows(6)])) == 0


@pytest.mark.covers("GEO-14")
@few
@given(st.lists(screws, min_size=1, max_size=4), poses())
def test_the_span_moves_with_the_frame(some: list[Screw], X: Pose) -> None:
    if np.linalg.svd(_rows(some), compute_uv=False)[-1] < 1e-3:
        return
    here, there = reciprocal_set(some), reciprocal_set([X @ s for s in some])
    assert screw_rank([*there, *(X @ s for s in here)], tolerance=1e-6) == len(here)


@pytest.mark.covers("GEO-14")
def test_a_hinge_transmits_five_wrenches_and_a_robot_with_five_joints_one() -> None:
    hinge = Screw.from_axis(Line(Point(1.0, 0.0, 0.0), Vec3(0.0, 0.0, 1.0)), 0.0)
    forces = reciprocal_set([hinge])
    assert len(forces) == 5
    assert all(abs(hinge.as_motion().dot(f.as_force())) < 1e-15 for f in forces)
    assert len(reciprocal_set([Screw.of(row.tolist()) for row in random_rows(6)[:5]])) == 1


def _basis(a: list[float], b: list[float]) -> list[float]:
    return [x for s in reciprocal_set([Screw.of(a), Screw.of(b)]) for x in s]


def test_on_all_scalars() -> None:
    same_on_all_scalars("a[6] b[6] -> y[24]", _basis, random_rows(6, 1), random_rows(6, 2), symbolic=False)


def test_dependent_screws_in_compiled_code_are_finite() -> None:
    compiled = sixvec.compiled("a[6] b[6] -> y[24]")(_basis)
    a = random_rows(6)
    assert np.isfinite(compiled(a, 0.0 * a)).all()
    assert np.isfinite(compiled.derivative("b")(a, 0.0 * a)).all()


@pytest.mark.parametrize("sign", [1.0, -1.0])
@pytest.mark.parametrize("small", [0.0, 1e-9, -1e-7])
def test_screws_near_an_axis_lose_no_digits(sign: float, small: float) -> None:
    given = [Screw.of([small, 0.0, 0.0, sign, small, 0.0]), Screw.of([0.0, small, sign, small, sign, 0.0])]
    found = reciprocal_set(given)
    assert len(found) == 4
    assert np.abs([[reciprocal_product(a, b) for a in given] for b in found]).max() < 1e-15
    assert np.abs(_rows(found) @ _rows(found).T - np.eye(4)).max() < 1e-14
