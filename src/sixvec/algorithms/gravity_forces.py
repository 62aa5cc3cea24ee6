"""Joint forces that hold a robot at rest against gravity."""

from __future__ import annotations

from typing import Any

from sixvec.algorithms.declaration import JointVector, kernel
from sixvec.algorithms.inverse_dynamics import inverse_dynamics
from sixvec.model import Model


@kernel("q -> tau", loops="ignored")
def gravity_forces(model: Model, q: JointVector) -> Any:
    """g(q), the gradient of the potential energy: inverse dynamics at rest.

    >>> import sixvec
    >>> robot = sixvec.load("panda")
    >>> robot.gravity_forces(robot.neutral()).shape
    (7,)
    """
    zero = [0.0] * model.nv
    return inverse_dynamics(model, q, zero, zero)
