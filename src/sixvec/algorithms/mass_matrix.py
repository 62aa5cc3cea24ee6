"""The inertia in joint coordinates."""

from __future__ import annotations

from typing import Any

from sixvec.algorithms.declaration import JointVector, kernel
from sixvec.model import WORLD, Model


@kernel("q -> M[nv,nv]", loops="ignored", regroup=True, aliases=["crba"])
def mass_matrix(model: Model, q: JointVector) -> Any:
    """M(q): kinetic energy is ½ vᵀ M v, and M a is the force that accelerations require.  Full and symmetric.

    Composite-rigid-body algorithm (CRBA): Featherstone (44)-(48) and Figure 7.  Entries between joints that
    are not on one path are exactly zero.  Featherstone (36), (42); Lynch-Park (9.61).

    >>> import sixvec
    >>> robot = sixvec.load("panda")
    >>> M = robot.mass_matrix(robot.neutral())
    >>> bool((M == M.T).all()), M.shape
    (True, (7, 7))
    """
    M = [[0.0] * model.nv for _ in range(model.nv)]
    Ic = {b.name: b.inertia for b in model.bodies}
    for b in reversed(model.bodies):
        if b.parent is not WORLD:
            Ic[b.parent] = Ic[b.parent] + b.pose_in_parent(q) @ Ic[b.name]  # Featherstone (46)
        F = [Ic[b.name] @ S for S in b.subspace(q)]
        rows = range(model.v_slices[b.name].start, model.v_slices[b.name].stop)
        for c in reversed(model.path(b.name)):  # Featherstone (47)-(48): up the path, one transform at a time
            columns = range(model.v_slices[c.name].start, model.v_slices[c.name].stop)
            for i, f in zip(rows, F, strict=True):
                for j, S in zip(columns, c.subspace(q), strict=True):
                    M[i][j] = M[j][i] = S.dot(f)
            F = [c.pose_in_parent(q) @ f for f in F]
        for i, r in zip(rows, b.armature, strict=True):
            M[i][i] = M[i][i] + r
    return M
