"""Equations with a mass matrix whose factors are known."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from sixvec.algorithms.parts.sparsity import mass_matrix_pattern, tree_order
from sixvec.arguments import Array, common_batch, real_array, require_shape
from sixvec.model import Model
from sixvec.model.coupling import is_coupled
from sixvec.model.require import require_model
from sixvec.robot import Robot


def solve_with_factors(robot: Robot | Model, L: ArrayLike, D: ArrayLike, b: ArrayLike) -> Array:
    """x with  M x = b,  from the factors M = Lᵀ diag(D) L of `mass_matrix_ltdl`: substitution along the branches.

        Lᵀ y = b    from the tips,      D z = y,      L x = z    from the root

    L (..., nv, nv), D (..., nv) and b (..., nv): batch axes broadcast, so one pair of factors can be used for many
    right-hand sides.  O(n d) for nv = n joints on paths of at most d, skipping the zeros between branches.

    >>> import numpy, sixvec
    >>> from sixvec.theory.lagrange import solve_with_factors
    >>> robot = sixvec.load("solo12")
    >>> q, forces = robot.random(0), numpy.random.default_rng(0).normal(size=(5, robot.nv))
    >>> L, D = robot.mass_matrix_ltdl(q)
    >>> numpy.allclose(solve_with_factors(robot, L, D, forces), robot.mass_matrix_solve(q, forces))
    True
    """
    model = require_model(robot, "solve_with_factors")
    n = model.nv
    factors, diagonal, right = (
        real_array(f"solve_with_factors: {name}", x) for name, x in (("L", L), ("D", D), ("b", b))
    )
    for name, array, shape in (("L", factors, (n, n)), ("D", diagonal, (n,)), ("b", right, (n,))):
        require_shape(f"solve_with_factors: {name}", array, *shape)
    batches = {"L": factors.shape[:-2], "D": diagonal.shape[:-1], "b": right.shape[:-1]}
    common_batch("solve_with_factors", list(batches.values()), list(batches))
    x: Array = np.broadcast_to(right, (*np.broadcast_shapes(*batches.values()), n)).copy()
    carriers = _carriers(model)
    for i, before in reversed(carriers):
        x[..., before] -= factors[..., i, before] * x[..., i, None]
    x /= diagonal
    for i, before in carriers:
        x[..., i] -= np.sum(factors[..., i, before] * x[..., before], axis=-1)
    return x


def _carriers(model: Model) -> list[tuple[int, list[int]]]:
    """For each coordinate, parents first, the earlier ones at which its row of L can differ from zero."""
    order = tree_order(model)
    if is_coupled(model):  # the factors may have entries where M is zero
        return [(i, order[:n]) for n, i in enumerate(order)]
    pattern = mass_matrix_pattern(model)
    return [(i, [j for j in order[:n] if pattern[i][j]]) for n, i in enumerate(order)]
