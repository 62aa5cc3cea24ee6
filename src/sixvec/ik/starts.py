"""Starts: positions spread over the joints' ranges, the most promising first.

The choice depends only on the problem, never on its batch, so a result is bitwise the same in each batch.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sixvec.compiler.program import Port
from sixvec.ik.levenberg_marquardt import Limits
from sixvec.ik.task import Task, target_shape
from sixvec.kernels.function import CompiledFunction
from sixvec.model import Model
from sixvec.model.canonical import canonical
from sixvec.scalar import Scalar, where

if TYPE_CHECKING:
    from sixvec.ik.problem import Problem

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


def ranked(problem: Problem, rows: NDArray[np.int64], count: int) -> NDArray[np.int64]:
    """Indices of the positions of the pool nearest to the targets of some problems: (rows, count)."""
    starts = pool(problem.robot.model, problem.limits)
    found = np.empty((rows.size, count), np.int64)
    for k in range(rows.size):
        cost = problem.part(rows[k : k + 1]).remaining(starts)[2]
        best = np.argpartition(cost, count - 1)[:count]
        found[k] = best[np.lexsort((best, cost[best]))]
    return found


LARGE = 12
"""Freedoms from which the table is compared in a loop: as one expression it would take seconds to compile."""

FEW = 512
"""Problems below which the table is compared in a loop too: compiling that one expression takes longer, three seconds
for six joints, than comparing so few.  Searches without limits always have few problems."""

AT_ONCE = 256
"""Problems compared with the table at once."""


def measured(problem: Problem, rows: NDArray[np.int64]) -> NDArray[np.int64]:
    """The result of `nearest` for some problems: (rows, GROUPS)."""
    starts = table(problem.robot.model, problem.limits)
    found = np.empty((rows.size, GROUPS), np.int64)
    for first in range(0, rows.size, AT_ONCE):
        some = rows[first : first + AT_ONCE]
        part = problem.part(np.repeat(some, len(starts)))
        far, turned, *_ = part.remaining(np.tile(starts, (some.size, 1)))
        found[first : first + some.size] = (far**2 + turned**2).reshape(-1, PER_GROUP, GROUPS).argmin(axis=1)
    return found


@lru_cache(maxsize=64)
def nearest(model: Model, tasks: tuple[Task, ...], limits: Limits) -> CompiledFunction:
    """For given targets, the best entry of the table in each group, as indices (GROUPS,)."""
    robot = canonical(model)

    def choose(*targets: Any) -> Any:
        starts = table(model, limits).tolist()
        return [_argmin([_distance(robot, tasks, q, targets) for q in starts[g::GROUPS]]) for g in range(GROUPS)]

    ports = tuple(Port(f"target{k}", target_shape(task, model)) for k, task in enumerate(tasks))
    identity = f"{model.fingerprint} nearest {tasks} {limits}"
    return CompiledFunction(choose, ports, (Port("index", (GROUPS,)),), identity)


def _distance(robot: Model, tasks: tuple[Task, ...], q: list[float], targets: Any) -> Scalar:
    found = [task.mismatch(robot, q, target) for task, target in zip(tasks, targets, strict=True)]
    return sum(m.position + m.rotation for m in found)


def _argmin(values: list[Scalar]) -> Scalar:
    best, index = values[0], 0.0
    for k, x in enumerate(values[1:], 1):
        is_less = x < best
        best, index = where(is_less, x, best), where(is_less, float(k), index)
    return index
