"""The inverse of the mass matrix."""

from __future__ import annotations

from typing import Any

from sixvec.algorithms.declaration import JointVector, kernel
from sixvec.algorithms.mass_matrix import mass_matrix
from sixvec.algorithms.parts.factorization import inverse
from sixvec.algorithms.parts.singular import require_mass
from sixvec.model import Model


@kernel("q -> Minv[nv,nv]", loops="unsupported", mimic="handled", requires=require_mass)
def mass_matrix_inverse(model: Model, q: JointVector) -> Any:
    """M(q)⁻¹, full and symmetric, through the sparse factorisation M = Lᵀ D L without fill-in.

    >>> import sixvec, numpy
    >>> robot = sixvec.load("panda")
    >>> q = robot.neutral()
    >>> numpy.allclose(robot.mass_matrix_inverse(q) @ robot.mass_matrix(q), numpy.eye(7))
    True
    """
    return inverse(mass_matrix(model, q))
