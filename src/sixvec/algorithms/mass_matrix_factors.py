"""Triangular factors of the mass matrix that keep the zeros of the tree."""

from __future__ import annotations

from typing import Any

from sixvec.algorithms.declaration import JointVector, kernel
from sixvec.algorithms.mass_matrix import mass_matrix
from sixvec.algorithms.parts.factorization import Matrix, ltdl
from sixvec.algorithms.parts.singular import require_mass
from sixvec.algorithms.parts.sparsity import tree_order
from sixvec.model import Model
from sixvec.scalar import sqrt


@kernel("q -> L[nv,nv] D[nv]", loops="ignored", mimic="handled", requires=require_mass)
def mass_matrix_ltdl(model: Model, q: JointVector) -> Any:
    """L and D with  M = Lᵀ diag(D) L,  L unit lower triangular in the order of the tree: no square roots, no fill-in.

    Elimination starts at the tips, so L is zero wherever branches make M zero (Featherstone (48) and the
    discussion of branch-induced sparsity).  If the coordinates of a model are not ordered parents first,
    L[np.ix_(o, o)] with o = `sparsity.tree_order(model)` is triangular but L, whose rows and columns are in the order
    of v, is not.  `lagrange.solve_with_factors` solves with them.

    >>> import sixvec, numpy
    >>> robot = sixvec.load("panda")
    >>> q = robot.random(0)
    >>> L, D = robot.mass_matrix_ltdl(q)
    >>> numpy.allclose(L.T @ numpy.diag(D) @ L, robot.mass_matrix(q))
    True
    """
    L, D_inverse = ordered_ltdl(model, mass_matrix(model, q))
    return L, [1.0 / d for d in D_inverse]


@kernel("q -> L[nv,nv]", loops="ignored", mimic="handled", requires=require_mass)
def mass_matrix_ltl(model: Model, q: JointVector) -> Any:
    """L with  M = Lᵀ L,  with a positive diagonal and without fill-in: √D times that of `mass_matrix_ltdl`.

    It is lower triangular in the order of the tree, like L of `mass_matrix_ltdl`: a Cholesky factorisation that starts
    at the last row; the usual order would fill in the zeros between branches.

    >>> import sixvec, numpy
    >>> robot = sixvec.load("panda")
    >>> q = robot.random(0)
    >>> L = robot.mass_matrix_ltl(q)
    >>> numpy.allclose(L.T @ L, robot.mass_matrix(q))
    True
    """
    L, D_inverse = ordered_ltdl(model, mass_matrix(model, q))
    roots = [sqrt(1.0 / d) for d in D_inverse]
    return [[x * r for x in row] for row, r in zip(L, roots, strict=True)]


def ordered_ltdl(model: Model, M: Matrix) -> tuple[list[list[Any]], list[Any]]:
    """(L, 1/D) in the order of v, eliminated in the order of the tree."""
    order = tree_order(model)
    L, D_inverse = ltdl([[M[i][j] for j in order] for i in order])
    at = {coordinate: place for place, coordinate in enumerate(order)}
    places = [at[i] for i in range(model.nv)]
    return [[L[i][j] for j in places] for i in places], [D_inverse[i] for i in places]
