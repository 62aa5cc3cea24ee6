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

from sixvec.algorithms.constraint_terms import constraint_jacobian
from sixvec.algorithms.mass_matrix import mass_matrix
from sixvec.algorithms.parts.factorization import Inverse, Matrix
from sixvec.algorithms.parts.held_frames import Held
from sixvec.algorithms.parts.kkt_factors import KktFactors
from sixvec.algorithms.parts.sparsity import tree_order
from sixvec.algorithms.passive_forces import added
from sixvec.mechanism.row_rank import row_rank
from sixvec.model import Model
from sixvec.model.coupling import coupling, is_coupled
from sixvec.scalar import Scalar, where
from sixvec.sim.fixed_axes import Vector

if TYPE_CHECKING:
    from sixvec.sim.step_options import StepOptions

_ROUNDS = 8
"""Rounds of two Gauss-Seidel sweeps, which find the sliding joints, and a solution for the sticking ones.  Seven
joints of an arm, with limits around their loads, need up to five."""

_SWEEPS = 2

_LITTLE = 1e-9
"""Fraction of the mean mobility added to that of each joint in a loop."""

LARGEST_SOLVED = 12
"""Number of joints with friction up to which sticking ones are solved exactly; code size grows with its cube.  With
more, sweeps are approximate: sticking joints next to sliding ones creep.  If all stick, the result is exact."""


def friction_limits(model: Model) -> tuple[float, ...]:
    """f of every coordinate of v; a joint that mimics another adds |factor| times its own to that of its leader.

    >>> import sixvec
    >>> friction_limits(sixvec.load("planar_2r").model)
    (0.0, 0.0)
    """
    free = coupling(model).free if is_coupled(model) else model
    own = [f for b in free.moving for f in b.dynamics.friction or (0.0,) * b.joint.nv]
    if not is_coupled(model):
        return tuple(own)
    total = [0.0] * model.nv
    for f, (i, factor, _) in zip(own, coupling(model).v, strict=True):
        total[i] += abs(factor) * f
    return tuple(total)


def held_friction(
    model: Model, q: Vector, v_free: Vector, dt: Scalar, prescribed: Sequence[int], hold: tuple[Held, ...] = ()
) -> list[Scalar]:
    """φ, the friction forces of a step that would reach `v_free` without them; `prescribed` joints have none."""
    f = friction_limits(model)
    free = [i for i in range(model.nv) if i not in prescribed]
    rubbing = [i for i in free if f[i] > 0.0]
    M = mass_matrix(model, q)
    if model.closures or hold:
        K = _with_rows(model, q, M, prescribed, rubbing, dt, hold)
    else:
        whole = Inverse([[M[i][j] for j in free] for i in free]).full()
        at = [free.index(i) for i in rubbing]
        K = [[whole[i][j] * dt for j in at] for i in at]
    found = box_least(K, [v_free[i] for i in rubbing], [f[i] for i in rubbing])
    phi: list[Scalar] = [0.0] * model.nv
    for i, x in zip(rubbing, found, strict=True):
        phi[i] = x
    return phi


def _with_rows(
    model: Model,
    q: Vector,
    M: Matrix,
    prescribed: Sequence[int],
    rubbing: Sequence[int],
    dt: Scalar,
    hold: tuple[Held, ...],
) -> list[list[Scalar]]:
    """h times the response of accelerations to joint forces with loops closed and wheels rolling, regularised.

    Loops couple joints, so friction forces are not unique; the regularisation selects the least ones.
    """
    units = [[float(i == k) for i in range(model.nv)] for k in prescribed]
    rank = row_rank(model, hold, prescribed)
    A = [*rank.of_used(constraint_jacobian(model, q, hold=hold)), *units]
    inverse, _ = KktFactors([list(row) for row in M], A, tree_order(model), rank).unit_responses()
    little = sum(inverse[i][i] for i in rubbing) * (_LITTLE / len(rubbing))
    return [[(inverse[i][j] + (little if i == j else 0.0)) * dt for j in rubbing] for i in rubbing]


def box_least(K: Matrix, b: Vector, limit: Sequence[float]) -> list[Scalar]:
    """The x of least  b·x + ½ xᵀ K x  with |x_i| ≤ limit_i, for K symmetric positive definite.

    Starts with all joints sticking, which is the solution if no limit is reached.  Each round sweeps over the
    entries (projected Gauss-Seidel) and then steps towards the solution for those within their limits, up to the next
    limit (Moré and Toraldo 1991).  The value starts at zero or below, and never increases.

    >>> box_least([[2.0, 0.0], [0.0, 2.0]], [1.0, 8.0], [3.0, 3.0])
    [-0.5, -3.0]
    """
    n = len(b)
    still = [_clipped(-row[0], c) for row, c in zip(Inverse(K).times([[x] for x in b]), limit, strict=True)]
    gains = _value(still, K, b) < 0.0
    x = [where(gains, y, 0.0) for y in still]
    for _ in range(_ROUNDS):
        for i in [*range(n)] * _SWEEPS:
            rest = b[i] + sum((K[i][j] * x[j] for j in range(n) if j != i), 0.0)
            x[i] = _clipped(-rest / K[i][i], limit[i])
        if n <= LARGEST_SOLVED:
            x = _towards(x, _stood(K, b, x, limit), limit)
    return x


def _stood(K: Matrix, b: Vector, x: list[Scalar], limit: Sequence[float]) -> list[Scalar]:
    """The solution for the entries of x within their limits, with the others at their limits."""
    n = len(b)
    inside = [where(x[i] * x[i] < limit[i] * limit[i], 1.0, 0.0) for i in range(n)]
    A = [[K[i][j] * inside[i] * inside[j] + (1.0 - inside[i] if i == j else 0.0) for j in range(n)] for i in range(n)]
    fixed = [x[j] * (1.0 - inside[j]) for j in range(n)]
    loads = [b[i] + sum((K[i][j] * fixed[j] for j in range(n)), 0.0) for i in range(n)]
    solved = Inverse(A).times([[-inside[i] * loads[i]] for i in range(n)])
    return [fixed[i] + solved[i][0] * inside[i] for i in range(n)]


def _towards(x: list[Scalar], goal: list[Scalar], limit: Sequence[float]) -> list[Scalar]:
    """As far from x to the goal as the limits allow."""
    part: Scalar = 1.0
    steps = [y - z for y, z in zip(goal, x, strict=True)]
    for z, d, c in zip(x, steps, limit, strict=True):
        size = where(d < 0.0, -d, d)
        room = where(d < 0.0, c + z, c - z)
        allowed = room / where(size > room, size, 1.0)
        part = where(size > room, where(allowed < part, allowed, part), part)
    return [_clipped(z + part * d, c) for z, d, c in zip(x, steps, limit, strict=True)]


def _value(x: list[Scalar], K: Matrix, b: Vector) -> Scalar:
    rows = range(len(b))
    return sum((x[i] * (b[i] + 0.5 * sum((K[i][j] * x[j] for j in rows), 0.0)) for i in rows), 0.0)


def _clipped(x: Scalar, limit: float) -> Scalar:
    return where(x > limit, limit, where(x < -limit, -limit, x))


def friction_in_step(
    robot: Model, options: StepOptions, q: Any, v: Any, dt: Any, acceleration: Callable[[Any, Any], Any]
) -> Any:
    """The friction forces of a step with these accelerations, or None if no joint has friction or it is left out."""
    if not (options.passive and any(friction_limits(robot))):
        return None
    v_free = added(v, [dt * x for x in acceleration(q, v)])
    return held_friction(robot, q, v_free, dt, options.prescribed, options.hold)
