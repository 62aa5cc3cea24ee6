"""Elements of XML files, with errors that name the place.  Every format that is XML comes through here."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from xml.etree.ElementTree import Element

from sixvec.errors import FileFormatError
from sixvec.formats.unsupported import level_of_user
from sixvec.formats.xml_parser import Slip, XmlError, parse
from sixvec.quoting import message, quoted

LARGEST_FILE = 64 * 1024 * 1024
"""Bytes; robot files are far smaller (the geometry stands in files of its own)."""


class LocatedElement(Element):
    """An element that knows the line where it starts."""

    __slots__ = ("line",)
    line: int | None


def with_attributes(element: Element, attributes: dict[str, str]) -> Element:
    """An element of the same tag at the same line, without anything inside."""
    made = LocatedElement(element.tag, attributes)
    made.line = getattr(element, "line", None)
    return made


@dataclass(frozen=True, slots=True)
class Node:
    """An XML element and where it stands, in words for error messages.

    >>> arm = parse_xml("<robot>" + chr(10) + "<link name='base' size='1 2'/></robot>", "arm.urdf")
    >>> [(link.numbers("size", 2), link.line) for link in arm.children("link")]
    [((1.0, 2.0), 2)]
    """

    element: Element
    where: str

    @property
    def tag(self) -> str:
        return self.element.tag

    @property
    def line(self) -> int | None:
        """The line of the file where the element starts; None for the outermost one, which is the whole file."""
        return getattr(self.element, "line", None)

    def error(self, message: str, kind: type[FileFormatError] = FileFormatError) -> FileFormatError:
        """The error to raise about this element; it ends with the line."""
        return kind(f"{self.where}: {message}" + ("" if self.line is None else f" (line {self.line})"))

    def children(self, tag: str) -> Iterator[Node]:
        """The elements directly inside with that tag, in the order of the file."""
        for element in self.element.findall(tag):
            yield self.inner(element)

    def inside(self) -> Iterator[Node]:
        """All elements directly inside, in the order of the file."""
        return (self.inner(element) for element in self.element)

    def inner(self, element: Element) -> Node:
        """An element inside this one, with its place in words."""
        name = element.get("name")
        label = f"<{quoted(element.tag)}>" if name is None else f'{quoted(element.tag)} "{quoted(name)}"'
        return Node(element, f"{self.where}: {label}")

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
        return self._parsed(self.text(attribute), f'{attribute}="{{}}"', count, infinite)

    def content(self) -> str:
        """The text inside the element, which must not be empty."""
        text = (self.element.text or "").strip()
        if not text:
            raise self.error("is empty; write its value between the tags")
        return text

    def content_numbers(self, count: int, *, infinite: bool = False) -> tuple[float, ...]:
        """The text inside the element as `count` numbers separated by blanks.

        >>> parse_xml("<pose>1 2</pose>", "arm.sdf").content_numbers(2)
        (1.0, 2.0)
        """
        return self._parsed(self.content(), '"{}"', count, infinite)

    def _parsed(self, text: str, shown_as: str, count: int, infinite: bool) -> tuple[float, ...]:
        try:
            values = tuple(map(_number, text.split()))
        except ValueError:
            problem = f"is not numbers; give {_numbers(count)} such as 0.5"
        else:
            if len(values) != count:
                problem = f"holds {_numbers(len(values))}; give {_numbers(count)}"
            elif any(math.isnan(x) or (math.isinf(x) and not infinite) for x in values):
                problem = f"is not finite; give {_numbers(count, 'finite ')}"
            else:
                return values
        raise self.error(f"{shown_as.format(quoted(text))} {problem}")

    def number(self, attribute: str, *, infinite: bool = False) -> float:
        """A required attribute that holds one number."""
        return self.numbers(attribute, 1, infinite=infinite)[0]

    def has(self, attribute: str) -> bool:
        return attribute in self.element.attrib


def _number(word: str) -> float:
    """A decimal number; what only Python takes for one (1_000, digits of other scripts) is none."""
    if "_" in word or not word.isascii():
        raise ValueError(word)
    return float(word)


def _numbers(count: int, kind: str = "") -> str:
    return f"1 {kind}number" if count == 1 else f"{count} {kind}numbers"


def parse_xml(text: str | bytes, where: str) -> Node:
    """The root element of an XML document; `where` names the document in errors.

    >>> parse_xml("<robot>", "arm.urdf")
    Traceback (most recent call last):
    sixvec.errors.FileFormatError: arm.urdf: not well-formed XML: no element found: line 1, column 7
    """
    try:
        root, slips = parse(text, _Elements())
    except XmlError as problem:
        place = "" if problem.column is None else f": line {problem.line}, column {problem.column}"
        advice = "" if problem.column is not None else f"; {problem.advice}"
        raise FileFormatError(f"{where}: {problem.message}{place}{advice}") from None
    root.line = None
    if slips:
        warnings.warn(LooseXml(where, slips), stacklevel=level_of_user())
    return Node(root, where)


class LooseXml(UserWarning):
    """A file that the formats' own programs read, and strict readers of XML do not."""

    def __init__(self, where: str, slips: Sequence[Slip]) -> None:
        self.where, self.slips = where, tuple(slips)
        listed = ", ".join(f"{slip.what} (line {slip.line})" for slip in self.slips)
        super().__init__(message(f"{where}: read, though it is not quite XML: {listed}"))

    def __reduce__(self) -> tuple[type[LooseXml], tuple[str, tuple[Slip, ...]]]:
        return LooseXml, (self.where, self.slips)


class _Elements:
    """Makes elements that know their lines."""

    def element(self, tag: str, attributes: dict[str, str], line: int, parent: LocatedElement | None) -> LocatedElement:
        made = LocatedElement(tag, attributes)
        made.line = line
        if parent is not None:
            parent.append(made)
        return made

    def text(self, element: LocatedElement, text: str) -> None:
        """Text before the first element inside; what stands behind one means nothing in robot files."""
        if not len(element):
            element.text = (element.text or "") + text


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
