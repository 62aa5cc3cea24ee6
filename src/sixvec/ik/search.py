"""The starts of a search, one after the other, each for the unsolved problems."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sixvec.border import Array
from sixvec.ik.levenberg_marquardt import loop
from sixvec.ik.position_solver import SOLVED
from sixvec.ik.problem import Problem, Rows
from sixvec.ik.starts import FEW, GROUPS, LARGE, POOL, measured, nearest, pool, ranked, start, table

KEPT = 32
"""Distinct end positions stored per problem: which is closest is known only to a few percent."""

ENOUGH = 40
"""Starts after which a problem is abandoned unless only limits prevent a solution."""

NEARLY = 0.1**2
"""Squared error, m² and rad², below which only limits may prevent a solution."""

APART = 0.1
"""Distance of two distinct ends in some coordinate, in radians or metres."""


class Search:
    """The best result so far of each problem: its position, cost and state, and the number of starts."""

    def __init__(self, problem: Problem, tolerances: Array, iterations: int) -> None:
        self.problem, self.tolerances, self.iterations = problem, tolerances, iterations
        self._loop = loop(problem.robot.model, problem.tasks, problem.limits, problem.gain, iterations)
        n = problem.count
        self.q = np.full((n, problem.robot.nq), np.nan)
        self.cost, self.state = np.full(n, np.inf), np.zeros(n)
        self.starts = np.zeros(n, np.int64)
        self.open = problem.valid.copy()
        """Which problems are still worth a start."""
        self._near: Rows | None = None
        self._others: Rows = np.empty(0, np.int64)
        self._ends = np.empty((0, KEPT, problem.robot.nq))
        self._costs = np.empty((0, KEPT))

    @property
    def solved(self) -> NDArray[np.bool_]:
        return np.asarray(self.state == SOLVED)

    def run(self, q0: Array, first: int, stop: int) -> None:
        """The starts with numbers from `first` to `stop`: `q0`, the nearest of the table, then all others in turn."""
        for k in range(first, stop):
            rows = np.flatnonzero(self.open & ~self.solved)
            if not rows.size:
                return
            if k == GROUPS:  # unsolved problems may have no solution: their ends are needed
                self._remember(rows)
            if k == 0:
                q = q0[rows]
            elif k <= GROUPS:
                q = self._promising(rows, k - 1)
            else:
                q = start(self.problem.robot.model, self.problem.limits, k - GROUPS - 1)
            self._descend(rows, np.broadcast_to(q, (rows.size, q0.shape[1])))

    def run_nearest(self, stop: int) -> None:
        """More starts, up to `stop` of them in all, from the nearest of a large pool; for nearly solved problems.

        Problems that ended far from their targets are abandoned.
        """
        rows = np.flatnonzero(self.open & ~self.solved)
        rows = rows[self.cost[rows] < NEARLY]
        count = min(stop - 2 * ENOUGH, POOL)
        if count <= 0 or not rows.size:
            return
        order, starts = ranked(self.problem, rows, count), pool(self.problem.robot.model, self.problem.limits)
        for k in range(count):
            rest = np.flatnonzero(~self.solved[rows])
            if not rest.size:
                return
            self._descend(rows[rest], starts[order[rest, k]])

    def ends(self, rows: Rows) -> Array:
        """The best ends (rows, KEPT, nq) for problems that are not solved; fewer are repeated."""
        found = np.repeat(self.q[rows, None], KEPT, axis=1)
        places = np.searchsorted(self._others, rows)
        known = places < len(self._others)
        known[known] = self._others[places[known]] == rows[known]
        kept = self._ends[places[known]]
        found[known] = np.where(np.isfinite(kept), kept, found[known])
        return found

    def adopt(self, rows: Rows, q: Array) -> None:
        """Store positions that solve these problems."""
        self.q[rows], self.cost[rows], self.state[rows] = q, 0.0, SOLVED

    def _promising(self, rows: Rows, group: int) -> Array:
        p = self.problem
        if self._near is None:
            self._near = np.zeros((p.count, GROUPS), np.int64)
            if p.robot.nv > LARGE or rows.size < FEW or not p.is_limited:
                self._near[rows] = measured(p, rows)
            else:
                self._near[rows] = nearest(p.robot.model, p.tasks, p.limits).call(*(x[rows] for x in p.targets))
        numbers = self._near[rows, group] * GROUPS + group
        return np.asarray(table(p.robot.model, p.limits)[numbers])

    def _remember(self, rows: Rows) -> None:
        self._others = rows
        self._ends = np.full((rows.size, KEPT, self.q.shape[1]), np.nan)
        self._costs = np.full((rows.size, KEPT), np.inf)
        self._note(rows, self.q[rows], self.cost[rows])

    def _note(self, rows: Rows, q: Array, cost: Array) -> None:
        """An end replaces a similar one that is worse, otherwise the worst."""
        at = np.searchsorted(self._others, rows)
        gaps = np.abs(self._ends[at] - q[:, None]).max(axis=2)
        alike = np.where(np.isnan(gaps), np.inf, gaps).argmin(axis=1)
        each = np.arange(rows.size)
        place = np.where(gaps[each, alike] < APART, alike, self._costs[at].argmax(axis=1))
        better = cost < self._costs[at, place]
        at, place = at[better], place[better]
        self._ends[at, place], self._costs[at, place] = q[better], cost[better]

    def _descend(self, rows: Rows, q: Array) -> None:
        p, n = self.problem, rows.size
        q1, best, _, state = self._loop.call(
            q, np.full(n, np.inf), np.zeros(n), np.zeros(n), self.tolerances, p.rest, *(x[rows] for x in p.targets)
        )
        if self._others.size:
            self._note(rows, q1, best)
        better = (state == SOLVED) | (best < self.cost[rows])
        self.starts[rows] += 1
        rows, q1, best, state = rows[better], q1[better], best[better], state[better]
        self.q[rows], self.cost[rows], self.state[rows] = q1, best, state


def one_start(
    problem: Problem, q0: Array, tolerances: Array, iterations: int = 60, fixed: tuple[int, ...] = ()
) -> tuple[Array, NDArray[np.bool_]]:
    """The result of one start each, and whether it reaches the target; no further starts and no reason.

    The coordinates of v in `fixed` do not move.  NaN stays at its start.
    """
    search = loop(problem.robot.model, problem.tasks, problem.limits, problem.gain, iterations, fixed)
    best, waited, state = np.full(len(q0), np.inf), *np.zeros((2, len(q0)))
    q, _, _, state = search.call(q0, best, waited, state, tolerances, problem.rest, *problem.targets)
    return np.where(np.isfinite(q).all(axis=1, keepdims=True), q, q0), np.asarray(state == SOLVED)
