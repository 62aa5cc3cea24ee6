"""How the energies depend on the inertial parameters."""

from __future__ import annotations

from typing import Any

from sixvec.algorithms.declaration import JointVector, kernel
from sixvec.algorithms.parts.inertial_parameter import UNITS, links
from sixvec.algorithms.poses import body_poses
from sixvec.algorithms.velocity import body_velocities
from sixvec.model import Model


@kernel("q v -> Y[nparameters]", loops="ignored", original_bodies=True)
def kinetic_energy_regressor(model: Model, q: JointVector, v: JointVector) -> Any:
    """The Y(q, v) with  T = Y · π  for the kinetic energy without rotors; π as in `inverse_dynamics_regressor`.

    ½ Vᵀ I V of each body with unit parameters (Gautier and Khalil 1988).

    >>> import numpy, sixvec
    >>> from sixvec.identification import inertial_parameters
    >>> robot = sixvec.load("panda")
    >>> q, v = robot.random(0), numpy.ones(7)
    >>> T = robot.kinetic_energy_regressor(q, v) @ inertial_parameters(robot.model)
    >>> numpy.allclose(T, robot.kinetic_energy(q, v))
    True
    """
    tree = links(model)
    q, v = tree.coordinates(q, v)
    V = body_velocities(tree.model.bodies, q, v)
    in_links = [link.placement.inv() @ V[link.body] for link in tree.frames]
    return [V_L.dot(unit @ V_L) * 0.5 for V_L in in_links for unit in UNITS]


@kernel("q -> Y[nparameters]", loops="ignored", original_bodies=True)
def potential_energy_regressor(model: Model, q: JointVector) -> Any:
    """The Y(q) with  U = Y · π  for the potential energy; π as in `inverse_dynamics_regressor`.

    U = -g · (m p + R (m c)) of a body at (R, p).

    >>> import numpy, sixvec
    >>> from sixvec.identification import inertial_parameters
    >>> robot = sixvec.load("panda")
    >>> q = robot.random(0)
    >>> U = robot.potential_energy_regressor(q) @ inertial_parameters(robot.model)
    >>> numpy.allclose(U, robot.potential_energy(q))
    True
    """
    tree = links(model)
    (q,) = tree.coordinates(q)
    X = body_poses(tree.model, q)
    in_world = [X[link.body] @ link.placement for link in tree.frames]
    return [-model.gravity.dot(X_W.pos * u.mass + X_W.rot @ u.moment) for X_W in in_world for u in UNITS]
