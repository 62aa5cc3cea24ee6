"""One step of the equations of motion  q̇ = v,  v̇ = a(q, v), on the manifold of positions.

An integrator is a function of (model, q, v, dt, acceleration) that returns the next (q, v), written on scalars like an
algorithm.  Positions move by q ⊕ u, so quaternions stay normalised with every method (Lie-group integrators).
All but the symplectic one step velocities in non-rotating axes (`fixed_axes`), where free flight is straight.
An optional last argument are the rows of loops and held frames (`sixvec.sim.step_rows`); of these methods only the
symplectic one needs them besides the acceleration.

Euler's method is that of Lynch-Park §9.5; Bruyninckx §6.10 leaves the choice open.
"""

from __future__ import annotations

from sixvec.model import Model
from sixvec.scalar import Scalar
from sixvec.sim.fixed_axes import Acceleration, Integrator, Vector, bracket, in_fixed_axes, moved, plus, times
from sixvec.sim.symplectic import symplectic_euler


@in_fixed_axes
def euler(model: Model, q: Vector, v: Vector, dt: Scalar, acceleration: Acceleration) -> tuple[Vector, Vector]:
    """Explicit Euler, first order: all values from the start of the step.  The energy grows."""
    return moved(model, q, times(dt, v)), plus(v, dt, acceleration(q, v))  # Lynch-Park §9.5, Euler integration


@in_fixed_axes
def semi_implicit_euler(
    model: Model, q: Vector, v: Vector, dt: Scalar, acceleration: Acceleration
) -> tuple[Vector, Vector]:
    """The new velocity moves the position: first order and cheap; used by most simulators.  Fast links gain energy."""
    v1 = plus(v, dt, acceleration(q, v))
    return moved(model, q, times(dt, v1)), v1


@in_fixed_axes
def bounded_leapfrog(
    model: Model, q: Vector, v: Vector, dt: Scalar, acceleration: Acceleration
) -> tuple[Vector, Vector]:
    """Half a step of positions, a step of velocities from there, half a step of positions: position Verlet.

    Second order where forces depend on positions alone, else first, as it takes the velocities of the start.  `rollout`
    then corrects the velocities (`sixvec.sim.energy_bound`), so that the energy is what the forces make it.
    """
    half = moved(model, q, times(0.5 * dt, v))
    v1 = plus(v, dt, acceleration(half, v))
    return moved(model, half, times(0.5 * dt, v1)), v1


@in_fixed_axes
def midpoint(model: Model, q: Vector, v: Vector, dt: Scalar, acceleration: Acceleration) -> tuple[Vector, Vector]:
    """Explicit midpoint rule, second order."""
    half = 0.5 * dt
    q_half, v_half = moved(model, q, times(half, v)), plus(v, half, acceleration(q, v))
    return moved(model, q, times(dt, v_half)), plus(v, dt, acceleration(q_half, v_half))


@in_fixed_axes
def rk4(model: Model, q: Vector, v: Vector, dt: Scalar, acceleration: Acceleration) -> tuple[Vector, Vector]:
    """Classical Runge-Kutta in the form of Munthe-Kaas (1998), fourth order on every joint.

    Stages are taken in tangent coordinates u with q ⊕ u, where  u̇ = v + [u, v] / 2 + [u, [u, v]] / 12 + O(u⁴).
    """
    half = 0.5 * dt
    no_step: Vector = [0.0] * model.nv
    u_rates: list[Vector] = []
    v_rates: list[Vector] = []
    for h, last in ((0.0, None), (half, 0), (half, 1), (dt, 2)):
        u = no_step if last is None else times(h, u_rates[last])
        w = v if last is None else plus(v, h, v_rates[last])
        u_rates.append(_tangent_rate(model, u, w))
        v_rates.append(acceleration(q if last is None else moved(model, q, u), w))
    return moved(model, q, times(dt, _weighted(u_rates))), plus(v, dt, _weighted(v_rates))


INTEGRATORS: dict[str, Integrator] = {
    f.__name__: f for f in (bounded_leapfrog, euler, semi_implicit_euler, symplectic_euler, midpoint, rk4)
}
"""Every integrator by name.

>>> sorted(INTEGRATORS)
['bounded_leapfrog', 'euler', 'midpoint', 'rk4', 'semi_implicit_euler', 'symplectic_euler']
"""

DEFAULT = "bounded_leapfrog"
"""The integrator of rollouts: the only one after whose steps the energy is bounded, and with implicit damping."""

UNDRIVEN = frozenset({"symplectic_euler"})
"""Integrators that step momenta: of an acceleration they use only the force, so it cannot be prescribed."""


def _tangent_rate(model: Model, u: Vector, v: Vector) -> Vector:
    """The rate of u at which q ⊕ u moves with velocity v, up to u⁴."""
    once = bracket(model, u, v)
    twice = bracket(model, u, once)
    return [x + y * 0.5 + z * (1.0 / 12.0) for x, y, z in zip(v, once, twice, strict=True)]


def _weighted(rates: list[Vector]) -> Vector:
    """Simpson's weights 1, 2, 2, 1 over 6."""
    return [(a + d + (b + c) * 2.0) * (1.0 / 6.0) for a, b, c, d in zip(*rates, strict=True)]
