"""What the reading of one robot may cost: bytes, elements, words and corners of meshes, counted over all its files.

A limit on each file alone does not bound a load: a small file may name a large mesh many times, or ask for copies of
its elements.  The functions that read call `spend`, wherever they are; `one_budget` makes everything inside count
together.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO

from sixvec.errors import FileFormatError

LIMITS = {
    "bytes of files": 128 * 2**20,
    "elements": 400_000,
    "copied elements": 50_000,
    "words and lines of meshes": 10_000_000,
    "corners of polygons": 160_000,
    "comparisons of corners": 8_000_000,
    "triangles of inertias": 1_000_000,
    "drawn triangles": 2_000_000,
    "pairs of links": 500_000,
    "corners of hulls": 2_000_000,
    "vertices of hulls": 300_000,
}
"""The most of each that one load may read or make: ten times what published robots need, and a few seconds of work.

Ten thousand links with all their properties and shapes have 250 000 elements.  A copied element costs more than one
that is only read, because most of the copies are bodies.  A mesh of a million triangles as text, with a normal at each
vertex, has ten million words and lines.  Polygons are faces of more than four corners; their corners are compared.
A thousand links have 499 500 pairs, which an SRDF file may disable.  The meshes of a published robot have a million
corners, and their convex hulls have few vertices; a hull with as many as corners takes ten times longer.
"""

MakeError = Callable[[str, str], FileFormatError]
"""The error for a message and an advice, as `Node.error` makes it."""


@dataclass
class Budget:
    """The amounts spent so far, and the meshes already read."""

    spent: dict[str, int] = field(default_factory=lambda: dict.fromkeys(LIMITS, 0))
    read: dict[Any, Any] = field(default_factory=dict)
    deadline: float = float("inf")
    """The value of `time.monotonic()` after which nothing more is read."""

    def spend(self, what: str, amount: int, error: MakeError) -> None:
        """Count an amount before the work is done; an error if there is too much of it, or if it is too late."""
        self.spent[what] += amount
        if self.spent[what] > LIMITS[what]:
            raise error(f"more than {_in_words(what)}", "robots need fewer")
        if time.monotonic() > self.deadline:
            raise error("to read it takes too long", "robots need less time")


_BUDGET: ContextVar[Budget | None] = ContextVar("budget", default=None)


@contextmanager
def one_budget() -> Iterator[Budget]:
    """A context in which everything that is read counts together, apart from other loads."""
    token = _BUDGET.set(Budget())
    try:
        yield budget()
    finally:
        _BUDGET.reset(token)


def budget() -> Budget:
    """The budget of the present load; a new one outside of loads."""
    return _BUDGET.get() or Budget()


def _of_nothing(message: str, advice: str) -> FileFormatError:
    return FileFormatError(message, advice=advice)


def spend(what: str, amount: int = 1, error: MakeError = _of_nothing) -> None:
    """Count an amount of something in the present load; `error` makes the error from a message and an advice.

    >>> with one_budget():
    ...     spend("elements", 300_000)
    ...     spend("elements", 200_000)
    Traceback (most recent call last):
    sixvec.errors.FileFormatError: more than 400000 elements; robots need fewer
    """
    budget().spend(what, amount, error)


def read_bytes(path: Path, most: int, what: str = "file of a robot") -> bytes:
    """The content of a file of at most that many bytes; it counts before it is read."""

    def problem_of(message: str, advice: str) -> FileFormatError:
        return FileFormatError(message, advice=advice, file=str(path))

    with path.open("rb") as file:
        spend("bytes of files", min(path.stat().st_size, most), problem_of)
        data = b"".join(_parts(file, most + 1))  # the size is not that of a file that grows
    if len(data) > most:
        raise problem_of(f"larger than {_size(most)}", f"a {what} may not be larger")
    return data


AT_ONCE = 2**20
"""Bytes that are read at once: Python reserves memory for all that a call asks for."""


def _parts(file: BinaryIO, most: int) -> Iterator[bytes]:
    while most > 0 and (chunk := file.read(min(AT_ONCE, most))):
        most -= len(chunk)
        yield chunk


def once(key: Any, read: Callable[[], Any]) -> Any:
    """The result of reading something, which one load does once."""
    known = budget().read
    if key not in known:
        known[key] = read()
    return known[key]


def _in_words(what: str) -> str:
    return f"{_size(LIMITS[what])} of files" if what == "bytes of files" else f"{LIMITS[what]} {what}"


def _size(count: int) -> str:
    return f"{count // 2**20} MiB" if count >= 2**20 else f"{count} bytes"
