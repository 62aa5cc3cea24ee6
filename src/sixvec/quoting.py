"""Text of others in our messages: names from files and command lines may be long, or hold what steers a terminal."""

from __future__ import annotations

LONGEST_QUOTE = 60
"""How much of a file's text a message repeats."""

LONGEST_LINE = 2000
"""How long a line may be that holds quoted text among our own."""


def quoted(text: str, longest: int = LONGEST_QUOTE) -> str:
    """The text as it may stand in a message: printable, on one line, not too long.

    >>> quoted("a" * 100)[-3:], quoted("two" + chr(10) + "lines")
    ('aa…', 'two lines')
    """
    if len(text) <= longest and text.isprintable():
        return text
    line = "".join(c if c.isprintable() else " " for c in text[: longest + 1])
    return line if len(line) <= longest else line[:longest] + "…"


def shown(text: str) -> str:
    """Lines of ours as they may reach a terminal: each printable and not too long.

    >>> shown("red: " + chr(27) + "[31m" + chr(10) + "next line")
    'red:  [31m\\nnext line'
    """
    return "\n".join(quoted(line, LONGEST_LINE) for line in text.split("\n"))
