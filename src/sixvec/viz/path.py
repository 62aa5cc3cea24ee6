"""Positions over time, from any object that has them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from sixvec.border import Array, real_array
from sixvec.errors import ArgumentError, ShapeError
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
    q = real_array(f"{caller}: the path", getattr(path, "q", path))
    if q.ndim != 2 or q.shape[1] != robot.nq or not len(q):
        raise ShapeError(
            f"{caller} shows one path (n, {robot.nq}) of {robot.name}, at least one position; this has shape {q.shape}"
        )
    if not np.isfinite(q).all():
        raise ArgumentError(f"{caller}: position {int(np.argmin(np.isfinite(q).all(axis=1)))} is not finite")
    require_unit_quaternions(robot.model, q, f"{caller}: q")
    warn_of_degrees(robot.model, q)
    return q


def position(robot: Robot, q: ArrayLike, caller: str) -> Array:
    """One position (nq,), checked like those of a path.

    >>> import sixvec
    >>> position(sixvec.load("planar_2r"), [0.1], "view")
    Traceback (most recent call last):
    sixvec.errors.ShapeError: view: q has shape (1,), but (2,) is needed
    """
    require_model(robot, caller)
    at = real_array(f"{caller}: q", q)
    if at.shape != (robot.nq,):
        raise ShapeError(f"{caller}: q has shape {at.shape}, but ({robot.nq},) is needed")
    only: Array = positions(robot, at[None], caller)[0]
    return only


def pictures(q: Array, dt: float, caller: str) -> tuple[Array, float]:
    """The positions of a path at the frame rate of a screen, and the time between them."""
    if not (isinstance(dt, int | float) and np.isfinite(dt) and dt > 0.0):
        raise ArgumentError(f"{caller}: dt must be a positive number of seconds, not {dt!r}")
    every = max(1, round(1.0 / (RATE * dt)))
    kept = np.unique(np.r_[np.arange(0, len(q), every), len(q) - 1])
    return q[kept], every * float(dt)
