"""Momentum of the whole robot."""

from __future__ import annotations

from typing import Any, Literal, get_args

from sixvec.algorithms.center_of_mass import first_moment
from sixvec.algorithms.declaration import JointVector, kernel
from sixvec.algorithms.velocity import body_velocities
from sixvec.errors import ArgumentError
from sixvec.model import WORLD, Model
from sixvec.scalar import certainly
from sixvec.spatial import Force, Vec3

About = Literal["center_of_mass", "world"]
"""The point that angular momentum is about: where the model's centre of mass is, or the world's origin."""


@kernel("q v -> h[6]", loops="ignored")
def momentum(model: Model, q: JointVector, v: JointVector, about: About = "center_of_mass") -> Any:
    """Angular momentum about the centre of mass, or the world's origin, and linear momentum, in world axes.

    >>> import sixvec
    >>> robot = sixvec.load("panda")
    >>> abs(robot.momentum(robot.neutral(), [0.0] * 7)).tolist()
    [0.0, 0.0, 0.0, 0.0, 0.0, 0.0]
    """
    V = body_velocities(model.bodies, q, v)
    h = {b.name: b.inertia @ V[b.name] for b in model.bodies} | {WORLD: Force.zero()}
    for b in reversed(model.bodies):
        h[b.parent] = h[b.parent] + b.pose_in_parent(q) @ h[b.name]
    return h[WORLD].shifted(reference_point(model, q, about))


def reference_point(model: Model, q: JointVector, about: About) -> Vec3:
    """Where the point is that angular momentum is about, in world coordinates."""
    if about not in get_args(About):
        raise ArgumentError(f'momentum is about "center_of_mass" or "world", not {about!r}')
    if about == "world":
        return Vec3.zero()
    mass, moment = first_moment(model, q)
    return moment if certainly(mass == 0.0) else moment * (1.0 / mass)
