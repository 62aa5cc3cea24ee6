"""Least squares in order of importance, with inequalities at every level: a hierarchical quadratic program."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from sixvec.arguments import Array
from sixvec.arguments.result import Result
from sixvec.errors import ArgumentError, ShapeError
from sixvec.solve.bounded_least_squares import bounded_least_squares


@dataclass(frozen=True, slots=True)
class Level:
    """Rows A x to keep between `lower` and `upper`; equal bounds are an equation, infinite ones no constraint."""

    A: Any
    lower: Any
    upper: Any


@dataclass(frozen=True, eq=False, repr=False)
class Hierarchy(Result):
    """The optimum x, and for each level by how much its rows are outside their bounds: 0 where they are within."""

    x: Array
    residuals: tuple[Array, ...]


def hierarchical_least_squares(levels: Sequence[Level]) -> Hierarchy:
    """x that minimises the violation of the first level; among these, that of the second; and so on.

    The violation is measured by its sum of squares.  Lower levels must keep within the bounds of a level widened by its
    violation, so they cannot make it worse, and rows that are not at their bounds do not restrict them (Kanoun,
    Lamiraux and Wieber 2011).  Every level is a least-squares problem within bounds, solved exactly.

    >>> import numpy as np
    >>> wall, pull = Level([[1.0, 0.0]], -np.inf, 1.0), Level(np.eye(2), [3.0, 2.0], [3.0, 2.0])
    >>> found = hierarchical_least_squares([wall, pull])
    >>> found.x.round(9).tolist(), (found.residuals[1].round(9) + 0.0).tolist()
    ([1.0, 2.0], [-2.0, 0.0])
    """
    if not levels:
        raise ArgumentError("no levels: give at least one Level(A, lower, upper)")
    rows = [np.atleast_2d(np.asarray(level.A, float)) for level in levels]
    n = rows[0].shape[1]
    bounds: list[tuple[Array, Array]] = []
    for k, (level, A) in enumerate(zip(levels, rows, strict=True)):
        if A.shape[1] != n:
            raise ShapeError(f"level {k} has {A.shape[1]} unknowns, level 0 has {n}")
        lower, upper = (np.broadcast_to(np.asarray(x, float), len(A)) for x in (level.lower, level.upper))
        if (lower > upper).any():
            raise ArgumentError(f"level {k}: a lower bound is above its upper one")
        bounds.append((lower, upper))
    x = np.zeros(n)
    higher: list[tuple[Array, Array, Array]] = []
    for A, (lower, upper) in zip(rows, bounds, strict=True):
        x = _level(A, lower, upper, x, higher)
        reached = A @ x
        missed = reached - np.clip(reached, lower, upper)
        higher.append((A, lower + np.minimum(missed, 0.0), upper + np.maximum(missed, 0.0)))
    return Hierarchy(x, tuple(rows @ x - np.clip(rows @ x, *b) for rows, b in zip(rows, bounds, strict=True)))


def _level(A: Array, lower: Array, upper: Array, x: Array, higher: Sequence[tuple[Array, Array, Array]]) -> Array:
    """argmin |A x - y|² over x and y within its bounds, where the rows t of the levels above stay within theirs.

    Unknowns are (x, y, t) with the equations  A_above x - t = 0.
    """
    n, m = len(x), len(A)
    above = np.vstack([np.zeros((0, n)), *(rows for rows, _, _ in higher)])
    k = len(above)
    objective = np.hstack([A, -np.eye(m), np.zeros((m, k))])
    E = np.hstack([above, np.zeros((k, m)), -np.eye(k)])
    free = np.full(n, np.inf)
    low = np.concatenate([-free, lower, *(b for _, b, _ in higher)])
    high = np.concatenate([free, upper, *(b for _, _, b in higher)])
    # a step of least length must not prefer y to x: a residual that y can absorb has no other cost
    start = np.concatenate([x, np.clip(A @ x, lower, upper), above @ x])
    solution = bounded_least_squares(objective, np.zeros(m), low, high, start, E if k else None).x
    return np.asarray(solution[:n])
