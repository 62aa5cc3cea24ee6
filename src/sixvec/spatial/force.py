"""Force vectors: wrenches and momenta."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sixvec.scalar import Scalar
from sixvec.spatial.vector import Vec3

if TYPE_CHECKING:
    from sixvec.spatial.motion import Motion
    from sixvec.spatial.rotation import PlaneRotation, Rotation


@dataclass(frozen=True, slots=True)
class Force:
    """A force vector (n; f): moment about the origin, and linear force.

    >>> from sixvec.spatial import Force, Vec3
    >>> Force(Vec3(1.0, 0.0, 0.0), Vec3.zero()) + Force(Vec3(1.0, 0.0, 0.0), Vec3.zero())
    Force(ang=Vec3(x=2.0, y=0.0, z=0.0), lin=Vec3(x=0.0, y=0.0, z=0.0))
    """

    ang: Vec3
    lin: Vec3

    @classmethod
    def zero(cls) -> Force:
        return cls(Vec3.zero(), Vec3.zero())

    @classmethod
    def of(cls, six: Iterable[Scalar]) -> Force:
        """From six numbers, moment first."""
        a, b, c, d, e, f = six
        return cls(Vec3(a, b, c), Vec3(d, e, f))

    @classmethod
    def from_linear_first(cls, six: Iterable[Scalar]) -> Force:
        """From six numbers in the order (f; m), the force first."""
        a, b, c, d, e, f = six
        return cls(Vec3(d, e, f), Vec3(a, b, c))

    @classmethod
    def at_point(cls, f: Vec3, r: Vec3) -> Force:
        """The wrench of a force f that acts at the point r: (r × f; f).

        Bruyninckx (4.41).

        >>> from sixvec.spatial import Force, Vec3
        >>> Force.at_point(Vec3(0.0, 0.0, 1.0), Vec3(0.0, 2.0, 0.0)).ang
        Vec3(x=2.0, y=0.0, z=0.0)
        """
        return cls(r.cross(f), f)

    @property
    def linear_first(self) -> tuple[Scalar, ...]:
        """The six numbers in the order (f; m), in which Bruyninckx §4.3 writes wrenches.  Bruyninckx (4.21)."""
        return (*self.lin, *self.ang)

    def dot(self, motion: Motion) -> Scalar:
        """Power: n·ω + f·v.  Bruyninckx (4.25)-(4.27)."""
        return motion.dot(self)

    def shifted(self, r: Vec3) -> Force:
        """The same wrench with its moment about the point r, axes unchanged: (n - r × f; f) (Bruyninckx §4.3).

        Bruyninckx (4.19).
        """
        return Force(self.ang - r.cross(self.lin), self.lin)

    def in_length_unit(self, k: Scalar) -> Force:
        """The same wrench where the unit of length is k times smaller, mass and time unchanged: (k² n; k f)."""
        return Force(self.ang * (k * k), self.lin * k)

    def __iter__(self) -> Iterator[Scalar]:
        yield from self.ang
        yield from self.lin

    def __add__(self, other: Force) -> Force:
        if not isinstance(other, Force):
            return NotImplemented
        return Force(self.ang + other.ang, self.lin + other.lin)

    def __sub__(self, other: Force) -> Force:
        if not isinstance(other, Force):
            return NotImplemented
        return Force(self.ang - other.ang, self.lin - other.lin)

    def __neg__(self) -> Force:
        return Force(-self.ang, -self.lin)

    def __mul__(self, k: Scalar) -> Force:
        return Force(self.ang * k, self.lin * k)

    __rmul__ = __mul__

    def moved(self, R: Rotation | PlaneRotation, p: Vec3) -> Force:
        """From coordinates of B to those of A, where (R, p) is the pose of B in A.  Bruyninckx (4.20), (4.84)."""
        lin = R @ self.lin
        return Force(R @ self.ang + p.cross(lin), lin)

    def moved_back(self, R: Rotation | PlaneRotation, p: Vec3) -> Force:
        """From coordinates of A to those of B."""
        back = R.inv()
        return Force(back @ (self.ang - p.cross(self.lin)), back @ self.lin)
