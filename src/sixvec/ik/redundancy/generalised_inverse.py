"""Weighted pseudo-inverses: the choice among joint motions, and among compromises between task directions.

Units.  J maps joint rates (rad/s, m/s) to task rates (rad/s, m/s).  A joint weight M makes q̇ᵀ M q̇ one quantity: with
the mass matrix it is twice the kinetic energy in joules; with diag(1/v_max²) it is a sum of squared utilisations
without unit.  A task weight W does the same for tᵀ W t: diag(L², L², L², 1, 1, 1), L in metres, compares a rotation
with a translation.  Without weights the result depends on the choice of units if these are mixed (Bruyninckx
§5.8.2, §5.9.3).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from sixvec.arguments import Array
from sixvec.solve.decomposition import as_matrix, joint_velocity, pseudo_inverse, task_velocity, times, weight_factor
from sixvec.tolerances import RANK


def weighted_inverse(
    J: ArrayLike,
    *,
    joint_weight: ArrayLike | None = None,
    task_weight: ArrayLike | None = None,
    tolerance: float = RANK,
) -> Array:
    """J^# with q̇ = J^# t: among the q̇ with J q̇ nearest to t (in W), the one with the least q̇ᵀ M q̇.

    J^# = F_M⁻¹ (F_W J F_M⁻¹)⁺ F_W  with  M = F_Mᵀ F_M,  W = F_Wᵀ F_W.  For J of full row rank this is
    M⁻¹ Jᵀ (J M⁻¹ Jᵀ)⁻¹ for any W (Bruyninckx (5.45)); for full column rank (Jᵀ W J)⁻¹ Jᵀ W for any M
    (Bruyninckx (5.54)).
    Products such as J M⁻¹ Jᵀ are never formed: they would square the condition number.  Singular values below
    `tolerance` times the largest are treated as zero, so at a singularity the lost directions are omitted.
    Bruyninckx (5.40), (5.46).

    >>> from sixvec.ik.redundancy import weighted_inverse
    >>> weighted_inverse([[1.0, 1.0]], joint_weight=[1.0, 3.0]).round(12).tolist()  # the heavy joint moves less
    [[0.75], [0.25]]
    """
    J = as_matrix(J)
    F_W = weight_factor(task_weight, J.shape[-2], "task")
    F_M = weight_factor(joint_weight, J.shape[-1], "joint")
    inverse_F_M = np.linalg.inv(F_M)
    return np.asarray(inverse_F_M @ pseudo_inverse(F_W @ J @ inverse_F_M, tolerance) @ F_W)


def task_projector(J: ArrayLike, weight: ArrayLike | None = None, tolerance: float = RANK) -> Array:
    """P = J J^#_W: maps a task velocity to the nearest (in W) feasible one.  Bruyninckx (5.55).

    P P = P and W P is symmetric.

    >>> from sixvec.ik.redundancy import task_projector
    >>> task_projector([[1.0], [1.0]], weight=[1.0, 3.0]).round(12).tolist()
    [[0.25, 0.75], [0.25, 0.75]]
    """
    J = as_matrix(J)
    return np.asarray(J @ weighted_inverse(J, task_weight=weight, tolerance=tolerance))


def task_inertia(J: ArrayLike, mass_matrix: ArrayLike, tolerance: float = RANK) -> Array:
    """Λ = (J M⁻¹ Jᵀ)⁺, the effective inertia in task directions; in lost directions it is infinite, and 0 is returned.

    λ = Λ t is the task impulse that brings the robot at rest to the velocity t.  Bruyninckx (5.44).

    >>> from sixvec.ik.redundancy import task_inertia
    >>> task_inertia([[1.0, 0.0]], [[2.0, 0.0], [0.0, 5.0]]).round(12).tolist()
    [[2.0]]
    """
    J = as_matrix(J)
    F_M = weight_factor(mass_matrix, J.shape[-1], "joint")
    half = pseudo_inverse(J @ np.linalg.inv(F_M), tolerance)
    return np.asarray(np.swapaxes(half, -1, -2) @ half)


def resolved_rates(
    J: ArrayLike,
    t: ArrayLike,
    secondary: ArrayLike | None = None,
    *,
    joint_weight: ArrayLike | None = None,
    task_weight: ArrayLike | None = None,
    tolerance: float = RANK,
) -> Array:
    """q̇ = J^# t + (1 - J^# J) q̇₀: the task first, and `secondary` q̇₀ in its null space (Liégeois 1977).

    >>> from sixvec.ik.redundancy import resolved_rates
    >>> resolved_rates([[1.0, 0.0]], [2.0], secondary=[7.0, 5.0]).tolist()
    [2.0, 5.0]
    """
    J = as_matrix(J)
    t = task_velocity(J, t)
    inverse = weighted_inverse(J, joint_weight=joint_weight, task_weight=task_weight, tolerance=tolerance)
    q_dot = times(inverse, t)
    if secondary is None:
        return q_dot
    secondary = joint_velocity(J, secondary, "secondary")
    return np.asarray(q_dot + secondary - times(inverse, times(J, secondary)))
