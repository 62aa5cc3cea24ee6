"""Equations with the mass matrix, solved without its inverse."""

from __future__ import annotations

from typing import Any

from sixvec.algorithms.declaration import JointVector, kernel
from sixvec.algorithms.mass_matrix import mass_matrix
from sixvec.algorithms.parts.factorization import Factors
from sixvec.algorithms.parts.singular import require_mass
from sixvec.algorithms.parts.sparsity import tree_order
from sixvec.model import Model


@kernel("q tau -> x[nv]", loops="unsupported", mimic="handled", requires=require_mass)
def mass_matrix_solve(model: Model, q: JointVector, tau: JointVector) -> Any:
    """x with  M(q) x = tau: accelerations from forces at rest, velocities from canonical momenta.

    M = Lᵀ D L, then  Lᵀ y = tau  from the tips,  D z = y,  L x = z  from the root; zeros of the tree cost nothing
    (Featherstone, Int. J. Robotics Research 24(6), 2005).  The factors are recomputed on each call; for several forces
    at the same position keep those of `mass_matrix_ltdl` and use `lagrange.solve_with_factors`.
    Bruyninckx (6.35); Lynch-Park (9.89).

    >>> import sixvec, numpy
    >>> robot = sixvec.load("panda")
    >>> q, v = robot.random(0), numpy.ones(7)
    >>> numpy.allclose(robot.mass_matrix_solve(q, robot.canonical_momenta(q, v)), v)
    True
    """
    M = Factors(mass_matrix(model, q), tree_order(model))
    return M.rest(M.half(tau))
