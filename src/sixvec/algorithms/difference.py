"""Differences on the manifold of positions."""

from __future__ import annotations

from typing import Any

from sixvec.algorithms.declaration import JointVector, kernel
from sixvec.model import Model


@kernel("q0 q1 -> v", loops="ignored", mimic="handled")
def difference(model: Model, q0: JointVector, q1: JointVector) -> Any:
    """q1 ⊖ q0: the velocity that moves q0 to q1 in one unit of time, so q0 ⊕ (q1 ⊖ q0) = q1.

    >>> import sixvec
    >>> robot = sixvec.load("panda")
    >>> q = robot.neutral()
    >>> robot.difference(q, q).tolist()
    [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]
    """
    return [x for b in model.moving for x in b.joint.difference(q0[b], q1[b])]
