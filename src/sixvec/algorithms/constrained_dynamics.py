"""Which accelerations given joint forces produce in a mechanism with loops and held frames."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sixvec.algorithms.closure_error import closure_error
from sixvec.algorithms.closure_jacobian import closure_jacobian
from sixvec.algorithms.constraint_terms import constraint_bias, constraint_jacobian
from sixvec.algorithms.declaration import JointVector, kernel
from sixvec.algorithms.integrate import integrate
from sixvec.algorithms.inverse_dynamics import inverse_dynamics
from sixvec.algorithms.mass_matrix import mass_matrix
from sixvec.algorithms.parts.external import Wrenches
from sixvec.algorithms.parts.factorization import Factors, is_zero
from sixvec.algorithms.parts.held_frames import Held
from sixvec.algorithms.parts.proximal import proximal_solution
from sixvec.algorithms.parts.reference import Reference
from sixvec.algorithms.parts.singular import require_mass
from sixvec.algorithms.parts.sparsity import tree_order
from sixvec.model import Model
from sixvec.model.spanning_tree import spanning_tree
from sixvec.scalar import Scalar, where


@kernel("q v tau external target -> a force[nrows] residual[]", loops="obeyed", couples=True)
def constrained_dynamics(
    model: Model,
    q: JointVector,
    v: JointVector,
    tau: JointVector,
    external: Wrenches | None = None,
    target: Sequence[Scalar] | None = None,
    hold: tuple[Held, ...] = (),
    external_reference: Reference = "local",
    passive: bool = False,
) -> Any:
    """Accelerations a, and forces of the constraints:  M a + c = tau + Aᵀ force  with  A a + γ = target.

    The rows of A are those of `constraint_jacobian`: the closures of the model, then the frames in `hold`, a dictionary
    from a frame, or a pair of frames, to "weld", "point" or a tuple of directions in the frame's axes ("x",
    "turn z", …).  `force` acts on the robot along the rows, in N or N m; `target` are accelerations along them, zero
    by default; `residual` is the largest |A a + γ - target|, in m/s² or rad/s².

    M = Lᵀ D L keeps the zeros of the tree (Featherstone 2010, Eq. 48), so  Z = L⁻ᵀ Aᵀ  has entries on the paths of the
    rows only, and  A M⁻¹ Aᵀ = Zᵀ D⁻¹ Z  is the Delassus matrix.  It is solved in proximal form, a fixed number of
    steps without pivoting, so rows may depend on each other: a is unique all the same, and `force` is least, each row
    measured by what it moves.  Arrays of float32 are computed in double precision.
    Constraints that cannot be met leave a residual.

    >>> import sixvec, numpy
    >>> robot = sixvec.load("panda")
    >>> q, zeros = robot.neutral() + 0.3, numpy.zeros(7)
    >>> r = robot.constrained_dynamics(q, zeros, zeros, hold={"panda_link8": "point"})
    >>> r.a.shape, r.force.shape, bool(r.residual < 1e-9)
    ((7,), (3,), True)
    """
    rest = [0.0] * model.nv
    acting = {"external": external, "external_reference": external_reference, "passive": passive}
    bias = inverse_dynamics(spanning_tree(model), q, v, rest, **acting)
    A, gamma = constraint_jacobian(model, q, hold=hold), constraint_bias(model, q, v, hold=hold)
    wanted = [-g for g in gamma] if target is None else [b - g for b, g in zip(target, gamma, strict=True)]
    free = [t - h for t, h in zip(tau, bias, strict=True)]
    a, force = least_motion(model, q, free, A, wanted)
    residual: Scalar = 0.0
    for row, b in zip(A, wanted, strict=True):
        miss = sum((x * y for x, y in zip(row, a, strict=True)), -b)
        size = where(miss < 0.0, -miss, miss)
        # the last choice is that of equal numbers, and of NaN, which stays what it is
        residual = where(size < residual, residual, where(residual < size, size, (size + residual) * 0.5))
    return a, force, residual


def least_motion(
    model: Model,
    q: JointVector,
    forces: Sequence[Scalar],
    A: Sequence[Sequence[Scalar]],
    wanted: Sequence[Scalar],
) -> tuple[list[Scalar], list[Scalar]]:
    """x and λ with  M x = forces + Aᵀ λ  and  A x = wanted: Gauss' principle of least constraint."""
    require_mass(model)
    M = Factors(mass_matrix(model, q), tree_order(model))
    y, Z = M.half(forces), [M.half(row) for row in A]
    G = [[M.weighted(z, w) for w in Z[: i + 1]] for i, z in enumerate(Z)]
    force = proximal_solution(G, [b - M.weighted(z, y) for z, b in zip(Z, wanted, strict=True)])
    pushed = [sum((z[i] * f for z, f in zip(Z, force, strict=True) if not is_zero(z[i])), x) for i, x in enumerate(y)]
    return M.rest(pushed), force


def projected(
    model: Model, q: Sequence[Scalar], v: Sequence[Scalar], driven: Sequence[int] = (), rounds: int = 2
) -> tuple[list[Scalar], list[Scalar]]:
    """The state with closed loops nearest to a state that has drifted a little, as the mass matrix measures it.

    Newton steps for the positions, each of which squares the error, and the exact projection of the velocities.
    Coordinates that are `driven` stay as they are.
    """
    nothing = [0.0] * model.nv
    units, still = [[float(i == k) for i in range(model.nv)] for k in driven], [0.0] * len(driven)
    moved = JointVector(q, model.q_slices)
    for _ in range(rounds):
        errors = [-e for e in closure_error(model, moved)]
        step, _ = least_motion(model, moved, nothing, [*closure_jacobian(model, moved), *units], [*errors, *still])
        moved = JointVector(integrate(model, moved, step), model.q_slices)
    A = closure_jacobian(model, moved)
    opened = [-sum(x * y for x, y in zip(row, v, strict=True)) for row in A]
    change, _ = least_motion(model, moved, nothing, [*A, *units], [*opened, *still])
    return list(moved), [x + y for x, y in zip(v, change, strict=True)]
