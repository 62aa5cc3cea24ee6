"""Joint forces that give frames desired accelerations, in strict order of priority."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sixvec.algorithms.constraint_terms import constraint_bias, constraint_jacobian
from sixvec.algorithms.declaration import JointVector, kernel, size
from sixvec.algorithms.inverse_dynamics import inverse_dynamics
from sixvec.algorithms.mass_matrix import mass_matrix
from sixvec.algorithms.parts.external import Wrenches
from sixvec.algorithms.parts.factorization import Factors, dot
from sixvec.algorithms.parts.level import Level
from sixvec.algorithms.parts.reference import Reference
from sixvec.algorithms.parts.singular import require_mass
from sixvec.algorithms.parts.sparsity import tree_order
from sixvec.errors import ArgumentError
from sixvec.model import Model
from sixvec.model.held_frame import Held
from sixvec.model.spanning_tree import spanning_tree
from sixvec.scalar import Scalar


@kernel(
    "q v tau external target -> a force[nrows] residual[nrows]",
    loops="enforced",
    mimic="handled",
    requires=require_mass,
)
def prioritised_dynamics(
    model: Model,
    q: JointVector,
    v: JointVector,
    tau: JointVector,
    external: Wrenches | None = None,
    target: Sequence[Scalar] | None = None,
    hold: tuple[Held, ...] = (),
    levels: tuple[int, ...] = (),
    external_reference: Reference = "local",
    passive: bool = False,
) -> Any:
    """Accelerations a with  A_k a + γ_k = target_k  level by level, each as closely as those above allow.

    `hold` lists the frames and their directions, highest priority first; every frame is a separate level
    unless `levels` gives the number of frames in each.  `target` are accelerations of the rows, as in
    `constrained_dynamics`: that of a point along an axis of its frame is the row "acceleration x".  `tau` are posture
    forces, which act in the null space of all levels.  `force` acts along the projected rows; the joint forces are
    `inverse_dynamics(q, v, a)`.  `residual` is target - A a - γ of every row.

        a = M⁻¹ (tau - c),  N = 1;  for each level:  A' = A N,  X = A' M⁻¹ A'ᵀ,  F = X⁺ (target - γ - A a),
        a ← a + M⁻¹ A'ᵀ F,  N ← N (1 - M⁻¹ A'ᵀ X⁺ A')                                   (Khatib 1987; Sentis 2007)

    so a lower level never affects a higher one, whereas weights would compromise between them.  Targets that
    cannot be reached are approximated by least squares.  X⁺ drops directions that are small against A M⁻¹ Aᵀ, not
    against X: for a level with no freedom left, X is rounding error.  The highest level are the
    loops and wheels of the model.

    >>> import sixvec, numpy
    >>> robot = sixvec.load("panda")
    >>> q, zeros = robot.neutral() + 0.3, numpy.zeros(7)
    >>> both = {"panda_link8": "weld", "panda_link4": "point"}                    # 9 directions, 7 joints
    >>> r = robot.prioritised_dynamics(q, zeros, zeros, target=numpy.ones(9), hold=both)
    >>> bool(abs(r.residual[:6]).max() < 1e-9), bool(abs(r.residual[6:]).max() > 0.01)
    (True, True)
    """
    zeros = [0.0] * model.nv
    acting = {"external": external, "external_reference": external_reference, "passive": passive}
    bias = inverse_dynamics(spanning_tree(model), q, v, zeros, **acting)
    A, gamma = constraint_jacobian(model, q, hold=hold), constraint_bias(model, q, v, hold=hold)
    right = [-g for g in gamma] if target is None else [b - g for b, g in zip(target, gamma, strict=True)]
    M = Factors(mass_matrix(model, q), tree_order(model))
    y = M.half([t - h for t, h in zip(tau, bias, strict=True)])
    above: list[Level] = []
    force: list[Scalar] = []
    for start, stop in _levels(model, hold, levels):
        Z = [M.half(row) for row in A[start:stop]]
        level = Level.below(above, Z, M)
        # the residual of a level is not changed by those below, so each can be computed in turn
        missing = [b - M.weighted(z, y) for z, b in zip(Z, right[start:stop], strict=True)]
        F = level.force(missing)
        y = level.pushed(y, F)
        force += F
        above.append(level)
    a = M.rest(y)
    residual = [b - dot(row, a) for row, b in zip(A, right, strict=True)]
    return a, force, residual


def _levels(model: Model, hold: Sequence[Held], levels: Sequence[int]) -> list[tuple[int, int]]:
    """First row, and row after the last, of every level: closures and wheels of the robot, then the frames."""
    counts = [1] * len(hold) if not levels else list(levels)
    if sum(counts) != len(hold) or any(n < 1 for n in counts):
        raise ArgumentError(
            f"levels {tuple(counts)} must be numbers of frames, from 1, that add up to the {len(hold)} frames in hold"
        )
    start = size(model, "nrows")
    ranges = [(0, start)] if start else []
    frames = iter(hold)
    for n in counts:
        stop = start + sum(len(next(frames).directions) for _ in range(n))
        ranges.append((start, stop))
        start = stop
    return ranges
