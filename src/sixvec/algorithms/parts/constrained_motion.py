"""The two routes of constrained dynamics: factors of the mass matrix, and the recursion.  There are no kernels here."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any, NamedTuple, cast

from sixvec.algorithms.constraint_terms import constraint_jacobian
from sixvec.algorithms.declaration import JointVector, size
from sixvec.algorithms.inverse_dynamics import body_forces, inverse_dynamics
from sixvec.algorithms.mass_matrix import mass_matrix
from sixvec.algorithms.parts.constraint_wrenches import follower_wrenches, row_wrenches
from sixvec.algorithms.parts.external import Wrenches, body_wrenches
from sixvec.algorithms.parts.factorization import Factors, dot
from sixvec.algorithms.parts.known_rank import ConstraintSystem
from sixvec.algorithms.parts.proximal import Proximal
from sixvec.algorithms.parts.reference import Reference
from sixvec.algorithms.parts.rotor_forces import rotor_bias
from sixvec.algorithms.parts.row_weights import Matrix, factor, is_matrix, mixed, spread
from sixvec.algorithms.parts.singular import require_mass
from sixvec.algorithms.parts.sparsity import tree_order
from sixvec.algorithms.passive_forces import subtracted
from sixvec.algorithms.popov_vereshchagin import ConstraintRecursion
from sixvec.errors import ArgumentError, SixvecError
from sixvec.mechanism.row_rank import RowRank, row_rank
from sixvec.model import Model
from sixvec.model.canonical import regrouped
from sixvec.model.coupling import coupling
from sixvec.model.held_frame import Held
from sixvec.model.spanning_tree import spanning_tree
from sixvec.scalar import Scalar, is_zero, operations, where
from sixvec.spatial import Force


class Softness(NamedTuple):
    """How rows that cannot all be satisfied share the error: see `Proximal`."""

    weight: tuple[float, ...] | None = None
    """A number for each row."""
    damping: float = 0.0
    reach: tuple[Any, ...] = ()
    """For each component of the rows, the distance to singular states that count as reached: see `reached`."""
    is_repeated: bool = False
    """Whether the solution is one of an iteration, which makes up for the damping of independent rows."""
    mixing: Matrix = ()
    """Cᵀ of a weight matrix C Cᵀ: the rows are mixed by it, and then weigh the same."""

    @classmethod
    def of(cls, kernel: str, weight: Sequence[Any], damping: float) -> Softness:
        """That of the options of a kernel, which were checked."""
        if weight and is_matrix(weight):
            return cls((1.0,) * len(weight), damping, mixing=factor(kernel, weight))
        return cls(tuple(weight) or None, damping)

    @property
    def is_hard(self) -> bool:
        return self.weight is None and self.damping == 0.0


class Acting(NamedTuple):
    """External wrenches, keyed by frame."""

    external: Wrenches | None = None
    external_reference: Reference = "local"


class ConstrainedMotion(NamedTuple):
    """The result of a method: accelerations, forces along the rows, and row accelerations due to a alone."""

    a: list[Scalar]
    force: list[Scalar]
    gained: list[Scalar]


HARD = Softness()


def motion_by_factors(
    model: Model,
    q: JointVector,
    v: JointVector,
    tau: Sequence[Scalar],
    acting: Acting,
    hold: tuple[Held, ...],
    right: Sequence[Scalar],
    soft: Softness = HARD,
) -> ConstrainedMotion:
    """By M = Lᵀ D L."""
    bias = inverse_dynamics(spanning_tree(model), q, v, [0.0] * model.nv, **acting._asdict())
    free = [t - h for t, h in zip(tau, bias, strict=True)]
    A = constraint_jacobian(model, q, hold=hold)
    rank = row_rank(model, hold) if soft.is_hard else RowRank.unknown(len(A))
    if soft.mixing:
        a, force = least_motion(model, q, free, mixed(soft.mixing, A), mixed(soft.mixing, right), rank, soft)
        return ConstrainedMotion(a, spread(soft.mixing, force), [dot(row, a) for row in A])
    a, force = least_motion(model, q, free, rank.of_used(A), rank.of_used(right), rank, soft)
    return ConstrainedMotion(a, rank.of_all(force), [dot(row, a) for row in A])


def least_motion(
    model: Model,
    q: JointVector,
    forces: Sequence[Scalar],
    A: Sequence[Sequence[Scalar]],
    right: Sequence[Scalar],
    rank: RowRank,
    soft: Softness = HARD,
) -> tuple[list[Scalar], list[Scalar]]:
    """x and λ with  M x = forces + Aᵀ λ  and  A x = desired: Gauss' principle of least constraint.

    A has the used rows of `rank`, and further independent ones behind them.
    """
    return _solved(*row_system(model, q, A, rank, soft), forces, right)


def row_system(
    model: Model, q: JointVector, A: Sequence[Sequence[Scalar]], rank: RowRank, soft: Softness
) -> tuple[ConstraintSystem | Proximal, Factors, list[list[Any]]]:
    """The system of the rows' forces, the factors of M, and the halves L⁻ᵀ of the rows."""
    require_mass(model)
    M = Factors(mass_matrix(model, q), tree_order(model))
    Z = [M.half(row) for row in A]
    G = [[M.weighted(z, w) for w in Z[: i + 1]] for i, z in enumerate(Z)]
    if soft.is_hard:
        steps = {"steps": 1} if soft.is_repeated else {}
        return ConstraintSystem.of(G, rank, reach=soft.reach, **steps), M, Z
    return Proximal(G, *soft[:2]), M, Z


def _solved(
    solver: ConstraintSystem | Proximal,
    M: Factors,
    Z: Sequence[Sequence[Any]],
    forces: Sequence[Scalar],
    right: Sequence[Scalar],
) -> tuple[list[Scalar], list[Scalar]]:
    y = M.half(forces)
    force = solver.solution([b - M.weighted(z, y) for z, b in zip(Z, right, strict=True)])
    pushed = [sum((z[i] * f for z, f in zip(Z, force, strict=True) if not is_zero(z[i])), x) for i, x in enumerate(y)]
    return M.rest(pushed), force


PASSED, CLOSED = 1.0, 0.03
"""How near a singular state counts as reached, as the squared fraction of the distance moved in a step: for forces, and
for the projection of states, which are corrected on both sides of it."""

LARGEST = 1.0
"""The largest correction of a motion, as a fraction of it."""

ALWAYS = 1e-5
"""Corrections of positions up to this, in rad or m, are always made: a mechanism at rest closes its gaps."""


def reached(rank: RowRank, v: Sequence[Scalar], dt: Scalar, near: float = PASSED) -> tuple[Any, ...]:
    """For each component of the rows, `near` h² |v|² of its joints, in rad or fractions of its size.

    A state at which a relative singular value is smaller is next to a singular one, which the step may pass.  There the
    direction that the rows hardly determine is left to the motion itself.
    """
    bounds = []
    for component in rank.components:
        rates = [v[i] * (1.0 / rank.unit[i]) for i in component.columns]
        bounds.append(dt * dt * dot(rates, rates) * near)
    return tuple(bounds)


def small_correction(
    step: Sequence[Scalar], force: Sequence[Scalar], A: Sequence[Sequence[Scalar]], moved: Scalar
) -> list[Scalar]:
    """A correction  M x = Aᵀ force  of a motion with  uᵀ M u = moved;  zero if it is not small against that motion.

    Next to a singular position the rows ask for corrections of any size along directions that they do not determine.
    Those are left to the next step, so that the motion goes on along its own branch.
    """
    square = sum((f * dot(row, step) for f, row in zip(force, A, strict=True) if not is_zero(f)), 0.0)
    kept_share = where(square > (LARGEST * LARGEST) * moved, 0.0, 1.0)
    return [x * kept_share for x in step]


def motion_by_recursion(
    model: Model,
    q: JointVector,
    v: JointVector,
    tau: Sequence[Scalar],
    acting: Acting,
    hold: tuple[Held, ...],
    right: Sequence[Scalar],
    soft: Softness = HARD,
) -> ConstrainedMotion:
    """By Popov's and Vereshchagin's recursion."""
    at_rest = [0.0] * model.nv
    motion, _ = driven_motion(model, q, v, at_rest, tau, acting, hold, right, frozenset(), soft)
    return motion


def driven_motion(
    model: Model,
    q: JointVector,
    v: JointVector,
    a: Sequence[Scalar],
    tau: Sequence[Scalar],
    acting: Acting,
    hold: tuple[Held, ...],
    right: Sequence[Scalar],
    prescribed: frozenset[int],
    soft: Softness = HARD,
) -> tuple[ConstrainedMotion, list[Scalar]]:
    """The motion in which `prescribed` coordinates accelerate with `a`, and its joint forces.

    `wanted` is the required change of row accelerations relative to the motion in which only those accelerate.  The
    recursion runs on the robot with all joints free: joints that follow others are additional rows, solved where their
    paths join those of their leaders.
    """
    if follower_wrenches(model) and not soft.is_hard:
        raise ArgumentError(
            f'{model.name} has joints that follow others, whose rows have no weight: method="kkt" takes weights and '
            "damping"
        )
    tied = coupling(model)
    known = frozenset(i for i, (k, _, _) in enumerate(tied.v) if k in prescribed)
    require_mass(tied.free, known)
    free = regrouped(tied.free)
    place = _leaders(model, free)
    q_all, v_all, a_all = (
        JointVector(tied.positions(q), free.q_slices),
        JointVector(tied.velocities(v), free.v_slices),
        JointVector(tied.velocities(a), free.v_slices),
    )
    driven: list[Scalar] = [0.0] * free.nv
    for k, i in enumerate(place):
        driven[i] = tau[k]
    turning = rotor_bias(free, v_all)
    wrenches = body_wrenches(free, q_all, *acting)
    p = cast("dict[str | None, Force]", body_forces(free, q_all, v_all, a_all, wrenches))
    followers = [row for row in follower_wrenches(model) if not known & {*row.at}]
    rank = row_rank(model, hold, prescribed) if soft.is_hard else RowRank.unknown(len(right))
    rows = rank.of_used(row_wrenches(free, q_all, hold))
    sweep = ConstraintRecursion(
        free,
        q_all,
        p,
        subtracted(driven, turning),
        [*rows, *followers],
        [*rank.of_used(right), *(0.0 for _ in followers)],
        known,
        *soft[:3],
        rank=rank,
    )
    sweep.solve()
    bearing = sweep.prescribed_forces()
    rotors = [r for b in free.moving for r in b.armature]
    needed = [0.0] * free.nv
    for i, x in bearing.items():
        needed[i] = x + rotors[i] * a_all[i] + turning[i]
    total = tied.reduce(needed, [True])
    accelerations = [a[k] if k in prescribed else sweep.a[i] for k, i in enumerate(place)]
    forces = [total[k] if k in prescribed else t for k, t in enumerate(tau)]
    gained = sweep.gained(row_wrenches(free, q_all, hold))
    return ConstrainedMotion(accelerations, rank.of_all(sweep.force[: len(rows)]), gained), forces


def _leaders(model: Model, free: Model) -> list[int]:
    """Where each coordinate of v is among those of the robot with all joints free."""
    leaders = [0] * model.nv
    for b in model.moving:
        start = free.v_slices[b.name].start
        for n, k in enumerate(range(model.nv)[model.v_slices[b.name]]):
            leaders[k] = start + n
    return leaders


METHODS: dict[str, Callable[..., ConstrainedMotion]] = {
    "kkt": motion_by_factors,
    "recursion": motion_by_recursion,
}


@lru_cache(maxsize=64)
def fewest_operations(model: Model, hold: tuple[Held, ...], soft: bool = False) -> str:
    """The method with fewest operations, external wrenches and passive forces aside: they cost the same."""
    rows = size(model, "nrows", hold)
    softness = Softness((1.0,) * rows, 1.0) if soft else HARD

    def count(method: str) -> int:
        def run(q: Any, v: Any, tau: Any, right: Any) -> Any:
            state = JointVector(q, model.q_slices), JointVector(v, model.v_slices)
            motion = METHODS[method](model, *state, tau, Acting(), hold, right, softness)
            return [*motion.a, *motion.force, *motion.gained]

        try:
            return operations(run, model.nq, model.nv, model.nv, rows)
        except SixvecError:  # followers without mass, or with weights: these need the factors
            return sys.maxsize

    return min(METHODS, key=count)
