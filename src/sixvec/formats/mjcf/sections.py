"""The outer sections of MJCF that are not bodies: what is merely drawn or measured, and what is physics."""

from __future__ import annotations

from sixvec.errors import unknown
from sixvec.formats.node import Node
from sixvec.formats.unsupported import Unsupported

READ = ("compiler", "option", "default", "worldbody", "equality", "custom")
HARMLESS = ("asset", "contact", "extension", "keyframe", "sensor", "size", "statistic", "visual")
"""Sections that change neither the mechanism nor the forces in it, contacts apart."""

UNREAD = ("actuator", "tendon", "deformable")
"""Sections whose every element is physics that the model cannot hold."""

SECTIONS = (*READ, *HARMLESS, *UNREAD)


def list_unread(root: Node, unsupported: Unsupported) -> None:
    """Note what the sections ask for that the model cannot hold; refuse sections that do not exist."""
    for section in root.inside:
        if section.tag not in SECTIONS:
            raise section.error(unknown("section", section.tag, SECTIONS, "MJCF"))
        if section.tag in UNREAD:
            for node in section.inside:
                what = section.tag if section.tag != "deformable" else node.tag
                unsupported.add(f"{what} ({node.tag})" if what != node.tag else what, node)
