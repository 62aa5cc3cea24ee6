"""Motion vectors: velocities, accelerations, joint axes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, overload

from sixvec.scalar import Scalar
from sixvec.spatial.force import Force
from sixvec.spatial.vector import Vec3

if TYPE_CHECKING:
    from sixvec.spatial.rotation import PlaneRotation, Rotation


@dataclass(frozen=True, slots=True)
class Motion:
    """A motion vector (ω; v): angular part, and linear part of the body-fixed point at the origin.

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
        """Power: ω·n + v·f."""
        if not isinstance(force, Force):
            raise TypeError(f"power pairs a Motion with a Force, not with a {type(force).__name__}")
        return self.ang.dot(force.ang) + self.lin.dot(force.lin)

    @overload
    def cross(self, other: Motion) -> Motion: ...
    @overload
    def cross(self, other: Force) -> Force: ...
    def cross(self, other: Motion | Force) -> Motion | Force:
        """The Lie bracket V × M of motions, or its dual V ×* F on forces: what moving with V does to the other."""
        if isinstance(other, Motion):
            return Motion(self.ang.cross(other.ang), self.ang.cross(other.lin) + self.lin.cross(other.ang))
        return Force(self.ang.cross(other.ang) + self.lin.cross(other.lin), self.ang.cross(other.lin))

    def moved(self, R: Rotation | PlaneRotation, p: Vec3) -> Motion:
        """From coordinates of B to those of A, where B stands in A at (R, p)."""
        ang = R @ self.ang
        return Motion(ang, R @ self.lin + p.cross(ang))

    def moved_back(self, R: Rotation | PlaneRotation, p: Vec3) -> Motion:
        """From coordinates of A to those of B."""
        back = R.inv()
        return Motion(back @ self.ang, back @ (self.lin - p.cross(self.ang)))
