"""Rotations in files: quaternions with their scalar last, and the rotation from one direction to another."""

from __future__ import annotations

import math
from collections.abc import Sequence

from sixvec.formats.node import Node
from sixvec.model.geom import z_towards
from sixvec.spatial import Quaternion, Rotation, Vec3

SMALLEST_NORM = 1e-10
"""A quaternion below this length is not a rotation."""

PERPENDICULAR = 1e-9
"""The cosine below which an angle counts as a right angle, and the sine below which it counts as zero."""


def rotation_of(values: Sequence[float], node: Node) -> Rotation:
    """The rotation of the quaternion x y z w in that element.

    >>> from sixvec.formats.xml import parse_xml
    >>> rotation_of((0.0, 0.0, 0.0, 2.0), parse_xml("<origin/>", "arm.urdf")) == Rotation.identity()
    True
    """
    q = Quaternion(*values)
    if not q.norm() > SMALLEST_NORM or math.isinf(q.norm()):
        size = "zero" if q.norm() <= SMALLEST_NORM else "infinite"
        raise node.error(f"the quaternion is {size}, which is no rotation", "give x y z w of length 1")
    return q.normalized().as_rotation()


def turn(a: Vec3, b: Vec3) -> Rotation:
    """The shortest rotation that turns the direction a into b; both are unit vectors.

    >>> round((turn(Vec3(1.0, 0.0, 0.0), Vec3(0.0, 1.0, 0.0)) @ Vec3(1.0, 0.0, 0.0)).y, 15)
    1.0
    """
    normal, along = a.cross(b), a.dot(b)
    sine = normal.norm()
    if sine < PERPENDICULAR:
        return Rotation.identity() if along > 0.0 else Rotation.about(across(a), math.pi)
    return Rotation.about(normal * (1.0 / sine), math.atan2(sine, along))


def across(axis: Vec3) -> Vec3:
    """Some direction perpendicular to an axis."""
    return z_towards(axis) @ Vec3(1.0, 0.0, 0.0)
