"""A rigid cloud of particles that moves along a smooth path: the definition against which one body is checked."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sixvec.spatial import Force, Motion, Pose, Quaternion, RigidInertia, Sym3, Vec3

Array = np.ndarray


@dataclass(frozen=True)
class Cloud:
    """Masses (n,) and positions (n, 3) in the body's frame, and the path of that frame in the world."""

    masses: Array
    points: Array
    spin: Array
    drift: Array

    @property
    def inertia(self) -> RigidInertia:
        """In the body's frame, by the definition."""
        m, r = self.masses, self.points
        second = np.einsum("n,ni,nj->ij", m, r, r)
        rot = np.trace(second) * np.eye(3) - second
        return RigidInertia(m.sum(), vec(m @ r), sym(rot))

    def pose(self, t: float) -> Pose:
        """A path with changing angular velocity: two exponentials in a row, and a wavy translation."""
        turn = Quaternion.exp(vec(self.spin[0] * t)) @ Quaternion.exp(vec(self.spin[1] * (0.3 + t + 0.5 * t * t)))
        return Pose(turn.as_rotation(), vec(self.drift[0] * np.sin(t) + self.drift[1] * (1.0 + t * t)))

    def positions(self, t: float) -> Array:
        """All particles in the world, (n, 3)."""
        X = matrix(self.pose(t))
        return self.points @ X[:3, :3].T + X[:3, 3]


def random_cloud(seed: int = 0, particles: int = 6) -> Cloud:
    rng = np.random.default_rng(seed)
    return Cloud(
        rng.uniform(0.2, 1.0, particles),
        rng.uniform(-0.5, 0.7, (particles, 3)),
        rng.normal(size=(2, 3)),
        rng.normal(size=(2, 3)),
    )


def vec(x: Array) -> Vec3:
    return Vec3.of(np.asarray(x, float).tolist())


def sym(m: Array) -> Sym3:
    return Sym3(*(float(m[i, j]) for i, j in ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2))))


def full(s: Sym3) -> Array:
    return np.array([[*row] for row in s.full.rows], float)


def matrix(X: Pose) -> Array:
    return np.array(X.as_matrix(), float)


def six(x: Motion | Force) -> Array:
    return np.array([*x], float)


def random_motion(rng: np.random.Generator) -> Motion:
    return Motion.of(rng.normal(size=6).tolist())


def random_force(rng: np.random.Generator) -> Force:
    return Force.of(rng.normal(size=6).tolist())
