"""The acceleration of a frame per unit of wrench on it."""

from __future__ import annotations

from typing import Any

from sixvec.algorithms.declaration import JointVector, kernel
from sixvec.algorithms.parts.mobility import mobility_blocks
from sixvec.algorithms.parts.reference import Reference
from sixvec.model import Model


@kernel("q -> Omega[6,6]", loops="enforced", mimic="handled")
def operational_space_inertia_inverse(
    model: Model, q: JointVector, frame: str, reference: Reference = "local_world_aligned"
) -> Any:
    """Ω(q) = J M⁻¹ Jᵀ: the acceleration of a frame per unit of wrench on it.  Symmetric, of the rank of J.

    O(n), without M or its inverse: articulated inertias inward, then Ω = ψᵀ Ω_parent ψ + Hᵀ D⁻¹ H outward along the
    path to the frame (Rodriguez and Kreutz announce it; Kreutz-Delgado, Jain and Rodriguez 1992).  Unlike its
    inverse Λ it exists at singularities too.  For several frames at once see `sixvec.analysis`.
    With loops M⁻¹ is that of the mechanism: see `wrench_response`.

    >>> import sixvec, numpy
    >>> robot = sixvec.load("panda")
    >>> q = robot.random(0)
    >>> J = robot.jacobian(q, "panda_link8")
    >>> numpy.allclose(
    ...     robot.operational_space_inertia_inverse(q, "panda_link8"), J @ robot.mass_matrix_inverse(q) @ J.T
    ... )
    True
    """
    return mobility_blocks(model, q, [frame], reference)
