"""How free joints transmit forces and motions: articulated inertias and their gains."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sixvec.algorithms.declaration import JointVector
from sixvec.algorithms.parts.transmission import Transmission
from sixvec.model import WORLD, Model
from sixvec.spatial import ArticulatedInertia, Force, Motion


@dataclass(frozen=True, slots=True)
class Gain:
    """A body's joint as a filter, in the notation of Rodriguez-Kreutz §4: D = H P Hᵀ and G = P Hᵀ D⁻¹."""

    axes: tuple[Motion, ...]
    """The columns of Hᵀ, Featherstone's S."""
    P: ArticulatedInertia
    D_inverse: list[list[Any]]
    G: tuple[Force, ...]
    """The columns of G."""

    def project(self, f: Force) -> list[Any]:
        """H f: the force along the joint."""
        return [S.dot(f) for S in self.axes]

    def spread(self, rates: Sequence[Any]) -> Motion:
        """Hᵀ x: the motion of the body when the joint moves with x."""
        return sum((S * x for S, x in zip(self.axes, rates, strict=True)), Motion.zero())

    def pass_on(self, f: Force, driven: Sequence[Any] | None = None) -> Force:
        """(1 - G H) f + G T: the force transmitted to the parent when T (or nothing) drives the joint."""
        felt = self.project(f)
        drive = [-x for x in felt] if driven is None else [t - x for t, x in zip(driven, felt, strict=True)]
        return sum((g * x for g, x in zip(self.G, drive, strict=True)), f)

    def yielding(self, m: Motion) -> list[Any]:
        """Gᵀ m: how far the joint yields when the parent would move the body with m."""
        return [m.dot(g) for g in self.G]

    def drive(self, force: Sequence[Any]) -> list[Any]:
        """D⁻¹ ε: the joint's acceleration under the force ε with the parent held."""
        return [sum(d * e for d, e in zip(row, force, strict=True)) for row in self.D_inverse]


def articulated_gains(model: Model, q: JointVector) -> dict[str, Gain]:
    """P, D and G of every body, tips to root: the Riccati equation of the articulated-body inertia.

    P(parent) = M + Σ_children φ (P - P Hᵀ D⁻¹ H P) φᵀ.  Rodriguez-Kreutz (4.4)-(4.6); Featherstone (60)-(64).
    Reflected rotor inertia adds to D.
    """
    P = {b.name: ArticulatedInertia.of(b.inertia) for b in model.bodies}
    gains: dict[str, Gain] = {}
    for b in reversed(model.bodies):
        axes = b.subspace(q)
        joint = Transmission(P[b.name], axes, b.armature)
        gains[b.name] = Gain(axes, P[b.name], joint.joint_inertia_inverse, tuple(joint.gains))
        if b.parent is not WORLD:
            P[b.parent] = P[b.parent] + b.pose_in_parent(q) @ joint.inertia
    return gains
