"""Joint accelerations caused by wrenches on a frame."""

from __future__ import annotations

from typing import Any

from sixvec.algorithms.declaration import JointVector, kernel
from sixvec.algorithms.parts.mobility import responses
from sixvec.algorithms.parts.reference import Reference
from sixvec.model import Model


@kernel("q -> R[nv,6]", loops="enforced", mimic="handled")
def wrench_response(model: Model, q: JointVector, frame: str, reference: Reference = "local") -> Any:
    """M⁻¹ Jᵀ: the change of the joint accelerations per unit of wrench on a frame, in O(n) per column.

    The wrench is at the frame's origin in frame axes, as in `forward_dynamics`, unless `reference` is given.

    (1 - H Ψ L)ᵀ D⁻¹ H ψ B in the operators of Rodriguez-Kreutz §5; for robots with few degrees of freedom the
    factors of M are used, which then need fewer operations.

    With loops the result is K Jᵀ,  K = M⁻¹ - M⁻¹ Aᵀ (A M⁻¹ Aᵀ)⁺ A M⁻¹  with the rows A of `closure_jacobian`: the
    change of `forward_dynamics`, in which the loops carry their part of the wrench and stay closed.

    >>> import sixvec, numpy
    >>> robot = sixvec.load("panda")
    >>> q = robot.random(0)
    >>> J = robot.jacobian(q, "panda_link8", "local")
    >>> numpy.allclose(robot.mass_matrix(q) @ robot.wrench_response(q, "panda_link8"), J.T)
    True
    """
    return responses(model, q, frame, reference)
