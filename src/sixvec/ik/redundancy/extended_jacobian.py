"""Redundancy resolved by additional conditions: the extended Jacobian."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from sixvec.algorithms.parts.reference import Reference
from sixvec.arguments import Array, real_array, require_shape
from sixvec.arguments.result import Result
from sixvec.errors import DegenerateError, ShapeError
from sixvec.ik.redundancy.criterion import Criterion
from sixvec.ik.redundancy.null_space import null_space_basis
from sixvec.ik.redundancy.task import task_jacobian
from sixvec.model.spanning_tree import require_tree
from sixvec.robot import Robot
from sixvec.solve.decomposition import above, as_matrix, pseudo_inverse, rank, times
from sixvec.solve.direction import Directions, direction_rows
from sixvec.tolerances import RANK

STEP = 1e-4
"""Of the central differences of a criterion's gradient: its error, step² ≈ 1e-8, is far below a controller's needs."""


def extended_jacobian(J: ArrayLike, A: ArrayLike) -> Array:
    """Ĵ = [J; A], square: the task rows and n - m conditions A q̇ = 0.  Bruyninckx (5.35)-(5.36).

    >>> from sixvec.ik.redundancy import extended_jacobian
    >>> extended_jacobian([[1.0, 1.0]], [[1.0, -1.0]]).tolist()
    [[1.0, 1.0], [1.0, -1.0]]
    """
    J, A = as_matrix(J), as_matrix(A, "A")
    m, n = J.shape[-2:]
    if m > n:
        raise ShapeError(f"J has shape {J.shape}: {m} task rows for {n} joints leave no joints for conditions")
    require_shape("A", A, n - m, n, why=f"{m} task rows for {n} joints leave {n - m} conditions")
    return above(J, A)


def extended_inverse(J: ArrayLike, A: ArrayLike, tolerance: float = RANK) -> Array:
    """B, the first m columns of Ĵ⁻¹, so that q̇ = B t does the task and keeps A q̇ = 0.  Bruyninckx (5.37)-(5.38).

    J B = 1, A B = 0, B J B = B; but B J is not the identity, it is idempotent of rank m (the book prints B J = 1).
    Where J and A have full rank but share a direction of their null spaces, Ĵ is singular although the robot is not: an
    *algorithmic* singularity, which raises an error.

    >>> from sixvec.ik.redundancy import extended_inverse
    >>> extended_inverse([[1.0, 1.0]], [[1.0, -1.0]]).tolist()  # both joints share the motion
    [[0.5], [0.5]]
    """
    J = as_matrix(J)
    extended = extended_jacobian(J, A)
    n = J.shape[-1]
    finite = np.isfinite(extended).all(axis=(-2, -1))  # only the singular samples become NaN
    singular = (rank(extended, tolerance) < n) & finite
    if np.any(singular):
        if np.any(singular & (rank(J, tolerance) < J.shape[-2])):
            cause = "the task itself is singular here: use damped_least_squares"
        elif np.any(singular & (rank(A, tolerance) < n - J.shape[-2])):
            cause = "the rows of A are dependent: give independent conditions"
        else:
            cause = "an algorithmic singularity: some internal motion satisfies A; choose other conditions"
        raise DegenerateError(f"the extended Jacobian is singular: {cause}")
    return np.asarray(np.linalg.inv(extended)[..., : J.shape[-2]])


@dataclass(frozen=True, eq=False, repr=False)
class OptimalityRows(Result):
    """Conditions h (n - m) for an optimum, and their derivative A (n - m, n)."""

    h: Array
    A: Array


def optimality_rows(
    robot: Robot,
    q: ArrayLike,
    frame: str,
    criterion: Criterion,
    directions: Directions = "pose",
    reference: Reference = "local_world_aligned",
) -> OptimalityRows:
    """h = Nᵀ ∇g and its derivative A = ∂h/∂q: Baillieul's (1985) conditions for staying at an optimum of g.

    With N a basis of the internal motions, h = 0 means that none of them improves g.  Differentiating N is avoided:
    with multipliers μ from ∇g = Jᵀ μ (least squares),  A = Nᵀ (∂²g/∂q² - Σ μ_k ∂J_k/∂q), which is exact where h = 0.
    Use q̇ = B t with B = extended_inverse(J, A); add -A⁺ K h to return to the optimum after a drift.  The second
    derivative of g is a central difference of its gradient.  One position at a time.

    >>> import sixvec
    >>> from sixvec.ik.redundancy import joint_springs, optimality_rows
    >>> panda = sixvec.load("panda")
    >>> optimality_rows(panda, [0.0, -0.8, 0.0, -2.4, 0.0, 1.6, 0.8], "panda_link8", joint_springs(panda))
    <OptimalityRows: h (1,), A (1, 7)>
    """
    require_tree(robot.model, "optimality_rows")
    q = real_array("optimality_rows: q", q, robot.nq, batch=False)
    rows = direction_rows(directions)
    J = task_jacobian(robot, q, frame, directions, reference)
    dJ = robot.kernel("jacobian", frame=frame, reference=reference).derivative("q")(q)[rows]
    N = null_space_basis(J)
    steps = STEP * np.eye(robot.nv)
    ahead, behind = (criterion.gradient(robot.integrate(q, s * steps)) for s in (1.0, -1.0))
    hessian = (ahead - behind).T / (2.0 * STEP)
    g = criterion.gradient(q)
    multipliers = times(pseudo_inverse(J.T), g)
    return OptimalityRows(N.T @ g, N.T @ (hessian - np.einsum("k,kij->ij", multipliers, dJ)))
