"""Directions: angles on the sphere to full precision, smallest rotations."""

from __future__ import annotations

import math

import mpmath
import numpy as np
import pytest
from geometry_kinds import directions, near, poses, random_rows, same_on_all_scalars
from hypothesis import given, settings
from hypothesis import strategies as st

import sixvec
from naming import named
from sixvec.errors import DegenerateError
from sixvec.geometry.direction import Direction, angle_between
from sixvec.spatial import Pose, Vec3

few = settings(deadline=None, max_examples=40)


@pytest.mark.covers("GEO-03", "Bruyninckx (2.4)")
@few
@given(directions, directions, directions, poses())
def test_the_angle_is_a_metric_on_the_sphere(a: Direction, b: Direction, c: Direction, X: Pose) -> None:
    assert a.angle_to(a) == 0.0
    near(a.angle_to(b), b.angle_to(a))
    near(a.angle_to(-b), math.pi - a.angle_to(b))
    near((X @ a).angle_to(X @ b), a.angle_to(b), tolerance=1e-7 if abs(abs(a.dot(b)) - 1.0) < 1e-9 else 1e-12)
    assert a.angle_to(c) <= a.angle_to(b) + b.angle_to(c) + 1e-12
    assert a.angle_to(-a) == math.pi


@pytest.mark.covers("GEO-03")
@few
@given(st.floats(-150.0, -0.5), st.booleans())
def test_small_angles_and_angles_near_pi_keep_their_digits(exponent: float, opposite: bool) -> None:
    a, tip = Vec3(0.6, 0.8, 0.0), 10.0**exponent
    b = Vec3(0.6, 0.8, tip) if not opposite else Vec3(-0.6, -0.8, tip)
    with mpmath.workdps(200):
        exact = mpmath.atan2(mpmath.mpf(tip), mpmath.sqrt(mpmath.mpf(0.6) ** 2 + mpmath.mpf(0.8) ** 2))
        expected = float(mpmath.pi - exact if opposite else exact)
    assert math.isclose(angle_between(a, b), expected, rel_tol=1e-15 * 4)


@pytest.mark.covers("GEO-03")
def test_sense_matters_and_sums_do_not_exist() -> None:
    x = Direction(1.0, 0.0, 0.0)
    assert x != -x
    with pytest.raises(TypeError, match="Direction"):
        x + x  # type: ignore[operator]
    with pytest.raises(TypeError, match="Vec3"):
        x.angle_to(x.vec)  # type: ignore[arg-type]
    with pytest.raises(DegenerateError, match="direction"):
        Direction.from_vector(Vec3.zero())
    with pytest.raises(DegenerateError, match="vector"):
        angle_between(x.vec, Vec3.zero())


@pytest.mark.covers("GEO-03")
@few
@given(directions, directions, st.floats(-12.0, -1.0))
def test_the_smallest_rotation(a: Direction, b: Direction, exponent: float) -> None:
    # b once as drawn, once nearly opposite to a.
    for end in (b, Direction.from_vector(b.vec * 10.0**exponent - a.vec)):
        if end.angle_to(-a) < 1e-13:
            continue
        R = a.rotation_to(end)
        near(R @ a.vec, end.vec)
        near(R.matrix.product(R.matrix.T), np.eye(3).ravel(), tolerance=1e-12)
        angle = math.acos(max(-1.0, min(1.0, (R.matrix.xx + R.matrix.yy + R.matrix.zz - 1.0) / 2.0)))
        near(angle, a.angle_to(end), tolerance=1e-7)


@pytest.mark.covers("GEO-03")
def test_opposite_directions_have_no_smallest_rotation() -> None:
    x = Direction(1.0, 0.0, 0.0)
    with pytest.raises(DegenerateError, match=named("perpendicular()")):
        x.rotation_to(-x)
    e = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, 0.6, -0.8]])
    R = Direction.of(list(e.T)).rotation_to(Direction.of(list(-e.T))).matrix
    for i, one in enumerate(e):
        half_turn = np.array([np.broadcast_to(x, 3)[i] for x in R]).reshape(3, 3)
        near(half_turn @ half_turn.T, np.eye(3))
        near(half_turn @ one, -one)
        near(np.linalg.det(half_turn), 1.0)


@few
@given(directions)
def test_a_perpendicular(d: Direction) -> None:
    near(d.perpendicular().dot(d), 0.0)
    near(d.perpendicular().vec.norm(), 1.0)


@pytest.mark.covers("GEO-16")
@few
@given(directions, poses())
def test_a_pose_turns_directions(d: Direction, X: Pose) -> None:
    near(X @ d, X.rot @ d.vec)
    near(X.inv() @ (X @ d), d)


def test_on_all_scalars() -> None:
    a, b = random_rows(3, 1), random_rows(3, 2)

    def turn(a: list[float], b: list[float]) -> list[float]:
        return list(Direction.from_vector(Vec3.of(a)).rotation_to(Direction.from_vector(Vec3.of(b))).matrix)

    same_on_all_scalars("a[3] b[3] -> y[1]", lambda a, b: [angle_between(Vec3.of(a), Vec3.of(b))], a, b)
    same_on_all_scalars("a[3] -> y[3]", lambda a: Direction.from_vector(Vec3.of(a)), a)
    same_on_all_scalars("a[3] b[3] -> y[9]", turn, a, b, symbolic=False)


def test_derivatives_are_finite_at_zero_and_pi() -> None:
    @sixvec.compiled("a[3] b[3] -> y[1]")
    def angle(a, b):  # type: ignore[no-untyped-def]
        return [angle_between(Vec3.of(a), Vec3.of(b))]

    a = random_rows(3)
    assert not angle(a, a).any()
    assert not angle.derivative("a")(a, a).any()
    assert not angle.derivative("a")(a, -a).any()
    assert np.isfinite(angle.derivative("a")(a, 0.0 * a)).all()


@pytest.mark.covers("GEO-03")
@pytest.mark.parametrize("tilt", [1e-2, 1e-6, 1e-10, 1e-14])
def test_derivatives_near_zero_and_pi_keep_their_digits(tilt: float) -> None:
    @sixvec.compiled("a[3] b[3] -> y[1]")
    def angle(a, b):  # type: ignore[no-untyped-def]
        return [angle_between(Vec3.of(a), Vec3.of(b))]

    a, b = np.array([1.0, 0.0, 0.0]), np.array([math.cos(tilt), 0.0, math.sin(tilt)])
    # b moves away from a along the great circle, a towards b.
    near(angle.derivative("b")(a, b)[0], [-math.sin(tilt), 0.0, math.cos(tilt)])
    near(angle.derivative("a")(a, b)[0], [0.0, 0.0, -1.0])
    near(angle.derivative("b")(a, -b)[0], [-math.sin(tilt), 0.0, math.cos(tilt)])
