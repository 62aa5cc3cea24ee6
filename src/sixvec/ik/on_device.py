"""Numerical inverse kinematics on a CUDA device: the same search as on the CPU, with arrays of CuPy.

A launch runs one start for all problems, then many starts for the few that are unsolved.  Problems without solution are
searched again on the CPU, which determines the reason.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np

from sixvec.arguments import require_shape
from sixvec.arguments.rigid_poses import ROTATION_DEVIATION
from sixvec.compiler.runtime.cuda import cupy, on_device
from sixvec.errors import ArgumentError, ShapeError
from sixvec.ik.choose import chosen_options, require_method
from sixvec.ik.inputs import (
    as_position,
    as_target,
    checked_limits,
    checked_settings,
    tolerances_of,
)
from sixvec.ik.machine import Machine
from sixvec.ik.problem import Problem
from sixvec.ik.search import Search
from sixvec.ik.solution import Solution
from sixvec.ik.solve import solve
from sixvec.ik.task import PoseTask
from sixvec.ik.whole_turns import wrapped
from sixvec.model.coordinate_names import coordinate_names
from sixvec.robot import Robot
from sixvec.verdict import Verdict


def device() -> Machine:
    """The current CUDA device, for searches."""
    return Machine(cupy(), on_device, at_once=2**21, compared=4096, ranked=64, few=0, keeps_ends=False)


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
    problem = replace(problem, targets=(target.reshape(n, 4, 4), *others), batch=(n,))
    search = Search(problem, tolerances, iterations, device())
    search.run_all(xp.broadcast_to(_starts(problem, q0, batch), (n, robot.nq)), starts)
    return _judged(search, task, batch, q0, limits, chosen | {"posture": rest})


def _host(x: Any) -> Any:
    return cupy().asnumpy(x)


def device_poses(robot: Robot, task: PoseTask, pose: Any) -> Any:
    """The poses in double precision; the first invalid one raises the same error as on the CPU."""
    xp = cupy()
    pose = xp.asarray(pose)
    if pose.dtype.kind != "f" or pose.dtype.itemsize < 4:
        as_target(robot, task, _host(pose), "ik: pose")
        raise ArgumentError(f"ik: poses on the device must be float32 or float64, not {pose.dtype}")
    require_shape("ik: pose", pose, 4, 4)
    pose = pose.astype("float64")
    R = pose[..., :3, :3]
    off = xp.abs(R @ R.swapaxes(-1, -2) - xp.eye(3)).max(axis=(-2, -1))
    off = xp.maximum(off, xp.abs(pose[..., 3, :] - xp.asarray([0.0, 0.0, 0.0, 1.0])).max(axis=-1))
    if bool((off > 0.5 * ROTATION_DEVIATION).any()):  # the CPU decides, whose test differs
        as_target(robot, task, _host(pose[off > 0.5 * ROTATION_DEVIATION]), "ik: pose")
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


def _judged(
    search: Search, task: PoseTask, batch: tuple[int, ...], q0: Any, limits: bool, options: dict[str, Any]
) -> Solution:
    """The result; unsolved problems are passed to the CPU."""
    xp, p, valid = search.machine.xp, search.problem, search.problem.valid
    n, robot = len(search.q), p.robot
    verdict = xp.where(valid, int(Verdict.SOLVED), int(Verdict.INVALID)).astype("int8")
    joint = xp.full(n, -1)
    position, rotation = (x.reshape(n) for x in p.remaining(search.q, search.machine)[:2])
    rows = xp.flatnonzero(valid & ~search.solved)
    if rows.size:
        begun = None
        if q0 is not None:
            begun = _host(xp.broadcast_to(xp.asarray(q0, "float64"), (*batch, robot.nq)).reshape(n, -1)[rows])
        rest = solve(robot, {task: _host(p.targets[0][rows])}, q0=begun, limits=limits, **options)
        for kept, found in (
            (search.q, rest.q), (verdict, rest.verdict), (joint, rest.joint), (search.starts, rest.starts),
            (position, rest.position_error), (rotation, rest.rotation_error),
        ):  # fmt: skip
            kept[rows] = xp.asarray(found)
    q = wrapped(robot, search.q, xp)
    return Solution(
        q.reshape(*batch, robot.nq), verdict.reshape(batch), position.reshape(batch), rotation.reshape(batch),
        joint.reshape(batch), search.starts.reshape(batch), coordinate_names(robot.model, "q"),
    )  # fmt: skip
