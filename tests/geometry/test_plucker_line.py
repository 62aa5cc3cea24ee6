"""Plücker coordinates: homogeneity, validity, nearest point, with proofs."""

from __future__ import annotations

import pytest
import sympy
from geometry_kinds import coordinates, lines, matrix, near, poses, random_rows, same_on_all_scalars, vectors
from hypothesis import given, settings

from sixvec.errors import DegenerateError
from sixvec.geometry.line import Line
from sixvec.geometry.plucker_line import PluckerLine
from sixvec.geometry.point import Point
from sixvec.geometry.screw_transform import ScrewTransform
from sixvec.spatial import Pose, Vec3

few = settings(deadline=None, max_examples=40)


@pytest.mark.covers("GEO-07")
def test_proofs() -> None:
    p, d = Vec3(*sympy.symbols("p:3")), Vec3(*sympy.symbols("d:3"))
    t = sympy.Symbol("t")
    m = PluckerLine.from_line(Line(Point.of(p), d)).moment
    shifted = PluckerLine.from_line(Line(Point.of(p + d * t), d)).moment
    assert all(sympy.expand(a) == 0 for a in m - shifted)
    assert sympy.expand(d.dot(m)) == 0
    # d × m / d·d lies on the line: its moment is m.
    assert all(sympy.expand(a) == 0 for a in d.cross(m).cross(d) - m * d.dot(d))


@pytest.mark.covers("GEO-07", "Bruyninckx (2.8)-(2.9)")
@few
@given(lines, coordinates)
def test_moment_and_nearest_point_do_not_depend_on_the_point_of_the_line(line: Line, t: float) -> None:
    a, b = PluckerLine.from_line(line), PluckerLine.from_line(Line(line.at(t), line.direction))
    near(a, b, 100.0)
    near(a.closest_point(), line.closest_point(), 10.0)
    near(PluckerLine.from_line(a.as_line()), a, 10.0)
    near(a.normalized(), (a * 7.5).normalized(), 10.0)
    near((a * -2.0).normalized(), a.reversed().normalized(), 10.0)
    near(PluckerLine.through(line.at(0.0), line.at(2.0)), a * 2.0, 100.0)


@pytest.mark.covers("GEO-07", "Bruyninckx (2.7)")
@few
@given(lines, vectors)
def test_validity_and_its_repair(line: Line, extra: Vec3) -> None:
    good = PluckerLine.from_line(line)
    assert good.is_line(1e-12)
    spoilt = PluckerLine(good.direction, good.moment + extra)
    near(spoilt.defect(), extra.dot(good.direction), 10.0)
    assert spoilt.is_line(1e-9) == (abs(spoilt.defect()) < 1e-9)
    assert spoilt.projected().is_line(1e-12)
    near(spoilt.projected().closest_point(), spoilt.closest_point(), 10.0)


@pytest.mark.covers("GEO-07")
def test_a_line_at_infinity_is_no_line() -> None:
    couple = PluckerLine(Vec3.zero(), Vec3(1.0, 0.0, 0.0))
    assert not couple.is_line(1e9)
    for ask in (couple.closest_point, couple.normalized, couple.defect, couple.as_line):
        with pytest.raises(DegenerateError, match="infinity"):
            ask()


@pytest.mark.covers("GEO-16", "Bruyninckx (2.25)")
@few
@given(lines, poses())
def test_a_pose_moves_it_with_the_screw_matrix(line: Line, X: Pose) -> None:
    plucker = PluckerLine.from_line(line)
    near(X @ plucker, PluckerLine.from_line(X @ line), 100.0)
    near(X @ plucker, matrix(ScrewTransform.from_pose(X).as_matrix()) @ list(plucker), 100.0)
    near(X.inv() @ (X @ plucker), plucker, 100.0)


def test_on_all_scalars() -> None:
    def forms(six: list[float]) -> list[float]:
        line = PluckerLine.of(six)
        return [*line.projected(), *line.normalized(), *line.closest_point(), line.defect()]

    same_on_all_scalars("line[6] -> y[16]", forms, random_rows(6))
