"""The map from joint velocities to the momentum of the whole robot."""

from __future__ import annotations

from typing import Any

from sixvec.algorithms.center_of_mass import center_of_mass
from sixvec.algorithms.declaration import JointVector, kernel
from sixvec.algorithms.poses import body_poses
from sixvec.model import WORLD, Model
from sixvec.spatial import Force


@kernel("q -> A[6,nv]", loops="ignored")
def centroidal_momentum_matrix(model: Model, q: JointVector) -> Any:
    """The A(q) with  h = A v: momentum about the centre of mass, world axes, angular part first.

    The column of a joint axis S is the momentum  Ic S  of all that the joint carries, moving as one body (Orin,
    Goswami and Lee, Autonomous Robots 35, 2013).  The lower three rows are the mass times `center_of_mass_jacobian`.

    >>> import numpy, sixvec
    >>> robot = sixvec.load("panda")
    >>> q, v = robot.random(0), numpy.ones(7)
    >>> numpy.allclose(robot.centroidal_momentum_matrix(q) @ v, robot.momentum(q, v))
    True
    """
    center = center_of_mass(model, q)
    X = body_poses(model, q)
    Ic = {b.name: b.inertia for b in model.bodies}
    columns = [Force.zero()] * model.nv
    for b in reversed(model.bodies):
        if b.parent is not WORLD:
            Ic[b.parent] = Ic[b.parent] + b.pose_in_parent(q) @ Ic[b.name]
        columns[model.v_slices[b.name]] = [(X[b.name] @ (Ic[b.name] @ S)).shifted(center) for S in b.subspace(q)]
    return list(zip(*columns, strict=True)) if columns else [[]] * 6
