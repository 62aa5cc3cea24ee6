"""Steps on the manifold of positions."""

from __future__ import annotations

from typing import Any

from sixvec.algorithms.declaration import JointVector, kernel
from sixvec.model import Model


@kernel("q v -> q1", loops="ignored", mimic="handled")
def integrate(model: Model, q: JointVector, v: JointVector) -> Any:
    """q ⊕ v: the position reached by moving with constant v for one unit of time (v includes the time step).

    Quaternions stay unit quaternions.

    >>> import sixvec
    >>> robot = sixvec.load("panda")
    >>> robot.integrate(robot.neutral(), [0.1] * 7)[0]
    np.float64(0.1)
    """
    return [x for b in model.moving for x in b.joint.integrate(q[b], v[b])]
