"""Screws: a line with a pitch."""

from __future__ import annotations

import math
from dataclasses import dataclass

from sixvec.errors import DegenerateError
from sixvec.geometry.line import Line
from sixvec.geometry.plucker_line import DirectionAndMoment, PluckerLine
from sixvec.geometry.point import Point
from sixvec.scalar import Scalar, certainly, like, sqrt, where
from sixvec.spatial.force import Force
from sixvec.spatial.motion import Motion
from sixvec.spatial.norm import nonzero
from sixvec.spatial.vector import Vec3


@dataclass(frozen=True, slots=True)
class Screw(DirectionAndMoment):
    """(d; m) with m = p × d + h d: a direction d, a point p of the axis, a pitch h (a length).

    Pitch 0 is a line (a rotation, a force), d = 0 is pitch ∞ (a translation, a couple).  Every six numbers other than
    zero are a screw.  A twist is a screw with d = ω and m = v, a wrench one with d = force and m = moment; `as_motion`
    and `as_force` convert.  A pose acts on all of them in the same way.  Bruyninckx §2.6.  Bruyninckx (2.15).

    >>> from sixvec.geometry import Line, Point, Screw
    >>> from sixvec.spatial import Vec3
    >>> s = Screw.from_axis(Line(Point(1.0, 0.0, 0.0), Vec3(0.0, 0.0, 2.0)), pitch=0.5)
    >>> s
    Screw(direction=Vec3(x=0.0, y=0.0, z=2.0), moment=Vec3(x=0.0, y=-2.0, z=1.0))
    >>> s.pitch(), s.axis().point.x
    (0.5, 1.0)
    """

    direction: Vec3
    moment: Vec3

    @classmethod
    def from_axis(cls, axis: Line | PluckerLine, pitch: Scalar) -> Screw:
        """The screw about a line, of magnitude |d|: (d; p × d + h d).  Bruyninckx (2.14)."""
        return cls(axis.direction, axis.moment + axis.direction * pitch)

    @classmethod
    def at_infinity(cls, direction: Vec3) -> Screw:
        """(0; v), of infinite pitch: a translation, or a couple."""
        return cls(Vec3.zero(), direction)

    @classmethod
    def from_motion(cls, motion: Motion) -> Screw:
        """(ω; v)."""
        return cls(motion.ang, motion.lin)

    @classmethod
    def from_force(cls, force: Force) -> Screw:
        """(f; n): the direction of a wrench is its force."""
        return cls(force.lin, force.ang)

    def as_motion(self) -> Motion:
        return Motion(self.direction, self.moment)

    def as_force(self) -> Force:
        return Force(self.moment, self.direction)

    def __add__(self, other: Screw) -> Screw:
        if not isinstance(other, Screw):
            return NotImplemented
        return Screw(self.direction + other.direction, self.moment + other.moment)

    def __sub__(self, other: Screw) -> Screw:
        if not isinstance(other, Screw):
            return NotImplemented
        return Screw(self.direction - other.direction, self.moment - other.moment)

    def __neg__(self) -> Screw:
        return Screw(-self.direction, -self.moment)

    def pitch(self) -> Scalar:
        """h = d·m / d·d, or `inf` if d = 0.

        The zero screw has no pitch: an error on plain numbers, NaN in arrays and traced code.  Where the pitch is
        infinite its derivative is returned as 0.  Bruyninckx (2.17).
        """
        d, m = self.direction, self.moment
        dd, mm = d.dot(d), m.dot(m)
        if certainly(dd + mm == 0.0):
            raise DegenerateError("the zero screw has no pitch and no axis; test for it first")
        return where(dd > 0.0, d.dot(m) / nonzero(dd), where(mm > 0.0, like(mm, math.inf), math.nan))

    def axis(self) -> Line:
        """The line of points at which m is parallel to d, through the one nearest to the origin: p = d × m / d·d.

        With d = 0 the axis lies at infinity: an error on plain numbers; direction zero in arrays and traced code.
        Bruyninckx (2.16).
        """
        d = self.direction
        dd = d.dot(d)
        if certainly(dd == 0.0):
            raise DegenerateError("a screw of infinite pitch has no axis, only a direction: its moment")
        return Line(Point.of(d.cross(self.moment) * (1.0 / nonzero(dd))), d)

    def line_part(self) -> Screw:
        """The screw of pitch 0 on the same axis: (d; p × d), with p × d = m - h d."""
        d = self.direction
        return Screw(d, self.moment - d * (d.dot(self.moment) / nonzero(d.dot(d))))

    def magnitude(self) -> Scalar:
        """|d|, or |m| where d = 0: the factor between a unit screw and a twist or wrench."""
        dd, mm = self.direction.dot(self.direction), self.moment.dot(self.moment)
        some = where(dd > 0.0, dd, mm)
        return where(some > 0.0, sqrt(nonzero(some)), 0.0)

    def normalized(self) -> Screw:
        """The same screw with magnitude 1; its units depend on its kind."""
        size = self.magnitude()
        if certainly(size == 0.0):
            raise DegenerateError("the zero screw cannot be normalised; test for it first")
        k = 1.0 / nonzero(size)
        return Screw(self.direction * k, self.moment * k)

    def reciprocal(self, other: Screw) -> Scalar:
        """The reciprocal product d₁·m₂ + d₂·m₁: the power of one as wrench on the other as twist.

        It is symmetric, bilinear and the same in all frames.  For axes at distance a and angle φ it is
        (h₁ + h₂) cos φ - a sin φ, times the magnitudes.  Not an inner product: a line is reciprocal to itself.
        """
        if not isinstance(other, Screw):
            raise TypeError(f"the reciprocal product is of two Screws, not of a Screw and a {type(other).__name__}")
        return self.direction.dot(other.moment) + other.direction.dot(self.moment)

    def cross(self, other: Screw) -> Screw:
        """The motor product (d₁ × d₂; m₁ × d₂ + d₁ × m₂): the rate of change of the other screw moving with this twist.

        Bruyninckx §2.6.3; the Lie bracket of motions, and its dual on forces, in one formula.  Bruyninckx (2.20).
        """
        if not isinstance(other, Screw):
            raise TypeError(f"the motor product is of two Screws, not of a Screw and a {type(other).__name__}")
        d1, m1, d2, m2 = self.direction, self.moment, other.direction, other.moment
        return Screw(d1.cross(d2), m1.cross(d2) + d1.cross(m2))
