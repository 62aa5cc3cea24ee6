"""A progress line on the terminal during long work: none in a pipe, none for short work, removed at the end."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

PATIENCE = 0.7
"""Seconds before a line appears."""

TICK = 0.5
CLEAR = "\r\x1b[K"

_lines: list[str] = []
"""The work in progress, innermost last; only the innermost is shown."""

_silenced = 0


@contextmanager
def progress(text: str, when: bool = True) -> Iterator[None]:
    """Show `text` and the seconds on standard error, if that is a terminal and the work takes long.

    A separate thread writes the line, so that the work and Ctrl-C are not affected.

    >>> with progress("adding"):
    ...     1 + 1
    2
    """
    if not when or _silenced or not _is_terminal():
        yield
        return
    done = threading.Event()
    ticker = threading.Thread(target=_tick, args=(text, done), daemon=True, name="sixvec-progress")
    _lines.append(text)
    ticker.start()
    try:
        yield
    finally:
        done.set()
        _lines.remove(text)
        ticker.join()


@contextmanager
def silence() -> Iterator[None]:
    """Suspend the line while something else writes to the terminal."""
    global _silenced
    _silenced += 1
    try:
        yield
    finally:
        _silenced -= 1


def _is_terminal() -> bool:
    try:
        return sys.stderr.isatty()
    except (AttributeError, ValueError):  # none, or closed
        return False


def _tick(text: str, done: threading.Event) -> None:
    start, shown = time.monotonic(), False
    wait = PATIENCE
    while not done.wait(wait):
        wait = TICK
        if _lines and _lines[-1] == text and not _silenced:
            shown = True
            _write(f"{CLEAR}{text} … {time.monotonic() - start:.0f} s")
    if shown:
        _write(CLEAR)


def _write(text: str) -> None:
    try:
        sys.stderr.write(text)
        sys.stderr.flush()
    except (OSError, ValueError):
        pass  # the terminal is closed; the work continues
