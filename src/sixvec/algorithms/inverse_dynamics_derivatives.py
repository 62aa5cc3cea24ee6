"""How the joint forces of inverse dynamics change with position, velocity and acceleration."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from sixvec.algorithms.declaration import JointVector, kernel
from sixvec.algorithms.kinematic_hessian import kinematic_hessian
from sixvec.algorithms.parts.external import Wrenches, body_wrenches
from sixvec.algorithms.parts.motor_forces import motor_force_derivatives
from sixvec.algorithms.parts.reference import Reference, check_reference
from sixvec.algorithms.parts.rotor_forces import rotor_slopes
from sixvec.algorithms.passive_forces import Entry, passive_slopes
from sixvec.algorithms.velocity import body_velocities
from sixvec.model import WORLD, Model
from sixvec.scalar import Scalar
from sixvec.spatial import CoriolisForm, Force, Motion, Vec3


class _Columns(NamedTuple):
    """Forces of one joint coordinate, passed to the root; products with other joint axes are the derivatives."""

    dq: Force
    """2 B Ψ̇ + I Ψ̈ + f ×̄ S: the force due to a displacement of this joint."""
    dv: Force
    """2 B S + I (Ψ̇ + Ṡ): the force due to a velocity of this joint."""
    inertial: Force
    """I S."""
    turned: Force
    """2 Bᵀ S."""


@kernel(
    "q v a external -> dq[nv,nv] dv[nv,nv] da[nv,nv]",
    loops=motor_force_derivatives,
    wheels="unsupported",
    regroup=True,
)
def inverse_dynamics_derivatives(
    model: Model,
    q: JointVector,
    v: JointVector,
    a: JointVector,
    external: Wrenches | None = None,
    external_reference: Reference = "local",
    passive: bool = False,
) -> Any:
    """∂tau/∂q, ∂tau/∂v and ∂tau/∂a = M, each (nv, nv), in tangent coordinates.

    Column j of dq is the change of tau for a step of q along coordinate j of `robot.integrate`.
    Analytic recursion over composite inertias I, Coriolis forms B and forces f, O(n d) for depth d: Singh, Russell and
    Wensing, "Efficient analytical derivatives of rigid-body dynamics using spatial vector algebra", IEEE RA-L 7(2),
    2022, here in body coordinates.  With  Ψ̇ = V_P × S,  Ψ̈ = A_P × S + V_P × Ψ̇,  Ṡ = V_B × S  of each joint.

    `external` wrenches and `passive` forces are those of `inverse_dynamics`.  A wrench in the frame's own axes moves
    with its body and is part of f; one that keeps its direction in the world adds  -Σ (∂J/∂q)ᵀ w.  Coulomb friction is
    constant on each side of v = 0, so it does not contribute to the derivatives.

    In a mechanism with loops these are the derivatives of `inverse_dynamics`, the forces of the motors, at a position
    with closed loops, where q, v and a are free of each other: the derivatives along steps that keep the loops closed,
    and along others the smooth continuation of the same equations.  Motions of the mechanism have  A dq = 0  and
    consistent dv, da.  NaN where the motors cannot produce the motion (`parts/motor_forces.py`).

    >>> import sixvec, numpy
    >>> robot = sixvec.load("panda")
    >>> q = robot.neutral()
    >>> d = robot.inverse_dynamics_derivatives(q, q, q)
    >>> numpy.allclose(d.da, robot.mass_matrix(q))
    True
    """
    check_reference(external_reference)
    follows = external_reference == "local"
    wrenches = body_wrenches(model, q, external if follows else None, external_reference)
    V = body_velocities(model.bodies, q, v)
    A: dict[str | None, Motion] = {WORLD: Motion(Vec3.zero(), -model.gravity)}
    I, B, F = {}, {}, {}
    psi, psi_rate, S_sum = {}, {}, {}  # Ψ̇, Ψ̈, Ψ̇ + Ṡ of each joint's freedoms
    for b in model.bodies:  # root to tips
        X_BP = b.pose_in_parent(q).inv()
        S, vJ = b.subspace(q), b.joint_velocity(q, v)
        V_P, A_P = X_BP @ V[b.parent], X_BP @ A[b.parent]
        A[b.name] = A_P + b.joint_acceleration(q, v, a) + V[b.name].cross(vJ)
        psi[b.name] = [V_P.cross(s) for s in S]
        psi_rate[b.name] = [A_P.cross(s) + V_P.cross(p) for s, p in zip(S, psi[b.name], strict=True)]
        S_sum[b.name] = [p + V[b.name].cross(s) for s, p in zip(S, psi[b.name], strict=True)]
        I[b.name] = b.inertia
        B[b.name] = CoriolisForm.of(b.inertia, V[b.name])
        F[b.name] = b.inertia @ A[b.name] + V[b.name].cross(b.inertia @ V[b.name])
        F[b.name] = F[b.name] - wrenches.get(b.name, Force.zero())
    dq, dv, da = ([[0.0] * model.nv for _ in range(model.nv)] for _ in range(3))
    for b in reversed(model.bodies):  # tips to root
        sent = [
            _Columns(
                (B[b.name] @ p) * 2.0 + I[b.name] @ pp + s.cross(F[b.name]),
                (B[b.name] @ s) * 2.0 + I[b.name] @ ss,
                I[b.name] @ s,
                B[b.name].transpose_act(s) * 2.0,
            )
            for s, p, pp, ss in zip(b.subspace(q), psi[b.name], psi_rate[b.name], S_sum[b.name], strict=True)
        ]
        rows = range(model.v_slices[b.name].start, model.v_slices[b.name].stop)
        for c in reversed(model.path(b.name)):
            columns = range(model.v_slices[c.name].start, model.v_slices[c.name].stop)
            freedoms = zip(columns, c.subspace(q), psi[c.name], psi_rate[c.name], S_sum[c.name], strict=True)
            for j, s, p, pp, ss in freedoms:
                for i, x in zip(rows, sent, strict=True):
                    da[i][j] = da[j][i] = s.dot(x.inertial)
                    dv[i][j] = s.dot(x.turned) + ss.dot(x.inertial)
                    dq[i][j] = p.dot(x.turned) + pp.dot(x.inertial)
                    if c is not b:
                        dv[j][i] = s.dot(x.dv)
                        dq[j][i] = s.dot(x.dq)
            X_PB = c.pose_in_parent(q)
            sent = [_Columns(*(X_PB @ f for f in x)) for x in sent]
        for i, r in zip(rows, b.armature, strict=True):
            da[i][i] = da[i][i] + r
        if b.parent is not WORLD:
            X_PB = b.pose_in_parent(q)
            I[b.parent] = I[b.parent] + X_PB @ I[b.name]
            B[b.parent] = B[b.parent] + X_PB @ B[b.name]
            F[b.parent] = F[b.parent] + X_PB @ F[b.name]
    _add(dv, rotor_slopes(model, v))
    if external and not follows:
        _add(dq, _steady_slopes(model, q, external, external_reference))
    if passive:
        for total, slope in zip((dq, dv), passive_slopes(model, q, v), strict=True):
            _add(total, slope, -1.0)
    return dq, dv, da


def _steady_slopes(model: Model, q: JointVector, external: Wrenches, reference: Reference) -> Iterator[Entry]:
    """-Σ (∂J/∂q)ᵀ w of wrenches whose numbers do not change as the robot moves, entry by entry."""
    for name, wrench in external.items():
        H = kinematic_hessian(model, q, name, reference)
        for j in range(model.nv):
            for k in range(model.nv):
                yield j, k, -sum((H[i][j][k] * w for i, w in enumerate(wrench)), 0.0)


def _add(total: list[list[Scalar]], entries: Iterable[Entry], sign: float = 1.0) -> None:
    """Entries (row, column, value) added to a matrix."""
    for i, j, x in entries:
        total[i][j] = total[i][j] + x * sign
