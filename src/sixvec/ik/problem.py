"""The problem of a search: tasks and targets in rows, limits, and a posture."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache, reduce
from operator import and_
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sixvec.arguments import Array, common_batch
from sixvec.errors import ShapeError
from sixvec.ik.inputs import (
    as_position,
    as_posture,
    as_target,
    middle,
    require_limits,
    require_tasks,
    with_loops_closed,
)
from sixvec.ik.levenberg_marquardt import (
    Limits,
    cost_of,
    identity_of,
    left_of,
    mismatches,
    push,
    target_ports,
    target_shape,
    weighted,
)
from sixvec.ik.machine import CPU, Machine
from sixvec.kernels import Port
from sixvec.kernels.function import CompiledFunction
from sixvec.model import Model
from sixvec.model.canonical import canonical
from sixvec.robot import Robot
from sixvec.tasks.position_limits import Bounds
from sixvec.tasks.task import Task

Rows = NDArray[np.int64]

LARGEST = 1e100
"""Numbers of a target beyond which their squares would overflow; false for NaN."""


@dataclass(frozen=True)
class Problem:
    """The problem, with the batch flattened to rows."""

    robot: Robot
    tasks: tuple[Task, ...]
    targets: tuple[Array, ...]
    batch: tuple[int, ...]
    limits: Limits
    rest: Array
    gain: float

    @classmethod
    def of(
        cls,
        robot: Robot,
        tasks: Mapping[Task, Any],
        limited: bool = True,
        posture: Any = None,
        gain: float = 0.0,
        machine: Machine = CPU,
        name: str = "",
    ) -> Problem:
        """Checked tasks and targets, which become arrays of the machine; `name` is that of the target in errors."""
        require_tasks(robot, tasks)
        tasks = {task.on(robot.model): target for task, target in tasks.items()}
        tasks = with_loops_closed(robot, tasks)
        arrays = [as_target(robot, task, target, name, machine) for task, target in tasks.items()]
        shapes = [target_shape(task, robot.model) for task in tasks]
        leads = [x.shape[: x.ndim - len(s)] for s, x in zip(shapes, arrays, strict=True)]
        batch = common_batch("solve", leads, [f"target of {task}" for task in tasks])
        free = cls.unlimited(robot, dict(zip(tasks, arrays, strict=True)), batch, machine)
        if limited:
            require_limits(robot, robot.lower, robot.upper)
            free = replace(free, limits=(tuple(map(float, robot.lower)), tuple(map(float, robot.upper))))
        if posture is None:
            return free
        return replace(free, rest=as_posture(robot, machine.host(posture)), gain=float(gain))

    @classmethod
    def unlimited(
        cls, robot: Robot, tasks: Mapping[Task, Array], batch: tuple[int, ...], machine: Machine = CPU
    ) -> Problem:
        """Valid targets that broadcast to the batch, without limits and posture."""
        xp = machine.xp
        shapes, n = [target_shape(task, robot.model) for task in tasks], int(np.prod(batch))
        rows = [xp.broadcast_to(x, batch + s).reshape(n, *s) for s, x in zip(shapes, tasks.values(), strict=True)]
        limits = ((-np.inf,) * robot.nq, (np.inf,) * robot.nq)
        return cls(robot, (*tasks,), tuple(map(xp.ascontiguousarray, rows)), batch, limits, np.zeros(robot.nq), 0.0)

    def part(self, rows: Rows, limited: bool = True) -> Problem:
        """Some of the problems, with the same limits or with none."""
        nq, targets = self.robot.nq, tuple(x[rows] for x in self.targets)
        limits = self.limits if limited else ((-np.inf,) * nq, (np.inf,) * nq)
        return Problem(self.robot, self.tasks, targets, (rows.size,), limits, np.zeros(nq), 0.0)

    @property
    def count(self) -> int:
        return len(self.targets[0])

    @property
    def is_limited(self) -> bool:
        return bool(np.isfinite(self.limits).any())

    @property
    def valid(self) -> Any:
        """Which problems have valid targets."""
        numbers: list[Any] = [abs(x.reshape(self.count, x[:1].size)) < LARGEST for x in self.targets]
        return reduce(and_, [small.all(axis=1) for small in numbers])

    def starts(self, q0: Any = None, machine: Machine = CPU) -> Any:
        """A start for each problem: those given, checked, or the middle of the ranges."""
        if q0 is not None:
            return self.rows(as_position(self.robot, q0, machine=machine), machine)
        return machine.xp.broadcast_to(machine.send(middle(self.robot, *self.limits)), (self.count, self.robot.nq))

    def rows(self, q: Any, machine: Machine = CPU) -> Any:
        """Given starts, one for each problem, within the limits."""
        xp = machine.xp
        try:
            array = xp.broadcast_to(q, (*self.batch, self.robot.nq)).reshape(self.count, self.robot.nq)
        except ValueError:
            raise ShapeError(f"solve: starts {q.shape} do not fit the batch {self.batch} of the targets") from None
        return xp.clip(array, *(machine.send(x) for x in self.limits))

    def bounds(self) -> Bounds:
        return Bounds(*self.limits, self.robot.model)

    def remaining(self, q: Array, machine: Machine = CPU) -> tuple[Array, Array, Array, Array]:
        """At positions, one for each problem: distance and angle left, half their weighted square, its gradient."""
        far, turned, cost, slope = machine.run(remaining_of(self.robot.model, self.tasks))(q, *self.targets)
        return machine.xp.sqrt(far), machine.xp.sqrt(turned), 0.5 * cost, slope


@lru_cache(maxsize=64)
def remaining_of(model: Model, tasks: tuple[Task, ...]) -> CompiledFunction:
    """The error at a position: squared distance and angle, the weighted sum, and the gradient of half of it."""
    robot = canonical(model)

    def remaining(q: Any, *targets: Any) -> Any:
        mismatch = mismatches(robot, tasks, q, targets)
        errors, J = weighted(tasks, mismatch)
        return *left_of(mismatch), cost_of(tasks, mismatch), [-x for x in push(errors, J)]

    inputs = (Port("q", (model.nq,)), *target_ports(model, tasks))
    outputs = (Port("position", ()), Port("rotation", ()), Port("cost", ()), Port("slope", (model.nv,)))
    return CompiledFunction(remaining, inputs, outputs, identity_of(model, "remaining", tasks))
