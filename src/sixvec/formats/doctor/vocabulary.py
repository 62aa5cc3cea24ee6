"""The words of a format: for each element the attributes and the elements that may stand in it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

ANYTHING = "*"


class Words(NamedTuple):
    """What may stand in an element; None means anything."""

    attributes: frozenset[str] | None
    inside: frozenset[str] | None


class Vocabulary:
    """A table of words, one element a row: `element: attributes > elements inside`, with `*` for anything.

    A row `parent/element` is for elements in that parent alone and takes precedence over that of the element;
    `parent/*` is for all elements of a parent that have no row of their own.  An element without any row is not looked
    into.  Lines that start with a blank continue the row above; `$name` stands for the words of a group.

    >>> small = Vocabulary("robot: name > $parts" + chr(10) + "link: name > *", {"parts": "link joint"})
    >>> sorted(small.of("", "robot").inside), small.of("robot", "link").inside, small.of("link", "visual")
    (['joint', 'link'], None, None)
    """

    def __init__(self, table: str, groups: Mapping[str, str] = {}) -> None:
        for name, words in groups.items():
            table = table.replace(f"${name}", words)
        lines = table.replace("\n ", " ").strip().splitlines()
        self._rows = {tag.strip(): _words(row) for tag, _, row in (line.partition(":") for line in lines)}
        self._found: dict[tuple[str, str], Words | None] = {}

    def of(self, parent: str, tag: str) -> Words | None:
        """What may stand in an element of that tag in a parent; None where the format leaves it open."""
        key = parent, tag
        if key not in self._found:
            rows = self._rows
            self._found[key] = rows.get(f"{parent}/{tag}") or rows.get(tag) or rows.get(f"{parent}/{ANYTHING}")
        return self._found[key]


def _words(row: str) -> Words:
    attributes, _, inside = row.partition(">")
    return Words(*(None if ANYTHING in part.split() else frozenset(part.split()) for part in (attributes, inside)))
