"""Springs, dampers and masses as 6x6 matrices: stiffness, damping, inertia and their inverses.

| force from | impedance | its inverse |
|---|---|---|
| displacement | `Stiffness` | `Compliance` |
| velocity | `Damping` | `Accommodation` |
| acceleration | `RigidInertia`, `ArticulatedInertia` | `Mobility` |

Bruyninckx §4.13.1.  They act on *infinitesimal* displacements and velocities about one origin in one set of axes.
"""

from __future__ import annotations

from dataclasses import dataclass

from sixvec.errors import FrameError
from sixvec.geometry.rigid_body.impedance import Admittance, Impedance
from sixvec.scalar import Scalar
from sixvec.spatial.articulated import ArticulatedInertia
from sixvec.spatial.force import Force
from sixvec.spatial.inertia import RigidInertia
from sixvec.spatial.linear import inverse_symmetric
from sixvec.spatial.matrix import Mat3, Sym3
from sixvec.spatial.motion import Motion
from sixvec.spatial.pose import Pose
from sixvec.spatial.rotation import Rotation


@dataclass(frozen=True, slots=True)
class Stiffness(Impedance):
    """K: the wrench F = K t that holds a small displacement t = (rotation vector; translation).

    In another frame it is Xᵀ K X (Bruyninckx (4.90)).

    >>> from sixvec.geometry.rigid_body import Stiffness
    >>> from sixvec.spatial import Motion, Vec3
    >>> pad = Stiffness.diagonal(Vec3(1.0, 1.0, 1.0), Vec3(10.0, 10.0, 20.0))
    >>> (pad @ Motion(Vec3.zero(), Vec3(0.0, 0.0, 0.5))).lin.z
    10.0
    """

    @classmethod
    def spring(cls, line: Force, stiffness: Scalar) -> Stiffness:
        """One spring along the line of a *unit* force: K = k w wᵀ.  Springs on the same two bodies add."""
        return cls(*_dyad(line, stiffness))

    def energy(self, displacement: Motion) -> Scalar:
        """The stored energy ½ tᵀ K t."""
        return self.form(displacement) * 0.5

    def inverse(self) -> Compliance:
        return Compliance.from_matrix(self._inverse_rows())


@dataclass(frozen=True, slots=True)
class Damping(Impedance):
    """D: the wrench F = D V that sustains a velocity V against friction.

    >>> from sixvec.geometry.rigid_body import Damping
    >>> from sixvec.spatial import Motion, Vec3
    >>> Damping.diagonal(Vec3.zero(), Vec3(2.0, 2.0, 2.0)).power(Motion(Vec3.zero(), Vec3(3.0, 0.0, 0.0)))
    18.0
    """

    @classmethod
    def damper(cls, line: Force, damping: Scalar) -> Damping:
        """One damper along the line of a *unit* force: D = d w wᵀ."""
        return cls(*_dyad(line, damping))

    def power(self, velocity: Motion) -> Scalar:
        """The dissipated power Vᵀ D V."""
        return self.form(velocity)

    def inverse(self) -> Accommodation:
        return Accommodation.from_matrix(self._inverse_rows())


@dataclass(frozen=True, slots=True)
class Compliance(Admittance):
    """C = K⁻¹: the small displacement t = C F that a wrench causes.

    >>> from sixvec.geometry.rigid_body import Compliance
    >>> from sixvec.spatial import Vec3
    >>> soft = Compliance.diagonal(Vec3(1.0, 1.0, 1.0), Vec3(1.0, 1.0, 0.5))
    >>> (soft + soft).inverse().lin.zz  # two in series
    1.0
    """

    def energy(self, force: Force) -> Scalar:
        """The stored energy ½ Fᵀ C F."""
        return self.form(force) * 0.5

    def inverse(self) -> Stiffness:
        return Stiffness.from_matrix(self._inverse_rows())


@dataclass(frozen=True, slots=True)
class Accommodation(Admittance):
    """A = D⁻¹: the velocity V = A F that a wrench causes.

    >>> from sixvec.geometry.rigid_body import Accommodation
    >>> from sixvec.spatial import Vec3
    >>> Accommodation.diagonal(Vec3(1.0, 1.0, 1.0), Vec3(2.0, 1.0, 1.0)).inverse().lin.xx
    0.5
    """

    def power(self, force: Force) -> Scalar:
        """The dissipated power Fᵀ A F."""
        return self.form(force)

    def inverse(self) -> Damping:
        return Damping.from_matrix(self._inverse_rows())


@dataclass(frozen=True, slots=True)
class Mobility(Admittance):
    """The inverse inertia: the acceleration A = I⁻¹ F of a body at rest under a wrench.

    >>> from sixvec.geometry.rigid_body import Mobility
    >>> from sixvec.spatial import Force, RigidInertia, Sym3, Vec3
    >>> ball = RigidInertia(2.0, Vec3.zero(), Sym3.diagonal(1.0, 1.0, 1.0))
    >>> (Mobility.of(ball) @ Force(Vec3.zero(), Vec3(0.0, 0.0, 4.0))).lin.z
    2.0
    """

    @classmethod
    def of(cls, body: RigidInertia | ArticulatedInertia) -> Mobility:
        """For a rigid body in closed form from its centre of mass; for an articulated one by factorisation."""
        if isinstance(body, RigidInertia):
            center = body.center
            k = 1.0 / body.mass
            at_center = cls(inverse_symmetric(body.about_center), Mat3.zero(), Sym3.diagonal(k, k, k))
            return Pose(Rotation.identity(), center) @ at_center
        if not isinstance(body, ArticulatedInertia):
            raise FrameError(
                f"a Mobility is the inverse of an inertia, not of a {type(body).__name__}; "
                "the inverse of a Stiffness is a Compliance, that of a Damping an Accommodation"
            )
        return cls.from_matrix(Impedance(body.rot, body.cross, body.lin)._inverse_rows())

    def inverse(self) -> ArticulatedInertia:
        rows = Impedance.from_matrix(self._inverse_rows())
        return ArticulatedInertia(rows.rot, rows.cross, rows.lin)


def _dyad(w: Force, k: Scalar) -> tuple[Sym3, Mat3, Sym3]:
    dyad = ArticulatedInertia.dyad(w * k, w)
    return dyad.rot, dyad.cross, dyad.lin
