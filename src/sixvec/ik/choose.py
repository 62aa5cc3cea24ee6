"""The entry to inverse kinematics: closed forms if the arm has them, otherwise iterations."""

from __future__ import annotations

import inspect
from dataclasses import replace
from typing import Any, Literal, get_args

import numpy as np

from sixvec.arguments import common_batch, real_array
from sixvec.arguments.binding import bound
from sixvec.errors import ArgumentError, DegenerateError
from sixvec.ik.closed_form import Solutions, Solver, closed_form
from sixvec.ik.inputs import (
    angle_left,
    as_position,
    as_posture,
    as_target,
    checked_gain,
    checked_limits,
    checked_settings,
    middle,
    require_limits,
    require_solvable,
    tolerances_of,
)
from sixvec.ik.machine import machine_of
from sixvec.ik.problem import Problem
from sixvec.ik.search import one_start
from sixvec.ik.solution import Solution
from sixvec.ik.solve import searched, solve
from sixvec.ik.swivel import scanned
from sixvec.ik.whole_turns import towards_limits
from sixvec.kernels.store import Kernels
from sixvec.model.coordinate_names import coordinate_names
from sixvec.robot import Robot
from sixvec.tasks.frame import Frame
from sixvec.verdict import Verdict

Method = Literal["auto", "closed_form", "numerical"]

_FIELDS = ("q", "verdict", "position_error", "rotation_error", "joint", "starts")
_FAR = 0.1
"""A distance in radians or metres between q0 and a solution above which a nearer one is sought."""
_NEARLY_SINGULAR = 1e-4
"""Smallest over largest singular value of the Jacobian below which there are many neighbouring solutions."""


def ik(
    robot: Robot,
    pose: Any,
    frame: str,
    q0: Any = None,
    method: Method = "auto",
    limits: bool = True,
    swivel: Any = None,
    **options: Any,
) -> Solution:
    """Joint positions that put a frame at a pose (..., 4, 4), within the limits and near `q0`; see `Robot.ik`.

    Options of `solve` apply to poses without a closed-form solution; a `posture` also determines the swivel angle.
    """
    require_method(method)
    machine = machine_of(pose, q0, swivel, options.get("posture"))
    if machine.is_device and (method == "closed_form" or swivel is not None):
        option = "swivel=" if swivel is not None else 'method="closed_form"'
        raise ArgumentError(f"ik: {option} computes on the CPU; on a device there is the numerical search alone")
    chosen = chosen_options(options)
    tolerances = checked_settings(chosen["tolerance"], chosen["starts"], chosen["iterations"])
    checked_limits(limits)
    robot.model.frame(frame)
    require_solvable(robot)
    require_limits(robot, robot.lower, robot.upper)
    if machine.is_device:
        posture, gain = chosen["posture"], chosen["posture_gain"]
        problem = Problem.of(robot, {Frame(frame): pose}, limits, posture, gain, machine, "ik: pose")
        start, tolerances = problem.starts(q0, machine), tolerances_of(robot, tolerances)
        return searched(problem, start, tolerances, chosen["starts"], chosen["iterations"], machine)
    angle = None if swivel is None else real_array("swivel", swivel)
    if not np.isfinite(0.0 if angle is None else angle).all():
        raise ArgumentError("swivel holds numbers that are not finite")
    target, near = _together(robot, as_target(robot, Frame(frame), pose, "ik: pose"), q0, angle)
    posture = _posture(robot, options)
    formula = None if method == "numerical" else _formula(robot, frame)
    if isinstance(formula, str) and method == "closed_form":
        raise DegenerateError(formula)
    if angle is not None and not (isinstance(formula, Solver) and formula.redundant):
        raise ArgumentError(_no_swivel(robot, frame, formula))
    if not isinstance(formula, Solver):
        return solve(robot, {Frame(frame): target}, q0=None if q0 is None else near, limits=limits, **options)
    has_wish = posture is not None and formula.redundant and angle is None
    goal = np.broadcast_to(posture, near.shape) if has_wish else near
    q, is_found = _by_formula(formula, target, goal, angle, limits)
    exact = _exact(robot, frame, target, q)
    if angle is None and (q0 is not None or has_wish):
        exact = _nearer(robot, frame, target, goal, exact, is_found, limits, formula.redundant, tolerances)
    if is_found.all():
        return exact if angle is None else replace(exact, swivel=np.broadcast_to(angle, is_found.shape))
    # Closed forms give neither the closest pose nor the limit that prevents a solution.
    unsolved = ~is_found
    starts = None if q0 is None else near[unsolved]
    found_by_search = solve(robot, {Frame(frame): target[unsolved]}, q0=starts, limits=limits, **options)
    merged = _merged(exact, found_by_search, unsolved)
    if angle is None:
        return merged
    requested = _as_asked(robot, frame, target, near, formula, angle, merged)
    return replace(requested, swivel=np.broadcast_to(angle, is_found.shape))


def _by_formula(formula: Solver, target: Any, near: Any, swivel: Any, limits: bool) -> tuple[Any, Any]:
    """The nearest solution and whether there is one; a missing swivel angle is chosen."""
    if formula.redundant and swivel is None:
        batch, nq = near.shape[:-1], near.shape[-1]
        q, is_found = scanned(formula, target.reshape(-1, 4, 4), near.reshape(-1, nq), limits)
        others = np.setdiff1d(np.arange(nq), formula.coordinates)
        q, is_found = q.reshape(*batch, nq), is_found.reshape(batch)
        q[..., others] = near[..., others]
        return q, is_found
    solutions = formula(target, swivel) if formula.redundant else formula(target)
    nearest = _with_others_at(solutions, formula, near, limits).nearest(near, limits=limits)
    return nearest.q, nearest.solved


def _no_swivel(robot: Robot, frame: str, formula: Solver | str | None) -> str:
    why = 'method="numerical" uses no formula' if formula is None else formula
    if isinstance(formula, Solver):
        why = f"{formula!r} has no joint to spare"
    return f'{robot.name}, "{frame}" takes no swivel angle: {why}'


def _as_asked(
    robot: Robot, frame: str, target: Any, near: Any, formula: Solver, swivel: Any, solution: Solution
) -> Solution:
    """If the given swivel angle reaches the pose only beyond the limits, that is the verdict; no other angle is tried.

    The position is the nearest of these solutions, clipped to the limits.
    """
    solutions = _with_others_at(formula(target, swivel), formula, near, False)
    nearest = solutions.nearest(near, limits=False)
    with np.errstate(invalid="ignore"):
        q = towards_limits(robot, nearest.q)
        beyond = np.maximum(robot.lower - q, q - robot.upper)
    outside = nearest.solved & (solution.starts > 0)
    if not outside.any():
        return solution
    clipped = _exact(robot, frame, target[outside], np.clip(q[outside], robot.lower, robot.upper))
    clipped = replace(
        clipped,
        verdict=np.full(clipped.verdict.shape, Verdict.AT_LIMIT, np.int8),
        joint=beyond[outside].argmax(axis=-1),
    )
    return _merged(solution, clipped, outside)


def require_method(method: Any) -> None:
    """Raise an error for an unknown method."""
    if method not in get_args(Method):
        raise ArgumentError(f"method={method!r} is not one of {', '.join(map(repr, get_args(Method)))}")


def chosen_options(options: dict[str, Any]) -> dict[str, Any]:
    """All options of `solve`, given or not; unknown ones raise an error."""
    parameters = inspect.signature(solve).parameters.values()
    known = {p.name: p.default for p in parameters if p.name not in ("robot", "tasks", "q0", "limits")}
    chosen = bound("ik", known, named=options, also=("pose", "frame", "q0", "method", "limits", "swivel"))
    checked_gain(chosen["posture_gain"])
    return chosen


def _posture(robot: Robot, options: dict[str, Any]) -> Any:
    """The requested posture, or None if there is none."""
    if options.get("posture") is None:
        return None
    posture = as_posture(robot, options["posture"])
    return None if options.get("posture_gain") == 0.0 else posture


def _together(robot: Robot, target: Any, q0: Any, swivel: Any) -> tuple[Any, Any]:
    """Poses and starts with the same batch axes."""
    near = middle(robot, robot.lower, robot.upper) if q0 is None else as_position(robot, q0)
    leads = [near.shape[:-1], np.shape(swivel), target.shape[:-2]]
    batch = common_batch("ik", leads, ["q0", "swivel", "the poses"], [near.shape, np.shape(swivel), target.shape])
    return np.broadcast_to(target, (*batch, 4, 4)), np.broadcast_to(near, (*batch, robot.nq))


def _with_others_at(solutions: Solutions, formula: Solver, near: Any, limits: bool) -> Solutions:
    """The joints that do not move the frame keep their positions."""
    others = np.setdiff1d(np.arange(near.shape[-1]), formula.coordinates)
    if not others.size:
        return solutions
    q = np.array(solutions.q)
    clipped = np.clip(near, *solutions.limits) if limits else near
    q[..., others] = clipped[..., None, others]
    return replace(solutions, q=q)


def _nearer(
    robot: Robot,
    frame: str,
    target: Any,
    near: Any,
    exact: Solution,
    is_found: Any,
    limits: bool,
    redundant: bool,
    tolerances: Any,
) -> Solution:
    """Among many neighbouring solutions a closed form picks one; a Newton search from q0 may find a nearer one.

    This happens at singularities and for redundant arms.
    """
    # For a single pose these are scalars, into which nothing can be written.
    far = np.asarray(is_found & (np.abs(exact.q - near).max(axis=-1) > _FAR))
    if far.any() and not redundant:
        here, there = (np.linalg.svd(robot.jacobian(x[far], frame), compute_uv=False) for x in (near, exact.q))
        far[far] = (here[:, -1] < _NEARLY_SINGULAR * here[:, 0]) | (there[:, -1] < _NEARLY_SINGULAR * there[:, 0])
    if not far.any():
        return exact
    problem = Problem.of(robot, {Frame(frame): target[far]}, limits)
    q, solved = one_start(problem, problem.rows(near[far]), tolerances)
    gaps = [np.abs(x - near[far]).max(axis=-1) for x in (q, exact.q[far])]
    chosen = solved & (gaps[0] < gaps[1])
    better = np.zeros(far.shape, bool)
    better[far] = chosen
    exact_solution = _exact(robot, frame, target[better], q[chosen])
    return _merged(exact, replace(exact_solution, starts=np.ones_like(exact_solution.starts)), better)


def _formula(robot: Robot, frame: str) -> Solver | str:
    """The closed form of a frame, or the reason why there is none."""

    def make() -> Solver | str:
        return _new_formula(Robot.of(Kernels(robot.model)), frame)  # what is stored must not reference the store

    return robot._kernels.stored(("closed form", frame), make)


def _new_formula(robot: Robot, frame: str) -> Solver | str:
    robot.model.frame(frame)
    if robot.model.closures:
        return f'{robot.name}, "{frame}": there are no formulas for robots with loops'
    try:
        solver = closed_form(robot, frame, general=False)
    except DegenerateError as reason:
        return str(reason)
    if solver.family.task != "pose":
        return f'{robot.name}, "{frame}": the joints decide about the {solver.family.task} alone, not about a pose'
    return solver


def _exact(robot: Robot, frame: str, target: Any, q: Any) -> Solution:
    """The verdict "solved" for all, with the errors that forward kinematics finds."""
    X = robot.pose(q, frame)
    position = np.linalg.norm(X[..., :3, 3] - target[..., :3, 3], axis=-1)
    # The squared norm of a difference of rotations is 8 sin²(θ/2).
    rotation = angle_left(np.square(X[..., :3, :3] - target[..., :3, :3]).sum(axis=(-2, -1)) / 2.0)
    batch = position.shape
    return Solution(
        np.asarray(q), np.full(batch, Verdict.SOLVED, np.int8), position, rotation, np.full(batch, -1),
        np.zeros(batch, np.int64), coordinate_names(robot.model, "q"),
    )  # fmt: skip


def _merged(exact: Solution, searched: Solution, rows: Any) -> Solution:
    """`exact`, with `answer` in the places `rest`."""
    merged: dict[str, Any] = {}
    for field in _FIELDS:
        merged[field] = np.array(getattr(exact, field))
        merged[field][rows] = getattr(searched, field)
    return replace(exact, **merged)
