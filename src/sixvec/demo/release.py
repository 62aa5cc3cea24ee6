"""The robot let go: no motors, no friction, no joint stops; it moves by forward dynamics alone."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sixvec.robot import Robot
from sixvec.verify.state import Array

RATE = 1000.0
"""Steps per second."""

DURATION = 2.0
"""Seconds; long enough for energy to change its form many times."""


@dataclass(frozen=True)
class Release:
    """The motion: one row per step."""

    t: Array
    q: Array
    v: Array
    kinetic: Array
    potential: Array

    @property
    def total(self) -> Array:
        return self.kinetic + self.potential

    @property
    def drift(self) -> float:
        """The largest change of the total energy, in J."""
        return float(np.max(np.abs(self.total - self.total[0])))


def release(robot: Robot, q: Array) -> Release:
    """Let the robot go from rest at q, and follow it with the classical Runge-Kutta method."""
    steps = round(DURATION * RATE)
    qs, vs = np.empty((steps + 1, robot.nq)), np.empty((steps + 1, robot.nv))
    qs[0], vs[0] = q, 0.0
    with np.errstate(all="ignore"):
        for k in range(steps):
            qs[k + 1], vs[k + 1] = runge_kutta(robot, qs[k], vs[k], 1.0 / RATE)
    kept = slice(0, _finite_rows(qs, vs))
    qs, vs = qs[kept], vs[kept]
    return Release(np.arange(len(qs)) / RATE, qs, vs, robot.kinetic_energy(qs, vs), robot.potential_energy(qs))


def runge_kutta(robot: Robot, q: Array, v: Array, h: float) -> tuple[Array, Array]:
    """One step of the classical fourth-order method; ⊕ keeps quaternions unit quaternions."""
    move, tau = robot.integrate, np.zeros(robot.nv)
    v1, a1 = v, robot.forward_dynamics(q, v, tau)
    v2 = v + h / 2 * a1
    a2 = robot.forward_dynamics(move(q, h / 2 * v1), v2, tau)
    v3 = v + h / 2 * a2
    a3 = robot.forward_dynamics(move(q, h / 2 * v2), v3, tau)
    v4 = v + h * a3
    a4 = robot.forward_dynamics(move(q, h * v3), v4, tau)
    return move(q, h / 6 * (v1 + 2 * v2 + 2 * v3 + v4)), v + h / 6 * (a1 + 2 * a2 + 2 * a3 + a4)


def _finite_rows(*arrays: Array) -> int:
    """The number of rows before a number overflows, which happens if links are too light for the step size."""
    bad = ~np.all([np.isfinite(x).all(axis=1) for x in arrays], axis=0)
    return int(np.argmax(bad)) if bad.any() else len(bad)
