"""Coordinates of rotations: Euler angles, axis and angle, interpolation, and what to do with a matrix that is none."""

from sixvec.orientation.axis_angle import AxisAngle, AxisAngleRate
from sixvec.orientation.euler import EulerAngles, EulerRates
from sixvec.orientation.exactness import exactness_defects
from sixvec.orientation.orthonormal import nearest_rotation
from sixvec.orientation.slerp import slerp
from sixvec.orientation.wrist import SphericalWrist

__all__ = [
    "AxisAngle",
    "AxisAngleRate",
    "EulerAngles",
    "EulerRates",
    "SphericalWrist",
    "exactness_defects",
    "nearest_rotation",
    "slerp",
]
