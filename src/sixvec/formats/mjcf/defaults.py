"""Default classes of MJCF: what an element is when it does not say so itself.

Classes stand inside each other and inherit.  An element takes the class that it names, else the `childclass` of the
nearest body or frame around it, else the outermost class.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from sixvec.errors import unknown
from sixvec.formats.mjcf.tree import Tree
from sixvec.formats.xml import Node, with_attributes

MAIN = "main"
"""The name of the outermost class, unless the file gives another."""

ORIENTATIONS = ("quat", "axisangle", "euler", "xyaxes", "zaxis")
"""The ways to give an orientation; an element's own replaces any that its class has."""

Attributes = dict[str, str]


@dataclass(frozen=True)
class Defaults:
    """For each class, the attributes of each kind of element."""

    classes: dict[str, dict[str, Attributes]] = field(default_factory=lambda: {MAIN: {}})
    main: str = MAIN

    def resolved(self, node: Node, childclass: str | None) -> Node:
        """The element with the attributes of its class filled in.

        >>> from sixvec.formats.xml import parse_xml
        >>> defaults = Defaults({"main": {"joint": {"armature": "2", "type": "slide"}}})
        >>> defaults.resolved(parse_xml('<joint armature="1"/>', "arm.xml"), None).element.attrib
        {'armature': '1', 'type': 'slide'}
        """
        name = node.element.get("class") or childclass or self.main
        if name not in self.classes:
            raise node.error(unknown("default class", name, self.classes))
        given = self.classes[name].get(node.tag)
        if not given:
            return node
        return Node(with_attributes(node.element, merged(given, dict(node.element.attrib))), node.where)


def merged(default: Attributes, own: Attributes) -> Attributes:
    """The attributes of an element over those of its class; sizes that it leaves out at the end stay."""
    kept = default
    if any(key in own for key in (*ORIENTATIONS, "fromto")):
        kept = {key: value for key, value in default.items() if key not in ORIENTATIONS}
    result = kept | own
    if "size" in default and "size" in own:
        size = own["size"].split()
        result["size"] = " ".join(size + default["size"].split()[len(size) :])
    return result


def read_defaults(tree: Tree) -> Defaults:
    """The classes of all <default> sections."""
    main = next((node.element.get("class") for node in tree.sections("default")), None) or MAIN
    classes: dict[str, dict[str, Attributes]] = {main: {}}
    waiting: list[tuple[Node, str, str | None]] = []
    for section in tree.sections("default"):
        waiting.append((section, section.element.get("class") or main, None))
    waiting.reverse()
    while waiting:
        node, name, parent = waiting.pop()
        if parent is not None and name in classes:
            raise node.error(f'two default classes are named "{name}"; names must differ')
        # The outermost class keeps what it has where another section opens it again.
        own = classes.setdefault(name, {tag: dict(values) for tag, values in classes[parent or main].items()})
        inner: list[tuple[Node, str, str | None]] = []
        for element in tree.inside(node):
            if element.tag == "default":
                inner.append((element, element.text("class"), name))
            else:
                own[element.tag] = merged(own.get(element.tag, {}), dict(element.element.attrib))
        waiting.extend(reversed(inner))
    return Defaults(classes, main)
