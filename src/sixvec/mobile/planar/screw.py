"""Twists and wrenches of the plane, and their points and lines of action."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import ClassVar, Self

from sixvec.errors import ShapeError
from sixvec.scalar import Scalar
from sixvec.spatial import Force, Motion, Vec3

PLANAR_DELTA = ((0.0, 0.0, 1.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0))
"""Δ of Bruyninckx (9.7), for wrenches with the force first: tᵀ Δ (fx, fy, m) is the power.  A permutation with Δ³ = 1:
its inverse is its transpose, not itself as in space.  With the moment first, as here, no Δ is needed."""


def components(three: Iterable[Scalar], what: str) -> tuple[Scalar, ...]:
    """The three numbers, or an error that names them."""
    entries = tuple(three) if isinstance(three, Iterable) and not isinstance(three, str) else (three,)
    if len(entries) != len(PLANAR_DELTA) or any(isinstance(x, str | None) for x in entries):
        raise ShapeError(f"{what}: three numbers are needed, not {three!r}")
    return entries


@dataclass(frozen=True, slots=True)
class _Screw:
    """Three numbers, the angular one first."""

    ang: Scalar
    x: Scalar
    y: Scalar
    meaning: ClassVar[str]

    @classmethod
    def of(cls, three: Iterable[Scalar]) -> Self:
        return cls(*components(three, cls.meaning))

    def __add__(self, other: Self) -> Self:
        return type(self)(self.ang + other.ang, self.x + other.x, self.y + other.y)

    def __mul__(self, s: Scalar) -> Self:
        return type(self)(self.ang * s, self.x * s, self.y * s)

    def __iter__(self) -> Iterator[Scalar]:
        return iter((self.ang, self.x, self.y))


@dataclass(frozen=True, slots=True)
class PlanarTwist(_Screw):
    """(ω, vx, vy): the rate of turning, and the velocity of the body-fixed point at the origin.

    >>> from sixvec.mobile import PlanarTwist, PlanarWrench
    >>> PlanarTwist(1.0, 0.5, 0.0).dot(PlanarWrench(2.0, 4.0, 7.0))
    4.0
    """

    meaning = "a planar twist is (ω, vx, vy)"

    @classmethod
    def from_motion(cls, V: Motion) -> PlanarTwist:
        """The planar part of a twist in space: Bruyninckx (9.3)."""
        return cls(V.ang.z, V.lin.x, V.lin.y)

    def as_motion(self) -> Motion:
        """(0, 0, ω; vx, vy, 0)."""
        return Motion(Vec3(0.0, 0.0, self.ang), Vec3(self.x, self.y, 0.0))

    def at(self, x: Scalar, y: Scalar) -> tuple[Scalar, Scalar]:
        """The velocity of the body-fixed point at (x, y)."""
        return self.x - self.ang * y, self.y + self.ang * x

    def dot(self, wrench: PlanarWrench) -> Scalar:
        """The power ω m + vx fx + vy fy.  Bruyninckx (9.7)."""
        return self.ang * wrench.ang + self.x * wrench.x + self.y * wrench.y

    def center(self) -> tuple[Scalar, Scalar, Scalar]:
        """The instantaneous centre of rotation in homogeneous coordinates: (-vy, vx; ω).

        Divided by the last one they are the point of zero velocity; for a translation it is at infinity,
        perpendicular to the velocity.

        >>> from sixvec.mobile import PlanarTwist
        >>> PlanarTwist(2.0, 1.0, 0.0).center()
        (-0.0, 1.0, 2.0)
        """
        return -self.y, self.x, self.ang

    def cross(self, other: PlanarTwist) -> PlanarTwist:
        """The Lie bracket of two body-fixed motions.

        >>> from sixvec.mobile import PlanarTwist
        >>> drive, rotate = PlanarTwist(0.0, 1.0, 0.0), PlanarTwist(1.0, 0.0, 0.0)
        >>> rotate.cross(drive)
        PlanarTwist(ang=0.0, x=0.0, y=1.0)
        """
        w, u = self.ang, other.ang
        return PlanarTwist(w * 0.0, u * self.y - w * other.y, w * other.x - u * self.x)


@dataclass(frozen=True, slots=True)
class PlanarWrench(_Screw):
    """(m, fx, fy): the moment about the origin, and the force.

    >>> from sixvec.mobile import PlanarWrench
    >>> PlanarWrench.along(0.0, 2.0, 1.0, 0.0)  # a force along x, two metres to the left
    PlanarWrench(ang=-2.0, x=1.0, y=0.0)
    """

    meaning = "a planar wrench is (m, fx, fy)"

    @classmethod
    def along(cls, x: Scalar, y: Scalar, fx: Scalar, fy: Scalar) -> PlanarWrench:
        """The force (fx, fy) through the point (x, y)."""
        return cls(x * fy - y * fx, fx, fy)

    @classmethod
    def from_force_first(cls, three: Iterable[Scalar]) -> PlanarWrench:
        """From (fx, fy, m), the order of Bruyninckx (9.4)."""
        fx, fy, m = three
        return cls(m, fx, fy)

    @property
    def force_first(self) -> tuple[Scalar, Scalar, Scalar]:
        return self.x, self.y, self.ang

    @classmethod
    def from_force(cls, F: Force) -> PlanarWrench:
        """The part of a wrench in space that has power in the plane; the rest is carried by the ground."""
        return cls(F.ang.z, F.lin.x, F.lin.y)

    def as_force(self) -> Force:
        """(0, 0, m; fx, fy, 0)."""
        return Force(Vec3(0.0, 0.0, self.ang), Vec3(self.x, self.y, 0.0))

    def line(self) -> tuple[Scalar, Scalar, Scalar]:
        """The line of force  a x + b y + c = 0  with (a, b, c) = (fy, -fx, -m); of a couple, the line at infinity.

        A twist has no power on a wrench exactly if its centre is on this line.
        """
        return self.y, -self.x, -self.ang

    def nearest_point(self) -> tuple[Scalar, Scalar]:
        """The point of the line of force that is nearest to the origin; of a couple there is none."""
        square = self.x * self.x + self.y * self.y
        return self.ang * self.y / square, -self.ang * self.x / square
