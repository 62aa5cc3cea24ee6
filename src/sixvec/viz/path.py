"""Positions over time, from whatever holds them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sixvec.errors import ArgumentError, ShapeError
from sixvec.robot import Robot

Array = NDArray[np.floating[Any]]

RATE = 30.0
"""Pictures per second: more are not seen."""


def positions(robot: Robot, path: Any, caller: str) -> Array:
    """A path as an array (n, nq): itself, or the `q` of a rollout, a track or an assembly.

    >>> import sixvec
    >>> arm = sixvec.load("planar_2r")
    >>> positions(arm, arm.rollout([0.1, 0.2], [0.0, 0.0], [0.0, 0.0], 0.01, steps=5), "play").shape
    (5, 2)
    """
    q = np.asarray(getattr(path, "q", path), float)
    if q.ndim != 2 or q.shape[1] != robot.nq or not len(q):
        raise ShapeError(
            f"{caller} shows one path (n, {robot.nq}) of {robot.name}, at least one position; this has shape {q.shape}"
        )
    if not np.isfinite(q).all():
        raise ArgumentError(f"{caller}: position {int(np.argmin(np.isfinite(q).all(axis=1)))} is not finite")
    return q


def pictures(q: Array, dt: float, caller: str) -> tuple[Array, float]:
    """Those positions of a path that a screen can show, and the time from each to the next."""
    if not (isinstance(dt, int | float) and np.isfinite(dt) and dt > 0.0):
        raise ArgumentError(f"{caller}: dt must be a positive number of seconds, not {dt!r}")
    every = max(1, round(1.0 / (RATE * dt)))
    kept = np.unique(np.r_[np.arange(0, len(q), every), len(q) - 1])
    return q[kept], every * float(dt)
