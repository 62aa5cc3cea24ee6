"""Assembly: positions at which every loop is closed and every held frame is in place."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sixvec.algorithms.constraint_terms import constraint_jacobian
from sixvec.algorithms.declaration import JointVector
from sixvec.algorithms.parts.held_frames import held_frames
from sixvec.algorithms.parts.reference import world_pose
from sixvec.arguments import Array, positive_number
from sixvec.arguments.result import Result
from sixvec.constraints.loops import joint_columns
from sixvec.errors import ArgumentError
from sixvec.ik.machine import CPU, Machine, machine_of
from sixvec.ik.problem import Problem
from sixvec.ik.search import one_start
from sixvec.kernels import Port
from sixvec.mechanism.row_rank import gap_limits, loop_rank, row_rank
from sixvec.model import Closure, Model
from sixvec.model.held_frame import Held, RollingFrame
from sixvec.model.spanning_tree import without_rolling
from sixvec.model.wrong_positions import has_unit_quaternions, warn_of_degrees
from sixvec.robot import Robot
from sixvec.scalar import Scalar
from sixvec.spatial import Pose, so3
from sixvec.tasks.held import ClosedLoops
from sixvec.tasks.task import Mismatch, Shape, Task
from sixvec.tolerances import CLOSED
from sixvec.verdict import Verdict

STEPS = 60
AGAIN = (0.01, 0.1, 0.3, 0.3, 1.0, 1.0)
"""Standard deviations, in radians or metres, of steps to further starts if the first one fails."""

SEARCH_ENDS = 1e-8
"""Errors, in radians and fractions of the size, with which a search for the nearest position ends: it is damped."""

NEARLY = 0.3
"""Fraction of the gap that rounded dimensions may leave at which loops that were far open count as nearly closed."""

WITHIN = 0.03
"""Fraction of the tolerance at which a search ends: Newton steps are cheap, and differences of positions are smooth."""


@dataclass(frozen=True, eq=False)
class Assembly(Result):
    """Positions (..., nq), remaining errors (...,) in m or rad, and whether the constraints are satisfied."""

    q: NDArray[np.float64]
    residual: NDArray[np.float64]
    verdict: NDArray[np.int8]

    def __bool__(self) -> bool:
        return bool((self.verdict == int(Verdict.SOLVED)).all())  # arrays of devices compare with numbers alone

    def __repr__(self) -> str:
        solved = int((self.verdict == int(Verdict.SOLVED)).sum())
        return f"<Assembly: {solved} of {math.prod(self.verdict.shape)} closed>"


def assemble(
    robot: Robot,
    q: ArrayLike,
    fixed: Sequence[str] = (),
    hold: Mapping[Any, Any] | None = None,
    *,
    tolerance: float | None = None,
) -> Assembly:
    """The position nearest to q (..., nq) at which all loops are closed and the frames in `hold` keep their poses at q.

    Joints in `fixed` keep their positions.  A position that is closed already is returned unchanged; otherwise steps
    lead to a closed position whose distance from q, in radians and metres of the joints, is a local minimum.  If none
    is reached, for example from collinear bars, nearby starts are tried.  `tolerance`, in metres and radians, is that
    of independent constraints, by default 1e-12 of the size of the loops.  Constraints that depend on others up to
    the precision of the dimensions are closed to that precision (`sixvec.constraints.report`); `residual` is the
    largest remaining error of all.

    >>> import sixvec
    >>> bars = sixvec.load("four_bar")
    >>> answer = bars.assemble([0.7, 0.0, 1.0], fixed=["drive"])
    >>> answer, float(answer.q[0]), bool(abs(bars.closure_error(answer.q)).max() < 1e-12)
    (<Assembly: 1 of 1 closed>, 0.7, True)
    """
    machine = machine_of(q)
    xp, start = machine.xp, machine.array(q, Port("q", (robot.nq,)), "assemble")
    stays, batch = fixed_columns(robot, fixed), start.shape[:-1]
    start = start.reshape(math.prod(batch), robot.nq)
    host = machine.host(start)
    warn_of_degrees(robot.model, host)
    search = AssemblySearch.of(robot, host, hold, stays, tolerance).on(machine, start)
    valid = machine.send(np.isfinite(host).all(axis=-1) & has_unit_quaternions(robot.model, host))
    closest, left = search.nearest(start)
    if not machine.is_device:
        search.try_again(start, valid, closest, left)
    failed = xp.where(valid, int(Verdict.UNREACHABLE), int(Verdict.INVALID))
    verdict = xp.where((left <= 1.0) & valid, int(Verdict.SOLVED), failed).astype("int8")
    result = Assembly(closest, search.residual(closest), verdict)
    rows = xp.flatnonzero(verdict != int(Verdict.SOLVED))
    if machine.is_device and rows.size:
        rest = assemble(robot, host[machine.host(rows)], fixed, hold, tolerance=tolerance)
        result = machine.with_rows(result, rows, rest)
    return Assembly(result.q.reshape(*batch, robot.nq), result.residual.reshape(batch), result.verdict.reshape(batch))


@dataclass(frozen=True)
class AssemblySearch:
    """Closed loops and frames that keep their poses as the tasks of a search; errors are in units of the tolerance."""

    problem: Problem
    fixed: tuple[int, ...]
    tolerances: Array
    """In metres and radians."""
    size: float
    """Of the largest loop, in metres."""
    machine: Machine = CPU

    @classmethod
    def of(
        cls,
        robot: Robot,
        start: Array,
        hold: Mapping[Any, Any] | None,
        fixed: tuple[int, ...],
        tolerance: float | None,
    ) -> AssemblySearch:
        held = held_frames(robot.model, hold)
        if rolling := [h.frame for h in held if isinstance(h, RollingFrame)]:
            raise ArgumentError(f'assemble: "{rolling[0]}" rolls, which restricts velocities and no position')
        size = max(row_rank(without_rolling(robot.model), held).size, default=1.0)
        tasks: dict[Task, Any] = {HeldTask(h, weight=1.0 / size): _relative(robot, start, h) for h in held}
        if robot.model.closures:
            tasks = {ClosedLoops(weight=1.0 / size, fixed=fixed): np.zeros((len(start), 1)), **tasks}
        least = (
            (CLOSED * size, CLOSED) if tolerance is None else (positive_number("assemble: tolerance", tolerance),) * 2
        )
        problem = replace(Problem.unlimited(robot, tasks, (len(start),)), rest=start)
        return cls(problem, fixed, np.array(least), size)

    def on(self, machine: Machine, start: Any) -> AssemblySearch:
        """The same search with arrays of a machine; `start` are those of the search."""
        targets = tuple(map(machine.send, self.problem.targets))
        return replace(self, problem=replace(self.problem, targets=targets, rest=start), machine=machine)

    def try_again(self, start: Array, valid: Array, closest: Array, left: Array) -> None:
        """More starts for positions that stay open; changes the rows of `found` and `left` that they improve."""
        robot = self.problem.robot
        for nudge in (np.zeros(robot.nv), *_nudges(robot, self.fixed)):
            stuck = np.flatnonzero(valid & ~(left <= 1.0))
            if not stuck.size:
                break
            near = np.asarray(robot.integrate(start[stuck], nudge), np.float64)
            again, missed = self.part(stuck).from_start(near)
            better = missed < left[stuck]
            closest[stuck[better]], left[stuck[better]] = again[better], missed[better]

    def part(self, rows: NDArray[np.int64]) -> AssemblySearch:
        """For some of the starts."""
        return replace(self, problem=replace(self.problem.part(rows), rest=self.problem.rest[rows]))

    def nearest(self, start: Any, from_q: Any = None) -> tuple[Any, Any]:
        """The closed position nearest to each start, searched from there or from `from_q`, and the errors left."""
        xp, q = self.machine.xp, start if from_q is None else from_q
        left = self.left(q)
        if not self.problem.tasks or not len(q) or (from_q is None and bool((left <= 1.0).all())):
            return q.copy(), left
        drawn, roughly = replace(self.problem, gain=1.0), SEARCH_ENDS * np.array([self.size, 1.0])
        closest, _ = one_start(drawn, self._nearly(q), roughly, STEPS, self.fixed, self.machine, settle=True)
        closest, _ = one_start(self.problem, closest, WITHIN * self.tolerances, STEPS, self.fixed, self.machine)
        missed = self.left(closest)
        better = (missed <= 1.0) & ~((left <= 1.0) & (from_q is None))
        if from_q is not None:
            far, near = (self._distance(start, x) for x in (q, closest))
            better &= near < far
        return xp.where(better[:, None], closest, q), xp.where(better, missed, left)

    def from_start(self, q: Any) -> tuple[Any, Any]:
        """A closed position that steps from q reach, drawn towards the position that was asked for."""
        closed = self._nearly(q)
        closed, _ = one_start(self.problem, closed, WITHIN * self.tolerances, STEPS, self.fixed, self.machine)
        return self.nearest(self.problem.rest, closed)

    def _nearly(self, q: Any) -> Any:
        """Loops that are far open are closed by all their rows, up to the precision of the dimensions."""
        far = self._dependent(q) > 1.0
        loops = [task for task in self.problem.tasks if isinstance(task, ClosedLoops)]
        if not loops or not loop_rank(self.problem.robot.model).dependent or not bool(far.any()):
            return q
        tasks = tuple(replace(t, of_all_rows=True) if t in loops else t for t in self.problem.tasks)
        limit = float(gap_limits(self.problem.robot.model).min())
        open_ones = replace(self.problem, tasks=tasks)
        nearly, _ = one_start(open_ones, q, np.full(2, NEARLY * limit), STEPS, self.fixed, self.machine)
        return self.machine.xp.where(far[:, None], nearly, q)

    def left(self, q: Any) -> Any:
        """The remaining errors in units of the tolerance: of independent constraints, and of all."""
        xp = self.machine.xp
        if not self.problem.tasks or not len(q):
            return xp.zeros(len(q))
        far, turned = self.problem.remaining(q, self.machine)[:2]
        left = xp.maximum(far / self.tolerances[0], turned / self.tolerances[1])
        left = xp.maximum(left, xp.where(_axes_agree(self.problem.robot, q, xp), 0.0, np.inf))
        return xp.where(xp.isfinite(left), xp.maximum(left, self._dependent(q)), np.inf)

    def residual(self, q: Any) -> Any:
        """The largest error of any constraint, in m or rad; infinite where it is not a number."""
        xp = self.machine.xp
        if not self.problem.tasks or not len(q):
            return xp.zeros(len(q))
        left = xp.maximum(*self.problem.remaining(q, self.machine)[:2])
        if self.problem.robot.model.closures:
            left = xp.maximum(left, abs(xp.asarray(self.problem.robot.closure_error(q))).max(axis=-1))
        return xp.where(xp.isfinite(left), left, np.inf)

    def _dependent(self, q: Any) -> Any:
        """The errors of all loops in units of what rounded dimensions may leave."""
        xp, model = self.machine.xp, self.problem.robot.model
        if not model.closures:
            return xp.zeros(len(q))
        least = np.minimum(*self.tolerances)
        limit = xp.asarray(np.maximum(gap_limits(model), least * np.sqrt(len(gap_limits(model)))))
        return (abs(xp.asarray(self.problem.robot.closure_error(q))) / limit).max(axis=-1)

    def _distance(self, q0: Any, q1: Any) -> Any:
        xp = self.machine.xp
        return (xp.asarray(self.problem.robot.difference(q0, q1)) ** 2).sum(axis=-1)


def _axes_agree(robot: Robot, q: Any, xp: Any) -> Any:
    """Whether no closure aligns two antiparallel axes, which its joint could not reach; q is of the library `xp`."""
    agree = xp.ones(len(q), bool)
    for c in robot.model.closures:
        if isinstance(c, Closure) and len(c.joint.rotation_axes) == 1:  # the axis is the same in both frames
            u = xp.asarray([*map(float, c.joint.rotation_axes[0])])
            R, S = (xp.asarray(robot.pose(q, frame))[:, :3, :3] @ u for frame in (c.first, c.second))
            agree &= ~((R * S).sum(axis=-1) < 0.0)
    return agree


def _nudges(robot: Robot, fixed: tuple[int, ...]) -> Iterator[Array]:
    """Steps to other starts if the given one fails: collinear bars have no preferred direction to bend."""
    rng = np.random.default_rng(0)
    for size in AGAIN:
        nudge = np.zeros(robot.nv)
        free = np.setdiff1d(np.arange(robot.nv), fixed)
        nudge[free] = rng.normal(0.0, size, free.size)
        yield nudge


def fixed_columns(robot: Robot, fixed: Sequence[str]) -> tuple[int, ...]:
    """The coordinates of v that may not move."""
    if isinstance(fixed, str):
        raise ArgumentError(f'fixed="{fixed}" is one name; write a list: ["{fixed}"]')
    return tuple(sorted({int(i) for i in joint_columns(robot, fixed)}))


def _relative(robot: Robot, q: NDArray[np.float64], held: Held) -> NDArray[np.float64]:
    """The pose of a held frame, in the world or in the frame to which it is held."""
    X = np.asarray(robot.pose(q, held.frame), float)
    return X if held.to is None else np.linalg.inv(np.asarray(robot.pose(q, held.to), float)) @ X


@dataclass(frozen=True, repr=False)
class HeldTask(Task):
    """A frame kept in place along the held directions: the target is its pose in the world or `to`."""

    held: Held

    def shape(self, model: Model) -> Shape:
        return (4, 4)

    def mismatch(self, model: Model, q: Any, target: Any) -> Mismatch:
        missing = _missing(model, JointVector(q, model.q_slices), self.held, Pose.from_matrix(target))
        rows = constraint_jacobian(model, q, hold=(self.held,))[-len(missing) :]
        turns, shifts = ([e * e for e, d in zip(missing, self.held.directions, strict=True) if d.turns is turn]
                         for turn in (True, False))  # fmt: skip
        return Mismatch(missing, rows, sum(shifts), sum(turns))


def _missing(model: Model, q: JointVector, held: Held, X_target: Pose) -> list[Scalar]:
    """The deviation of a frame from its place along the held directions."""
    X = world_pose(model, q, model.frame(held.frame))
    X_TW = Pose.identity() if held.to is None else world_pose(model, q, model.frame(held.to)).inv()
    X = X_TW @ X
    apart = X_target.inv() @ X
    turned, moved = X_target.rot @ so3.log(apart.rot) * -1.0, X_target.pos - X.pos
    in_frame = X.rot.inv() @ turned, X.rot.inv() @ moved
    errors = []
    for d in held.directions:
        turn, shift = (turned, moved) if d.in_world else in_frame
        errors.append(d.axis_in(X_TW.rot).dot(turn if d.turns else shift))
    return errors
