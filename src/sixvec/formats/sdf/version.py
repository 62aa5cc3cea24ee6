"""The version of an SDF file: it decides what poses and axes are relative to."""

from __future__ import annotations

import re

from sixvec.formats.node import Node

Version = tuple[int, ...]

OLDEST = (1, 2)
"""Versions before this one wrote poses in another way."""


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
