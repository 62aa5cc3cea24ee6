"""Joints that move together: one that is free, and those that follow it.

A recursion over groups passes inertias and forces on group by group, as the plain one does joint by joint.  It takes
O(n) where the joints of each group are on the same body: the rotor of a motor on the link before its joint,
the two fingers of a gripper.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from sixvec.algorithms.declaration import JointVector
from sixvec.model import Body, Model
from sixvec.model.canonical import regrouped
from sixvec.model.coupling import Coupling, coupling


@dataclass(frozen=True)
class JointGroup:
    """Bodies whose joints move together, each `factors` times as fast as the coordinates `at` of v."""

    bodies: tuple[Body, ...]
    factors: tuple[float, ...]
    at: range

    @property
    def name(self) -> str:
        return self.bodies[0].name

    @property
    def parent(self) -> str | None:
        return self.bodies[0].parent


@dataclass(frozen=True)
class JointGroups:
    """The groups of a robot from the root to the tips, and the same robot with every joint free."""

    free: Model
    groups: tuple[JointGroup, ...]
    coupling: Coupling

    @property
    def side_by_side(self) -> bool:
        """Whether the bodies of every group have the same parent."""
        return all(b.parent == group.parent for group in self.groups for b in group.bodies)

    def positions(self, q: JointVector) -> JointVector:
        """The positions of all joints."""
        return JointVector(self.coupling.positions(q), self.free.q_slices)

    def rates(self, v: JointVector) -> JointVector:
        """The velocities, or the accelerations, of all joints."""
        return JointVector(self.coupling.velocities(v), self.free.v_slices)


@lru_cache(maxsize=64)
def joint_groups(model: Model) -> JointGroups:
    """The groups of a model; the bodies in them have base inertial parameters (`regrouped`)."""
    c = coupling(model)
    free = regrouped(c.free)
    members: dict[str, list[tuple[Body, float]]] = {}
    at = {b.name: range(model.nv)[model.v_slices[b.name]] for b in model.moving}
    leaders = {i: name for name, coordinates in at.items() for i in coordinates}
    for b in free.bodies:
        if b.joint.nv == 0:
            leader, factor = b.name, 1.0
        else:
            i, factor, _ = c.v[free.v_slices[b.name].start]
            leader = leaders[i]
        members.setdefault(leader, []).append((b, factor))
    groups = [
        JointGroup(tuple(b for b, _ in group), tuple(factor for _, factor in group), at.get(leader, range(0)))
        for leader, group in members.items()
    ]
    return JointGroups(free, tuple(groups), c)
