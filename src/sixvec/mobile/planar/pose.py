"""Poses of the plane: transforms of points, twists and wrenches, and the exponential of a twist."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import overload

from sixvec.mobile.planar.screw import PlanarTwist, PlanarWrench, components
from sixvec.scalar import Scalar, arctan2, cos, sin, where
from sixvec.spatial import Pose, Rotation, Vec3


@dataclass(frozen=True, slots=True)
class PlanarPose:
    """The pose of a frame B in A: its origin (x, y), and the direction (c, s) of its x-axis.

    `@` composes, and transforms twists and wrenches from the coordinates of B to those of A.

    >>> from sixvec.mobile import PlanarPose
    >>> X = PlanarPose.of([2.0, 1.0, 0.0]) @ PlanarPose.of([1.0, 0.0, 0.5])
    >>> X.as_vector()
    (3.0, 1.0, 0.5)
    """

    x: Scalar
    y: Scalar
    c: Scalar
    s: Scalar

    @classmethod
    def of(cls, three: Iterable[Scalar]) -> PlanarPose:
        """From (x, y, φ)."""
        x, y, angle = components(three, "a planar pose is (x, y, φ)")
        return cls(x, y, cos(angle), sin(angle))

    @classmethod
    def identity(cls) -> PlanarPose:
        return cls(0.0, 0.0, 1.0, 0.0)

    @classmethod
    def exp(cls, twist: PlanarTwist) -> PlanarPose:
        """The motion under a constant body-fixed twist for a unit of time: an arc of a circle, or a line.

        With  h = ω/2  the chord is  (sin h / h) v, rotated by h; the end is rotated by h once more.
        """
        h = twist.ang * 0.5
        c, s = cos(h), sin(h)
        chord = series_sine(h, s)
        x, y = twist.x * chord, twist.y * chord
        return cls(x * c - y * s, x * s + y * c, c * c - s * s, c * s * 2.0)

    @property
    def angle(self) -> Scalar:
        """φ in (-π, π]."""
        return arctan2(self.s, self.c)

    def as_vector(self) -> tuple[Scalar, Scalar, Scalar]:
        return self.x, self.y, self.angle

    def as_matrix(self) -> list[list[Scalar]]:
        """The homogeneous 3x3 matrix: Bruyninckx (9.2)."""
        return [[self.c, -self.s, self.x], [self.s, self.c, self.y], [0.0, 0.0, 1.0]]

    def as_pose(self) -> Pose:
        """The same pose in space, in the plane z = 0: Bruyninckx (9.1)."""
        rows = [[self.c, -self.s, 0.0], [self.s, self.c, 0.0], [0.0, 0.0, 1.0]]
        return Pose(Rotation.from_matrix(rows), Vec3(self.x, self.y, 0.0))

    def inv(self) -> PlanarPose:
        return PlanarPose(-(self.c * self.x + self.s * self.y), self.s * self.x - self.c * self.y, self.c, -self.s)

    def point(self, p: Sequence[Scalar]) -> tuple[Scalar, Scalar]:
        """A point of B in the coordinates of A."""
        return self.x + self.c * p[0] - self.s * p[1], self.y + self.s * p[0] + self.c * p[1]

    def twist_matrix(self) -> list[list[Scalar]]:
        """The screw transform of twists (ω, vx, vy): Bruyninckx (9.5)."""
        return [[1.0, 0.0, 0.0], [self.y, self.c, -self.s], [-self.x, self.s, self.c]]

    def wrench_matrix(self) -> list[list[Scalar]]:
        """The screw transform of wrenches (m, fx, fy): Bruyninckx (9.6) with the 1 that is printed as 0."""
        c, s, x, y = self.c, self.s, self.x, self.y
        return [[1.0, x * s - y * c, x * c + y * s], [0.0, c, -s], [0.0, s, c]]

    @overload
    def __matmul__(self, other: PlanarPose) -> PlanarPose: ...
    @overload
    def __matmul__(self, other: PlanarTwist) -> PlanarTwist: ...
    @overload
    def __matmul__(self, other: PlanarWrench) -> PlanarWrench: ...
    def __matmul__(
        self, other: PlanarPose | PlanarTwist | PlanarWrench
    ) -> PlanarPose | PlanarTwist | PlanarWrench:  # fmt: skip
        if isinstance(other, PlanarPose):
            x, y = self.point((other.x, other.y))
            return PlanarPose(x, y, self.c * other.c - self.s * other.s, self.s * other.c + self.c * other.s)
        x, y = self.c * other.x - self.s * other.y, self.s * other.x + self.c * other.y
        if isinstance(other, PlanarTwist):
            return PlanarTwist(other.ang, x + self.y * other.ang, y - self.x * other.ang)
        return PlanarWrench(other.ang + self.x * y - self.y * x, x, y)

    def __iter__(self) -> Iterator[Scalar]:
        return iter(self.as_vector())


_SMALL = 1e-4
"""Below, sin(h)/h = 1 - h²/6 to the last digit of double precision: the next term is h⁴/120 < 1e-18."""


def series_sine(h: Scalar, sine: Scalar) -> Scalar:
    """sin(h)/h from h and its sine, 1 at h = 0.

    >>> from sixvec.mobile.planar import series_sine
    >>> series_sine(0.0, 0.0)
    1.0
    """
    small = abs(h) < _SMALL
    return where(small, 1.0 - h * h * (1.0 / 6.0), sine / where(small, 1.0, h))
