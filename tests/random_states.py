"""Random states of a robot."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

BATCH = 11
"""Samples in each check: not a multiple of any SIMD width, so the last chunk is always a partial one."""


class States(NamedTuple):
    """Position, velocity, acceleration and joint force, a sample a row."""

    q: np.ndarray
    v: np.ndarray
    a: np.ndarray
    tau: np.ndarray


def random_states(robot: Any, n: int = BATCH, seed: int = 0) -> States:
    """Positions within the limits; velocities, accelerations and forces of the order of one."""
    rng = np.random.default_rng(seed)
    return States(robot.random(rng, n), *rng.normal(size=(3, n, robot.nv)))


def base_motion(n: int = BATCH, seed: int = 5) -> dict[str, np.ndarray]:
    """Twists and accelerations of a base, by the names of the inputs."""
    twist, rate = np.random.default_rng(seed).normal(size=(2, n, 6))
    return {"base_twist": twist, "base_acceleration": rate}
