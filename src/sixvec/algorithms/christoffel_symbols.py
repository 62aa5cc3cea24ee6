"""Christoffel symbols of the mass matrix: the coefficients of the velocity products."""

from __future__ import annotations

from typing import Any

from sixvec.algorithms.coriolis_matrix import coriolis_matrix
from sixvec.algorithms.declaration import JointVector, kernel
from sixvec.model import Model


@kernel("q -> Gamma[nv,nv,nv]", loops="ignored")
def christoffel_symbols(model: Model, q: JointVector) -> Any:
    """Γ_ijk with  c_i = Σ Γ_ijk v_j v_k  and  C_ij = Σ Γ_ijk v_k:  Christoffel symbols of the first kind.

        Γ_ijk = ½ (∂M_ij/∂q_k + ∂M_ik/∂q_j - ∂M_jk/∂q_i)          (Lynch-Park (9.13); Bruyninckx (6.34))

    That is for joints whose velocity is q̇, where Γ_ijk = Γ_ikj.  Ball and free joints have velocities that are not
    rates of coordinates; there Γ_ijk - Γ_ikj = Σ_l M_il [e_k, e_j]_l, and both sums above still hold.

    C(q, v) is linear in v, so Γ_··k is C(q, e_k): with a unit velocity most terms of that program vanish.

    >>> import sixvec, numpy
    >>> robot = sixvec.load("planar_2r")
    >>> robot.christoffel_symbols([0.0, numpy.pi / 2]).round(12).tolist()[0]
    [[0.0, -1.0], [-1.0, -1.0]]
    """
    n = model.nv
    C = [coriolis_matrix(model, q, [1.0 if i == k else 0.0 for i in range(n)]) for k in range(n)]
    return [[[C[k][i][j] for k in range(n)] for j in range(n)] for i in range(n)]
