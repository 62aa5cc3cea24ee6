"""Names in MJCF: unique within each kind of element."""

from __future__ import annotations

from sixvec.errors import FileFormatError
from sixvec.formats.mjcf.defaults import main_class
from sixvec.formats.mjcf.equality import GROUND
from sixvec.formats.mjcf.replicate import TAG as REPLICATE
from sixvec.formats.mjcf.tree import sections
from sixvec.formats.node import Node
from sixvec.formats.problems import raise_or_note
from sixvec.quoting import quoted

KINDS = {kind: f"{kind}s" for kind in ("joint", "geom", "site", "camera", "light", "frame")}
KINDS |= {"body": "bodies", "equality": "equalities", "default": "default classes"}
KINDS |= {"tendon": "tendons", "actuator": "actuators"}
"""The kinds of elements with separate names, and their plurals."""

INSIDE = ("body", "frame", REPLICATE)
"""Containers of other elements of the world."""


def require_different_names(root: Node) -> None:
    """Raise an error for the second element with a name, in the order of the file.

    Elements of a <replicate> are renamed at its end, so that their names may be used again (as in MuJoCo).
    """
    first_with = {("body", GROUND): root, ("default", main_class(root)): root}
    for section in root.children("worldbody"):
        # A stack, because bodies may be nested deeper than Python's stack allows; None ends the innermost <replicate>.
        waiting: list[Node | None] = [*reversed(section.inside)]
        inside: list[set[tuple[str, str]]] = []
        while waiting:
            element = waiting.pop()
            if element is None:
                for name in inside.pop():
                    del first_with[name]
                continue
            _note(element, element.tag.removeprefix("free"), first_with, inside)
            if element.tag == REPLICATE:
                inside.append(set())
                waiting.append(None)
            if element.tag in INSIDE:
                waiting.extend(reversed(element.inside))
    classes = (each for section in root.children("default") for each in section.iter("default") if each is not section)
    for element in classes:
        _note(element, "default", first_with, [])
    for kind, element in sections(root, "equality", "tendon", "actuator"):
        _note(element, kind, first_with, [])


def _note(node: Node, kind: str, first_with: dict[tuple[str, str], Node], inside: list[set[tuple[str, str]]]) -> None:
    name = node.attributes.get("class" if kind == "default" else "name")
    if not name or kind not in KINDS:
        return
    if (kind, name) in first_with:
        raise_or_note(repeated(node, kind, name, first_with[kind, name]))
    else:
        first_with[kind, name] = node
        for names in inside[-1:]:
            names.add((kind, name))


def repeated(node: Node, kind: str, name: str, first: Node) -> FileFormatError:
    """The error for the second element of a kind with a name."""
    but = f"; the first is in line {first.line}" + (f" of {first.file}" if first.file != node.file else "")
    if (kind, name) == ("body", GROUND):
        but = f', and "{GROUND}" is the world itself'
    return node.error(f'two {KINDS.get(kind, f"{kind}s")} are named "{quoted(name)}"', f"names must differ{but}")
