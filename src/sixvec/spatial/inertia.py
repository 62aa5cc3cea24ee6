"""Rigid-body inertia: ten numbers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sixvec.scalar import Scalar
from sixvec.spatial.force import Force
from sixvec.spatial.matrix import Sym3
from sixvec.spatial.motion import Motion
from sixvec.spatial.vector import Vec3

if TYPE_CHECKING:
    from sixvec.spatial.acceleration import AccelerationField
    from sixvec.spatial.rotation import PlaneRotation, Rotation


@dataclass(frozen=True, slots=True)
class RigidInertia:
    """Mass, first moment `m c`, and rotational inertia about the *origin* (not the centre of mass).

    About the origin all ten numbers enter the equations of motion linearly.

    >>> ball = RigidInertia.from_center_of_mass(2.0, Vec3(0.0, 0.0, 1.0), Sym3.diagonal(0.1, 0.1, 0.1))
    >>> (ball @ Motion(Vec3(1.0, 0.0, 0.0), Vec3.zero())).ang.x
    2.1
    """

    mass: Scalar
    moment: Vec3
    rot: Sym3

    @classmethod
    def zero(cls) -> RigidInertia:
        return cls(0.0, Vec3.zero(), Sym3.zero())

    @classmethod
    def from_center_of_mass(cls, mass: Scalar, center: Vec3, rot: Sym3) -> RigidInertia:
        """From the rotational inertia about the centre of mass (parallel-axis theorem)."""
        return cls(mass, center * mass, rot + _parallel_axis(center, center * mass))

    def __iter__(self) -> Iterator[Scalar]:
        yield self.mass
        yield from self.moment
        yield from self.rot

    def __add__(self, other: RigidInertia) -> RigidInertia:
        return RigidInertia(self.mass + other.mass, self.moment + other.moment, self.rot + other.rot)

    def __sub__(self, other: RigidInertia) -> RigidInertia:
        return RigidInertia(self.mass - other.mass, self.moment - other.moment, self.rot - other.rot)

    def __matmul__(self, m: Motion) -> Force:
        """Momentum of a velocity, or the force that a spatial acceleration needs at rest."""
        return Force(
            self.rot @ m.ang + self.moment.cross(m.lin),
            m.lin * self.mass - self.moment.cross(m.ang),
        )

    @property
    def second_moment(self) -> Sym3:
        """Σ = ∫ r rᵀ dm = ½ tr(I) 1 - I."""
        xx, yy, zz = self.rot.xx, self.rot.yy, self.rot.zz
        half_trace = (xx + yy + zz) * 0.5
        return Sym3(half_trace - xx, -self.rot.xy, -self.rot.xz, half_trace - yy, -self.rot.yz, half_trace - zz)

    def force(self, A: AccelerationField) -> Force:
        """Newton and Euler: the force that gives a body this field of accelerations.

        f = ∫ a(r) dm = m a + U (m c)   and   n = ∫ r × a(r) dm,  with a(r) = a + U r.
        The integral of r × (U r) is the skew part of U Σ.  Bruyninckx 4.12.9; Lynch-Park 9.2.
        """
        U, S, c = A.tensor, self.second_moment, self.moment
        # Differences of U's diagonal, straight from ω: U_yy - U_zz = ω_z² - ω_y².
        w = A.ang_velocity
        xx, yy, zz = w.x * w.x, w.y * w.y, w.z * w.z
        spin = Vec3(
            U.zx * S.xy - U.yx * S.xz + U.zy * S.yy - U.yz * S.zz + (zz - yy) * S.yz,
            U.xy * S.yz - U.zy * S.xy + U.xz * S.zz - U.zx * S.xx + (xx - zz) * S.xz,
            U.yz * S.xz - U.xz * S.yz + U.yx * S.xx - U.xy * S.yy + (yy - xx) * S.xy,
        )
        return Force(spin + c.cross(A.lin), A.lin * self.mass + U @ c)

    def moved(self, R: Rotation | PlaneRotation, p: Vec3) -> RigidInertia:
        """From coordinates of B to those of A, where B stands in A at (R, p)."""
        c = R @ self.moment
        twice = c + c + p * self.mass
        return RigidInertia(self.mass, c + p * self.mass, R.turn_symmetric(self.rot) + _parallel_axis(p, twice))

    def moved_back(self, R: Rotation | PlaneRotation, p: Vec3) -> RigidInertia:
        """From coordinates of A to those of B."""
        back = R.inv()
        return self.moved(back, back @ -p)


def _parallel_axis(p: Vec3, g: Vec3) -> Sym3:
    """(p·g) 1 - ½ (p gᵀ + g pᵀ): with g = m p the parallel-axis theorem, with g = 2 m c + m p a change of origin."""
    return Sym3(
        p.y * g.y + p.z * g.z,
        (p.x * g.y + p.y * g.x) * -0.5,
        (p.x * g.z + p.z * g.x) * -0.5,
        p.x * g.x + p.z * g.z,
        (p.y * g.z + p.z * g.y) * -0.5,
        p.x * g.x + p.y * g.y,
    )
