"""How joint velocities open the loops of a mechanism."""

from __future__ import annotations

from typing import Any

from sixvec.algorithms.closure_loop import Loop
from sixvec.algorithms.closure_rows import rows_of
from sixvec.algorithms.declaration import JointVector, kernel
from sixvec.model import Closure, Model
from sixvec.spatial import Motion


@kernel("q -> A[nconstraints,nv]", loops="open")
def closure_jacobian(model: Model, q: JointVector) -> Any:
    """The matrix A(q) with  ė = A v  for the errors e of `closure_error`; joints keep the loops closed if  A v = 0.

    Along a loop the joints of the branch to the second frame count positively and those of the other branch
    negatively (Bruyninckx 5.28, where that sign is missing).  A is the exact derivative also where the loops are open.

    >>> import sixvec
    >>> bars = sixvec.load("four_bar")
    >>> A = bars.closure_jacobian(bars.neutral())
    >>> A.shape, A[3].round(3).tolist()  # the vertical gap, seen from the coupler
    ((5, 3), [-0.18, -0.14, 0.08])
    """
    rows: list[list[Any]] = []
    for c in model.closures:
        if isinstance(c, Closure):
            rows += _loop_rows(model, q, c)
        else:
            row = [0.0] * model.nv
            row[model.v_slices[c.leader].start] -= c.ratio
            row[model.v_slices[c.follower].start] += 1.0
            rows.append(row)
    return rows


def _loop_rows(model: Model, q: JointVector, c: Closure) -> list[list[Any]]:
    loop = Loop.of(model, q, c)
    X_AC, X_AB = loop.X_CA.inv(), loop.X_AB
    columns = [Motion.zero()] * model.nv
    for bodies, sign in ((loop.to_A, -1.0), (loop.to_B, 1.0)):
        for b in bodies:
            columns[model.v_slices[b.name]] = [X_AC @ (loop.X_C[b.name] @ S) * sign for S in b.subspace(q)]
    return [[row.rate(X_AB, V) for V in columns] for row in rows_of(c.joint)]
