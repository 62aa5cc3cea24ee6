"""Accelerations of frames in order of importance, within the limits of the motors."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from sixvec.algorithms.parts.held_frames import held_frames
from sixvec.errors import ArgumentError, ShapeError
from sixvec.linear.decomposition import Array
from sixvec.linear.hierarchy import Level, hierarchical_least_squares
from sixvec.model.spanning_tree import require_tree
from sixvec.robot import Robot


@dataclass(frozen=True)
class LimitedAccelerations:
    """Accelerations a, the joint forces tau that make them, and what every row lacks of its target."""

    a: Array
    tau: Array
    residual: Array

    def __repr__(self) -> str:
        return f"<LimitedAccelerations: largest residual {np.abs(self.residual).max(initial=0.0):.3g}>"


def limited_accelerations(
    robot: Robot, q: Any, v: Any, target: Any, hold: Mapping[Any, Any], *, effort: Any = None, acceleration: Any = None
) -> LimitedAccelerations:
    """Accelerations `target` (..., rows) along the rows of `hold`, the first frame before the second, and so on.

    Above all stand the limits of the motors, |M a + c| ≤ `effort` (the robot's own by default), and of the joint
    accelerations, |a| ≤ `acceleration` (none by default); last of all stands a = 0.  A hierarchical quadratic program,
    solved exactly, one sample after the other; without limits `robot.prioritised_dynamics` is compiled and in lanes.

    >>> import numpy as np, sixvec
    >>> arm = sixvec.load("panda")
    >>> q, still = arm.neutral() + 0.3, np.zeros(7)
    >>> lift = limited_accelerations(arm, q, still, [0.0, 0.0, 1.0], {"panda_link8": "point"})
    >>> bool(abs(lift.residual).max() < 1e-9)
    True
    """
    require_tree(robot.model, "limited_accelerations")
    frames = held_frames(robot.model, hold)
    q, v, b = (np.asarray(x, float) for x in (q, v, target))
    m = sum(len(h.directions) for h in frames)
    if b.shape[-1:] != (m,):
        raise ShapeError(f"limited_accelerations: target has shape {b.shape}, but (..., {m}) is needed")
    most = _limits("effort", robot.effort_limits if effort is None else effort, robot.nv)
    fastest = _limits("acceleration", np.inf if acceleration is None else acceleration, robot.nv)
    shape = np.broadcast_shapes(q.shape[:-1], v.shape[:-1], b.shape[:-1])
    M, c = robot.mass_matrix(q), robot.bias_forces(q, v)
    A, gamma = robot.constraint_jacobian(q, hold=hold), robot.constraint_bias(q, v, hold=hold)
    M, c, A, gamma, b = (
        np.broadcast_to(x, (*shape, *x.shape[x.ndim - k :])) for x, k in ((M, 2), (c, 1), (A, 2), (gamma, 1), (b, 1))
    )
    a, residual = np.empty((*shape, robot.nv)), np.empty((*shape, m))
    for at in np.ndindex(*shape):
        levels = [Level(M[at], -most - c[at], most - c[at]), Level(np.eye(robot.nv), -fastest, fastest)]
        wanted, start = b[at] - gamma[at], 0
        for h in frames:
            rows = slice(start, start + len(h.directions))
            levels.append(Level(A[at][rows], wanted[rows], wanted[rows]))
            start = rows.stop
        a[at] = hierarchical_least_squares([*levels, Level(np.eye(robot.nv), 0.0, 0.0)]).x
        residual[at] = wanted - A[at] @ a[at]
    tau = np.asarray((M @ a[..., None])[..., 0] + c)
    return LimitedAccelerations(a, tau, residual)


def _limits(name: str, given: Any, n: int) -> Array:
    found = np.broadcast_to(np.asarray(given, float), (n,))
    if not (found > 0.0).all():
        raise ArgumentError(f"limited_accelerations: {name} must be positive, a number or {n} of them")
    return found
