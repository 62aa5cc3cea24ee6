"""How joint velocities move the centre of mass."""

from __future__ import annotations

from typing import Any

from sixvec.algorithms.declaration import JointVector, kernel
from sixvec.algorithms.poses import body_poses
from sixvec.errors import ModelError
from sixvec.model import WORLD, Model
from sixvec.spatial import Vec3


@kernel("q -> J[3,nv]", loops="ignored")
def center_of_mass_jacobian(model: Model, q: JointVector) -> Any:
    """The matrix J(q) with  ċ = J v  for the centre of mass c of the moving bodies, in world axes.

    The column of a joint axis S is  (m_s/m) (v_S + ω_S × c_s), with mass m_s and centre c_s of what the joint carries.

    >>> import numpy, sixvec
    >>> robot = sixvec.load("panda")
    >>> q, v = robot.random(0), numpy.ones(7)
    >>> momentum = robot.momentum(q, v)[3:]
    >>> moving = robot.kinetic_energy(q, v) > 0 and robot.center_of_mass_jacobian(q) @ v
    >>> numpy.allclose(momentum / numpy.linalg.norm(momentum), moving / numpy.linalg.norm(moving))
    True
    """
    X = body_poses(model, q)
    mass: dict[str | None, Any] = {WORLD: 0.0}
    moment: dict[str | None, Vec3] = {WORLD: Vec3.zero()}
    for b in model.bodies:
        mass[b.name] = b.inertia.mass
        moment[b.name] = X[b.name].rot @ b.inertia.moment + X[b.name].pos * b.inertia.mass
    for b in reversed(model.bodies):
        mass[b.parent] += mass[b.name]
        moment[b.parent] = moment[b.parent] + moment[b.name]
    if mass[WORLD] == 0.0:
        raise ModelError(f"{model.name} has no moving mass, so it has no centre of mass")
    columns: list[Any] = [Vec3.zero()] * model.nv
    for b in model.bodies:
        axes = [X[b.name] @ S for S in b.subspace(q)]
        columns[model.v_slices[b.name]] = [
            (S.lin * mass[b.name] + S.ang.cross(moment[b.name])) * (1.0 / mass[WORLD]) for S in axes
        ]
    return list(zip(*columns, strict=True)) if columns else [[]] * 3
