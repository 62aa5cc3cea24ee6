"""What a solver of inverse kinematics offers, and the restarts that all one-problem solvers share."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np

from state import Array

Solver = Callable[[Array], Array]
"""From poses (n, 4, 4) to joint positions (n, joints) in Pinocchio's order; a row that was given up is not a number."""

Descent = Callable[[Array], Array | None]
"""From a start to a solution within the tolerances and the limits, or nothing."""


def one_by_one(towards: Callable[[Array], Descent], starts: Array) -> Solver:
    """A solver from descents: each pose is tried from one start after the other until it is solved."""

    def solve(poses: Array) -> Array:
        return np.array([_first(towards(pose), starts) for pose in poses])

    return solve


def _first(descent: Descent, starts: Iterable[Array]) -> Array:
    for q0 in starts:
        if (q := descent(q0)) is not None:
            return q
    return np.full_like(q0, np.nan)


class Progress:
    """Tells when a descent has stopped to pay: the error has not fallen by a tenth within `patience` steps.

    Without it a descent towards a local minimum would use up all its iterations, to the solver's disadvantage.
    """

    def __init__(self, patience: int) -> None:
        self.patience, self.waited, self.best = patience, 0, np.inf

    def stalled(self, error: float) -> bool:
        """Take note of the error of one more step."""
        if error < 0.9 * self.best:
            self.best, self.waited = error, 0
            return False
        self.waited += 1
        return self.waited >= self.patience
