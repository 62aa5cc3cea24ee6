"""What one joint transmits: accelerations outward, forces and inertia inward."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sixvec.algorithms.parts.factorization import inverse
from sixvec.lazy import lazy
from sixvec.scalar import Scalar
from sixvec.spatial import ArticulatedInertia, Force, Motion


@dataclass(frozen=True)
class Transmission:
    """A joint with axes S and shaft inertias d that carries an (articulated) inertia M; all in one frame, at rest.

    With D = diag(d) + Sᵀ M S the joint transmits the part P = 1 - M S D⁻¹ Sᵀ of forces and Pᵀ of accelerations.
    Without shaft inertia P is a projector, P P = P; with it, it is not (Bruyninckx §6.2.1-§6.2.7, where the printed
    matrices hold for no revolute joint).  Bruyninckx (6.10), (6.11), (6.22).

    >>> from sixvec.spatial import RigidInertia, Sym3, Vec3
    >>> bar = RigidInertia.from_center_of_mass(1.3, Vec3(0.7, 0.0, 0.0), Sym3.diagonal(0.0, 0.0, 0.05))
    >>> hinge = Motion(Vec3(0.0, 0.0, 1.0), Vec3.zero())
    >>> round(Transmission(ArticulatedInertia.of(bar), (hinge,)).inertia.lin.yy, 7)  # m I_zz / (I_zz + m a²)
    0.0946143
    """

    carried: ArticulatedInertia
    axes: tuple[Motion, ...]
    shaft: tuple[Scalar, ...] = ()

    @lazy
    def momentum_of_axes(self) -> list[Force]:
        """The columns of M S."""
        return [self.carried @ s for s in self.axes]

    @lazy
    def joint_inertia(self) -> list[list[Any]]:
        """D = diag(d) + Sᵀ M S."""
        d = self.shaft or (0.0,) * len(self.axes)
        return [
            [s.dot(u) + (d[i] if i == j else 0.0) for j, u in enumerate(self.momentum_of_axes)]
            for i, s in enumerate(self.axes)
        ]

    @lazy
    def joint_inertia_inverse(self) -> list[list[Any]]:
        """D⁻¹."""
        return inverse(self.joint_inertia)

    @lazy
    def gains(self) -> list[Force]:
        """The columns of M S D⁻¹."""
        return [
            sum((u * d for u, d in zip(self.momentum_of_axes, row, strict=True)), Force.zero())
            for row in self.joint_inertia_inverse
        ]

    def unbalanced(self, F: Force, force: Sequence[Scalar]) -> list[Any]:
        """τ - Sᵀ F: the part of the joint forces that moves the joint under a bias force F."""
        return [f - s.dot(F) for f, s in zip(force, self.axes, strict=True)]

    def drive(self, unbalanced: Sequence[Scalar]) -> list[Any]:
        """D⁻¹ (τ - Sᵀ F): the joint's acceleration while the side towards the root is at rest."""
        return [sum(d * f for d, f in zip(row, unbalanced, strict=True)) for row in self.joint_inertia_inverse]

    def bias_inward(self, F: Force, unbalanced: Sequence[Scalar]) -> Force:
        """F + M S D⁻¹ (τ - Sᵀ F): as `force_inward`, by the gains."""
        return sum((k * f for k, f in zip(self.gains, unbalanced, strict=True)), F)

    def joint_acceleration(self, A: Motion, force: Sequence[Scalar] | None = None) -> list[Any]:
        """q̈ = D⁻¹ (τ - Sᵀ M A), when the side towards the root accelerates with A (Bruyninckx (6.6))."""
        on_axes = force or [0.0] * len(self.axes)
        return self.drive([f - A.dot(u) for f, u in zip(on_axes, self.momentum_of_axes, strict=True)])

    def acceleration(self, A: Motion) -> Motion:
        """Pᵀ A: acceleration of the carried side when that towards the root accelerates with A (Bruyninckx (6.9))."""
        rates = self.joint_acceleration(A)
        return sum((s * x for s, x in zip(self.axes, rates, strict=True)), A)

    def force_outward(self, A: Motion) -> Force:
        """M Pᵀ A: the corresponding force through the joint (Bruyninckx (6.12)).  It maps motions to forces."""
        return self.carried @ self.acceleration(A)

    def force_inward(self, F: Force, force: Sequence[Scalar] | None = None) -> Force:
        """P F + M S D⁻¹ τ: the force towards the root for a bias force F and a joint force τ.

        Bruyninckx (6.24), (6.25), (6.27).
        """
        return self.bias_inward(F, self.unbalanced(F, force or [0.0] * len(self.axes)))

    @property
    def inertia(self) -> ArticulatedInertia:
        """P M = M - M S D⁻¹ Sᵀ M: the carried inertia transmitted towards the root (Bruyninckx (6.16), (6.21)).

        Bruyninckx (6.17).
        """
        transmitted = self.carried
        for u, k in zip(self.momentum_of_axes, self.gains, strict=True):
            transmitted = transmitted - ArticulatedInertia.dyad(u, k)
        return transmitted
