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
    """Let the robot go from rest at q, with its loops closed, and follow it with the classical Runge-Kutta method."""
    q = robot.assemble(q).q if robot.model.closures else q
    rest = np.zeros(robot.nv)
    path = robot.rollout(q, rest, rest, 1.0 / RATE, steps=round(DURATION * RATE), integrator="rk4")
    qs, vs = np.vstack([q, path.q]), np.vstack([rest, path.v])
    kept = slice(0, _finite_rows(qs, vs))
    qs, vs = qs[kept], vs[kept]
    return Release(np.arange(len(qs)) / RATE, qs, vs, robot.kinetic_energy(qs, vs), robot.potential_energy(qs))


def _finite_rows(*arrays: Array) -> int:
    """The number of rows before a number overflows, which happens if links are too light for the step size."""
    bad = ~np.all([np.isfinite(x).all(axis=1) for x in arrays], axis=0)
    return int(np.argmax(bad)) if bad.any() else len(bad)
