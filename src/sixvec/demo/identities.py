"""The identities that tie kinematics and dynamics together, each evaluated on many states at once."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from sixvec.demo.state import Array, State
from sixvec.robot import Robot

ROUND_OFF = 1e-9
"""Both sides are computed directly: double precision, times the condition of the mass matrix."""

DIFFERENCE = 1e-7
"""One side is a central difference: its error is STEP², times a third derivative, plus round-off over STEP."""

STEP = 1e-5


class Subject(NamedTuple):
    """What an identity is evaluated on."""

    robot: Robot
    frame: str
    state: State


class Sides(NamedTuple):
    """Both sides of an equation, and the size of the quantities that meet in it."""

    left: Array
    right: Array
    scale: float


@dataclass(frozen=True, slots=True)
class Identity:
    """An equation between results of different kernels."""

    equation: str
    meaning: str
    tolerance: float
    sides: Callable[[Subject], Sides]

    def evaluate(self, subject: Subject) -> Finding:
        """The largest difference of the two sides over all samples and entries, relative to their scale."""
        left, right, scale = self.sides(subject)
        return Finding(self, float(np.max(np.abs(left - right))) / scale)


@dataclass(frozen=True, slots=True)
class Finding:
    """An identity with its measured residual."""

    identity: Identity
    residual: float

    @property
    def holds(self) -> bool:
        """Whether the residual is within the tolerance; one that is not a number never is."""
        return math.isfinite(self.residual) and self.residual <= self.identity.tolerance


def forward_undoes_inverse(s: Subject) -> Sides:
    q, v, a = s.state
    return Sides(s.robot.forward_dynamics(q, v, s.robot.inverse_dynamics(q, v, a)), a, _size(a))


def equation_of_motion(s: Subject) -> Sides:
    q, v, a = s.state
    tau = s.robot.inverse_dynamics(q, v, a)
    return Sides(_apply(s.robot.mass_matrix(q), a) + s.robot.bias_forces(q, v), tau, _size(tau))


def inverse_of_mass_matrix(s: Subject) -> Sides:
    return Sides(s.robot.mass_matrix(s.state.q) @ s.robot.mass_matrix_inverse(s.state.q), np.eye(s.robot.nv), 1.0)


def energy_of_motion(s: Subject) -> Sides:
    q, v, _ = s.state
    T = s.robot.kinetic_energy(q, v)
    return Sides(_dot(v, _apply(s.robot.mass_matrix(q), v)) / 2, T, _size(T))


def jacobian_times_velocity(s: Subject) -> Sides:
    q, v, _ = s.state
    V = s.robot.velocity(q, v, s.frame)
    return Sides(_apply(s.robot.jacobian(q, s.frame), v), V, _size(V))


def rate_of_pose(s: Subject) -> Sides:
    """X' X⁻¹ of the frame's rotation is ω ×, and p' is the velocity of its origin."""
    q, v, _ = s.state
    V = s.robot.velocity(q, v, s.frame)
    X, rate = s.robot.pose(q, s.frame), _rate(lambda h: s.robot.pose(s.robot.integrate(q, h * v), s.frame))
    turn = rate[..., :3, :3] @ np.swapaxes(X[..., :3, :3], -1, -2)
    omega = np.stack([turn[..., 2, 1], turn[..., 0, 2], turn[..., 1, 0]], -1)
    return Sides(np.concatenate([omega, rate[..., :3, 3]], -1), V, _size(V))


def gradient_of_potential(s: Subject) -> Sides:
    q, v, a = s.state
    along = np.eye(s.robot.nv)  # one step per joint, as a new axis of the batch
    slope = _rate(lambda h: s.robot.potential_energy(s.robot.integrate(q[..., None, :], h * along)))
    # Not the size of the gravity forces themselves: a robot that moves in a horizontal plane has none.
    return Sides(slope, s.robot.gravity_forces(q), _size(s.robot.inverse_dynamics(q, v, a)))


def skew_symmetry(s: Subject) -> Sides:
    q, v, _ = s.state
    M_rate = _rate(lambda h: s.robot.mass_matrix(s.robot.integrate(q, h * v)))
    N = M_rate - 2 * s.robot.coriolis_matrix(q, v)
    return Sides(N, -np.swapaxes(N, -1, -2), _size(s.robot.mass_matrix(q)) * _size(v))


def power_balance(s: Subject) -> Sides:
    q, v, a = s.state
    power = _dot(s.robot.inverse_dynamics(q, v, a), v)

    def energy(h: float) -> Array:
        there, then = s.robot.integrate(q, h * v), v + h * a
        return s.robot.kinetic_energy(there, then) + s.robot.potential_energy(there)

    return Sides(_rate(energy), power, _size(power))


IDENTITIES = (
    Identity("FD(ID(a)) = a", "forward undoes inverse dynamics", ROUND_OFF, forward_undoes_inverse),
    Identity("M a + bias = ID(a)", "the equation of motion", ROUND_OFF, equation_of_motion),
    Identity("M M⁻¹ = 1", "inverse of the mass matrix", ROUND_OFF, inverse_of_mass_matrix),
    Identity("½ vᵀ M v = T", "kinetic energy", ROUND_OFF, energy_of_motion),
    Identity("J v = V", "velocity of the end frame", ROUND_OFF, jacobian_times_velocity),
    Identity("dX/dt = V × X", "velocity is the rate of the pose", DIFFERENCE, rate_of_pose),
    Identity("∂U/∂q = g", "gravity forces", DIFFERENCE, gradient_of_potential),
    Identity("dM/dt - 2C is skew", "Coriolis forces do no work", DIFFERENCE, skew_symmetry),
    Identity("d(T + U)/dt = τᵀ v", "power balance", DIFFERENCE, power_balance),
)


def _rate(function: Callable[[float], Any]) -> Array:
    """The derivative at 0 by a central difference."""
    return (function(STEP) - function(-STEP)) / (2 * STEP)  # type: ignore[no-any-return]


def _apply(matrix: Array, vector: Array) -> Array:
    return (matrix @ vector[..., None])[..., 0]


def _dot(a: Array, b: Array) -> Array:
    return np.sum(a * b, axis=-1)  # type: ignore[no-any-return]


def _size(x: Array) -> float:
    return float(np.max(np.abs(x)))
