"""Joint accelerations under given joint forces."""

from __future__ import annotations

from typing import Any

from sixvec.algorithms.constrained_dynamics import constrained_acceleration
from sixvec.algorithms.declaration import JointVector, kernel
from sixvec.algorithms.hybrid_dynamics import hybrid_acceleration
from sixvec.algorithms.inverse_dynamics import body_forces
from sixvec.algorithms.parts.external import Wrenches, body_wrenches
from sixvec.algorithms.parts.joint_effects import with_joint_effects
from sixvec.algorithms.parts.reference import Reference
from sixvec.algorithms.parts.singular import require_mass
from sixvec.algorithms.parts.transmission import Transmission
from sixvec.model import WORLD, Model
from sixvec.spatial import ArticulatedInertia, Motion


@kernel(
    "q v tau external -> a",
    loops=constrained_acceleration,
    mimic=hybrid_acceleration,
    requires=require_mass,
    regroup=True,
    aliases=["aba"],
)
@with_joint_effects
def forward_dynamics(
    model: Model,
    q: JointVector,
    v: JointVector,
    tau: JointVector,
    external: Wrenches | None = None,
    external_reference: Reference = "local",
) -> Any:
    """Joint accelerations under the forces `tau`:  a = M⁻¹ (tau - C v - g + Σ Jᵀ f_external).

    With `passive=True`, `passive_forces(q, v)` are added.  Loops must be closed at q, or `stabilisation` closes them:
    see `constrained_dynamics`.

    Articulated-body algorithm (ABA), O(n): Featherstone (49)-(68) and Figure 9; Bruyninckx (6.26)-(6.30), whose
    signs and indices are corrected; Rodriguez-Kreutz (4.4)-(4.6) and (5.16).  Accelerations are measured relative to
    the motion with a = 0, so the velocity-product terms c of the book vanish from the recursion and its bias forces p
    are the body forces of that motion.  Joints that follow others: see `hybrid_dynamics`; loops: see
    `constrained_dynamics`.  Bruyninckx (6.31); Featherstone (35); Lynch-Park (9.2).

    >>> import sixvec
    >>> robot = sixvec.load("panda")
    >>> q, v, tau = robot.neutral(), robot.neutral(), robot.gravity_forces(robot.neutral())
    >>> abs(robot.forward_dynamics(q, v, tau)).max() < 1e-9
    np.True_
    """
    no_acceleration = JointVector([0.0] * model.nv, model.v_slices)
    p = body_forces(model, q, v, no_acceleration, body_wrenches(model, q, external, external_reference))
    IA = {b.name: ArticulatedInertia.of(b.inertia) for b in model.bodies}
    gain, drive = {}, {}  # U D⁻¹ and D⁻¹ (tau - Sᵀ p)
    for b in reversed(model.bodies):  # tips to root
        joint = Transmission(IA[b.name], b.subspace(q), b.armature)  # Bruyninckx (6.21)
        u = joint.unbalanced(p[b.name], tau[b])  # tau - Sᵀ p
        gain[b.name], drive[b.name] = joint.gains, joint.drive(u)
        if b.parent is not WORLD:
            X_PB = b.pose_in_parent(q)
            IA[b.parent] = IA[b.parent] + X_PB @ joint.inertia  # Featherstone (64); Bruyninckx (6.26)
            p[b.parent] = p[b.parent] + X_PB @ joint.bias_inward(p[b.name], u)  # Bruyninckx (6.28)
    A: dict[str | None, Motion] = {WORLD: Motion.zero()}
    a: list[Any] = [0.0] * model.nv
    for b in model.bodies:  # root to tips
        A_P = b.pose_in_parent(q).inv() @ A[b.parent]
        aJ = [d - A_P.dot(k) for d, k in zip(drive[b.name], gain[b.name], strict=True)]  # Bruyninckx (6.30)
        A[b.name] = sum((s * x for s, x in zip(b.subspace(q), aJ, strict=True)), A_P)
        a[model.v_slices[b.name]] = aJ
    return a
