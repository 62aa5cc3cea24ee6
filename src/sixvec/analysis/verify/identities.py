"""Identities of kinematics and dynamics, each evaluated on many states at once."""

from __future__ import annotations

import numpy as np

from sixvec.analysis.verify.check import (
    EPSILON,
    ROUNDINGS,
    STEP,
    Identity,
    Sides,
    Subject,
    apply,
    rate,
    row_sizes,
    size,
)
from sixvec.analysis.verify.state import Array

ROUND_OFF = 1e-9
"""Both sides are computed directly, in double precision."""

DIFFERENCE = 1e-7
"""One side is a central difference (`check.STEP`)."""


def forward_undoes_inverse(s: Subject) -> Sides:
    q, v, a = s.state
    return Sides(s.robot.forward_dynamics(q, v, s.robot.inverse_dynamics(q, v, a)), a, size(a))


def equation_of_motion(s: Subject) -> Sides:
    q, v, a = s.state
    tau = s.robot.inverse_dynamics(q, v, a)
    return Sides(apply(s.robot.mass_matrix(q), a) + s.robot.bias_forces(q, v), tau, row_sizes(tau, -1))


def inverse_of_mass_matrix(s: Subject) -> Sides:
    inverse = s.robot.mass_matrix_inverse(s.few.q)
    return Sides(s.robot.mass_matrix(s.state.q)[: len(inverse)] @ inverse, np.eye(s.robot.nv), 1.0)


def energy_of_motion(s: Subject) -> Sides:
    q, v, _ = s.state
    T = s.robot.kinetic_energy(q, v)
    return Sides(_dot(v, apply(s.robot.mass_matrix(q), v)) / 2, T, size(T))


def jacobian_times_velocity(s: Subject) -> Sides:
    q, v, _ = s.state
    V = s.robot.velocity(q, v, s.frame)
    return Sides(apply(s.robot.jacobian(q, s.frame), v), V, size(V))


def rate_of_pose(s: Subject) -> Sides:
    """X' X⁻¹ of the frame's rotation is ω ×, and p' is the velocity of its origin."""
    q, v, _ = s.state
    V = s.robot.velocity(q, v, s.frame)
    X, X_rate = s.robot.pose(q, s.frame), rate(lambda h: s.robot.pose(s.robot.integrate(q, h * v), s.frame), q)
    turn = X_rate[..., :3, :3] @ np.swapaxes(X[..., :3, :3], -1, -2)
    omega = np.stack([turn[..., 2, 1], turn[..., 0, 2], turn[..., 1, 0]], -1)
    return Sides(np.concatenate([omega, X_rate[..., :3, 3]], -1), V, size(V) + noise_of_rate(X))


def gradient_of_potential(s: Subject) -> Sides:
    q, v, a = s.state
    along = np.eye(s.robot.nv)  # one step per joint, as a new axis of the batch
    each = q[..., None, :]
    slope = rate(lambda h: s.robot.potential_energy(s.robot.integrate(each, h * along)), each)
    # Not the size of the gravity forces themselves: a robot that moves in a horizontal plane has none.
    forces = row_sizes(s.robot.inverse_dynamics(q, v, a), -1)
    return Sides(slope, s.robot.gravity_forces(q), forces + noise_of_rate(s.robot.potential_energy(q)))


def noise_of_rate(x: Array) -> float:
    """The scale at which the rounding of x in a central difference is within the tolerance: a rate may vanish."""
    return ROUNDINGS * EPSILON / STEP * size(x) / DIFFERENCE


def skew_symmetry(s: Subject) -> Sides:
    q, v, _ = s.few
    M_rate = rate(lambda h: s.robot.mass_matrix(s.robot.integrate(q, h * v)), q)
    N = M_rate - 2 * s.robot.coriolis_matrix(q, v)
    weights = joint_weights(s.robot.mass_matrix(s.state.q))
    return Sides(N, -np.swapaxes(N, -1, -2), weights[:, None] * weights * size(v))


def joint_weights(M: Array) -> Array:
    """√M_ii of each joint over all states:  |M_ij| ≤ √M_ii √M_jj."""
    diagonal = np.diagonal(np.abs(M), axis1=-2, axis2=-1)
    return np.sqrt(row_sizes(diagonal, -1)).reshape(-1)


def power_balance(s: Subject) -> Sides:
    q, v, a = s.state
    power = _dot(s.robot.inverse_dynamics(q, v, a), v)

    def energy(h: Array) -> Array:
        there, then = s.robot.integrate(q, h * v), v + h * a
        return s.robot.kinetic_energy(there, then) + s.robot.potential_energy(there)

    return Sides(rate(energy, q), power, size(power) + noise_of_rate(energy(np.zeros_like(q[..., :1]))))


IDENTITIES = (
    Identity("FD(ID(a)) = a", "forward undoes inverse dynamics", ROUND_OFF, forward_undoes_inverse, True, True),
    Identity("M a + bias = ID(a)", "the equation of motion", ROUND_OFF, equation_of_motion),
    Identity("M M⁻¹ = 1", "inverse of the mass matrix", ROUND_OFF, inverse_of_mass_matrix, solves=True),
    Identity("½ vᵀ M v = T", "kinetic energy", ROUND_OFF, energy_of_motion),
    Identity("J v = V", "velocity of the end frame", ROUND_OFF, jacobian_times_velocity),
    Identity("dX/dt = V × X", "velocity is the rate of the pose", DIFFERENCE, rate_of_pose),
    Identity("∂U/∂q = g", "gravity forces", DIFFERENCE, gradient_of_potential),
    Identity("dM/dt - 2C is skew", "Coriolis forces do no work", DIFFERENCE, skew_symmetry),
    Identity("d(T + U)/dt = τᵀ v", "power balance", DIFFERENCE, power_balance),
)


def _dot(a: Array, b: Array) -> Array:
    return np.sum(a * b, axis=-1)  # type: ignore[no-any-return]
