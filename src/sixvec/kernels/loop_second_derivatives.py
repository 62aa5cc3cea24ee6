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

from sixvec.border import Array
from sixvec.kernels.derivative import Directional
from sixvec.kernels.devices import namespace
from sixvec.kernels.kernel import Kernel
from sixvec.robot import Robot

BESIDE = 1e-3
"""The distance in rad or m at which the rank of the loops is compared with that at the position."""

DEPENDENT = 1e-7
"""Singular values below this fraction of the largest are zero: far above rounding, far below the effect of a step."""


def loop_second_derivatives(
    robot: Robot, name: str, state: Sequence[Array], wrenches: Mapping[str, Array], options: dict[str, Any]
) -> list[Array]:
    """The second derivatives of an algorithm of (q, v, x) with respect to q and q, q and v, q and x, v and v.

    NaN at isolated positions where rows of the loops depend on each other, as at dead points and in mechanisms like
    Bennett's: next to them the loops allow fewer motions, and there is no second derivative.
    """
    kernel = robot.kernel(name, external=tuple(wrenches), **options)
    xp = namespace(*state)
    unit = xp.eye(robot.nv)
    given = [x[..., None, :].astype(float, copy=False) for x in (*state, *wrenches.values())] + list(robot.parameters)
    last = kernel.inputs[2].name
    by_columns = [
        xp.asarray(_along(robot, kernel, first, second)(*given, unit))
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
    """Whether the rank of the rows at q is that at a nearby position in a generic direction."""
    if (xp := namespace(q)) is not np:
        return xp.asarray(_is_regular(robot, xp.asnumpy(q)))
    beside = robot.integrate(q, BESIDE * np.cos(1.0 + np.arange(robot.nv)))
    here, there = (np.linalg.svd(np.nan_to_num(robot.closure_jacobian(x)), compute_uv=False) for x in (q, beside))
    most = DEPENDENT * there.max(axis=-1, keepdims=True, initial=0.0)
    return np.asarray((here > most).sum(axis=-1) >= (there > most).sum(axis=-1))
