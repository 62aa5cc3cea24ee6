"""The pose whose actuator positions are nearest to readings that disagree: more legs than freedoms."""

from __future__ import annotations

import warnings
from functools import lru_cache
from typing import Any

import numpy as np

from sixvec.arguments import Array
from sixvec.kernels import Port
from sixvec.kernels.function import CompiledFunction
from sixvec.parallel.maps import SingularPose
from sixvec.parallel.mechanism import ParallelRobot
from sixvec.parallel.space import Space
from sixvec.parallel.working_mode import wrapped
from sixvec.solve.gauss_newton import Rows, gauss_newton

STEP_TOLERANCE = 1e-11
"""Largest step, in radians and sizes of the platform, at the least sum of squares."""


@lru_cache(maxsize=8)
def displaced(space: Space) -> CompiledFunction:
    """A pose after a twist."""

    def run(X: Any, twist: Any) -> Any:
        return space.moved(X, list(twist))

    inputs = (space.port, Port("twist", (space.freedoms,)))
    identity = f"parallel displaced {type(space).__name__}"
    return CompiledFunction(run, inputs, (Port("moved", space.port.shape),), identity)


def nearest_pose(robot: ParallelRobot, q: Array, X: Array) -> tuple[Array, Array]:
    """The local minimum (k, …) of |q(X) - q|² from poses X for q (k, n), by Gauss-Newton; True where it converged."""
    units = np.array([1.0] * robot.space.turns + [robot.size] * (robot.space.freedoms - robot.space.turns))

    def branches(X: Array, rows: Rows) -> Array | None:
        return robot.branch(X, q[rows]) if robot.legs.has_branches else None

    def equations(X: Array, rows: Rows) -> tuple[Array, None]:
        return -wrapped(q[rows] - np.asarray(robot.inverse_position(X, branches(X, rows))), robot.legs), None

    def step(residual: Array, _: Array | None, X: Array, rows: Rows) -> Array:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SingularPose)
            return np.asarray(robot.forward_velocity(X, -residual, branches(X, rows)))

    def move(X: Array, twist: Array, rows: Rows) -> Array:
        return np.asarray(displaced(robot.space)(X, twist))

    fit = gauss_newton(X, equations, step=step, move=move, step_tolerance=STEP_TOLERANCE, units=units)
    return fit.x, fit.solved
