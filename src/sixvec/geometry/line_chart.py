"""Conversion between representations of a line, and the choice of a well conditioned one."""

from __future__ import annotations

from typing import Protocol, TypeAlias, TypeVar

from sixvec.geometry.dh_line import DHLine
from sixvec.geometry.hr_line import HRLine
from sixvec.geometry.line import Line

WELL_CONDITIONED = 0.5
"""Of DHLine and HRLine one always has a conditioning of √½ or more.  Leaving a chart only below ½ gives 15° of overlap
with the other, so that a line near the boundary does not switch back and forth."""


class LineDescription(Protocol):
    """Line, PluckerLine, DHLine, HRLine and PCLine: every type that converts from and to a line."""

    def as_line(self) -> Line: ...


class Makeable(LineDescription, Protocol):
    """The same, as a type to convert to."""

    @classmethod
    def from_line(cls: type[D], line: Line) -> D: ...


D = TypeVar("D", bound=Makeable)

MinimalLine: TypeAlias = DHLine | HRLine


def convert_line(line: LineDescription, to: type[D]) -> D:
    """A line in another representation, through a point and a direction.

    Every pair among Line, PluckerLine, DHLine, HRLine and PCLine; a representation that is singular for this line
    raises `DegenerateError`.  The length of the direction is preserved only between Line and PluckerLine.

    >>> from sixvec.geometry import HRLine, PluckerLine, convert_line
    >>> convert_line(HRLine(e_x=0.0, e_y=0.0, l_x=2.0, l_y=3.0), PluckerLine)
    PluckerLine(direction=Vec3(x=0.0, y=0.0, z=1.0), moment=Vec3(x=3.0, y=-2.0, z=0.0))
    """
    return to.from_line(line.as_line())


def minimal_line(line: LineDescription) -> MinimalLine:
    """The better conditioned of DHLine (lines across z) and HRLine (lines along z), which are never both singular.

    The choice selects a type, so it is available on plain numbers only.

    >>> from sixvec.geometry import Line, Point, minimal_line
    >>> from sixvec.spatial import Vec3
    >>> type(minimal_line(Line(Point(1.0, 0.0, 0.0), Vec3(0.0, 0.1, 1.0)))).__name__
    'HRLine'
    """
    of = line.as_line()
    return DHLine.from_line(of) if DHLine.conditioning(of) > HRLine.conditioning(of) else HRLine.from_line(of)


def followed(current: MinimalLine, line: LineDescription) -> MinimalLine:
    """The line in the chart of `current` while that is well conditioned there, and in the other chart when it is not.

    Use  c = followed(c, line)  along a path of lines:  the coordinates change smoothly, except at the few switches of
    type.  On plain numbers only.

    >>> from sixvec.geometry import Line, Point, followed, minimal_line
    >>> from sixvec.spatial import Vec3
    >>> steep = minimal_line(Line(Point(1.0, 0.0, 0.0), Vec3(0.0, 0.1, 1.0)))
    >>> type(followed(steep, Line(Point(1.0, 0.0, 0.0), Vec3(0.0, 1.0, 0.0)))).__name__  # too flat for its chart
    'DHLine'
    """
    of, chart = line.as_line(), type(current)
    return chart.from_line(of) if chart.conditioning(of) > WELL_CONDITIONED else minimal_line(of)
