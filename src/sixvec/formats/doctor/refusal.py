"""The loader's error as a finding, where no rule has said the same: a loader stops at the first problem it meets."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from sixvec.errors import SixvecError
from sixvec.formats.doctor.finding import Finding, Severity
from sixvec.formats.doctor.source import Tag

_AT_LINE = re.compile(r" \(line (\d+)\)$")
_PLACE = re.compile(r"""(?:(?:<[^<>]+>|\w+ "[^"]*"): )+""")
"""How the loaders' errors say where: the elements on the way, first, and the line, last."""

_TELLING = re.compile(r'\w+="[^"]*"|in a circle')
"""What says that two messages at different lines are about one thing: a value that comes from a class, a circle."""

NESTED = ("body", "model", "link", "world")
"""Elements inside others that the outer ones do not answer for."""


def refusal(problem: SixvecError, path: Path) -> Finding:
    """The loader's error; of one in this file or in one beside it the line and the element are known."""
    told, file = str(problem), ""
    line, element = None, ""
    home, separator, rest = told.partition(": ")
    if separator and home != str(path) and home.startswith(str(path.resolve().parent)):
        file = home
    if home == str(path) or file:
        told = rest
        if found := _AT_LINE.search(told):
            told, line = told[: found.start()], int(found[1])
        if place := _PLACE.match(told):
            told, element = told[place.end() :], place[0].removesuffix(": ")
    return Finding(Severity.ERROR, line, element, f"cannot be loaded: {told}", "correct this first", file)


def is_told(refused: Finding, found: list[Finding], root: Tag) -> bool:
    """Whether an error of the rules says what the loader says: at its line, in its element, or with its words."""
    errors = [f for f in found if f.severity is Severity.ERROR]
    if refused.line is None:
        return bool(errors)
    lines = {*_lines(root, refused.line, refused.file)}
    said = {*_TELLING.findall(refused.message)}
    return any(
        (f.file == refused.file and f.line in lines) or said.intersection(_TELLING.findall(f.message)) for f in errors
    )


def _lines(root: Tag, line: int, file: str) -> Iterator[int]:
    """A line, and those of everything in the elements that start there."""
    yield line
    waiting = [(root, False)]
    while waiting:
        t, within = waiting.pop()
        within = (within and t.tag not in NESTED) or (t.line == line and t.file == file and t is not root)
        if within:
            yield t.line
        waiting += [(inner, within) for inner in t.inside]
