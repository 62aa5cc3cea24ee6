"""Potential energy of gravity."""

from __future__ import annotations

from typing import Any

from sixvec.algorithms.center_of_mass import first_moment
from sixvec.algorithms.declaration import JointVector, kernel
from sixvec.model import Model


@kernel("q -> U[]", loops="ignored")
def potential_energy(model: Model, q: JointVector) -> Any:
    """-g · Σ m c of the moving bodies, in joule, zero with all mass at the world's origin.

    >>> import sixvec
    >>> robot = sixvec.load("panda")
    >>> float(robot.potential_energy(robot.neutral())) > 0
    True
    """
    _, moment = first_moment(model, q)
    return -model.gravity.dot(moment)
