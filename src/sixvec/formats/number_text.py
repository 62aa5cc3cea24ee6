"""Numbers and rotations in files: reading what was written gives the same float64."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import fields
from typing import Any

from sixvec.formats.node import Node
from sixvec.model.geom import z_towards
from sixvec.spatial import Pose, Quaternion, Rotation, Vec3


def roll_pitch_yaw(X: Pose) -> tuple[float, float, float]:
    """The angles about the fixed axes x, y, z whose rotation is that of X, to the last bits everywhere.

    The roll is read from Rz(-yaw) R, so that roll and yaw are consistent also at a pitch of ±90°, where only their sum
    or difference is defined.
    """
    m = X.rot.matrix
    pitch = math.atan2(-m.zx, math.hypot(m.xx, m.yx))
    yaw = math.atan2(m.yx, m.xx)
    c, s = math.cos(yaw), math.sin(yaw)
    roll = math.atan2(s * m.xz - c * m.yz, c * m.yy - s * m.xy)
    return roll + 0.0, pitch + 0.0, yaw + 0.0  # adding zero turns -0.0 into 0.0


def number(x: float) -> str:
    """The shortest text that reads back as the same number."""
    return repr(float(x) + 0.0)  # adding zero turns -0.0 into 0.0


def numbers(values: Iterable[float]) -> str:
    return " ".join(number(x) for x in values)


SMALLEST_NORM = 1e-10
"""A quaternion below this length is not a rotation."""

PERPENDICULAR = 1e-9
"""The cosine below which an angle counts as a right angle, and the sine below which it counts as zero."""


WORDS = {"height": "length", "semi_axes": "radii"}
"""The names in URDF and SDF for the sizes of solids, where they are not those of the library."""


def sizes(solid: Any) -> dict[str, str]:
    """The sizes of a solid as text."""
    sizes = {WORDS.get(f.name, f.name): getattr(solid, f.name) for f in fields(solid)}
    return {name: numbers(x) if isinstance(x, Vec3) else number(x) for name, x in sizes.items()}


def rotation_of(values: Sequence[float], node: Node) -> Rotation:
    """The rotation of the quaternion x y z w in that element."""
    q = Quaternion(*values)
    if not q.norm() > SMALLEST_NORM or math.isinf(q.norm()):
        size = "zero" if q.norm() <= SMALLEST_NORM else "infinite"
        raise node.error(f"the quaternion is {size}, which is not a rotation", "give x y z w of length 1")
    return q.normalized().as_rotation()


def turn(a: Vec3, b: Vec3) -> Rotation:
    """The shortest rotation that turns the direction a into b; both are unit vectors."""
    normal, along = a.cross(b), a.dot(b)
    sine = normal.norm()
    if sine < PERPENDICULAR:
        return Rotation.identity() if along > 0.0 else Rotation.about(across(a), math.pi)
    return Rotation.about(normal * (1.0 / sine), math.atan2(sine, along))


def across(axis: Vec3) -> Vec3:
    """Some direction perpendicular to an axis."""
    return z_towards(axis) @ Vec3(1.0, 0.0, 0.0)
