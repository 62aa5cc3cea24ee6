"""Criteria for redundant joints: a cost and its gradient."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from sixvec.arguments import Array, real_array, require_all, require_shape


@dataclass(frozen=True)
class Criterion:
    """A cost (less is better) with its gradient with respect to the last argument.

    `of` is the optimised variable: "position" costs are functions of q, "velocity" costs of (q, v), "acceleration"
    costs of (q, v, a).  Gradients with respect to q are in tangent coordinates, so they have nv entries.  All functions
    accept batches.  Costs that are quadratic in this variable have a `weight`, their second derivative as a function of
    q: the joint weight of a pseudo-inverse that minimises them.

    >>> from sixvec.ik.redundancy import Criterion
    >>> half_square = Criterion("rest", "rad²", "position", lambda q: 0.5 * (q * q).sum(-1), lambda q: q)
    >>> half_square
    Criterion rest [rad²] of position
    """

    name: str
    unit: str
    of: Literal["position", "velocity", "acceleration"]
    value: Callable[..., Array]
    gradient: Callable[..., Array]
    weight: Callable[[ArrayLike], Array] | None = None

    def __repr__(self) -> str:
        return f"Criterion {self.name} [{self.unit}] of {self.of}"

    def descent(self, gain: float, *state: Any) -> Array:
        """-gain ∇: the joint velocity (or acceleration) to project into the null space."""
        return np.asarray(-gain * self.gradient(*state))


def mean_over_time(criterion: Criterion, times: ArrayLike, *trajectory: Any) -> float:
    """The global counterpart of an instantaneous cost: its mean over a trajectory, by the trapezoidal rule.

    A sequence of instantaneous optima is not a global optimum; compare trajectories with this.

    >>> from sixvec.ik.redundancy import Criterion, mean_over_time
    >>> still = Criterion("rest", "rad²", "position", lambda q: (q * q).sum(-1), lambda q: 2.0 * q)
    >>> mean_over_time(still, [0.0, 1.0, 2.0], [[0.0], [1.0], [0.0]])
    0.5
    """
    t = real_array("times", times, "n ≥ 2", batch=False)
    require_all("times", t, np.diff(t, prepend=-np.inf) > 0.0, "later than the one before")
    values = criterion.value(*(real_array("trajectory", x) for x in trajectory))
    require_shape("values along the trajectory", np.asarray(values), len(t), batch=False, why="one for each time")
    return float(np.trapezoid(values, t) / (t[-1] - t[0]))
