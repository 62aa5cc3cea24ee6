"""Reading XML that may come from anywhere: bounded, without entities, with errors that name the place.

Every format of robot files that is XML goes through here.  Document type declarations are refused as a whole, so
that neither entity expansion nor references to other files can happen.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from xml.etree.ElementTree import Element, ParseError

from defusedxml import DefusedXmlException  # type: ignore[import-untyped, unused-ignore]
from defusedxml.ElementTree import fromstring  # type: ignore[import-untyped, unused-ignore]

from sixvec.errors import FileFormatError

LARGEST_FILE = 64 * 1024 * 1024
"""Bytes; robot files are far smaller (the geometry stands in files of its own)."""


@dataclass(frozen=True, slots=True)
class Node:
    """An XML element and where it stands, in words for error messages.

    >>> arm = parse_xml('<robot><link name="base" size="1 2"/></robot>', "arm.urdf")
    >>> [link.numbers("size", 2) for link in arm.children("link")]
    [(1.0, 2.0)]
    """

    element: Element
    where: str

    @property
    def tag(self) -> str:
        return self.element.tag

    def error(self, message: str) -> FileFormatError:
        """The error to raise about this element."""
        return FileFormatError(f"{self.where}: {message}")

    def children(self, tag: str) -> Iterator[Node]:
        """The elements directly inside with that tag, in the order of the file."""
        for element in self.element.findall(tag):
            name = element.get("name")
            yield Node(element, f"{self.where}: <{tag}>" if name is None else f'{self.where}: {tag} "{name}"')

    def child(self, tag: str) -> Node | None:
        """The first element directly inside with that tag."""
        return next(self.children(tag), None)

    def required(self, tag: str) -> Node:
        """The first element directly inside with that tag, or an error that says it is missing."""
        found = self.child(tag)
        if found is None:
            raise self.error(f"has no <{tag}>, which is required")
        return found

    def text(self, attribute: str) -> str:
        """A required attribute that is not empty."""
        value = self.element.get(attribute, "").strip()
        if not value:
            raise self.error(f"the attribute {attribute} is missing or empty")
        return value

    def numbers(self, attribute: str, count: int, *, infinite: bool = False) -> tuple[float, ...]:
        """A required attribute that holds `count` numbers separated by blanks; `infinite` allows ±inf."""
        text = self.text(attribute)
        shown = quoted(text)
        try:
            values = tuple(float(word) for word in text.split())
        except ValueError:
            raise self.error(f'{attribute}="{shown}" is not numbers; give {_numbers(count)} such as 0.5') from None
        if len(values) != count:
            raise self.error(f'{attribute}="{shown}" holds {_numbers(len(values))}; give {_numbers(count)}')
        if any(math.isnan(x) or (math.isinf(x) and not infinite) for x in values):
            raise self.error(f'{attribute}="{shown}" is not finite; give {_numbers(count)} that are finite')
        return values

    def number(self, attribute: str, *, infinite: bool = False) -> float:
        """A required attribute that holds one number."""
        return self.numbers(attribute, 1, infinite=infinite)[0]

    def has(self, attribute: str) -> bool:
        return attribute in self.element.attrib


LONGEST_QUOTE = 60
"""How much of a file's text a message repeats."""


def quoted(text: str, longest: int = LONGEST_QUOTE) -> str:
    """The text as it may stand in a message: printable, on one line, not too long.

    >>> quoted("a" * 100)[-3:], quoted("two" + chr(10) + "lines")
    ('aa…', 'two lines')
    """
    line = "".join(c if c.isprintable() else " " for c in text[: longest + 1])
    return line if len(line) <= longest else line[:longest] + "…"


def _numbers(count: int) -> str:
    return "1 number" if count == 1 else f"{count} numbers"


def parse_xml(text: str | bytes, where: str) -> Node:
    """The root element of an XML document; `where` names the document in errors.

    >>> parse_xml("<robot>", "arm.urdf")
    Traceback (most recent call last):
    sixvec.errors.FileFormatError: arm.urdf: not well-formed XML: no element found: line 1, column 7
    """
    try:
        return Node(fromstring(text, forbid_dtd=True), where)
    except DefusedXmlException:
        raise FileFormatError(
            f"{where}: has a document type declaration (<!DOCTYPE …>, entities); remove it, robot files need none"
        ) from None
    except (ParseError, ValueError, LookupError) as problem:
        # ValueError and LookupError: an encoding that the declaration names and the parser does not have.
        raise FileFormatError(f"{where}: not well-formed XML: {problem}") from None


def read_xml(source: Path) -> Node:
    """The root element of an XML file."""
    try:
        with source.open("rb") as file:
            data = file.read(LARGEST_FILE + 1)
    except OSError as problem:
        raise FileFormatError(f"{source}: cannot be read: {problem.strerror}") from None
    if len(data) > LARGEST_FILE:
        raise FileFormatError(f"{source}: larger than {LARGEST_FILE // 2**20} MiB, the most that a robot file may be")
    return parse_xml(data, str(source))
