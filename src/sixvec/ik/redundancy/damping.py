"""Damped least squares: joint rates that stay bounded at singularities of the task."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from sixvec.arguments import Array, number_from_zero, positive_number, real_array, require_shape
from sixvec.errors import DegenerateError
from sixvec.solve.decomposition import (
    above,
    as_matrix,
    pseudo_inverse,
    singular_values,
    smallest_value,
    task_velocity,
    times,
    weight_factor,
)


def damped_inverse(J: ArrayLike, damping: ArrayLike, weight: ArrayLike | None = None) -> Array:
    """J^λ of min |t - J q̇|²_W + q̇ᵀ Λ q̇:  (Jᵀ W J + Λ)⁻¹ Jᵀ W.  Bruyninckx (5.49)-(5.52), corrected.

    `damping` is a number λ for Λ = λ² 1, a vector λ for Λ = diag(λ²) (one joint may be damped more than another, or,
    with 0, not at all), or the matrix Λ itself, positive definite or diagonal.  Without weights and with one λ
    this is Σ σᵢ/(σᵢ² + λ²) vᵢ uᵢᵀ, with no gain above 1/(2 λ).  Computed from the stacked rows [F_W J; F_Λ], whose
    condition is the square root of that of the normal equations.  Damping bounds joint rates at the cost of a task
    error: if the task may take longer, slow it down instead (`rates_within_limits` does).

    >>> from sixvec.ik.redundancy import damped_inverse
    >>> damped_inverse([[3.0]], 4.0).round(12).tolist()
    [[0.12]]
    """
    J = as_matrix(J)
    m, n = J.shape[-2:]
    F_W = weight_factor(weight, m, "task")
    stacked = above(F_W @ J, _damping_factor(damping, n))
    return np.asarray(pseudo_inverse(stacked, np.finfo(float).eps)[..., :m] @ F_W)


def damped_least_squares(J: ArrayLike, t: ArrayLike, damping: ArrayLike, weight: ArrayLike | None = None) -> Array:
    """q̇ that minimises |t - J q̇|²_W + q̇ᵀ Λ q̇; see `damped_inverse`.

    Bruyninckx (5.49)-(5.51).

    >>> from sixvec.ik.redundancy import damped_least_squares
    >>> damped_least_squares([[3.0]], [1.0], 4.0).round(12).tolist()
    [0.12]
    """
    J = as_matrix(J)
    return times(damped_inverse(J, damping, weight), task_velocity(J, t))


def levenberg_marquardt_damping(J: ArrayLike, factor: float) -> Array:
    """Λ = factor · diag(Jᵀ J), a matrix (..., n, n): each joint is damped in its own unit.

    A joint that does not move the task has a zero column and stays undamped; `damped_inverse` leaves it at rest.

    >>> from sixvec.ik.redundancy import levenberg_marquardt_damping
    >>> levenberg_marquardt_damping([[3.0, 0.0], [4.0, 0.0]], 0.01).round(12).tolist()
    [[0.25, 0.0], [0.0, 0.0]]
    """
    J = as_matrix(J)
    return np.asarray(factor * (J * J).sum(axis=-2)[..., None] * np.eye(J.shape[-1]))


def nakamura_damping(manipulability: ArrayLike, threshold: float, largest: float) -> Array:
    """λ with λ² = largest² (1 - w/threshold)² where the manipulability w is below the threshold, else 0.

    Nakamura and Hanafusa (1986).  Continuous; at w = 0 it is `largest`.

    >>> from sixvec.ik.redundancy import nakamura_damping
    >>> nakamura_damping([0.0, 0.05, 0.2], threshold=0.1, largest=0.4).round(12).tolist()
    [0.4, 0.2, 0.0]
    """
    threshold, largest = positive_number("threshold", threshold), number_from_zero("largest", largest)
    w = np.asarray(manipulability, float)
    return np.asarray(largest * np.maximum(0.0, 1.0 - w / threshold))


def chiaverini_damping(smallest: ArrayLike, threshold: float, largest: float) -> Array:
    """λ with λ² = largest² (1 - (σ_min/threshold)²) where σ_min is below the threshold, else 0.

    Chiaverini, Siciliano and Egeland (1994).  The smallest singular value, unlike the manipulability, determines how
    large the joint rates become.

    >>> from sixvec.ik.redundancy import chiaverini_damping
    >>> chiaverini_damping([0.0, 0.06, 0.2], threshold=0.1, largest=0.5).round(12).tolist()
    [0.5, 0.4, 0.0]
    """
    threshold, largest = positive_number("threshold", threshold), number_from_zero("largest", largest)
    s = np.asarray(smallest, float)
    return np.asarray(largest * np.sqrt(np.maximum(0.0, 1.0 - (s / threshold) ** 2)))


def adaptive_inverse(
    J: ArrayLike, threshold: float = 0.05, largest: float = 0.1, weight: ArrayLike | None = None
) -> Array:
    """The damped inverse with λ from the smallest singular value of F_W J: exact away from singularities.

    >>> from sixvec.ik.redundancy import adaptive_inverse
    >>> adaptive_inverse([[2.0, 0.0], [0.0, 1.0]]).round(12).tolist()
    [[0.5, 0.0], [0.0, 1.0]]
    """
    J = as_matrix(J)
    sigma = singular_values(weight_factor(weight, J.shape[-2], "task") @ J)[1]
    lam = chiaverini_damping(smallest_value(sigma), threshold, largest)
    return damped_inverse(J, (lam**2)[..., None, None] * np.eye(J.shape[-1]), weight)


def _damping_factor(damping: Any, n: int) -> Array:
    """F with Fᵀ F = Λ; a scalar or a vector of λ may contain zeros."""
    L = real_array("damping", damping)
    if L.ndim < 2:
        if L.ndim == 1:
            require_shape("damping", L, n, why=f"or one number, or a matrix (..., {n}, {n})")
        if np.any(L < 0.0):
            raise DegenerateError(f"damping {L.tolist()} is negative; λ ≥ 0, and its square is what is added")
        return np.diag(np.broadcast_to(L, (n,)))
    require_shape("damping", L, n, n)
    finite = np.isfinite(L).all(axis=(-2, -1), keepdims=True)
    L = np.where(finite, L, np.eye(n))
    diagonal = np.diagonal(L, axis1=-2, axis2=-1)
    # Zeros are allowed on a diagonal, where a Cholesky factor would not exist.
    is_diagonal = np.array_equal(L, diagonal[..., None] * np.eye(n)) and (diagonal >= 0.0).all()
    return np.where(finite, np.sqrt(L) if is_diagonal else weight_factor(L, n, "damping"), np.nan)
