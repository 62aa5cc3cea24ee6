"""Velocity-product forces as a matrix."""

from __future__ import annotations

from typing import Any

from sixvec.algorithms.declaration import JointVector, kernel
from sixvec.algorithms.parts.rotor_forces import rotor_coriolis
from sixvec.algorithms.velocity import body_velocities
from sixvec.model import WORLD, Model
from sixvec.spatial import CoriolisForm


@kernel("q v -> C[nv,nv]", loops="ignored", regroup=True)
def coriolis_matrix(model: Model, q: JointVector, v: JointVector) -> Any:
    """The C(q, v) with  C v = velocity-product forces  and  Ṁ - 2C skew-symmetric.

    It is the C of the Christoffel symbols where v = q̇ (Lynch-Park (9.87), Prop. 9.1).  With I and B summed over the
    bodies beyond joint i and a joint j on the path below it:  C_ij = S_iᵀ (I Ṡ_j + B S_j)  and
    C_ji = S_jᵀ (I Ṡ_i + B S_i),  Ṡ = V × S  (Echeandia and Wensing, J. Comput. Nonlinear Dynamics 16(9), 2021).
    Lynch-Park (9.88).

    >>> import sixvec, numpy
    >>> robot = sixvec.load("panda")
    >>> q, v = robot.neutral(), numpy.ones(7)
    >>> bias = robot.bias_forces(q, v) - robot.gravity_forces(q)
    >>> numpy.allclose(robot.coriolis_matrix(q, v) @ v, bias)
    True
    """
    V = body_velocities(model.bodies, q, v)
    Ic = {b.name: b.inertia for b in model.bodies}
    Bc = {b.name: CoriolisForm.of(b.inertia, V[b.name]) for b in model.bodies}
    C = [[0.0] * model.nv for _ in range(model.nv)]
    for b in reversed(model.bodies):
        if b.parent is not WORLD:
            X_PB = b.pose_in_parent(q)
            Ic[b.parent] = Ic[b.parent] + X_PB @ Ic[b.name]
            Bc[b.parent] = Bc[b.parent] + X_PB @ Bc[b.name]
        S = b.subspace(q)
        up = [Ic[b.name] @ V[b.name].cross(s) + Bc[b.name] @ s for s in S]  # I Ṡ_i + B S_i
        inertial = [Ic[b.name] @ s for s in S]  # I S_i
        turned = [Bc[b.name].transpose_act(s) for s in S]  # Bᵀ S_i
        rows = range(model.v_slices[b.name].start, model.v_slices[b.name].stop)
        for c in reversed(model.path(b.name)):
            columns = range(model.v_slices[c.name].start, model.v_slices[c.name].stop)
            for j, s in zip(columns, c.subspace(q), strict=True):
                s_rate = V[c.name].cross(s)
                for i, u, f, t in zip(rows, up, inertial, turned, strict=True):
                    C[j][i] = s.dot(u)
                    C[i][j] = s_rate.dot(f) + s.dot(t)
            X = c.pose_in_parent(q)
            up, inertial, turned = [X @ u for u in up], [X @ f for f in inertial], [X @ t for t in turned]
    for i, j, x in rotor_coriolis(model, v):
        C[i][j] = C[i][j] + x
    return C
