"""The symplectic Euler method, including rotations and poses."""

from __future__ import annotations

from sixvec.algorithms.coriolis_matrix import coriolis_matrix
from sixvec.algorithms.declaration import JointVector
from sixvec.algorithms.integrate import integrate
from sixvec.algorithms.inverse_dynamics import inverse_dynamics
from sixvec.algorithms.mass_matrix import mass_matrix
from sixvec.algorithms.parts.factorization import Inverse, Matrix, dot
from sixvec.model import Model
from sixvec.model.spanning_tree import spanning_tree
from sixvec.scalar import Scalar
from sixvec.sim.closing import closing_velocity
from sixvec.sim.fixed_axes import Acceleration, Vector, plus, times
from sixvec.sim.step_rows import StepRows

_ROUNDS = 4
_LEFT, _RIGHT = -1.0, 1.0


def symplectic_euler(
    model: Model, q: Vector, v: Vector, dt: Scalar, acceleration: Acceleration, rows: StepRows | None = None
) -> tuple[Vector, Vector]:
    """The symplectic Euler method in q and the momenta p = M v: first order, and the energy does not drift.

    From the discrete action  Σ h L(q_k, v_k)  with  q_k+1 = q_k ⊕ h v_k  (Bobenko and Suris 1999; Marsden, Pekarsky and
    Shkoller 1999, on groups), where J_l and J_r are the left and right derivatives of the exponential map:

        J_l⁻ᵀ(h v₁) M(q) v₁ = p + h (∂T/∂q + τ - g),   q₁ = q ⊕ h v₁,   M(q₁) v' = J_r⁻ᵀ(h v₁) M(q) v₁

    On plain positions J = 1.  With the Coriolis matrix, ∂T/∂q = Cᵀ v - ad*_v M v; the implicit equation for v₁ is
    solved by four fixed-point rounds, each of which gains a factor of order h |ω|.  Use it with h |ω| up to about 0.2:
    there the energy of a free spinning body stays within a percent; at 0.5 it grows, at 1 the iteration diverges.

    With loops, or `rows` of held frames, A(q)ᵀ λ is added to the right-hand side, and the iteration finds the λ that
    closes them at q₁; the
    projection of the velocities at q₁, which ends every step of a rollout, is then the other half of the constrained
    method (RATTLE: Andersen 1983; Leimkuhler and Skeel 1994), which is symplectic as well.
    """
    a = acceleration(q, v)  # first: its error names a joint that moves no mass, below a division by zero
    rows, M = rows or StepRows(model), mass_matrix(model, q)
    # τ - g with all other forces included: M a + C v at the start of the step.
    C = coriolis_matrix(model, q, v)
    at_rest = [0.0] * model.nv
    inertial = [x - y for x, y in zip(_id(model, q, at_rest, a), _id(model, q, at_rest, at_rest), strict=True)]
    force = [x + dot(row, v) for x, row in zip(inertial, C, strict=True)]
    p = [dot(row, v) for row in M]
    v1: Vector = v
    for _ in range(_ROUNDS):
        C1, p1 = coriolis_matrix(model, q, v1), [dot(row, v1) for row in M]
        turned = _coadjoint(model, v1, p1)
        slope = [dot([row[j] for row in C1], v1) - x for j, x in enumerate(turned)]
        pushed = plus(p, dt, [x + f for x, f in zip(slope, force, strict=True)])
        # M v₁ = pushed + (1 - J_l⁻ᵀ) M v₁, the last term from the round before
        bent = momentum_at_end(model, times(dt, v1), p1, _LEFT)
        momentum = [x + y - z for x, y, z in zip(pushed, p1, bent, strict=True)]
        v1 = (
            closing_velocity(rows, q, v, dt, momentum, _solved(M, momentum), v1)
            if rows.keep_positions
            else _solved(M, momentum)
        )
    step = times(dt, v1)
    q1 = integrate(model, q, step)
    p_end = momentum_at_end(model, step, [dot(row, v1) for row in M], _RIGHT)
    return q1, _solved(mass_matrix(model, q1), p_end)


def _solved(M: Matrix, p: Vector) -> Vector:
    return [row[0] for row in Inverse(M).times([[x] for x in p])]


def _coadjoint(model: Model, u: Vector, p: Vector) -> Vector:
    """ad*_u p: the vector whose product with any w is p · [u, w]; zero for joints with plain positions."""
    u, p = JointVector(u, model.v_slices), JointVector(p, model.v_slices)
    rates: list[Scalar] = []
    for b in model.moving:
        units = [[float(i == j) for i in range(b.joint.nv)] for j in range(b.joint.nv)]
        rates += [dot(p[b], b.joint.bracket(u[b], e)) for e in units]
    return rates


def momentum_at_end(model: Model, u: Vector, p: Vector, side: float) -> Vector:
    """J⁻ᵀ(u) p = p ± ad* p / 2 + ad*² p / 12 - ad*⁴ p / 720 + O(u⁶): of the right Jacobian +, of the left -.

    Truncated below the error of the fixed-point iteration.
    """
    once = _coadjoint(model, u, p)
    twice = _coadjoint(model, u, once)
    fourth = _coadjoint(model, u, _coadjoint(model, u, twice))
    return [
        w + x * (0.5 * side) + y * (1.0 / 12.0) - z * (1.0 / 720.0)
        for w, x, y, z in zip(p, once, twice, fourth, strict=True)
    ]


def _id(model: Model, q: Vector, v: Vector, a: Vector) -> Vector:
    return inverse_dynamics(spanning_tree(model), q, v, a)  # type: ignore[no-any-return]
