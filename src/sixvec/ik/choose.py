"""One door to inverse kinematics: formulas where the arm has them, iterations where it has not."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from sixvec.closed_form import Solver, closed_form
from sixvec.errors import ArgumentError, DegenerateError
from sixvec.ik.solve import as_position, as_target, coordinate_names, solve
from sixvec.ik.task import PoseTask
from sixvec.ik.verdict import Solution, Verdict

if TYPE_CHECKING:
    from sixvec.robot import Robot

Method = Literal["auto", "closed_form", "numerical"]


def ik(
    robot: Robot, pose: Any, frame: str, q0: Any = None, method: Method = "auto", limits: bool = True, **options: Any
) -> Solution:
    """Joint positions that put a frame at a pose (..., 4, 4), within the limits and near `q0`; see `Robot.ik`."""
    if method not in get_args(Method):
        raise ArgumentError(f"method={method!r} is not one of {', '.join(map(repr, get_args(Method)))}")
    formula = None if method == "numerical" else _formula(robot, frame)
    if isinstance(formula, str) and method == "closed_form":
        raise DegenerateError(formula)
    if not isinstance(formula, Solver):
        return solve(robot, {PoseTask(frame): pose}, q0=q0, limits=limits, **options)
    target = as_target(PoseTask(frame), pose)
    near = _middle(robot) if q0 is None else as_position(robot, q0)
    found = formula(target)
    q, is_found = found.nearest(near, limits=limits)
    if is_found.all() and not options:
        return _exact(robot, frame, target, q)
    # Formulas say nothing about the closest pose, or about which limit is in the way.
    answer = solve(robot, {PoseTask(frame): target}, q0=near if q0 is not None else None, limits=limits, **options)
    return _merged(_exact(robot, frame, target, np.where(is_found[..., None], q, answer.q)), answer, is_found)


@lru_cache(maxsize=256)
def _formula(robot: Robot, frame: str) -> Solver | str:
    """The closed form of a frame with one finite set of answers, or why there is none."""
    robot.model.frame(frame)
    try:
        solver = closed_form(robot, frame, general=False)
    except DegenerateError as reason:
        return str(reason)
    if solver.redundant:
        return f'{robot.name}, "{frame}": the arm has a joint to spare; closed_form(robot, frame) takes a swivel angle'
    if solver.family.task != "pose":
        return f'{robot.name}, "{frame}": the joints decide about the {solver.family.task} alone, not about a pose'
    return solver


def _middle(robot: Robot) -> Any:
    lower, upper = robot.lower, robot.upper
    finite = np.isfinite(lower) & np.isfinite(upper)
    return np.where(finite, (np.where(finite, lower, 0.0) + np.where(finite, upper, 0.0)) / 2, robot.neutral())


def _exact(robot: Robot, frame: str, target: Any, q: Any) -> Solution:
    """The verdict "solved" for all, with the errors that forward kinematics finds."""
    X = robot.pose(q, frame)
    position = np.linalg.norm(X[..., :3, 3] - target[..., :3, 3], axis=-1)
    chord = np.linalg.norm(X[..., :3, :3] - target[..., :3, :3], axis=(-2, -1))  # √8 sin(θ/2)
    rotation = 2.0 * np.arcsin(np.minimum(1.0, chord / np.sqrt(8.0)))
    batch = position.shape
    return Solution(
        np.asarray(q), np.full(batch, Verdict.SOLVED, np.int8), position, rotation, np.full(batch, -1),
        np.zeros(batch, np.int64), coordinate_names(robot),
    )  # fmt: skip


def _merged(exact: Solution, answer: Solution, is_found: Any) -> Solution:
    """`exact` where there is a formula's solution, else `answer`."""
    return Solution(
        exact.q,
        np.where(is_found, exact.verdict, answer.verdict).astype(np.int8),
        np.where(is_found, exact.position_error, answer.position_error),
        np.where(is_found, exact.rotation_error, answer.rotation_error),
        np.where(is_found, -1, answer.joint),
        np.where(is_found, 0, answer.starts),
        exact.names,
    )
