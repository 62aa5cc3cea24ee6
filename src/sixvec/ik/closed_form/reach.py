"""Whether a target can be reached, said per solution in a number that goes through compiled batches."""

from __future__ import annotations

from enum import IntEnum

from sixvec.scalar import Scalar, where
from sixvec.spatial import Pose, Rotation

ROTATION_TOLERANCE = 1e-9
"""Largest deviation from RᵀR = 1 of a target: far above rounding, far below a typing mistake."""

REACH_TOLERANCE = 1e-12
"""How far beyond its reach, as a part of it, an arm may be asked to go: the rounding of a target on the boundary."""

SINGULAR = 1e-12
"""A sine, or a length as a part of the arm's reach, below which an angle is left to the caller's choice."""

FARTHEST = 1e150
"""Positions beyond this have squares that overflow."""


class Reach(IntEnum):
    """The verdict on one solution; only SOLVED ones reach the target, the others come as near as their branch can.

    >>> Reach(2).name
    'TOO_FAR'
    """

    SOLVED = 0
    INSIDE_SHOULDER_CYLINDER = 1
    """The wrist would be nearer to the first axis than the shoulder offset allows."""
    TOO_FAR = 2
    """The wrist would be farther from the shoulder than upper arm and forearm together."""
    TOO_NEAR = 3
    """The wrist would be nearer to the shoulder than the difference of upper arm and forearm."""
    NOT_A_POSE = 4
    """The target is no rotation and finite position."""


def pose_or(verdict: Scalar, X: Pose) -> Scalar:
    """`verdict`, unless the target X is not a pose at all; comparisons with NaN are false, so NaN is not one either."""
    sound = where(Rotation(X.rot.matrix).deviation() < ROTATION_TOLERANCE, verdict, float(Reach.NOT_A_POSE))
    return where(X.pos.dot(X.pos) < FARTHEST * FARTHEST, sound, float(Reach.NOT_A_POSE))
