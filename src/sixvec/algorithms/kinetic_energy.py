"""Energy of motion."""

from __future__ import annotations

from typing import Any

from sixvec.algorithms.declaration import JointVector, kernel
from sixvec.algorithms.velocity import body_velocities
from sixvec.model import Model


@kernel("q v -> T[]", loops="ignored", regroup=True)
def kinetic_energy(model: Model, q: JointVector, v: JointVector) -> Any:
    """½ Σ Vᵀ I V over the bodies and ½ I_r v² over the rotors, in joule; equal to ½ vᵀ M(q) v.

    Moving inertia that does not affect a joint to the parent leaves M and thus this sum unchanged.
    Bruyninckx (6.33); Featherstone (38), (39); Lynch-Park (9.10), (9.59).

    >>> import sixvec
    >>> robot = sixvec.load("panda")
    >>> float(robot.kinetic_energy(robot.neutral(), [0.0] * 7))
    0.0
    """
    V = body_velocities(model.bodies, q, v)
    twice = sum((V[b.name].dot(b.inertia @ V[b.name]) for b in model.bodies), 0.0)
    rotors = sum((r * x * x for b in model.bodies for r, x in zip(b.armature, v[b], strict=True)), 0.0)
    return 0.5 * (twice + rotors)
