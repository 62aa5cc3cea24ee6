"""Numerical inverse kinematics: any mix of tasks, any number of problems, results with verdicts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sixvec.arguments import Array
from sixvec.ik.closest import closest
from sixvec.ik.inputs import (
    checked_gain,
    checked_limits,
    checked_settings,
    require_solvable,
    tolerances_of,
)
from sixvec.ik.machine import CPU, Machine, machine_of
from sixvec.ik.problem import Problem, Rows
from sixvec.ik.search import Search
from sixvec.ik.solution import Solution, with_batch
from sixvec.ik.whole_turns import wrapped
from sixvec.model.coordinate_names import coordinate_names
from sixvec.robot import Robot
from sixvec.spatial import Pose
from sixvec.tasks.task import Task
from sixvec.verdict import Verdict

STAGES = ((6, 10), (12, 1))
"""Newton steps after which ends are compared, and how many are kept: few steps favour ends that converge fast."""

ALIKE = 1e-5
"""Relative difference of squared errors below which one of two ends need not be followed."""

AT_ONCE = 1024
"""Problems whose ends are compared at once: with second derivatives for each end they need some hundred megabytes."""


def solve(
    robot: Robot,
    tasks: Mapping[Task, ArrayLike | Pose],
    *,
    q0: ArrayLike | None = None,
    tolerance: float | tuple[float, float] = 1e-6,
    limits: bool = True,
    posture: ArrayLike | None = None,
    posture_gain: float = 0.1,
    starts: int = 240,
    iterations: int = 60,
) -> Solution:
    """Joint positions that fulfil `tasks`, a mapping from task to target: one problem or, with batch axes, millions.

    Levenberg-Marquardt steps on the manifold of positions, in one compiled loop over lanes of problems, from `q0`
    (default: the middle of the ranges), then from up to `starts - 1` other positions, the most promising first; more
    than 40 only if limits alone may prevent a solution.  Joints stay within their limits unless `limits=False`.  A
    `posture` (nq) attracts in the null space of the tasks: redundant joints approach it as far as the tasks allow.  At
    most `starts` times `iterations` steps are made.  `tolerance` is one number for radians and metres, or (rad, m).
    Unsolved problems end at the closest position, where the sum of m² and rad², times the squared weights, is
    least, with a verdict.  Loops of the robot are closed to 1e-9 in every solution; other results are
    projected back to closed loops.  Featherstone (16).

    >>> import numpy, sixvec
    >>> from sixvec.ik import solve
    >>> from sixvec.tasks import Frame
    >>> robot = sixvec.load("panda")
    >>> poses = robot.pose(robot.random(0, 100), "panda_link8")
    >>> answer = solve(robot, {Frame("panda_link8"): poses})
    >>> print(answer)
    100 solved
    >>> bool(numpy.abs(robot.pose(answer.q, "panda_link8") - poses).max() < 2e-6)
    True
    """
    require_solvable(robot)
    checked_gain(posture_gain)
    checked_limits(limits)
    tolerances = tolerances_of(robot, checked_settings(tolerance, starts, iterations))
    machine = machine_of(q0, posture, *(tasks.values() if isinstance(tasks, Mapping) else ()))
    problem = Problem.of(robot, tasks, limits, posture, posture_gain, machine)
    return searched(problem, problem.starts(q0, machine), tolerances, starts, iterations, machine)


def searched(
    problem: Problem, q0: Any, tolerances: Array, starts: int, iterations: int, machine: Machine = CPU
) -> Solution:
    """The solution of a problem whose targets, and the starts q0 (rows, nq), are arrays of the machine.

    A launch on a device runs one start for all problems, then many for the few that are unsolved; problems without
    solution are searched again on the CPU, which determines the reason.
    """
    search = Search(problem, tolerances, iterations, machine)
    joint = search.run_all(q0, starts)
    if not machine.is_device:
        return _judged(search, joint)
    xp, valid, batch = machine.xp, problem.valid, problem.batch
    verdict = xp.where(valid, int(Verdict.SOLVED), int(Verdict.INVALID)).astype("int8")
    position, rotation = (x.reshape(len(q0)) for x in problem.remaining(search.q, machine)[:2])
    solution = Solution(
        wrapped(problem.robot, search.q, xp), verdict, position, rotation, xp.full(len(q0), -1), search.starts,
        coordinate_names(problem.robot.model, "q"),
    )  # fmt: skip
    rows = xp.flatnonzero(valid & ~search.solved)
    if rows.size:
        part = replace(problem, targets=tuple(machine.host(x[rows]) for x in problem.targets), batch=(int(rows.size),))
        rest = searched(part, machine.host(q0[rows]), tolerances, starts, iterations)
        solution = machine.with_rows(solution, rows, rest)
    return with_batch(solution, batch)


def _closed(problem: Problem, q: Array) -> Array:
    """Positions with closed loops near those of a compromise between the tasks and the loops."""
    assembly = problem.robot.assemble(q)
    return np.where((assembly.verdict == Verdict.SOLVED)[:, None], assembly.q, q)


def _judged(search: Search, joint: NDArray[np.int64]) -> Solution:
    p = search.problem
    n, valid = p.count, p.valid
    verdict = np.where(valid, Verdict.SOLVED, Verdict.INVALID).astype(np.int8)
    rows = np.flatnonzero(valid & ~search.solved)
    if rows.size:
        search.q[rows], verdict[rows] = _verdicts(search, rows, joint[rows])
        if p.robot.model.closures:
            open_still = rows[verdict[rows] != Verdict.SOLVED]
            search.q[open_still] = _closed(p, search.q[open_still])
    joint[verdict != Verdict.AT_LIMIT] = -1
    position, rotation = np.full(n, np.nan), np.full(n, np.nan)
    rows = np.flatnonzero(valid)
    if rows.size:
        position[rows], rotation[rows], *_ = p.part(rows).remaining(search.q[rows])
    q = wrapped(p.robot, search.q)
    shape = p.batch
    return Solution(
        q.reshape(*shape, p.robot.nq), verdict.reshape(shape), position.reshape(shape), rotation.reshape(shape),
        joint.reshape(shape), search.starts.reshape(shape), coordinate_names(p.robot.model, "q"),
    )  # fmt: skip


def _verdicts(search: Search, rows: Rows, joint: NDArray[np.int64]) -> tuple[Array, NDArray[np.int8]]:
    """The closest positions for unsolved problems, and the reasons."""
    part = search.problem.part(rows)
    best = np.concatenate([_best_end(search, rows[k : k + AT_ONCE]) for k in range(0, rows.size, AT_ONCE)])
    end = closest(part, best, search.iterations)
    position, rotation, *_ = part.remaining(end.q)
    verdict = np.where(end.minimum, Verdict.UNREACHABLE, Verdict.SINGULAR)
    verdict[~end.stationary] = Verdict.NOT_CONVERGED
    verdict[joint >= 0] = Verdict.AT_LIMIT
    verdict[(position < search.tolerances[0]) & (rotation < search.tolerances[1])] = Verdict.SOLVED
    return end.q, verdict.astype(np.int8)


def _best_end(search: Search, rows: Rows) -> Array:
    """The closest of the ends of all starts, after further steps, more of them for fewer ends."""
    ends, each = search.ends(rows), np.arange(rows.size)[:, None]
    for steps, remaining in STAGES:
        n, k, nq = ends.shape
        several = search.problem.part(np.repeat(rows, k))
        ends = closest(several, ends.reshape(n * k, nq), min(steps, search.iterations)).q
        cost = several.remaining(ends)[2].reshape(n, k)
        order = cost.argsort(axis=1)
        cost = cost[each, order]
        # Ends of equal cost are the same position or equivalent: distinct ones first.
        repeated = np.diff(cost, axis=1, prepend=-np.inf) < ALIKE * cost
        order = order[each, repeated.argsort(axis=1, kind="stable")]
        ends = ends.reshape(n, k, nq)[each, order[:, :remaining]]
    return np.asarray(ends[:, 0])
