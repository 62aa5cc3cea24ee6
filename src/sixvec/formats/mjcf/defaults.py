"""What elements of MJCF refer to: default classes, for attributes that they do not give, and assets.

Classes are nested and inherit.  An element uses the class that it names, else the `childclass` of the
nearest body or frame around it, else the outermost class.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import PurePosixPath

from sixvec.formats.mjcf.tree import sections
from sixvec.formats.node import Node
from sixvec.formats.problems import raise_or_note

MAIN = "main"
"""The name of the outermost class, unless the file gives another."""

ORIENTATIONS = ("quat", "axisangle", "euler", "xyaxes", "zaxis")
"""The ways to give an orientation; an element's own replaces any that its class has."""

PARTIAL = ("size", "friction", "solref", "solimp", "solreffriction", "solreflimit", "solimplimit")
"""Attributes that may give fewer numbers than they have."""

ACTUATORS = frozenset({
    "general", "motor", "position", "velocity", "intvelocity", "orientation", "pid", "damper", "cylinder", "muscle",
    "adhesion", "dcmotor",
})  # fmt: skip

Attributes = dict[str, str]


@dataclass(frozen=True)
class Defaults:
    """For each class, the attributes of each kind of element."""

    classes: dict[str, dict[str, Attributes]] = field(default_factory=lambda: {MAIN: {}})
    main: str = MAIN
    actuators: dict[str, tuple[str, list[Node]]] = field(default_factory=dict)
    """For each class the one around it, and its elements for actuators, which share one set of attributes."""

    def class_of(self, node: Node, childclass: str = "") -> str:
        """The name of the class of an element."""
        name = node.attributes.get("class") or childclass or self.main
        if name not in self.classes:
            raise_or_note(node.unknown("default class", name, self.classes))
            return self.main
        return name

    def resolved(self, node: Node, childclass: str = "", tag: str = "") -> Node:
        """The element with the attributes of its class filled in; the class has it under its tag, or under `tag`."""
        attributes = self.classes[self.class_of(node, childclass)].get(tag or node.tag)
        return node.with_attributes(merged(attributes, node.attributes)) if attributes else node


def merged(default: Attributes, explicit: Attributes) -> Attributes:
    """The attributes of an element over those of its class, of whose `PARTIAL` ones the trailing numbers are kept."""
    inherited = default
    if any(key in explicit for key in (*ORIENTATIONS, "fromto")):
        inherited = {key: value for key, value in default.items() if key not in ORIENTATIONS}
    result = inherited | explicit
    for key in PARTIAL:
        if key in default and key in explicit:
            values = explicit[key].split()
            result[key] = " ".join(values + default[key].split()[len(values) :])
    return result


def main_class(root: Node) -> str:
    """The name of the outermost class."""
    return next((section.attributes.get("class") for section in root.children("default")), None) or MAIN


def read_defaults(root: Node) -> Defaults:
    """The classes of all <default> sections."""
    sections = [*root.children("default")]
    main = main_class(root)
    defaults = Defaults({main: {}}, main)
    waiting: list[tuple[Node, str, str]] = [(s, s.attributes.get("class") or main, "") for s in reversed(sections)]
    while waiting:
        node, name, parent = waiting.pop()
        # The outermost class keeps its attributes where another section reopens it.
        inherited = defaults.classes[parent or main]
        class_tags = defaults.classes.setdefault(name, {tag: dict(values) for tag, values in inherited.items()})
        drives = defaults.actuators.setdefault(name, (parent, []))[1]
        inner: list[tuple[Node, str, str]] = []
        for element in node.inside:
            if element.tag in ACTUATORS:
                drives.append(element)
            elif element.tag != "default":
                class_tags[element.tag] = merged(class_tags.get(element.tag, {}), element.attributes)
            elif element.get("class"):
                inner.append((element, element.get("class"), name))
            else:
                raise_or_note(element.error("has no class", 'a class inside another needs class="…"'))
        waiting.extend(reversed(inner))
    return defaults


KINDS = {"mesh": "meshes", "hfield": "hfields", "material": "materials", "texture": "textures"}
"""The kinds of assets that are used, and their plurals."""


class Assets:
    """The assets of a file by kind and name; one without a name is named after its file, or nothing can refer to it."""

    def __init__(self, root: Node, defaults: Defaults) -> None:
        self.named: dict[str, dict[str, Node]] = {kind: {} for kind in KINDS}
        for _, node in sections(root, "asset"):
            if node.tag in KINDS:
                self._add(node, defaults.resolved(node))

    def _add(self, node: Node, full: Node) -> None:
        name = full.attributes.get("name") or PurePosixPath(full.attributes.get("file", "")).stem
        named = self.named[node.tag]
        if not name:
            return
        if name in named:
            raise_or_note(node.error(f'two {KINDS[node.tag]} are named "{name}"', "names must differ"))
        named.setdefault(name, full)

    def of(self, geom: Node, kind: str) -> Node:
        """The asset that an attribute of a geom names."""
        name = geom.text(kind)
        if name not in self.named[kind]:
            raise geom.unknown(kind, name, self.named[kind])
        return self.named[kind][name]
