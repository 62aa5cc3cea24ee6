"""Every conversion between descriptions of a line, and the choice among them."""

from __future__ import annotations

import itertools
import math
from typing import Any

import pytest
from geometry_kinds import lines, near
from hypothesis import assume, given, settings

from naming import named
from sixvec.errors import DegenerateError
from sixvec.geometry.dh_line import DHLine
from sixvec.geometry.hr_line import HRLine
from sixvec.geometry.line import Line
from sixvec.geometry.line_chart import WELL_CONDITIONED, convert_line, followed, minimal_line
from sixvec.geometry.pc_line import PCLine
from sixvec.geometry.plucker_line import PluckerLine
from sixvec.geometry.point import Point
from sixvec.spatial import Vec3

few = settings(deadline=None, max_examples=30)
DESCRIPTIONS: list[Any] = [Line, PluckerLine, DHLine, HRLine, PCLine]


def _plucker(description: Any) -> PluckerLine:
    return convert_line(description, PluckerLine).normalized()


@pytest.mark.covers("GEO-12")
@pytest.mark.parametrize(("source", "target"), [*itertools.product(DESCRIPTIONS, DESCRIPTIONS)])
@few
@given(lines)
def test_all_pairs(source: Any, target: Any, line: Line) -> None:
    charts = (DHLine, HRLine, PCLine)
    assume(all(chart.conditioning(line) > 0.1 for chart in charts))
    first = convert_line(line, source)
    second = convert_line(first, target)
    assert type(second) is target
    near(_plucker(second), _plucker(line), 1e3)
    near(convert_line(second, source).as_line().closest_point(), line.closest_point(), 1e3)


@pytest.mark.covers("GEO-12")
def test_a_singular_description_says_what_to_use_instead() -> None:
    upright = Line(Point(1.0, 0.0, 0.0), Vec3(0.0, 0.0, 1.0))
    with pytest.raises(DegenerateError, match=named("HRLine", "PCLine", "Plücker")):
        convert_line(HRLine.from_line(upright), DHLine)


@pytest.mark.covers("GEO-10")
@few
@given(lines)
def test_one_of_two_charts_is_always_good(line: Line) -> None:
    assert max(DHLine.conditioning(line), HRLine.conditioning(line)) > 0.7
    near(_plucker(minimal_line(line)), _plucker(line), 100.0)


@pytest.mark.covers("GEO-10")
def test_a_turning_line_is_followed_through_all_singularities() -> None:
    c: DHLine | HRLine = minimal_line(Line(Point(1.0, 0.5, 0.2), Vec3(0.0, 0.0, 1.0)))
    kinds = []
    for i in range(721):
        angle = math.radians(i / 2.0)
        line = Line(Point(1.0, 0.5, 0.2), Vec3(math.sin(angle) * 0.6, math.sin(angle) * 0.8, math.cos(angle)))
        c = followed(c, line)
        near(_plucker(c), _plucker(line), 10.0)
        assert type(c).conditioning(line) > WELL_CONDITIONED
        kinds.append(type(c))
    # Up, across, down, across, up: four switches, none of them undone at once.
    assert [kind for kind, _ in itertools.groupby(kinds)] == [HRLine, DHLine, HRLine, DHLine, HRLine]


@pytest.mark.covers("GEO-10")
def test_the_border_has_two_sides() -> None:
    line = Line(Point(1.0, 0.5, 0.2), Vec3(0.0, 1.0, 1.2))
    assert isinstance(followed(DHLine(1.0, 0.0, 0.0, 1.0), line), DHLine)
    assert isinstance(followed(HRLine(0.0, 0.0, 0.0, 0.0), line), HRLine)
