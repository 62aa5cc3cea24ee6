"""Articulated-body inertia: 21 numbers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from sixvec.scalar import Scalar
from sixvec.spatial.force import Force
from sixvec.spatial.inertia import RigidInertia
from sixvec.spatial.matrix import Mat3, Sym3
from sixvec.spatial.motion import Motion
from sixvec.spatial.rotation import PlaneRotation, Rotation
from sixvec.spatial.vector import Vec3


@dataclass(frozen=True, slots=True)
class ArticulatedInertia:
    """The symmetric 6x6 map from motion to force [[rot, cross], [crossᵀ, lin]] in its three 3x3 blocks.

    It is the apparent inertia of a body that carries others on free joints (Featherstone (49)).
    """

    rot: Sym3
    cross: Mat3
    lin: Sym3

    @classmethod
    def of(cls, body: RigidInertia) -> ArticulatedInertia:
        """A rigid body is an articulated body without joints."""
        return cls(body.rot, Mat3.cross_matrix(body.moment), Sym3.diagonal(body.mass, body.mass, body.mass))

    @classmethod
    def dyad(cls, a: Force, b: Force) -> ArticulatedInertia:
        """a bᵀ, for callers that guarantee symmetry (b a multiple of a, or one term of a symmetric sum)."""
        n, m = a.ang, b.ang
        f, g = a.lin, b.lin
        return cls(
            Sym3(n.x * m.x, n.x * m.y, n.x * m.z, n.y * m.y, n.y * m.z, n.z * m.z),
            Mat3.outer(n, g),
            Sym3(f.x * g.x, f.x * g.y, f.x * g.z, f.y * g.y, f.y * g.z, f.z * g.z),
        )

    def __iter__(self) -> Iterator[Scalar]:
        yield from self.rot
        yield from self.cross
        yield from self.lin

    def __add__(self, other: ArticulatedInertia) -> ArticulatedInertia:
        return ArticulatedInertia(self.rot + other.rot, self.cross + other.cross, self.lin + other.lin)

    def __sub__(self, other: ArticulatedInertia) -> ArticulatedInertia:
        return ArticulatedInertia(self.rot - other.rot, self.cross - other.cross, self.lin - other.lin)

    def __matmul__(self, m: Motion) -> Force:
        return Force(self.rot @ m.ang + self.cross @ m.lin, self.cross.T @ m.ang + self.lin @ m.lin)

    def moved(self, R: Rotation | PlaneRotation, p: Vec3) -> ArticulatedInertia:
        """From coordinates of B to those of A, where (R, p) is the pose of B in A."""
        rot, cross, lin = R.turn_symmetric(self.rot), R.turn(self.cross), R.turn_symmetric(self.lin)
        px = Mat3.cross_matrix(p)
        shifted = cross + px.product(lin.full)
        a, b = px.product(shifted.T), px.product(cross.T).T
        add = Sym3(a.xx + b.xx, a.xy + b.xy, a.xz + b.xz, a.yy + b.yy, a.yz + b.yz, a.zz + b.zz)
        return ArticulatedInertia(rot + add, shifted, lin)

    def moved_back(self, R: Rotation | PlaneRotation, p: Vec3) -> ArticulatedInertia:
        """From coordinates of A to those of B."""
        back = R.inv()
        return self.moved(back, back @ -p)
