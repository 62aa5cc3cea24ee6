"""Contacts of MJCF: the surface of a geom, and the <contact> section."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from sixvec.formats.mjcf.defaults import Defaults
from sixvec.formats.mjcf.tree import sections
from sixvec.formats.node import Node
from sixvec.formats.problems import attempt
from sixvec.formats.unsupported import Unsupported, made
from sixvec.model import ContactPair, ContactParameters, ContactRules, Surface

SURFACE, PARAMETERS = Surface(), ContactParameters()

WORDS = {"condim": "dimension"}
"""The names of attributes that are different in a model; all others are the same."""

OF_SURFACES = (
    "friction",
    "condim",
    "margin",
    "gap",
    "priority",
    "contype",
    "conaffinity",
    "solref",
    "solimp",
    "solmix",
)
OF_PAIRS = ("friction", "condim", "margin", "gap", "solref", "solreffriction", "solimp")
NOT_READ = ("adhesion", "surfacevel")
"""Attributes that a model cannot represent."""

UNSIGNED = 2**32


def read_surface(node: Node, unsupported: Unsupported) -> Surface:
    """The contact properties of a <geom> with the attributes of its class."""
    for key in NOT_READ:
        if node.has(key) and any(node.numbers(key, None)):
            unsupported.add(f"{key} of a geom", node)
    values = _values(node, OF_SURFACES, SURFACE)
    return made(node, lambda: Surface(**values)) if values else SURFACE


def _values(node: Node, keys: Collection[str], default: Surface | ContactParameters) -> dict[str, Any]:
    """The attributes that an element gives, by their names in the model."""
    values: dict[str, Any] = {}
    for key in keys:
        name = WORDS.get(key, key)
        usual = getattr(default, name)
        if not node.has(key):
            continue
        if isinstance(usual, tuple):
            numbers = node.numbers(key, len(usual), least=1)
            values[name] = numbers + usual[len(numbers) :]
        elif isinstance(usual, int):
            values[name] = _whole(node, key)
        else:
            values[name] = node.number(key)
    return values


def _whole(node: Node, key: str) -> int:
    value = node.number(key)
    if not value.is_integer() or abs(value) >= UNSIGNED:
        raise node.error(f'{key}="{node.text(key)}" is not a whole number of 32 bits', "give one")
    return int(value)


def read_contact_rules(
    root: Node,
    defaults: Defaults,
    bodies: Collection[str],
    geoms: Collection[str],
    disabled: Collection[str],
    unsupported: Unsupported,
    *,
    complete: bool,
) -> ContactRules:
    """The pairs of bodies and geoms in the <contact> sections, which name bodies and geoms of the file."""
    excluded: list[tuple[str, str]] = []
    pairs: list[ContactPair] = []
    offered: Mapping[str, Collection[str]] = {"body": bodies, "geom": geoms}
    for _, node in sections(root, "contact"):
        kind = {"exclude": "body", "pair": "geom"}.get(node.tag)
        if kind is None:
            continue
        keys = (f"{kind}1", f"{kind}2")
        unknown = [key for key in keys if node.get(key) not in offered[kind]]
        if unknown and not complete:
            unsupported.add(f"contact ({node.tag}) of something that is not in the file", node)
            continue
        names = attempt(None, _names, node, kind, keys, offered[kind])
        if names is None:
            continue
        if kind == "body":
            excluded.append(names)
        else:
            parameters = attempt(PARAMETERS, _parameters, defaults.resolved(node), unsupported)
            pairs.append(ContactPair(*names, parameters, node.get("name")))
    filtered, enabled = "filterparent" not in disabled, "contact" not in disabled
    return ContactRules(tuple(excluded), (), tuple(pairs), parent_filter=filtered, enabled=enabled)


def _names(node: Node, kind: str, keys: tuple[str, str], offered: Collection[str]) -> tuple[str, str]:
    for key in keys:
        if node.text(key) not in offered:
            raise node.unknown(kind, node.text(key), offered, key=key)
    first, second = (node.text(key) for key in keys)
    return first, second


def _parameters(node: Node, unsupported: Unsupported) -> ContactParameters:
    if node.has("adhesion") and any(node.numbers("adhesion", None)):
        unsupported.add("adhesion of a contact", node)
    values = _values(node, OF_PAIRS, PARAMETERS)
    return made(node, lambda: ContactParameters(**values))
