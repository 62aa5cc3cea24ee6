"""Rotations that tests of this folder share: random ones, and every place where a formula might break."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import numpy as np
from hypothesis import strategies as st

from sixvec.spatial import Rotation, Vec3, so3
from sixvec.tolerances import ROUNDING

SHARP = 1e-14
"""A few dozen roundings of numbers near 1: what conversions must keep wherever they are well-conditioned."""

SINGULAR_TRIP = 2.0 * ROUNDING
"""There and back through Euler angles at their singularity, where the nearest singular rotation takes over."""

HALF_TURN = math.pi - SHARP
"""From here on a turn and its opposite are the same rotation, to rounding."""

ANGLES = (
    0.0, 1e-12, 1e-8, 1e-4, 0.0199, 0.0201, 0.5, 0.999, 1.001, 2.0, 3.0,
    math.pi - 1e-4, math.pi - 1e-8, math.pi - 1e-12, math.pi,
)  # fmt: skip
"""Both sides of every switch to a series, no turn and half a turn exactly, and their neighbourhoods."""

_rng = np.random.default_rng(7)
_directions = np.vstack([np.eye(3), -np.eye(3), [[1, 1, 0], [0, -1, 1], [1, 1, 1]], _rng.normal(size=(6, 3))])
AXES = _directions / np.linalg.norm(_directions, axis=1, keepdims=True)

ROTATION_VECTORS = np.array([angle * axis for angle in ANGLES for axis in AXES])

numbers = st.floats(-3.0, 3.0, allow_subnormal=False)
vectors = st.builds(Vec3, numbers, numbers, numbers)
rotations = vectors.map(so3.exp)


def near(actual: Any, expected: Any, tolerance: float) -> bool:
    """All entries agree within `tolerance`, absolutely: entries of rotations are of size 1."""
    return np.allclose(actual, expected, rtol=0.0, atol=tolerance)


def entries(value: Iterable[Any]) -> np.ndarray:
    """The numbers of a value, its own axes last."""
    return np.stack(np.broadcast_arrays(*value), axis=-1)


def matrix(R: Any) -> np.ndarray:
    """The 3x3 array of a rotation or a Mat3."""
    flat = entries(R.matrix if isinstance(R, Rotation) else R)
    return flat.reshape(*flat.shape[:-1], 3, 3)


def columns(array: np.ndarray) -> tuple[np.ndarray, ...]:
    """A batch of rows as scalars that are arrays."""
    return tuple(np.moveaxis(array, -1, 0).copy())


def batch_rotation(rotation_vectors: np.ndarray) -> Rotation:
    return so3.exp(Vec3(*columns(rotation_vectors)))
