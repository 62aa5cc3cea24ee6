"""Several tasks in order of priority: a lower one never disturbs a higher one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike

from sixvec.arguments import Array
from sixvec.arguments.result import Result
from sixvec.errors import ArgumentError, ShapeError
from sixvec.ik.redundancy.damping import chiaverini_damping
from sixvec.solve.decomposition import as_matrix, filtered_inverse, singular_values, task_velocity, times
from sixvec.tolerances import RANK

Method = Literal["recursive", "singularity_robust"]


@dataclass(frozen=True, slots=True)
class RateTask:
    """A velocity t that J q̇ should have: (..., m, n) and (..., m)."""

    jacobian: ArrayLike
    velocity: ArrayLike


@dataclass(frozen=True, eq=False, repr=False)
class PrioritisedRates(Result):
    """Joint rates v, and for each task its residual (t - J q̇) and its rank in the null space of those above.

    A rank below that of the task's own Jacobian is a conflict, an *algorithmic* singularity.  `scale` is below 1 where
    all rates were slowed down together.
    """

    v: Array
    residuals: tuple[Array, ...]
    ranks: tuple[Any, ...]
    scale: Any = 1.0


def prioritised_rates(
    tasks: Sequence[RateTask],
    *,
    damping: float = 0.0,
    damps_below: float = 0.0,
    method: Method = "recursive",
    tolerance: float = RANK,
) -> PrioritisedRates:
    """Joint rates for tasks in order of priority, the most important first.

    "recursive" (Nakamura, Hanafusa and Yoshikawa 1987; Siciliano and Slotine 1991):
    q̇ ← q̇ + (J N)⁺ (t - J q̇),  N ← N - (J N)⁺ J N,  so each task is solved as closely as those above allow.
    "singularity_robust" (Chiaverini 1997): q̇ ← q̇ + N J⁺ (t - J q̇), which never inverts the product J N and so
    stays bounded where tasks conflict, at the cost of an error of the lower task even without conflict.

    `damping` λ applies to the inverse, not to the projector N: a damped projector would let lower tasks disturb higher
    ones.  Use it with "recursive" where J N is nearly singular.  `damps_below` damps only directions whose singular
    value is smaller, more the smaller it is (`chiaverini_damping`, up to twice that value): no gain is above
    1/damps_below, and all other directions are exact.

    >>> from sixvec.ik.redundancy import RateTask, prioritised_rates
    >>> high, low = RateTask([[1.0, 0.0]], [2.0]), RateTask([[1.0, 1.0]], [5.0])
    >>> prioritised_rates([high, low]).v.round(12).tolist()
    [2.0, 3.0]
    """
    if method not in get_args(Method):
        raise ArgumentError(f'no method "{method}"; methods: {", ".join(get_args(Method))}')
    if damping < 0.0:
        raise ArgumentError(f"damping is {damping}; λ ≥ 0, and its square is what is added")
    if damps_below < 0.0:
        raise ArgumentError(f"damps_below is {damps_below}; it is a singular value, 0 for none")
    if not tasks:
        raise ArgumentError("no tasks: give at least one RateTask(jacobian, velocity)")
    jacobians = [as_matrix(task.jacobian) for task in tasks]
    n = jacobians[0].shape[-1]
    for i, J in enumerate(jacobians):
        if J.shape[-1] != n:
            raise ShapeError(f"task {i} has {J.shape[-1]} joints, task 0 has {n}; all act on the same joints")
        if np.ndim(tasks[i].velocity):  # one number is the velocity of all rows
            task_velocity(J, tasks[i].velocity, f"the velocity of task {i}")
    q_dot, N, ranks = np.zeros(n), np.eye(n), []
    for J, task in zip(jacobians, tasks, strict=True):
        # A task fully determined by those above leaves only rounding, so ranks are judged by the size of J, not of J N.
        cut = tolerance * np.linalg.norm(J, axis=(-2, -1))[..., None]
        U, sigma, Vt = singular_values(J @ N)
        retained = sigma > cut
        error = np.asarray(task.velocity, float) - times(J, q_dot)
        if method == "recursive":
            inverse = filtered_inverse(U, _gains(sigma, retained, damping, damps_below), Vt)
        else:
            own_U, own_sigma, own_Vt = singular_values(J)
            inverse = filtered_inverse(own_U, _gains(own_sigma, own_sigma > cut, damping, damps_below), own_Vt)
        q_dot = q_dot + times(N, times(inverse, error))
        taken = Vt[..., : sigma.shape[-1], :] * retained[..., None]
        N = N - np.swapaxes(taken, -1, -2) @ taken
        ranks.append(retained.sum(axis=-1))
    residuals = [np.asarray(x.velocity, float) - times(J, q_dot) for J, x in zip(jacobians, tasks, strict=True)]
    return PrioritisedRates(q_dot, tuple(residuals), tuple(ranks))


def _gains(sigma: Array, retained: Array, damping: float, damps_below: float) -> Array:
    """σ/(σ² + λ²) for the directions that are kept, 0 for the others; NaN is passed on."""
    squared: Any = damping**2
    if damps_below > 0.0:
        squared = squared + chiaverini_damping(sigma, damps_below, 2.0 * damps_below) ** 2
    gains = sigma / np.where(retained, sigma**2 + squared, 1.0)
    return np.asarray(np.where(retained | np.isnan(sigma), gains, 0.0))
