"""How the momentum of the whole robot depends on the inertial parameters."""

from __future__ import annotations

from typing import Any

from sixvec.algorithms.declaration import JointVector, kernel
from sixvec.algorithms.inertial_parameter import UNITS, links
from sixvec.algorithms.velocity import body_velocities
from sixvec.model import WORLD, Model
from sixvec.spatial import Pose


@kernel("q v -> Y[6,nparameters]", loops="open", own_bodies=True)
def momentum_regressor(model: Model, q: JointVector, v: JointVector) -> Any:
    """The Y(q, v) with  h = Y π  for the momentum h about the *world's origin*, world axes, angular part first.

    About the centre of mass (`momentum`) it would not be linear, as that point depends on π itself.  π as in
    `inverse_dynamics_regressor`; the columns are X_WB I V of each body with unit parameters.

    >>> import numpy, sixvec
    >>> from sixvec.identification import inertial_parameters
    >>> robot = sixvec.load("panda")
    >>> q, v = robot.random(0), numpy.ones(7)
    >>> h = robot.momentum_regressor(q, v) @ inertial_parameters(robot.model)
    >>> numpy.allclose(h[3:], robot.momentum(q, v)[3:])
    True
    """
    tree = links(model)
    q, v = tree.coordinates(q, v)
    V = body_velocities(tree.model.bodies, q, v)
    X: dict[str | None, Pose] = {WORLD: Pose.identity()}
    for b in tree.model.bodies:
        X[b.name] = X[b.parent] @ b.placement @ b.joint.pose(q[b])
    columns = []
    for link in tree.frames:
        X_WL, V_L = X[link.body] @ link.placement, link.placement.inv() @ V[link.body]
        columns += [X_WL @ (unit @ V_L) for unit in UNITS]
    return list(zip(*columns, strict=True)) if columns else [[]] * 6
