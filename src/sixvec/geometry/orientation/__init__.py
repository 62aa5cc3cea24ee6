"""Coordinates of rotations: Euler angles, axis and angle, interpolation, and the nearest rotation to a matrix.

Their types are in __init__.pyi.
"""

from sixvec.lazy import on_demand

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
