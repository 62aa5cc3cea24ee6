"""Names in MJCF: two things of one kind may not share one."""

from __future__ import annotations

from xml.etree.ElementTree import Element

from sixvec.formats.mjcf.equality import GROUND
from sixvec.formats.mjcf.replicate import TAG as REPLICATE
from sixvec.formats.mjcf.tree import Tree
from sixvec.formats.xml import Node
from sixvec.quoting import quoted

KINDS = {kind: f"{kind}s" for kind in ("joint", "geom", "site", "camera", "light", "frame")}
KINDS |= {"body": "bodies", "equality": "equalities"}
"""The kinds of things that have names of their own, and what several are called."""

INSIDE = ("body", "frame", REPLICATE)
"""What holds other elements of the world."""


def refuse_repeated_names(tree: Tree) -> None:
    """Raise for the second element of a name, in the order of the file.

    What stands in a <replicate> has other names once that is closed, so that they may be used again (as in MuJoCo).

    >>> from sixvec.formats.folders import Folders
    >>> from sixvec.formats.xml import parse_xml
    >>> text = '<mujoco><worldbody><body name="a"/><body name="a"/></worldbody></mujoco>'
    >>> refuse_repeated_names(Tree(parse_xml(text, "pair.xml"), Folders(None), {}))
    Traceback (most recent call last):
    sixvec.errors.FileFormatError: pair.xml: body "a": two bodies are named "a"; names must differ (line 1)
    """
    seen = {("body", GROUND)}
    for section in tree.sections("worldbody"):
        # A stack, for bodies may stand deeper in each other than Python's; None ends the innermost <replicate>.
        waiting: list[Element | None] = [*reversed(section.element)]
        inside: list[set[tuple[str, str]]] = []
        while waiting:
            element = waiting.pop()
            if element is None:
                seen -= inside.pop()
                continue
            _note(tree, element, element.tag.removeprefix("free"), seen, inside)
            if element.tag == REPLICATE:
                inside.append(set())
                waiting.append(None)
            if element.tag in INSIDE:
                waiting.extend(reversed(element))
    for section in tree.sections("equality"):
        for element in section.element:
            _note(tree, element, "equality", seen, [])


def _note(
    tree: Tree, element: Element, kind: str, seen: set[tuple[str, str]], inside: list[set[tuple[str, str]]]
) -> None:
    name = element.get("name")
    if not name or kind not in KINDS:
        return
    if (kind, name) in seen:
        shown = quoted(name)
        node = Node(element, f'{tree.origin.get(element, tree.root.where)}: {element.tag} "{shown}"')
        but = f', and "{GROUND}" is the world' if (kind, name) == ("body", GROUND) else ""
        raise node.error(f'two {KINDS[kind]} are named "{shown}"; names must differ{but}')
    seen.add((kind, name))
    for names in inside[-1:]:
        names.add((kind, name))
