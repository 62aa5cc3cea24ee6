"""Least squares within bounds and equations: an active-set method that ends at the optimum, to rounding.

Solvers of quadratic programs need a positive definite Hessian and independent constraints.  Here neither holds: a task
leaves joints free, and at the largest speed of a non-redundant arm the active bounds are dependent on the equations.  A
primal method that starts from a feasible point needs neither, and its multipliers are exact.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from sixvec.arguments import Array
from sixvec.arguments.result import Result
from sixvec.errors import DegenerateError
from sixvec.tolerances import ROUNDING

WRONG = 1e-11
"""A multiplier of the wrong sign below this, relative to the gradient's terms, is rounding."""

ROUNDS = 50
"""Changes of the active set per coordinate, at most; a few are usual."""


@dataclass(frozen=True, eq=False, repr=False)
class BoundedLeastSquares(Result):
    """The optimum x, and the multipliers of the bounds: positive at an upper one, negative at a lower one, else 0.

    They balance the gradient:  Aᵀ (A x - b) + Eᵀ y + multipliers = 0  for some y.
    """

    x: Array
    multipliers: Array


def bounded_least_squares(A: Array, b: Array, lower: Array, upper: Array, x: Array,
                          E: Array | None = None) -> BoundedLeastSquares:  # fmt: skip
    """argmin |A x - b|² over lower ≤ x ≤ upper with E x fixed at its value for the given x, a point within the bounds.

    A primal active-set method (Nocedal and Wright 2006, 16.5; Björck 1996, 5.2): a full step in the null space of E
    and of the bounds held, up to the first blocking bound, which becomes active; at an optimum on the active set the
    first bound with a multiplier of the wrong sign is released (Bland's rule, which prevents cycling).  A may be
    rank-deficient: the step of least norm is used, so of many optima one near the start is found.

    >>> import numpy as np
    >>> found = bounded_least_squares(np.eye(2), np.array([3.0, -1.0]), np.full(2, -2.0), np.full(2, 2.0), np.zeros(2))
    >>> found.x.tolist(), found.multipliers.tolist()
    ([2.0, -1.0], [1.0, 0.0])
    """
    x = np.clip(x, lower, upper)
    still = upper - lower <= ROUNDING
    equations = np.zeros((0, len(x))) if E is None else E
    rows = _independent(equations, ~still)
    side = np.zeros(len(x), int)  # of the bounds held: +1 upper, -1 lower
    for _ in range(ROUNDS * (len(x) + 1)):
        free = ~still & (side == 0)
        step = np.zeros(len(x))
        step[free] = _step(A[:, free], b - A @ x, rows[:, free])
        step[np.abs(step) < ROUNDING * np.abs(step).max(initial=0.0)] = 0.0  # rounding must not hit bounds
        length, blocking = _to_first_bound(x, step, lower, upper)
        x = x + length * step
        if blocking is not None:
            side[blocking] = 1 if step[blocking] > 0.0 else -1
            x[blocking] = upper[blocking] if step[blocking] > 0.0 else lower[blocking]
            continue
        multipliers, size = _multipliers(A, b, x, equations, rows, free, still)
        wrong = np.flatnonzero(side * multipliers < -WRONG * size)
        if not wrong.size:
            x = np.clip(x, lower, upper)
            return BoundedLeastSquares(x, np.where(still | (side * multipliers > 0.0), multipliers, 0.0))
        side[wrong[0]] = 0
    raise DegenerateError(f"no optimum within bounds after {ROUNDS} changes a coordinate: the numbers are too far "
                          "apart in size to find the active bounds; scale the weights or the bounds")  # fmt: skip


def _step(A: Array, r: Array, rows: Array) -> Array:
    """The shortest p in the null space of the rows that minimises |A p - r|."""
    if len(rows) >= A.shape[1]:
        return np.zeros(A.shape[1])
    if not len(rows):
        return np.asarray(np.linalg.lstsq(A, r, rcond=ROUNDING)[0])
    _, sigma, Vt = np.linalg.svd(rows)
    Z = Vt[int((sigma > ROUNDING).sum()) :].T
    return np.asarray(Z @ np.linalg.lstsq(A @ Z, r, rcond=ROUNDING)[0])


def _to_first_bound(x: Array, step: Array, lower: Array, upper: Array) -> tuple[float, int | None]:
    """The fraction of a step that stays within the bounds, and the first blocking bound."""
    moving = np.flatnonzero(step)
    ahead = np.where(step[moving] > 0.0, upper[moving], lower[moving])
    fraction = (ahead - x[moving]) / step[moving]
    if not fraction.size or fraction.min() >= 1.0:
        return 1.0, None
    return max(0.0, float(fraction.min())), int(moving[fraction.argmin()])


def _multipliers(
    A: Array, b: Array, x: Array, equations: Array, rows: Array, free: Array, still: Array
) -> tuple[Array, Any]:
    """-(g + Eᵀ y) of all coordinates, with y from the free ones; and the magnitudes of its terms."""
    g = A.T @ (A @ x - b)
    y = np.linalg.lstsq(rows[:, free].T, -g[free], rcond=ROUNDING)[0]
    multipliers = np.asarray(-(g + rows.T @ y))
    if still.any():  # fixed coordinates are not unknowns, but the equations constrain them too
        y = np.linalg.lstsq(equations[:, ~still].T, rows[:, ~still].T @ y, rcond=ROUNDING)[0]
        multipliers[still] = -(g + equations.T @ y)[still]
    multipliers[free] = 0.0
    size = np.abs(A.T) @ (np.abs(A) @ np.abs(x) + np.abs(b)) + np.abs(rows.T) @ np.abs(y[: len(rows)])
    return multipliers, size.max(initial=0.0)


def _independent(E: Array, moving: Array) -> Array:
    """Orthonormal rows with the null space of E among the coordinates that move."""
    rows = np.zeros((min(E.shape[0], int(moving.sum())), E.shape[1]))
    _, sigma, Vt = np.linalg.svd(E[:, moving], full_matrices=False)
    rows[:, moving] = Vt
    return np.asarray(rows[sigma > ROUNDING * sigma.max(initial=0.0)])
