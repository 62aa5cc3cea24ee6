"""Least squares within bounds and equations, as quadratic programs, exact to rounding.

Here neither is the matrix definite nor are the constraints independent: a task leaves joints free, and at the largest
speed of a non-redundant arm the active bounds depend on the equations.  So each program has a weight for motions from
the point before (the proximal point method), and a least-squares step of its free unknowns goes to their optimum.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sixvec.arguments import Array
from sixvec.arguments.result import Result
from sixvec.errors import DegenerateError
from sixvec.solve.quadratic_program import quadratic_program
from sixvec.tolerances import ROUNDING

MOST = 16
"""Unknowns of a program.  Compiling one with more takes seconds for each number of rows, and here problems come one by
one, in many sizes."""

WRONG = 1e-11
"""A multiplier of the wrong sign below this, relative to the gradient's terms, is rounding."""

ROUNDS = 50
"""Programs, at most; one or two are usual."""

RESTS = 1e-13
"""A program that moves the point by less, relative to its largest entry, has found the optimum."""

NEARNESS = 1e-5
"""Squared weight of the motion in a program, whose matrix is then regular; the optimum does not depend on it."""


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

    A may be rank-deficient: of many optima one near the start is found.

    >>> import numpy as np
    >>> ends = np.full(2, -2.0), np.full(2, 2.0)
    >>> optimum = bounded_least_squares(np.eye(2), np.array([3.0, -1.0]), *ends, np.zeros(2))
    >>> optimum.x.tolist(), optimum.multipliers.tolist()
    ([2.0, -1.0], [1.0, 0.0])
    """
    n = len(x)
    x = np.clip(x, lower, upper)
    still = upper - lower <= ROUNDING
    equations = np.zeros((0, n)) if E is None else E
    rows = _independent(equations, ~still)
    if still.all():
        return BoundedLeastSquares(x, np.asarray(-A.T @ (A @ x - b)))
    if n > MOST:
        return _without_program(A, b, lower, upper, x, equations, rows, still)
    for _ in range(ROUNDS):
        before = x
        near, side, of_program = _by_program(A, b, rows, lower, upper, x, len(equations))
        side[still] = 0
        x = np.where(still, x, near)
        if (np.abs(x - before) <= RESTS * np.abs(x).max()).all():  # also where active bounds depend on each other
            of_program = np.where(side * of_program > 0.0, of_program, 0.0)
            g = A.T @ (A @ x - b)
            return BoundedLeastSquares(x, _with_still(g, -rows @ (g + of_program), of_program, equations, rows, still))
        free = ~still & (side == 0)
        step = np.zeros(n)
        step[free] = _step(A[:, free], b - A @ x, rows[:, free])
        step[np.abs(step) < ROUNDING * np.abs(step).max(initial=0.0)] = 0.0  # rounding must not hit bounds
        length, _ = _to_first_bound(x, step, lower, upper)
        x = np.clip(x + length * step, lower, upper)
        multipliers, size = _multipliers(A, b, x, equations, rows, free, still)
        if length == 1.0 and not (side * multipliers < -WRONG * size).any():
            return BoundedLeastSquares(x, np.where(still | (side * multipliers > 0.0), multipliers, 0.0))
    raise DegenerateError(f"no optimum within bounds after {ROUNDS} programs: the numbers are too far "
                          "apart in size to find the active bounds; scale the weights or the bounds")  # fmt: skip


def _by_program(
    A: Array, b: Array, rows: Array, lower: Array, upper: Array, x: Array, most_rows: int
) -> tuple[Array, NDArray[np.int_], Array]:
    """The optimum of a regular program, which also keeps near to x, the bounds that hold it and their multipliers."""
    n, lengths = len(x), np.linalg.norm(A, axis=0)
    largest = lengths.max(initial=0.0) or 1.0
    unit = np.where(lengths > NEARNESS * largest, lengths, largest)  # all columns of one length: units differ
    M, r = A / unit, b - A @ x
    size = float(np.linalg.norm(r)) or 1.0
    R = np.zeros((most_rows, n))  # as many rows whatever their rank: each number of rows is compiled
    R[: len(rows)] = rows / unit
    zeros = np.zeros(most_rows)
    ends = [np.concatenate([(end - x) * unit / size, zeros]) for end in (lower, upper)]
    solution = quadratic_program(M.T @ M + NEARNESS * np.eye(n), -M.T @ (r / size), R, *ends)
    side = np.where(solution.multipliers[:n] != 0.0, solution.active[:n], 0).astype(int)
    moved = np.clip(x + solution.x * size / unit, lower, upper)
    return np.where(side > 0, upper, np.where(side < 0, lower, moved)), side, solution.multipliers[:n] * unit * size


def _step(A: Array, r: Array, rows: Array) -> Array:
    """The shortest p in the null space of the rows that minimises |A p - r|."""
    if len(rows) >= A.shape[1]:
        return np.zeros(A.shape[1])
    if not len(rows):
        return np.asarray(np.linalg.lstsq(A, r, rcond=ROUNDING)[0])
    _, sigma, Vt = np.linalg.svd(rows)
    Z = Vt[int((sigma > ROUNDING).sum()) :].T
    return np.asarray(Z @ np.linalg.lstsq(A @ Z, r, rcond=ROUNDING)[0])


def _without_program(
    A: Array, b: Array, lower: Array, upper: Array, x: Array, equations: Array, rows: Array, still: Array
) -> BoundedLeastSquares:
    """For more unknowns, such as the muscles of a whole body or a hierarchy of tasks: one bound after the other.

    A primal active-set method (Nocedal and Wright 2006, 16.5): steps end at the first bound, which then holds; at an
    optimum of the active bounds the first one of the wrong sign is left (Bland's rule, which prevents cycling).
    """
    side = np.zeros(len(x), int)
    for _ in range(ROUNDS * (len(x) + 1)):
        free = ~still & (side == 0)
        step = np.zeros(len(x))
        step[free] = _step(A[:, free], b - A @ x, rows[:, free])
        step[np.abs(step) < ROUNDING * np.abs(step).max(initial=0.0)] = 0.0
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
    raise DegenerateError(f"no optimum within bounds after {ROUNDS} changes of each unknown; scale the weights")


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
    multipliers = _with_still(g, y, multipliers, equations, rows, still)
    multipliers[free] = 0.0
    size = np.abs(A.T) @ (np.abs(A) @ np.abs(x) + np.abs(b)) + np.abs(rows.T) @ np.abs(y[: len(rows)])
    return multipliers, size.max(initial=0.0)


def _with_still(g: Array, y: Array, multipliers: Array, equations: Array, rows: Array, still: Array) -> Array:
    """The multipliers with those of fixed coordinates, which are not unknowns, but the equations constrain them too."""
    if still.any():
        of_equations = np.linalg.lstsq(equations[:, ~still].T, rows[:, ~still].T @ y, rcond=ROUNDING)[0]
        multipliers[still] = -(g + equations.T @ of_equations)[still]
    return multipliers


def _independent(E: Array, moving: Array) -> Array:
    """Orthonormal rows with the null space of E among the coordinates that move."""
    rows = np.zeros((min(E.shape[0], int(moving.sum())), E.shape[1]))
    _, sigma, Vt = np.linalg.svd(E[:, moving], full_matrices=False)
    rows[:, moving] = Vt
    return np.asarray(rows[sigma > ROUNDING * sigma.max(initial=0.0)])
