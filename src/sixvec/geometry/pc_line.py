"""Parametrically continuous coordinates of a line: the orthonormal variant of Hayati and Roberts'."""

from __future__ import annotations

from dataclasses import dataclass

from sixvec.errors import DegenerateError
from sixvec.geometry.direction import Direction
from sixvec.geometry.hr_line import DirectionAndTrace, unit_from_xy
from sixvec.geometry.line import Line
from sixvec.geometry.point import Point
from sixvec.scalar import Scalar, certainly, like, where
from sixvec.spatial.matrix import Mat3
from sixvec.spatial.norm import PARALLEL_SINE, root
from sixvec.spatial.pose import Pose
from sixvec.spatial.rotation import Rotation
from sixvec.spatial.vector import Vec3


@dataclass(frozen=True, slots=True)
class PCLine(DirectionAndTrace):
    """A directed line by the x and y of its unit direction e, and its position in the frame turned from z to e.

    The smallest rotation R from z to e carries x and y into the plane through the origin at right angles to the
    line; along these orthonormal axes the line's point nearest to the origin has the coordinates (l_x, l_y).  The
    coordinates are continuous where a line passes through parallel to z, as calibration requires.  `up` is the sign of
    e_z, as in `HRLine`.

    Only e = -z is singular.  At e_z = 0 the sign changes, and e_z = ±√(1 - e_x² - e_y²) loses half its digits:
    the root is steep there.  Bruyninckx §2.5.4 and §5.3.3.

    >>> from sixvec.geometry import Line, PCLine, Point
    >>> from sixvec.spatial import Vec3
    >>> PCLine.from_line(Line(Point(2.0, 3.0, 7.0), Vec3(0.0, 0.0, 4.0)))
    PCLine(e_x=0.0, e_y=0.0, l_x=2.0, l_y=3.0, up=1.0)
    """

    @classmethod
    def from_line(cls, line: Line) -> PCLine:
        """(l_x, l_y, 0) = Rᵀ q with q the line's point nearest to the origin.

        A line within 1e-14 rad of -z raises an error on plain numbers; in arrays and traced code R is then the
        half turn about x.
        """
        e, q = Direction.from_vector(line.direction), line.closest_point()
        fold, side = _fold(e)
        k = (e.x * q.x + e.y * q.y) * fold + q.z
        return cls(e.x, e.y, q.x - e.x * k, (q.y - e.y * k) * side, where(e.z < 0.0, like(e.z, -1.0), 1.0))

    def as_line(self) -> Line:
        """The line with unit direction, at its point nearest to the origin."""
        frame = self.frame()
        m = frame.rot.matrix
        return Line(Point.of(frame.pos), Vec3(m.xz, m.yz, m.zz))

    def frame(self) -> Pose:
        """The frame with z on the line, turned from the world's by the smallest rotation: (R, R (l_x, l_y, 0))."""
        e = unit_from_xy(self.e_x, self.e_y, self.up)
        fold, side = _fold(e)
        xy = -e.x * e.y * fold
        matrix = Mat3(
            1.0 - e.x * e.x * fold, xy, e.x,
            xy, side - e.y * e.y * fold, e.y,
            -e.x, -e.y, e.z,
        )  # fmt: skip
        rotation = Rotation(matrix)
        return Pose(rotation, rotation @ Vec3(self.l_x, self.l_y, 0.0))

    @staticmethod
    def conditioning(line: Line) -> Scalar:
        """0 at the fold e_z = 0 and at -z, 1 at z: |cos| of the angle to z, times its sine for lines downwards."""
        e = Direction.from_vector(line.direction)
        return abs(e.z) * where(e.z < 0.0, root(e.x * e.x + e.y * e.y), 1.0)


def _fold(e: Direction) -> tuple[Scalar, Scalar]:
    """1 / (1 + e_z), and 1; at e = -z, in arrays and traced code, 0 and -1.

    Below the xy-plane 1 + e_z = (e_x² + e_y²) / (1 - e_z), which is accurate near -z.
    """
    low = e.z < 0.0
    square = where(low, e.x * e.x + e.y * e.y, 1.0)
    bottom = square < PARALLEL_SINE * PARALLEL_SINE
    if certainly(bottom):
        raise DegenerateError(
            "a line along -z is opposite to the z-axis, and no smallest rotation leads there; "
            "describe the reversed line, or use HRLine"
        )
    fold = where(low, 1.0 - e.z, 1.0) / where(low, where(bottom, 1.0, square), 1.0 + e.z)
    return where(bottom, 0.0, fold), where(bottom, -1.0, like(e.z, 1.0))
