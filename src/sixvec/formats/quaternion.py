"""Quaternions in files: scalar last, of any length that can be told from zero."""

from __future__ import annotations

import math
from collections.abc import Sequence

from sixvec.formats.node import Node
from sixvec.spatial import Quaternion, Rotation

SMALLEST_NORM = 1e-10
"""A quaternion below this length is no rotation."""


def rotation_of(values: Sequence[float], node: Node) -> Rotation:
    """The rotation of x y z w, which stand in that element.

    >>> from sixvec.formats.xml import parse_xml
    >>> rotation_of((0.0, 0.0, 0.0, 2.0), parse_xml("<origin/>", "arm.urdf")) == Rotation.identity()
    True
    """
    q = Quaternion(*values)
    if not q.norm() > SMALLEST_NORM or math.isinf(q.norm()):
        raise node.error(f"the quaternion ({', '.join(map(str, values))}) is no rotation", "give x y z w of length 1")
    return q.normalized().as_rotation()
