"""Coordinates of rotations: Euler angles, axis and angle, interpolation, and the nearest rotation to a matrix."""

from sixvec.lazy import on_demand

# Type checkers read __init__.pyi; a test holds the two against each other.
__all__, __getattr__, __dir__ = on_demand(
    __name__,
    {
        "axis_angle": "AxisAngle AxisAngleRate",
        "euler": "EulerAngles EulerRates",
        "exactness": "exactness_defects",
        "orthonormal": "nearest_rotation",
        "slerp": "slerp",
        "wrist": "SphericalWrist",
    },
)
