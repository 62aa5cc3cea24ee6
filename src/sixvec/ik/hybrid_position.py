"""Hybrid positions: some joint positions and some coordinates of a frame are given, the others computed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sixvec.algorithms.jacobian import jacobian
from sixvec.algorithms.pose import pose
from sixvec.arguments import Array, common_batch, real_array
from sixvec.arguments.rigid_poses import require_rotations
from sixvec.constraints.loop_equations import closure_rows
from sixvec.errors import ArgumentError
from sixvec.geometry.orientation.euler import EulerAngles
from sixvec.ik.closest import closest
from sixvec.ik.completion import (
    Completed,
    Completion,
    given_components,
    given_joints,
    require_determined,
    verdict,
)
from sixvec.ik.hybrid_maps import velocity_names
from sixvec.ik.inputs import with_loops_closed
from sixvec.ik.kinematic_maps import MOST_ITERATIONS, POSITION_SOLVED
from sixvec.ik.levenberg_marquardt import target_shape
from sixvec.ik.problem import Problem
from sixvec.ik.search import one_start
from sixvec.kernels.any_arrays import any_arrays_same_dtype
from sixvec.kernels.function import compiled
from sixvec.model import Model
from sixvec.robot import Robot
from sixvec.scalar import arctan2, cos, sin, where
from sixvec.solve.decomposition import inverse_of_rank
from sixvec.spatial import Pose, Vec3
from sixvec.tasks.frame import OfFrame, Orientation
from sixvec.tasks.task import Mismatch, Shape, Task
from sixvec.verdict import Verdict, Verdicts, verdicts

POSE = ("roll", "pitch", "yaw", "x", "y", "z")
"""Turns about the fixed axes x, y, z in this order, rad, and the position of the origin, m, all in the world."""
ORIENTATION = "orientation"


@dataclass(frozen=True, eq=False, repr=False)
class HybridPosition(Completion):
    """All joint positions and the whole pose, from some of both."""

    q: Array
    pose: Array
    """(..., 4, 4)."""
    residual: Array
    """Remaining distance, m, or angle, rad, of the given values, whichever is larger; gaps of loops included."""
    solved: NDArray[np.bool_]
    """Whether all given values are satisfied; if not, q is the nearest position found."""
    undetermined: NDArray[np.int_]
    """Number of independent motions of the free joints that do not change the given values."""
    verdict: Verdicts
    """All satisfied: SOLVED, UNDERDETERMINED (too few were given), or SINGULAR (a motion is free here only).

    Not satisfied: CONTRADICTORY (too many were given), UNREACHABLE (no small motion comes nearer: out of reach, or a
    start in a singular position), NOT_CONVERGED (still moving after the last step), INVALID (not finite).
    """


@any_arrays_same_dtype
def hybrid_position(
    robot: Robot,
    q0: ArrayLike,
    frame: str,
    joints: Mapping[str, ArrayLike],
    task: Mapping[str, ArrayLike],
    *,
    strict: bool = False,
) -> HybridPosition:
    """Joint positions near `q0`, and the frame's pose, from some named joints and some coordinates of the pose.

    The coordinates are x, y, z of the origin and roll, pitch, yaw in the world, one number each; `orientation` is the
    whole rotation matrix (..., 3, 3) instead of angles.  With all joints given it is the forward position map, with the
    whole pose the inverse one; loops are closed (their passive joints follow from the motors).  Starts, joints and
    coordinates broadcast.  The result is one of possibly many; joint limits are ignored.

    The given values are tasks of the search of `sixvec.ik.solve`, from this start alone, at most MOST_ITERATIONS steps;
    where that fails, a descent leads to the nearest position.  One or two of the angles are coordinates only away from
    pitch ±90°; all three are compared as a rotation.  `strict` makes every verdict but SOLVED an error that names the
    cause.

    >>> import sixvec
    >>> from sixvec.ik import hybrid_position
    >>> arm = sixvec.load("planar_2r")
    >>> solution = hybrid_position(arm, [0.0, -0.5], "tip", {arm.joint_names[0]: 0.5}, {"z": 0.0})
    >>> solution.q.round(6).tolist(), solution.pose[0, 3].round(6).item(), str(solution)
    ([0.5, -1.0], 1.755165, 'solved')
    """
    given_q, fixed = given_joints(robot, joints, "q"), tuple(given_joints(robot, dict.fromkeys(joints, 0.0), "v").at)
    tasks, names = _tasks(frame, task)
    robot.model.frame(frame)
    start = real_array("hybrid_position: q0", q0, robot.nq)
    leads = {"q0": start.shape[:-1], "joints": given_q.values.shape[:-1]}
    leads |= {str(at): x.shape[: x.ndim - len(target_shape(at, robot.model))] for at, x in tasks.items()}
    batch = common_batch("hybrid_position", list(leads.values()), list(leads))
    q = np.broadcast_to(start, (*batch, robot.nq)).copy()
    q[..., given_q.at] = given_q.values[..., given_q.at]
    q = q.reshape(int(np.prod(batch)), robot.nq)
    problem = Problem.unlimited(robot, with_loops_closed(robot, tasks), batch)
    free = [i for i in range(robot.nv) if i not in fixed]
    unsolved_rows = np.ones(len(q), bool)
    if free and problem.tasks:
        q, unsolved_rows = _nearest(problem, q, fixed)
    result, B = _judged(problem, frame, q, unsolved_rows, free, len(names))
    if strict:
        rows = [*names, *(f"loop equation {i}" for i in range(B.shape[1] - len(names)))]
        require_determined(result, f"hybrid_position of {robot.name}", B.reshape(*batch, *B.shape[1:]),
                           velocity_names(robot, free), rows)  # fmt: skip
    return HybridPosition(
        result.x, result.y, result.error, result.error <= POSITION_SOLVED, result.undetermined, result.verdict
    )


@dataclass(frozen=True, repr=False)
class CoordinateTask(OfFrame):
    """Some coordinates of a frame: the target is all six of `POSE`, of which those of `numbers` count."""

    numbers: tuple[int, ...]

    def shape(self, model: Model) -> Shape:
        return (6,)

    def mismatch(self, model: Model, q: Any, target: Any) -> Mismatch:
        X = Pose.from_matrix(pose(model, q, self.frame))
        J = jacobian(model, q, self.frame) or [[]] * 6  # of a robot without joints
        angles = EulerAngles.from_rotation(X.rot, "xyz", "fixed")
        columns = [[*angles.rate_from_space(Vec3.of(w))] for w in zip(*J[:3], strict=True)]
        # At pitch ±90° the angles have no rates: the rows of all joints are zero.
        rates = [[where(angles.singular, 0.0, column[i]) for column in columns] for i in range(3)]
        missing = [t - x for t, x in zip(target, (*angles, *X.pos), strict=True)]
        missing[:3] = [arctan2(sin(e), cos(e)) for e in missing[:3]]
        turned, moved = (
            sum(missing[i] * missing[i] for i in self.numbers if (i < 3) is turn) for turn in (True, False)
        )
        return Mismatch([missing[i] for i in self.numbers], [[*rates, *J[3:]][i] for i in self.numbers], moved, turned)


def _tasks(frame: str, task: Mapping[str, ArrayLike]) -> tuple[dict[Task, Array], list[str]]:
    """The given coordinates as tasks with targets, and the names of their rows."""
    angles = [name for name in POSE[:3] if name in task]
    if ORIENTATION in task and angles:
        raise ArgumentError(f"give the orientation or {', '.join(angles)}, not both")
    tasks: dict[Task, Array] = {}
    if ORIENTATION in task:
        R = real_array("hybrid_position: orientation", task[ORIENTATION], 3, 3)
        require_rotations(R, "hybrid_position: orientation")
        tasks[Orientation(frame)] = R
    elif len(angles) == 3:
        three = np.stack(
            np.broadcast_arrays(*(real_array(f"hybrid_position: {name}", task[name]) for name in angles)), -1
        )
        tasks[Orientation(frame)] = np.asarray(rotation_of(three))
    turn = [f"turn about {axis}" for axis in "xyz"] if tasks else []
    numbers = given_components(
        {k: x for k, x in task.items() if k != ORIENTATION and not (tasks and k in angles)}, POSE
    )
    if numbers.at:
        tasks[CoordinateTask(frame, tuple(numbers.at))] = numbers.values
    return tasks, [*turn, *(POSE[i] for i in numbers.at)]


def _nearest(problem: Problem, start: Array, fixed: tuple[int, ...]) -> tuple[Array, NDArray[np.bool_]]:
    """Solutions near the starts, otherwise the nearest positions, and where those are stationary."""
    tolerances, stationary = np.full(2, 0.01 * POSITION_SOLVED), np.zeros(len(start), bool)
    q, _ = one_start(problem, start, tolerances, MOST_ITERATIONS, fixed)
    unsolved = np.flatnonzero(np.maximum(*problem.remaining(q)[:2]) > POSITION_SOLVED)
    if unsolved.size:
        # A descent may lead to a solution that long steps passed.
        subset = problem.part(unsolved)
        end = closest(subset, start[unsolved], MOST_ITERATIONS, fixed)
        near, solved = one_start(subset, end.q, tolerances, MOST_ITERATIONS, fixed)
        q[unsolved], stationary[unsolved] = np.where(solved[:, None], near, end.q), end.stationary
    return q, stationary


def _judged(
    problem: Problem, frame: str, q: Array, rows_left: NDArray[np.bool_], free: list[int], rows: int
) -> tuple[Completed, Array]:
    """The results with their verdicts, and the map from free joints to given values, those of the loops last."""
    robot, parts = problem.robot, []
    J, A = real_array("the Jacobian at q", robot.jacobian(q, frame)), closure_rows(robot, q)
    for task in problem.tasks:
        if isinstance(task, Orientation):
            parts.append(J[:, :3])
        elif isinstance(task, CoordinateTask):
            rates = np.asarray(robot.analytical_jacobian(q, frame), float)[:, task.numbers]
            parts.append(np.where(np.isfinite(rates), rates, 0.0))
    B = np.concatenate([*parts, A], axis=1)[..., free]
    C = B[:, rows:]
    inverse, loop_rank = inverse_of_rank(C, np.linalg.norm(A, axis=(1, 2)))
    _, rank = inverse_of_rank(B[:, :rows] @ (np.eye(len(free)) - inverse @ C), np.linalg.norm(J, axis=(1, 2)))
    missing = len(free) - loop_rank
    error = np.maximum(*problem.remaining(q)[:2]) if problem.tasks else 0.0 * q.sum(axis=1)
    met = error <= POSITION_SOLVED
    stuck = np.where(rows_left, Verdict.UNREACHABLE, Verdict.NOT_CONVERGED)
    unmet = np.where((rows > missing) & (rank == missing), Verdict.CONTRADICTORY, stuck)
    judged = np.where(met, verdict(missing, rows, rank, met), unmet)
    judged = verdicts(np.where(np.isfinite(error), judged, Verdict.INVALID))
    X = np.asarray(robot.pose(q, frame), float)
    results: list[Any] = [q, X, error, missing - rank, judged]
    return Completed(*(x.reshape(problem.batch + x.shape[1:]) for x in results)), B


@compiled("angles[3] -> R[3,3]")
def rotation_of(angles: list[float]) -> object:
    """The rotation of roll, pitch and yaw."""
    return EulerAngles.rpy(*angles).as_rotation().as_matrix()
