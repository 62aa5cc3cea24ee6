"""Meshes that stand in an MJCF file itself, for the rules: corners and triangles between them."""

from __future__ import annotations

from sixvec.formats.doctor.finding import Findings, error
from sixvec.formats.doctor.outline import parsed
from sixvec.formats.mjcf.defaults import Defaults
from sixvec.formats.mjcf.tree import sections
from sixvec.formats.node import Node

FEWEST = 4
"""Corners of a body with a volume."""

SOURCES = ("file", "vertex", "builtin")


def meshes_have_corners(root: Node, classes: Defaults) -> Findings:
    for _, t in sections(root, "asset"):
        full = classes.resolved(t)
        if t.tag != "mesh":
            continue
        if not any(full.get(key) for key in SOURCES) and t.child("plugin") is None:
            yield error(t, "has neither a file nor corners", 'add file="…" or vertex="…"')
        elif full.get("vertex"):
            yield from _corners(t, full)


def _corners(t: Node, full: Node) -> Findings:
    words = {key: full.get(key).split() for key in ("vertex", "face")}
    values = {key: parsed(" ".join(given), len(given)) for key, given in words.items()}
    uneven = [key for key, given in words.items() if len(given) % 3]
    for key, given in values.items():
        if given is None:
            yield error(t, f"{key} is not numbers", "give three for each")
    for key in uneven:
        yield error(t, f"{key} holds {len(words[key])} numbers", "give three for each")
    corners = len(words["vertex"]) // 3
    if corners < FEWEST:
        yield error(t, f"has {corners} corners", f"a body needs {FEWEST}")
    outside = [x for x in values["face"] or () if not (x == int(x) and 0 <= x < corners)]
    if outside:
        message = f"face: {outside[0]:g} is not the number of a corner"
        yield error(t, message, f"there are {corners}, counted from 0")


FILES_OF_TEXTURES = ("file", "fileright", "fileleft", "fileup", "filedown", "filefront", "fileback")


def textures_come_from_somewhere(root: Node, classes: Defaults) -> Findings:
    for _, t in sections(root, "asset"):
        full = classes.resolved(t)
        if t.tag != "texture" or any(full.get(key) for key in FILES_OF_TEXTURES):
            continue
        if full.get("builtin") in ("", "none"):
            yield error(t, "has neither a file nor a builtin pattern", 'add file="…" or builtin="…"')
