"""Some joints are moved, the others are driven: what is missing of accelerations and forces."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from sixvec.algorithms.declaration import JointVector, kernel
from sixvec.algorithms.external import Wrenches, body_wrenches
from sixvec.algorithms.factorization import Inverse, inverse
from sixvec.algorithms.inverse_dynamics import body_forces, inverse_dynamics
from sixvec.algorithms.mass_matrix import mass_matrix
from sixvec.algorithms.passive_forces import added, passive_forces, subtracted
from sixvec.algorithms.reference import Reference
from sixvec.algorithms.singular import require_mass
from sixvec.errors import ArgumentError, unknown
from sixvec.model import WORLD, Body, Model
from sixvec.model.canonical import regrouped
from sixvec.model.coupling import is_coupled
from sixvec.spatial import ArticulatedInertia, Force, Motion


@kernel("q v a tau external -> acceleration[nv] force[nv]", couples=True)
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
) -> Any:
    """All accelerations and all joint forces, where each coordinate prescribes one of the two.

    Split M a + h = tau into prescribed accelerations (μ) and given forces (φ):

        M_φφ a_φ = tau_φ - h_φ - M_φμ a_μ        tau_μ = M_μφ a_φ + M_μμ a_μ + h_μ

    `prescribed` holds the names of the joints (or of their bodies) that move as `a` says, or coordinates of v, which
    may split a joint of several freedoms.  Entries of `a` at the other coordinates and of `tau` at the prescribed ones
    are ignored, but like all inputs they must be finite: give zeros.  With none prescribed this is forward dynamics,
    with all of them inverse dynamics.  `passive=True` lets the joints' own `passive_forces` act as well.

    Articulated-body recursion in one pass out, in and out, O(n): motions are counted from the one in which the
    prescribed coordinates accelerate and the others do not, so at a prescribed coordinate the whole inertia passes
    on (P = 1) and its force is read off on the way out (Bruyninckx 6.4.3; Featherstone 2010, Eqs. 49-68).

    >>> import sixvec
    >>> robot = sixvec.load("cart_pole")
    >>> q, v = robot.neutral(), [0.0, 0.0]
    >>> moved = robot.hybrid_dynamics(q, v, [2.0, 0.0], [0.0, 0.0], prescribed=(0,))  # pull the cart
    >>> float(moved.acceleration[0]), float(moved.force[1])
    (2.0, 0.0)
    """
    known = frozenset(coordinates(model, prescribed))
    require_mass(_held(model, known))
    if passive:
        own = passive_forces(model, q, v)
        tau = JointVector(added(tau, own), model.v_slices)
    a = JointVector([x if i in known else 0.0 for i, x in enumerate(a)], model.v_slices)
    solve = _coupled if is_coupled(model) else _recursive
    acceleration, force = solve(model, q, v, a, tau, external, external_reference, known)
    return acceleration, subtracted(force, own) if passive else force


def coordinates(model: Model, joints: Sequence[str | int]) -> tuple[int, ...]:
    """The coordinates of v that belong to these joints (or bodies, or coordinates by number), each named once.

    >>> import sixvec
    >>> coordinates(sixvec.load("panda").model, ["panda_joint2", 5])
    (1, 5)
    """
    if isinstance(joints, str):
        raise ArgumentError(f'prescribed="{joints}" is one name; write a tuple: ("{joints}",)')
    found: list[int] = []
    for joint in joints:
        own = [joint] if isinstance(joint, int) else _named(model, joint)
        if twice := sorted(set(own) & set(found)):
            raise ArgumentError(
                f"{model.name}: coordinate {twice[0]} is prescribed twice, the second time by {joint!r}"
            )
        if any(not 0 <= i < model.nv for i in own):
            raise ArgumentError(f"{model.name} has no coordinate {joint}; coordinates: 0 to {model.nv - 1}")
        found += own
    return tuple(found)


def _named(model: Model, name: str) -> list[int]:
    """In a canonical model the axes of one joint are bodies of their own, with the joint's name."""
    parts = [
        b for b in model.moving if (name and name in (b.joint_name, b.name)) or b.name.startswith(f"{name} (axis ")
    ]  # fmt: skip
    if not parts:
        followers = [b for b in model.bodies if b.mimic and name in (b.joint_name, b.name)]
        if followers and followers[0].mimic:
            raise ArgumentError(
                f'{model.name}: the joint of "{name}" follows that of "{followers[0].mimic.leader}"; '
                "prescribe the joint that leads"
            )
        valid = list(dict.fromkeys((b.joint_name or b.name).partition(" (axis ")[0] for b in model.moving))
        raise ArgumentError(unknown("joint", name, valid, model.name))
    return [i for b in parts for i in range(model.nv)[model.v_slices[b.name]]]


def _held(model: Model, known: frozenset[int]) -> Model:
    """The model in which prescribed joints need no inertia against them: what moves them is strong enough."""
    bodies = tuple(
        replace(b, dynamics=replace(b.dynamics, armature=(1.0,) * b.joint.nv))
        if b.joint.nv and known.issuperset(_range(model, b)) and not b.mimic
        else b
        for b in model.bodies
    )
    return replace(model, bodies=bodies)


def _range(model: Model, b: Body) -> range:
    return range(model.nv)[model.v_slices[b.name]]


def _recursive(
    model: Model,
    q: JointVector,
    v: JointVector,
    a: JointVector,
    tau: JointVector,
    external: Wrenches | None,
    external_reference: Reference,
    known: frozenset[int],
) -> tuple[list[Any], list[Any]]:
    model = regrouped(model)
    p: dict[str, Force] = body_forces(model, q, v, a, body_wrenches(model, q, external, external_reference))
    IA = {b.name: ArticulatedInertia.of(b.inertia) for b in model.bodies}
    gain: dict[str, list[Force]] = {}
    drive: dict[str, list[Any]] = {}
    for b in reversed(model.bodies):  # tips to root
        S, rotor, t = _driven(model, b, known, b.subspace(q), b.armature, tau[b])
        U = [IA[b.name] @ s for s in S]
        D = [[s.dot(u) + (d if i == j else 0.0) for j, u in enumerate(U)] for i, (s, d) in enumerate(zip(S, rotor))]
        D_inverse = inverse(D)
        free = [f - s.dot(p[b.name]) for f, s in zip(t, S, strict=True)]
        gain[b.name] = [sum((u * d for u, d in zip(U, row, strict=True)), Force.zero()) for row in D_inverse]
        drive[b.name] = [sum(d * f for d, f in zip(row, free, strict=True)) for row in D_inverse]
        if b.parent is not WORLD:
            X_PB, passed, bias = b.pose_in_parent(q), IA[b.name], p[b.name]
            for u, k, f in zip(U, gain[b.name], free, strict=True):
                passed = passed - ArticulatedInertia.dyad(u, k)
                bias = bias + k * f
            IA[b.parent] = IA[b.parent] + X_PB @ passed
            p[b.parent] = p[b.parent] + X_PB @ bias
    return _root_to_tips(model, q, a, tau, known, gain, drive, IA, p)


def _root_to_tips(
    model: Model,
    q: JointVector,
    a: JointVector,
    tau: JointVector,
    known: frozenset[int],
    gain: Mapping[str, list[Force]],
    drive: Mapping[str, list[Any]],
    IA: Mapping[str, ArticulatedInertia],
    p: Mapping[str, Force],
) -> tuple[list[Any], list[Any]]:
    """a_φ = D⁻¹ (tau - Sᵀ p - Uᵀ A_P),  A = A_P + S a_φ,  tau_μ = Sᵀ (I^A A + p) + d a_μ."""
    A: dict[str | None, Motion] = {WORLD: Motion.zero()}
    acceleration, force = list(a), list(tau)
    for b in model.bodies:
        A_P = b.pose_in_parent(q).inv() @ A[b.parent]
        S, at = b.subspace(q), _range(model, b)
        own = [d - A_P.dot(k) for d, k in zip(drive[b.name], gain[b.name], strict=True)]
        A[b.name] = A_P
        for i, s, x in zip(*_driven(model, b, known, at, S), own, strict=True):
            A[b.name] = A[b.name] + s * x
            acceleration[i] = x
        f = IA[b.name] @ A[b.name] + p[b.name]
        for i, s, rotor in zip(at, S, b.armature, strict=True):
            if i in known:
                force[i] = s.dot(f) + rotor * a[i]
    return acceleration, force


def _driven(model: Model, b: Body, known: frozenset[int], *rows: Sequence[Any]) -> tuple[list[Any], ...]:
    """Of each row, with an entry per freedom of b, the entries whose acceleration is not prescribed."""
    kept = [i not in known for i in _range(model, b)]
    return tuple([x for x, keep in zip(row, kept, strict=True) if keep] for row in rows)


def _coupled(
    model: Model,
    q: JointVector,
    v: JointVector,
    a: JointVector,
    tau: JointVector,
    external: Wrenches | None,
    external_reference: Reference,
    known: frozenset[int],
) -> tuple[list[Any], list[Any]]:
    """Joints that follow others tie distant bodies together: the two block rows of the equation itself."""
    bias = inverse_dynamics(model, q, v, a, external=external, external_reference=external_reference)
    M = mass_matrix(model, q)
    free = [i for i in range(model.nv) if i not in known]
    block = [[M[i][j] for j in free] for i in free]
    found = [row[0] for row in Inverse(block).times([[tau[i] - bias[i]] for i in free])] if free else []
    acceleration, force = list(a), list(tau)
    for i, x in zip(free, found, strict=True):
        acceleration[i] = x
    for i in known:
        force[i] = sum((M[i][j] * x for j, x in zip(free, found, strict=True)), bias[i])
    return acceleration, force
