"""The response of a robot with loops or wheels to joint forces, and to velocities that violate them; no kernels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sixvec.algorithms.constraint_terms import constraint_jacobian
from sixvec.algorithms.declaration import JointVector
from sixvec.algorithms.mass_matrix import mass_matrix
from sixvec.algorithms.parts.factorization import Factors, dot
from sixvec.algorithms.parts.known_rank import ConstraintSystem
from sixvec.algorithms.parts.sparsity import tree_order
from sixvec.mechanism.row_rank import row_rank
from sixvec.model import Model


class LoopResponse:
    """K = M⁻¹ - M⁻¹ Aᵀ (A M⁻¹ Aᵀ)⁺ A M⁻¹: accelerations per unit of joint force; loops stay closed, wheels roll.

    It replaces M⁻¹; its rank is the number of freedoms of the mechanism, and  A K = 0.
    """

    def __init__(self, model: Model, q: JointVector) -> None:
        self._M = Factors(mass_matrix(model, q), tree_order(model))
        rank = row_rank(model)
        self._A = rank.of_used(constraint_jacobian(model, q))
        self._Z = [self._M.half(row) for row in self._A]
        G = [[self._M.weighted(z, w) for w in self._Z[: i + 1]] for i, z in enumerate(self._Z)]
        self._G = ConstraintSystem.of(G, rank)

    def to_force(self, tau: Sequence[Any]) -> list[Any]:
        """K tau."""
        y = self._M.half(tau)
        force = self._G.solution([self._M.weighted(z, y) for z in self._Z])
        return self._M.rest([x - dot([z[i] for z in self._Z], force) for i, x in enumerate(y)])

    def to_velocity(self, v: Sequence[Any]) -> list[Any]:
        """K M v: the velocities nearest to v in the metric of M that open no loop and roll."""
        force = self._G.solution([dot(row, v) for row in self._A])
        taken = self._M.rest([dot(column, force) for column in zip(*self._Z, strict=True)])
        return [x - y for x, y in zip(v, taken, strict=True)]
