"""Rigid-body inertia: ten numbers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sixvec.errors import DegenerateError
from sixvec.scalar import Scalar, certainly
from sixvec.spatial.acceleration import AccelerationField
from sixvec.spatial.force import Force
from sixvec.spatial.matrix import Mat3, Sym3
from sixvec.spatial.motion import Motion
from sixvec.spatial.rotation import PlaneRotation, Rotation
from sixvec.spatial.vector import Vec3


@dataclass(frozen=True, slots=True)
class RigidInertia:
    """Mass, first moment `m c`, and rotational inertia about the *origin* (not the centre of mass).

    About the origin all ten numbers enter the equations of motion linearly.
    Bruyninckx (4.67), (4.82); Lynch-Park (9.19), (9.25).

    >>> from sixvec.spatial import Motion, RigidInertia, Sym3, Vec3
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
        """From the rotational inertia about the centre of mass (parallel-axis theorem).  Bruyninckx (4.71)."""
        return cls(mass, center * mass, rot + _parallel_axis(center, center * mass))

    @classmethod
    def from_matrix(cls, matrix: Sequence[Sequence[Scalar]]) -> RigidInertia:
        """From the rows of the 6x6 mass matrix; the inverse of `as_matrix`."""
        (xx, xy, xz, _, cz_, cy), (_, yy, yz, _, _, cx_), (_, _, zz, *_), (*_, mass, _, _) = matrix[:4]
        return cls(mass, Vec3(-cx_, cy, -cz_), Sym3(xx, xy, xz, yy, yz, zz))

    def as_matrix(self) -> list[list[Scalar]]:
        """The rows of the 6x6 mass matrix [[I, mc×], [-mc×, m 1]], which maps (ω; v) to (moment; force).

        Its column i is the momentum of the i-th unit velocity; its entry (i, i) is twice that motion's kinetic
        energy.  Its eigenvalues have no physical meaning, because it maps between two different spaces.  Under a change
        of frame it becomes  M_B = Xᵀ M_A X  with the motion transform X = X_AB (`moved_back`).  Bruyninckx §4.12.6,
        §4.12.10, (4.79).

        >>> from sixvec.spatial import RigidInertia, Sym3, Vec3
        >>> RigidInertia(2.0, Vec3(0.0, 0.0, 2.0), Sym3.diagonal(3.0, 3.0, 1.0)).as_matrix()[0]
        [3.0, 0.0, 0.0, 0.0, -2.0, 0.0]
        """
        c, m = self.moment, self.mass
        lever = Mat3.cross_matrix(c)
        upper = [[*a, *b] for a, b in zip(self.rot.full.rows, lever.rows, strict=True)]
        lower = [[*a, *b] for a, b in zip(lever.T.rows, Sym3.diagonal(m, m, m).full.rows, strict=True)]
        return upper + lower

    @property
    def center(self) -> Vec3:
        """The centre of mass c = (m c)/m.

        >>> from sixvec.spatial import RigidInertia, Sym3, Vec3
        >>> RigidInertia(2.0, Vec3(0.0, 0.0, 1.0), Sym3.diagonal(1.0, 1.0, 0.0)).center.z
        0.5
        """
        if certainly(self.mass == 0.0):
            raise DegenerateError("a body without mass has no centre of mass; use its first moment `moment` instead")
        center: Vec3 = self.moment * (1.0 / self.mass)
        return center

    @property
    def about_center(self) -> Sym3:
        """The rotational inertia about the centre of mass: I_c = I - ((mc·c) 1 - mc cᵀ).  Bruyninckx §4.12.3.

        Bruyninckx (4.71).

        >>> from sixvec.spatial import RigidInertia, Sym3, Vec3
        >>> RigidInertia.from_center_of_mass(2.0, Vec3(0.0, 0.0, 1.0), Sym3.diagonal(3.0, 3.0, 1.0)).about_center.xx
        3.0
        """
        return self.rot - _parallel_axis(self.center, self.moment)

    def kinetic_energy(self, V: Motion) -> Scalar:
        """½ Vᵀ M V = ½ m v_c² + ½ ωᵀ I_c ω, of a body that moves with V.  Bruyninckx §4.12.4.

        Bruyninckx (4.73), (4.77), (4.78); Lynch-Park (9.24).

        >>> from sixvec.spatial import Motion, RigidInertia, Sym3, Vec3
        >>> RigidInertia(2.0, Vec3.zero(), Sym3.zero()).kinetic_energy(Motion(Vec3.zero(), Vec3(3.0, 0.0, 0.0)))
        9.0
        """
        return V.dot(self @ V) * 0.5

    def potential_energy(self, gravity: Vec3) -> Scalar:
        """-m g·c, with the *downward* acceleration of gravity g in the axes of this inertia; zero at the origin.

        Bruyninckx (4.75) prints + m g·c, which holds if g points up.

        >>> from sixvec.spatial import RigidInertia, Sym3, Vec3
        >>> RigidInertia(2.0, Vec3(0.0, 0.0, 2.0), Sym3.zero()).potential_energy(Vec3(0.0, 0.0, -10.0))
        20.0
        """
        return -gravity.dot(self.moment)

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
        if not isinstance(m, Motion):
            return NotImplemented
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
        The integral of r × (U r) is the skew part of U Σ.  Bruyninckx §4.12.9; Lynch-Park §9.2.
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
        """From coordinates of B to those of A, where (R, p) is the pose of B in A."""
        c = R @ self.moment
        twice = c + c + p * self.mass
        return RigidInertia(self.mass, c + p * self.mass, R.turn_symmetric(self.rot) + _parallel_axis(p, twice))

    def moved_back(self, R: Rotation | PlaneRotation, p: Vec3) -> RigidInertia:
        """From coordinates of A to those of B.  Bruyninckx (4.79)."""
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
