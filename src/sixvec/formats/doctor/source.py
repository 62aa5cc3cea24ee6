"""XML with the line of every element, read as safely as the loaders do, but without stopping at what a value means."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

from sixvec.formats.doctor.finding import Finding, Severity
from sixvec.formats.xml import LARGEST_FILE
from sixvec.formats.xml_parser import XmlError, parse
from sixvec.quoting import quoted

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
        return f'{quoted(self.tag)} "{quoted(self.get("name"))}"' if self.get("name") else f"<{quoted(self.tag)}>"


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
    try:
        root, _ = parse(data, _Tags(file))  # the loader reads the file too, and warns of what is not quite XML
    except XmlError as problem:
        raise _unreadable(problem.line, problem.message, problem.advice, file) from None
    return root


class _Tags:
    """Makes tags instead of elements."""

    def __init__(self, file: str) -> None:
        self._file = file
        self._keeps_text = False

    def element(self, tag: str, attributes: dict[str, str], line: int, parent: Tag | None) -> Tag:
        made = Tag(tag, attributes, line, [], self._file)
        if parent is None:
            self._keeps_text = tag in WITH_TEXT
        else:
            parent.inside.append(made)
        return made

    def text(self, element: Tag, text: str) -> None:
        """Text before the first element inside; what stands behind one means nothing in robot files."""
        if self._keeps_text and not element.inside:
            element.texts.append(text)


def _unreadable(line: int | None, message: str, advice: str, file: str) -> Unreadable:
    return Unreadable(Finding(Severity.ERROR, line, "", message, advice, file))
