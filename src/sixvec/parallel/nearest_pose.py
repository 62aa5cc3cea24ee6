"""The pose whose actuator positions are nearest to readings that disagree: more legs than freedoms."""

from __future__ import annotations

import warnings
from functools import lru_cache
from typing import Any

import numpy as np

from sixvec.border import Array
from sixvec.compiler.program import Port
from sixvec.kernels.function import CompiledFunction
from sixvec.parallel.input_checks import SingularPose
from sixvec.parallel.mechanism import ParallelRobot
from sixvec.parallel.space import Space
from sixvec.parallel.working_mode import wrapped

ITERATIONS = 50
SETTLED = 1e-11
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
    """The local minimum (k, …) of |q(X) - q|² from poses X for q (k, n), by Gauss-Newton; and where it was found."""
    scale = 1.0 / np.array([1.0] * robot.space.turns + [robot.size] * (robot.space.freedoms - robot.space.turns))
    X, found = X.copy(), np.zeros(len(q), bool)
    running = np.arange(len(q))
    for _ in range(ITERATIONS):
        branch = robot.branch(X[running], q[running]) if robot.legs.has_branches else None
        here = np.asarray(robot.inverse_position(X[running], branch))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SingularPose)
            twist = np.asarray(robot.forward_velocity(X[running], wrapped(q[running] - here, robot.legs), branch))
        able = np.isfinite(twist).all(axis=-1)
        running, twist = running[able], twist[able]
        if not len(running):
            break
        X[running] = np.asarray(displaced(robot.space)(X[running], twist))
        settled = np.abs(twist * scale).max(axis=-1) < SETTLED
        found[running[settled]] = True
        running = running[~settled]
    return X, found
