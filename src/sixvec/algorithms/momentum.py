"""Momentum of the whole robot."""

from __future__ import annotations

from typing import Any

from sixvec.algorithms.center_of_mass import first_moment
from sixvec.algorithms.declaration import JointVector, kernel
from sixvec.algorithms.velocity import body_velocities
from sixvec.model import WORLD, Model
from sixvec.scalar import certainly
from sixvec.spatial import Force


@kernel("q v -> h[6]", loops="open")
def momentum(model: Model, q: JointVector, v: JointVector) -> Any:
    """Angular momentum about the centre of mass, and linear momentum, in world axes.

    >>> import sixvec
    >>> robot = sixvec.load("panda")
    >>> abs(robot.momentum(robot.neutral(), [0.0] * 7)).tolist()
    [0.0, 0.0, 0.0, 0.0, 0.0, 0.0]
    """
    V = body_velocities(model.bodies, q, v)
    h = {b.name: b.inertia @ V[b.name] for b in model.bodies} | {WORLD: Force.zero()}
    for b in reversed(model.bodies):
        h[b.parent] = h[b.parent] + b.pose_in_parent(q) @ h[b.name]
    mass, moment = first_moment(model, q)
    about_origin = h[WORLD]
    center = moment if certainly(mass == 0.0) else moment * (1.0 / mass)
    return Force(about_origin.ang - center.cross(about_origin.lin), about_origin.lin)
