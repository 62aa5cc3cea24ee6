"""Random states of a robot, in Pinocchio's convention; the other contenders convert from it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]

QUATERNION = slice(3, 7)
"""Where the free joint's quaternion (x y z w) lies in q."""


@dataclass(frozen=True)
class State:
    """A state or a batch of them: q (..., nq), v, a, tau (..., nv)."""

    q: Array
    v: Array
    a: Array
    tau: Array

    def __getitem__(self, index: int) -> State:
        """One sample of a batch."""
        return State(self.q[index], self.v[index], self.a[index], self.tau[index])

    def first(self, count: int) -> State:
        """The first samples of a batch."""
        return State(self.q[:count], self.v[:count], self.a[:count], self.tau[:count])

    def __len__(self) -> int:
        return len(self.q)


def random_states(nq: int, nv: int, count: int, floating: bool, seed: int = 1) -> State:
    """`count` states with every coordinate uniform in [-1, 1] and unit quaternions."""
    rng = np.random.default_rng(seed)
    q = rng.uniform(-1, 1, (count, nq))
    if floating:
        q[:, QUATERNION] /= np.linalg.norm(q[:, QUATERNION], axis=1, keepdims=True)
    v, a, tau = rng.uniform(-1, 1, (3, count, nv))
    return State(q, v, a, tau)


def rotation(quaternion: Array) -> Array:
    """The rotation matrix of a unit quaternion (x y z w)."""
    x, y, z, w = quaternion
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
            [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
            [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
        ]
    )
