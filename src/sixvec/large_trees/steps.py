"""The step of each pass at one body: the equations of RNEA and ABA, with the body's parameters as inputs.

A robot's own kernels unroll these equations over its bodies and fold its parameters in; here a kernel is one body of
one kind of joint, and `compiler/sweep.py` applies it along the tree.  X is the pose X_PB of the body in its parent.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

from sixvec.algorithms.parts.transmission import Transmission
from sixvec.arguments.signature import named_shape, two_sides
from sixvec.kernels import Port
from sixvec.kernels.function import CompiledFunction
from sixvec.large_trees.joint_kinds import KINDS, JointKind
from sixvec.spatial import (
    AccelerationField,
    ArticulatedInertia,
    Force,
    Mat3,
    Motion,
    Pose,
    RigidInertia,
    Rotation,
    Sym3,
    Vec3,
)

Numbers = Sequence[Any]
Step = Callable[..., Any]

POSE, FIELD, MOTION, FORCE, ARTICULATED = 12, 9, 6, 6, 21
"""The number of entries of each."""


def forces(kind: JointKind) -> Step:
    """Outward: pose in the parent, field of accelerations, and the net force that it needs."""

    def step(placement: Numbers, inertia: Numbers, pitch: Any, q: Numbers, v: Numbers, a: Numbers,
             wrench: Numbers, parent: Numbers) -> Any:  # fmt: skip
        joint = kind.joint(pitch)
        S = joint.subspace(q)
        X = _pose(placement) @ joint.pose(q)
        vJ, aJ = _combined(S, v), _combined(S, a)  # S is constant in the body
        A = (X.inv() @ _field(parent)).then(vJ, aJ)  # Featherstone (9), (10)
        F = _inertia(inertia).force(A) - Force.of(wrench)  # Featherstone (11)
        return [*X.rot.matrix, *X.pos], [*A.ang_velocity, *A.ang, *A.lin], [*F]

    return step


def joint_forces(kind: JointKind) -> Step:
    """Inward: the force along the joint, and the total force passed to the parent."""

    def step(X: Numbers, pitch: Any, armature: Numbers, a: Numbers, force: Numbers) -> Any:
        F = Force.of(force)
        # Featherstone (13) and (12)
        tau = [s.dot(F) + r * x for s, r, x in zip(_subspace(kind, pitch), armature, a, strict=True)]
        return tau, [*(_pose(X) @ F)]

    return step


def articulated(kind: JointKind) -> Step:
    """Inward: U D⁻¹ and D⁻¹ (tau - Sᵀ p) of the joint; articulated inertia and bias force passed to the parent."""

    def step(X: Numbers, inertia: Numbers, pitch: Any, armature: Numbers, tau: Numbers, hanging: Numbers,
             force: Numbers) -> Any:  # fmt: skip
        X_PB, S, p = _pose(X), _subspace(kind, pitch), Force.of(force)
        IA = ArticulatedInertia.of(_inertia(inertia)) + _articulated(hanging)  # Featherstone (64)
        joint = Transmission(IA, S, tuple(armature))
        residual = joint.unbalanced(p, tau)
        return joint.gains, joint.drive(residual), [*(X_PB @ joint.inertia)], [*(X_PB @ joint.bias_inward(p, residual))]

    return step


def accelerations(kind: JointKind) -> Step:
    """Outward: a = D⁻¹ (tau - Sᵀ p - Uᵀ A_P) of the joint, and A = A_P + S a of the body."""

    def step(X: Numbers, pitch: Any, gain: Any, drive: Numbers, parent: Numbers) -> Any:
        A_P = _pose(X).inv() @ Motion.of(parent)
        a = [d - A_P.dot(Force.of(k)) for d, k in zip(drive, gain, strict=True)]
        return a, [*(A_P + _combined(_subspace(kind, pitch), a))]

    return step


_PORTS: dict[Step, str] = {
    forces: "placement[pose] inertia[10] pitch q[nq] v[nv] a[nv] wrench[6] parent[field] -> X[pose] A[field] F[6]",
    joint_forces: "X[pose] pitch armature[nv] a[nv] force[6] -> tau[nv] handed[6]",
    articulated: "X[pose] inertia[10] pitch armature[nv] tau[nv] hanging[articulated] force[6]"
    " -> gain[nv,6] drive[nv] handed_inertia[articulated] handed[6]",
    accelerations: "X[pose] pitch gain[nv,6] drive[nv] parent[6] -> a[nv] A[6]",
}
"""The inputs and outputs of each step; lengths are names."""


@cache
def kernel(step: Step, kind: int) -> CompiledFunction:
    """One step for one kind of joint, compiled when first swept."""
    k = KINDS[kind]
    inputs, outputs = (tuple(_port(text, k) for text in side) for side in two_sides(_PORTS[step]))
    return CompiledFunction(step(k), inputs, outputs, identity=f"large tree {step.__name__} {k.name}")


def _port(text: str, kind: JointKind) -> Port:
    named = {"nq": kind.nq, "nv": kind.nv, "pose": POSE, "field": FIELD, "articulated": ARTICULATED}
    name, shape = named_shape(text)
    return Port(name, tuple(d if isinstance(d, int) else named[d] for d in shape or ()))


def _subspace(kind: JointKind, pitch: Any) -> tuple[Motion, ...]:
    """S does not depend on the position, so the neutral one is used."""
    joint = kind.joint(pitch)
    return joint.subspace(joint.neutral())


def _combined(S: Sequence[Motion], rates: Numbers) -> Motion:
    return sum((s * x for s, x in zip(S, rates, strict=True)), Motion.zero())


def _pose(x: Numbers) -> Pose:
    return Pose(Rotation(Mat3(*x[:9])), Vec3.of(x[9:]))


def _field(x: Numbers) -> AccelerationField:
    return AccelerationField(Vec3.of(x[:3]), Vec3.of(x[3:6]), Vec3.of(x[6:]))


def _inertia(x: Numbers) -> RigidInertia:
    return RigidInertia(x[0], Vec3.of(x[1:4]), Sym3(*x[4:]))


def _articulated(x: Numbers) -> ArticulatedInertia:
    return ArticulatedInertia(Sym3(*x[:6]), Mat3(*x[6:15]), Sym3(*x[15:]))
