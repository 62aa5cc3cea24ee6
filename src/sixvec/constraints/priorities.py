"""Accelerations of frames in order of priority, within the limits of the motors."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sixvec.algorithms.parts.held_frames import held_frames
from sixvec.arguments import Array, common_batch, number_for_each, real_array, require_all, require_shape
from sixvec.arguments.result import Result
from sixvec.errors import ModelError
from sixvec.kernels.any_arrays import any_arrays_same_dtype
from sixvec.model.actuation import has_motor
from sixvec.model.spanning_tree import require_sliding
from sixvec.robot import Robot
from sixvec.solve.hierarchy import Level, hierarchical_least_squares

UNDRIVEN = 1e-6
"""A force at joints without motor above this fraction of the largest cannot be transferred by a loop."""


@dataclass(frozen=True, eq=False, repr=False)
class LimitedAccelerations(Result):
    """Accelerations a, the joint forces tau that produce them, and the residual of every row.

    A sample with a number in q, v or the target that is not finite is NaN.
    """

    a: Array
    tau: Array
    residual: Array


@any_arrays_same_dtype
def limited_accelerations(
    robot: Robot,
    q: ArrayLike,
    v: ArrayLike,
    target: ArrayLike,
    hold: Mapping[Any, Any],
    *,
    effort: ArrayLike | None = None,
    acceleration: ArrayLike | None = None,
) -> LimitedAccelerations:
    """Accelerations `target` (..., rows) of the rows of `hold`, the first frame with the highest priority.

    The limits of the motors, |M a + c| ≤ `effort` (the robot's own by default), and of the joint accelerations,
    |a| ≤ `acceleration` (none by default), take precedence over the targets; a = 0 has the lowest priority.  This is a
    hierarchical quadratic program, solved exactly, one sample after the other; without limits
    `robot.prioritised_dynamics` is compiled and vectorised.  Closed loops take precedence over all, and the forces are
    those of the motors: `inverse_dynamics(q, v, a)`.

    >>> import numpy as np, sixvec
    >>> from sixvec.constraints import limited_accelerations
    >>> arm = sixvec.load("panda")
    >>> q, still = arm.neutral() + 0.3, np.zeros(7)
    >>> lift = limited_accelerations(arm, q, still, [0.0, 0.0, 1.0], {"panda_link8": "point"})
    >>> bool(abs(lift.residual).max() < 1e-9)
    True
    """
    require_sliding(robot.model, "limited_accelerations")
    frames = held_frames(robot.model, hold)
    arrays = (("q", q), ("v", v), ("target", target))
    q, v, b = (real_array(f"limited_accelerations: {name}", x) for name, x in arrays)
    m = sum(len(h.directions) for h in frames)
    require_shape("limited_accelerations: target", b, m)
    loops = sum(c.constraints for c in robot.model.closures)  # their rows come first
    driven = _driven(robot) if loops else np.ones(robot.nv, bool)
    most = _limits("effort", _effort(robot, driven) if effort is None else effort, robot.nv)
    fastest = _limits("acceleration", np.inf if acceleration is None else acceleration, robot.nv)
    shapes = [q.shape, v.shape, b.shape]
    shape = common_batch("limited_accelerations", [s[:-1] for s in shapes], ["q", "v", "target"], shapes)
    T, c = _forces(robot, q, v)
    A, gamma = robot.constraint_jacobian(q, hold=hold), robot.constraint_bias(q, v, hold=hold)
    T, c, A, gamma, b = (
        np.broadcast_to(x, (*shape, *x.shape[x.ndim - k :])) for x, k in ((T, 2), (c, 1), (A, 2), (gamma, 1), (b, 1))
    )
    a, residual = np.full((*shape, robot.nv), np.nan), np.full((*shape, m), np.nan)
    for at in np.ndindex(*shape):
        if not all(np.isfinite(x[at]).all() for x in (T, c, A, gamma, b)):
            continue
        levels = [Level(A[at][:loops], -gamma[at][:loops], -gamma[at][:loops])] if loops else []
        levels.append(Level(T[at][driven], (-most - c[at])[driven], (most - c[at])[driven]))
        levels.append(Level(np.eye(robot.nv), -fastest, fastest))
        right, start = b[at] - gamma[at][loops:], 0
        for h in frames:
            rows = slice(start, start + len(h.directions))
            levels.append(Level(A[at][loops:][rows], right[rows], right[rows]))
            start = rows.stop
        a[at] = hierarchical_least_squares([*levels, Level(np.eye(robot.nv), 0.0, 0.0)]).x
        residual[at] = right - A[at][loops:] @ a[at]
    tau = np.asarray((T @ a[..., None])[..., 0] + c)
    _require_motors(robot, tau, driven)
    return LimitedAccelerations(a, tau, residual)


def _forces(robot: Robot, q: Array, v: Array) -> tuple[Array, Array]:
    """T and c of the joint forces  T a + c;  with loops, of the motor forces."""
    if not robot.model.closures:
        return robot.mass_matrix(q), robot.bias_forces(q, v)
    c = robot.inverse_dynamics(q, v, np.zeros(robot.nv))
    columns = robot.inverse_dynamics(q[..., None, :], v[..., None, :], np.eye(robot.nv)) - c[..., None, :]
    return np.swapaxes(columns, -1, -2), c


def _driven(robot: Robot) -> NDArray[np.bool_]:
    """Which coordinates have a motor."""
    driven = np.zeros(robot.nv, bool)
    for body in robot.model.moving:
        driven[robot.model.v_slices[body.name]] = has_motor(body)
    return driven


def _require_motors(robot: Robot, tau: Array, driven: NDArray[np.bool_]) -> None:
    """Raise an error for accelerations that need forces at joints without motor that no loop can transfer."""
    borne = np.abs(tau[..., ~driven]).max(axis=-1, initial=0.0)
    if (borne > UNDRIVEN * np.abs(tau).max(axis=-1, initial=0.0)).any():
        raise ModelError(
            f"limited_accelerations: {robot.name} has too few motors: {borne.max():.3g} N m or N are needed at joints "
            "without one; robot.prioritised_dynamics does not ask for motors"
        )


def _effort(robot: Robot, driven: NDArray[np.bool_]) -> Array:
    """The limits of the motors; joints without motor need none."""
    return np.where(driven, robot.effort_limits, np.inf)


def _limits(name: str, limit: Any, n: int) -> Array:
    limits = number_for_each(f"limited_accelerations: {name}", limit, n, "velocities")
    require_all(f"limited_accelerations: {name}", limits, limits > 0.0, "positive")
    return limits
