"""Coulomb friction over a time step: some joints stick, the others are braked.

The friction forces φ, constant over the step like those of the motors, change the velocities that the step would reach
without them to  v₁ = v_free + h M⁻¹ φ.  Each is as large as needed to stop its joint, but at most f:

    |φ_i| < f_i  with  v₁_i = 0,    or    φ_i = -f_i sign(v₁_i)

These are the conditions for a minimum of  P(φ) = φᵀ v_free + h/2 φᵀ M⁻¹ φ  within the limits, and h P is the change
of kinetic energy due to friction: the solution dissipates as much as possible, and any φ with negative P dissipates
some.

Closed loops and rolling wheels couple joints: M⁻¹ is then that of the constrained motion.

v_free is that of an Euler step.  For the Euler methods that is the step itself; higher orders move a sticking
joint next to a sliding one by O(h²), and are exact if all joints stick.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from sixvec.algorithms.mass_matrix import mass_matrix
from sixvec.algorithms.parts.factorization import Inverse, Matrix
from sixvec.algorithms.parts.kkt_factors import KktFactors
from sixvec.algorithms.parts.sparsity import tree_order
from sixvec.algorithms.passive_forces import added
from sixvec.constraints.contacts.block_sweeps import sweep
from sixvec.constraints.contacts.newton_step import newton_step
from sixvec.constraints.contacts.row_terms import rates, row_terms, without_energy
from sixvec.model import Model
from sixvec.model.coupling import coupling, is_coupled
from sixvec.scalar import Scalar, where
from sixvec.sim.fixed_axes import Vector
from sixvec.sim.step_rows import StepRows

if TYPE_CHECKING:
    from sixvec.sim.step_options import StepOptions

ROUNDS = 5
"""Rounds, at most; as many as joints suffice for four or fewer.  Of 100 problems of a seven-joint arm with limits
around its loads all are solved to 1e-9, of badly scaled ones (condition up to 1e6) 98 %."""

SWEEPS, SWEEPS_OF_MANY = 2, 16
"""Sweeps before each of Newton's steps, and instead of them."""

REGULARISATION = 1e-9
"""Fraction of the mean mobility added to that of each joint in a loop."""

COMPLIANCE = 1e-12
"""Of Newton's steps: mobilities of joints are regular, so that a step may be nearly exact."""

LARGEST_SOLVED = 12
"""Number of joints with friction up to which sticking ones are solved exactly; code size grows with its cube.  With
more, sweeps are approximate: sticking joints next to sliding ones creep.  If all stick, the result is exact."""


def friction_limits(model: Model) -> tuple[float, ...]:
    """f of every coordinate of v; a joint that mimics another adds |factor| times its limit to that of its leader.

    >>> import sixvec
    >>> friction_limits(sixvec.load("planar_2r").model)
    (0.0, 0.0)
    """
    free = coupling(model).free if is_coupled(model) else model
    limits = [f for b in free.moving for f in b.dynamics.friction or (0.0,) * b.joint.nv]
    if not is_coupled(model):
        return tuple(limits)
    total = [0.0] * model.nv
    for f, (i, factor, _) in zip(limits, coupling(model).v, strict=True):
        total[i] += abs(factor) * f
    return tuple(total)


def friction_forces(rows: StepRows, q: Vector, v_free: Vector, dt: Scalar) -> list[Scalar]:
    """φ, the friction forces of a step that would reach `v_free` without them; driven joints have none."""
    model, f = rows.model, friction_limits(rows.model)
    free = [i for i in range(model.nv) if i not in rows.driven]
    with_friction = [i for i in free if f[i] > 0.0]
    M = mass_matrix(model, q)
    if model.closures or rows.hold:
        K = _with_rows(rows, q, M, with_friction, dt)
    else:
        whole = Inverse([[M[i][j] for j in free] for i in free]).full()
        at = [free.index(i) for i in with_friction]
        K = [[whole[i][j] * dt for j in at] for i in at]
    forces = friction_within(K, [v_free[i] for i in with_friction], [f[i] for i in with_friction])
    phi: list[Scalar] = [0.0] * model.nv
    for i, x in zip(with_friction, forces, strict=True):
        phi[i] = x
    return phi


def _with_rows(rows: StepRows, q: Vector, M: Matrix, with_friction: Sequence[int], dt: Scalar) -> list[list[Scalar]]:
    """h times the response of accelerations to joint forces with loops closed and frames held, regularised.

    Loops couple joints, so friction forces are not unique; the regularisation selects the least ones.
    """
    factors = KktFactors([list(row) for row in M], rows.jacobian(q), tree_order(rows.model), rows.rank)
    inverse, _ = factors.unit_responses()
    little = sum(inverse[i][i] for i in with_friction) * (REGULARISATION / len(with_friction))
    return [[(inverse[i][j] + (little if i == j else 0.0)) * dt for j in with_friction] for i in with_friction]


def friction_within(K: Matrix, b: Vector, limits: Sequence[Scalar]) -> list[Scalar]:
    """The x of least  b·x + ½ xᵀ K x  with |x_i| ≤ limit_i, for K symmetric positive definite.

    Starts with all joints sticking, which is the solution if no limit is reached, and continues with rounds of the
    solver of contacts, written out.  A result of positive value, which no
    solution has, is scaled down to zero value.

    >>> friction_within([[2.0, 0.0], [0.0, 2.0]], [1.0, 8.0], [3.0, 3.0])
    [-0.5, -3.0]
    """
    n = len(b)
    x = _within([-row[0] for row in Inverse(K).times([[y] for y in b])], limits)
    if n == 1:
        return x
    terms, w = row_terms(K, ["friction"] * n, limits), rates(K, b, x)
    for _ in range(min(n, ROUNDS) if n <= LARGEST_SOLVED else 0):
        for _ in range(SWEEPS):
            sweep(terms, w, x, 1.0)
        _, x, *_ = newton_step(terms, w, x, range(n), COMPLIANCE, None, slips=True, free=b)
        x = _within(x, limits)
        w = rates(K, b, x)
    for _ in range(SWEEPS_OF_MANY if n > LARGEST_SOLVED else 0):
        sweep(terms, w, x, 1.0)
    return without_energy(x, [u - c for u, c in zip(w, b, strict=True)], b)


def _within(x: Sequence[Scalar], limits: Sequence[Scalar]) -> list[Scalar]:
    return [where(y > c, c, where(y < -c, -c, y)) for y, c in zip(x, limits, strict=True)]


def friction_in_step(
    rows: StepRows, options: StepOptions, q: Any, v: Any, dt: Any, acceleration: Callable[[Any, Any], Any]
) -> Any:
    """The friction forces of a step with these accelerations, or None if no joint has friction or it is left out."""
    if not (options.passive and any(friction_limits(rows.model))):
        return None
    v_free = added(v, [dt * x for x in acceleration(q, v)])
    return friction_forces(rows, q, v_free, dt)
