"""Assembly on a CUDA device: one start for each position in one launch; those that stay open are searched on the CPU.

The results do not depend on other positions of the batch, so both have the bits of the CPU.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from sixvec.border import positive_number
from sixvec.compiler.program import Port
from sixvec.compiler.runtime.cuda import cupy, device_array
from sixvec.ik.assembly import CLOSED, Assembly, assemble, assembly_problem, attempt, fixed_columns
from sixvec.ik.on_device import device
from sixvec.model.wrong_positions import has_unit_quaternions, warn_of_degrees
from sixvec.robot import Robot
from sixvec.verdict import Verdict


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
    tolerance, batch = positive_number("assemble: tolerance", tolerance), q.shape[:-1]
    start = start.reshape(math.prod(batch), robot.nq)
    host = xp.asnumpy(start)
    warn_of_degrees(robot.model, host)
    problem = assembly_problem(robot, host, hold)
    problem = replace(problem, targets=tuple(map(xp.asarray, problem.targets)))
    found, residual = attempt(problem, start, tolerance, fixed_columns(robot, fixed), device())
    valid = xp.asarray(np.isfinite(host).all(axis=-1) & has_unit_quaternions(robot.model, host))
    closed = valid & (residual <= tolerance)
    verdict = xp.full(closed.shape, int(Verdict.SOLVED), "int8")
    rows = xp.flatnonzero(~closed)
    if rows.size:
        rest = assemble(robot, host[xp.asnumpy(rows)], fixed, hold, tolerance=tolerance)
        for kept, x in ((found, rest.q), (residual, rest.residual), (verdict, rest.verdict)):
            kept[rows] = xp.asarray(x)
    return Assembly(found.reshape(*batch, robot.nq), residual.reshape(batch), verdict.reshape(batch))
