"""The files that an SDF file includes: each is a model of its own, and is examined on its own.

The files are those that the loader would read, each once however often it is included.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from xml.etree.ElementTree import Element

from sixvec.doctor.finding import Finding
from sixvec.doctor.source import Tag, Unreadable, error, inside, read_tags
from sixvec.errors import FileFormatError
from sixvec.loaders.sdf_uri import Folders
from sixvec.loaders.xml import LARGEST_FILE, Node

MOST_FILES = 256
"""Files of one robot that are looked at; published ones have some ten."""


def included_files(root: Tag, path: Path) -> tuple[list[tuple[Tag, Path]], list[Finding]]:
    """The outermost elements of all files that a file includes, directly or not, and what is wrong with others."""
    found: list[tuple[Tag, Path]] = []
    problems: list[Finding] = []
    folders, seen, budget = Folders(path.parent), {path.resolve()}, LARGEST_FILE
    waiting = [(root, path)]
    while waiting:
        host, home = waiting.pop()
        for owner, t in _includes(host):
            try:
                target = _file(t, folders, home.parent)
                if target is None or target in seen or len(seen) > MOST_FILES:
                    continue
                seen.add(target)
                budget -= target.stat().st_size
                if budget < 0:
                    return found, problems  # the loader says that this is too much
                inner = read_tags(target, str(target))
                found.append((inner, target))
                waiting.append((inner, target))
            except Unreadable as problem:
                problems.append(problem.finding)
            except FileFormatError as problem:
                message, _, advice = str(problem).removeprefix(": ").partition("; ")
                problems.append(inside(owner, error(t, message, advice or "correct the name, or take it out")))
    return found, problems


def _includes(root: Tag) -> Iterator[tuple[Tag, Tag]]:
    """Each <include> of a world or model, with that."""
    waiting = [root]
    while waiting:
        t = waiting.pop()
        for inner in t.inside:
            if inner.tag == "include" and t is not root:
                yield t, inner
            elif inner.tag in ("world", "model"):
                waiting.append(inner)


def _file(t: Tag, folders: Folders, here: Path) -> Path | None:
    """The file that an <include> means; None where it cannot be looked at."""
    uri = t.first("uri")
    if uri is None or not uri.text:
        raise FileFormatError("names no file; add <uri> with its address")
    element = Element("uri")
    element.text = uri.text
    return folders.file(Node(element, ""), here)
