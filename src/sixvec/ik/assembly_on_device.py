"""Assembly on a CUDA device: one start for each position in one launch; those that stay open are searched on the CPU.

The results do not depend on other positions of the batch, so both have the bits of the CPU.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from sixvec.compiler.runtime.cuda import cupy, device_array
from sixvec.ik.assembly import Assembly, AssemblySearch, assemble, fixed_columns
from sixvec.ik.on_device import device
from sixvec.kernels import Port
from sixvec.model.wrong_positions import has_unit_quaternions, warn_of_degrees
from sixvec.robot import Robot
from sixvec.verdict import Verdict


def assemble_on_device(
    robot: Robot,
    q: Any,
    fixed: Sequence[str] = (),
    hold: Mapping[Any, Any] | None = None,
    *,
    tolerance: float | None = None,
) -> Assembly:
    """As `Robot.assemble`, on arrays of CuPy; the result is on the device."""
    xp = cupy()
    start, batch = device_array(q, Port("q", (robot.nq,)), "assemble").astype("float64"), q.shape[:-1]
    start = start.reshape(math.prod(batch), robot.nq)
    host = xp.asnumpy(start)
    warn_of_degrees(robot.model, host)
    search = AssemblySearch.of(robot, host, hold, fixed_columns(robot, fixed), tolerance)
    targets = tuple(map(xp.asarray, search.problem.targets))
    search = replace(search, problem=replace(search.problem, targets=targets, rest=start), machine=device())
    found, left = search.nearest(start)
    valid = xp.asarray(np.isfinite(host).all(axis=-1) & has_unit_quaternions(robot.model, host))
    closed = valid & (left <= 1.0)
    verdict, residual = xp.full(closed.shape, int(Verdict.SOLVED), "int8"), search.residual(found)
    rows = xp.flatnonzero(~closed)
    if rows.size:
        rest = assemble(robot, host[xp.asnumpy(rows)], fixed, hold, tolerance=tolerance)
        for kept, x in ((found, rest.q), (residual, rest.residual), (verdict, rest.verdict)):
            kept[rows] = xp.asarray(x)
    return Assembly(found.reshape(*batch, robot.nq), residual.reshape(batch), verdict.reshape(batch))
