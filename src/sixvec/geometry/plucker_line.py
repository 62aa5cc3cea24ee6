"""Lines in Plücker coordinates: a direction vector and a moment."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Self

from sixvec.errors import DegenerateError
from sixvec.geometry.line import Line
from sixvec.geometry.point import Point
from sixvec.scalar import Scalar, certainly, sqrt
from sixvec.spatial.norm import nonzero
from sixvec.spatial.rotation import PlaneRotation, Rotation
from sixvec.spatial.vector import Vec3


class DirectionAndMoment:
    """Six numbers (d; m), with m about the origin: the common base of lines and screws."""

    __slots__ = ()

    direction: Vec3
    moment: Vec3

    def __init__(self, direction: Vec3, moment: Vec3) -> None:
        raise NotImplementedError

    @classmethod
    def of(cls, six: Iterable[Scalar]) -> Self:
        """From six numbers, direction first."""
        a, b, c, d, e, f = six
        return cls(Vec3(a, b, c), Vec3(d, e, f))

    def __iter__(self) -> Iterator[Scalar]:
        yield from self.direction
        yield from self.moment

    def __mul__(self, k: Scalar) -> Self:
        """All numbers times k: the same line (reversed for k < 0), a multiple of the screw."""
        return type(self)(self.direction * k, self.moment * k)

    __rmul__ = __mul__

    def moved(self, R: Rotation | PlaneRotation, p: Vec3) -> Self:
        """From coordinates of B to those of A, where (R, p) is the pose of B in A: d' = R d, m' = R m + p × d'.

        Bruyninckx (2.25).
        """
        d = R @ self.direction
        return type(self)(d, R @ self.moment + p.cross(d))

    def moved_back(self, R: Rotation | PlaneRotation, p: Vec3) -> Self:
        """From coordinates of A to those of B."""
        back = R.inv()
        return type(self)(back @ self.direction, back @ (self.moment - p.cross(self.direction)))


@dataclass(frozen=True, slots=True)
class PluckerLine(DirectionAndMoment):
    """(d; m) with m = p × d for every point p of the line.

    The six numbers are homogeneous: positive multiples are the same line, negative ones the same points in the opposite
    direction.  They are a line only if d ≠ 0 and d·m = 0; arithmetic and rounding violate that, and `projected`
    restores it.  Bruyninckx §2.5.2.  Bruyninckx (2.8).

    >>> from sixvec.geometry import PluckerLine, Point
    >>> line = PluckerLine.through(Point(1.0, 2.0, 3.0), Point(1.0, 3.0, 3.0))
    >>> line
    PluckerLine(direction=Vec3(x=0.0, y=1.0, z=0.0), moment=Vec3(x=-3.0, y=0.0, z=1.0))
    >>> line.closest_point().z
    3.0
    """

    direction: Vec3
    moment: Vec3

    @classmethod
    def through(cls, p: Point, q: Point) -> PluckerLine:
        """The join of two points, directed from p to q: (q - p; p × q)."""
        return cls.from_line(Line.through(p, q))

    @classmethod
    def from_line(cls, line: Line) -> PluckerLine:
        """(d; p × d)."""
        return cls(line.direction, line.moment)

    def as_line(self) -> Line:
        """The line through its point nearest to the origin."""
        return Line(self.closest_point(), self.direction)

    def reversed(self) -> PluckerLine:
        """The same points with the opposite direction."""
        return PluckerLine(-self.direction, -self.moment)

    def defect(self) -> Scalar:
        """d·m / d·d, zero for a line.  It is a length: the pitch of the screw with these numbers.  Bruyninckx (2.7)."""
        return self.direction.dot(self.moment) / self._squared_direction()

    def is_line(self, tolerance: float) -> Scalar:
        """Whether d ≠ 0 and the defect, a length, is smaller than the tolerance."""
        dd = self.direction.dot(self.direction)
        # Strict, so that d = 0 fails for every tolerance.
        return abs(self.direction.dot(self.moment)) < dd * tolerance

    def projected(self) -> PluckerLine:
        """The nearest line in this direction: the part of m along d is removed, d is kept."""
        return PluckerLine(self.direction, self.moment - self.direction * self.defect())

    def normalized(self) -> PluckerLine:
        """The same line with |d| = 1."""
        k = 1.0 / sqrt(self._squared_direction())
        return PluckerLine(self.direction * k, self.moment * k)

    def closest_point(self) -> Point:
        """The point nearest to the origin: d × m / d·d.  Bruyninckx (2.9)."""
        return Point.of(self.direction.cross(self.moment) * (1.0 / self._squared_direction()))

    def reciprocal(self, other: PluckerLine) -> Scalar:
        """d₁·m₂ + d₂·m₁: the signed distance of the lines times the sine of their angle, times |d₁||d₂|.

        It is zero if and only if they lie in one plane, that is, if they intersect *or are parallel*;
        `sixvec.geometry.line_pair` distinguishes these.
        """
        return self.direction.dot(other.moment) + other.direction.dot(self.moment)

    def _squared_direction(self) -> Scalar:
        """d·d as a divisor: never zero in arrays and traced code, where a line at infinity then appears to pass through
        the origin."""
        dd = self.direction.dot(self.direction)
        if certainly(dd == 0.0):
            raise DegenerateError(
                "a line with direction zero lies at infinity; as a free vector it is Screw.at_infinity(moment)"
            )
        return nonzero(dd)
