"""Second derivatives of the dynamics of mechanisms with loops.

The analytic first derivatives hold where the loops are closed, but second derivatives need them next to such positions
too; so both steps are automatic here: one directional derivative of the whole first derivative, with the columns as
samples of a batch.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from sixvec.arguments import Array
from sixvec.kernels.derivative import Directional
from sixvec.kernels.devices import namespace
from sixvec.kernels.kernel import Kernel
from sixvec.mechanism.row_rank import is_regular
from sixvec.robot import Robot


def loop_second_derivatives(
    robot: Robot, name: str, state: Sequence[Array], wrenches: Mapping[str, Array], options: dict[str, Any]
) -> list[Array]:
    """The second derivatives of an algorithm of (q, v, x) with respect to q and q, q and v, q and x, v and v.

    NaN at singular positions, as at dead points, where the rank of the loops is lower than along the motion.
    """
    kernel = robot.kernel(name, external=tuple(wrenches), **options)
    xp = namespace(*state)
    unit = xp.eye(robot.nv)
    columns = [x[..., None, :].astype(float, copy=False) for x in (*state, *wrenches.values())] + list(robot.parameters)
    last = kernel.inputs[2].name
    by_columns = [
        xp.asarray(_along(robot, kernel, first, second)(*columns, unit))
        for first, second in (("q", "q"), ("v", "q"), (last, "q"), ("v", "v"))
    ]
    regular = _is_regular(robot, state[0])[..., None, None, None]
    qq, vq, xq, vv = (xp.where(regular, x, xp.nan) for x in by_columns)  # first axis: the column k
    return [xp.moveaxis(qq, -3, -1), xp.swapaxes(vq, -3, -2), xp.swapaxes(xq, -3, -2), xp.moveaxis(vv, -3, -1)]


def _along(robot: Robot, kernel: Kernel, first: str, second: str) -> Directional:
    """Made once for each kernel: it holds the machine code."""
    make = partial(_directional, kernel, first, second)
    return robot._kernels.stored((kernel.identity, first, second), make)


def _directional(kernel: Kernel, first: str, second: str) -> Directional:
    return kernel.derivative(first).directional(second)


def _is_regular(robot: Robot, q: Any) -> Any:
    """Whether the rank of the rows at q is that along the motion."""
    if (xp := namespace(q)) is not np:
        return xp.asarray(_is_regular(robot, xp.asnumpy(q)))
    return is_regular(robot.model, np.nan_to_num(robot.closure_jacobian(q)))
