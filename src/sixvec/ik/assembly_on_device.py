"""Assembly on a CUDA device: one start for each position in one launch; those that stay open are searched on the CPU.

The results do not depend on other positions of the batch, so both have the bits of the CPU.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from sixvec.border import positive_number
from sixvec.compiler.program import Port
from sixvec.compiler.runtime.cuda import cupy, device_array, on_device
from sixvec.ik.assembly import (
    CLOSED,
    STEPS,
    WITHIN,
    Assembly,
    assemble,
    assembly_problem,
    axes_agree,
    fixed_columns,
)
from sixvec.ik.levenberg_marquardt import loop
from sixvec.ik.problem import Problem, remaining_of
from sixvec.model.degrees import warn_of_degrees
from sixvec.model.unit_quaternions import has_unit_quaternions
from sixvec.verdict import Verdict

if TYPE_CHECKING:
    from sixvec.robot import Robot


def assemble_on_device(
    robot: Robot,
    q: Any,
    fixed: Sequence[str] = (),
    hold: Mapping[Any, Any] | None = None,
    *,
    tolerance: float = CLOSED,
) -> Assembly:
    """As `Robot.assemble`, on arrays of CuPy; the result is on the device."""
    xp = cupy()
    start = device_array(q, Port("q", (robot.nq,)), "assemble").astype("float64")
    tolerance, stays, batch = (
        positive_number("assemble: tolerance", tolerance),
        fixed_columns(robot, fixed),
        q.shape[:-1],
    )
    start = start.reshape(math.prod(batch), robot.nq)
    host = xp.asnumpy(start)
    warn_of_degrees(robot.model, host)
    problem = assembly_problem(robot, host, hold)
    found, residual = _attempt(problem, start, tolerance, stays)
    valid = xp.asarray(np.isfinite(host).all(axis=-1) & has_unit_quaternions(robot.model, host))
    closed = valid & (residual <= tolerance)
    verdict = xp.full(closed.shape, int(Verdict.SOLVED), "int8")
    rows = xp.flatnonzero(~closed)
    if rows.size:
        rest = assemble(robot, host[xp.asnumpy(rows)], fixed, hold, tolerance=tolerance)
        for kept, x in ((found, rest.q), (residual, rest.residual), (verdict, rest.verdict)):
            kept[rows] = xp.asarray(x)
    return Assembly(found.reshape(*batch, robot.nq), residual.reshape(batch), verdict.reshape(batch))


def _attempt(problem: Problem, start: Any, tolerance: float, fixed: tuple[int, ...]) -> tuple[Any, Any]:
    """The result from one start for each problem, and the remaining errors."""
    xp, robot = cupy(), problem.robot
    if not problem.tasks or not len(start):
        return start.copy(), xp.zeros(len(start))
    targets = [xp.asarray(x) for x in problem.targets]
    search = on_device(loop(robot.model, problem.tasks, problem.limits, problem.gain, STEPS, fixed))
    zero, within = xp.zeros(1), xp.full(2, WITHIN * tolerance)
    q, *_ = search(start, zero + np.inf, zero, zero, within, xp.asarray(problem.rest), *targets)
    q = xp.where(xp.isfinite(q).all(axis=1, keepdims=True), q, start)
    far, turned, *_ = on_device(remaining_of(robot.model, problem.tasks))(q, *targets)
    left = xp.maximum(xp.sqrt(far), xp.sqrt(turned))
    left = xp.maximum(left, xp.where(axes_agree(robot, q, xp), 0.0, np.pi))
    return q, xp.where(xp.isfinite(left), left, np.inf)
