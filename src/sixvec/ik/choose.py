"""One door to inverse kinematics: formulas where the arm has them, iterations where it has not."""

from __future__ import annotations

from dataclasses import replace
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
    """Joint positions that put a frame at a pose (..., 4, 4), within the limits and near `q0`; see `Robot.ik`.

    Options of `solve` concern the poses that no formula answers.
    """
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
    exact = _exact(robot, frame, target, q)
    if is_found.all():
        return exact
    # Formulas say nothing about the closest pose, or about which limit is in the way.
    rest = ~is_found
    starts = None if q0 is None else np.broadcast_to(near, q.shape)[rest]
    answer = solve(robot, {PoseTask(frame): target[rest]}, q0=starts, limits=limits, **options)
    return _merged(exact, answer, rest)


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


def _merged(exact: Solution, answer: Solution, rest: Any) -> Solution:
    """`exact`, with `answer` in the places `rest`."""
    merged: dict[str, Any] = {}
    for field in ("q", "verdict", "position_error", "rotation_error", "joint", "starts"):
        merged[field] = np.array(getattr(exact, field))
        merged[field][rest] = getattr(answer, field)
    return replace(exact, **merged)
