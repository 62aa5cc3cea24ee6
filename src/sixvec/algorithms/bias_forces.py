"""Joint forces that hold a motion without acceleration."""

from __future__ import annotations

from typing import Any

from sixvec.algorithms.declaration import JointVector, kernel
from sixvec.algorithms.inverse_dynamics import inverse_dynamics
from sixvec.model import Model


@kernel("q v -> tau", loops="ignored")
def bias_forces(model: Model, q: JointVector, v: JointVector) -> Any:
    """C(q, v) v + g(q): inverse dynamics with zero acceleration.

    Featherstone (37).

    >>> import sixvec
    >>> robot = sixvec.load("panda")
    >>> robot.bias_forces(robot.neutral(), robot.neutral()).shape
    (7,)
    """
    return inverse_dynamics(model, q, v, [0.0] * model.nv)
