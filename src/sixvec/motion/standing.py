"""Limits of motions of a robot whose base stands on a floor: it must neither slide nor tip over."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from sixvec.arguments import Array, number_from_zero, positive_number, real_array
from sixvec.errors import ArgumentError
from sixvec.model import WORLD, Model
from sixvec.motion.limits import Limit, Rows
from sixvec.robot import Robot
from sixvec.tolerances import EQUAL

UNLIMITED = 1e12
"""The other side of limits with one side, N and N m."""


def standing_limits(
    corners: ArrayLike, friction: float, *, mass: float = 0.0, centre: ArrayLike = (0.0, 0.0, 0.0)
) -> Limit:
    """A limit for `time_optimal`: the base stands on the floor z = 0 and neither slides, nor lifts off, nor tips over.

    `corners` (k, 2) are x and y of the convex area on which it stands, counterclockwise.  `mass` and `centre` are those
    of what the model does not have: a platform, or a load on it.  The force on the floor stays in a pyramid
    inside the cone of `friction`; friction about the vertical axis is not compared.

    >>> import numpy as np, sixvec as sv
    >>> from sixvec import motion
    >>> arm = sv.load("panda")
    >>> q = np.array([0.0, -0.4, 0.0, -2.0, 0.0, 1.6, 0.8])
    >>> path = motion.spline(arm, [q, q + 0.5])
    >>> square = 0.3 * np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]])
    >>> careful = motion.time_optimal(path, limits=[motion.standing_limits(square, 0.3, mass=20.0)])
    >>> bool(careful), bool(careful.duration > 1.05 * motion.time_optimal(path).duration)
    (True, True)
    """
    points = real_array("standing_limits: corners", corners, "corners ≥ 3", 2, batch=False, finite=True)
    edges = np.roll(points, -1, axis=0) - points
    ahead = np.roll(edges, -1, axis=0)
    turns = edges[:, 0] * ahead[:, 1] - edges[:, 1] * ahead[:, 0]
    if not (turns > EQUAL * (edges**2).sum()).all():
        raise ArgumentError("standing_limits: corners must go counterclockwise around a convex area")
    slope = positive_number("standing_limits: friction", friction) / np.sqrt(2.0)
    mass = number_from_zero("standing_limits: mass", mass, "kg")
    place = real_array("standing_limits: centre", centre, 3, batch=False, finite=True)
    rows = np.zeros((5 + len(points), 6))  # of moments about the origin and forces, at least zero
    rows[:5, 3:] = [[0, 0, 1], [1, 0, slope], [-1, 0, slope], [0, 1, slope], [0, -1, slope]]
    # of an edge to the left, n · (centre of pressure - point) with the centre at (-m_y, m_x) / f_z
    n = np.stack([-edges[:, 1], edges[:, 0]], axis=1) / np.linalg.norm(edges, axis=1, keepdims=True)
    rows[5:, 0], rows[5:, 1], rows[5:, 5] = n[:, 1], -n[:, 0], -(n * points).sum(axis=1)

    def standing(robot: Robot, q: Array, d: Array, e: Array) -> Rows:
        up = -np.array([*robot.model.gravity], float)
        still = np.zeros_like(q)
        at_rest = _on_floor(robot, q, still, still)
        along, bend = ((_on_floor(robot, q, *x) - at_rest) @ rows.T for x in ((still, d), (d, e)))
        moment = robot.mass * np.cross(robot.center_of_mass(q), up) + mass * np.cross(place, up)
        force = np.broadcast_to((robot.mass + mass) * up, moment.shape)
        lower = -np.concatenate([moment, force], axis=-1) @ rows.T
        return [along, bend, lower, np.full_like(lower, UNLIMITED)]

    return standing


def _on_floor(robot: Robot, q: Array, v: Array, a: Array) -> Array:
    """The wrench of the floor on the robot that moves, (moment about the origin; force), in world axes."""
    wrenches = np.asarray(robot.joint_wrenches(q, v, a, reference="world"))
    return np.asarray(wrenches[..., _first(robot.model), :].sum(axis=-2))


def _first(model: Model) -> list[int]:
    """The joints that no other joint carries."""
    moving = {b.name: k for k, b in enumerate(model.moving)}
    parents = {b.name: b.parent for b in model.bodies}

    def is_carried(name: str) -> bool:
        parent = parents[name]
        while parent != WORLD and parent not in moving:
            parent = parents[parent]
        return parent != WORLD

    return [k for name, k in moving.items() if not is_carried(name)]
