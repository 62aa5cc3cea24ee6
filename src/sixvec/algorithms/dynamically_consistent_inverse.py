"""The inverse of a frame's Jacobian whose null space does not accelerate the frame."""

from __future__ import annotations

from typing import Any

from sixvec.algorithms.declaration import JointVector, kernel
from sixvec.algorithms.jacobian import jacobian
from sixvec.algorithms.operational_space_inertia import damped_inverse
from sixvec.algorithms.parts.factorization import dot, symmetric_product
from sixvec.algorithms.parts.mobility import responses
from sixvec.algorithms.parts.reference import Reference
from sixvec.model import Model


@kernel("q -> Jbar[nv,6]", loops="enforced", mimic="handled")
def dynamically_consistent_inverse(
    model: Model,
    q: JointVector,
    frame: str,
    reference: Reference = "local_world_aligned",
    damping: float = 0.0,
) -> Any:
    """J̄(q) = M⁻¹ Jᵀ Λ: the joint accelerations of least aᵀ M a that produce a frame's acceleration  (Khatib 1987).

    J J̄ = 1, and joint forces (1 - Jᵀ J̄ᵀ) τ₀ do not accelerate the frame.  nan at singular positions: use `damping`, as
    in `operational_space_inertia`, or `sixvec.analysis.task_space_dynamics`.  With loops J̄ = K Jᵀ Λ opens none,
    A J̄ = 0 (`wrench_response`).

    >>> import sixvec, numpy
    >>> robot = sixvec.load("panda")
    >>> q = robot.random(0)
    >>> J, Jbar = robot.jacobian(q, "panda_link8"), robot.dynamically_consistent_inverse(q, "panda_link8")
    >>> numpy.allclose(J @ Jbar, numpy.eye(6))
    True
    """
    J = jacobian(model, q, frame=frame, reference=reference)
    R = responses(model, q, frame, reference)
    Lambda = damped_inverse(model, frame, symmetric_product(J, list(zip(*R, strict=True))), damping)
    return [[dot(row, column) for column in Lambda] for row in R]  # R Λ, and Λ is symmetric
