"""Positions whose quaternions must have unit length."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sixvec.errors import ArgumentError
from sixvec.model.body import Body
from sixvec.model.joints import Free
from sixvec.model.model import Model

UNIT = 1e-6
"""How far from one a quaternion's length may be: float32 positions are within it."""


def has_unit_quaternions(model: Model, q: NDArray[Any]) -> NDArray[np.bool_]:
    """Whether the quaternions of each position (..., nq) have unit length.

    >>> from sixvec.model import Body
    >>> from sixvec.model.joints import Spherical
    >>> ball = Model("ball", (Body("bob", None, Spherical()),))
    >>> has_unit_quaternions(ball, np.array([[0.0, 0.0, 0.0, 1.0], [0.0, 0.0, 0.0, 0.0]])).tolist()
    [True, False]
    """
    good = np.ones(q.shape[:-1], bool)
    for b in model.moving:
        if b.joint.quaternion is not None:
            good &= np.abs(_lengths(model, b, q) - 1.0) < UNIT
    return good


def require_unit_quaternions(model: Model, q: NDArray[Any], what: str) -> None:
    """Refuse positions (..., nq) with a quaternion that is not of unit length.

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
        wrong = ~(np.abs(lengths - 1.0) < UNIT)
        if wrong.any():
            place = tuple(int(i) for i in np.argwhere(wrong)[0])
            sample = f" at {list(place)}" if place else ""
            first = q[place][model.q_slices[b.name]][:4]
            drakes = isinstance(b.joint, Free) and abs(np.linalg.norm(first) - 1.0) < UNIT
            hint = '; for q from Drake, quaternion first: sv.convert(q, robot, source="drake")' if drakes else ""
            raise ArgumentError(
                f"{what} has a quaternion of length {lengths[place]:.6g} in the joint of "
                f'"{b.name}"{sample}; it must be 1, order x y z w{hint}'
            )


def _lengths(model: Model, b: Body, q: NDArray[Any]) -> NDArray[Any]:
    return np.asarray(np.linalg.norm(q[..., model.q_slices[b.name]][..., b.joint.quaternion], axis=-1))
