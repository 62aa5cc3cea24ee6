"""All solutions of inverse kinematics for a frame of a robot."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from sixvec.arguments import Array, real_array
from sixvec.errors import ArgumentError, DegenerateError
from sixvec.ik.closed_form.chain import SerialChain
from sixvec.ik.closed_form.families import find_family
from sixvec.ik.closed_form.nearest_pose import nearest_poses
from sixvec.ik.closed_form.quartic import angles
from sixvec.ik.closed_form.solutions import Solutions
from sixvec.ik.closed_form.subproblems import Turn, square
from sixvec.ik.closed_form.target import Family, Joints, miss
from sixvec.kernels.function import CompiledFunction, compiled
from sixvec.lazy import lazy
from sixvec.model.edits import lock
from sixvec.model.spanning_tree import require_tree
from sixvec.robot import Robot
from sixvec.scalar import Scalar, sqrt, where
from sixvec.spatial import Pose
from sixvec.tolerances import EQUAL, ROUNDING

REACHED = 1e-9
"""Largest pose error of a valid solution, in metres (times the size of the arm if larger) and radians."""

SAME = 1e-6
"""Solutions closer than this, in radians and metres, are the same.

At a double root rounding of the pose, 2⁻⁵³ and more, sets them its square root apart, 1e-8 to 4e-7.  Solutions this
close belong to a pose that is within SAME² = 1e-12 of the singular one, far less than `REACHED`.
"""

SINGLE_CLEAN, SINGLE_REACHED = 1e-5, 1e-5
"""The same for poses whose entries were rounded to single precision, 6e-8 each."""


def closed_form(robot: Robot, frame: str, *, locked: Mapping[str, float] | None = None, general: bool = True) -> Solver:
    """A solver that returns all joint positions for a pose of the frame, if the arm's geometry allows one.

    Supported arms: six revolute joints with three adjacent axes that intersect in one point or are parallel; any three
    joints, revolute or prismatic, before or after a spherical wrist, such as the Stanford arm; planar arms with two or
    three joints; SCARA; gantries (three prismatic joints and up to three revolute, in any order); three joints that
    position a tip; seven revolute joints with spherical shoulder and wrist, which need a swivel angle.  Other arms with
    six revolute joints are solved numerically for all their solutions, unless `general=False`.  `locked` fixes joints
    at given positions, which turns an arm with seven joints into one with six.  An arm that cannot be solved raises
    `DegenerateError` that names the geometric obstacle.

    At singular poses solutions coincide: of those within `SAME` of each other, 1e-6 rad and m, only one is valid.

    >>> import sixvec
    >>> from sixvec.ik.closed_form import closed_form
    >>> solver = closed_form(sixvec.load("panda"), "panda_link8", locked={"panda_joint7": 0.5})
    >>> solver
    <Solver of panda to panda_link8: panda_joint1, panda_joint2 and panda_joint3 meet in one point, 8 solutions>
    """
    model = robot.model
    require_tree(model, "closed_form")
    model.frame(frame)
    locked_at = dict(locked or {})
    for name, value in locked_at.items():
        if not np.isfinite(np.asarray(value, float)).all():
            raise ArgumentError(f'{robot.name}: "{name}" cannot be locked at {value}; give a finite position')
    chain = SerialChain.of(lock(model, locked_at) if locked_at else model, frame)
    moving = SerialChain.of(model, frame)
    unknown = [name for name in locked_at if name not in moving.names]
    if unknown:
        raise ArgumentError(f'"{unknown[0]}" does not move "{frame}"; joints: {", ".join(moving.names)}')
    family = find_family(chain, general=general)
    if isinstance(family, str):
        raise DegenerateError(f'{robot.name}, "{frame}": {family}')
    neutral = np.clip(np.array(robot.neutral(), np.float64), robot.lower, robot.upper)
    for name, at in zip(moving.names, moving.coordinates, strict=True):
        neutral[at] = locked_at.get(name, 0.0)
    places = [moving.coordinates[moving.names.index(name)] for name in chain.names]
    return Solver(robot, frame, family, neutral, places)


class Solver:
    """All solutions for one frame of one robot: call it with poses (..., 4, 4).

    The equations are compiled for the robot on the first call; batches of any size run the same code.
    """

    def __init__(self, robot: Robot, frame: str, family: Family, neutral: Array, places: Sequence[int]) -> None:
        self.robot, self.frame, self.family = robot, frame, family
        self._rest, self._places = neutral, tuple(places)
        self._limits = np.asarray(robot.lower, np.float64), np.asarray(robot.upper, np.float64)
        self._angular = np.array([x for b in robot.model.moving for x in b.joint.angular], bool)

    def __repr__(self) -> str:
        return f"<Solver of {self.robot.name} to {self.frame}: {self.family.name}, {self.solutions} solutions>"

    @property
    def coordinates(self) -> tuple[int, ...]:
        """The coordinates of q that are solved for; the others keep their positions."""
        return self._places

    @property
    def solutions(self) -> int:
        """The number of solution slots in a result."""
        return self.family.solutions

    @property
    def redundant(self) -> bool:
        """Whether a call needs a swivel angle besides the pose."""
        return self.family.swivel

    def __call__(self, pose: ArrayLike, swivel: ArrayLike | None = None) -> Solutions:
        """All solutions for poses (..., 4, 4), and for swivel angles (...) that broadcast with them, if redundant.

        Rotations that are not quite orthonormal, such as those in single precision, are projected to the nearest
        rotation; other matrices raise an error as in `robot.ik`.  A pose that contains NaN gives NaN.
        """
        X = real_array(f"{self.robot.name}: pose", pose, 4, 4)
        if (swivel is None) == self.family.swivel:
            needs = "needs a swivel angle" if self.redundant else "takes no swivel angle"
            raise ArgumentError(f"{self!r} {needs}")
        q, error, reached = self._solved(X, swivel)
        # Checked afterwards, because almost every pose is valid: a check before would cost more than the solutions.
        # A first solution repeats no other, so its error is NaN only where the pose is invalid.
        if math.isnan(error.item(0)) if error.ndim == 1 else np.isnan(error[..., 0]).any():
            q, error, reached = self._solved(nearest_poses(X, f"{self.robot.name}: pose"), swivel)
        return Solutions.made(q, error, reached, self._limits, self._angular)

    def _solved(self, X: Array, swivel: Any) -> tuple[Array, Array, Array]:
        """Positions, errors and verdicts."""
        flat = X.reshape(16) if X.ndim == 2 else X.reshape((*X.shape[:-2], 16))
        if self.family.extra:
            return self._finish(flat, self._found_before(X, flat, swivel))  # type: ignore[no-any-return]
        return self._finish(flat)  # type: ignore[no-any-return]

    def _found_before(self, X: Array, flat: Array, swivel: Any) -> Array:
        """The inputs of the program besides the pose."""
        if self.family.numeric is not None:
            roots = self.family.numeric(_poses_or_nan(X))
            return roots.reshape(*roots.shape[:-2], roots.shape[-2] * roots.shape[-1])
        if self._before is not None:
            return angles(self._before(flat))
        return np.asarray(swivel, float)[..., None]

    @lazy
    def _before(self) -> CompiledFunction | None:
        if self.family.series is None:
            return None
        first = self.family.series
        return compiled("X[16] -> f[5]")(lambda X: first(_pose(X)))

    @lazy
    def _finish(self) -> CompiledFunction:
        """The compiled program from a pose and extra inputs to positions, errors and verdicts."""
        n, extra = self.family.solutions, self.family.extra
        spec = f"X[16]{f' x[{extra}]' if extra else ''} -> q[{n},{self.robot.nq}] error[{n}] reached[{n}]"
        return compiled(spec)(_program(self))

    def straight_line(self, single: bool) -> CompiledFunction:
        """All solutions as one program, for export; `single` for poses that come from numbers of single precision."""
        if self.family.numeric is not None or self.family.series is not None:
            raise DegenerateError(f"{self!r} needs the roots of polynomials first; no straight program solves it")
        n, nq = self.family.solutions, self.robot.nq
        spec = f"pose[16]{' swivel[1]' if self.redundant else ''} -> q[{n},{nq}] error[{n}] reached[{n}]"
        return compiled(spec)(_program(self, *(SINGLE_CLEAN, SINGLE_REACHED) if single else (ROUNDING, REACHED)))


def _program(solver: Solver, clean: float = ROUNDING, within: float = REACHED) -> Callable[..., Any]:
    family = solver.family
    tolerance = within * max(1.0, family.chain.size)

    def all_solutions(X: list[Scalar], x: Sequence[Scalar] = ()) -> Any:
        pose = _pose(X)
        deviation = _deviation(pose, X)
        usable = deviation < clean  # false also for NaN
        solutions = [*family.solve(pose, x)]
        errors = [sqrt(miss(family.chain, joints, pose, family.task)) for joints in solutions]
        reached = [where(usable, where(e < tolerance, 1.0, 0.0), 0.0) for e in errors]
        fresh = _fresh(solutions, reached) if family.numeric is None else [1.0] * len(solutions)
        positions: list[list[Scalar]] = []
        for joints in solutions:
            q: list[Scalar] = solver._rest.tolist()
            for i, place in enumerate(solver._places):
                q[place] = where(usable, _coordinate(family, joints, i), math.nan)
            positions.append(q)
        errors = [where(usable, where(new > 0.5, e, math.nan), math.nan) for e, new in zip(errors, fresh, strict=True)]
        return positions, errors, [yes * new for yes, new in zip(reached, fresh, strict=True)]

    return all_solutions


def _fresh(solutions: Sequence[Joints], reached: Sequence[Scalar]) -> list[Scalar]:
    """For each solution 1, or 0 if it repeats an earlier valid solution."""
    fresh: list[Scalar] = []
    for i, joints in enumerate(solutions):
        new: Scalar = 1.0
        for other, yes in zip(solutions[:i], reached, strict=False):
            new = where(_apart(joints, other) < SAME * SAME, where(yes > 0.5, 0.0, new), new)
        fresh.append(new)
    return fresh


def _apart(a: Joints, b: Joints) -> Scalar:
    """The sum of the squared differences of joint positions, with sines in place of small angles."""
    total: Scalar = 0.0
    for x, y in zip(a, b, strict=True):
        gaps = (x.c - y.c, x.s - y.s) if isinstance(x, Turn) else (x - y,)
        total = sum((gap * gap for gap in gaps), total)
    return total


def _coordinate(family: Family, joints: Joints, i: int) -> Scalar:
    """The position of a joint; an angle is moved by whole turns if that brings it within the limits."""
    if not isinstance(joints[i], Turn):
        return joints[i]
    a, lower, upper = joints[i].angle, float(family.chain.lower[i]), float(family.chain.upper[i])
    turn = 2.0 * math.pi
    # First the turns that are the same for all angles, where the limits leave out a whole turn about zero.
    turns = math.ceil((lower - math.pi) / turn) if lower > math.pi else 0
    turns = math.floor((upper + math.pi) / turn) if upper < -math.pi else turns
    a = a + turn * turns if turns else a
    least, most = lower - EQUAL, upper + EQUAL
    if lower > turn * turns - math.pi:
        a = where(a < least, where(a + turn > most, a, a + turn), a)
    if upper < turn * turns + math.pi:
        a = where(a > most, where(a - turn < least, a, a - turn), a)
    return a


def _poses_or_nan(X: Array) -> Array:
    """The matrices, NaN where one is not a pose: iterations need no reason for not converging."""
    R = X[..., :3, :3]
    with np.errstate(invalid="ignore"):
        gap = np.abs(np.swapaxes(R, -1, -2) @ R - np.eye(3)).max((-1, -2))
        usable = (gap < ROUNDING) & (np.linalg.det(R) > 0.0) & np.isfinite(X).all((-1, -2))
    return np.where(usable[..., None, None], X, np.nan)


def _pose(X: Sequence[Scalar]) -> Pose:
    return Pose.from_matrix([X[0:4], X[4:8], X[8:12]])


def _deviation(pose: Pose, X: Sequence[Scalar]) -> Scalar:
    """How far a 4x4 matrix is from a pose; NaN if an entry is NaN."""
    x, y, z = pose.rot.matrix.T.rows
    gaps = [x.dot(x) - 1.0, y.dot(y) - 1.0, x.dot(y), *(x.cross(y) - z), *X[12:15], X[15] - 1.0]
    finite = square(pose.pos) < math.inf
    return where(finite, sqrt(sum((g * g for g in gaps[1:]), gaps[0] * gaps[0])), math.nan)
