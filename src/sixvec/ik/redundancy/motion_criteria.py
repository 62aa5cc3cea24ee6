"""Costs of a motion: kinetic energy, motor power, lower tasks, damping near singularities, motor current.

Five of the ten criteria of Bruyninckx §5.9.1: numbers 2, 3, 6, 9 and 10.  All are quadratic in the velocity or
acceleration, so each offers the `weight` of a pseudo-inverse that minimises it directly, without gradient descent.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from sixvec.arguments import Array, number_for_each, real_array
from sixvec.errors import ArgumentError, DegenerateError
from sixvec.ik.redundancy.criterion import Criterion, mean_over_time
from sixvec.ik.redundancy.damping import chiaverini_damping
from sixvec.ik.redundancy.task import freedoms, task_jacobian
from sixvec.model.spanning_tree import require_tree, require_unconstrained
from sixvec.robot import Robot
from sixvec.solve.decomposition import singular_values, smallest_value, times, weight_factor
from sixvec.solve.direction import Directions, direction_rows


def kinetic_energy_cost(robot: Robot) -> Criterion:
    """(2) ½ vᵀ M(q) v, joules.  Its weight, the mass matrix, minimises the kinetic energy of the task's motion.

    >>> import sixvec
    >>> from sixvec.ik.redundancy import kinetic_energy_cost
    >>> panda = sixvec.load("panda")
    >>> q, v = panda.random(0), [1.0] * 7
    >>> bool(abs(kinetic_energy_cost(panda).value(q, v) - panda.kinetic_energy(q, v)) < 1e-12)
    True
    """
    return _quadratic("kinetic energy", "J", robot.mass_matrix)


def motor_strength(robot: Robot, power: ArrayLike | None = None) -> Criterion:
    """(3) ½ Σ (vᵢ/cᵢ)²: motors with large capacity c move more.

    `power` are the capacities, for example rated power or efficiency; by default effort limit times velocity limit.

    >>> import sixvec
    >>> from sixvec.ik.redundancy import motor_strength
    >>> panda = sixvec.load("panda")
    >>> cost = motor_strength(panda)
    >>> strong, weak = cost.value(panda.neutral(), [[1, 0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0, 1]])
    >>> bool(strong < weak)
    True
    """
    powers = robot.effort_limits * robot.velocity_limits if power is None else power
    capacity = number_for_each("power", powers, robot.nv, "velocities")
    if not (np.isfinite(capacity) & (capacity > 0.0)).all():
        bad = int(np.flatnonzero(~(np.isfinite(capacity) & (capacity > 0.0)))[0])
        raise ArgumentError(f"coordinate {bad} of {robot.name} has capacity {capacity[bad]}; "
                            "give power=, positive and finite, one number for each velocity coordinate")  # fmt: skip
    W = np.diag(1.0 / capacity**2)
    return _quadratic(
        "motor strength", "(unit of v / capacity)²", lambda q: np.broadcast_to(W, (*np.shape(q)[:-1], *W.shape))
    )


def task_error(
    robot: Robot, frame: str, velocity: ArrayLike, directions: Directions = "pose", weight: ArrayLike | None = None
) -> Criterion:
    """(6) ½ |J₂ v - t₂|²_W: the error of a task of lower priority.

    As a cost it competes with others by weight; for strict priority use `sixvec.ik.redundancy.prioritised_rates`.

    >>> import sixvec
    >>> from sixvec.ik.redundancy import task_error
    >>> arm = sixvec.load("planar_2r")
    >>> float(task_error(arm, "tip", [0.0, 2.0], "x z").value(arm.neutral(), [0.0, 1.0]))
    0.5
    """
    rows = len(direction_rows(directions))
    F = weight_factor(weight, rows, "task")
    W, t = F.T @ F, real_array("velocity", velocity, rows, why=f'the task has the directions "{directions}"')

    def jacobian(q: Any) -> Array:
        return task_jacobian(robot, q, frame, directions)

    def value(q: Any, v: Any) -> Array:
        e = times(jacobian(q), v) - t
        return np.asarray(0.5 * (e * times(W, e)).sum(axis=-1))

    def gradient(q: Any, v: Any) -> Array:
        J = jacobian(q)
        return times(np.swapaxes(J, -1, -2) @ W, times(J, v) - t)

    def matrix(q: Any) -> Array:
        J = jacobian(q)
        return np.asarray(np.swapaxes(J, -1, -2) @ W @ J)

    return Criterion("task error", "unit of the weighted rows, squared", "velocity", value, gradient, matrix)


def bounded_passage(
    robot: Robot, frame: str, directions: Directions = "pose", *, threshold: float = 0.1, largest: float = 0.1
) -> Criterion:
    """(9) ½ λ²(q) |v|²: zero far from singularities, and within `threshold` of one a growing cost of speed.

    λ is `chiaverini_damping` of σ_min(J), so that a singularity is passed with bounded joint rates,
    |v| ≤ |t| / (2 λ) in the singular direction.

    >>> import sixvec
    >>> from sixvec.ik.redundancy import bounded_passage
    >>> arm = sixvec.load("planar_2r")
    >>> cost = bounded_passage(arm, "tip", "x z")
    >>> cost.value([[0.0, 0.0], [0.0, 1.5]], [1.0, 0.0]).round(6).tolist()
    [0.005, 0.0]
    """

    require_tree(robot.model, "bounded_passage")
    count = min(len(direction_rows(directions)), freedoms(robot, frame))

    def weight(q: Any) -> Array:
        sigma = singular_values(task_jacobian(robot, q, frame, directions))[1][..., :count]
        return np.asarray(
            chiaverini_damping(smallest_value(sigma), threshold, largest)[..., None, None] ** 2 * np.eye(robot.nv)
        )

    return _quadratic("bounded passage", "(unit of v)²·λ²", weight)


def motor_current(robot: Robot, torque_constants: ArrayLike) -> Criterion:
    """(10) ½ Σ (τᵢ/kᵢ)², ampere²: the copper losses of the motors, up to their resistance, for an acceleration.

    k are newton-metres (or newtons) at the joint for each ampere, gear ratio included.  The gradient is with respect to
    the acceleration: M diag(1/k²) τ.  `rms_motor_current` is the figure for a whole trajectory.

    >>> import sixvec
    >>> from sixvec.ik.redundancy import motor_current
    >>> arm = sixvec.load("planar_2r")
    >>> float(motor_current(arm, 2.0).value([0.0, 0.0], [0.0, 0.0], [0.0, 0.0])) > 0.0  # it holds its weight
    True
    """
    require_unconstrained(robot.model, "motor_current")
    k = number_for_each("torque_constants", torque_constants, robot.nv, "velocities")
    if not (np.isfinite(k) & (k != 0.0)).all():
        raise DegenerateError(
            "a torque constant is 0 or not finite: such a motor gives no torque; leave its joint out of the robot"
        )

    def value(q: Any, v: Any, a: Any) -> Array:
        current = robot.inverse_dynamics(q, v, a) / k
        return np.asarray(0.5 * (current * current).sum(axis=-1))

    def gradient(q: Any, v: Any, a: Any) -> Array:
        return times(robot.mass_matrix(q), robot.inverse_dynamics(q, v, a) / k**2)

    def weight(q: Any) -> Array:
        M = robot.mass_matrix(q)
        return np.asarray(M / k**2 @ M)

    return Criterion("motor current", "A²", "acceleration", value, gradient, weight)


def rms_motor_current(
    robot: Robot, torque_constants: ArrayLike, times: ArrayLike, q: ArrayLike, v: ArrayLike, a: ArrayLike
) -> float:
    """√(mean over time of Σ (τᵢ/kᵢ)²), ampere: the measure of motor heating during a trajectory.

    >>> import sixvec
    >>> from sixvec.ik.redundancy import rms_motor_current
    >>> arm = sixvec.load("planar_2r")
    >>> still = [[0.0, 0.0]] * 2
    >>> round(rms_motor_current(arm, 1.0, [0.0, 1.0], still, still, still), 2)  # √(29.43² + 9.81²)
    31.02
    """
    return float(np.sqrt(2.0 * mean_over_time(motor_current(robot, torque_constants), times, q, v, a)))


def _quadratic(name: str, unit: str, weight: Callable[[Any], Array]) -> Criterion:
    def value(q: Any, v: Any) -> Array:
        v = np.asarray(v, float)
        return np.asarray(0.5 * (v * times(weight(q), v)).sum(axis=-1))

    return Criterion(name, unit, "velocity", value, lambda q, v: times(weight(q), v), weight)
