"""Limits of joints that MJCF cannot express, stored in its <custom> section.

The format has a range with two different ends and a largest force for hinges and slides.  A largest velocity, a range
with one end or an empty one, a largest force of zero, and all limits of balls and free joints are stored as <numeric
name="limit/KIND/JOINT" data="NUMBERS"/>, which MuJoCo reads and does not use.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace

from sixvec.errors import unknown
from sixvec.formats.mjcf.tree import sections
from sixvec.formats.node import Node
from sixvec.model import Limits
from sixvec.model.joints import Joint

POSITIONS = ("lower", "upper")
KINDS = (*POSITIONS, "velocity", "effort")
PREFIX = "limit/"


def custom_name(kind: str, joint: str) -> str:
    """The name of the number for one limit of a joint.

    >>> custom_name("velocity", "elbow")
    'limit/velocity/elbow'
    """
    return f"{PREFIX}{kind}/{joint}"


def read_limits(root: Node, joints: Mapping[str, tuple[Joint, Limits]]) -> dict[str, Limits]:
    """The limits of each joint, including those of the <custom> sections."""
    found = {name: limits for name, (_, limits) in joints.items()}
    for _, node in sections(root, "custom"):
        name = node.attributes.get("name", "")
        if node.tag != "numeric" or not name.startswith(PREFIX):
            continue
        kind, _, joint = name.removeprefix(PREFIX).partition("/")
        if kind not in KINDS:
            raise node.error(unknown("limit", kind, KINDS))
        if joint not in found:
            raise node.error(unknown("joint", joint, found))
        count = joints[joint][0].nq if kind in POSITIONS else joints[joint][0].nv
        found[joint] = replace(found[joint], **{kind: node.numbers("data", count)})
    return {joint: _paired(both) for joint, both in found.items()}


def _paired(limits: Limits) -> Limits:
    """Both bounds of a position, if at least one is given."""
    none = (math.inf,) * max(len(limits.lower), len(limits.upper))
    return replace(limits, lower=limits.lower or tuple(-x for x in none), upper=limits.upper or none)
