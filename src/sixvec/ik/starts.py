"""Where to start: positions spread over the joints' ranges, the promising ones first.

The choice depends on the problem alone, never on the batch it stands in, so an answer has the same bits in each batch.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sixvec.compiler.program import Port
from sixvec.function import CompiledFunction
from sixvec.ik.task import Task
from sixvec.model import Model
from sixvec.model.canonical import canonical
from sixvec.scalar import Scalar, where

GROUPS, PER_GROUP = 8, 16
"""The nearest of each group is tried first, group by group."""

_SEED = 6


@lru_cache(maxsize=64)
def table(model: Model, limits: tuple[tuple[float, ...], tuple[float, ...]]) -> NDArray[np.float64]:
    """GROUPS · PER_GROUP positions, always the same for one robot."""
    rng = np.random.default_rng(_SEED)
    lower, upper = (np.array(x) for x in limits)
    parts = [np.empty((GROUPS * PER_GROUP, 0))]
    for b in model.moving:
        at = model.q_slices[b.name]
        parts.append(b.joint.sample(rng, lower[at], upper[at], (GROUPS * PER_GROUP,)))
    return np.concatenate(parts, axis=1)


@lru_cache(maxsize=64)
def nearest(
    model: Model, tasks: tuple[Task, ...], limits: tuple[tuple[float, ...], tuple[float, ...]]
) -> CompiledFunction:
    """For given targets, the best entry of the table in each group, as numbers (GROUPS,)."""
    robot = canonical(model)

    def choose(*targets: Any) -> Any:
        starts = table(model, limits).tolist()
        return [_argmin([_distance(robot, tasks, q, targets) for q in starts[g::GROUPS]]) for g in range(GROUPS)]

    ports = tuple(Port(f"target{k}", task.shape) for k, task in enumerate(tasks))
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
