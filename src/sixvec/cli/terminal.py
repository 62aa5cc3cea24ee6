"""Output to the terminal: printable lines in its character set."""

from __future__ import annotations

import codecs
import io
import os
import sys

from sixvec.quoting import LONGEST_LINE, plain, printable, quoted

_HANDLER = "sixvec-plain"


def prepare_streams() -> None:
    """Make the streams replace characters missing in their encoding instead of failing.

    A process that starts with a closed stream, as daemons do, has none: its text is discarded.
    """
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115 - until the process ends
    codecs.register_error(_HANDLER, _plain)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors=_HANDLER)


def say(text: str = "") -> None:
    """Print lines for the user."""
    print(printable(text))


def as_printed(text: str) -> str:
    """The text in the characters that standard output has: what replaces one may be longer, and columns count it."""
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    return text.encode(encoding, _HANDLER).decode(encoding)


def complain(text: str) -> None:
    """Print one line about a problem."""
    print(f"sixvec: {quoted(text, LONGEST_LINE)}", file=sys.stderr)


def _plain(problem: UnicodeError) -> tuple[str, int]:
    if not isinstance(problem, UnicodeEncodeError):
        raise problem
    return "".join(map(plain, problem.object[problem.start : problem.end])), problem.end
