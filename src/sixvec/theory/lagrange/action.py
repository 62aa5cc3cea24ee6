"""Hamilton's principle as a check: along a true motion the action does not change to first order."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from sixvec.arguments import Array, positive_number, real_array, require_shape
from sixvec.errors import ArgumentError
from sixvec.model.spanning_tree import require_unconstrained
from sixvec.robot import Robot

NUDGE = 1e-4
"""Size of the variations by which the action is differentiated: error 1e-8 of truncation, 1e-12 of rounding."""


def action(robot: Robot, path: ArrayLike, dt: float) -> float:
    """∫ (T - U) dt of positions (n, nq) at equal times, by the midpoint rule; error O(step²).

    Bruyninckx (6.51).

    >>> import sixvec
    >>> from sixvec.theory.lagrange import action
    >>> arm = sixvec.load("planar_2r")
    >>> action(arm, [[0.0, 0.0], [0.0, 0.0]], 0.1)  # at rest at height zero
    0.0
    """
    q = _checked(robot, path, dt)
    return float(np.sum(_segment(robot, q[:-1], q[1:], dt)))


def action_gradient(robot: Robot, path: ArrayLike, dt: float) -> Array:
    """∂(action)/∂q_k at each position but the two ends, in tangent coordinates, divided by `dt`: (n - 2, nv).

    Where the path is a true motion without joint forces this vanishes as step²; in general it is minus the joint
    force that the motion needs, since δ∫L dt = -∫ (d/dt ∂L/∂v - ∂L/∂q) δq dt (Bruyninckx (6.54)-(6.58)).  The action is
    stationary, not always least.

    >>> import sixvec, numpy
    >>> from sixvec.theory.lagrange import action_gradient
    >>> arm = sixvec.load("planar_2r")
    >>> rest = numpy.zeros((3, 2))  # held against gravity: motors of g would be needed
    >>> numpy.allclose(-action_gradient(arm, rest, 0.1), arm.gravity_forces([0.0, 0.0]))
    True
    """
    require_unconstrained(robot.model, "action_gradient")
    q = _checked(robot, path, dt)
    require_shape("path", q, "n ≥ 3", robot.nq, why="positions between its ends")
    inner, n = q[1:-1], robot.nv
    pushed: list[Any] = [
        robot.integrate(inner[:, None, :], s * NUDGE * np.eye(n)) for s in (-1.0, 1.0)
    ]  # (n - 2, nv, nq)
    before, after = q[:-2, None, :], q[2:, None, :]
    minus, plus = ([_segment(robot, before, p, dt), _segment(robot, p, after, dt)] for p in pushed)
    return np.asarray((sum(plus) - sum(minus)) / (2.0 * NUDGE * dt))


def _segment(robot: Robot, start: Array, end: Array, dt: float) -> Array:
    moved = robot.difference(start, end)
    middle = robot.integrate(np.broadcast_to(start, np.broadcast_shapes(start.shape, end.shape)), 0.5 * moved)
    return np.asarray(dt * (robot.kinetic_energy(middle, moved / dt) - robot.potential_energy(middle)))


def action_variation(robot: Robot, path: ArrayLike, dt: float, variation: ArrayLike) -> float:
    """dS/dε of the path moved by ε times `variation` (n, nv), whose first and last rows must be zero.

    Bruyninckx (6.55)-(6.57).

    >>> import sixvec, numpy
    >>> from sixvec.theory.lagrange import action_variation
    >>> arm = sixvec.load("planar_2r")
    >>> round(action_variation(arm, numpy.zeros((3, 2)), 0.1, [[0, 0], [1, 0], [0, 0]]), 6)  # - dt · g_1
    -2.943
    """
    q = _checked(robot, path, dt)
    shape = real_array("variation", variation, len(q), robot.nv, batch=False, why="as many rows as the path")
    if shape[[0, -1]].any():
        raise ArgumentError("a variation keeps both ends of the path: its first and last rows must be zero")
    values: list[Any] = [action(robot, robot.integrate(q, s * NUDGE * shape), dt) for s in (-1.0, 1.0)]
    return float((values[1] - values[0]) / (2.0 * NUDGE))


def _checked(robot: Robot, path: ArrayLike, dt: float) -> Array:
    positive_number("dt", dt, "seconds")
    return real_array("path", path, "n ≥ 2", robot.nq, batch=False)
