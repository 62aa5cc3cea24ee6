"""The equations of loops, A v = 0 and A a + Ȧ v = 0, and the velocities, accelerations and forces that satisfy them."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from sixvec.arguments import Array, real_array
from sixvec.constraints.loops import joint_columns
from sixvec.errors import DegenerateError
from sixvec.mechanism.row_rank import exact_equations, exact_rows
from sixvec.model.actuation import active_joints
from sixvec.robot import Robot
from sixvec.solve.decomposition import inverse_of_rank, rank_of
from sixvec.solve.metric import Metric
from sixvec.tolerances import RANK


def closure_rows(robot: Robot, q: ArrayLike) -> Array:
    """`robot.closure_jacobian` of the rank that the mechanism has, with no rows for a tree: (..., k, nv).

    >>> import sixvec
    >>> arm = sixvec.load("planar_2r")
    >>> closure_rows(arm, arm.random(0, 5)).shape
    (5, 0, 2)
    """
    if not robot.model.closures:
        return np.zeros((*np.shape(q)[:-1], 0, robot.nv))
    return exact_rows(robot.model, real_array("the closure Jacobian at q", robot.closure_jacobian(q)))


def closure_bias(robot: Robot, q: ArrayLike, v: ArrayLike) -> Array:
    """Ȧ v, (..., k): accelerations keep the loops closed if  A a + Ȧ v = 0,  with A as in `closure_rows`.

    >>> import sixvec
    >>> from sixvec.constraints import assembled, velocity_map
    >>> bars = sixvec.load("four_bar")
    >>> closure_bias(bars, assembled(bars, [0.7, 0.0, 1.0]), [0.0, 0.0, 0.0]).tolist()
    [0.0, 0.0, 0.0, 0.0, 0.0]
    """
    if not robot.model.closures:
        return np.zeros((*np.broadcast_shapes(np.shape(q)[:-1], np.shape(v)[:-1]), 0))
    slope, v = np.asarray(robot.kernel("closure_jacobian").derivative("q")(q), float), np.asarray(v, float)
    A = real_array("the closure Jacobian at q", robot.closure_jacobian(q))
    return exact_equations(robot.model, A, np.einsum("...ijk,...j,...k->...i", slope, v, v))[1]


def loop_projector(robot: Robot, q: ArrayLike, metric: Metric) -> tuple[Array, Array]:
    """A⁺ and 1 - A⁺ A in the joint norm: the latter removes the part that opens the loops, (..., nv, nv)."""
    A = closure_rows(robot, q)
    root = np.swapaxes(metric.joint_root, -1, -2)  # Kᵀ, with N = K Kᵀ
    inner, _ = inverse_of_rank(A @ np.linalg.inv(root), np.linalg.norm(A @ np.linalg.inv(root), axis=(-2, -1)))
    inverse = np.linalg.inv(root) @ inner
    return inverse, np.eye(robot.nv) - inverse @ A


def feasible_basis(robot: Robot, q: ArrayLike, metric: Metric, tolerance: float = RANK) -> Array:
    """A basis, orthonormal in the joint norm, of the joint velocities that keep the loops closed: (..., nv, k).

    The samples of a batch must have the same number of freedoms; one that is not finite has the same number, filled
    with NaN.

    >>> import sixvec
    >>> from sixvec.constraints import assembled
    >>> bars = sixvec.load("four_bar")
    >>> feasible_basis(bars, assembled(bars, [0.7, 0.0, 1.0]), Metric.from_length(1.0, 3)).shape
    (3, 1)
    """
    root = np.linalg.inv(np.swapaxes(metric.joint_root, -1, -2))
    if not robot.model.closures:
        return root
    A = closure_rows(robot, q) @ root
    finite = np.asarray(np.isfinite(A).all(axis=(-1, -2)))
    _, values, Vt = np.linalg.svd(np.where(finite[..., None, None], A, 0.0))
    ranks = rank_of(values, tolerance)
    if len(each := np.unique(ranks[finite])) > 1:
        raise DegenerateError(
            f"{robot.name}: at some of these positions the loops leave {robot.nv - int(each[-1])} freedoms, at others "
            f"{robot.nv - int(each[0])}: ask for them separately"
        )
    basis = root @ np.swapaxes(Vt[..., int(each.max(initial=0)) :, :], -1, -2)
    return np.where(finite[..., None, None], basis, np.nan)


def loop_jacobian(robot: Robot, q: ArrayLike, J: ArrayLike, metric: Metric) -> Array:
    """J (1 - A⁺ A): the Jacobian of a frame for joint velocities without the part that opens the loops."""
    J = real_array("the Jacobian at q", J)
    if not robot.model.closures:
        return J
    closed: Array = J @ loop_projector(robot, q, metric)[1]
    # For a frame that the loops hold fixed only rounding remains, which must not count as motion.
    size = np.linalg.norm(J, axis=(-2, -1), keepdims=True)
    return np.where(np.linalg.norm(closed, axis=(-2, -1), keepdims=True) <= RANK * size, 0.0, closed)


def loop_acceleration(robot: Robot, q: ArrayLike, v: ArrayLike, metric: Metric) -> Array:
    """-A⁺ Ȧ v: the joint acceleration of least norm that keeps the loops closed, zero for a tree: (..., nv)."""
    if not robot.model.closures:
        return np.zeros(robot.nv)
    return np.asarray(-np.einsum("...ij,...j->...i", loop_projector(robot, q, metric)[0], closure_bias(robot, q, v)))


def motor_forces(robot: Robot, q: ArrayLike, tau: ArrayLike) -> Array:
    """The least motor forces that do the same work as `tau` in every motion of the closed loops.

    >>> import sixvec
    >>> from sixvec.constraints import assembled, velocity_map
    >>> bars = sixvec.load("four_bar")
    >>> q = assembled(bars, [0.7, 0.0, 1.0])
    >>> K = velocity_map(bars, q)[:, 0]
    >>> bool(abs(motor_forces(bars, q, [0.0, 0.0, 1.0])[0] - K[2]) < 1e-12)  # the drive does the rocker's work
    True
    """
    tau = np.asarray(tau, float)
    motors = joint_columns(robot, active_joints(robot.model))
    P = np.swapaxes(loop_projector(robot, q, Metric.from_length(1.0, robot.nv))[1], -1, -2)
    work = (P @ tau[..., None])[..., 0]
    inverse, _ = inverse_of_rank(P[..., motors], 1.0)
    torques = np.zeros(work.shape)
    torques[..., motors] = (inverse @ work[..., None])[..., 0]
    missed = np.abs((P @ torques[..., None])[..., 0] - work).max(axis=-1, initial=0.0)
    if (missed > RANK * np.abs(tau).max(axis=-1, initial=0.0)).any():
        raise DegenerateError(
            f"{robot.name}: the joints {', '.join(active_joints(robot.model)) or '(none)'} cannot hold this force: the "
            "loops let it move while they do not move; it needs another motor, or another position"
        )
    return torques


def independent_rows(A: Array) -> Array:
    """An orthonormal basis of the rows, with the number of rows of A: those beyond its rank are zero."""
    finite = np.asarray(np.isfinite(A).all(axis=(-1, -2)))[..., None, None]
    _, values, Vt = np.linalg.svd(np.where(finite, A, 0.0), full_matrices=False)
    nonzero = values > RANK * values.max(axis=-1, keepdims=True, initial=0.0)
    return np.where(finite, Vt * nonzero[..., None], np.nan)
