"""Positions over time, from any object that has them."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sixvec.border import real_array
from sixvec.errors import ArgumentError, ShapeError
from sixvec.formats.unsupported import level_of_user
from sixvec.model.joints import Revolute
from sixvec.model.require import require_model
from sixvec.model.unit_quaternions import require_unit_quaternions
from sixvec.robot import Robot

Array = NDArray[np.floating[Any]]

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
    if (name := in_degrees(robot, q)) is not None:
        told = f"{caller}: {name} is many turns beyond its limits; angles are in radians: np.deg2rad(q)"
        warnings.warn(told, stacklevel=level_of_user())
    return q


def in_degrees(robot: Robot, q: Array) -> str | None:
    """The first joint whose angle would be within its limits as degrees and is turns beyond them as radians.

    >>> import sixvec
    >>> in_degrees(sixvec.load("panda"), np.array([[0.0, -45.0, 0.0, -90.0, 0.0, 90.0, 45.0]]))
    'panda_joint2'
    """
    for b in robot.model.moving:
        at = robot.model.q_slices[b.name]
        low, high = robot.lower[at], robot.upper[at]
        if isinstance(b.joint, Revolute) and np.isfinite([*low, *high]).all():
            x = q[:, at]
            beyond = (np.abs(x) > 2 * np.pi) & ((x < low) | (x > high))
            if (beyond & (np.deg2rad(x) >= low) & (np.deg2rad(x) <= high)).any():
                return b.joint_name or b.name
    return None


def pictures(q: Array, dt: float, caller: str) -> tuple[Array, float]:
    """The positions of a path at the frame rate of a screen, and the time between them."""
    if not (isinstance(dt, int | float) and np.isfinite(dt) and dt > 0.0):
        raise ArgumentError(f"{caller}: dt must be a positive number of seconds, not {dt!r}")
    every = max(1, round(1.0 / (RATE * dt)))
    kept = np.unique(np.r_[np.arange(0, len(q), every), len(q) - 1])
    return q[kept], every * float(dt)
