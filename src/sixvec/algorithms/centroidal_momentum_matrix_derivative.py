"""How the centroidal momentum matrix changes along a motion."""

from __future__ import annotations

from typing import Any

from sixvec.algorithms.center_of_mass import center_of_mass
from sixvec.algorithms.declaration import JointVector, kernel
from sixvec.algorithms.poses import body_poses
from sixvec.algorithms.velocity import body_velocities
from sixvec.model import WORLD, Model
from sixvec.spatial import CoriolisForm, Force, Motion, Vec3


@kernel("q v -> dA[6,nv]", loops="ignored")
def centroidal_momentum_matrix_derivative(model: Model, q: JointVector, v: JointVector) -> Any:
    """dA/dt along the velocity v, so that  ḣ = A a + Ȧ v  is the rate of `momentum`.

    In axes that do not move, the column  F = Ic S  of a joint changes by the axis, Ṡ = V × S, and by the inertia,
    İc = B + Bᵀ with the Coriolis form B (`coriolis_matrix`); about the moving centre of mass c also by  -ċ × f  with
    the linear part f of F.

    >>> import numpy, sixvec
    >>> robot = sixvec.load("panda")
    >>> q, v = robot.random(0), numpy.ones(7)
    >>> bias = robot.centroidal_momentum_matrix_derivative(q, v) @ v
    >>> later, before = (robot.momentum(robot.integrate(q, t * v), v) for t in (1e-5, -1e-5))
    >>> numpy.allclose(bias, (later - before) / 2e-5, atol=1e-7)
    True
    """
    center = center_of_mass(model, q)
    X, V = body_poses(model, q), body_velocities(model.bodies, q, v)
    Ic = {b.name: b.inertia for b in model.bodies}
    Bc = {b.name: CoriolisForm.of(b.inertia, V[b.name]) for b in model.bodies}
    F, F_rate = [Force.zero()] * model.nv, [Force.zero()] * model.nv
    mass, p = 0.0, Vec3.zero()
    for b in reversed(model.bodies):
        X_PB = b.pose_in_parent(q)
        if b.parent is not WORLD:
            Ic[b.parent] = Ic[b.parent] + X_PB @ Ic[b.name]
            Bc[b.parent] = Bc[b.parent] + X_PB @ Bc[b.name]
        else:
            mass, p = mass + Ic[b.name].mass, p + X[b.name].rot @ Bc[b.name].momentum
        at, S = model.v_slices[b.name], b.subspace(q)
        F[at] = [X[b.name] @ (Ic[b.name] @ s) for s in S]
        F_rate[at] = [X[b.name] @ _rate(Ic[b.name] @ V[b.name].cross(s), Bc[b.name], s) for s in S]
    center_rate = p * (1.0 / mass)
    columns = [
        Force(dA.ang - center_rate.cross(f.lin), dA.lin)
        for f, dA in ((f, rate.shifted(center)) for f, rate in zip(F, F_rate, strict=True))
    ]
    return list(zip(*columns, strict=True)) if columns else [[]] * 6


def _rate(inertial: Force, B: CoriolisForm, s: Motion) -> Force:
    """I Ṡ + İ S."""
    return inertial + B @ s + B.transpose_act(s)
