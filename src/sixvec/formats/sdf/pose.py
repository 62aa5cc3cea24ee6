"""Values of SDF, between the tags: poses, numbers, booleans (sdformat.org, "Specifying pose").

The version of a file determines the reference of poses and axes.
"""

from __future__ import annotations

import math
import re

from sixvec.errors import unknown
from sixvec.formats.mjcf.pose import IDENTITY
from sixvec.formats.node import Node
from sixvec.formats.rotation import rotation_of
from sixvec.quoting import quoted
from sixvec.spatial import Pose, Rotation, Vec3

ROTATION_FORMATS = ("euler_rpy", "quat_xyzw")
BOOLEANS = {"true": True, "1": True, "false": False, "0": False}


def pose(node: Node) -> Pose:
    """The <pose> inside an element; the identity where there is none or it is empty.

    Three lengths and three angles about fixed axes (roll, pitch, yaw), or with `rotation_format="quat_xyzw"` a
    quaternion with its scalar last.

    >>> from sixvec.formats.xml import parse_xml
    >>> pose(parse_xml("<link><pose>1 2 3 0 0 0</pose></link>", "arm.sdf")).pos
    Vec3(x=1.0, y=2.0, z=3.0)
    """
    found = node.child("pose")
    return IDENTITY if found is None else read_pose(found)


def read_pose(found: Node) -> Pose:
    """The pose of a <pose> element."""
    kind = found.attributes.get("rotation_format", "euler_rpy")
    if kind not in ROTATION_FORMATS:
        raise found.error(f'rotation_format="{quoted(kind)}": ' + unknown("form", kind, ROTATION_FORMATS, "SDF"))
    degrees = is_true(found, "degrees")
    if not found.value:
        return IDENTITY
    if kind == "quat_xyzw":
        numbers = found.content_numbers(7)
        return Pose(rotation_of(numbers[3:], found), Vec3.of(numbers[:3]))
    values = found.content_numbers(6)
    rpy = tuple(math.radians(angle) for angle in values[3:]) if degrees else values[3:]
    if not any(values):
        return IDENTITY
    return Pose(Rotation.from_rpy(*rpy) if any(rpy) else Rotation.identity(), Vec3.of(values[:3]))


def is_true(node: Node, attribute: str) -> bool:
    """The boolean value of an attribute, false by default."""
    word = node.attributes.get(attribute, "false")
    return truth(node, word, f'{attribute}="{quoted(word)}": ')


def truth(node: Node, text: str, written: str = "") -> bool:
    """Whether a word of the file means true.

    >>> from sixvec.formats.xml import parse_xml
    >>> truth(parse_xml("<static/>", "arm.sdf"), "1")
    True
    """
    word = text.strip().lower()
    if word not in BOOLEANS:
        raise node.error(written + unknown("truth value", text, BOOLEANS))
    return BOOLEANS[word]


def flag(node: Node, tag: str, default: bool = False) -> bool:
    """The boolean value of the child element of that tag."""
    found = node.child(tag)
    return default if found is None else truth(found, found.content())


Version = tuple[int, ...]

OLDEST = (1, 2)
"""Earlier versions have another form of poses."""


def read_version(root: Node) -> Version:
    """The version of an <sdf> element as numbers.

    >>> from sixvec.formats.xml import parse_xml
    >>> read_version(parse_xml('<sdf version="1.11"/>', "arm.sdf"))
    (1, 11)
    """
    text = root.text("version")
    if not re.fullmatch(r"[0-9]{1,3}\.[0-9]{1,3}(\.[0-9]{1,3})?", text, re.ASCII):
        raise root.error(f'version="{text[:20]}" is not a version of the format, such as 1.9')
    version = tuple(int(word) for word in text.split("."))[:2]
    if version < OLDEST or version[0] > 1:
        oldest = ".".join(map(str, OLDEST))
        raise root.error(f'version="{text}" cannot be read', f"versions from {oldest} on can, below 2.0")
    return version
