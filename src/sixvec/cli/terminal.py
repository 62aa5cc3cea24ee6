"""What reaches the terminal: printable lines, in the letters that it has."""

from __future__ import annotations

import codecs
import io
import sys
import unicodedata

from sixvec.quoting import LONGEST_LINE, quoted, shown

PLAIN = {
    "✓": "ok", "✗": "NO", "…": "...", "·": "*", "×": "x", "−": "-", "–": "-", "—": "-", "°": " deg", "½": "1/2",
    "²": "^2", "³": "^3", "⁻": "^-", "ᵀ": "^T", "∂": "d", "∞": "inf", "≤": "<=", "≥": ">=", "≠": "!=", "→": "->",
    "⊕": "(+)", "⊖": "(-)", "µ": "u", "─": "-", "━": "-", "│": "|", "├": "|", "└": "`", "“": '"', "”": '"',
}  # fmt: skip
"""How our signs are written where there is only ASCII."""

_HANDLER = "sixvec-plain"


def prepare_streams() -> None:
    """Have the streams write what their encoding lacks in other letters, instead of failing."""
    codecs.register_error(_HANDLER, _plain)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors=_HANDLER)


def say(text: str = "") -> None:
    """Print lines for the user."""
    print(shown(text))


def complain(text: str) -> None:
    """Print one line about a problem."""
    print(f"sixvec: {quoted(text, LONGEST_LINE)}", file=sys.stderr)


def plain(letter: str) -> str:
    """A letter in ASCII: our signs by the table, Greek ones by name, others without their accents.

    >>> [plain(letter) for letter in ("✓", "τ", "Ω", "é", "中")]
    ['ok', 'tau', 'Omega', 'e', '?']
    """
    if letter in PLAIN:
        return PLAIN[letter]
    match unicodedata.name(letter, "").split():
        case ["GREEK", size, "LETTER", name, *_]:
            return name.lower() if size == "SMALL" else name.capitalize()
    return unicodedata.normalize("NFKD", letter).encode("ascii", "ignore").decode() or "?"


def _plain(problem: UnicodeError) -> tuple[str, int]:
    if not isinstance(problem, UnicodeEncodeError):
        raise problem
    return "".join(map(plain, problem.object[problem.start : problem.end])), problem.end
