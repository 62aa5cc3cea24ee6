"""Changing the description of a line, and picking a good one."""

from __future__ import annotations

from typing import Protocol, TypeAlias, TypeVar

from sixvec.geometry.dh_line import DHLine
from sixvec.geometry.hr_line import HRLine
from sixvec.geometry.line import Line

WELL_CONDITIONED = 0.5
"""Of DHLine and HRLine one always has a conditioning of √½ or more.  Leaving a chart only below ½ gives 15° of overlap
with the other, so that a line that hovers near the border does not switch back and forth."""


class LineDescription(Protocol):
    """Line, PluckerLine, DHLine, HRLine and PCLine: whatever can be made from a line and gives one back."""

    def as_line(self) -> Line: ...


class Makeable(LineDescription, Protocol):
    """The same, seen as a type that can be asked for."""

    @classmethod
    def from_line(cls: type[D], line: Line) -> D: ...


D = TypeVar("D", bound=Makeable)

MinimalLine: TypeAlias = DHLine | HRLine


def convert_line(line: LineDescription, to: type[D]) -> D:
    """A line in another description, by way of a point and a direction.

    Every pair among Line, PluckerLine, DHLine, HRLine and PCLine; a description that is singular for this line raises
    `DegenerateError`.  The length of the direction survives only between Line and PluckerLine.

    >>> from sixvec.geometry.plucker_line import PluckerLine
    >>> convert_line(HRLine(e_x=0.0, e_y=0.0, l_x=2.0, l_y=3.0), PluckerLine)
    PluckerLine(direction=Vec3(x=0.0, y=0.0, z=1.0), moment=Vec3(x=3.0, y=-2.0, z=0.0))
    """
    return to.from_line(line.as_line())


def minimal_line(line: LineDescription) -> MinimalLine:
    """The better conditioned of DHLine (for lines across z) and HRLine (for lines along z), which never both fail.

    The choice is a matter of types and is made on plain numbers only.

    >>> from sixvec.geometry.point import Point
    >>> from sixvec.spatial.vector import Vec3
    >>> type(minimal_line(Line(Point(1.0, 0.0, 0.0), Vec3(0.0, 0.1, 1.0)))).__name__
    'HRLine'
    """
    of = line.as_line()
    return DHLine.from_line(of) if DHLine.conditioning(of) > HRLine.conditioning(of) else HRLine.from_line(of)


def followed(current: MinimalLine, line: LineDescription) -> MinimalLine:
    """The line in the chart of `current` while that is well conditioned there, and in the other chart when it is not.

    A path of lines is followed by  c = followed(c, line):  the coordinates change smoothly, save at the few switches
    of type.  On plain numbers only.
    """
    of, chart = line.as_line(), type(current)
    return chart.from_line(of) if chart.conditioning(of) > WELL_CONDITIONED else minimal_line(of)
