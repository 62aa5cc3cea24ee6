"""Loops in the Euler methods that keep the energy: their forces act in the directions of the start of the step.

The projection at the end of a step moves along M⁻¹ Aᵀ of the end, which the projection of the velocities then removes:
it adds energy, the more the faster the loop.  With the directions of the start, as in SHAKE and RATTLE (Ryckaert,
Ciccotti and Berendsen 1977; Andersen 1983), the energy stays near its value, as without loops.
"""

from __future__ import annotations

from sixvec.algorithms.declaration import JointVector
from sixvec.algorithms.integrate import integrate
from sixvec.algorithms.mass_matrix import mass_matrix
from sixvec.algorithms.parts.constrained_motion import Softness, least_motion, reached, small_correction
from sixvec.algorithms.parts.factorization import dot
from sixvec.scalar import Scalar
from sixvec.sim.fixed_axes import Vector, advanced, fixed_rates, moved, plus, times
from sixvec.sim.step_rows import StepRows

_ROUNDS = 3
"""Each gains a factor of order h |v|; what is left is closed by the projection that ends every step."""


def closing(rows: StepRows, q: Vector, v: Vector, dt: Scalar, a: Vector) -> Vector:
    """a + M⁻¹ Aᵀ λ of q, with the λ that closes loops and brings held frames to their places at  q ⊕ h (v + h a).

    Driven entries are not changed.
    """
    model, rank = rows.model, rows.position_rank
    nothing, still, A = [0.0] * model.nv, [0.0] * len(rows.driven), rows.position_rows(q)
    start = JointVector(q, model.q_slices)
    step, near = plus(v, dt, a), Softness(reach=reached(rank, v, dt), is_repeated=True)
    moves = dot(step, [dot(row, step) for row in mass_matrix(model, start)]) / (dt * dt)
    for _ in range(_ROUNDS):
        ahead = fixed_rates(model, q, advanced(model, q, v, a, dt))
        opened = rows.errors(moved(model, q, [dt * x for x in ahead]))
        right = [*(e * (-1.0 / (dt * dt)) for e in opened), *still]
        change, force = least_motion(model, start, nothing, A, right, rank, near)
        a = [x + y for x, y in zip(a, small_correction(change, force, A, moves), strict=True)]
    return a


def closing_velocity(rows: StepRows, q: Vector, v: Vector, dt: Scalar, p: Vector, free: Vector, last: Vector) -> Vector:
    """The v₁ with  M v₁ = p + Aᵀ λ  that closes the loops at q ⊕ h v₁, from `free`, M⁻¹ p, and the `last` estimate."""
    model, rank = rows.model, rows.position_rank
    A, opened = rows.position_rows(q), rows.errors(integrate(model, q, times(dt, last)))
    right = [dot(row, last) - e / dt - dot(row, free) for row, e in zip(A, opened, strict=True)]
    near = Softness(reach=reached(rank, v, dt))  # the next round does not repeat it: the energy would drift
    change, force = least_motion(model, JointVector(q, model.q_slices), [0.0] * model.nv, A, right, rank, near)
    return plus(free, 1.0, small_correction(change, force, A, dot(free, p)))
