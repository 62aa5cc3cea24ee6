"""Angles that differ by full turns are equivalent: which of them to return."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sixvec.robot import Robot

TURN = 2.0 * np.pi


def wrapped(robot: Robot, q: Any, xp: Any = np) -> Any:
    """Angles without limits brought into [-π, π]; positions are (..., nq), an array of the library `xp`."""
    unlimited = _angles(robot) & ~np.isfinite(robot.lower) & ~np.isfinite(robot.upper)
    return xp.where(xp.asarray(unlimited), q - TURN * xp.round(q / TURN), q)


def towards_limits(robot: Robot, q: Any, xp: Any = np) -> Any:
    """All angles shifted by full turns to be nearest to the middle of their range."""
    lower, upper = robot.lower, robot.upper
    with np.errstate(invalid="ignore"):
        center = np.where(np.isfinite(lower) & np.isfinite(upper), 0.5 * (lower + upper), 0.0)
    center = np.where(np.isfinite(lower) & ~np.isfinite(upper), lower + np.pi, center)
    center = np.where(~np.isfinite(lower) & np.isfinite(upper), upper - np.pi, center)
    return xp.where(xp.asarray(_angles(robot)), q - TURN * xp.round((q - xp.asarray(center)) / TURN), q)


def _angles(robot: Robot) -> NDArray[np.bool_]:
    """Which coordinates return to the same pose after a turn; those of a screw do not."""
    return np.array([flag for b in robot.model.moving for flag in b.joint.periodic], bool)
