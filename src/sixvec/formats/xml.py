"""The parser of untrusted XML: bounded, without entities, as tolerant as the formats' own programs.

Document type declarations with entities or a file are errors, so that neither entity expansion nor references to other
files are possible.  The programs for which robot files are written use TinyXML, which has no namespaces and does not
check comments; documents that it accepts and the standard does not are read here too, and noted as a `Slip`.  Valid
files are parsed unchanged: only a rejected document is repaired, and then parsed again by the same parser.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple
from xml.parsers import expat

from sixvec.errors import FileFormatError
from sixvec.formats.budget import read_bytes, spend
from sixvec.formats.node import Node
from sixvec.formats.problems import remark
from sixvec.quoting import message, quoted

LARGEST_FILE = 64 * 1024 * 1024
"""Bytes; robot files are far smaller (the geometry is in separate files)."""

DEEPEST = 20_000
"""Depth of nesting: chains of ten thousand bodies are read, and files that only nest raise an error."""

MACROS = "xacro"
"""The prefix that elements of the macro language get, whatever the file calls its namespace."""


class Slip(NamedTuple):
    """An error for strict readers of XML, and the line of its first occurrence."""

    line: int
    what: str


class LooseXml(UserWarning):
    """A file that the formats' own programs read, and strict readers of XML do not."""

    def __init__(self, where: str, slips: Sequence[Slip]) -> None:
        self.where, self.slips = where, tuple(slips)
        listed = ", ".join(f"{slip.what} (line {slip.line})" for slip in self.slips)
        super().__init__(message(f"{where}: read, though it is not quite XML: {listed}"))

    def __reduce__(self) -> tuple[type[LooseXml], tuple[str, tuple[Slip, ...]]]:
        return LooseXml, (self.where, self.slips)


def read_xml(source: Path) -> Node:
    """The outermost element of an XML file."""
    try:
        data = read_bytes(source, LARGEST_FILE)
    except OSError as problem:
        raise FileFormatError(f"cannot be read: {problem.strerror}", file=str(source)) from None
    return parse_xml(data, str(source))


def parse_xml(data: str | bytes, where: str) -> Node:
    """The outermost element of an XML document; `where` names the document in errors.

    >>> parse_xml("<robot>", "arm.urdf")
    Traceback (most recent call last):
    sixvec.errors.FileFormatError: arm.urdf: not well-formed XML: no element found: line 1, column 7
    """
    try:
        root, slips = _parsed(data, where)
    except FileFormatError as problem:
        mended, slips = _mended(data) if problem.advice.startswith(_LOOK) else (data, [])
        if not slips:
            raise
        root, more = _parsed(mended, where)
        slips = sorted([*slips, *more])
    if slips:
        remark(LooseXml(where, slips))
    return root


_LOOK = "look at column "


def _parsed(data: str | bytes, where: str) -> tuple[Node, list[Slip]]:
    parser = expat.ParserCreate()
    parser.buffer_text = True
    handler = _Handler(where, parser)
    handlers = handler.start_element, handler.end_element, handler.characters, handler.require_no_document_type
    try:
        _set_handlers(parser, *handlers)
        parser.Parse(data, False)
        parser.Parse(b"", True)
    except expat.error as problem:
        if slip := handler.slip_behind_the_end(data, problem):
            handler.slips[slip.what] = slip.line
            return _done(handler)
        line, column = problem.lineno or 1, problem.offset
        why = f"not well-formed XML: {quoted(expat.ErrorString(problem.code))}"
        text = f"{where}: {why}: line {line}, column {column}"
        advice = f"{_LOOK}{column}" if data.strip() else "the file is empty"
        raise FileFormatError(why, advice=advice, file=where, line=line, text=text) from None
    except (ValueError, LookupError) as problem:  # an encoding that the parser does not have
        if isinstance(problem, FileFormatError):
            raise
        why = f"not well-formed XML: its encoding cannot be read: {quoted(str(problem))}"
        raise _problem(where, 1, why, "save the file as UTF-8") from None
    finally:
        _set_handlers(parser, None, None, None, None)  # or the tree would live until a search for cycles
    return _done(handler)


def _done(handler: _Handler) -> tuple[Node, list[Slip]]:
    assert handler.root is not None  # the parser has reported a document without elements
    return handler.root, [Slip(line, what) for what, line in handler.slips.items()]


def _set_handlers(parser: Any, start: Any, end: Any, characters: Any, document_type: Any) -> None:
    parser.StartElementHandler, parser.EndElementHandler = start, end
    parser.CharacterDataHandler, parser.StartDoctypeDeclHandler = characters, document_type


def _problem(where: str, line: int, why: str, advice: str) -> FileFormatError:
    """The error for a document as a whole: the line is known, but not informative."""
    return FileFormatError(why, advice=advice, file=where, line=line, text=f"{where}: {why}; {advice}")


_JUNK = expat.errors.codes[expat.errors.XML_ERROR_JUNK_AFTER_DOC_ELEMENT]
_INVALID = expat.errors.codes[expat.errors.XML_ERROR_INVALID_TOKEN]


@dataclass
class _Handler:
    """The handler of parser events: builds the tree, counts elements, and notes undeclared prefixes."""

    where: str
    parser: Any
    root: Node | None = None
    slips: dict[str, int] = field(default_factory=dict)
    _open: list[Node] = field(default_factory=list)
    _prefixes: dict[str, str] = field(default_factory=lambda: {"xml": "xml"})
    """The text for each prefix declared earlier in the file."""

    def require_no_document_type(self, name: str, system: str | None, public: str | None, has_subset: int) -> None:
        """Only such a declaration can define entities, which may expand without end or name other files.

        One that only repeats the name of the outermost element says nothing.
        """
        if system or public or has_subset:
            why = "has a document type declaration (<!DOCTYPE …>) with entities or the name of another file"
            raise _problem(self.where, self.parser.CurrentLineNumber, why, "remove it, robot files need none")

    def start_element(self, name: str, attributes: dict[str, str]) -> None:
        line = self.parser.CurrentLineNumber
        if ":" in name or any(":" in key or key == "xmlns" for key in attributes):
            name, attributes = self._with_prefixes(name, attributes, line)
        parent = self._open[-1] if self._open else None
        node = Node(name, attributes, line, self.where, parent)
        if parent is None:
            self.root = node
        else:
            parent.inside.append(node)
        self._open.append(node)
        if len(self._open) > DEEPEST:
            raise _problem(self.where, line, f"more than {DEEPEST} elements inside each other", "robots need fewer")
        spend("elements", 1, lambda message, advice: _problem(self.where, line, message, advice))

    def end_element(self, name: str) -> None:
        self._open.pop()

    def slip_behind_the_end(self, data: str | bytes, problem: expat.ExpatError) -> Slip | None:
        """Further tags behind the outermost element, if that is complete: TinyXML reads documents with such tags."""
        if self.root is None or self._open:
            return None
        text, at = data.encode() if isinstance(data, str) else data, self.parser.ErrorByteIndex
        is_element = problem.code == _JUNK and text[at : at + 1] == b"<"
        is_end = problem.code == _INVALID and text[at - 1 : at + 1] == b"</"
        return (
            Slip(problem.lineno, f"what follows </{quoted(self.root.tag)}> is not read")
            if is_element or is_end
            else None
        )

    def characters(self, content: str) -> None:
        node = self._open[-1]
        if not node.inside and (node.content_text or not content.isspace()):
            node.content_text.append(content)

    def _with_prefixes(self, name: str, attributes: dict[str, str], line: int) -> tuple[str, dict[str, str]]:
        """The element without declarations of namespaces, which the formats do not have."""
        for key, value in attributes.items():
            prefix, _, declared = key.partition(":")
            if prefix == "xmlns" and declared:
                self._prefixes[declared] = MACROS if value.rstrip("/").endswith(MACROS) else declared
            elif prefix == "xmlns":
                self._slip(f'the default namespace "{quoted(value)}" is not part of robot files', line)
        attributes_kept = {key: value for key, value in attributes.items() if key.partition(":")[0] != "xmlns"}
        return self._prefixed(name, line), {self._prefixed(key, line): value for key, value in attributes_kept.items()}

    def _prefixed(self, name: str, line: int) -> str:
        prefix, separator, local_name = name.partition(":")
        if not separator:
            return name
        if prefix not in self._prefixes:
            self._slip(f'the prefix "{quoted(prefix)}" is not declared', line)
        return f"{self._prefixes.get(prefix, prefix)}:{local_name}"

    def _slip(self, what: str, line: int) -> None:
        self.slips.setdefault(what, line)


_BLANKS = " \t\r\n"
_BOM = "\ufeff\xef\xbb\xbf"
"""The byte order mark as a character, and as bytes."""

_DECLARATION = re.compile(r"<\?xml\s[^>]*\?>")
_OPAQUE = re.compile(r"<!--|<!\[CDATA\[|<\?")
_END = {"<!--": "-->", "<![CDATA[": "]]>", "<?": "?>"}
_NOT_A_BREAK = re.compile(r"[^\r\n]")
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f]")


def _mended(data: str | bytes) -> tuple[str | bytes, list[Slip]]:
    """The document with its declaration first and its comments blanked, with unchanged line numbers."""
    text = data if isinstance(data, str) else data.decode("latin-1")  # byte by byte, whatever the encoding
    slips = []
    ahead = text[: len(text) - len(text.lstrip(_BLANKS + _BOM))]
    declaration = _DECLARATION.match(text, len(ahead))
    if declaration is not None and (blanks := ahead.strip(_BOM)):
        slips.append(Slip(1, "blanks precede the XML declaration"))
        text = f"{declaration[0]}{blanks.translate(dict.fromkeys(map(ord, _BOM)))}{text[declaration.end() :]}"
    text, line = _without_comments(text)
    if line:
        slips.append(Slip(line, "a comment holds -- or bytes that are not text"))
    return text if isinstance(data, str) else text.encode("latin-1"), slips


def _without_comments(text: str) -> tuple[str, int]:
    """The text with blanks for every comment that violates the standard, and the line of the first."""
    pieces, first, done, start = [], 0, 0, 0
    while (match := _OPAQUE.search(text, start)) is not None:
        end = text.find(_END[match[0]], match.end())
        if end < 0:
            break
        start = end + len(_END[match[0]])
        inside = text[match.end() : end]
        if match[0] == "<!--" and ("--" in f"{inside}-" or not _is_text(inside)):
            first = first or text.count("\n", 0, match.start()) + 1
            pieces += [text[done : match.end()], _NOT_A_BREAK.sub(" ", inside)]
            done = end
    return "".join([*pieces, text[done:]]), first


def _is_text(comment: str) -> bool:
    try:
        comment.encode("latin-1").decode("utf-8")  # bytes of a file
    except UnicodeDecodeError:
        return False
    except UnicodeEncodeError:
        pass  # a text already
    return not _CONTROL.search(comment)
