"""The states of motion on which a robot is verified."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sixvec.robot import Robot

Array = NDArray[np.floating[Any]]

SEED = 7
"""The same states in every run."""


class State(NamedTuple):
    """Position, velocity and acceleration of all joints: one sample or a batch."""

    q: Array
    v: Array
    a: Array


def middle(robot: Robot) -> State:
    """One state: each joint in the middle of its range (without a range, anywhere), with random velocity.

    >>> import sixvec
    >>> middle(sixvec.load("panda")).q.round(3).tolist()
    [0.0, 0.0, 0.0, -1.571, 0.0, 1.868, 0.0]
    """
    state = random_states(robot)
    limited = np.isfinite(robot.lower) & np.isfinite(robot.upper)
    state.q[limited] = robot.lower[limited] / 2 + robot.upper[limited] / 2
    return state


def random_states(robot: Robot, *shape: int) -> State:
    """States (*shape, n): positions within the limits, velocities and accelerations within ±1 rad/s and rad/s²."""
    rng = np.random.default_rng(SEED)
    v, a = rng.uniform(-1.0, 1.0, (2, *shape, robot.nv))
    return State(robot.random(rng, *shape), v, a)


def end_frame(robot: Robot) -> str:
    """The frame moved by the most joints; of several, the last: the flange of an arm.

    >>> import sixvec
    >>> end_frame(sixvec.load("panda"))
    'panda_link8'
    """

    def movers(name: str) -> int:
        return sum(b.joint.nv for b in robot.model.path(robot.model.frame(name).body))

    return max(reversed(robot.frame_names), key=movers)
