"""Screws: axis, pitch (zero, finite, infinite), motor product, transforms."""

from __future__ import annotations

import math

import numpy as np
import pytest
import sympy
from geometry_kinds import (
    coordinates,
    lines,
    long_vectors,
    near,
    poses,
    random_rows,
    same_on_all_scalars,
    screws,
    vectors,
)
from hypothesis import given, settings
from hypothesis import strategies as st

import sixvec
from sixvec.errors import DegenerateError
from sixvec.geometry.line import Line
from sixvec.geometry.plucker_line import PluckerLine
from sixvec.geometry.point import Point
from sixvec.geometry.screw import Screw
from sixvec.spatial import Force, Motion, Pose, Vec3

few = settings(deadline=None, max_examples=40)


@pytest.mark.covers("GEO-13", "Bruyninckx (2.14)-(2.15)")
@few
@given(lines, coordinates, coordinates)
def test_axis_and_pitch_come_back(line: Line, h: float, t: float) -> None:
    s = Screw.from_axis(Line(line.at(t), line.direction * 2.5), h)
    near(s.pitch(), h, 10.0)
    near(s.axis().normalized(), line.normalized(), 10.0)
    near(s.axis().point, line.closest_point(), 10.0)
    near(s.magnitude(), 2.5)
    near(Screw.from_axis(s.axis(), s.pitch()), s, 100.0)
    near(s.normalized(), Screw.from_axis(line, h), 100.0)
    near(Screw.from_axis(PluckerLine.from_line(line), h) * 2.5, s, 100.0)


@pytest.mark.covers("GEO-13")
@few
@given(lines)
def test_pitch_zero_is_a_line(line: Line) -> None:
    s = Screw.from_axis(line, 0.0)
    assert list(s) == list(PluckerLine.from_line(line))
    near(s.pitch(), 0.0, 10.0)
    near(s.line_part(), s, 10.0)


@pytest.mark.covers("GEO-13")
@few
@given(long_vectors, poses())
def test_pitch_infinity_is_a_free_vector(v: Vec3, X: Pose) -> None:
    s = Screw.at_infinity(v)
    assert s.pitch() == math.inf
    assert (X @ s).pitch() == math.inf
    near((X @ s).moment, X.rot @ v, 10.0)
    near(s.normalized().moment.norm(), 1.0)
    with pytest.raises(DegenerateError, match="direction"):
        s.axis()


@pytest.mark.covers("GEO-13")
def test_the_zero_screw_has_nothing() -> None:
    zero = Screw(Vec3.zero(), Vec3.zero())
    for ask in (zero.pitch, zero.normalized):
        with pytest.raises(DegenerateError, match="screw"):
            ask()


@pytest.mark.covers("GEO-13")
@pytest.mark.parametrize("size", [1e-3, 1e-8, 1e-100, 1e-150])
def test_nearly_infinite_pitch_keeps_its_digits(size: float) -> None:
    s = Screw.from_axis(Line(Point(1.0, 2.0, 3.0), Vec3(0.0, 0.0, size)), 2.0 / size)
    assert math.isclose(s.pitch(), 2.0 / size, rel_tol=1e-14)
    near(s.axis().point, Point(1.0, 2.0, 0.0))


@pytest.mark.covers("GEO-13", "Bruyninckx (2.16)-(2.17)")
@few
@given(screws, poses())
def test_axis_and_pitch_move_with_the_screw(s: Screw, X: Pose) -> None:
    moved = X @ s
    near(moved.pitch(), s.pitch(), 1e4)
    near(moved.axis().normalized(), (X @ s.axis()).normalized(), 1e4)
    near((s.moment - s.direction * s.pitch()).dot(s.direction), 0.0, 100.0)


@pytest.mark.covers("GEO-16")
@few
@given(screws, poses())
def test_twists_and_wrenches_take_the_same_transform(s: Screw, X: Pose) -> None:
    near(Screw.from_motion(X @ s.as_motion()), X @ s, 100.0)
    near(Screw.from_force(X @ s.as_force()), X @ s, 100.0)
    near(X.inv() @ (X @ s), s, 1000.0)


@pytest.mark.covers("GEO-15", "Bruyninckx (2.20)")
@few
@given(screws, screws, screws, poses())
def test_motor_product(a: Screw, b: Screw, c: Screw, X: Pose) -> None:
    near(a.cross(b), -b.cross(a), 100.0)
    near(a.cross(a), [0.0] * 6, 100.0)
    jacobi = a.cross(b.cross(c)) + b.cross(c.cross(a)) + c.cross(a.cross(b))
    near(jacobi, [0.0] * 6, 1e4)
    near((X @ a).cross(X @ b), X @ a.cross(b), 1e4)
    near(a.reciprocal(b.cross(c)), b.reciprocal(c.cross(a)), 1e4)
    near(a.cross(b), Screw.from_motion(a.as_motion().cross(b.as_motion())), 100.0)
    near(a.cross(b), Screw.from_force(a.as_motion().cross(b.as_force())), 100.0)


@pytest.mark.covers("GEO-15")
def test_jacobi_identity_proved() -> None:
    a, b, c = (Screw.of(sympy.symbols(f"{name}:6")) for name in "abc")
    jacobi = a.cross(b.cross(c)) + b.cross(c.cross(a)) + c.cross(a.cross(b))
    assert all(sympy.expand(x) == 0 for x in jacobi)
    cyclic = a.reciprocal(b.cross(c)) - b.reciprocal(c.cross(a))
    assert sympy.expand(cyclic) == 0


@pytest.mark.covers("GEO-15")
def test_motor_product_of_two_lines_is_their_common_normal() -> None:
    along_x, along_y = (
        Screw.from_axis(Line(Point(0.0, 0.0, 2.0), Vec3(1.0, 0.0, 0.0)), 0.0),
        Screw.from_axis(Line(Point.origin(), Vec3(0.0, 1.0, 0.0)), 0.0),
    )
    normal = along_x.cross(along_y)
    assert normal.direction == Vec3(0.0, 0.0, 1.0)
    assert normal.axis().distance_to(Point.origin()) == 0.0


@pytest.mark.covers("GEO-13")
@few
@given(st.builds(Motion, vectors, vectors), st.builds(Force, vectors, vectors))
def test_kinds_are_kept_apart(V: Motion, F: Force) -> None:
    s = Screw.from_motion(V)
    assert Screw.from_force(F).as_force() == F
    near(s.reciprocal(Screw.from_force(F)), V.dot(F), 100.0)
    for wrong in (lambda: s + V, lambda: s - F):
        with pytest.raises(TypeError, match="Screw"):
            wrong()
    with pytest.raises(TypeError, match="Force"):
        s.reciprocal(F)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="Motion"):
        s.cross(V)  # type: ignore[arg-type]


def _parts(six: list[float]) -> list[float]:
    s = Screw.of(six)
    return [s.pitch(), *s.axis(), *s.line_part(), *s.normalized(), s.magnitude()]


def test_on_all_scalars() -> None:
    same_on_all_scalars("s[6] -> y[20]", _parts, random_rows(6))
    product = lambda a, b: Screw.of(a).cross(Screw.of(b))  # noqa: E731
    same_on_all_scalars("a[6] b[6] -> y[6]", product, random_rows(6, 1), random_rows(6, 2))


@pytest.mark.covers("GEO-13")
def test_singular_screws_in_a_batch() -> None:
    rows = np.array([[0.0, 0.0, 2.0, 0.0, -2.0, 1.0], [0.0, 0.0, 0.0, 3.0, 0.0, 0.0], [0.0] * 6])
    compiled = sixvec.compiled("s[6] -> y[20]")(_parts)
    for values in (compiled(rows), np.stack([np.broadcast_to(y, 3) for y in _parts(list(rows.T))], axis=1)):
        assert values[0, 0] == 0.5 and values[1, 0] == math.inf and math.isnan(values[2, 0])
        assert np.isfinite(values[:, 1:]).all()
        near(values[:, -1], [2.0, 3.0, 0.0])
    derivative = compiled.derivative("s")(rows)
    assert np.isfinite(derivative).all()
    assert not derivative[1:, 0].any()
