"""Parallel robots and poses that the tests of this folder share."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from sixvec.parallel import (
    PUS,
    RUS,
    UPS,
    Delta,
    Hexa,
    Hexaglide,
    Parallel321,
    ParallelRobot,
    Planar3RPR,
    Planar3RRR,
    SphericalPlatform,
    StewartGough,
)
from sixvec.spatial import Vec3

Array = NDArray[Any]

BASE_321 = np.array([[1, 0, 0], [-0.5, 0, 0.9], [-0.5, 0, -0.9], [1.5, 0, 1.2], [0.2, 0, 1.9], [1.6, 0, -1.1]])
PLATFORM_321 = np.array([[0, 0, 0], [0.7, 0, 0.35], [0.55, 0, -0.45]])

DIETMAIER_BASE = np.array(
    [
        [0, 0, 0],
        [1.107915, 0, 0],
        [0.549094, 0.756063, 0],
        [0.735077, -0.223935, 0.525991],
        [0.514188, -0.526063, -0.368418],
        [0.590473, 0.094733, -0.205018],
    ]
)
DIETMAIER_PLATFORM = np.array(
    [
        [0, 0, 0],
        [0.542805, 0, 0],
        [0.956919, -0.528915, 0],
        [0.665885, -0.353482, 1.402538],
        [0.478359, 1.158742, 0.107672],
        [-0.137087, -0.235121, 0.353913],
    ]
)
DIETMAIER_LEGS = np.array([1, 0.645275, 1.086284, 1.503439, 1.281933, 0.771071])


def pose(turn: Any, position: Any) -> Array:
    X = np.eye(4)
    X[:3, :3], X[:3, 3] = Rotation.from_rotvec(turn).as_matrix(), position
    return X


def moved(X: Array, twist: Array) -> Array:
    """A pose in space, in the plane or without rotation after a twist at the platform's origin, in base axes."""
    if X.shape == (4, 4):
        return pose([0, 0, 0], X[:3, 3] + twist[3:]) @ pose(twist[:3], [0, 0, 0]) @ pose([0, 0, 0], -X[:3, 3]) @ X
    return np.asarray(X + (twist if X.ndim and X.shape == (3,) and len(twist) == 3 else 0.0))


def ring(n: int, radius: float, height: float, phase: float, spread: float = 0.3) -> Array:
    """Pivots in pairs on a circle."""
    angles = np.repeat(2.0 * np.pi * np.arange((n + 1) // 2) / ((n + 1) // 2), 2)[:n] + phase
    angles = angles + spread * np.tile([-1.0, 1.0], (n + 1) // 2)[:n]
    return np.stack([radius * np.cos(angles), radius * np.sin(angles), np.full(n, height)], axis=-1)


HOME = pose([0.1, -0.05, 0.2], [0.05, -0.03, 0.9])


def hexapod(n: int = 6) -> StewartGough:
    return StewartGough(ring(n, 1.0, 0.0, 0.0), ring(n, 0.6, 0.0, 0.0, 0.75))


def hexa() -> Hexa:
    base = ring(6, 0.5, 0.0, 0.0)
    return Hexa(base, ring(6, 0.3, 0.0, 0.1, 0.7), np.cross([0, 0, 1.0], base), 0.4, 0.9)


def hexaglide() -> Hexaglide:
    return Hexaglide(ring(6, 0.8, 0.0, 0.0), ring(6, 0.3, 0.0, 0.3, 0.7), np.tile([0.1, 0.0, 1.0], (6, 1)), 1.0)


def delta() -> Delta:
    return Delta(0.2, 0.05, 0.25, 0.6)


def rpr() -> Planar3RPR:
    return Planar3RPR([[0, 0], [4, 0], [2, 3]], [[0, 0], [1, 0], [0.5, 1]])


def rrr() -> Planar3RRR:
    return Planar3RRR([[0, 0], [4, 0], [2, 3]], [[0, 0], [1, 0], [0.5, 1]], 1.5, 1.5)


def on_a_ball() -> SphericalPlatform:
    """A telescope, a crank and a slider around a ball joint."""
    return SphericalPlatform(
        [
            UPS(base=Vec3(1.0, 0.1, -0.9), platform=Vec3(0.6, 0.0, 0.4)),
            RUS(base=Vec3(-0.5, 0.8, -0.7), axis=Vec3(0.8, 0.5, 0.1), zero=Vec3(0.0, 0.3, -1.0), crank=0.4, rod=1.1,
                platform=Vec3(-0.3, 0.6, 0.35)),
            PUS(origin=Vec3(-0.6, -0.9, -1.0), axis=Vec3(0.1, 0.0, 1.0), rod=1.0, platform=Vec3(-0.3, -0.5, 0.3)),
        ]
    )  # fmt: skip


def arm_321() -> Parallel321:
    return Parallel321(BASE_321, PLATFORM_321)


POSE_321 = pose([0.2, 0.3, -0.1], [0.1, 1.4, 0.05])

FAMILIES: dict[str, tuple[ParallelRobot, Array]] = {
    "hexapod": (hexapod(), HOME),
    "hexa": (hexa(), pose([0.1, -0.05, 0.2], [0.05, -0.03, 0.7])),
    "hexaglide": (hexaglide(), pose([0.1, -0.05, 0.2], [0.05, -0.03, 0.4])),
    "delta": (delta(), np.array([0.05, 0.02, -0.5])),
    "321": (arm_321(), POSE_321),
    "3-RPR": (rpr(), np.array([1.0, 1.0, 0.3])),
    "3-RRR": (rrr(), np.array([1.0, 1.0, 0.3])),
    "spherical": (on_a_ball(), pose([0.1, -0.05, 0.2], [0.0, 0.0, 0.0])[:3, :3]),
}
"""Each with a pose that it reaches."""


def planar_moved(X: Array, twist: Array) -> Array:
    """(x, y, φ) after (ω, v_x, v_y)."""
    return np.asarray(X + np.array([twist[1], twist[2], twist[0]]))


def step(robot: ParallelRobot, X: Array, twist: Array) -> Array:
    if robot.space.turns == 1:
        return planar_moved(X, twist)
    if robot.space.only_turns:
        return np.asarray(Rotation.from_rotvec(twist).as_matrix() @ X)
    return moved(X, twist) if X.shape == (4, 4) else np.asarray(X + twist)
