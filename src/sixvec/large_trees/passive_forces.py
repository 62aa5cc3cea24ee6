"""Damping, friction and springs of the joints of a large tree."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from sixvec.arguments import common_batch, real_array, require_finite
from sixvec.large_trees.dynamics import Result
from sixvec.large_trees.joint_kinds import KINDS, NQ, NV, Numbers
from sixvec.large_trees.large_tree import LargeTree


def passive_forces(tree: LargeTree, q: ArrayLike, v: ArrayLike, coulomb: bool = True) -> Result:
    """-d v - f sign(v) - k (q ⊖ rest), as `Robot.passive_forces`: shapes (..., nq), (..., nv).

    Add them to `tau` of `forward_dynamics`, and subtract them from the result of `inverse_dynamics`.

    >>> from sixvec import load
    >>> from sixvec.large_trees import LargeTree, passive_forces
    >>> pole = LargeTree.from_model(load("cart_pole").model)
    >>> passive_forces(pole, [0.1, 0.0], [1.0, 0.0]).shape
    (2,)
    """
    arrays = [real_array(f"passive_forces: {name}", x, n) for name, x, n in (("q", q, tree.nq), ("v", v, tree.nv))]
    for name, x in zip("qv", arrays, strict=True):
        require_finite(f"passive_forces: {name}", x)
    batch = common_batch("passive_forces", [x.shape[:-1] for x in arrays], ["q", "v"], [x.shape for x in arrays])
    damping, friction, stiffness = tree.joint_terms.T
    single = all(getattr(x, "dtype", None) == np.float32 for x in (q, v))
    positions, rates = (np.broadcast_to(x, (*batch, x.shape[-1])).astype(float) for x in arrays)
    forces: Result = -damping * rates - (friction * np.sign(rates) if coulomb else 0.0)
    if stiffness.any():
        forces = forces - stiffness * _stretch(tree, positions)
    return forces.astype(np.float32) if single else forces


def _stretch(tree: LargeTree, q: Numbers) -> Numbers:
    """q ⊖ rest (..., nv), all joints of one kind at once."""
    forces = np.zeros((*q.shape[:-1], tree.nv))
    for k, kind in enumerate(KINDS):
        rows = np.flatnonzero(tree.kinds == k)
        if not rows.size:
            continue
        at, to = (first[rows][:, None] + np.arange(n) for first, n in ((tree.q_first, NQ[k]), (tree.v_first, NV[k])))
        relaxed, now = ([x[..., at[:, i]] for i in range(NQ[k])] for x in (tree.rest, q))
        for i, x in enumerate(kind.joint(0.0).difference(relaxed, now)):
            forces[..., to[:, i]] = x
    return forces
