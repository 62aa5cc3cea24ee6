"""Mistakes in positions: quaternions that have not unit length, angles that were meant in degrees."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sixvec.errors import ArgumentError, level_of_user
from sixvec.model.body import Body
from sixvec.model.model import Model
from sixvec.quoting import quoted
from sixvec.tolerances import DRAWN


def has_unit_quaternions(model: Model, q: NDArray[Any]) -> NDArray[np.bool_]:
    """Whether the quaternions of each position (..., nq) have unit length."""
    good = np.ones(q.shape[:-1], bool)
    for b in model.moving:
        if b.joint.quaternion is not None:
            good &= np.abs(_lengths(model, b, q) - 1.0) < DRAWN
    return good


def require_unit_quaternions(model: Model, q: NDArray[Any], what: str) -> None:
    """Raise an error for positions (..., nq) with a quaternion that is not of unit length.

    >>> from sixvec.model import Body
    >>> from sixvec.model.joints import Spherical
    >>> ball = Model("ball", (Body("bob", None, Spherical()),))
    >>> require_unit_quaternions(ball, np.array([0.0, 0.0, 0.0, 2.0]), "pose: q")
    Traceback (most recent call last):
    sixvec.errors.ArgumentError: pose: q has a quaternion of length 2 in the joint of "bob"; it must be 1, order x y z w
    """
    for b in model.moving:
        if b.joint.quaternion is None:
            continue
        lengths = _lengths(model, b, q)
        wrong = ~(np.abs(lengths - 1.0) < DRAWN)
        if wrong.any():
            place = tuple(int(i) for i in np.argwhere(wrong)[0])
            sample = f" at {list(place)}" if place else ""
            first = q[place][model.q_slices[b.name]][:4]
            drakes = b.joint.is_free and abs(np.linalg.norm(first) - 1.0) < DRAWN
            hint = '; for q from Drake, quaternion first: sv.convert(q, robot, source="drake")' if drakes else ""
            raise ArgumentError(
                f"{what} has a quaternion of length {lengths[place]:.6g} in the joint of "
                f'"{b.name}"{sample}; it must be 1, order x y z w{hint}'
            )


def _lengths(model: Model, b: Body, q: NDArray[Any]) -> NDArray[Any]:
    return np.asarray(np.linalg.norm(q[..., model.q_slices[b.name]][..., b.joint.quaternion], axis=-1))


TURN = 2.0 * math.pi
DECIMALS = 4
"""Of numbers that somebody wrote; a simulated joint that has turned several times has all of them."""


def warn_of_degrees(model: Model, q: NDArray[Any]) -> None:
    """A warning if positions (..., nq) are within the limits as degrees, and turns beyond them as radians.

    Its text does not depend on the caller: a call that looks several times at one q shows it once.
    """
    if (name := joint_in_degrees(model, q)) is not None:
        text = f'q puts "{quoted(name)}" of {model.name} turns beyond its limits; angles are in radians: np.deg2rad(q)'
        warnings.warn(text, stacklevel=level_of_user())


def warn_of_degree(b: Body, x: float, what: str) -> None:
    """A warning if an angle for one joint is more than a turn beyond its limits, and would be at most one in degrees.

    >>> import sixvec, warnings
    >>> with warnings.catch_warnings(action="always", record=True) as caught:
    ...     warn_of_degree(sixvec.load("panda").model.by_name["panda_link1"], 90.0, "lock")
    >>> print(caught[0].message)
    lock: 90 rad is turns beyond the limits of "panda_joint1"; angles are in radians: np.deg2rad(90)
    """
    if not b.joint.is_rotation or not (b.limits.lower and b.limits.upper):
        return
    is_beyond = b.limits.lower[0] - x > TURN or x - b.limits.upper[0] > TURN
    if is_beyond and abs(math.radians(x)) <= TURN and round(x, DECIMALS) == x:
        message = f'{what}: {x:g} rad is turns beyond the limits of "{quoted(b.joint_name or b.name)}"'
        warnings.warn(f"{message}; angles are in radians: np.deg2rad({x:g})", stacklevel=level_of_user())


def joint_in_degrees(model: Model, q: NDArray[Any]) -> str | None:
    """The first joint with more than a turn and beyond its limits, if degrees would put all such joints within theirs.

    Angles with many decimals are not suspected: in a simulation a joint without stops may turn any number of times.
    """
    if not (np.abs(q) > TURN).any():  # almost always: one quick look
        return None
    beyond: dict[str, NDArray[np.bool_]] = {}
    explained = np.ones(q.shape[:-1], bool)
    for b in model.moving:
        if b.joint.is_rotation and b.limits.lower and b.limits.upper:
            x, low, high = q[..., model.q_slices[b.name].start], b.limits.lower[0], b.limits.upper[0]
            if math.isfinite(low) and math.isfinite(high):
                outside = beyond[b.joint_label] = (np.abs(x) > TURN) & ((x < low) | (x > high))
                explained &= ~outside | ((np.deg2rad(x) >= low) & (np.deg2rad(x) <= high))
                explained &= np.round(x, DECIMALS) == x
    return next((name for name, outside in beyond.items() if (outside & explained).any()), None)
