"""Joint accelerations under given joint forces."""

from __future__ import annotations

from typing import Any

from sixvec.algorithms.constrained_dynamics import constrained_dynamics
from sixvec.algorithms.declaration import JointVector, kernel
from sixvec.algorithms.hybrid_dynamics import solved
from sixvec.algorithms.inverse_dynamics import body_forces
from sixvec.algorithms.parts.constrained_motion import Acting
from sixvec.algorithms.parts.external import Wrenches, body_wrenches
from sixvec.algorithms.parts.reference import Reference
from sixvec.algorithms.parts.rotor_forces import rotor_bias
from sixvec.algorithms.parts.singular import require_mass
from sixvec.algorithms.parts.transmission import Transmission
from sixvec.algorithms.passive_forces import added, passive_forces, subtracted
from sixvec.model import WORLD, Model
from sixvec.model.canonical import regrouped
from sixvec.model.coupling import is_coupled
from sixvec.spatial import ArticulatedInertia, Force, Motion


@kernel("q v tau external -> a", loops="obeyed", aliases=["aba"], couples=True)
def forward_dynamics(
    model: Model,
    q: JointVector,
    v: JointVector,
    tau: JointVector,
    external: Wrenches | None = None,
    external_reference: Reference = "local",
    passive: bool = False,
    stabilisation: tuple[float, ...] = (),
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
    require_mass(model)
    if model.closures:
        acting = {"external": external, "external_reference": external_reference, "passive": passive}
        return constrained_dynamics(model, q, v, tau, **acting, stabilisation=stabilisation)[0]
    if passive:
        tau = JointVector(added(tau, passive_forces(model, q, v)), model.v_slices)
    at_rest = JointVector([0.0] * model.nv, model.v_slices)
    if is_coupled(model):
        return solved(model, q, v, at_rest, tau, Acting(external, external_reference), frozenset())[0]
    tau = JointVector(subtracted(tau, rotor_bias(model, v)), model.v_slices)
    model = regrouped(model)
    p = body_forces(model, q, v, at_rest, body_wrenches(model, q, external, external_reference))
    gain, drive = _tips_to_root(model, q, p, tau)
    return _root_to_tips(model, q, gain, drive)


def _tips_to_root(
    model: Model, q: JointVector, p: dict[str, Force], tau: JointVector
) -> tuple[dict[str, list[Force]], dict[str, list[Any]]]:
    """Articulated inertias and bias forces; of each joint remain U D⁻¹ and D⁻¹ (tau - Sᵀ p)."""
    IA = {b.name: ArticulatedInertia.of(b.inertia) for b in model.bodies}
    p, gain, drive = dict(p), {}, {}
    for b in reversed(model.bodies):
        joint = Transmission(IA[b.name], b.subspace(q), b.armature)  # Bruyninckx (6.21)
        left = joint.unbalanced(p[b.name], tau[b])
        gain[b.name], drive[b.name] = joint.gains, joint.drive(left)
        if b.parent is not WORLD:
            X_PB = b.pose_in_parent(q)
            IA[b.parent] = IA[b.parent] + X_PB @ joint.inertia  # Featherstone (64); Bruyninckx (6.26)
            p[b.parent] = p[b.parent] + X_PB @ joint.bias_inward(p[b.name], left)  # Bruyninckx (6.28)
    return gain, drive


def _root_to_tips(model: Model, q: JointVector, gain: dict[str, list[Force]], drive: dict[str, list[Any]]) -> list[Any]:
    """a = D⁻¹ (tau - Sᵀ p - Uᵀ A_P) of each joint, and A = A_P + S a of each body."""
    A: dict[str | None, Motion] = {WORLD: Motion.zero()}
    a: list[Any] = [0.0] * model.nv
    for b in model.bodies:
        A_P = b.pose_in_parent(q).inv() @ A[b.parent]
        own = [d - A_P.dot(k) for d, k in zip(drive[b.name], gain[b.name], strict=True)]  # Bruyninckx (6.30)
        A[b.name] = sum((s * x for s, x in zip(b.subspace(q), own, strict=True)), A_P)
        a[model.v_slices[b.name]] = own
    return a
