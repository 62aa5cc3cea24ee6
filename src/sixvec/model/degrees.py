"""Joint positions that were meant in degrees."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sixvec.errors import level_of_user
from sixvec.model.joints import Revolute
from sixvec.model.model import Model
from sixvec.quoting import quoted

TURN = 2.0 * math.pi
DECIMALS = 4
"""Of numbers that somebody wrote; a simulated joint that has turned several times has all of them."""


def warn_of_degrees(model: Model, q: NDArray[Any]) -> None:
    """A warning if positions (..., nq) are within the limits as degrees, and turns beyond them as radians.

    Its text does not depend on the caller: a call that looks several times at one q shows it once.
    """
    if (name := joint_in_degrees(model, q)) is not None:
        told = f'q puts "{quoted(name)}" of {model.name} turns beyond its limits; angles are in radians: np.deg2rad(q)'
        warnings.warn(told, stacklevel=level_of_user())


def joint_in_degrees(model: Model, q: NDArray[Any]) -> str | None:
    """The first joint with more than a turn and beyond its limits, if degrees would put all such joints within theirs.

    Angles with many decimals are not suspected: in a simulation a joint without stops may turn any number of times.

    >>> import sixvec
    >>> joint_in_degrees(sixvec.load("panda").model, np.array([0.0, -45.0, 0.0, -90.0, 0.0, 90.0, 45.0]))
    'panda_joint2'
    """
    if not (np.abs(q) > TURN).any():  # almost always: one quick look
        return None
    beyond: dict[str, NDArray[np.bool_]] = {}
    explained = np.ones(q.shape[:-1], bool)
    for b in model.moving:
        if isinstance(b.joint, Revolute) and b.limits.lower and b.limits.upper:
            x, low, high = q[..., model.q_slices[b.name].start], b.limits.lower[0], b.limits.upper[0]
            if math.isfinite(low) and math.isfinite(high):
                outside = beyond[b.joint_name or b.name] = (np.abs(x) > TURN) & ((x < low) | (x > high))
                explained &= ~outside | ((np.deg2rad(x) >= low) & (np.deg2rad(x) <= high))
                explained &= np.round(x, DECIMALS) == x
    return next((name for name, outside in beyond.items() if (outside & explained).any()), None)
