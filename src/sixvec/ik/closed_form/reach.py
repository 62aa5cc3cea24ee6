"""Whether a target can be reached: one number per solution, suitable for compiled batches; angles within a turn."""

from __future__ import annotations

import math

from sixvec.scalar import Scalar, where
from sixvec.spatial import Pose, Rotation
from sixvec.tolerances import EQUAL
from sixvec.verdict import Verdict

FARTHEST = 1e150
"""Positions beyond this have squares that overflow."""


def pose_or(verdict: Scalar, X: Pose) -> Scalar:
    """`verdict`, unless the target X is not a pose at all; comparisons with NaN are false, so NaN is not one either."""
    sound = where(Rotation(X.rot.matrix).deviation() < EQUAL, verdict, float(Verdict.INVALID))
    return where(X.pos.dot(X.pos) < FARTHEST * FARTHEST, sound, float(Verdict.INVALID))


def within_a_turn(angle: Scalar) -> Scalar:
    """The same direction in [-π, π], for angles in [-3π, 3π].

    >>> within_a_turn(4.0) == 4.0 - 2.0 * math.pi
    True
    """
    return where(angle > math.pi, angle - 2.0 * math.pi, where(angle < -math.pi, angle + 2.0 * math.pi, angle))
