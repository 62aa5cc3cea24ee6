"""Motion of a robot through time, from its velocities and accelerations."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np


def position_rate(robot: Any, q: np.ndarray, v: np.ndarray) -> np.ndarray:
    """q̇ of all joints, a sample a row."""
    model, columns = robot.model, []
    for b in model.moving:
        columns += b.joint.rate([*q[:, model.q_slices[b.name]].T], [*v[:, model.v_slices[b.name]].T])
    return np.stack(columns, axis=1)


def runge_kutta(
    robot: Any, q: np.ndarray, v: np.ndarray, acceleration: Callable[..., np.ndarray], steps: int, step: float
) -> tuple[np.ndarray, np.ndarray]:
    """(q, v) after so many steps of order 4 on q̇ and v̇; quaternions are made unit again after each."""

    def rate(q: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return position_rate(robot, q, v), acceleration(q, v)

    for _ in range(steps):
        q1, v1 = rate(q, v)
        q2, v2 = rate(q + 0.5 * step * q1, v + 0.5 * step * v1)
        q3, v3 = rate(q + 0.5 * step * q2, v + 0.5 * step * v2)
        q4, v4 = rate(q + step * q3, v + step * v3)
        q = robot.integrate(q + step / 6.0 * (q1 + 2.0 * q2 + 2.0 * q3 + q4), np.zeros_like(v))
        v = v + step / 6.0 * (v1 + 2.0 * v2 + 2.0 * v3 + v4)
    return q, v
