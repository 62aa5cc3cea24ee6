"""Hayati-Roberts coordinates, both variants."""

from __future__ import annotations

import math

import numpy as np
import pytest
from geometry_kinds import lines, near, random_rows, same_on_all_scalars
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import sixvec
from sixvec.errors import DegenerateError
from sixvec.geometry.direction import Direction
from sixvec.geometry.hr_line import HRLine
from sixvec.geometry.line import Line
from sixvec.geometry.pc_line import PCLine
from sixvec.geometry.plucker_line import PluckerLine
from sixvec.geometry.point import Point
from sixvec.spatial import Vec3

few = settings(deadline=None, max_examples=60)
Z = Direction(0.0, 0.0, 1.0)
inside = st.tuples(st.floats(-0.6, 0.6), st.floats(-0.6, 0.6), st.floats(-3.0, 3.0), st.floats(-3.0, 3.0))


def _plucker(line: Line) -> PluckerLine:
    return PluckerLine.from_line(line).normalized()


@pytest.mark.covers("GEO-11")
@few
@given(lines)
def test_round_trip_of_the_projected_variant(line: Line) -> None:
    assume(HRLine.conditioning(line) > 0.05)
    near(_plucker(HRLine.from_line(line).as_line()), _plucker(line), 1e4)


@pytest.mark.covers("GEO-11")
@few
@given(lines)
def test_round_trip_of_the_orthonormal_variant(line: Line) -> None:
    assume(PCLine.conditioning(line) > 0.05)
    near(_plucker(PCLine.from_line(line).as_line()), _plucker(line), 1e4)


@pytest.mark.covers("GEO-11")
@few
@given(inside, st.sampled_from([1.0, -1.0]))
def test_round_trips_from_coordinates(four: tuple[float, float, float, float], up: float) -> None:
    assume(math.hypot(four[0], four[1]) > 0.01)
    near(HRLine.from_line(HRLine(*four, up).as_line()), [*four, up], 100.0)
    near(PCLine.from_line(PCLine(*four, up).as_line()), [*four, up], 1e4)


@pytest.mark.covers("GEO-11")
@few
@given(inside)
def test_the_definitions(four: tuple[float, float, float, float]) -> None:
    x, y, _, _ = four
    for variant in (HRLine, PCLine):
        line = variant(*four).as_line()
        e, q = Direction.of(line.direction), line.closest_point()
        near(e, [x, y, math.sqrt(1.0 - x * x - y * y)])
        if variant is HRLine:
            # World x and y, projected along the line into the plane through the origin at right angles to it.
            a, b = (axis - e.vec * e.dot(axis) for axis in (Vec3(1.0, 0.0, 0.0), Vec3(0.0, 1.0, 0.0)))
        else:
            R = Z.rotation_to(e)
            a, b = R @ Vec3(1.0, 0.0, 0.0), R @ Vec3(0.0, 1.0, 0.0)
            near(PCLine(*four).frame().rot.matrix, R.matrix)
            near(PCLine(*four).frame().pos, q, 10.0)
        near(a * four[2] + b * four[3], q, 10.0)


@pytest.mark.covers("GEO-11")
def test_what_is_singular_for_which_variant() -> None:
    for level in (Vec3(1.0, 0.0, 0.0), Vec3(0.0, 1.0, 0.0), Vec3(0.6, 0.8, 0.0)):
        line = Line(Point(1.0, 2.0, 3.0), level)
        with pytest.raises(DegenerateError, match="trace"):
            HRLine.from_line(line)
        near(_plucker(PCLine.from_line(line).as_line()), _plucker(line), 1e8)  # half the digits at the fold
    down = Line(Point(1.0, 2.0, 3.0), Vec3(0.0, 0.0, -1.0))
    with pytest.raises(DegenerateError, match="HRLine"):
        PCLine.from_line(down)
    near(_plucker(HRLine.from_line(down).as_line()), _plucker(down))
    with pytest.raises(DegenerateError, match="unit"):
        HRLine(1.0, 1.0, 0.0, 0.0).as_line()


@pytest.mark.covers("GEO-11")
def test_good_where_denavit_hartenberg_fails() -> None:
    """Nothing jumps through the z-axis: a small change of the line is a small change of the coordinates."""
    at = [Line(Point(2.0, 3.0, 1.0), Vec3(t, -t, 1.0)) for t in (-1e-9, 0.0, 1e-9)]
    for variant in (HRLine, PCLine):
        near(variant.from_line(at[0]), variant.from_line(at[1]), tolerance=1e-8)
        near(variant.from_line(at[2]), variant.from_line(at[1]), tolerance=1e-8)


@pytest.mark.covers("GEO-11")
@pytest.mark.parametrize("tilt", [1e-3, 1e-6, 1e-9])
def test_orthonormal_variant_near_its_singularity(tilt: float) -> None:
    line = Line(Point(1.0, 2.0, 3.0), Vec3(0.6 * tilt, 0.8 * tilt, -1.0))
    near(_plucker(PCLine.from_line(line).as_line()), _plucker(line), 10.0)


def _both(six: list[float]) -> list[float]:
    line = Line(Point.of(six[:3]), Vec3.of(six[3:]))
    hr, pc = HRLine.from_line(line), PCLine.from_line(line)
    return [*hr, *hr.as_line(), *pc, *pc.as_line()]


def test_on_all_scalars() -> None:
    rows = random_rows(6)
    rows[:, 5] += np.sign(rows[:, 5])
    same_on_all_scalars("line[6] -> y[22]", _both, rows)


@pytest.mark.covers("GEO-11")
def test_singular_lines_in_a_batch_are_finite() -> None:
    rows = np.array([[1.0, 2.0, 3.0, 1.0, 0.0, 0.0], [1.0, 2.0, 3.0, 0.0, 0.0, -1.0], [1.0, 2.0, 3.0, 0.0, 0.0, 1.0]])
    compiled = sixvec.compiled("line[6] -> y[22]")(_both)
    assert np.isfinite(compiled(rows)).all()
    assert np.isfinite(compiled.derivative("line")(rows)).all()
    # On -z the orthonormal variant still gives the line back.
    near(compiled(rows)[1, 16:], [1.0, 2.0, 0.0, 0.0, 0.0, -1.0])
