"""Numerical inverse kinematics on a CUDA device: the same search as on the CPU, with arrays of CuPy.

A launch runs one start for all problems, then many starts for the few that are unsolved.  Problems without solution are
searched again on the CPU, which determines the reason.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from sixvec.border import require_shape
from sixvec.compiler.runtime.cuda import cupy, on_device
from sixvec.errors import ArgumentError, ShapeError
from sixvec.ik.choose import chosen_options, require_method
from sixvec.ik.inputs import (
    as_position,
    as_target,
    checked_limits,
    checked_settings,
    coordinate_names,
    tolerances_of,
)
from sixvec.ik.levenberg_marquardt import loop
from sixvec.ik.position_solver import SOLVED
from sixvec.ik.problem import LARGEST, Problem, remaining_of
from sixvec.ik.search import ENOUGH, NEARLY
from sixvec.ik.solution import Solution
from sixvec.ik.solve import solve
from sixvec.ik.starts import GROUPS, LARGE, PER_GROUP, POOL, nearest, pool, start, table
from sixvec.ik.task import PoseTask
from sixvec.ik.whole_turns import towards_limits, wrapped
from sixvec.linear.rigid_poses import ROTATION_DEVIATION
from sixvec.robot import Robot
from sixvec.verdict import Verdict

AT_ONCE = 2**21
"""Problems times starts in one launch: many starts at once where few problems are left."""

COMPARED = 4096
"""Problems compared with the table of starts at once, if that is not a separate kernel."""

RANKED = 64
"""Problems compared with the pool of starts at once."""


def ik_on_device(
    robot: Robot,
    pose: Any,
    frame: str,
    q0: Any = None,
    method: str = "auto",
    limits: bool = True,
    swivel: Any = None,
    **options: Any,
) -> Solution:
    """As `Robot.ik` with method="numerical", on arrays of CuPy; all of the result except names is on the device."""
    require_method(method)
    if method == "closed_form" or swivel is not None:
        asked = "swivel=" if swivel is not None else 'method="closed_form"'
        raise ArgumentError(f"ik: {asked} computes on the CPU; on a device there is the numerical search alone")
    chosen = chosen_options(options)
    checked_limits(limits)
    starts, iterations, posture = chosen["starts"], chosen["iterations"], chosen["posture"]
    tolerances = tolerances_of(robot, checked_settings(chosen["tolerance"], starts, iterations))
    task = PoseTask(frame)
    rest = None if posture is None else _host(posture)
    problem = Problem.of(robot, {task: np.eye(4)}, limits, rest, chosen["posture_gain"])
    target = device_poses(robot, task, pose)
    batch = target.shape[:-2]
    n = math.prod(batch)
    xp = cupy()
    others = [xp.broadcast_to(xp.asarray(x), (n, *x.shape[1:])) for x in problem.targets[1:]]
    search = _Search(problem, [target.reshape(n, 4, 4), *others], tolerances, iterations)
    valid, begun = search.open.copy(), _starts(problem, q0, batch)
    search.run(begun, 0, min(starts, ENOUGH))
    search.pass_limits()
    search.run(begun, ENOUGH, min(starts, 2 * ENOUGH))
    search.run_nearest(starts)
    return search.judged(task, valid, batch, q0, limits, chosen | {"posture": rest})


def _host(x: Any) -> Any:
    return cupy().asnumpy(x)


def device_poses(robot: Robot, task: PoseTask, pose: Any) -> Any:
    """The poses in double precision; the first invalid one raises the same error as on the CPU."""
    xp = cupy()
    pose = xp.asarray(pose)
    if pose.dtype.kind != "f" or pose.dtype.itemsize < 4:
        as_target(robot, task, _host(pose))
        raise ArgumentError(f"ik: poses on the device must be float32 or float64, not {pose.dtype}")
    require_shape(f"the target of {task}", pose, 4, 4)
    pose = pose.astype("float64")
    R = pose[..., :3, :3]
    off = xp.abs(R @ R.swapaxes(-1, -2) - xp.eye(3)).max(axis=(-2, -1))
    off = xp.maximum(off, xp.abs(pose[..., 3, :] - xp.asarray([0.0, 0.0, 0.0, 1.0])).max(axis=-1))
    if bool((off > 0.5 * ROTATION_DEVIATION).any()):  # the CPU decides, whose test differs
        as_target(robot, task, _host(pose[off > 0.5 * ROTATION_DEVIATION]))
    return pose


def _starts(problem: Problem, q0: Any, batch: tuple[int, ...]) -> Any:
    """One start for all problems, or one for each."""
    xp, robot = cupy(), problem.robot
    if q0 is None:
        return xp.asarray(problem.middle()[:1])
    q0 = xp.asarray(q0, "float64")
    if q0.ndim == 1 or not bool(xp.isfinite(q0).all()):
        q0 = xp.asarray(as_position(robot, _host(q0)))
    try:
        rows = xp.broadcast_to(q0, (*batch, robot.nq)).reshape(-1, robot.nq)
    except ValueError:
        raise ShapeError(f"solve: starts {q0.shape} do not fit the batch {batch} of the targets") from None
    lower, upper = (xp.asarray(x) for x in problem.limits)
    return xp.clip(rows, lower, upper)


class _Search:
    """The best result so far of each problem, on the device."""

    def __init__(self, problem: Problem, targets: Any, tolerances: Any, iterations: int) -> None:
        xp, robot = cupy(), problem.robot
        self.problem, self.tolerances, self.iterations = problem, tolerances, iterations
        self.targets, n = targets, len(targets[0])
        self._loop = on_device(loop(robot.model, problem.tasks, problem.limits, problem.gain, iterations))
        self._given = [xp.asarray(tolerances), xp.asarray(problem.rest)]
        self.open = (xp.abs(targets[0].reshape(n, 16)) < LARGEST).all(axis=1)
        """Which problems are still worth a start."""
        self.q, self.cost = xp.full((n, robot.nq), np.nan), xp.full(n, np.inf)
        self.starts, self.solved = xp.zeros(n, "int64"), xp.zeros(n, bool)

    def run(self, q0: Any, first: int, stop: int) -> None:
        """The starts with numbers from `first` to `stop`, in the order of the CPU's search."""
        xp, p = cupy(), self.problem
        rows = xp.flatnonzero(self.open & ~self.solved)
        if first == 0 < stop and rows.size:
            rows = self._descend(rows, q0[None] if len(q0) == 1 else q0[rows][:, None])
        if first == 0 and stop > 1 and rows.size:
            groups = xp.arange(min(stop - 1, GROUPS))
            near = self._nearest([x[rows] for x in self.targets])[:, : groups.size]
            rows = self._descend(rows, xp.asarray(table(p.robot.model, p.limits))[near * GROUPS + groups])
        others = range(max(first, GROUPS + 1), stop)
        if others and rows.size:
            q = np.stack([start(p.robot.model, p.limits, k - GROUPS - 1) for k in others])
            self._descend(rows, xp.asarray(q)[None])

    def _descend(self, rows: Any, q: Any) -> Any:
        """Several starts for some problems, (rows or one, starts, nq), as if in sequence; the unsolved problems."""
        xp, count, at = cupy(), q.shape[1], 0
        while at < count and rows.size:
            n = int(rows.size)
            many = min(count - at, max(1, AT_ONCE // n))
            part = q[:, at : at + many]
            targets = [x[rows][:, None] for x in self.targets]
            zero = xp.zeros((1, 1))
            q1, best, _, state = self._loop(part, zero + np.inf, zero, zero, *self._given, *targets)
            solved = state == SOLVED
            done = solved.any(axis=1)
            # The first start that solves a problem is the last that is counted; otherwise the closest end is kept.
            chosen = xp.where(done, solved.argmax(axis=1), best.argmin(axis=1))
            each = xp.arange(n)
            q1, best = q1[each, chosen], best[each, chosen]
            better = done | (best < self.cost[rows])
            self.starts[rows] += xp.where(done, chosen + 1, many)
            self.q[rows] = xp.where(better[:, None], q1, self.q[rows])
            self.cost[rows] = xp.where(better, best, self.cost[rows])
            self.solved[rows] = done
            rows, q = rows[~done], q if len(q) == 1 else q[~done]
            at += many
        return rows

    def pass_limits(self) -> None:
        """Drop problems unsolvable even without limits; a search without limits that ends within them is a solution."""
        xp, p = cupy(), self.problem
        rows = xp.flatnonzero(self.open & ~self.solved)
        self.open &= self.solved
        if not (rows.size and p.is_limited):
            return
        free = _Search(p.part(np.zeros(1, int), limited=False), [x[rows] for x in self.targets], self.tolerances,
                       self.iterations)  # fmt: skip
        free.run(self.q[rows], 0, GROUPS + 1)
        rows, q = rows[free.solved], free.q[free.solved]
        lower, upper = (xp.asarray(x) for x in p.limits)
        q = xp.asarray(towards_limits(p.robot, _host(q)))
        inside = ((q >= lower) & (q <= upper)).all(axis=1)
        self.q[rows[inside]], self.solved[rows[inside]] = q[inside], True
        self.open[rows[~inside]] = True

    def run_nearest(self, stop: int) -> None:
        """More starts, from the nearest of a large pool, for nearly solved problems."""
        xp, p = cupy(), self.problem
        rows = xp.flatnonzero(self.open & ~self.solved & (self.cost < NEARLY))
        count = min(stop - 2 * ENOUGH, POOL)
        if count <= 0 or not rows.size:
            return
        starts, compare = xp.asarray(pool(p.robot.model, p.limits)), on_device(remaining_of(p.robot.model, p.tasks))
        for first in range(0, int(rows.size), RANKED):
            some = rows[first : first + RANKED]
            cost = compare(starts[None], *(x[some][:, None] for x in self.targets))[2]
            order = cost.reshape(some.size, POOL).argsort(axis=1)[:, :count]
            self._descend(some, starts[order])

    def _nearest(self, targets: Any) -> Any:
        """For each problem the best entry of the table of starts in each group."""
        xp, p = cupy(), self.problem
        if p.robot.nv <= LARGE and p.is_limited:
            found = on_device(nearest(p.robot.model, p.tasks, p.limits))(*targets)[0]
            return found.reshape(-1, GROUPS).astype("int64")
        starts = xp.asarray(table(p.robot.model, p.limits))
        compare = on_device(remaining_of(p.robot.model, p.tasks))
        parts = []
        for first in range(0, len(targets[0]), COMPARED):
            some = [x[first : first + COMPARED, None] for x in targets]
            far, turned, *_ = compare(starts[None], *some)
            parts.append((far + turned).reshape(-1, PER_GROUP, GROUPS).argmin(axis=1))
        return xp.concatenate(parts)

    def judged(
        self, task: PoseTask, valid: Any, batch: tuple[int, ...], q0: Any, limits: bool, options: dict[str, Any]
    ) -> Solution:
        """The result; unsolved problems are passed to the CPU."""
        xp, p = cupy(), self.problem
        n, robot = len(self.q), p.robot
        verdict = xp.where(valid, int(Verdict.SOLVED), int(Verdict.INVALID)).astype("int8")
        joint = xp.full(n, -1)
        far, turned, *_ = on_device(remaining_of(robot.model, p.tasks))(self.q, *self.targets)
        position, rotation = xp.sqrt(far).reshape(n), xp.sqrt(turned).reshape(n)
        rows = xp.flatnonzero(valid & ~self.solved)
        if rows.size:
            begun = None
            if q0 is not None:
                begun = _host(xp.broadcast_to(xp.asarray(q0, "float64"), (*batch, robot.nq)).reshape(n, -1)[rows])
            rest = solve(robot, {task: _host(self.targets[0][rows])}, q0=begun, limits=limits, **options)
            for kept, found in (
                (self.q, rest.q), (verdict, rest.verdict), (joint, rest.joint), (self.starts, rest.starts),
                (position, rest.position_error), (rotation, rest.rotation_error),
            ):  # fmt: skip
                kept[rows] = xp.asarray(found)
        q = wrapped(robot, self.q, xp)
        return Solution(
            q.reshape(*batch, robot.nq), verdict.reshape(batch), position.reshape(batch), rotation.reshape(batch),
            joint.reshape(batch), self.starts.reshape(batch), coordinate_names(robot),
        )  # fmt: skip
