"""The vocabulary of a format: for each element its attributes, the counts of their numbers, and its children."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

ANYTHING = EVERY = "*"


class Count(NamedTuple):
    """The count and kind of an attribute's numbers."""

    least: int
    most: int
    infinite: bool = False
    whole: bool = False


class Words(NamedTuple):
    """The allowed contents of an element; None means anything."""

    attributes: frozenset[str] | None
    inside: frozenset[str] | None
    numbers: dict[str, Count]
    """Counts of its attributes."""
    child_counts: dict[str, Count]
    """Counts of the child elements with numbers between their tags."""


class Vocabulary:
    """A table of words, one element per row: `element: attributes > elements inside`, with `*` for anything.

    A row `parent/element` is for elements in that parent alone and takes precedence over that of the element;
    `parent/*` is for all elements of a parent without a separate row.  An element without any row is not checked.
    Lines that start with a blank continue the row above; `$name` is replaced by the names of a group.  Counts of
    numbers are given as `pos=3 size=1-3`, followed by `~` if they may be infinite, `i` if they are integers.

    >>> small = Vocabulary("robot: name > $parts" + chr(10) + "link: size=1-3 > *", {"parts": "link joint"})
    >>> sorted(small.of("", "robot").inside), small.of("robot", "link").inside, small.of("link", "visual")
    (['joint', 'link'], None, None)
    >>> small.of("robot", "link").numbers
    {'size': Count(least=1, most=3, infinite=False, whole=False)}
    """

    def __init__(self, table: str, groups: Mapping[str, str] = {}) -> None:
        for name, words in groups.items():
            table = table.replace(f"${name}", words)
        lines = table.replace("\n ", " ").strip().splitlines()
        self._rows = {tag.strip(): _words(row) for tag, _, row in (line.partition(":") for line in lines)}
        self._found: dict[tuple[str, str], Words | None] = {}

    def of(self, parent: str, tag: str) -> Words | None:
        """The allowed contents of an element of that tag in a parent; None if the format does not define them."""
        key = parent, tag
        if key not in self._found:
            rows = self._rows
            self._found[key] = rows.get(f"{parent}/{tag}") or rows.get(tag) or rows.get(f"{parent}/{ANYTHING}")
        return self._found[key]


def _words(row: str) -> Words:
    (attributes, numbers), (inside, child_counts) = map(_names, row.partition(">")[::2])
    return Words(attributes, inside, numbers, child_counts)


def _names(text: str) -> tuple[frozenset[str] | None, dict[str, Count]]:
    counts = {name: count for name, _, count in (word.partition("=") for word in text.split())}
    numbers = {name: _count(count) for name, count in counts.items() if count}
    return None if ANYTHING in counts else frozenset(counts), numbers


def _count(text: str) -> Count:
    least, _, most = text.rstrip("i~").partition("-")
    whole = text.endswith("i")
    return Count(int(least), int(most or least), whole or text.endswith("~"), whole)
