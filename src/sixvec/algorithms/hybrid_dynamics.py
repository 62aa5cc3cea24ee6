"""Hybrid dynamics: some joints have prescribed accelerations, the others given forces; the rest is computed."""

from __future__ import annotations

import math
import operator
from collections.abc import Iterable, Sequence
from functools import reduce
from typing import Any

from sixvec.algorithms.constraint_terms import constraint_bias, constraint_jacobian
from sixvec.algorithms.declaration import JointVector, kernel
from sixvec.algorithms.inverse_dynamics import body_forces, inverse_dynamics
from sixvec.algorithms.mass_matrix import mass_matrix
from sixvec.algorithms.parts.constrained_motion import Acting, driven_motion
from sixvec.algorithms.parts.external import Wrenches, body_wrenches
from sixvec.algorithms.parts.factorization import Inverse
from sixvec.algorithms.parts.joint_groups import JointGroup, JointGroups, joint_groups
from sixvec.algorithms.parts.reference import Reference
from sixvec.algorithms.parts.rotor_forces import rotor_bias
from sixvec.algorithms.parts.singular import require_mass
from sixvec.algorithms.parts.transmission import Transmission
from sixvec.algorithms.passive_forces import added, passive_forces, subtracted
from sixvec.errors import ArgumentError, unknown
from sixvec.mechanism.row_rank import row_rank
from sixvec.model import WORLD, Body, Model
from sixvec.model.canonical import name_in_file
from sixvec.model.held_frame import Held
from sixvec.scalar import Scalar, where
from sixvec.spatial import ArticulatedInertia, Force, Motion


@kernel("q v a tau external -> a tau", loops="enforced", mimic="handled")
def hybrid_dynamics(
    model: Model,
    q: JointVector,
    v: JointVector,
    a: JointVector,
    tau: JointVector,
    external: Wrenches | None = None,
    external_reference: Reference = "local",
    prescribed: tuple[str | int, ...] = (),
    passive: bool = False,
    hold: tuple[Held, ...] = (),
) -> Any:
    """All accelerations and all joint forces, where each coordinate prescribes one of the two.

    Split M a + h = tau into prescribed accelerations (μ) and given forces (φ):

        M_φφ a_φ = tau_φ - h_φ - M_φμ a_μ        tau_μ = M_μφ a_φ + M_μμ a_μ + h_μ

    `prescribed` holds the names of the joints (or of their bodies) that move with `a`, or coordinates of v, which
    may split a joint of several freedoms.  Entries of `a` at the other coordinates and of `tau` at the prescribed ones
    are ignored, but like all inputs they must be finite: give zeros.  With none prescribed, this is forward dynamics;
    with all prescribed, inverse dynamics.  `passive=True` adds `passive_forces`.
    Loops stay closed and frames in `hold` stay in place, as in `constrained_dynamics`; prescribed accelerations that
    violate these constraints give NaN.

    Articulated-body recursion in one pass out, in and out, O(n): motions are measured relative to the one in which the
    prescribed coordinates accelerate and the others do not, so at a prescribed coordinate the whole inertia is
    transmitted (P = 1) and its force is computed on the way out (Bruyninckx §6.4.3; Featherstone (49)-(68)).
    Joints that follow a joint with the same parent body are handled with it; if a follower is elsewhere, the two
    equations above are solved directly.  Bruyninckx (6.29).

    >>> import sixvec
    >>> robot = sixvec.load("cart_pole")
    >>> q, v = robot.neutral(), [0.0, 0.0]
    >>> moved = robot.hybrid_dynamics(q, v, [2.0, 0.0], [0.0, 0.0], prescribed=(0,))  # pull the cart
    >>> float(moved.a[0]), float(moved.tau[1])
    (2.0, 0.0)
    """
    known = frozenset(coordinates(model, prescribed))
    require_mass(model, known)
    if passive:
        resistance = passive_forces(model, q, v)
        tau = JointVector(added(tau, resistance), model.v_slices)
    a = JointVector([x if i in known else 0.0 for i, x in enumerate(a)], model.v_slices)
    acting = Acting(external, external_reference)
    if model.is_constrained or hold:
        acceleration, force = _constrained(model, q, v, a, tau, acting, hold, known)
    else:
        acceleration, force = _tree_motion(model, q, v, a, tau, acting, known)
    return acceleration, subtracted(force, resistance) if passive else force


def hybrid_acceleration(model: Model, q: JointVector, v: JointVector, tau: JointVector, **acting: Any) -> Any:
    """`forward_dynamics` of a robot with joints that follow others."""
    return hybrid_dynamics(model, q, v, [0.0] * model.nv, tau, **acting)[0]


_MISSED = 1e-10
"""Squared, relative: rows with a larger residual do not allow the prescribed accelerations."""

_MISSED_BY_ROUNDING = 1e-6
"""The same for rows that depend on others up to the rounding of dimensions."""


def _constrained(
    model: Model,
    q: JointVector,
    v: JointVector,
    a: JointVector,
    tau: JointVector,
    acting: Acting,
    hold: tuple[Held, ...],
    known: frozenset[int],
) -> tuple[list[Any], list[Any]]:
    """With loops or held frames: prescribed joints are rigid in the recursion (Bruyninckx §6.7.2)."""
    A = constraint_jacobian(model, q, hold=hold)
    moved = [sum((x * y for x, y in zip(row, a, strict=True)), 0.0) for row in A]
    right = [-g - m for g, m in zip(constraint_bias(model, q, v, hold=hold), moved, strict=True)]
    (acceleration, _, gained), force = driven_motion(model, q, v, a, tau, acting, hold, right, known)
    met: Scalar = 1.0
    rank = row_rank(model, hold)
    grouped = {row for group in rank.groups for row in group.rows}
    for row in rank.used:
        x, m, w = gained[row], moved[row], right[row]
        miss, most = x - w, _MISSED_BY_ROUNDING if row in grouped else _MISSED
        met = where(miss * miss < most * (1.0 + m * m + w * w), met, math.nan)  # the loops do not allow this motion
    return [x * met for x in acceleration], [x * met for x in force]


def coordinates(model: Model, joints: Sequence[str | int]) -> tuple[int, ...]:
    """The coordinates of v that belong to these joints (or bodies, or coordinates by number), each named once.

    >>> import sixvec
    >>> coordinates(sixvec.load("panda").model, ["panda_joint2", 5])
    (1, 5)
    """
    if isinstance(joints, str):
        raise ArgumentError(f'prescribed="{joints}" is one name; write a tuple: ("{joints}",)')
    known: list[int] = []
    for joint in joints:
        if not isinstance(joint, str | int) or isinstance(joint, bool):
            raise ArgumentError(f"{model.name}: prescribed are names of joints or whole numbers, not {joint!r}")
        of_joint = [joint] if isinstance(joint, int) else _named(model, joint)
        if twice := sorted(set(of_joint) & set(known)):
            raise ArgumentError(
                f"{model.name}: coordinate {twice[0]} is prescribed twice, the second time by {joint!r}"
            )
        if any(not 0 <= i < model.nv for i in of_joint):
            raise ArgumentError(f"{model.name} has no coordinate {joint}; coordinates: 0 to {model.nv - 1}")
        known += of_joint
    return tuple(known)


def _named(model: Model, name: str) -> list[int]:
    """The coordinates of the joint of that name, else of the joints that carry the body of that name.

    In a canonical model the axes of one joint are separate bodies with the joint's name.
    """
    parts = [b for b in model.moving if name and b.joint_name == name]
    parts = parts or [b for b in model.moving if name_in_file(b) == name]
    if not parts:
        followers = [b for b in model.bodies if b.mimic and name in (b.joint_name, b.name)]
        if followers and followers[0].mimic:
            raise ArgumentError(
                f'{model.name}: the joint of "{name}" follows that of "{followers[0].mimic.leader}"; '
                "prescribe the joint that leads"
            )
        valid = list(dict.fromkeys(b.joint_name or name_in_file(b) for b in model.moving))
        raise ArgumentError(unknown("joint", name, valid, model.name))
    return [i for b in parts for i in range(model.nv)[model.v_slices[b.name]]]


def _tree_motion(
    model: Model,
    q: JointVector,
    v: JointVector,
    a: JointVector,
    tau: JointVector,
    acting: Acting,
    known: frozenset[int],
) -> tuple[list[Any], list[Any]]:
    """All accelerations and forces of the equation of motion; `a` is zero where it is unknown."""
    joints = joint_groups(model)
    if not joints.side_by_side:
        return _by_blocks(model, q, v, a, tau, acting, known)
    turning = rotor_bias(model, v)
    tau = JointVector(subtracted(tau, turning), model.v_slices)
    q, v, free = joints.positions(q), joints.rates(v), joints.free
    p = body_forces(free, q, v, joints.rates(a), body_wrenches(free, q, *acting))
    recursion = _Recursion(joints, q, a, tau, known, p)
    for group in reversed(joints.groups):  # tips to root
        recursion.inward(group)
    for group in joints.groups:  # root to tips
        recursion.outward(group)
    return recursion.acceleration, added(recursion.force, turning)


class _Recursion:
    """Articulated inertias and bias forces on the way in, accelerations and prescribed forces on the way out.

    a_φ = D⁻¹ (tau - Sᵀ p - Uᵀ A_P),  A = A_P + S a_φ,  tau_μ = Sᵀ (I^A A + p) + rotor a_μ.
    """

    def __init__(
        self,
        joints: JointGroups,
        q: JointVector,
        a: JointVector,
        tau: JointVector,
        known: frozenset[int],
        p: dict[str, Force],
    ) -> None:
        self.q, self.a, self.tau, self.known, self.p = q, a, tau, known, p
        self.IA = {b.name: ArticulatedInertia.of(b.inertia) for b in joints.free.bodies}
        self.A: dict[str | None, Motion] = {WORLD: Motion.zero()}
        self.gain: dict[str, list[Force]] = {}
        self.drive: dict[str, list[Any]] = {}
        self.acceleration, self.force = list(a), list(tau)

    def inward(self, group: JointGroup) -> None:
        """I^A and p of the parent; U D⁻¹ and D⁻¹ (tau - Sᵀ p) remain."""
        if len(group.bodies) == 1:
            passed, bias = self._inward_alone(group.bodies[0], group)
        else:
            passed, bias = self._inward_together(group)
        if group.parent is not WORLD:
            self.IA[group.parent] = self.IA[group.parent] + passed
            self.p[group.parent] = self.p[group.parent] + bias

    def _inward_alone(self, b: Body, group: JointGroup) -> tuple[ArticulatedInertia, Force]:
        S, rotor, tau = self._driven(group, b.subspace(self.q), b.armature, [self.tau[i] for i in group.at])
        joint = Transmission(self.IA[b.name], tuple(S), tuple(rotor))
        force = joint.unbalanced(self.p[b.name], tau)
        self.gain[b.name], self.drive[b.name] = joint.gains, joint.drive(force)
        X_PB = b.pose_in_parent(self.q)
        return X_PB @ joint.inertia, X_PB @ joint.bias_inward(self.p[b.name], force)

    def _inward_together(self, group: JointGroup) -> tuple[ArticulatedInertia, Force]:
        """One coordinate moves several bodies of one parent, in whose coordinates their U add up."""
        (i,) = group.at
        X = [b.pose_in_parent(self.q) for b in group.bodies]
        IA, p = [self.IA[b.name] for b in group.bodies], [self.p[b.name] for b in group.bodies]
        S = self._together(group)
        U_bodies = [inertia @ s for inertia, s in zip(IA, S, strict=True)]
        U = _total(X_PB @ u for X_PB, u in zip(X, U_bodies, strict=True))
        D = _total(s.dot(u) for s, u in zip(S, U_bodies, strict=True)) + self._rotors(group)
        free = self.tau[i] - _total(s.dot(bias) for s, bias in zip(S, p, strict=True))
        passed = _total(X_PB @ inertia for X_PB, inertia in zip(X, IA, strict=True))
        bias = _total(X_PB @ f for X_PB, f in zip(X, p, strict=True))
        if i in self.known:
            self.gain[group.name], self.drive[group.name] = [], []
            return passed, bias
        gain = U * (1.0 / D)
        self.gain[group.name], self.drive[group.name] = [gain], [free / D]
        return passed - ArticulatedInertia.dyad(U, gain), bias + gain * free

    def outward(self, group: JointGroup) -> None:
        """Driven accelerations, and the forces of prescribed ones."""
        if len(group.bodies) == 1:
            self._outward_alone(group.bodies[0], group)
        else:
            self._outward_together(group)

    def _outward_alone(self, b: Body, group: JointGroup) -> None:
        A_P, S = b.pose_in_parent(self.q).inv() @ self.A[b.parent], b.subspace(self.q)
        driven = [d - A_P.dot(k) for d, k in zip(self.drive[b.name], self.gain[b.name], strict=True)]
        A = A_P
        for i, s, x in zip(*self._driven(group, group.at, S), driven, strict=True):
            A = A + s * x
            self.acceleration[i] = x
        f = self.IA[b.name] @ A + self.p[b.name]
        for i, s, rotor in zip(group.at, S, b.armature, strict=True):
            if i in self.known:
                self.force[i] = s.dot(f) + rotor * self.a[i]
        self.A[b.name] = A

    def _outward_together(self, group: JointGroup) -> None:
        (i,) = group.at
        A_P, S = self.A[group.parent], self._together(group)
        for drive, gain in zip(self.drive[group.name], self.gain[group.name], strict=True):
            self.acceleration[i] = drive - A_P.dot(gain)
        for b, s in zip(group.bodies, S, strict=True):
            A = b.pose_in_parent(self.q).inv() @ A_P
            self.A[b.name] = A if i in self.known else A + s * self.acceleration[i]
        if i in self.known:
            f = [self.IA[b.name] @ self.A[b.name] + self.p[b.name] for b in group.bodies]
            self.force[i] = _total(s.dot(x) for s, x in zip(S, f, strict=True)) + self._rotors(group) * self.a[i]

    def _driven(self, group: JointGroup, *rows: Sequence[Any]) -> tuple[list[Any], ...]:
        """Of each row, with an entry per coordinate of the group, those whose acceleration is not prescribed."""
        unknown = [i not in self.known for i in group.at]
        return tuple([x for x, keep in zip(row, unknown, strict=True) if keep] for row in rows)

    def _together(self, group: JointGroup) -> list[Motion]:
        """How the bodies move when their one coordinate has unit rate, each in its own coordinates."""
        return [b.subspace(self.q)[0] * ratio for b, ratio in zip(group.bodies, group.factors, strict=True)]

    def _rotors(self, group: JointGroup) -> Any:
        return _total(ratio * ratio * b.armature[0] for b, ratio in zip(group.bodies, group.factors, strict=True))


def _total(parts: Iterable[Any]) -> Any:
    return reduce(operator.add, parts)


def _by_blocks(
    model: Model,
    q: JointVector,
    v: JointVector,
    a: JointVector,
    tau: JointVector,
    acting: Acting,
    known: frozenset[int],
) -> tuple[list[Any], list[Any]]:
    """The two block rows of the equation itself: followers couple distant bodies."""
    bias = inverse_dynamics(model, q, v, a, **acting._asdict())
    M = mass_matrix(model, q)
    free = [i for i in range(model.nv) if i not in known]
    block = [[M[i][j] for j in free] for i in free]
    a_free = [row[0] for row in Inverse(block).times([[tau[i] - bias[i]] for i in free])] if free else []
    acceleration, force = list(a), list(tau)
    for i, x in zip(free, a_free, strict=True):
        acceleration[i] = x
    for i in known:
        force[i] = sum((M[i][j] * x for j, x in zip(free, a_free, strict=True)), bias[i])
    return acceleration, force
