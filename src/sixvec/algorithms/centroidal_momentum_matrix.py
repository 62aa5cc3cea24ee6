"""The map from joint velocities to the momentum of the whole robot."""

from __future__ import annotations

from typing import Any

from sixvec.algorithms.center_of_mass import first_moment
from sixvec.algorithms.declaration import JointVector, kernel
from sixvec.errors import ModelError
from sixvec.model import WORLD, Model
from sixvec.scalar import certainly
from sixvec.spatial import Force, Pose, Vec3


@kernel("q -> A[6,nv]", loops="open")
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
    center = moving_center(model, q)
    X = world_poses(model, q)
    Ic = {b.name: b.inertia for b in model.bodies}
    columns = [Force.zero()] * model.nv
    for b in reversed(model.bodies):
        if b.parent is not WORLD:
            Ic[b.parent] = Ic[b.parent] + b.pose_in_parent(q) @ Ic[b.name]
        columns[model.v_slices[b.name]] = [about(X[b.name] @ (Ic[b.name] @ S), center) for S in b.subspace(q)]
    return list(zip(*columns, strict=True)) if columns else [[]] * 6


def moving_center(model: Model, q: JointVector) -> Vec3:
    """The centre of mass of the moving bodies, or an error if they have no mass."""
    mass, moment = first_moment(model, q)
    if certainly(mass == 0.0):
        raise ModelError(f"{model.name} has no moving mass, so it has no centre of mass")
    center: Vec3 = moment * (1.0 / mass)
    return center


def world_poses(model: Model, q: JointVector) -> dict[str | None, Pose]:
    """X_WB of every body."""
    X: dict[str | None, Pose] = {WORLD: Pose.identity()}
    for b in model.bodies:
        X[b.name] = X[b.parent] @ b.placement @ b.joint.pose(q[b])
    return X


def about(h: Force, point: Vec3) -> Force:
    """A momentum or force about the origin, about another point: n - p × f."""
    return Force(h.ang - point.cross(h.lin), h.lin)
