"""The starts of a search, one after the other, each for the unsolved problems."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from sixvec.arguments import Array
from sixvec.ik.levenberg_marquardt import loop
from sixvec.ik.machine import CPU, Machine
from sixvec.ik.position_solver import SOLVED
from sixvec.ik.problem import Problem, Rows
from sixvec.ik.starts import GROUPS, LARGE, POOL, measured, nearest, pool, ranked, start, table
from sixvec.ik.whole_turns import towards_limits

KEPT = 32
"""Distinct end positions stored per problem: which is closest is known only to a few percent."""

ENOUGH = 40
"""Starts after which a problem is abandoned unless only limits prevent a solution."""

NEARLY = 0.1**2
"""Squared error, m² and rad², below which only limits may prevent a solution."""

APART = 0.1
"""Distance of two distinct ends in some coordinate, in radians or metres."""


class Search:
    """The best result so far of each problem: its position and cost, whether it is solved, and the number of starts.

    The targets of the problem are arrays of the machine, and so are all results.
    """

    def __init__(self, problem: Problem, tolerances: Array, iterations: int, machine: Machine = CPU) -> None:
        self.problem, self.tolerances, self.iterations, self.machine = problem, tolerances, iterations, machine
        xp, n = machine.xp, problem.count
        self._loop = machine.run(loop(problem.robot.model, problem.tasks, problem.limits, problem.gain, iterations))
        self._given = xp.asarray(tolerances), xp.asarray(problem.rest)
        self.q, self.cost = xp.full((n, problem.robot.nq), np.nan), xp.full(n, np.inf)
        self.starts, self.solved = xp.zeros(n, "int64"), xp.zeros(n, bool)
        self.open = problem.valid
        """Which problems are still worth a start."""
        self._near: Array | None = None
        self._others: Rows = np.empty(0, np.int64)
        self._ends = np.empty((0, KEPT, problem.robot.nq))
        self._costs = np.empty((0, KEPT))

    def run_all(self, q0: Array, starts: int) -> Any:
        """All starts; which coordinates are in the way of problems that are solved only without limits."""
        self.run(q0, 0, min(starts, ENOUGH))
        joint = self._joints_in_the_way()
        self.open &= joint >= 0
        self.run(q0, ENOUGH, min(starts, 2 * ENOUGH))
        self._run_nearest(starts)
        return joint

    def run(self, q0: Array, first: int, stop: int) -> None:
        """The starts with numbers from `first` to `stop`: `q0`, the nearest of the table, then all others in turn."""
        xp, p = self.machine.xp, self.problem
        rows = xp.flatnonzero(self.open & ~self.solved)
        if first == 0:
            rows = self._descend(rows, range(1), lambda rows, _: q0[rows][:, None])
            rows = self._descend(rows, range(1, min(stop, GROUPS + 1)), self._promising)
        others = range(max(first, GROUPS + 1), stop)
        drawn = [start(p.robot.model, p.limits, k - GROUPS - 1) for k in (others if rows.size else ())]
        self._descend(rows, others, lambda _, some: xp.asarray(np.stack([drawn[k - others.start] for k in some]))[None])

    def _run_nearest(self, stop: int) -> None:
        """More starts, up to `stop` of them in all, from the nearest of a large pool; for nearly solved problems.

        Problems that ended far from their targets are abandoned.
        """
        xp, p, first = self.machine.xp, self.problem, 2 * ENOUGH
        rows = xp.flatnonzero(self.open & ~self.solved & (self.cost < NEARLY))
        count = min(stop - first, POOL)
        if count <= 0 or not rows.size:
            return
        order, starts = ranked(p, rows, count, self.machine), xp.asarray(pool(p.robot.model, p.limits))

        def choose(some: Array, numbers: range) -> Any:
            return starts[order[xp.searchsorted(rows, some)][:, numbers.start - first : numbers.stop - first]]

        self._descend(rows, range(first, first + count), choose)

    def _joints_in_the_way(self) -> Any:
        """For each problem solved only without limits, the coordinate furthest beyond its limit, else -1.

        A search without limits that ends within them solves the problem.
        """
        xp, p = self.machine.xp, self.problem
        joint = xp.full(p.count, -1)
        rows = xp.flatnonzero(self.open & ~self.solved)
        if rows.size and p.is_limited:
            free = Search(p.part(rows, limited=False), self.tolerances, self.iterations, self.machine)
            free.run(self.q[rows], 0, GROUPS + 1)
            rows, q = rows[free.solved], towards_limits(p.robot, free.q[free.solved], xp)
            lower, upper = (xp.asarray(x) for x in p.limits)
            beyond = xp.maximum(lower - q, q - upper)
            inside = (beyond <= 0.0).all(axis=1)
            joint[rows] = xp.where(inside, -1, beyond.argmax(axis=1))
            rows, q = rows[inside], q[inside]
            self.q[rows], self.cost[rows], self.solved[rows] = q, 0.0, True
        return joint

    def ends(self, rows: Rows) -> Array:
        """The best ends (rows, KEPT, nq) for problems that are not solved; fewer are repeated."""
        ends = np.repeat(self.q[rows, None], KEPT, axis=1)
        places = np.searchsorted(self._others, rows)
        known = places < len(self._others)
        known[known] = self._others[places[known]] == rows[known]
        last = self._ends[places[known]]
        ends[known] = np.where(np.isfinite(last), last, ends[known])
        return ends

    def _promising(self, rows: Array, numbers: range) -> Any:
        """The nearest of some groups of the table."""
        xp, p = self.machine.xp, self.problem
        if self._near is None:
            self._near = xp.zeros((p.count, GROUPS), "int64")
            if p.robot.nv > LARGE or rows.size < self.machine.few or not p.is_limited:
                self._near[rows] = measured(p, rows, self.machine)
            else:
                promising = self.machine.run(nearest(p.robot.model, p.tasks, p.limits))(*(x[rows] for x in p.targets))
                self._near[rows] = (promising[0] if isinstance(promising, list) else promising).reshape(-1, GROUPS)
        groups = xp.arange(numbers.start - 1, numbers.stop - 1)
        return xp.asarray(table(p.robot.model, p.limits))[self._near[rows][:, groups] * GROUPS + groups]

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

    def _descend(self, rows: Array, numbers: range, choose: Callable[[Array, range], Any]) -> Array:
        """Several starts for some problems, as if in sequence; the problems that remain unsolved.

        `choose(rows, numbers)` are starts (rows or one, numbers, nq).
        """
        xp, at = self.machine.xp, 0
        while at < len(numbers) and rows.size:
            some = numbers[at : at + max(1, self.machine.at_once // int(rows.size))]
            at += len(some)
            if self.machine.keeps_ends and GROUPS in some:  # unsolved problems may have no solution: ends are needed
                self._remember(rows)
            targets, zero = [x[rows][:, None] for x in self.problem.targets], xp.zeros((1, 1))
            q, best, _, state = self._loop(choose(rows, some), zero + np.inf, zero, zero, *self._given, *targets)
            solved = state == SOLVED
            done = solved.any(axis=1)
            # The first start that solves a problem is the last that is counted; otherwise the closest end is kept.
            chosen = xp.where(done, solved.argmax(axis=1), best.argmin(axis=1))
            q, best = (x[xp.arange(len(rows)), chosen] for x in (q, best))
            if self._others.size:
                self._note(rows, q, best)
            better = done | (best < self.cost[rows])
            self.starts[rows] += xp.where(done, chosen + 1, len(some))
            self.q[rows] = xp.where(better[:, None], q, self.q[rows])
            self.cost[rows] = xp.where(better, best, self.cost[rows])
            self.solved[rows] = done
            rows = rows[~done]
        return rows


def one_start(
    problem: Problem,
    q0: Array,
    tolerances: Array,
    iterations: int = 60,
    fixed: tuple[int, ...] = (),
    machine: Machine = CPU,
    settle: bool = False,
) -> tuple[Any, Any]:
    """The result of one start each, and whether it reaches the target; no further starts and no reason.

    The coordinates of v in `fixed` do not move.  NaN stays at its start.  With `settle` the posture draws it to the
    nearest solution.
    """
    xp, p = machine.xp, problem
    search = machine.run(loop(p.robot.model, p.tasks, p.limits, p.gain, iterations, fixed, settle))
    zero, constants = xp.zeros(1), (xp.asarray(tolerances), xp.asarray(p.rest), *p.targets)
    q, _, _, state = search(q0, zero + np.inf, zero, zero, *constants)
    return xp.where(xp.isfinite(q).all(axis=1, keepdims=True), q, q0), state == SOLVED
