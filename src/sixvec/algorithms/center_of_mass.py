"""The centre of mass."""

from __future__ import annotations

from typing import Any

from sixvec.algorithms.declaration import JointVector, kernel
from sixvec.errors import ModelError
from sixvec.model import WORLD, Model
from sixvec.scalar import certainly
from sixvec.spatial import Vec3


def first_moment(model: Model, q: JointVector) -> tuple[float, Vec3]:
    """Total moving mass and Σ m c in world coordinates, gathered from the tips to the root."""
    mass: dict[str | None, float] = {WORLD: 0.0}
    moment: dict[str | None, Vec3] = {WORLD: Vec3.zero()}
    for b in model.bodies:
        mass[b.name], moment[b.name] = b.inertia.mass, b.inertia.moment
    for b in reversed(model.bodies):
        joint = b.joint.pose(q[b])
        in_joint = joint.rot @ moment[b.name] + joint.pos * mass[b.name]
        in_parent = b.placement.rot @ in_joint + b.placement.pos * mass[b.name]
        mass[b.parent] += mass[b.name]
        moment[b.parent] = moment[b.parent] + in_parent
    return mass[WORLD], moment[WORLD]


@kernel("q -> com[3]", loops="ignored")
def center_of_mass(model: Model, q: JointVector) -> Any:
    """Centre of mass of the moving bodies, in world coordinates:  Σ m c / Σ m.

    Links welded to the world are part of it and are not counted.

    >>> import sixvec
    >>> robot = sixvec.load("panda")
    >>> robot.center_of_mass(robot.neutral()).shape
    (3,)
    """
    mass, moment = first_moment(model, q)
    if certainly(mass == 0.0):
        raise ModelError(f"{model.name} has no moving mass, so it has no centre of mass")
    return moment * (1.0 / mass)
