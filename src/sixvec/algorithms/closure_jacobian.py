"""How joint velocities open the loops of a mechanism."""

from __future__ import annotations

from typing import Any

from sixvec.algorithms.constraint_terms import constraint_jacobian
from sixvec.algorithms.declaration import JointVector, kernel
from sixvec.model import Model
from sixvec.model.spanning_tree import without_rolling


@kernel("q -> A[nconstraints,nv]", loops="described")
def closure_jacobian(model: Model, q: JointVector) -> Any:
    """The matrix A(q) with  ė = A v  for the errors e of `closure_error`; the loops stay closed if  A v = 0.

    Along a loop the joints of the branch to the second frame count positively and those of the other branch
    negatively (Bruyninckx (5.28), where that sign is missing).  A is the exact derivative of open loops too.

    >>> import sixvec
    >>> bars = sixvec.load("four_bar")
    >>> A = bars.closure_jacobian(bars.neutral())
    >>> A.shape, A[3].round(3).tolist()  # the vertical gap, seen from the coupler
    ((5, 3), [-0.18, -0.14, 0.08])
    """
    return constraint_jacobian(without_rolling(model), q)
