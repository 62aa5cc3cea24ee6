"""The equations of motion at one frame, or several."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sixvec.algorithms.parts.reference import Reference, check_reference
from sixvec.algorithms.parts.singular import require_mass
from sixvec.arguments import Array, positive_number, require_shape
from sixvec.arguments.result import Result
from sixvec.compiler.call import as_array
from sixvec.constraints.loops import inverse_root
from sixvec.errors import ArgumentError
from sixvec.kernels import Port
from sixvec.kernels.any_arrays import any_arrays_same_dtype
from sixvec.model.spanning_tree import require_sliding
from sixvec.robot import Robot
from sixvec.solve.decomposition import times
from sixvec.solve.direction import Directions, direction_rows
from sixvec.solve.spectral_inverse import TASK_INERTIA_TOLERANCE, Singular, spectral_inverse

_NAME = "task-space dynamics"


@dataclass(frozen=True, eq=False, repr=False)
class TaskSpaceDynamics(Result):
    """F = Λ V̇ + η  and  τ = Jᵀ F + Nᵀ τ₀; m is the number of task rows.

    All arrays have the batch axes of q and v together, and are float32 where both q and v are, else float64.

    Λ joins motion and wrench, so both are in the reference of the Jacobian; pass the same reference with a wrench for
    `external=` of the dynamics.  V̇ is the derivative of the task velocity J v.
    Bruyninckx §6.8; Khatib 1987; Lynch-Park §9.6.
    """

    jacobian: Array
    """J (..., m, nv)"""
    inertia: Array
    """Λ (..., m, m): the operational-space inertia (J M⁻¹ Jᵀ)⁻¹."""
    bias: Array
    """η (..., m) = Λ (J M⁻¹ (C v + g) - J̇ v): velocity products and weight."""
    inverse: Array
    """J̄ (..., nv, m) = M⁻¹ Jᵀ Λ, the dynamically consistent inverse: J J̄ = 1 where J has full rank."""
    null_space: Array
    """N (..., nv, nv) = 1 - J̄ J: removes the part of joint accelerations that moves the task; Nᵀ for forces."""
    rank: NDArray[np.int_]
    """How many task directions the joints can move; below m the robot is singular there (or has too few joints)."""
    singular_values: Array
    """σ (..., m) of J M^-½, angular rows times `length`, largest first; 1/σ² are the principal inertias."""

    def wrench(self, acceleration: ArrayLike) -> Array:
        """F = Λ V̇ + η: the wrench that accelerates the task with V̇ (..., m).  Lynch-Park (9.97)."""
        _require_last(acceleration, self.inertia.shape[-1], "acceleration", "rows of the task")
        return _wrench(self.inertia, self.bias, acceleration)

    def forces(self, acceleration: ArrayLike, secondary: ArrayLike | None = None) -> Array:
        """τ = Jᵀ (Λ V̇ + η) + Nᵀ τ₀: the task accelerates with V̇; `secondary` τ₀ acts in the null space of the task.

        >>> import numpy, sixvec
        >>> from sixvec.analysis import task_space_dynamics
        >>> robot = sixvec.load("panda")
        >>> q, v = robot.random(0), numpy.ones(7)
        >>> task = task_space_dynamics(robot, q, v, "panda_link8", "local")
        >>> desired = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]
        >>> a = robot.forward_dynamics(q, v, task.forces(desired, secondary=[5.0] * 7))
        >>> robot.acceleration(q, v, a, "panda_link8", "local").round(9).tolist()
        [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]
        """
        if secondary is not None:
            _require_last(secondary, self.null_space.shape[-1], "secondary", "joint forces")
        return _forces(self.jacobian, self.wrench(acceleration), self.null_space, secondary)


@any_arrays_same_dtype
def _wrench(inertia: Array, bias: Array, acceleration: ArrayLike) -> Array:
    return times(inertia, acceleration) + bias


@any_arrays_same_dtype
def _forces(jacobian: Array, wrench: Array, null_space: Array, secondary: ArrayLike | None) -> Array:
    tau = times(np.swapaxes(jacobian, -1, -2), wrench)
    return tau if secondary is None else tau + times(np.swapaxes(null_space, -1, -2), secondary)


@any_arrays_same_dtype
def task_space_dynamics(
    robot: Robot,
    q: ArrayLike,
    v: ArrayLike,
    frame: str | Sequence[str],
    reference: Reference = "local_world_aligned",
    *,
    directions: Directions = "pose",
    singular: Singular = "truncated",
    tolerance: float = TASK_INERTIA_TOLERANCE,
    damping: float = 0.0,
    length: float = 1.0,
) -> TaskSpaceDynamics:
    """Λ, η, J̄ and N of one frame or of several stacked ones, for any number of joints and in every posture.

    `directions` picks components of the velocity of each frame: "position", "x z" and so on.  The reference "world" is
    Lynch and Park's space frame, "local" their body frame.

    Where J loses rank there is no Λ.  With `singular="truncated"` directions whose singular value of J M^-½ is below
    `tolerance` times the largest are left out and not controlled; J N = 0 and N N = N still hold.
    With "damped", Λ = (J M⁻¹ Jᵀ + damping² 1)⁻¹ everywhere.  Both mix angles and lengths: `length`, in metres, is the
    arm at which a radian counts as much as a metre.  `rank` is reported in both cases.  All is computed in float64.

    With loops, which must be closed at q, M⁻¹ is that of the mechanism: K = M⁻¹ - M⁻¹ Aᵀ (A M⁻¹ Aᵀ)⁺ A M⁻¹, the
    accelerations per unit of joint force while the loops stay closed.  J̄ and N open no loop:
    A J̄ = 0 and A N = 0, with N = (1 - J̄ J) K M.  The joint forces of the task are distributed over all joints,
    actuated and passive; `robot.inverse_dynamics(q, v, a)` gives those of the motors.

    For one frame away from singularities the kernels `robot.operational_space_inertia`, `robot.task_space_bias`,
    `robot.dynamically_consistent_inverse` and `robot.dynamically_consistent_null_space` are faster.

    >>> import numpy, sixvec
    >>> from sixvec.analysis import task_space_dynamics
    >>> robot = sixvec.load("planar_2r")
    >>> bent, stretched = [0.0, 1.0], [0.0, 0.0]
    >>> task_space_dynamics(robot, [bent, stretched], numpy.zeros(2), "tip", directions="x z").rank.tolist()
    [2, 1]
    """
    length = positive_number("length", length, "metres")
    check_reference(reference)
    require_sliding(robot.model, "task_space_dynamics")
    require_mass(robot.model)
    q, v = as_array(q, Port("q", (robot.nq,)), _NAME), as_array(v, Port("v", (robot.nv,)), _NAME)
    dtype, (q, v) = np.result_type(q, v), (q.astype(float, copy=False), v.astype(float, copy=False))
    frames = (frame,) if isinstance(frame, str) else tuple(frame)
    if not frames:
        raise ArgumentError("no frame given; name at least one")
    chosen = direction_rows(directions)
    picked = np.array([6 * k + i for k in range(len(frames)) for i in chosen])
    J = np.concatenate([robot.jacobian(q, name, reference) for name in frames], axis=-2)[..., picked, :]
    root, closing = inverse_root(robot, q)
    half = J @ root  # J M^-½
    scale = np.array([length] * 3 + [1.0] * 3)[picked % 6]
    inverted = spectral_inverse(scale[:, None] * half, singular=singular, tolerance=tolerance, damping=damping)
    inertia = scale[:, None] * inverted.inverse * scale
    fall = _rate_without_motors(robot, q, v, frames, reference, picked, J)
    Jbar = root @ np.swapaxes(half, -1, -2) @ inertia
    N = closing - Jbar @ (J @ closing)
    batch = fall.shape[:-1]
    J, inertia, bias, Jbar, N, values = (
        np.broadcast_to(x.astype(dtype, copy=False), batch + x.shape[x.ndim - axes :])
        for x, axes in ((J, 2), (inertia, 2), (-times(inertia, fall), 1), (Jbar, 2), (N, 2), (inverted.values, 1))
    )
    return TaskSpaceDynamics(J, inertia, bias, Jbar, N, np.broadcast_to(inverted.rank, batch), values)


def _rate_without_motors(
    robot: Robot, q: Any, v: Any, frames: tuple[str, ...], reference: Reference, picked: Array, J: Array
) -> Array:
    """J a + J̇ v under gravity and velocities alone."""
    a = robot.forward_dynamics(q, v, np.zeros(robot.nv))
    J_dot = np.concatenate([robot.jacobian_derivative(q, v, name, reference) for name in frames], axis=-2)
    return times(J, a) + times(J_dot[..., picked, :], v)


def _require_last(array: Any, count: int, name: str, what: str) -> None:
    require_shape(f"{_NAME}: {name}", np.asarray(array), count, why=f"the {what}")
