"""The turn that is missing between two rotations or two directions, as a rotation vector."""

from __future__ import annotations

import math

from sixvec.scalar import Scalar, arctan2, sqrt, where
from sixvec.spatial import Vec3

NEARLY_OPPOSITE = 0.1
"""Sine of an angle near 180° below which an error is no longer scaled up: its direction is undefined there."""

TINY = 1e-16
"""Squared sine below which an angle is replaced by its sine: the relative difference is a sixth of that."""


def turn(sine: Vec3, cosine: Scalar) -> tuple[Vec3, Scalar]:
    """From the axis a times sin θ, and cos θ: the axis times θ, and θ².

    Near a half turn the axis times θ is reduced: where the axis vanishes, there is no direction.
    """
    squared = sine.dot(sine)
    is_tiny = squared < TINY
    size = sqrt(where(is_tiny, 1.0, squared))
    angle = arctan2(where(is_tiny, 0.0, size), cosine)
    large = where(cosine < 0.0, where(size < NEARLY_OPPOSITE, NEARLY_OPPOSITE, size), size)
    forward = where(is_tiny, where(cosine < 0.0, math.pi / NEARLY_OPPOSITE, 1.0), angle / large)
    return sine * forward, where(is_tiny, where(cosine < 0.0, math.pi**2, squared), angle * angle)
