"""The files that an SDF file includes: each is a separate model, and is checked separately.

The files are those that the loader would read, each once however often it is included.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from sixvec.errors import FileFormatError
from sixvec.formats.doctor.finding import Finding, of_error, warning
from sixvec.formats.folders import Folders
from sixvec.formats.node import Node
from sixvec.formats.sdf.uri import uri_file
from sixvec.formats.xml import LARGEST_FILE
from sixvec.quoting import quoted

MOST_FILES = 256
"""Files of one robot that are checked; published ones have about ten."""


@dataclass(frozen=True)
class Included:
    """The files that a file includes, directly or not, and the problems of others."""

    found: list[Node] = field(default_factory=list)
    """The outermost element of each file."""
    problems: list[Finding] = field(default_factory=list)
    names: dict[Node, str] = field(default_factory=dict)
    """The name of the model of each <include>; guessed from the address if the file is missing."""


def included_files(root: Node, folders: Folders) -> Included:
    """Read all files that a file includes, directly or not."""
    files, roots = Included(), dict[Path, Node]()
    seen, budget = {Path(root.file).resolve()}, LARGEST_FILE
    waiting = [root]
    while waiting:
        host = waiting.pop()
        for t in (t for m in host.within(("world", "model")) if m is not host for t in m.children("include")):
            files.names[t] = _name(t, None)
            try:
                target = _file(t, folders)
                if target is None:
                    files.problems.append(_not_found(t))
                    continue
                files.names[t] = _name(t, roots.get(target))
                if target in seen or len(seen) > MOST_FILES:
                    continue
                seen.add(target)
                budget -= target.stat().st_size
                if budget < 0:
                    return files  # the loader reports that this is too much
                inner = roots[target] = folders.read(target)
                files.names[t] = _name(t, inner)
                files.found.append(inner)
                waiting.append(inner)
            except FileFormatError as problem:
                files.problems.append(of_error(problem))
    return files


def _name(t: Node, root: Node | None) -> str:
    """The name of the model of an <include>: its own, or that in the file."""
    given, model, uri = t.child("name"), root.child("model") if root else None, t.child("uri")
    if given is not None and given.value:
        return given.value
    if model is not None:
        return model.get("name")
    return Path(uri.value.rstrip("/")).stem if uri else ""


def _not_found(t: Node) -> Finding:
    uri = t.child("uri")
    message = f'"{quoted(uri.value if uri else "")}" is not found, and its model is left out'
    return warning(t, message, "put its folder beside this file, or name the folder: folders=[…]")


def _file(t: Node, folders: Folders) -> Path | None:
    """The file of an <include>; None if it cannot be read."""
    uri = t.child("uri")
    if uri is None or not uri.value:
        raise t.error("names no file", "add <uri> with its address")
    return uri_file(uri, Path(t.file).parent, folders)
