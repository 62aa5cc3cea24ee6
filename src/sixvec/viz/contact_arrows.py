"""The forces of contacts in a rollout, as vectors at points of the world."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sixvec.arguments import Array
from sixvec.constraints.contacts.contact import Obstacle, Stop, require_obstacles
from sixvec.constraints.contacts.pair import touches
from sixvec.constraints.contacts.rows import tangents
from sixvec.errors import ArgumentError
from sixvec.robot import Robot
from sixvec.spatial import Pose
from sixvec.tolerances import EQUAL


def force_arrows(
    robot: Robot, path: Any, contacts: Sequence[Obstacle], steps: NDArray[np.int64]
) -> tuple[Array, Array]:
    """Points and forces (k, points, 3) of contacts in these steps of a rollout; stops of joints have none.

    The points are those of the positions after the step.

    >>> import sixvec
    >>> from sixvec.constraints.contacts import floor
    >>> from sixvec.geometry.rigid_body.solids import Sphere
    >>> arm = sixvec.load("planar_2r")
    >>> tip = floor(["tip"], Sphere(0.1))
    >>> path = arm.rollout([0.0, 0.0], [0.0, 0.0], [0.0, 0.0], 0.01, steps=3, contacts=tip)
    >>> points, forces = force_arrows(arm, path, tip, np.arange(3))
    >>> points.shape, forces.shape
    ((3, 1, 3), (3, 1, 3))
    """
    contacts = require_obstacles(robot.model, contacts)
    rows = sum(1 if isinstance(c, Stop) else 3 * c.points for c in contacts)
    force = getattr(path, "force", None)
    if force is None or force.shape[-1] < rows:
        raise ArgumentError("play: contacts must be those with which the path was simulated: rollout(…, contacts=…)")
    points, forces = [], []
    for k in steps:
        places, column = robot.poses(path.q[k]), 0
        at, acting = [], []
        for c in contacts:
            if isinstance(c, Stop):
                column += 1
                continue
            first, second = (_pose(robot, places, frame) for frame in (c.frame, c.to))
            for touch in touches(c.shape, first @ c.placement, c.on, second @ c.on_placement):
                axes = np.array([[*e] for e in (touch.normal, *tangents(touch.normal))], float)
                at.append([*touch.point])
                acting.append(force[k, column : column + 3] @ axes)
                column += 3
        points.append(at)
        forces.append(acting)
    shape = len(steps), -1, 3
    return np.array(points, float).reshape(shape), np.array(forces, float).reshape(shape)


def full_length(forces: Array) -> float:
    """The force (N) whose arrow has the full length: nine tenths of all are smaller, so that an impact of one step does
    not hide the others.

    >>> full_length(np.array([[[0.0, 0.0, 2.0]]] * 10 + [[[0.0, 0.0, 500.0]]]))
    2.0
    """
    sizes = np.linalg.norm(forces, axis=-1).ravel()
    acting = sizes[sizes > EQUAL * sizes.max(initial=0.0)]
    return float(np.quantile(acting, 0.9, method="lower")) if len(acting) else 0.0


def _pose(robot: Robot, places: Array, frame: str | None) -> Pose:
    return Pose.identity() if frame is None else Pose.from_matrix(places[robot.frame_names.index(frame)].tolist())
