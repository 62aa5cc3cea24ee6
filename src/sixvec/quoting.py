"""Untrusted text in messages: names from files and command lines may be long or contain control characters."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

LONGEST_QUOTE = 60
"""The longest quotation from a file in a message."""

LONGEST_LINE = 2000
"""The longest line of a message with quoted text."""


def quoted(text: str, longest: int = LONGEST_QUOTE) -> str:
    """The text as it may appear in a message: printable, on one line, not too long.

    >>> quoted("a" * 100)[-3:], quoted("two" + chr(10) + "lines")
    ('aa…', 'two lines')
    """
    if len(text) <= longest and text.isprintable():
        return text
    line = "".join(c if c.isprintable() else " " for c in text[: longest + 1])
    return line if len(line) <= longest else line[:longest] + "…"


def joined(names: Sequence[str]) -> str:
    """Names in a sentence.

    >>> joined(["a", "b", "c"]), joined(["a"])
    ('a, b and c', 'a')
    """
    *some, last = names
    return f"{', '.join(some)} and {last}" if some else last


def printable(text: str) -> str:
    """Lines of a message as they may be written to a terminal: each printable and not too long.

    >>> printable("red: " + chr(27) + "[31m" + chr(10) + "next line")
    'red:  [31m\\nnext line'
    """
    return "\n".join(quoted(line, LONGEST_LINE) for line in text.split("\n"))


_LONG_QUOTE = re.compile(rf'"([^"]{{{LONGEST_QUOTE}}})[^"]{{{LONGEST_QUOTE},}}"')


def message(text: str) -> str:
    """A whole message on one line: each long quotation is shortened separately, so that the text after it is kept.

    >>> message(f'no link "{"a" * 1000}"; give one that exists').partition("…")[2]
    '"; give one that exists'
    """
    return quoted(_LONG_QUOTE.sub(lambda match: f'"{match[1]}…"', text), LONGEST_LINE)


PLAIN = {
    "✓": "ok", "✗": "NO", "…": "...", "·": "*", "×": "x", "−": "-", "–": "-", "—": "-", "°": " deg", "½": "1/2",
    "²": "^2", "³": "^3", "⁻": "^-", "ᵀ": "^T", "∂": "d", "∞": "inf", "≤": "<=", "≥": ">=", "≠": "!=", "→": "->",
    "⊕": "(+)", "⊖": "(-)", "µ": "u", "─": "-", "━": "-", "│": "|", "├": "|", "└": "`", "“": '"', "”": '"',
}  # fmt: skip
"""ASCII replacements of the library's own symbols."""


def plain(letter: str) -> str:
    """A character in ASCII: symbols by the table, Greek letters as their names, others without their accents.

    >>> [plain(letter) for letter in ("✓", "τ", "Ω", "é", "中")]
    ['ok', 'tau', 'Omega', 'e', '?']
    """
    if letter in PLAIN:
        return PLAIN[letter]
    match unicodedata.name(letter, "").split():
        case ["GREEK", size, "LETTER", name, *_]:
            return name.lower() if size == "SMALL" else name.capitalize()
    return unicodedata.normalize("NFKD", letter).encode("ascii", "ignore").decode() or "?"


def plain_text(text: str) -> str:
    """Text of one line in ASCII, printable.

    >>> plain_text("½ vᵀ M v")
    '1/2 v^T M v'
    """
    line = quoted(text, LONGEST_LINE)
    return line if line.isascii() else "".join(c if c.isascii() else plain(c) for c in line)
