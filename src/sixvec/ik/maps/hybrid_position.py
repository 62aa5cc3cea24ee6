"""Hybrid positions: some joint positions and some coordinates of a frame are given, the others computed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sixvec.border import common_batch
from sixvec.constraints.loop_equations import closure_rows
from sixvec.errors import ArgumentError, ShapeError
from sixvec.geometry.orientation.euler import EulerAngles
from sixvec.ik.maps.completion import (
    Completed,
    Completion,
    Given,
    given_components,
    given_joints,
    require_determined,
    verdict,
)
from sixvec.ik.maps.hybrid import coordinate_names
from sixvec.ik.maps.maps import MOST_ITERATIONS, POSITION_SOLVED, pose_difference
from sixvec.kernels.function import compiled
from sixvec.linear.decomposition import inverse_of_rank
from sixvec.linear.metric import Array
from sixvec.linear.rigid_poses import require_rotations
from sixvec.robot import Robot
from sixvec.spatial import Rotation
from sixvec.verdict import Verdict, Verdicts, verdicts

POSE = ("roll", "pitch", "yaw", "x", "y", "z")
"""Turns about the fixed axes x, y, z in this order, rad, and the position of the origin, m, all in the world."""
ORIENTATION = "orientation"

LONGEST_STEP = 0.5
"""No coordinate moves further in one step, in radians or metres: a long step could end on another branch."""
STATIONARY = 1e-7
"""Fraction of the error, in joint space, below which no joint can reduce it."""
FIRST_DAMPING, LEAST_DAMPING, MOST_DAMPING = 0.5, 1e-6, 1e12
"""Times the squared error, added to the squares of the singular values."""


@dataclass(frozen=True, repr=False)
class HybridPosition(Completion):
    """All joint positions and the whole pose, from some of both."""

    q: Array
    pose: Array
    """(..., 4, 4)."""
    residual: Array
    """Largest remaining error of the given values, rad or m, gaps of loops included."""
    solved: NDArray[np.bool_]
    """Whether all given values are satisfied; if not, q is the nearest position found."""
    undetermined: NDArray[np.int_]
    """Number of independent motions of the free joints that do not change the given values."""
    verdict: Verdicts
    """All satisfied: SOLVED, UNDERDETERMINED (too few were given), or SINGULAR (a motion is free here only).

    Not satisfied: CONTRADICTORY (too many were given), UNREACHABLE (no small motion comes nearer: out of reach, or a
    start in a singular position), NOT_CONVERGED (still moving after the last step), INVALID (not finite).
    """


def hybrid_position(
    robot: Robot,
    q0: ArrayLike,
    frame: str,
    joints: Mapping[str, ArrayLike],
    task: Mapping[str, ArrayLike],
    *,
    strict: bool = False,
) -> HybridPosition:
    """Joint positions near `q0`, and the frame's pose, from some joints (by name) and some coordinates of the pose.

    The coordinates are x, y, z of the origin and roll, pitch, yaw in the world, one number each; `orientation` is the
    whole rotation matrix (..., 3, 3) instead of angles.  With all joints given it is the forward position map, with the
    whole pose the inverse one; loops are closed (their passive joints follow from the motors).  Starts, joints and
    coordinates broadcast.  The result is one of possibly many; joint limits are ignored.

    Levenberg-Marquardt on the mixed error, damped by its square (T. Sugihara, IEEE Trans. Robotics 27(5), 2011), a step
    is accepted only if it reduces the error; at most MOST_ITERATIONS steps.  One or two of the angles are coordinates
    only away from pitch ±90°; all three are compared as a rotation.  `strict` makes every verdict but SOLVED an error
    that names the cause.

    >>> import sixvec
    >>> arm = sixvec.load("planar_2r")
    >>> answer = hybrid_position(arm, [0.0, -0.5], "tip", {arm.joint_names[0]: 0.5}, {"z": 0.0})
    >>> answer.q.round(6).tolist(), answer.pose[0, 3].round(6).item(), str(answer)
    ([0.5, -1.0], 1.755165, 'solved')
    """
    given_q, held = given_joints(robot, joints, "q"), given_joints(robot, dict.fromkeys(joints, 0.0), "v").at
    goal = _goal(robot, frame, task, [i for i in range(robot.nv) if i not in held])
    start = np.asarray(q0, float)
    if start.shape[-1:] != (robot.nq,):
        raise ShapeError(f"{robot.name} has {robot.nq} joint positions, (..., {robot.nq}); q0 is {start.shape}")
    leads = {"q0": start.shape[:-1], "joints": given_q.values.shape[:-1], **goal.shapes}
    batch = common_batch("hybrid_position", list(leads.values()), list(leads))
    q = np.broadcast_to(start, (*batch, robot.nq)).copy()
    q[..., given_q.at] = given_q.values[..., given_q.at]
    goal = goal.flat(batch)
    best, stopped = _search(goal, q.reshape(int(np.prod(batch)), robot.nq))
    found, B = _judged(goal, best, stopped, batch)
    if strict:
        require_determined(found, f"hybrid_position of {robot.name}", B.reshape(*batch, *B.shape[1:]),
                           coordinate_names(robot, goal.open), goal.names)  # fmt: skip
    solved = found.error <= POSITION_SOLVED
    return HybridPosition(found.x, found.y, found.error, solved, found.undetermined, found.verdict)


@dataclass(frozen=True, eq=False)
class _Goal:
    """The problem: rows of the pose, the targets, and the velocity coordinates that may move."""

    robot: Robot
    frame: str
    rows: Given
    """Of POSE."""
    rotation: Array | None
    """(..., 3, 3), if the whole orientation is given."""
    open: list[int]

    @property
    def shapes(self) -> dict[str, tuple[int, ...]]:
        shapes = {"coordinates": self.rows.values.shape[:-1]}
        return shapes if self.rotation is None else {**shapes, ORIENTATION: self.rotation.shape[:-2]}

    @property
    def names(self) -> list[str]:
        turn = ["turn about x", "turn about y", "turn about z"] if self.rotation is not None else []
        loops = closure_rows(self.robot, self.robot.neutral()).shape[-2]
        return [*turn, *(POSE[i] for i in self.rows.at), *(f"loop equation {i}" for i in range(loops))]

    @property
    def asked(self) -> int:
        """Rows without those of the loops."""
        return len(self.rows.at) + (0 if self.rotation is None else 3)

    def flat(self, batch: tuple[int, ...]) -> _Goal:
        values = np.broadcast_to(self.rows.values, (*batch, 6)).reshape(-1, 6)
        R = None if self.rotation is None else np.broadcast_to(self.rotation, (*batch, 3, 3)).reshape(-1, 3, 3)
        return _Goal(self.robot, self.frame, Given(self.rows.at, values), R, self.open)

    def sample(self, at: NDArray[np.intp]) -> _Goal:
        R = None if self.rotation is None else self.rotation[at]
        return _Goal(self.robot, self.frame, Given(self.rows.at, self.rows.values[at]), R, self.open)

    def error(self, q: Array) -> Array:
        """Given minus actual values, (n, rows)."""
        X = np.asarray(self.robot.pose(q, self.frame), float)
        e = self.rows.values - np.concatenate([np.asarray(roll_pitch_yaw(X[:, :3, :3])), X[:, :3, 3]], axis=1)
        e[:, :3] = (e[:, :3] + np.pi) % (2.0 * np.pi) - np.pi
        parts = [e[:, self.rows.at]]
        if self.rotation is not None:
            target = X.copy()
            target[:, :3, :3] = self.rotation
            parts.insert(0, np.asarray(pose_difference(X, target))[:, :3])
        if self.robot.model.closures:
            parts.append(-np.asarray(self.robot.closure_error(q), float))
        return np.concatenate(parts, axis=1)

    def slope(self, q: Array) -> Array:
        """The Jacobian of the compared values with respect to the free joints, (n, rows, open)."""
        J = np.asarray(self.robot.jacobian(q, self.frame), float)
        angles = [i for i in self.rows.at if i < 3]
        parts = [J[:, [i for i in self.rows.at if i >= 3]]]
        if angles:
            rates = np.asarray(self.robot.analytical_jacobian(q, self.frame), float)[:, angles]
            # At pitch ±90° the angles have no rates: the rows of all joints are zero.
            parts.insert(0, np.where(np.isfinite(rates).all(axis=(1, 2), keepdims=True), rates, 0.0))
        if self.rotation is not None:
            parts.insert(0, J[:, :3])
        return np.concatenate([*parts, closure_rows(self.robot, q)], axis=1)[..., self.open]


def _goal(robot: Robot, frame: str, task: Mapping[str, ArrayLike], free: list[int]) -> _Goal:
    angles = [name for name in POSE[:3] if name in task]
    if ORIENTATION in task and angles:
        raise ArgumentError(f"give the orientation or {', '.join(angles)}, not both")
    whole = ORIENTATION in task or len(angles) == 3
    if ORIENTATION in task:
        R = np.asarray(task[ORIENTATION], float)
        if R.shape[-2:] != (3, 3):
            raise ShapeError(f"an orientation is a rotation matrix, (..., 3, 3); this array is {R.shape}")
        require_rotations(R, "hybrid_position: orientation")
    elif whole:
        R = np.asarray(rotation_of(np.stack(np.broadcast_arrays(*(np.asarray(task[n], float) for n in angles)), -1)))
    used = {name: value for name, value in task.items() if name != ORIENTATION and not (whole and name in angles)}
    return _Goal(robot, frame, given_components(used, POSE), R if whole else None, free)


def _search(goal: _Goal, q: Array) -> tuple[Array, NDArray[np.bool_]]:
    """The nearest positions found, and whether the search converged there."""
    q = q.copy()
    e = goal.error(q)
    size = np.linalg.norm(e, axis=1)
    factor = np.full(len(q), FIRST_DAMPING)
    rest = ~np.isfinite(size)
    # Not `sixvec.ik.position_solver`: the caller chooses rows and joints, and a step is accepted only if it reduces the
    # error: a converged position is stationary, as its verdict states.
    for _ in range(MOST_ITERATIONS if goal.open else 0):
        at = np.flatnonzero(~rest & (np.abs(e).max(axis=1, initial=0.0) > 0.01 * POSITION_SOLVED))
        if not len(at):
            break
        here = goal.sample(at)
        U, s, Vt = np.linalg.svd(here.slope(q[at]), full_matrices=False)
        along = np.einsum("nij,ni->nj", U, e[at])
        gains = s / np.where(s > 0.0, s**2 + (factor[at] * size[at] ** 2)[:, None], 1.0)
        gains = np.where(s > 1e-12 * s.max(axis=1, keepdims=True, initial=0.0), gains, 0.0)
        step = np.zeros((len(at), goal.robot.nv))
        step[:, goal.open] = np.einsum("nji,nj->ni", Vt, gains * along)
        longest = np.abs(step).max(axis=1, keepdims=True, initial=0.0)
        trial = np.asarray(goal.robot.integrate(q[at], step * (LONGEST_STEP / np.maximum(longest, LONGEST_STEP))))
        e_trial = here.error(trial)
        size_trial = np.linalg.norm(e_trial, axis=1)
        nearer = size_trial < size[at]
        q[at[nearer]], e[at[nearer]], size[at[nearer]] = trial[nearer], e_trial[nearer], size_trial[nearer]
        factor[at] = np.where(nearer, np.maximum(factor[at] / 5.0, LEAST_DAMPING), factor[at] * 10.0)
        seen = np.linalg.norm(s * along, axis=1)
        still = seen <= STATIONARY * s.max(axis=1, initial=0.0) * np.linalg.norm(e[at], axis=1)
        rest[at] = ~nearer & (still | (factor[at] > MOST_DAMPING))
    return q, rest | (not goal.open)


def _judged(goal: _Goal, q: Array, rest: NDArray[np.bool_], batch: tuple[int, ...]) -> tuple[Completed, Array]:
    """The results with their verdicts, and the map from free joints to given values."""
    e, finite = goal.error(q), np.isfinite(q).all(axis=1)
    error: Array = np.where(finite, np.abs(e).max(axis=1, initial=0.0), np.nan)
    B = goal.slope(q)
    sizes = np.linalg.norm(np.asarray(goal.robot.jacobian(q, goal.frame), float), axis=(1, 2))
    C = B[:, goal.asked :]
    inverse, loop_rank = inverse_of_rank(C, np.linalg.norm(closure_rows(goal.robot, q), axis=(1, 2)))
    _, rank = inverse_of_rank(B[:, : goal.asked] @ (np.eye(len(goal.open)) - inverse @ C), sizes)
    left = len(goal.open) - loop_rank
    met = error <= POSITION_SOLVED
    stuck = np.where(rest, Verdict.UNREACHABLE, Verdict.NOT_CONVERGED)
    unmet = np.where((goal.asked > left) & (rank == left), Verdict.CONTRADICTORY, stuck)
    judged = np.where(met, verdict(left, goal.asked, rank, met), unmet)
    judged = np.where(np.isfinite(error), judged, Verdict.INVALID)
    pose = np.asarray(goal.robot.pose(q, goal.frame), float)
    return Completed(
        q.reshape(*batch, goal.robot.nq), pose.reshape(*batch, 4, 4), error.reshape(batch),
        (left - rank).reshape(batch), verdicts(judged.reshape(batch)),
    ), B  # fmt: skip


@compiled("R[3,3] -> angles[3]")
def roll_pitch_yaw(R: list[list[float]]) -> tuple[float, ...]:
    """The angles of rotations about the fixed x, y and z axes."""
    turn = EulerAngles.from_rotation(Rotation.from_matrix(R), "xyz", "fixed")
    return (turn.first, turn.second, turn.third)


@compiled("angles[3] -> R[3,3]")
def rotation_of(angles: list[float]) -> object:
    """The rotation of roll, pitch and yaw."""
    return EulerAngles.rpy(*angles).as_rotation().as_matrix()
