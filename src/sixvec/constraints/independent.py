"""The equation of motion of a mechanism with loops in minimal coordinates."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from sixvec.arguments import Array
from sixvec.arguments.result import Result
from sixvec.constraints.closed_state import require_closed
from sixvec.constraints.loop_equations import closure_rows
from sixvec.constraints.loops import joint_columns, velocity_map
from sixvec.kernels.any_arrays import any_arrays_same_dtype
from sixvec.model.actuation import active_joints
from sixvec.model.spanning_tree import require_sliding
from sixvec.robot import Robot
from sixvec.solve.decomposition import inverse_of_rank


@dataclass(frozen=True, eq=False, repr=False)
class IndependentDynamics(Result):
    """M and bias of  M a + bias = Kᵀ tau  for n independent accelerations a; all others are K a + drift."""

    M: Array
    """(..., n, n)"""
    bias: Array
    """(..., n): Coriolis, centrifugal and gravity forces."""
    K: Array
    """(..., nv, n): velocities of all joints from independent ones, see `velocity_map`."""
    drift: Array
    """(..., nv): the accelerations of all joints while the independent ones do not accelerate."""


@any_arrays_same_dtype
def independent_dynamics(
    robot: Robot, q: ArrayLike, v: ArrayLike, independent: Sequence[str] | None = None
) -> IndependentDynamics:
    """The terms of motion in independent coordinates, at positions with closed loops and velocities that keep them so.

    With  v = K v_independent  and  v̇ = K a + drift  the loops do no work, so their forces vanish under Kᵀ:

        Kᵀ M K a + Kᵀ (M drift + h) = Kᵀ tau

    `independent` names joints, by default those with a motor; q is (..., nq) and v, of all joints, (..., nv).

    >>> import sixvec
    >>> from sixvec.constraints import independent_dynamics
    >>> bars = sixvec.load("four_bar")
    >>> q = bars.assemble([0.7, 0.0, 1.0], fixed=["drive"]).q
    >>> d = independent_dynamics(bars, q, [0.0, 0.0, 0.0])
    >>> a = (d.K.T @ [0.1, 0.0, 0.0] - d.bias) / d.M[0]
    >>> bool(abs(a - bars.forward_dynamics(q, [0.0, 0.0, 0.0], [0.1, 0.0, 0.0])[0]) < 1e-9)
    True
    """
    require_sliding(robot.model, "independent_dynamics")
    q, v = np.asarray(q, float), np.asarray(v, float)
    require_closed(robot, q, v, "independent_dynamics:")
    K = velocity_map(robot, q, independent)
    chosen = joint_columns(robot, active_joints(robot.model) if independent is None else independent)
    others = np.setdiff1d(np.arange(robot.nv), chosen)
    A = closure_rows(robot, q)
    inverse, _ = inverse_of_rank(A[..., others], np.linalg.norm(A, axis=(-2, -1)))
    drift = np.zeros((*np.broadcast_shapes(q.shape[:-1], v.shape[:-1]), robot.nv))
    drift[..., others] = -(inverse @ np.asarray(robot.constraint_bias(q, v), float)[..., None])[..., 0]
    M = np.asarray(robot.mass_matrix(q), float)
    force = (M @ drift[..., None])[..., 0] + np.asarray(robot.bias_forces(q, v), float)
    K_T = np.swapaxes(K, -1, -2)
    return IndependentDynamics(K_T @ M @ K, (K_T @ force[..., None])[..., 0], K, drift)
