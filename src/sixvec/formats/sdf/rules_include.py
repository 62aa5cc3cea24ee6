"""The files that an SDF file includes: each is a model of its own, and is examined on its own.

The files are those that the loader would read, each once however often it is included.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from xml.etree.ElementTree import Element

from sixvec.errors import FileFormatError
from sixvec.formats.doctor.finding import Finding
from sixvec.formats.doctor.source import Tag, Unreadable, error, inside, read_tags, warning
from sixvec.formats.sdf.uri import ModelFolders
from sixvec.formats.xml import LARGEST_FILE, Node
from sixvec.quoting import quoted

MOST_FILES = 256
"""Files of one robot that are looked at; published ones have some ten."""


@dataclass(frozen=True)
class Included:
    """The files that a file includes, directly or not, and what is wrong with others."""

    found: list[tuple[Tag, Path]] = field(default_factory=list)
    """The outermost element of each file, and where it is."""
    problems: list[Finding] = field(default_factory=list)
    names: dict[Tag, str] = field(default_factory=dict)
    """What the model of each <include> is called; a guess from the address where the file is not there to say so."""


def included_files(root: Tag, path: Path, trusted: tuple[Path, ...] = ()) -> Included:
    """Read all files that a file includes, directly or not."""
    files, roots = Included(), dict[Path, Tag]()
    folders, seen, budget = ModelFolders(path.parent, trusted), {path.resolve()}, LARGEST_FILE
    waiting = [(root, path)]
    while waiting:
        host, home = waiting.pop()
        for owner, t in _includes(host):
            files.names[t] = _name(t, None)
            try:
                target = _file(t, folders, home.parent)
                if target is None:
                    files.problems.append(inside(owner, _not_found(t)))
                    continue
                files.names[t] = _name(t, roots.get(target))
                if target in seen or len(seen) > MOST_FILES:
                    continue
                seen.add(target)
                budget -= target.stat().st_size
                if budget < 0:
                    return files  # the loader says that this is too much
                inner = roots[target] = read_tags(target, str(target))
                files.names[t] = _name(t, inner)
                files.found.append((inner, target))
                waiting.append((inner, target))
            except Unreadable as problem:
                files.problems.append(problem.finding)
            except FileFormatError as problem:
                message, _, advice = str(problem).removeprefix(": ").partition("; ")
                files.problems.append(inside(owner, error(t, message, advice or "correct the name, or take it out")))
    return files


def _name(t: Tag, root: Tag | None) -> str:
    """What the model of an <include> is called: as it says itself, or as the file does."""
    given, model, uri = t.first("name"), root.first("model") if root else None, t.first("uri")
    if given is not None and given.text:
        return given.text
    if model is not None:
        return model.get("name")
    return Path(uri.text.rstrip("/")).stem if uri else ""


def _not_found(t: Tag) -> Finding:
    uri = t.first("uri")
    message = f'"{quoted(uri.text if uri else "")}" is not found, and its model is left out'
    return warning(t, message, "put its folder beside this file, or name the folder: folders=[…]")


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


def _file(t: Tag, folders: ModelFolders, here: Path) -> Path | None:
    """The file that an <include> means; None where it cannot be looked at."""
    uri = t.first("uri")
    if uri is None or not uri.text:
        raise FileFormatError("names no file; add <uri> with its address")
    element = Element("uri")
    element.text = uri.text
    return folders.file(Node(element, ""), here)
