"""Coordinates of rotations: Euler angles, axis and angle, interpolation, and the nearest rotation to a matrix."""

from sixvec.geometry.orientation.axis_angle import AxisAngle, AxisAngleRate
from sixvec.geometry.orientation.euler import EulerAngles, EulerRates
from sixvec.geometry.orientation.exactness import exactness_defects
from sixvec.geometry.orientation.orthonormal import nearest_rotation
from sixvec.geometry.orientation.slerp import slerp
from sixvec.geometry.orientation.wrist import SphericalWrist

__all__ = [
    "AxisAngle", "AxisAngleRate", "EulerAngles", "EulerRates", "SphericalWrist", "exactness_defects",
    "nearest_rotation", "slerp",
]  # fmt: skip
