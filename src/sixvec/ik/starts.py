"""Starts: positions spread over the joints' ranges, the most promising first.

The choice depends only on the problem, never on its batch, so a result is bitwise the same in each batch.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sixvec.arguments import Array
from sixvec.ik.levenberg_marquardt import Limits, mismatches, target_ports
from sixvec.ik.machine import CPU, Machine
from sixvec.ik.problem import Problem, remaining_of
from sixvec.kernels import Port
from sixvec.kernels.function import CompiledFunction
from sixvec.model import Model
from sixvec.model.canonical import canonical
from sixvec.scalar import Scalar, where
from sixvec.tasks.task import Task

GROUPS, PER_GROUP = 8, 16
"""The nearest of each group is tried first, group by group."""

_SEED = 6


@lru_cache(maxsize=64)
def table(model: Model, limits: Limits) -> NDArray[np.float64]:
    """GROUPS · PER_GROUP positions, always the same for one robot."""
    return _sampled(model, limits, _SEED)


@lru_cache(maxsize=256)
def _sampled(model: Model, limits: Limits, seed: int, count: int = GROUPS * PER_GROUP) -> NDArray[np.float64]:
    rng = np.random.default_rng(seed)
    lower, upper = (np.array(x) for x in limits)
    parts = [np.empty((count, 0))]
    for b in model.moving:
        at = model.q_slices[b.name]
        parts.append(b.joint.sample(rng, lower[at], upper[at], (count,)))
    return np.concatenate(parts, axis=1)


def start(model: Model, limits: Limits, number: int) -> NDArray[np.float64]:
    """One of an infinite sequence of positions: those of the table, then similar ones."""
    page, line = divmod(number, GROUPS * PER_GROUP)
    return np.asarray(_sampled(model, limits, _SEED + page)[line])


POOL = 32768
"""Positions of which the nearest to a target are tried if limits prevent a solution.  Half of their coordinates are at
a limit, as in solutions of these problems: one in twenty of the nearest succeeds, one in two hundred of all."""


@lru_cache(maxsize=16)
def pool(model: Model, limits: Limits) -> NDArray[np.float64]:
    """POOL positions, always the same for one robot."""
    q = _sampled(model, limits, _SEED, POOL)
    rng = np.random.default_rng(_SEED)
    side = np.where(rng.random(q.shape) < 0.5, *(np.array(x) for x in limits))
    return np.where((rng.random(q.shape) < 0.5) & np.isfinite(side), side, q)


def ranked(problem: Problem, rows: Array, count: int, machine: Machine = CPU) -> Any:
    """Indices of the positions of the pool nearest to the targets of some problems: (rows, count)."""
    chosen = [machine.xp.empty((0, count), "int64")]
    for _, _, cost in _compared(problem, rows, pool(problem.robot.model, problem.limits), machine, machine.ranked):
        chosen.append(cost.argsort(axis=1)[:, :count])
    return machine.xp.concatenate(chosen)


LARGE = 12
"""Freedoms from which the table is compared in a loop: as one expression it would take seconds to compile."""


def measured(problem: Problem, rows: Array, machine: Machine = CPU) -> Any:
    """The result of `nearest` for some problems: (rows, GROUPS)."""
    chosen = [machine.xp.empty((0, GROUPS), "int64")]
    for far, turned, _ in _compared(
        problem, rows, table(problem.robot.model, problem.limits), machine, machine.compared
    ):
        chosen.append((far + turned).reshape(-1, PER_GROUP, GROUPS).argmin(axis=1))
    return machine.xp.concatenate(chosen)


def _compared(problem: Problem, rows: Array, starts: Array, machine: Machine, at_once: int) -> Iterator[list[Array]]:
    """Squared distance, squared angle and cost of all starts for some problems, (some, starts), a few at a time."""
    compare, starts = machine.run(remaining_of(problem.robot.model, problem.tasks)), machine.xp.asarray(starts)
    for first in range(0, int(rows.size), at_once):
        some = rows[first : first + at_once]
        far, turned, cost, _ = compare(starts[None], *(x[some][:, None] for x in problem.targets))
        yield [x.reshape(some.size, len(starts)) for x in (far, turned, cost)]


@lru_cache(maxsize=64)
def nearest(model: Model, tasks: tuple[Task, ...], limits: Limits) -> CompiledFunction:
    """For given targets, the best entry of the table in each group, as indices (GROUPS,)."""
    robot = canonical(model)

    def choose(*targets: Any) -> Any:
        starts = table(model, limits).tolist()
        return [_argmin([_distance(robot, tasks, q, targets) for q in starts[g::GROUPS]]) for g in range(GROUPS)]

    identity = f"{model.fingerprint} nearest {tasks} {limits}"
    return CompiledFunction(choose, target_ports(model, tasks), (Port("index", (GROUPS,)),), identity)


def _distance(robot: Model, tasks: tuple[Task, ...], q: list[float], targets: Any) -> Scalar:
    return sum(m.position + m.rotation for m in mismatches(robot, tasks, q, targets))


def _argmin(values: list[Scalar]) -> Scalar:
    best, index = values[0], 0.0
    for k, x in enumerate(values[1:], 1):
        is_less = x < best
        best, index = where(is_less, x, best), where(is_less, float(k), index)
    return index
