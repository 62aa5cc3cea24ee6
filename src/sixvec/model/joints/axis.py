"""Directions of joint axes."""

from __future__ import annotations

import math

from sixvec.errors import ModelError
from sixvec.model.joints.joint import Z_AXIS
from sixvec.spatial import Mat3, Rotation, Vec3
from sixvec.tolerances import ROUNDING


def unit(axis: Vec3, name: str = "joint axis") -> Vec3:
    """The axis with length 1; exactly a coordinate axis where it nearly is one.  Errors call it `name`."""
    x, y, z = (float(a) for a in axis)
    length = math.sqrt(x * x + y * y + z * z)
    if not math.isfinite(length) or length < 1e-9:
        raise ModelError(f"{name} ({x}, {y}, {z}) has no direction; give a finite, non-zero vector")
    return Vec3.of(_snap(a / length) for a in (x, y, z))


def _snap(a: float) -> float:
    if abs(a) < ROUNDING:
        return 0.0
    return math.copysign(1.0, a) if abs(abs(a) - 1.0) < 1e-15 else a


def z_to(axis: Vec3) -> Rotation:
    """A rotation that takes +z to the unit vector `axis`, with as many exact zeros as possible."""
    if axis == Z_AXIS:
        return Rotation.identity()
    if axis == -Z_AXIS:
        return Rotation(Mat3(1.0, 0.0, 0.0, 0.0, -1.0, 0.0, 0.0, 0.0, -1.0))
    # The new x axis lies in the xy-plane whenever possible, so one entry of the matrix is zero.
    across = math.hypot(axis.x, axis.y)
    x = Vec3(-axis.y / across, axis.x / across, 0.0)
    y = axis.cross(x)
    return Rotation(Mat3.from_rows(x, y, axis).T)
