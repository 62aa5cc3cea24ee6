"""How the momentum of the whole robot depends on the inertial parameters."""

from __future__ import annotations

from typing import Any

from sixvec.algorithms.declaration import JointVector, kernel
from sixvec.algorithms.momentum import About, reference_point
from sixvec.algorithms.parts.inertial_parameter import UNITS, links
from sixvec.algorithms.poses import body_poses
from sixvec.algorithms.velocity import body_velocities
from sixvec.model import Model


@kernel("q v -> Y[6,nparameters]", loops="ignored", original_bodies=True)
def momentum_regressor(model: Model, q: JointVector, v: JointVector, about: About = "center_of_mass") -> Any:
    """The Y(q, v) with  h = Y π  for the momentum h of `momentum`, about the same point, angular part first.

    The centre of mass is that of the model as it is: a point given by q, so that h stays linear in π.  For parameters
    that are not the model's own, as in identification, use `about="world"`.  π as in `inverse_dynamics_regressor`; the
    columns are X_WB I V of each body with unit parameters.

    >>> import numpy, sixvec
    >>> from sixvec.identification import inertial_parameters
    >>> robot = sixvec.load("panda")
    >>> q, v = robot.random(0), numpy.ones(7)
    >>> h = robot.momentum_regressor(q, v) @ inertial_parameters(robot.model)
    >>> numpy.allclose(h, robot.momentum(q, v))
    True
    """
    tree = links(model)
    q, v = tree.coordinates(q, v)
    point = reference_point(tree.model, q, about)
    V = body_velocities(tree.model.bodies, q, v)
    X = body_poses(tree.model, q)
    columns = []
    for link in tree.frames:
        X_WL, V_L = X[link.body] @ link.placement, link.placement.inv() @ V[link.body]
        columns += [(X_WL @ (unit @ V_L)).shifted(point) for unit in UNITS]
    return list(zip(*columns, strict=True)) if columns else [[]] * 6
