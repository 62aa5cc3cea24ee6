"""Motion vectors: velocities, accelerations, joint axes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import overload

from sixvec.scalar import Scalar
from sixvec.spatial.force import Force
from sixvec.spatial.rotation import PlaneRotation, Rotation
from sixvec.spatial.vector import Vec3


@dataclass(frozen=True, slots=True)
class Motion:
    """A motion vector (ω; v): angular part, and linear part of the body-fixed point at the origin.

    Bruyninckx (4.12).

    >>> from sixvec.spatial import Force, Motion, Vec3
    >>> spin = Motion(Vec3(0.0, 0.0, 1.0), Vec3.zero())
    >>> spin.dot(Force(Vec3(0.0, 0.0, 5.0), Vec3.zero()))
    5.0
    """

    ang: Vec3
    lin: Vec3

    @classmethod
    def zero(cls) -> Motion:
        return cls(Vec3.zero(), Vec3.zero())

    @classmethod
    def of(cls, six: Iterable[Scalar]) -> Motion:
        """From six numbers, angular first."""
        a, b, c, d, e, f = six
        return cls(Vec3(a, b, c), Vec3(d, e, f))

    @classmethod
    def from_linear_first(cls, six: Iterable[Scalar]) -> Motion:
        """From six numbers, linear part first."""
        a, b, c, d, e, f = six
        return cls(Vec3(d, e, f), Vec3(a, b, c))

    @classmethod
    def from_matrix(cls, matrix: Sequence[Sequence[Scalar]]) -> Motion:
        """From the rows of the 4x4 matrix [ω×  v; 0  0], the mean of opposite entries (Bruyninckx §4.2.1)."""
        (_, xy, xz, x), (yx, _, yz, y), (zx, zy, _, z) = matrix[:3]
        return cls(Vec3(zy - yz, xz - zx, yx - xy) * 0.5, Vec3(x, y, z))

    def as_matrix(self) -> list[list[Scalar]]:
        """The rows of the 4x4 matrix [ω×  v; 0  0], which maps a point (r; 1) to its velocity (ṙ; 0).

        Bruyninckx (4.11).
        """
        w, v = self.ang, self.lin
        return [[0.0, -w.z, w.y, v.x], [w.z, 0.0, -w.x, v.y], [-w.y, w.x, 0.0, v.z], [0.0, 0.0, 0.0, 0.0]]

    @property
    def linear_first(self) -> tuple[Scalar, ...]:
        """The six numbers, linear part first (Bruyninckx §4.2.2, the other order).  Bruyninckx (4.13)."""
        return (*self.lin, *self.ang)

    def at(self, r: Vec3) -> Vec3:
        """The velocity of the body-fixed point at r:  v + ω × r.

        Bruyninckx (4.10).

        >>> from sixvec.spatial import Motion, Vec3
        >>> Motion(Vec3(0.0, 0.0, 2.0), Vec3.zero()).at(Vec3(1.0, 0.0, 0.0))
        Vec3(x=0.0, y=2.0, z=0.0)
        """
        return self.lin + self.ang.cross(r)

    def shifted(self, r: Vec3) -> Motion:
        """The same motion with the point r as reference, axes unchanged: (ω; v + ω × r) (Bruyninckx §4.2.3).

        Bruyninckx (4.18), (5.10).
        """
        return Motion(self.ang, self.at(r))

    def in_length_unit(self, k: Scalar) -> Motion:
        """The same motion where the unit of length is k times smaller: (ω; k v)."""
        return Motion(self.ang, self.lin * k)

    def __iter__(self) -> Iterator[Scalar]:
        yield from self.ang
        yield from self.lin

    def __add__(self, other: Motion) -> Motion:
        if not isinstance(other, Motion):
            return NotImplemented
        return Motion(self.ang + other.ang, self.lin + other.lin)

    def __sub__(self, other: Motion) -> Motion:
        if not isinstance(other, Motion):
            return NotImplemented
        return Motion(self.ang - other.ang, self.lin - other.lin)

    def __neg__(self) -> Motion:
        return Motion(-self.ang, -self.lin)

    def __mul__(self, k: Scalar) -> Motion:
        return Motion(self.ang * k, self.lin * k)

    __rmul__ = __mul__

    def dot(self, force: Force) -> Scalar:
        """Power: ω·n + v·f.  Bruyninckx (4.25)-(4.27)."""
        if not isinstance(force, Force):
            raise TypeError(f"power pairs a Motion with a Force, not with a {type(force).__name__}")
        return self.ang.dot(force.ang) + self.lin.dot(force.lin)

    @overload
    def cross(self, other: Motion) -> Motion: ...
    @overload
    def cross(self, other: Force) -> Force: ...
    def cross(self, other: Motion | Force) -> Motion | Force:
        """The Lie bracket V × M of motions, or its dual V ×* F on forces: their rate of change when moving with V.

        Bruyninckx (4.34); Lynch-Park (9.28).
        """
        if isinstance(other, Motion):
            return Motion(self.ang.cross(other.ang), self.ang.cross(other.lin) + self.lin.cross(other.ang))
        return Force(self.ang.cross(other.ang) + self.lin.cross(other.lin), self.ang.cross(other.lin))

    def moved(self, R: Rotation | PlaneRotation, p: Vec3) -> Motion:
        """From coordinates of B to those of A, where (R, p) is the pose of B in A.  Bruyninckx (4.15)."""
        ang = R @ self.ang
        return Motion(ang, R @ self.lin + p.cross(ang))

    def moved_back(self, R: Rotation | PlaneRotation, p: Vec3) -> Motion:
        """From coordinates of A to those of B.  Bruyninckx (5.11)."""
        back = R.inv()
        return Motion(back @ self.ang, back @ (self.lin - p.cross(self.ang)))
