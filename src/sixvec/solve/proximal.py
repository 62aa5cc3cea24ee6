"""Quadratic programs whose matrix is singular or nearly so, as a sequence of regular ones: the proximal point method.

    x ← the minimum of  ½ xᵀH x + gᵀx + ½ d |x - x_before|²  within the bounds

The added term vanishes where the sequence comes to rest, so the limit is a minimum of the program itself.  Each program
of the sequence has a condition of at most 1 / `WEIGHT`, where the active-set method is accurate; few are needed, since
errors shrink by d / (λ + d) in a direction of curvature λ, and directions without any soon end at a bound.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sixvec.arguments import Array
from sixvec.solve.active_set import Rows
from sixvec.solve.program_verdict import ACCEPTED, residual_of

WEIGHT = 1e-5
"""Of the distance to the solution before, as a fraction of the largest diagonal entry of H."""

MOST = 40
"""Programs of a sequence; one that is unbounded below never comes to rest."""


def proximal(
    solve: Callable[..., tuple[Array, ...]], arrays: Sequence[Array]
) -> tuple[Array, Array, Array, Array, NDArray[np.bool_]]:
    """(x, multipliers, active, residual, solved) of programs H (N, n, n), g, A, lower, upper, from x = 0.

    `solve` returns (x, multipliers, active, …) of such a list of arrays.  Each sample stops when it is solved, so
    results do not depend on the others.
    """
    H, g, A, lower, upper = (np.array(x) for x in arrays)
    H = 0.5 * (H + H.swapaxes(1, 2))
    count, n = g.shape
    largest = H.diagonal(axis1=1, axis2=2).max(axis=1)
    weight = WEIGHT * np.where(largest > 0.0, largest, 1.0)
    raised = H + weight[:, None, None] * np.eye(n)
    x, multipliers, active = np.zeros((count, n)), np.zeros(lower.shape), np.zeros(lower.shape)
    residual, going = np.full(count, np.inf), np.arange(count)
    for _ in range(MOST):
        toward = g[going] - weight[going, None] * x[going]
        x[going], multipliers[going], active[going] = solve(
            [raised[going], toward, A[going], lower[going], upper[going]]
        )[:3]
        parts = (x, multipliers, H, g, A, lower, upper, active)
        residual[going] = _residual(*(y[going] for y in parts))
        going = going[residual[going] >= ACCEPTED]
        if not len(going):
            break
    return x, multipliers, active, residual, residual < ACCEPTED


def _residual(x: Array, y: Array, H: Array, g: Array, A: Array, lower: Array, upper: Array, active: Array) -> Array:
    """That of the verdict; the samples are inside the scalars."""
    rows = Rows(lower.shape[1] - A.shape[1], _scalars(A))
    with np.errstate(over="ignore", invalid="ignore"):
        residual = residual_of(
            _scalars(x), _scalars(y), _scalars(H), _scalars(g), rows, _scalars(lower), _scalars(upper), _scalars(active)
        )
    return np.where(np.isnan(residual), np.inf, residual)


def _scalars(x: Array) -> list[Any]:
    """A vector or matrix of arrays, one number of all samples each."""
    return [_scalars(column) if x.ndim > 2 else column for column in np.moveaxis(x, 1, 0)]
