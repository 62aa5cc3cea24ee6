"""One solution of the inverse position kinematics by Newton-Raphson, for any arm.  Bruyninckx (7.19)-(7.23)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from sixvec.arguments import Array
from sixvec.ik.kinematic_maps import InversePosition
from sixvec.model.spanning_tree import require_tree
from sixvec.robot import Robot
from sixvec.solve.gauss_newton import Rows, gauss_newton
from sixvec.spatial import Pose

LONGEST_STEP = 1.0
"""Radians or metres a coordinate may move in one iteration: beyond, the linear model is not valid."""


def newton_raphson(
    robot: Robot, pose: ArrayLike, frame: str, q0: ArrayLike, iterations: int = 50, tolerance: float = 1e-10
) -> InversePosition:
    """Follow J Δq = t from `q0`, where t is the remaining twist to the target, in the frame's own axes.

    t is the logarithm of T(q)⁻¹ T_target, so it is exact for large errors too; J is inverted in the least-squares
    sense, so redundant arms make the smallest step.  Poses (..., 4, 4) and starts (..., nq) broadcast; one solution
    with a verdict is returned for each, after at most `iterations` steps.  `residual` is the largest entry of the twist
    (rad, m) that remains.  The iteration is the book's own, undamped and in NumPy: a reference for `sixvec.ik.solve`.
    Bruyninckx (7.19)-(7.23).

    >>> import sixvec
    >>> arm = sixvec.load("puma560")
    >>> q = [0.3, -0.4, 0.5, 0.6, 0.7, 0.8]
    >>> newton_raphson(arm, arm.pose(q, "link6"), "link6", [0.2, -0.3, 0.4, 0.6, 0.7, 0.8]).q.round(6).tolist()
    [0.3, -0.4, 0.5, 0.6, 0.7, 0.8]
    """
    require_tree(robot.model, "newton_raphson")
    targets, q = np.asarray(pose, float), np.asarray(q0, float)
    batch = np.broadcast_shapes(targets.shape[:-2], q.shape[:-1])
    q = np.broadcast_to(q, (*batch, robot.nq)).reshape(-1, robot.nq).copy()
    goal = np.broadcast_to(targets, (*batch, 4, 4)).reshape(-1, 4, 4)

    def equations(q: Array, rows: Rows) -> tuple[Array, Array]:
        twist = _missing_twist(robot.pose(q, frame), goal[rows])
        return -twist, np.asarray(robot.jacobian(q, frame, reference="local"))  # J Δq = t_Δ, in the hand's axes

    def move(q: Array, step: Array, rows: Rows) -> Array:
        return np.asarray(robot.integrate(q, step))

    fit = gauss_newton(q, equations, move=move, tolerance=tolerance, longest=LONGEST_STEP, iterations=iterations)
    error = np.abs(fit.residual).max(-1).reshape(batch)
    return InversePosition.judged(fit.x.reshape(*batch, robot.nq), error, error <= tolerance)


def _missing_twist(reached: Any, targets: Any) -> Any:
    """log(T⁻¹ T_target) in the axes of the frame that moves: Bruyninckx (7.21), exact for large errors too."""
    relative = np.linalg.inv(reached) @ targets
    rows = [[relative[..., i, j] for j in range(4)] for i in range(4)]
    return np.stack(np.broadcast_arrays(*Pose.from_matrix(rows).log()), axis=-1)
