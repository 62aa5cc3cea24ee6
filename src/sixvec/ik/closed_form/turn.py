"""Angles that differ by a whole turn."""

from __future__ import annotations

import math

from sixvec.scalar import Scalar, where


def within_a_turn(angle: Scalar) -> Scalar:
    """The same direction in [-π, π], for angles in [-3π, 3π].

    >>> within_a_turn(4.0) == 4.0 - 2.0 * math.pi
    True
    """
    return where(angle > math.pi, angle - 2.0 * math.pi, where(angle < -math.pi, angle + 2.0 * math.pi, angle))
