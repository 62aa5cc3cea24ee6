"""Joint forces of rollouts that are functions of time."""

from __future__ import annotations

from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike

from sixvec.arguments import Array
from sixvec.errors import ArgumentError


@runtime_checkable
class Driving(Protocol):
    """What drives a robot over time: the motions of `sixvec.motion`."""

    def tau(self, t: ArrayLike) -> Any:
        """Joint forces at times t."""

    def instants(self, dt: float) -> Array:
        """The ends of all steps."""


def forces_in_steps(tau: ArrayLike | Driving, dt: Any, steps: int | None) -> Any:
    """The joint forces of a motion in the middle of each step; arrays as they are.

    >>> import sixvec as sv
    >>> from sixvec import motion
    >>> move = motion.rest_to_rest(sv.load("planar_2r"), [0.0, 0.0], [1.0, 0.2], "cubic", velocity=1.0)
    >>> forces_in_steps(move, 0.1, None).shape
    (15, 2)
    """
    if not isinstance(tau, Driving):
        return tau
    if steps is not None or np.ndim(dt):
        raise ArgumentError("rollout: the joint forces of a motion take one time step dt, and no steps")
    return tau.tau(tau.instants(float(dt)) - 0.5 * float(dt))
