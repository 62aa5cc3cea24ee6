"""Positions whose quaternions must have unit length."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sixvec.errors import ArgumentError
from sixvec.model.model import Model

UNIT = 1e-6
"""How far from one a quaternion's length may be: positions of float32 are that good."""


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
        lengths = np.linalg.norm(q[..., model.q_slices[b.name]][..., b.joint.quaternion], axis=-1)
        wrong = ~(np.abs(lengths - 1.0) < UNIT)
        if wrong.any():
            place = tuple(int(i) for i in np.argwhere(wrong)[0])
            sample = f" at {list(place)}" if place else ""
            raise ArgumentError(
                f"{what} has a quaternion of length {lengths[place]:.6g} in the joint of "
                f'"{b.name}"{sample}; it must be 1, order x y z w'
            )
