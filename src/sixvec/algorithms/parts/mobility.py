"""Mobility of frames, their acceleration per unit of wrench: Ω = J M⁻¹ Jᵀ, by recursion.

With loops or wheels K replaces M⁻¹ (`loop_response`): the wrench also causes forces of the constraints.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sixvec.algorithms.declaration import JointVector, tree_recursion
from sixvec.algorithms.jacobian import jacobian
from sixvec.algorithms.mass_matrix import mass_matrix
from sixvec.algorithms.parts.articulated_gain import Gain, articulated_gains
from sixvec.algorithms.parts.factorization import Inverse, symmetric_product
from sixvec.algorithms.parts.loop_response import LoopResponse
from sixvec.algorithms.parts.reference import Reference, reference_pose, world_pose
from sixvec.algorithms.parts.singular import require_mass
from sixvec.model import WORLD, Body, Frame, Model
from sixvec.spatial import ArticulatedInertia, Force, Motion, PlaneRotation, Pose, Rotation, Vec3

Rows = list[list[Any]]
FEW_FREEDOMS = 12
"""Up to this number of freedoms M⁻¹ Jᵀ is cheaper with the factors of M: 1322 operations against 2195 for 7 freedoms,
3753 against 3983 for 18, but 12716 against 7650 for 38."""

UNITS = tuple(Force.of(float(i == j) for j in range(6)) for i in range(6))


@dataclass(frozen=True, slots=True)
class Mobility:
    """A symmetric map from force to motion, the inverse of an inertia.

    With angular and linear parts exchanged, motions change coordinates as forces do and forces as motions; so the
    blocks are kept in that order and moved by the rule of an articulated inertia.
    """

    exchanged: ArticulatedInertia

    @classmethod
    def zero(cls) -> Mobility:
        return cls.dyad(Motion.zero(), Motion.zero())

    @classmethod
    def dyad(cls, a: Motion, b: Motion) -> Mobility:
        """a bᵀ, as one term of a symmetric sum."""
        return cls(ArticulatedInertia.dyad(Force(a.lin, a.ang), Force(b.lin, b.ang)))

    def __add__(self, other: Mobility) -> Mobility:
        return Mobility(self.exchanged + other.exchanged)

    def __matmul__(self, f: Force) -> Motion:
        m = self.exchanged @ Motion(f.lin, f.ang)
        return Motion(m.lin, m.ang)

    def moved(self, R: Rotation | PlaneRotation, p: Vec3) -> Mobility:
        """From coordinates of B to those of A, where B is at (R, p) in A."""
        return Mobility(self.exchanged.moved(R, p))

    def moved_back(self, R: Rotation | PlaneRotation, p: Vec3) -> Mobility:
        """From coordinates of A to those of B."""
        return Mobility(self.exchanged.moved_back(R, p))


def body_mobilities(bodies: Sequence[Body], q: JointVector, gain: Mapping[str, Gain]) -> dict[str | None, Mobility]:
    """Ω of each body of a path, root to tip:  Ω = ψᵀ Ω_parent ψ + Hᵀ D⁻¹ H  with  ψ = φ (1 - G H).

    With X = φᵀ Ω_parent φ, the mobility that the parent alone would give, this is
    X - X G H - (X G H)ᵀ + Hᵀ (Gᵀ X G + D⁻¹) H: only the joint's own directions change.
    """
    Omega: dict[str | None, Mobility] = {WORLD: Mobility.zero()}
    for b in bodies:
        g = gain[b.name]
        X = b.pose_in_parent(q).inv() @ Omega[b.parent]
        XG = [X @ column for column in g.G]
        total = X
        for i, S in enumerate(g.axes):
            inner = [XG[i].dot(column) + d for column, d in zip(g.G, g.D_inverse[i], strict=True)]
            a = g.spread([w * 0.5 for w in inner]) - XG[i]
            total = total + Mobility.dyad(a, S) + Mobility.dyad(S, a)
        Omega[b.name] = total
    return Omega


def _blocks_from_matrices(model: Model, q: JointVector, frames: Sequence[str], reference: Reference) -> Rows:
    """J M⁻¹ Jᵀ, or with loops J K Jᵀ, from the matrices: followers and loops couple distant bodies."""
    J = [row for name in frames for row in jacobian(model, q, frame=name, reference=reference)]
    return symmetric_product(J, list(zip(*_responses_from_matrix(model, q, J), strict=True)))


def _responses_from_matrix(model: Model, q: JointVector, J: Rows) -> Rows:
    """M⁻¹ Jᵀ; with loops K Jᵀ."""
    if not model.is_constrained:
        return Inverse(mass_matrix(model, q)).times(list(zip(*J, strict=True)))
    loops = LoopResponse(model, q)
    return [list(row) for row in zip(*map(loops.to_force, J), strict=True)]


def mobility_blocks(model: Model, q: JointVector, frames: Sequence[str], reference: Reference) -> Rows:
    """J M⁻¹ Jᵀ of the stacked Jacobians of several frames, 6 rows per frame."""
    require_mass(model)
    return _blocks_by_recursion(model, q, frames, reference)


@tree_recursion(otherwise=_blocks_from_matrices)
def _blocks_by_recursion(model: Model, q: JointVector, frames: Sequence[str], reference: Reference) -> Rows:
    """In O(depth) per pair of frames.

    Block (i, j) is ψᵀ Ω ψ: inward from frame j to the body that carries both frames, through that body's Ω, and
    outward to frame i; it is zero where the world alone carries both.
    """
    gain = articulated_gains(model, q)
    at = [model.frame(name) for name in frames]
    X_RF = [reference_pose(world_pose(model, q, F), reference) for F in at]
    rows = [[0.0] * (6 * len(at)) for _ in range(6 * len(at))]
    for i, F in enumerate(at):
        path = model.path(F.body)
        Omega = body_mobilities(path, q, gain)
        block = X_RF[i] @ (F.placement.inv() @ Omega[F.body])
        _enter(rows, i, i, [block @ unit for unit in UNITS])
        for j in range(i):
            _enter(rows, i, j, _cross_block(model, q, gain, Omega, (F, at[j]), (X_RF[i], X_RF[j])))
    return rows


def _cross_block(
    model: Model,
    q: JointVector,
    gain: Mapping[str, Gain],
    Omega: Mapping[str | None, Mobility],
    frames: tuple[Frame, Frame],
    X_RF: tuple[Pose, Pose],
) -> list[Motion]:
    """The motion of the first frame under each unit wrench at the second."""
    first, second = (model.path(F.body) for F in frames)
    shared = sum(a is b for a, b in zip(first, second, strict=False))  # paths agree up to where they part
    carrier = first[shared - 1].name if shared else WORLD
    columns = []
    for unit in UNITS:
        f = frames[1].placement @ (X_RF[1].inv() @ unit)
        for b in reversed(second[shared:]):
            f = b.pose_in_parent(q) @ gain[b.name].pass_on(f)
        m = Omega[carrier] @ f
        for b in first[shared:]:
            m = b.pose_in_parent(q).inv() @ m
            m = m - gain[b.name].spread(gain[b.name].yielding(m))
        columns.append(X_RF[0] @ (frames[0].placement.inv() @ m))
    return columns


def _enter(rows: Rows, i: int, j: int, columns: list[Motion]) -> None:
    """A block and its mirror image."""
    for c, column in enumerate(columns):
        for r, x in enumerate(column):
            rows[6 * i + r][6 * j + c] = rows[6 * j + c][6 * i + r] = x


def responses(model: Model, q: JointVector, frame: str, reference: Reference) -> Rows:
    """M⁻¹ Jᵀ, 6 columns: the joint accelerations that unit wrenches at a frame cause.

    With few joints, solving with the factors of M needs fewer operations than the recursion.
    """
    require_mass(model)
    route = _from_factors if model.nv <= FEW_FREEDOMS else _by_recursion
    return route(model, q, frame, reference)


def _from_factors(model: Model, q: JointVector, frame: str, reference: Reference) -> Rows:
    return _responses_from_matrix(model, q, jacobian(model, q, frame=frame, reference=reference))


@tree_recursion(otherwise=_from_factors)
def _by_recursion(model: Model, q: JointVector, frame: str, reference: Reference) -> Rows:
    """M⁻¹ Jᵀ in O(n) per column:  (1 - H Ψ L)ᵀ D⁻¹ H ψ B.

    The wrench is transmitted inward through free joints, and joint accelerations follow outward.
    """
    gain, F = articulated_gains(model, q), model.frame(frame)
    X_RF = reference_pose(world_pose(model, q, F), reference)
    columns = []
    for unit in UNITS:
        nu: dict[str, list[Any]] = {}
        f = F.placement @ (X_RF.inv() @ unit)
        for b in reversed(model.path(F.body)):
            nu[b.name] = gain[b.name].drive(gain[b.name].project(f))
            f = b.pose_in_parent(q) @ gain[b.name].pass_on(f)
        columns.append(_accelerations(model, q, gain, nu))
    return [list(row) for row in zip(*columns, strict=True)]


def _accelerations(model: Model, q: JointVector, gain: Mapping[str, Gain], nu: Mapping[str, list[Any]]) -> list[Any]:
    """θ̈ = ν - Gᵀ φᵀ λ and λ = φᵀ λ + Hᵀ θ̈, root to tips."""
    lam: dict[str | None, Motion] = {WORLD: Motion.zero()}
    a: list[Any] = [0.0] * model.nv
    for b in model.bodies:
        g = gain[b.name]
        m = b.pose_in_parent(q).inv() @ lam[b.parent]
        aJ = [x - y for x, y in zip(nu.get(b.name, [0.0] * b.joint.nv), g.yielding(m), strict=True)]
        lam[b.name] = m + g.spread(aJ)
        a[model.v_slices[b.name]] = aJ
    return a
