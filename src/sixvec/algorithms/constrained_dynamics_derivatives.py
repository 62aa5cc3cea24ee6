"""How the accelerations and forces of constrained dynamics change with position, velocity and joint force."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from sixvec.algorithms.constraint_terms import constraint_bias, constraint_jacobian
from sixvec.algorithms.declaration import JointVector, kernel, size
from sixvec.algorithms.inverse_dynamics import inverse_dynamics
from sixvec.algorithms.inverse_dynamics_derivatives import inverse_dynamics_derivatives
from sixvec.algorithms.mass_matrix import mass_matrix
from sixvec.algorithms.parts.constrained_motion import HARD, Softness
from sixvec.algorithms.parts.constraint_slopes import acceleration_slopes, force_slopes, held_wrenches
from sixvec.algorithms.parts.external import Wrenches
from sixvec.algorithms.parts.factorization import dot
from sixvec.algorithms.parts.kkt_factors import KktFactors
from sixvec.algorithms.parts.range_slopes import range_slopes
from sixvec.algorithms.parts.reference import Reference
from sixvec.algorithms.parts.row_weights import mixed, require_weight, spread
from sixvec.algorithms.parts.singular import require_mass
from sixvec.algorithms.parts.sparsity import tree_order
from sixvec.errors import ArgumentError
from sixvec.mechanism.row_rank import RowRank, row_rank
from sixvec.model import Model
from sixvec.model.coupling import coupling
from sixvec.model.held_frame import Held
from sixvec.model.spanning_tree import spanning_tree
from sixvec.scalar import Scalar, is_zero
from sixvec.spatial import Vec3

Rows = list[list[Any]]


@kernel(
    "q v tau external target -> da_dq[nv,nv] da_dv[nv,nv] da_dtau[nv,nv] "
    "dforce_dq[nrows,nv] dforce_dv[nrows,nv] dforce_dtau[nrows,nv]",
    loops="enforced",
    mimic="handled",
    requires=require_mass,
)
def constrained_dynamics_derivatives(
    model: Model,
    q: JointVector,
    v: JointVector,
    tau: JointVector,
    external: Wrenches | None = None,
    target: Sequence[Scalar] | None = None,
    hold: tuple[Held, ...] = (),
    external_reference: Reference = "local",
    passive: bool = False,
    weight: tuple[Any, ...] = (),
    damping: float = 0.0,
) -> Any:
    """The derivatives of a and force of `constrained_dynamics` with respect to q, v and tau, in tangent coordinates.

    With  r = ID(q, v, a) - Aᵀ force  and  s = A a + γ,  differentiating  r = tau, s = target  gives

        M da - Aᵀ dforce = dtau - ∂r        A da = -∂s

    ∂r comes from the recursion of `inverse_dynamics_derivatives`, where forces on held frames are external
    wrenches, ∂s from the chains of joints between constrained frames: their columns, rotations and products.  One
    factorisation serves all right-hand sides.  Loops must be closed.  Where rows depend on each other, the derivatives
    are those along motions that keep the loops closed; forces are not unique there and have no derivatives.

    `weight` and `damping` are those of `constrained_dynamics`: then A da + damping W⁻¹ dforce = -∂s.  Weights without
    damping distribute the error of rows that contradict each other, which have no derivative here: that is an error.

    >>> import sixvec, numpy
    >>> robot = sixvec.load("panda")
    >>> q, zeros, hold = robot.neutral() + 0.3, numpy.zeros(7), {"panda_link8": "point"}
    >>> d = robot.constrained_dynamics_derivatives(q, zeros, zeros, hold=hold)
    >>> A = robot.constraint_jacobian(q, hold=hold)
    >>> d.dforce_dq.shape, bool(abs(A @ d.da_dtau).max() < 1e-9)  # no joint force moves what is held
    ((3, 7), True)
    """
    tree = spanning_tree(model)
    acting: dict[str, Any] = {"external": external, "external_reference": external_reference, "passive": passive}
    soft, rank = _softness(model, hold, weight, damping)
    A, gamma = constraint_jacobian(model, q, hold=hold), constraint_bias(model, q, v, hold=hold)
    right = [-g for g in gamma] if target is None else [b - g for b, g in zip(target, gamma, strict=True)]
    bias = inverse_dynamics(tree, q, v, [0.0] * model.nv, **acting)
    mix, unmix = rank.of_used, rank.of_all
    if soft.mixing:
        mix, unmix = partial(mixed, soft.mixing), partial(spread, soft.mixing)
    kkt = KktFactors(mass_matrix(model, q), mix(A), tree_order(model), rank, soft)
    a, along = kkt.solution([t - h for t, h in zip(tau, bias, strict=True)], mix(right))
    force = unmix(along)
    r_q, r_v = _force_slopes(model, q, v, a, external, external_reference, passive, hold, force)
    s_q, s_v = _acceleration_slopes(model, q, v, a, hold)
    if rank.groups:
        rest, weightless = JointVector([0.0] * model.nv, model.v_slices), replace(model, gravity=Vec3.zero())
        residual = [dot(row, a) - b for row, b in zip(A, right, strict=True)]
        r_more, s_more = range_slopes(
            kkt,
            rank,
            force,
            residual,
            lambda f: _force_slopes(weightless, q, rest, list(rest), None, "local", False, hold, f)[0],
            lambda u: _acceleration_slopes(model, q, rest, u, hold)[0],
        )
        r_q, s_q = _sum(r_q, r_more), _sum(s_q, [row or [0.0] * model.nv for row in rank.of_all(s_more)])
    (a_q, f_q), (a_v, f_v) = (kkt.changes(r, mix(s)) for r, s in ((r_q, s_q), (r_v, s_v)))
    a_tau, f_tau = kkt.unit_responses()
    still = [0.0] * model.nv
    forces = ([row or still for row in unmix(f)] for f in (f_q, f_v, f_tau))
    return a_q, a_v, a_tau, *forces


def _softness(
    model: Model, hold: tuple[Held, ...], weight: tuple[Any, ...], damping: float
) -> tuple[Softness, RowRank]:
    """How the rows give way, and their rank: independent rows without damping do not."""
    rows = size(model, "nrows", hold)
    require_weight("constrained_dynamics_derivatives", model.name, rows, weight, damping)
    if damping:
        return Softness.of("constrained_dynamics_derivatives", weight, damping), RowRank.unknown(rows)
    rank = row_rank(model, hold)
    if weight and rank.rank < rows:
        raise ArgumentError(
            f"constrained_dynamics_derivatives: {rows - rank.rank} of the {rows} rows of {model.name} depend on "
            "others, and weights alone have no derivatives there; give damping= as well"
        )
    return HARD, rank


def _force_slopes(
    model: Model,
    q: JointVector,
    v: JointVector,
    a: list[Any],
    external: Wrenches | None,
    reference: Reference,
    passive: bool,
    hold: tuple[Held, ...],
    force: list[Any],
) -> tuple[Rows, Rows]:
    """∂(ID - Aᵀ force)/∂q and ∂v at these accelerations and forces."""
    tree, tied = spanning_tree(model), coupling(model)
    q_all = JointVector(tied.positions(q), tied.free.q_slices)
    wrenches: dict[str, Sequence[Scalar]] = dict(held_wrenches(tied.free, q_all, hold, force))
    if reference == "local":
        for frame, w in (external or {}).items():
            there = wrenches.get(frame, [0.0] * 6)
            wrenches[frame] = [x + y for x, y in zip(there, w, strict=True)]
    dq, dv, _ = inverse_dynamics_derivatives(tree, q, v, a, external=wrenches, passive=passive)
    if external and reference != "local":
        weightless, zeros = replace(tree, gravity=Vec3.zero()), [0.0] * model.nv
        pushed = inverse_dynamics_derivatives(
            weightless, q, zeros, zeros, external=external, external_reference=reference
        )
        dq = _sum(dq, pushed[0])
    turned = tied.reduce(force_slopes(tied.free, q_all, hold, force), [True, True])
    return _sum(dq, turned, -1.0), dv


def _acceleration_slopes(
    model: Model, q: JointVector, v: JointVector, a: list[Any], hold: tuple[Held, ...]
) -> tuple[Rows, Rows]:
    tied = coupling(model)
    q_all = JointVector(tied.positions(q), tied.free.q_slices)
    v_all, a_all = (JointVector(tied.velocities(x), tied.free.v_slices) for x in (v, a))
    dq, dv = acceleration_slopes(tied.free, q_all, v_all, a_all, hold)
    return tied.reduce(dq, [False, True]), tied.reduce(dv, [False, True])


def _sum(A: Rows, B: Rows, sign: float = 1.0) -> Rows:
    return [[x if is_zero(y) else x + y * sign for x, y in zip(r, s, strict=True)] for r, s in zip(A, B, strict=True)]
