"""Assembly: positions at which every loop is closed and every held frame is in place."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sixvec.algorithms.constraint_terms import constraint_jacobian
from sixvec.algorithms.declaration import JointVector
from sixvec.algorithms.parts.held_frames import Held, RollingFrame, held_frames, is_of_world, is_turn
from sixvec.algorithms.parts.reference import world_pose
from sixvec.border import Array, positive_number, real_array, require_shape
from sixvec.border.answer import Answer
from sixvec.constraints.loops import joint_columns
from sixvec.errors import ArgumentError
from sixvec.ik.machine import CPU, Machine
from sixvec.ik.problem import Problem
from sixvec.ik.search import one_start
from sixvec.ik.task import LoopTask, Mismatch, Task
from sixvec.model import Closure, Model
from sixvec.model.joints import Cylindrical, Helical, Planar, Revolute
from sixvec.model.loop_scale import loop_scale
from sixvec.model.wrong_positions import has_unit_quaternions, warn_of_degrees
from sixvec.robot import Robot
from sixvec.scalar import Scalar
from sixvec.spatial import Pose, so3
from sixvec.verdict import Verdict

CLOSED = 1e-12
"""Largest error, in metres or radians, of satisfied constraints."""

STEPS = 60
AGAIN = (0.01, 0.1, 0.3, 0.3, 1.0, 1.0)
"""Standard deviations, in radians or metres, of steps to further starts if the first one fails."""

WITHIN = 0.9
"""Fraction of the tolerance at which a search ends: the error is recomputed with different rounding."""

AXIS_OF: dict[type[Any], Any] = {
    Cylindrical: lambda j: j.axis, Helical: lambda j: j.axis, Planar: lambda j: j.normal, Revolute: lambda j: j.axis
}  # fmt: skip
"""Joints that keep an axis of one frame on that of the other."""


@dataclass(frozen=True, eq=False)
class Assembly(Answer):
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
    tolerance: float = CLOSED,
) -> Assembly:
    """The positions near q (..., nq) at which all loops are closed and the frames in `hold` keep their poses at q.

    Joints in `fixed` keep their positions.  Closed loops and held frames are tasks of the search for positions
    (`sixvec.ik.position_solver`): rows may depend on each other, steps are short, and of several assemblies it finds
    one near the start, in general not the nearest.  If that fails, for example from collinear bars, nearby starts are
    tried.  `tolerance` is in metres and radians; a mechanism of a micrometre and less may need a smaller one.

    >>> import sixvec
    >>> bars = sixvec.load("four_bar")
    >>> answer = bars.assemble([0.7, 0.0, 1.0], fixed=["drive"])
    >>> answer, float(answer.q[0]), bool(abs(bars.closure_error(answer.q)).max() < 1e-12)
    (<Assembly: 1 of 1 closed>, 0.7, True)
    """
    start, tolerance = real_array("assemble: q", q), positive_number("assemble: tolerance", tolerance)
    require_shape("assemble: q", start, robot.nq)
    warn_of_degrees(robot.model, start)
    stays, batch = fixed_columns(robot, fixed), start.shape[:-1]
    start = start.reshape(math.prod(batch), start.shape[-1])
    problem = assembly_problem(robot, start, hold)
    valid = np.isfinite(start).all(axis=-1) & has_unit_quaternions(robot.model, start)
    found, residual = attempt(problem, start, tolerance, stays)
    for nudge in _nudges(robot, stays):
        stuck = np.flatnonzero(valid & ~(residual <= tolerance))
        if not stuck.size:
            break
        near = np.asarray(robot.integrate(start[stuck], nudge), np.float64)
        again, left = attempt(problem.part(stuck), near, tolerance, stays)
        better = left < residual[stuck]
        found[stuck[better]], residual[stuck[better]] = again[better], left[better]
    failed = np.where(valid, Verdict.UNREACHABLE, Verdict.INVALID)
    verdict = np.where((residual <= tolerance) & valid, Verdict.SOLVED, failed).astype(np.int8)
    return Assembly(found.reshape(*batch, found.shape[-1]), residual.reshape(batch), verdict.reshape(batch))


def assembly_problem(robot: Robot, start: Array, hold: Mapping[Any, Any] | None) -> Problem:
    """Closed loops and frames that keep their poses at `start` (n, nq) as the tasks of a search."""
    held = held_frames(robot.model, hold)
    if rolling := [h.frame for h in held if isinstance(h, RollingFrame)]:
        raise ArgumentError(f'assemble: "{rolling[0]}" rolls, which restricts velocities and no position')
    weight = 1.0 / loop_scale(robot.model)  # against the damping of the search, which is absolute
    asked: dict[Task, Any] = {HeldTask(h, weight): _relative(robot, start, h) for h in held}
    if robot.model.closures:
        asked = {LoopTask(weight): np.zeros((len(start), 1)), **asked}
    return Problem.unlimited(robot, asked, (len(start),))


def attempt(
    problem: Problem, start: Array, tolerance: float, fixed: tuple[int, ...], machine: Machine = CPU
) -> tuple[Array, Array]:
    """The result from one start for each problem, and the remaining errors."""
    xp = machine.xp
    if not problem.tasks or not len(start):
        return start.copy(), xp.zeros(len(start))
    found, _ = one_start(problem, start, np.full(2, WITHIN * tolerance), STEPS, fixed, machine)
    left = xp.maximum(*problem.remaining(found, machine)[:2])
    against = xp.where(_axes_agree(problem.robot, found, xp), 0.0, np.pi)
    return found, xp.where(xp.isfinite(left), xp.maximum(left, against), np.inf)


def _axes_agree(robot: Robot, q: Any, xp: Any) -> Any:
    """Whether no closure aligns two antiparallel axes, which its joint could not reach; q is of the library `xp`."""
    agree = xp.ones(len(q), bool)
    for c in robot.model.closures:
        if isinstance(c, Closure) and type(c.joint) in AXIS_OF:
            u = xp.asarray([*map(float, AXIS_OF[type(c.joint)](c.joint))])
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


@dataclass(frozen=True, slots=True)
class HeldTask:
    """A frame kept in place along the held directions: the target is its pose in the world or `to`."""

    held: Held
    weight: float = 1.0
    frame: ClassVar[str] = ""
    shape: ClassVar[tuple[int, ...]] = (4, 4)

    def mismatch(self, model: Model, q: Any, target: Any) -> Mismatch:
        missing = _missing(model, JointVector(q, model.q_slices), self.held, Pose.from_matrix(target))
        rows = constraint_jacobian(model, q, hold=(self.held,))[-len(missing) :]
        turns, shifts = ([e * e for e, d in zip(missing, self.held.directions, strict=True) if is_turn(d) is turn]
                         for turn in (True, False))  # fmt: skip
        return Mismatch(missing, rows, sum(shifts), sum(turns))


def _missing(model: Model, q: JointVector, held: Held, X_target: Pose) -> list[Scalar]:
    """The deviation of a frame from its place along the held directions."""
    X = world_pose(model, q, model.frame(held.frame))
    if held.to is not None:
        X = world_pose(model, q, model.frame(held.to)).inv() @ X
    apart = X_target.inv() @ X
    turned, moved = X_target.rot @ so3.log(apart.rot) * -1.0, X_target.pos - X.pos
    own = {True: X.rot.inv() @ turned, False: X.rot.inv() @ moved}
    world = {True: turned, False: moved}
    axis = dict(zip("xyz", range(3), strict=True))
    return [[*(world if is_of_world(d) else own)[is_turn(d)]][axis[d[-1]]] for d in held.directions]
