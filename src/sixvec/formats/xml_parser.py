"""The one parser of XML that may come from anywhere: bounded, without entities, as forgiving as the formats' own.

Document type declarations are refused as a whole, so that neither entity expansion nor references to other files can
happen.  The programs that robot files are written for read them with TinyXML, which knows no namespaces and looks into
no comment; what it takes and the standard does not is read here too, and told as a `Slip`.  Valid files are parsed as
they are: only a document that is refused is mended, and the same parser decides about what comes out.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol, TypeVar
from xml.sax import SAXParseException
from xml.sax.handler import ContentHandler

from defusedxml import DefusedXmlException  # type: ignore[import-untyped, unused-ignore]
from defusedxml.expatreader import DefusedExpatParser  # type: ignore[import-untyped, unused-ignore]

from sixvec.quoting import quoted

DEEPEST = 20_000
"""Elements inside each other: chains of ten thousand bodies are read, and files that only nest are refused early."""

MOST_ELEMENTS = 400_000
"""Elements of one file; ten thousand links with all their properties and shapes have 250 000."""

MACROS = "xacro"
"""The prefix that elements of the macro language get, whatever the file calls its namespace."""

E = TypeVar("E")


class Slip(NamedTuple):
    """Something that strict readers of XML refuse, and the line where it stands first."""

    line: int
    what: str


class XmlError(Exception):
    """A document that cannot be read."""

    def __init__(self, line: int, column: int | None, message: str, advice: str) -> None:
        super().__init__(message)
        self.line, self.column, self.message, self.advice = line, column, message, advice


class Trees(Protocol[E]):
    """How elements are made and put together."""

    def element(self, tag: str, attributes: dict[str, str], line: int, parent: E | None) -> E: ...

    def text(self, element: E, text: str) -> None: ...


def parse(data: str | bytes, trees: Trees[E]) -> tuple[E, list[Slip]]:
    """The outermost element of a document, and what is not quite XML in it."""
    try:
        return _parsed(data, trees)
    except XmlError as problem:
        mended, slips = _mended(data) if problem.column is not None else (data, [])
        if not slips:
            raise
        root, more = _parsed(mended, trees)
        return root, sorted([*slips, *more])


def _parsed(data: str | bytes, trees: Trees[E]) -> tuple[E, list[Slip]]:
    parser: Any = DefusedExpatParser(namespaceHandling=0, forbid_dtd=True)
    handler = _Handler(trees, parser)
    parser.setContentHandler(handler)
    try:
        parser.feed(data)
        parser.close()
    except DefusedXmlException:
        message = "has a document type declaration (<!DOCTYPE …>, entities)"
        raise XmlError(parser.getLineNumber(), None, message, "remove it, robot files need none") from None
    except SAXParseException as problem:
        line, column = problem.getLineNumber() or 1, problem.getColumnNumber()
        advice = f"look at column {column}" if data.strip() else "the file is empty"
        raise XmlError(line, column, f"not well-formed XML: {quoted(problem.getMessage())}", advice) from None
    except (ValueError, LookupError) as problem:  # an encoding that the parser does not have
        message = f"not well-formed XML: its encoding cannot be read: {quoted(str(problem))}"
        raise XmlError(1, None, message, "save the file as UTF-8") from None
    assert handler.root is not None  # the parser has reported a document without elements
    return handler.root, [Slip(line, what) for what, line in handler.slips.items()]


@dataclass
class _Handler(ContentHandler):
    """What the parser tells: counts elements, and notes prefixes that nobody has declared."""

    trees: Trees[Any]
    parser: Any
    root: Any = None
    slips: dict[str, int] = field(default_factory=dict)
    _open: list[Any] = field(default_factory=list)
    _count: int = 0
    _prefixes: dict[str, str] = field(default_factory=lambda: {"xml": "xml"})
    """What is written for each prefix that is declared somewhere above in the file."""

    def startElement(self, name: str, attrs: Any) -> None:
        line, attributes = self.parser.getLineNumber(), dict(attrs.items())
        if ":" in name or any(":" in key or key == "xmlns" for key in attributes):
            name, attributes = self._with_prefixes(name, attributes, line)
        made = self.trees.element(name, attributes, line, self._open[-1] if self._open else None)
        if self.root is None:
            self.root = made
        self._open.append(made)
        self._count += 1
        if len(self._open) > DEEPEST:
            raise XmlError(line, None, f"more than {DEEPEST} elements inside each other", "robots need fewer")
        if self._count > MOST_ELEMENTS:
            raise XmlError(line, None, f"more than {MOST_ELEMENTS} elements", "robots need fewer")

    def endElement(self, name: str) -> None:
        self._open.pop()

    def characters(self, content: str) -> None:
        self.trees.text(self._open[-1], content)

    def _with_prefixes(self, name: str, attributes: dict[str, str], line: int) -> tuple[str, dict[str, str]]:
        """The element without declarations of namespaces, which the formats do not have."""
        for key, value in attributes.items():
            prefix, _, declared = key.partition(":")
            if prefix == "xmlns" and declared:
                self._prefixes[declared] = MACROS if value.rstrip("/").endswith(MACROS) else declared
            elif prefix == "xmlns":
                self._slip(f'the default namespace "{quoted(value)}" is not part of robot files', line)
        kept = {key: value for key, value in attributes.items() if key.partition(":")[0] != "xmlns"}
        return self._prefixed(name, line), {self._prefixed(key, line): value for key, value in kept.items()}

    def _prefixed(self, name: str, line: int) -> str:
        prefix, separator, rest = name.partition(":")
        if not separator:
            return name
        if prefix not in self._prefixes:
            self._slip(f'the prefix "{quoted(prefix)}" is not declared', line)
        return f"{self._prefixes.get(prefix, prefix)}:{rest}"

    def _slip(self, what: str, line: int) -> None:
        self.slips.setdefault(what, line)


_BLANKS = " \t\r\n"
_BOM = "\ufeff\xef\xbb\xbf"
"""The mark of a byte order as a letter, and as bytes."""

_DECLARATION = re.compile(r"<\?xml\s[^>]*\?>")
_OPAQUE = re.compile(r"<!--|<!\[CDATA\[|<\?")
_END = {"<!--": "-->", "<![CDATA[": "]]>", "<?": "?>"}
_NOT_A_BREAK = re.compile(r"[^\r\n]")
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f]")


def _mended(data: str | bytes) -> tuple[str | bytes, list[Slip]]:
    """The document with its declaration first and its comments blank, every line where it was."""
    text = data if isinstance(data, str) else data.decode("latin-1")  # byte by byte, whatever the encoding
    slips = []
    ahead = text[: len(text) - len(text.lstrip(_BLANKS + _BOM))]
    declaration = _DECLARATION.match(text, len(ahead))
    if declaration is not None and (blanks := ahead.strip(_BOM)):
        slips.append(Slip(1, "blanks stand before the XML declaration"))
        text = f"{declaration[0]}{blanks.translate(dict.fromkeys(map(ord, _BOM)))}{text[declaration.end() :]}"
    text, line = _without_comments(text)
    if line:
        slips.append(Slip(line, "a comment holds -- or bytes that are not text"))
    return text if isinstance(data, str) else text.encode("latin-1"), slips


def _without_comments(text: str) -> tuple[str, int]:
    """The text with blanks for every comment that is not one by the standard, and the line of the first."""
    pieces, first, done, start = [], 0, 0, 0
    while (found := _OPAQUE.search(text, start)) is not None:
        end = text.find(_END[found[0]], found.end())
        if end < 0:
            break
        start = end + len(_END[found[0]])
        inside = text[found.end() : end]
        if found[0] == "<!--" and ("--" in f"{inside}-" or not _is_text(inside)):
            first = first or text.count("\n", 0, found.start()) + 1
            pieces += [text[done : found.end()], _NOT_A_BREAK.sub(" ", inside)]
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
