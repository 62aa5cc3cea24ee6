"""The Coriolis form of a rigid body: the 6x6 matrix B with  V ×* (I V) = B V, in twelve numbers."""

from __future__ import annotations

from dataclasses import dataclass

from sixvec.spatial.force import Force
from sixvec.spatial.inertia import RigidInertia
from sixvec.spatial.matrix import Mat3
from sixvec.spatial.motion import Motion
from sixvec.spatial.rotation import PlaneRotation, Rotation
from sixvec.spatial.vector import Vec3


@dataclass(frozen=True, slots=True)
class CoriolisForm:
    """B = ½ [V×* I - I V× + (I V) ×̄*], a factorisation of the velocity-product force of one body.

    Of its four 3x3 blocks [[ang, 0], [-p×, 0]] only the first two numbers matter: a general matrix `ang`
    = (v·c) 1 - v cᵀ - ω× Σ, with c the first and Σ the second moment of mass, and the linear momentum p.
    The sum of these forms over a subtree gives all velocity derivatives of the dynamics and the Coriolis matrix
    with Ṁ - 2C skew (Singh, Russell and Wensing, IEEE RA-L 7(2), 2022; the block form is derived in
    docs/notation.md).

    >>> from sixvec.spatial import CoriolisForm, Motion, RigidInertia, Sym3, Vec3
    >>> body = RigidInertia.from_center_of_mass(2.0, Vec3(0.0, 0.0, 0.1), Sym3.diagonal(0.1, 0.1, 0.1))
    >>> CoriolisForm.of(body, Motion(Vec3(0.0, 0.0, 1.0), Vec3(3.0, 0.0, 0.0))).momentum
    Vec3(x=6.0, y=0.0, z=0.0)
    """

    ang: Mat3
    momentum: Vec3

    @classmethod
    def of(cls, inertia: RigidInertia, V: Motion) -> CoriolisForm:
        c, v = inertia.moment, V.lin
        vc = v.dot(c)
        spin = Mat3.cross_matrix(V.ang).product(inertia.second_moment.full)
        stretch = Mat3(vc, 0.0, 0.0, 0.0, vc, 0.0, 0.0, 0.0, vc) - Mat3.outer(v, c)
        return cls(stretch - spin, v * inertia.mass + V.ang.cross(c))

    def __add__(self, other: CoriolisForm) -> CoriolisForm:
        return CoriolisForm(self.ang + other.ang, self.momentum + other.momentum)

    def __matmul__(self, m: Motion) -> Force:
        return Force(self.ang @ m.ang, m.ang.cross(self.momentum))

    def transpose_act(self, m: Motion) -> Force:
        """Bᵀ m: a pure moment."""
        return Force(self.ang.T @ m.ang + self.momentum.cross(m.lin), Vec3.zero())

    def moved(self, R: Rotation | PlaneRotation, p: Vec3) -> CoriolisForm:
        """From coordinates of B to those of A, where (R, p) is the pose of B in A."""
        momentum = R @ self.momentum
        # n' = n + p × f with f = m.ang × momentum, and p × (w × h) = w (p·h) - h (p·w).
        ph = p.dot(momentum)
        lever = Mat3(ph, 0.0, 0.0, 0.0, ph, 0.0, 0.0, 0.0, ph) - Mat3.outer(momentum, p)
        return CoriolisForm(R.turn(self.ang) + lever, momentum)

    def moved_back(self, R: Rotation | PlaneRotation, p: Vec3) -> CoriolisForm:
        """From coordinates of A to those of B."""
        back = R.inv()
        return self.moved(back, back @ -p)
