"""Joint forces that produce given accelerations."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from sixvec.algorithms.declaration import JointVector, kernel
from sixvec.algorithms.parts.external import Wrenches, body_wrenches
from sixvec.algorithms.parts.joint_effects import with_joint_effects
from sixvec.algorithms.parts.motor_forces import motor_forces
from sixvec.algorithms.parts.reference import Reference
from sixvec.model import WORLD, Body, Model
from sixvec.spatial import AccelerationField, Force


@kernel("q v a external -> tau", loops=motor_forces, wheels="unsupported", regroup=True, aliases=["rnea"])
@with_joint_effects
def inverse_dynamics(
    model: Model,
    q: JointVector,
    v: JointVector,
    a: JointVector,
    external: Wrenches | None = None,
    external_reference: Reference = "local",
) -> Any:
    """Joint forces that produce the accelerations `a`:  tau = M(q) a + C(q, v) v + g(q) - Σ Jᵀ f_external.

    With `passive=True` the motors must also overcome damping, friction and springs of the joints: tau is reduced by
    `passive_forces(q, v)`.

    Recursive Newton-Euler algorithm (RNEA), O(n): Featherstone (9)-(13) and Figure 5, with the classical
    acceleration in the outward pass, which eliminates the linear velocity (Luh, Walker and Paul 1980), and with
    base inertial parameters.  Panda: 309 multiplications and 286 additions.

    In a mechanism with loops, tau acts only at the joints with a motor (`parts/motor_forces.py`).  The forces of
    joints that follow others are added to those of their leaders.
    Bruyninckx (6.32); Featherstone (1); Lynch-Park (9.1); Rodriguez-Kreutz (2.1)-(2.13), (2.28)-(2.30), (b.9).

    >>> import sixvec
    >>> robot = sixvec.load("panda")
    >>> zero = robot.neutral()
    >>> robot.inverse_dynamics(zero, zero, zero).shape
    (7,)
    """
    F = body_forces(model, q, v, a, body_wrenches(model, q, external, external_reference))
    return joint_forces(model, q, a, F)


def body_forces(
    model: Model,
    q: JointVector,
    v: JointVector,
    a: JointVector,
    external: Mapping[str | None, Force],
    base: AccelerationField | None = None,
) -> dict[str, Force]:
    """The net force on each body, in its coordinates, when the joints accelerate with `a`; gravity included.

    Gravity is an upward acceleration of the base  (Featherstone (10), a₀ = -a_g), which is at rest by default.
    """
    at_rest = AccelerationField.at_rest(-model.gravity)
    F: dict[str, Force] = {}
    for b, A in acceleration_fields(model.bodies, base or at_rest, q, v, a):
        F[b.name] = b.inertia.force(A) - external.get(b.name, Force.zero())  # Featherstone (11)
    return F


def acceleration_fields(
    bodies: tuple[Body, ...], base: AccelerationField, q: JointVector, v: JointVector, a: JointVector
) -> Iterator[tuple[Body, AccelerationField]]:
    """How each body accelerates, in its coordinates, from the root to the tips."""
    A: dict[str | None, AccelerationField] = {WORLD: base}
    for b in bodies:
        X_BP = b.pose_in_parent(q).inv()
        vJ, aJ = b.joint_velocity(q, v), b.joint_acceleration(q, v, a)
        A[b.name] = (X_BP @ A[b.parent]).then(vJ, aJ)  # Featherstone (9), (10)
        yield b, A[b.name]


def joint_forces(model: Model, q: JointVector, a: JointVector, F: dict[str, Force]) -> list[Any]:
    """The joint forces for given forces on the bodies, including those that accelerate the rotors."""
    F, tau = dict(F), [0.0] * model.nv
    for b in reversed(model.bodies):  # tips to root
        S, rotor = b.subspace(q), b.armature
        tau[model.v_slices[b.name]] = [
            s.dot(F[b.name]) + r * x for s, r, x in zip(S, rotor, a[b], strict=True)
        ]  # Featherstone (13)
        if b.parent is not WORLD:
            F[b.parent] = F[b.parent] + b.pose_in_parent(q) @ F[b.name]  # Featherstone (12)
    return tau
