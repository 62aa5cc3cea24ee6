"""XML with the line of every element, read as safely as the loaders do, but without stopping at what a value means."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import ParseError

from defusedxml import DefusedXmlException  # type: ignore[import-untyped, unused-ignore]
from defusedxml.ElementTree import DefusedXMLParser  # type: ignore[import-untyped, unused-ignore]

from sixvec.doctor.finding import Finding, Severity
from sixvec.loaders.xml import DEEPEST, LARGEST_FILE, MOST_ELEMENTS, quoted

WITH_TEXT = ("sdf",)
"""Outermost elements of the formats that have values between tags; elsewhere text is blanks, and keeping it costs."""


@dataclass(frozen=True, slots=True, eq=False)
class Tag:
    """An element, its attributes, what is inside, and the line where it starts."""

    tag: str
    attributes: dict[str, str]
    line: int
    inside: list[Tag] = field(default_factory=list)
    file: str = ""
    """The included file that it stands in; empty for the file that was asked about."""
    texts: list[str] = field(default_factory=list)
    """The pieces of text between its tags."""

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
    def text(self) -> str:
        """The text between its tags, without blanks around it."""
        return "".join(self.texts).strip()

    @property
    def title(self) -> str:
        """The element in words: its tag, and its name if it has one."""
        return f'{self.tag} "{quoted(self.get("name"))}"' if self.get("name") else f"<{quoted(self.tag)}>"


class Unreadable(Exception):
    """The file is no XML; carries the finding that says so."""

    def __init__(self, finding: Finding) -> None:
        super().__init__(finding.message)
        self.finding = finding


def error(tag: Tag, message: str, advice: str) -> Finding:
    return Finding(Severity.ERROR, tag.line, tag.title, message, advice, tag.file)


def warning(tag: Tag, message: str, advice: str) -> Finding:
    return Finding(Severity.WARNING, tag.line, tag.title, message, advice, tag.file)


def note(tag: Tag, message: str, advice: str) -> Finding:
    return Finding(Severity.NOTE, tag.line, tag.title, message, advice, tag.file)


def inside(owner: Tag | None, finding: Finding) -> Finding:
    """The same finding, said of an element inside a named one; of itself it is said as it is."""
    if owner is None or finding.element == owner.title:
        return finding
    return replace(finding, element=f"{owner.title}: {finding.element}")


def read_tags(path: Path, file: str = "") -> Tag:
    """The outermost element of a file, or `Unreadable`; `file` is what findings call it."""
    try:
        with path.open("rb") as stream:
            data = stream.read(LARGEST_FILE + 1)
    except OSError as problem:
        why = f"cannot be read: {problem.strerror}"
        raise _unreadable(None, why, "check the name and the permissions", file) from None
    if len(data) > LARGEST_FILE:
        advice = "geometry belongs into files of its own"
        raise _unreadable(None, f"larger than {LARGEST_FILE // 2**20} MiB", advice, file)
    return parse_tags(data, file)


def parse_tags(data: bytes | str, file: str = "") -> Tag:
    """The outermost element of a document, or `Unreadable`.

    >>> robot = parse_tags("<robot>" + chr(10) + "<link name='base'/></robot>")
    >>> [(link.title, link.line) for link in robot.all("link")]
    [('link "base"', 2)]
    """
    builder = _Builder(file)
    parser: Any = DefusedXMLParser(target=builder, forbid_dtd=True)
    builder.expat = parser.parser
    try:
        parser.feed(data)
        parser.close()
    except DefusedXmlException:
        advice = "remove it, robot files need none"
        message = "has a document type declaration (<!DOCTYPE …>, entities)"
        raise _unreadable(builder.line, message, advice, file) from None
    except ParseError as problem:
        line, column = problem.position
        why = str(problem).partition(":")[0]
        advice = f"look at column {column}" if data.strip() else "the file is empty"
        raise _unreadable(line, f"not well-formed XML: {quoted(why)}", advice, file) from None
    except (ValueError, LookupError) as problem:
        # An encoding that the declaration names and the parser does not have.
        told = f"not readable as XML: {quoted(str(problem))}"
        raise _unreadable(1, told, "save the file as UTF-8", file) from None
    assert builder.root is not None  # the parser has reported a document without elements
    return builder.root


class _Builder:
    """What the parser tells: it makes tags instead of elements, and knows where the parser is."""

    def __init__(self, file: str) -> None:
        self.root: Tag | None = None
        self._file = file
        self._keeps_text = False
        self.expat: Any = None
        self._open: list[Tag] = []
        self._count = 0

    @property
    def line(self) -> int:
        return int(self.expat.CurrentLineNumber)

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        made = Tag(tag, dict(attributes), self.expat.CurrentLineNumber, [], self._file)
        if self._open:
            self._open[-1].inside.append(made)
        else:
            self.root, self._keeps_text = made, tag in WITH_TEXT
        self._open.append(made)
        self._count += 1
        if self._count > MOST_ELEMENTS:
            raise self._too_large(f"has more than {MOST_ELEMENTS} elements")
        if len(self._open) > DEEPEST:
            raise self._too_large(f"elements are nested more than {DEEPEST} deep")

    def end(self, tag: str) -> None:
        self._open.pop()

    def data(self, text: str) -> None:
        """Text before the first element inside; what stands behind one means nothing in robot files."""
        element = self._open[-1]
        if self._keeps_text and not element.inside:
            element.texts.append(text)

    def close(self) -> None:
        """Nothing is left to do."""

    def _too_large(self, message: str) -> Unreadable:
        return _unreadable(self.line, message, "no robot file needs that", self._file)


def _unreadable(line: int | None, message: str, advice: str, file: str) -> Unreadable:
    return Unreadable(Finding(Severity.ERROR, line, "", message, advice, file))
