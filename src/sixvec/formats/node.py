"""The tree of a file: XML elements with their file and line, for readers and rules.

There are two ways to get a value: readers use methods whose errors name the location of a missing value (`text`,
`numbers`, `required`); rules use methods that accept anything (`get`, `value`, `child`).
"""

from __future__ import annotations

import math
from collections.abc import Container, Iterable, Iterator
from typing import TypeVar

from sixvec.errors import FileFormatError, UnreadableValue, missing_name
from sixvec.quoting import quoted

E = TypeVar("E", bound=FileFormatError)

_NESTED = frozenset({"body", "frame", "replicate", "worldbody", "default"})
"""Elements of MJCF that nest within their own kind: their location is given by the file and their name."""

_NAMED = frozenset({"link", "joint", "body", "frame", "model", "transmission", "default"})
"""Elements that are identified by their names."""

MOST_OFFERED = 12
"""Names listed for one that does not exist: a file may have many such mistakes, each of which is one line."""

_SCOPES = ("model", "world")
"""Elements of SDF, whose frames have short paths."""


class Node:
    """An element, its attributes, its contents and its location.

    >>> from sixvec.formats.xml import parse_xml
    >>> arm = parse_xml("<robot>" + chr(10) + "<link name='base' size='1 2'/></robot>", "arm.urdf")
    >>> [(link.numbers("size", 2), link.line, link.where) for link in arm.children("link")]
    [((1.0, 2.0), 2, 'arm.urdf: link "base"')]
    """

    __slots__ = ("attributes", "content_text", "file", "inside", "line", "parent", "source", "tag")

    def __init__(
        self, tag: str, attributes: dict[str, str], line: int = 0, file: str = "", parent: Node | None = None
    ) -> None:
        self.tag, self.attributes, self.line, self.file, self.parent = tag, attributes, line, file, parent
        self.source: Node | None = None
        """The element of the file, if this is a copy of it: a mistake in all copies is one mistake of the file."""
        self.inside: list[Node] = []
        """All elements directly inside, in the order of the file."""
        self.content_text: list[str] = []
        """The pieces of text before the first element inside; text after one has no meaning in robot files."""

    def __repr__(self) -> str:
        return f"Node({self.where})"

    @property
    def written(self) -> Node:
        """The element of the file: this one, or the one of which it is a copy."""
        return self.source or self

    @property
    def title(self) -> str:
        """The element as text: its tag, and its name if it has one."""
        name = self.written.get("name") or (self.get("class") if self.tag == "default" else "")
        return f'{quoted(self.tag)} "{quoted(name)}"' if name else f"<{quoted(self.tag)}>"

    @property
    def subject(self) -> str:
        """The element as text for a list of findings: with the named element around it, if it has no name itself."""
        around = self.parent
        if self.tag == "default":
            return self.title
        if self.tag in _NAMED and self.get("name") and (around is None or around.tag != "transmission"):
            return self.title
        while around is not None and (around.tag not in _NAMED or around._is_nested_frame):
            around = around.parent
        named = around is not None and (around.get("name") or around.tag == "default")
        return f"{around.title}: {self.title}" if around is not None and named else self.title

    @property
    def _is_nested_frame(self) -> bool:
        """Whether this is a <frame> of MJCF, which has no meaning for users."""
        return self.tag == "frame" and self.parent is not None and self.parent.tag not in _SCOPES

    @property
    def element(self) -> str:
        """The path of elements to this one, as text; empty for the outermost one."""
        return ": ".join(self._way())

    @property
    def where(self) -> str:
        """The file and the path of elements."""
        return ": ".join((self.file, *self._way()))

    def _way(self) -> list[str]:
        """The path of a nested element, or of one from another file, is short."""
        titles, node = [], self
        while node.parent is not None:
            titles.append(node.title)
            nested = node.tag in _NESTED and node.parent.tag not in _SCOPES
            if nested or node.file != node.parent.file:
                break
            node = node.parent
        return titles[::-1]

    def error(
        self,
        message: str,
        advice: str = "",
        kind: type[E] = FileFormatError,  # type: ignore[assignment]
    ) -> E:
        """The error to raise about this element; for the outermost one, which is the whole file, without a line."""
        line = None if self.parent is None else self.line
        problem = kind(message, advice=advice, file=self.file, element=self.element, line=line)
        problem.subject = self.subject
        return problem

    def unknown(
        self, what: str, name: str, valid: Iterable[str], where: str = "", *, key: str = "", cause: str = ""
    ) -> FileFormatError:
        """The error for a name in this element that does not exist: in the attribute `key`, for a possible `cause`."""
        message, advice = missing_name(what, name, valid, where, MOST_OFFERED)
        return self.error((f"{key}: " if key else "") + message, advice + cause)

    def copy(self, tag: str, attributes: dict[str, str]) -> Node:
        """An empty element at the same location."""
        return Node(tag, attributes, self.line, self.file, self.parent)

    def with_attributes(self, attributes: dict[str, str]) -> Node:
        """The same element with other attributes and the same contents."""
        copied = self.copy(self.tag, attributes)
        copied.inside, copied.content_text, copied.source = self.inside, self.content_text, self.written
        return copied

    def deep_copy(self) -> Node:
        """A deep copy of the element; uses a stack, since nesting may exceed Python's recursion limit."""
        top = self.copy(self.tag, dict(self.attributes))
        waiting = [(self, top)]
        while waiting:
            old, new = waiting.pop()
            new.content_text, new.source = old.content_text, old.source
            for inner in old.inside:
                copied = Node(inner.tag, dict(inner.attributes), inner.line, inner.file, new)
                new.inside.append(copied)
                waiting.append((inner, copied))
        return top

    def hold(self, inside: list[Node]) -> None:
        """Replace the contents by these elements."""
        self.inside = inside
        for node in inside:
            node.parent = self

    def iter(self, tag: str | None = None) -> Iterator[Node]:
        """This element and all its descendants, in the order of the file; optionally of one tag only."""
        waiting = [self]
        while waiting:
            node = waiting.pop()
            if tag is None or node.tag == tag:
                yield node
            waiting.extend(reversed(node.inside))

    def within(self, tags: Container[str]) -> Iterator[Node]:
        """This element and its descendants, in the order of the file, while all tags on the path are these."""
        waiting = [self]
        while waiting:
            node = waiting.pop()
            yield node
            waiting += [inner for inner in reversed(node.inside) if inner.tag in tags]

    def children(self, tag: str) -> Iterator[Node]:
        """The elements directly inside with that tag, in the order of the file."""
        return (node for node in self.inside if node.tag == tag)

    def child(self, tag: str) -> Node | None:
        """The first element directly inside with that tag."""
        for node in self.inside:  # faster than a generator, and called often
            if node.tag == tag:
                return node
        return None

    def required(self, tag: str, advice: str = "") -> Node:
        """The first element directly inside with that tag, or an error that says it is missing."""
        child = self.child(tag)
        if child is None:
            raise self.error(f"has no <{tag}>, which is required", advice or f"add <{tag}>")
        return child

    def get(self, attribute: str) -> str:
        """An attribute without blanks around it; empty if it is missing."""
        return self.attributes.get(attribute, "").strip()

    def has(self, attribute: str) -> bool:
        return attribute in self.attributes

    def text(self, attribute: str, advice: str = "") -> str:
        """A required attribute that is not empty."""
        value = self.get(attribute)
        if not value:
            advice = advice or f'add {attribute}="…"'
            raise self.error(f"the attribute {attribute} is missing or empty", advice, UnreadableValue)
        return value

    @property
    def value(self) -> str:
        """The text between its tags, without blanks around it."""
        return "".join(self.content_text).strip()

    def content(self) -> str:
        """The text between its tags, which must not be empty."""
        text = self.value
        if not text:
            raise self.error("is empty", "write its value between the tags", UnreadableValue)
        return text

    def numbers(
        self,
        attribute: str,
        count: int | None,
        missing: tuple[float, ...] | None = None,
        *,
        least: int | None = None,
        infinite: bool = False,
    ) -> tuple[float, ...]:
        """An attribute with `count` numbers separated by blanks, None for any count, or from `least` to `count`;
        without a name of an attribute, the text between the tags.  `infinite` allows ±inf.

        It is required, unless a value is given for one that is missing.
        """
        if missing is not None and attribute not in self.attributes:
            return missing
        text = self.text(attribute) if attribute else self.content()
        most = len(text.split()) if count is None else count
        least = most if least is None else least
        values, problem = read_numbers(text, least, most, infinite=infinite)
        if problem:
            place = f'{attribute}="{quoted(text)}"' if attribute else f'"{quoted(text)}"'
            count_of = counted(most, least=least, kind="finite " if problem == NOT_FINITE else "")
            example = " such as 0.5" if problem == NO_NUMBERS else ""
            raise self.error(f"{place} {problem}", f"give {count_of}{example}", UnreadableValue)
        return values

    def number(self, attribute: str, missing: float | None = None, *, infinite: bool = False) -> float:
        """An attribute with one number, required unless a value is given for one that is missing."""
        return self.numbers(attribute, 1, None if missing is None else (missing,), infinite=infinite)[0]

    def not_negative(self, what: str, value: float) -> float:
        """The value, if it is not below zero."""
        if value < 0.0:
            raise self.error(f"the {what} is {value}", "give 0 or more")
        return value

    def content_numbers(self, count: int | None, *, infinite: bool = False) -> tuple[float, ...]:
        """The text between the tags as `count` numbers separated by blanks."""
        return self.numbers("", count, infinite=infinite)

    def number_in(self, tag: str, missing: float, *, infinite: bool = False) -> float:
        """The number between the tags of the first element of that tag inside; `missing` where there is none."""
        child = self.child(tag)
        return missing if child is None else child.content_numbers(1, infinite=infinite)[0]

    def positive(self, sizes: tuple[float, ...]) -> tuple[float, ...]:
        """The sizes of this shape, if all are above zero."""
        if not all(size > 0.0 for size in sizes):
            raise self.error(f"its sizes are {', '.join(map(str, sizes))}", "give numbers above 0")
        return sizes


NO_NUMBERS, NOT_FINITE = "is not numbers", "is not finite"


def read_numbers(text: str, least: int, most: int, *, infinite: bool = False) -> tuple[tuple[float, ...], str]:
    """The numbers of a text, and a description of any problem; `infinite` allows ±inf.

    >>> read_numbers("1 2", 2, 2), read_numbers("1 nan", 1, 3)[1], read_numbers("1 two", 2, 2)[1]
    (((1.0, 2.0), ''), 'is not finite', 'is not numbers')
    """
    try:
        values = tuple(map(_number, text.split()))
    except ValueError:
        return (), NO_NUMBERS
    if not least <= len(values) <= most:
        return values, f"holds {counted(len(values))}"
    finite = all(math.isfinite(x) or (infinite and not math.isnan(x)) for x in values)
    return values, "" if finite else NOT_FINITE


def _number(word: str) -> float:
    """A decimal number; Python's extensions (1_000, digits of other scripts) raise an error."""
    if "_" in word or not word.isascii():
        raise ValueError(word)
    return float(word)


def counted(count: int, *, least: int | None = None, kind: str = "") -> str:
    """A count of numbers as text."""
    from_to = f"{least} to {count}" if least not in (None, count) else f"{count}"
    return f"{from_to} {kind}number" if count == 1 else f"{from_to} {kind}numbers"
