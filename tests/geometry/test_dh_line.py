"""Denavit-Hartenberg coordinates of a line."""

from __future__ import annotations

import math

import numpy as np
import pytest
import sympy
from geometry_kinds import coordinates, lines, matrix, near, random_rows, same_on_all_scalars
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import sixvec
from sixvec.errors import DegenerateError
from sixvec.geometry.dh_line import DHLine
from sixvec.geometry.line import Line
from sixvec.geometry.line_pair import common_normal
from sixvec.geometry.plucker_line import PluckerLine
from sixvec.geometry.point import Point
from sixvec.spatial import Vec3

few = settings(deadline=None, max_examples=60)
Z_AXIS = Line(Point.origin(), Vec3(0.0, 0.0, 1.0))


def _plucker(line: Line) -> PluckerLine:
    return PluckerLine.from_line(line).normalized()


@pytest.mark.covers("GEO-09")
@few
@given(lines)
def test_round_trip_from_a_line(line: Line) -> None:
    assume(DHLine.conditioning(line) > 0.05)
    dh = DHLine.from_line(line)
    near(_plucker(dh.as_line()), _plucker(line), 1e3)
    assert dh.d >= 0.0
    if dh.d > 1e-6:  # else the rounding of the other point decides between the two sets
        near(DHLine.from_line(Line(line.at(1.5), line.direction * 4.0)), dh, 1e4)


@pytest.mark.covers("GEO-09")
@few
@given(st.floats(0.01, 3.0), coordinates, st.floats(-3.1, 3.1), st.floats(0.05, 3.0), st.sampled_from([1.0, -1.0]))
def test_round_trip_from_coordinates(d: float, h: float, alpha: float, theta: float, sense: float) -> None:
    dh = DHLine(d, h, alpha, theta * sense)
    near(DHLine.from_line(dh.as_line()), dh, 1e3)


@pytest.mark.covers("GEO-09")
@few
@given(lines)
def test_it_measures_the_common_normal_with_the_z_axis(line: Line) -> None:
    assume(DHLine.conditioning(line) > 0.05)
    dh, n = DHLine.from_line(line), common_normal(Z_AXIS, line)
    near(dh.d, n.distance, 1e3)
    near(dh.h, n.first.z, 1e3)
    near(dh.frame().pos, n.second, 1e3)
    near((n.second - n.first), Vec3(math.cos(dh.alpha), math.sin(dh.alpha), 0.0) * dh.d, 1e3)


@pytest.mark.covers("GEO-09")
def test_the_plucker_formulas() -> None:
    x, y, z, ex, ey, ez = sympy.symbols("x y z e_x e_y e_z", real=True)
    m, e = Vec3(x, y, z).cross(Vec3(ex, ey, ez)), Vec3(ex, ey, ez)
    # from_line computes d and h from the point; the book's forms in terms of the moment are the same.
    assert sympy.expand(-m.z - (y * ex - x * ey)) == 0
    side = Vec3(0, 0, 1).cross(e)
    assert sympy.expand(m.dot(side) - (z * (ex**2 + ey**2) - ez * (x * ex + y * ey))) == 0


@pytest.mark.covers("GEO-09")
@few
@given(st.floats(0.0, 3.0), coordinates, coordinates, coordinates)
def test_the_frame_is_the_product_of_four_elementary_motions(d: float, h: float, alpha: float, theta: float) -> None:
    def turn(axis: int, angle: float) -> np.ndarray:
        T, (i, j) = np.eye(4), [(1, 2), (2, 0), (0, 1)][axis]
        T[i, i] = T[j, j] = math.cos(angle)
        T[j, i] = math.sin(angle)
        T[i, j] = -T[j, i]
        return T

    shift = np.eye(4)
    shift[:3, 3] = d, 0.0, h
    dh = DHLine(d, h, alpha, theta)
    T = matrix(dh.frame().as_matrix())
    near(T, turn(2, alpha) @ shift @ turn(0, theta), 10.0)
    line = dh.as_line()
    near(line.direction, T[:3, 2])
    near(line.distance_to(Point.of(T[:3, 3])), 0.0, 10.0)
    near(T[2, 0], 0.0)  # x stays parallel to the xy-plane …
    near(T[1, 3] * math.cos(alpha), T[0, 3] * math.sin(alpha), 10.0)  # … and meets z.
    near(line.direction, [math.sin(alpha) * math.sin(theta), -math.cos(alpha) * math.sin(theta), math.cos(theta)])


@pytest.mark.covers("GEO-09")
@few
@given(lines)
def test_the_other_sense_of_the_twist(line: Line) -> None:
    assume(DHLine.conditioning(line) > 0.05)
    dh, literal = DHLine.from_line(line), DHLine.from_line(line, twist="line_onto_z")
    assert literal.theta == -dh.theta
    near(literal.as_line(), dh.as_line(), 1e3)
    # As the text has it: turning the line about u by θ makes it parallel to z.
    u, e = Vec3(math.cos(literal.alpha), math.sin(literal.alpha), 0.0), literal.as_line().direction
    c, s = math.cos(literal.theta), math.sin(literal.theta)
    near(e * c + u.cross(e) * s + u * (u.dot(e) * (1.0 - c)), [0.0, 0.0, 1.0])


@pytest.mark.covers("GEO-09")
@few
@given(coordinates, coordinates, st.floats(0.05, 3.0))
def test_a_line_through_the_z_axis_has_two_sets(h: float, alpha: float, theta: float) -> None:
    a, b = DHLine(0.0, h, alpha, theta), DHLine(0.0, h, alpha + math.pi, -theta)
    near(a.as_line(), b.as_line(), 10.0)
    assert DHLine.from_line(Line(Point(0.0, 0.0, h), Vec3(math.sin(theta), 0.0, math.cos(theta)))).theta > 0.0


@pytest.mark.covers("GEO-09")
@pytest.mark.parametrize("tilt", [1e-3, 1e-6, 1e-9, 1e-12])
def test_near_the_singularity_digits_are_kept(tilt: float) -> None:
    dh = DHLine.from_line(Line(Point(2.0, 0.5, 0.25), Vec3(0.0, tilt, 1.0)))
    near(dh.d, 2.0)
    near(dh.h, 0.25 - 0.5 / tilt, 1.0 / tilt)
    near(abs(dh.theta), math.atan(tilt), tilt)
    back = dh.as_line()
    # The point runs off to 1/tilt, and with it the rounding of the way back.
    near(back.distance_to(Point(2.0, 0.5, 0.25)), 0.0, 1.0 / tilt, tolerance=1e-15)


@pytest.mark.covers("GEO-09")
def test_parallel_to_z_raises() -> None:
    for direction in (Vec3(0.0, 0.0, 1.0), Vec3(0.0, 0.0, -2.0)):
        with pytest.raises(DegenerateError, match="HRLine"):
            DHLine.from_line(Line(Point(1.0, 2.0, 3.0), direction))


def _coordinates(six: list[float]) -> list[float]:
    dh = DHLine.from_line(Line(Point.of(six[:3]), Vec3.of(six[3:])))
    return [*dh, *dh.as_line()]


def test_on_all_scalars() -> None:
    same_on_all_scalars("line[6] -> y[10]", _coordinates, random_rows(6, 3))


@pytest.mark.covers("GEO-09")
def test_parallel_to_z_in_a_batch_takes_the_normal_at_height_zero() -> None:
    rows = np.array([[3.0, 4.0, 7.0, 0.0, 0.0, 2.0], [0.0, 0.0, 1.0, 0.0, 0.0, -1.0], [1.0, 1.0, 1.0, 0.0, 0.0, 0.0]])
    compiled = sixvec.compiled("line[6] -> y[10]")(_coordinates)
    near(compiled(rows)[0, :4], [5.0, 0.0, math.atan2(4.0, 3.0), 0.0])
    near(compiled(rows)[1, :4], [0.0, 0.0, 0.0, math.pi])
    near(compiled(rows)[:2, 4:], [[3.0, 4.0, 0.0, 0.0, 0.0, 1.0], [0.0, 0.0, 0.0, 0.0, 0.0, -1.0]])
    assert np.isfinite(compiled.derivative("line")(rows)).all()
