"""Potential energy of gravity and springs."""

from __future__ import annotations

from typing import Any

from sixvec.algorithms.center_of_mass import first_moment
from sixvec.algorithms.declaration import JointVector, kernel
from sixvec.algorithms.passive_forces import spring_energy
from sixvec.model import Model


@kernel("q -> U[]", loops="ignored")
def potential_energy(model: Model, q: JointVector, passive: bool = False) -> Any:
    """-g · Σ m c of the moving bodies, in joule, zero with all mass at the world's origin.

    With `passive=True`, springs are included: ½ Σ k (q ⊖ rest)² of the joints, and ½ tᵀ K t of those between frames
    (`sixvec.model.BodySpring`).  Minus its slope is the part of `passive_forces` that does not depend on v, friction
    laws aside.

    >>> import sixvec
    >>> robot = sixvec.load("panda")
    >>> float(robot.potential_energy(robot.neutral())) > 0
    True
    """
    _, moment = first_moment(model, q)
    weight = -model.gravity.dot(moment)
    return weight + spring_energy(model, q) if passive else weight
