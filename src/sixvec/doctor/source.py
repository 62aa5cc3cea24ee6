"""XML with the line of every element, read as safely as the loaders do, but without stopping at what a value means."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import ParseError

from defusedxml import DefusedXmlException  # type: ignore[import-untyped, unused-ignore]
from defusedxml.ElementTree import DefusedXMLParser  # type: ignore[import-untyped, unused-ignore]

from sixvec.doctor.finding import Finding, Severity
from sixvec.loaders.xml import DEEPEST, LARGEST_FILE, MOST_ELEMENTS, quoted


@dataclass(frozen=True, slots=True, eq=False)
class Tag:
    """An element, its attributes, what is inside, and the line where it starts."""

    tag: str
    attributes: dict[str, str]
    line: int
    inside: list[Tag] = field(default_factory=list)

    def all(self, tag: str) -> Iterator[Tag]:
        """The elements directly inside with that tag."""
        return (t for t in self.inside if t.tag == tag)

    def first(self, tag: str) -> Tag | None:
        for t in self.inside:  # quicker than a generator, and every check asks
            if t.tag == tag:
                return t
        return None

    def get(self, attribute: str) -> str:
        """The value without blanks around it; empty if it is missing."""
        return self.attributes.get(attribute, "").strip()

    @property
    def title(self) -> str:
        """The element in words: its tag, and its name if it has one."""
        return f'{self.tag} "{quoted(self.get("name"))}"' if self.get("name") else f"<{quoted(self.tag)}>"


class Unreadable(Exception):
    """The file is no XML; carries the finding that says so."""

    def __init__(self, finding: Finding) -> None:
        super().__init__(finding.message)
        self.finding = finding


def read_tags(path: Path) -> Tag:
    """The outermost element of a file, or `Unreadable`."""
    try:
        with path.open("rb") as file:
            data = file.read(LARGEST_FILE + 1)
    except OSError as problem:
        raise _unreadable(None, f"cannot be read: {problem.strerror}", "check the name and the permissions") from None
    if len(data) > LARGEST_FILE:
        advice = "geometry belongs into files of its own"
        raise _unreadable(None, f"larger than {LARGEST_FILE // 2**20} MiB", advice)
    return parse_tags(data)


def parse_tags(data: bytes | str) -> Tag:
    """The outermost element of a document, or `Unreadable`.

    >>> robot = parse_tags("<robot>" + chr(10) + "<link name='base'/></robot>")
    >>> [(link.title, link.line) for link in robot.all("link")]
    [('link "base"', 2)]
    """
    builder = _Builder()
    parser: Any = DefusedXMLParser(target=builder, forbid_dtd=True)
    builder.expat = parser.parser
    try:
        parser.feed(data)
        parser.close()
    except DefusedXmlException:
        advice = "remove it, robot files need none"
        message = "has a document type declaration (<!DOCTYPE …>, entities)"
        raise _unreadable(builder.line, message, advice) from None
    except ParseError as problem:
        line, column = problem.position
        why = str(problem).partition(":")[0]
        advice = f"look at column {column}" if data.strip() else "the file is empty"
        raise _unreadable(line, f"not well-formed XML: {quoted(why)}", advice) from None
    except (ValueError, LookupError) as problem:
        # An encoding that the declaration names and the parser does not have.
        raise _unreadable(1, f"not readable as XML: {quoted(str(problem))}", "save the file as UTF-8") from None
    assert builder.root is not None  # the parser has reported a document without elements
    return builder.root


class _Builder:
    """What the parser tells: it makes tags instead of elements, and knows where the parser is."""

    def __init__(self) -> None:
        self.root: Tag | None = None
        self.expat: Any = None
        self._open: list[Tag] = []
        self._count = 0

    @property
    def line(self) -> int:
        return int(self.expat.CurrentLineNumber)

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        made = Tag(tag, dict(attributes), self.line)
        if self._open:
            self._open[-1].inside.append(made)
        else:
            self.root = made
        self._open.append(made)
        self._count += 1
        if self._count > MOST_ELEMENTS:
            raise _unreadable(made.line, f"has more than {MOST_ELEMENTS} elements", "no robot file needs that")
        if len(self._open) > DEEPEST:
            raise _unreadable(made.line, f"elements are nested more than {DEEPEST} deep", "no robot file needs that")

    def end(self, tag: str) -> None:
        self._open.pop()

    def data(self, text: str) -> None:
        """Text between elements means nothing in robot files."""

    def close(self) -> None:
        """Nothing is left to do."""


def _unreadable(line: int | None, message: str, advice: str) -> Unreadable:
    return Unreadable(Finding(Severity.ERROR, line, "", message, advice))
