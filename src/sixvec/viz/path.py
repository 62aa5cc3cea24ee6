"""Positions over time, from any object that has them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sixvec.arguments import Array, positive_number, real_array
from sixvec.errors import ArgumentError
from sixvec.model.require import require_model
from sixvec.model.wrong_positions import require_unit_quaternions, warn_of_degrees
from sixvec.robot import Robot

RATE = 30.0
"""Frames per second: more are not visible."""


def positions(robot: Robot, path: Any, caller: str) -> Array:
    """A path as an array (n, nq): itself, or the `q` of a rollout, a track or an assembly.

    >>> import sixvec
    >>> arm = sixvec.load("planar_2r")
    >>> positions(arm, arm.rollout([0.1, 0.2], [0.0, 0.0], [0.0, 0.0], 0.01, steps=5), "play").shape
    (5, 2)
    """
    require_model(robot, caller)
    if hasattr(path, "poses"):
        raise ArgumentError(f"{caller} shows joint positions; poses of a platform are shown by ParallelRobot.{caller}")
    array = getattr(path, "q", path)
    q = real_array(f"{caller}: the path", array, "n ≥ 1", robot.nq, batch=False, finite=True, why="positions in a row")
    require_unit_quaternions(robot.model, q, f"{caller}: q")
    warn_of_degrees(robot.model, q)
    return q


def sampled(path: Any, dt: float | None, rate: float = 100.0) -> Any:
    """A motion that is a function of time as states after steps of dt; other paths as they are.

    >>> import sixvec
    >>> from sixvec import motion
    >>> move = motion.rest_to_rest(sixvec.load("planar_2r"), [0.0, 0.0], [1.0, 0.2], "cubic", velocity=1.0)
    >>> sampled(move, None).q.shape
    (150, 2)
    """
    from sixvec.motion.joint_motion import JointMotion

    return path.sampled(1.0 / rate if dt is None else dt) if isinstance(path, JointMotion) else path


def position(robot: Robot, q: ArrayLike, caller: str) -> Array:
    """One position (nq,), checked like those of a path.

    >>> import sixvec
    >>> position(sixvec.load("planar_2r"), [0.1], "view")
    Traceback (most recent call last):
    sixvec.errors.ShapeError: view: q has shape (1,), but (2,) is needed
    """
    require_model(robot, caller)
    at = real_array(f"{caller}: q", q, robot.nq, batch=False)
    only: Array = positions(robot, at[None], caller)[0]
    return only


def time_step(path: Any, dt: float | None, caller: str, default: float | None = None) -> float:
    """The time between the positions of a path, in seconds: `dt`, or that of a rollout.

    >>> import sixvec
    >>> arm = sixvec.load("planar_2r")
    >>> time_step(arm.rollout([0.1, 0.2], [0.0, 0.0], [0.0, 0.0], 0.01, steps=5), None, "play")
    0.01
    """
    chosen = getattr(path, "dt", None) if dt is None else dt
    chosen = default if chosen is None else chosen
    if chosen is None:
        raise ArgumentError(f"{caller} needs dt, the time between the positions: {caller}(path, dt=0.01)")
    return positive_number(f"{caller}: dt", chosen, "seconds")


def pictures(q: Array, dt: float, caller: str) -> tuple[Array, float]:
    """The positions of a path at the frame rate of a screen, and the time between them."""
    indices, pause = picture_indices(len(q), dt, caller)
    return q[indices], pause


def picture_indices(count: int, dt: float, caller: str, rate: float = RATE) -> tuple[NDArray[np.int64], float]:
    """Which of `count` positions are shown at some `rate`, the first and the last among them, and the time between.

    >>> picture_indices(101, 0.005, "play", rate=10.0)
    (array([  0,  20,  40,  60,  80, 100]), 0.1)
    """
    dt = positive_number(f"{caller}: dt", dt, "seconds")
    steps = min(count - 1, max(1, round((count - 1) * dt * rate)))
    if not steps:
        return np.zeros(1, np.int64), dt
    return np.linspace(0, count - 1, steps + 1).round().astype(np.int64), (count - 1) * dt / steps
