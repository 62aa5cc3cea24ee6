"""Numerical inverse kinematics: any mix of tasks, any number of problems, an answer that explains itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sixvec.compiler.program import Port
from sixvec.errors import ModelError, ShapeError
from sixvec.function import CompiledFunction
from sixvec.ik.inputs import (
    angle_left,
    as_position,
    as_target,
    checked_settings,
    coordinate_names,
    middle,
    require_solvable,
    require_tasks,
)
from sixvec.ik.levenberg_marquardt import SOLVED, STALLED, loop, mismatches
from sixvec.ik.starts import GROUPS, nearest, table
from sixvec.ik.task import Task
from sixvec.ik.verdict import Solution, Verdict
from sixvec.model import Model
from sixvec.model.canonical import canonical
from sixvec.model.joints import Helical

if TYPE_CHECKING:
    from sixvec.robot import Robot

Array = NDArray[np.float64]

LARGEST = 1e100
"""Numbers of a target beyond which their squares would overflow; false for what is not a number."""

CLOSE = 1e-2
"""A remaining error (m, rad) below which a stall at a singularity is called by its name."""


def solve(
    robot: Robot,
    tasks: Mapping[Task, Any],
    *,
    q0: Any = None,
    position_tolerance: float = 1e-6,
    rotation_tolerance: float = 1e-6,
    limits: bool = True,
    posture: Any = None,
    posture_gain: float = 0.1,
    starts: int = 40,
    iterations: int = 60,
) -> Solution:
    """Joint positions that fulfil `tasks`, a mapping from task to target: one problem or, with batch axes, millions.

    Levenberg-Marquardt steps on the manifold of positions, in one compiled loop over lanes of problems, from `q0`
    (default: the middle of the ranges), then from up to `starts - 1` other positions, the promising ones first.  Joints
    stay within their limits unless `limits=False`.  A `posture` (nq) attracts in the null space of the tasks: redundant
    joints go there as far as the tasks allow.  At most `starts` times `iterations` steps are made.

    >>> import numpy, sixvec
    >>> from sixvec.ik import PoseTask
    >>> robot = sixvec.load("panda")
    >>> poses = robot.pose(robot.random(0, 100), "panda_link8")
    >>> answer = solve(robot, {PoseTask("panda_link8"): poses})
    >>> print(answer)
    100 solved
    >>> bool(numpy.abs(robot.pose(answer.q, "panda_link8") - poses).max() < 2e-6)
    True
    """
    problem = _Problem.of(robot, tasks, limits, posture, posture_gain)
    tolerances = checked_settings(position_tolerance, rotation_tolerance, starts, iterations)
    search = _Search(problem, tolerances, iterations)
    search.run(problem.middle() if q0 is None else problem.rows(as_position(robot, q0)), starts)
    return _judged(search)


@dataclass(frozen=True)
class _Problem:
    """What is asked, with the batch flattened to rows."""

    robot: Robot
    tasks: tuple[Task, ...]
    targets: tuple[Array, ...]
    batch: tuple[int, ...]
    limits: tuple[tuple[float, ...], tuple[float, ...]]
    rest: Array
    gain: float

    @classmethod
    def of(cls, robot: Robot, tasks: Mapping[Task, Any], limited: bool, posture: Any, gain: float) -> _Problem:
        require_solvable(robot)
        require_tasks(robot, tasks)
        arrays = [as_target(task, target) for task, target in tasks.items()]
        leads = [x.shape[: x.ndim - len(t.shape)] for t, x in zip(tasks, arrays, strict=True)]
        try:
            batch = np.broadcast_shapes(*leads)
        except ValueError:
            raise ShapeError(f"solve: the batch shapes of the targets do not broadcast: {leads}") from None
        n = int(np.prod(batch))
        rows = tuple(
            np.ascontiguousarray(np.broadcast_to(x, batch + t.shape).reshape(n, *t.shape))
            for t, x in zip(tasks, arrays, strict=True)
        )
        bounds = (robot.lower, robot.upper) if limited else (np.full(robot.nq, -np.inf), np.full(robot.nq, np.inf))
        if (bad := np.flatnonzero(bounds[0] > bounds[1])).size:
            name = coordinate_names(robot)[int(bad[0])]
            raise ModelError(f"{robot.name}: {name} has the limits {bounds[0][bad[0]]:g} and {bounds[1][bad[0]]:g}; "
                             "the lower one must not be the greater")  # fmt: skip
        rest = np.zeros(robot.nq) if posture is None else as_position(robot, posture)
        lower, upper = (tuple(map(float, x)) for x in bounds)
        return cls(robot, tuple(tasks), rows, batch, (lower, upper), rest, 0.0 if posture is None else float(gain))

    @property
    def count(self) -> int:
        return len(self.targets[0])

    def middle(self) -> Array:
        """A start for each problem."""
        return np.broadcast_to(middle(self.robot, *self.limits), (self.count, self.robot.nq))

    def rows(self, q: Array) -> Array:
        """Given starts, one for each problem, within the limits."""
        try:
            array = np.broadcast_to(q, (*self.batch, self.robot.nq)).reshape(self.count, self.robot.nq)
        except ValueError:
            raise ShapeError(f"solve: starts {q.shape} do not fit the batch {self.batch} of the targets") from None
        return np.clip(array, *self.limits)


class _Search:
    """The starts, one after the other, each for the problems that are still open."""

    def __init__(self, problem: _Problem, tolerances: Array, iterations: int) -> None:
        self.problem, self.tolerances = problem, tolerances
        self._loop = loop(problem.robot.model, problem.tasks, problem.limits, problem.gain, iterations)
        n = problem.count
        self.q = np.full((n, problem.robot.nq), np.nan)
        self.cost, self.state = np.full(n, np.inf), np.zeros(n)
        self.starts = np.zeros(n, np.int64)
        usable = [(np.abs(x.reshape(n, x[:1].size)) < LARGEST).all(axis=1) for x in problem.targets]
        self.valid = np.logical_and.reduce(usable)

    def run(self, q0: Array, starts: int) -> None:
        """Up to `starts` starts: `q0`, the nearest entries of the table, then all others in turn."""
        everything = table(self.problem.robot.model, self.problem.limits)
        near: NDArray[np.int64] | None = None
        for k in range(starts):
            rows = np.flatnonzero(self.valid & (self.state != SOLVED))
            if not rows.size:
                return
            if k == 0:
                q = q0[rows]
            elif k <= GROUPS:
                if near is None:
                    near = np.zeros((self.problem.count, GROUPS), np.int64)
                    near[rows] = self._nearest(rows)
                q = everything[near[rows, k - 1] * GROUPS + k - 1]
            else:
                q = np.broadcast_to(everything[(k - GROUPS - 1) % len(everything)], (rows.size, q0.shape[1]))
            self._descend(rows, q)

    def _nearest(self, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        p = self.problem
        chosen = nearest(p.robot.model, p.tasks, p.limits).call(*(x[rows] for x in p.targets))
        return np.asarray(chosen, np.int64)

    def _descend(self, rows: NDArray[np.int64], q: Array) -> None:
        p, n = self.problem, rows.size
        q1, best, _, state = self._loop.call(
            q, np.full(n, np.inf), np.zeros(n), np.zeros(n), self.tolerances, p.rest, *(x[rows] for x in p.targets)
        )
        better = (state == SOLVED) | (best < self.cost[rows])
        self.starts[rows] += 1
        rows, q1, best, state = rows[better], q1[better], best[better], state[better]
        self.q[rows], self.cost[rows], self.state[rows] = q1, best, state


def _judged(search: _Search) -> Solution:
    p = search.problem
    n = p.count
    position, rotation = np.full(n, np.nan), np.full(n, np.nan)
    verdict = np.full(n, Verdict.INVALID, np.int8)
    joint = np.full(n, -1)
    rows = np.flatnonzero(search.valid)
    if rows.size:
        far, apart, errors, J = _remaining(p.robot.model, p.tasks).call(search.q[rows], *(x[rows] for x in p.targets))
        position[rows] = np.sqrt(far)
        rotation[rows] = angle_left(apart)
        verdict[rows] = Verdict.SOLVED
        failed = search.state[rows] != SOLVED
        verdict[rows[failed]], joint[rows[failed]] = _reasons(search, rows[failed], errors[failed], J[failed])
    q = _wrapped(p.robot, search.q)
    shape = p.batch
    return Solution(
        q.reshape(*shape, p.robot.nq), verdict.reshape(shape), position.reshape(shape), rotation.reshape(shape),
        joint.reshape(shape), search.starts.reshape(shape), coordinate_names(p.robot),
    )  # fmt: skip


def _reasons(
    search: _Search, rows: NDArray[np.int64], errors: Array, J: Array
) -> tuple[NDArray[np.int8], NDArray[np.int64]]:
    """Why each of these problems is not solved, and the joint in the way if it is one."""
    p = search.problem
    verdict = np.where(search.state[rows] == STALLED, Verdict.UNREACHABLE, Verdict.NOT_CONVERGED).astype(np.int8)
    joint = np.full(rows.size, -1)
    if not rows.size:
        return verdict, joint
    with np.errstate(over="ignore"):
        sizes = np.linalg.norm(errors, axis=1)
    singular_values = np.linalg.svd(np.where(np.isfinite(J), J, 0.0), compute_uv=False)
    lost = singular_values[:, -1] < 1e-3 * singular_values[:, 0]
    verdict[(sizes < CLOSE) & lost] = Verdict.SINGULAR
    lower, upper = (np.array(x) for x in p.limits)
    if not (np.isfinite(lower) | np.isfinite(upper)).any():
        return verdict, joint
    # A limit is in the way if the target can be reached without limits.
    unlimited = _Problem.of(p.robot, dict(zip(p.tasks, (x[rows] for x in p.targets), strict=True)), False, None, 0.0)
    free = _Search(unlimited, search.tolerances, search._loop.steps)
    free.run(search.q[rows], GROUPS + 1)
    found = free.state == SOLVED
    q = _wrapped(p.robot, free.q, everywhere=True)
    beyond = np.maximum(lower - q, q - upper)
    verdict[found], joint[found] = Verdict.AT_LIMIT, np.argmax(beyond[found], axis=1)
    return verdict, joint


@lru_cache(maxsize=64)
def _remaining(model: Model, tasks: tuple[Task, ...]) -> CompiledFunction:
    """What a position leaves undone: squared distance and angle, rows of error, and their Jacobian."""
    robot = canonical(model)

    def remaining(q: Any, *targets: Any) -> Any:
        found = mismatches(robot, tasks, q, targets)
        errors = [e for m in found for e in m.error]
        J = [row for m in found for row in m.jacobian]
        return sum(m.position for m in found), sum(m.rotation for m in found), errors, J

    rows = sum({(4, 4): 6, (3, 3): 3, (3,): 3}[task.shape] for task in tasks)
    inputs = (Port("q", (model.nq,)), *(Port(f"target{k}", task.shape) for k, task in enumerate(tasks)))
    outputs = (Port("position", ()), Port("rotation", ()), Port("error", (rows,)), Port("J", (rows, model.nv)))
    return CompiledFunction(remaining, inputs, outputs, f"{model.fingerprint} remaining {tasks}")


def _wrapped(robot: Robot, q: Array, everywhere: bool = False) -> Array:
    """Angles without limits (or, `everywhere`, all angles) brought into [-π, π]."""
    q = q.copy()
    for b in robot.model.moving:
        if isinstance(b.joint, Helical):
            continue  # a turn of a screw is another position
        for k, angular in zip(range(*robot.model.q_slices[b.name].indices(robot.nq)), b.joint.angular, strict=False):
            if angular and (everywhere or not np.isfinite([robot.lower[k], robot.upper[k]]).any()):
                q[:, k] -= 2 * np.pi * np.round(q[:, k] / (2 * np.pi))
    return q
