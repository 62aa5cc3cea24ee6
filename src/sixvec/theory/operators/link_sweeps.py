"""The operators as sweeps, without forming a matrix: one visit per link, on any scalars.

Anticausal operators (φᵀ, ψᵀ) go from base to tips, causal ones (φ, ψ) from tips to base.  Accelerations are spatial
ones in link coordinates, and gravity is an upward acceleration of the base.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from sixvec.algorithms.declaration import JointVector
from sixvec.algorithms.parts.articulated_gain import Gain, articulated_gains
from sixvec.algorithms.parts.external import Wrenches, body_wrenches
from sixvec.algorithms.parts.reference import Reference
from sixvec.algorithms.parts.singular import require_mass
from sixvec.model import WORLD, Body, Model
from sixvec.model.spanning_tree import require_tree
from sixvec.spatial import FactoredPose, Force, Motion, Vec3
from sixvec.theory.operators.link_blocks import require_free_joints

Motions = dict[str | None, Motion]
Forces = dict[str, Force]


@dataclass(frozen=True)
class Link:
    """A body with the data that the sweeps need at the position q."""

    body: Body
    X_PB: FactoredPose
    """φ(parent, k) is X_PB acting on forces; φᵀ is its inverse acting on motions."""
    gain: Gain
    """H, P, D and G of the joint."""

    @property
    def name(self) -> str:
        return self.body.name


@dataclass(frozen=True)
class Biases:
    """The state of motion: bias accelerations a and bias forces b of the links, external wrenches included in b."""

    a: Motions
    b: Forces


def links_of(model: Model, q: JointVector) -> tuple[Link, ...]:
    """The links at a position, base first; raises an error for robots that the sweeps cannot handle."""
    require_tree(model, "the sweeps of forward dynamics")
    require_free_joints(model)
    require_mass(model)
    gains = articulated_gains(model, q)
    return tuple(Link(b, b.pose_in_parent(q), gains[b.name]) for b in model.bodies)


def biases(
    model: Model,
    links: tuple[Link, ...],
    q: JointVector,
    v: JointVector,
    external: Wrenches | None,
    reference: Reference,
) -> Biases:
    """V = φᵀ Hᵀ v, a = V × Hᵀ v + Ḣᵀ v and b = V ×* M V - f, base to tips (2.24-2.30 in spatial accelerations).

    The base's upward acceleration is included in the a of the links attached to the world (Rodriguez-Kreutz (3.21)).
    """
    f = body_wrenches(model, q, external, reference)
    V: Motions = {WORLD: Motion.zero()}
    a: Motions = {}
    b: Forces = {}
    for k in links:
        X_BP = k.X_PB.inv()
        rate = k.gain.spread(v[k.body])
        V[k.name] = X_BP @ V[k.body.parent] + rate
        a[k.name] = V[k.name].cross(rate) + k.body.joint.bias(q[k.body], v[k.body])
        if k.body.parent is WORLD:
            a[k.name] = a[k.name] + X_BP @ Motion(Vec3.zero(), -model.gravity)
        b[k.name] = V[k.name].cross(k.body.inertia @ V[k.name]) - f.get(k.name, Force.zero())
    return Biases(a, b)


def outward(links: tuple[Link, ...], x: Mapping[str | None, Motion]) -> Motions:
    """φᵀ x: the sum of x over each link and its ancestors, in the link's coordinates."""
    total: Motions = {WORLD: Motion.zero()}
    for k in links:
        total[k.name] = k.X_PB.inv() @ total[k.body.parent] + x[k.name]
    return total


def inward(links: tuple[Link, ...], x: Forces) -> Forces:
    """φ x: the sum of x over each link and its descendants, in the link's coordinates."""
    total = dict(x)
    for k in reversed(links):
        if k.body.parent is not WORLD:
            total[k.body.parent] = total[k.body.parent] + k.X_PB @ total[k.name]
    return total


def frame_accelerations(model: Model, links: tuple[Link, ...], alpha: Motions) -> list[Motion]:
    """The true spatial acceleration of every frame in its own coordinates: tips and links, gravity's offset removed."""
    fall = outward_constant(links, Motion(Vec3.zero(), -model.gravity))
    return [
        F.placement.inv() @ (alpha[F.body] - fall[F.body]) if F.body is not WORLD else Motion.zero()
        for F in model.frames
    ]


def outward_constant(links: tuple[Link, ...], base: Motion) -> Motions:
    """One motion of the whole robot, with locked joints, in the coordinates of each link."""
    motions: Motions = {WORLD: base}
    for k in links:
        motions[k.name] = k.X_PB.inv() @ motions[k.body.parent]
    return motions
