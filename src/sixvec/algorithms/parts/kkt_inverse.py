"""The inverse of the equations of constrained motion, block by block.  No kernel lives here."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sixvec.algorithms.parts.factorization import Factors
from sixvec.algorithms.parts.proximal import Proximal, dot
from sixvec.scalar import Scalar

Rows = list[list[Any]]

LEAST = 1e-13
"""The damping of the one solution from which derivatives come.  What it leaves of an error of rows that depend on
each other is along rows that do nothing, where only forces see it."""


class KktInverse:
    """The system  M a - Aᵀ force = f,  A a = b  with its inverse [[K, N], [-Nᵀ, G⁺]]:  N = M⁻¹ Aᵀ G⁺."""

    def __init__(self, M: Rows, A: Rows, order: Sequence[int]) -> None:
        n = len(M)
        factors = Factors(M, order)
        Z = [factors.half(row) for row in A]
        G = [[factors.weighted(z, w) for w in Z[: i + 1]] for i, z in enumerate(Z)]
        solver, at_once = Proximal(G), Proximal(G, steps=1, least=LEAST)
        T = list(zip(*(factors.rest(z) for z in Z), strict=True)) or [()] * n  # M⁻¹ Aᵀ
        self.N = [at_once.solution(row) for row in T]
        self.G_inverse = at_once.inverse()
        units = [factors.half([float(i == k) for i in range(n)]) for k in range(n)]
        self.K = [[0.0] * n for _ in range(n)]
        for i, u in enumerate(units):
            for j, w in enumerate(units[: i + 1]):
                self.K[i][j] = self.K[j][i] = factors.weighted(u, w) - dot(self.N[i], T[j])
        self._factors, self._Z, self._solver = factors, Z, solver

    def solution(self, f: Sequence[Scalar], b: Sequence[Scalar]) -> tuple[list[Any], list[Any]]:
        y = self._factors.half(f)
        force = self._solver.solution([x - self._factors.weighted(z, y) for z, x in zip(self._Z, b, strict=True)])
        pushed = [sum((z[i] * x for z, x in zip(self._Z, force, strict=True)), t) for i, t in enumerate(y)]
        return self._factors.rest(pushed), force
