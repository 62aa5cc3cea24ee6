"""SRDF: which links of a URDF are not compared (`<disable_collisions>`), as MoveIt's setup assistant writes them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from sixvec.errors import ArgumentError, FileFormatError
from sixvec.formats.budget import one_budget, spend
from sixvec.formats.node import Node
from sixvec.formats.problems import strictly
from sixvec.formats.xml import read_xml
from sixvec.model import Model


def with_srdf(model: Model, source: str | Path) -> Model:
    """The model with the disabled pairs of an SRDF file among its contact rules.

    `<disable_default_collisions link="…"/>` disables all pairs of a link, `<enable_collisions>` enables one again.
    """
    if not isinstance(source, str | Path):
        raise ArgumentError(f"srdf: {source!r} is not a path; give str or pathlib.Path")
    path = Path(source).expanduser()
    if not path.is_file():
        raise FileFormatError("there is no such file", file=str(path))
    with one_budget():
        return strictly(_with_rules, model, path)


def _with_rules(model: Model, path: Path) -> Model:
    root = read_xml(path)
    if root.tag != "robot":
        raise root.error(f"the outermost element is <{root.tag}>", "an SRDF file has <robot>")
    links = {f.name for f in model.frames}
    disabled = {*_pairs(root, "disable_collisions", links), *_of_links(root, links)}
    disabled -= {*_pairs(root, "enable_collisions", links)}
    excluded = disabled.union(frozenset(pair) for pair in model.contact.excluded)
    ordered = sorted((min(pair), max(pair)) for pair in excluded if len(pair) == 2)
    return replace(model, contact=replace(model.contact, excluded=tuple(ordered)))


def _pairs(root: Node, tag: str, links: set[str]) -> Iterator[frozenset[str]]:
    for node in root.children(tag):
        yield frozenset((_link(node, "link1", links), _link(node, "link2", links)))


def _of_links(root: Node, links: set[str]) -> Iterator[frozenset[str]]:
    for node in root.children("disable_default_collisions"):
        name = _link(node, "link", links)
        spend("pairs of links", len(links), node.error)
        yield from (frozenset((name, other)) for other in links if other != name)


def _link(node: Node, attribute: str, links: set[str]) -> str:
    name = node.text(attribute, f'add {attribute}="…"')
    if name not in links:
        raise node.unknown("link", name, sorted(links))
    return name
