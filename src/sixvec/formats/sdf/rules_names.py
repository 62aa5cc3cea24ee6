"""Scopes and names of an SDF file and of those that it includes, for the rules: the target of each name, if it exists.

Keys are the names assigned by the loader: `arm::hand` for the link of a nested model or of one of several models.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from sixvec.errors import FileFormatError
from sixvec.formats.doctor.finding import Finding, error, of_error, warning
from sixvec.formats.doctor.outline import Names, Reference
from sixvec.formats.folders import Folders
from sixvec.formats.node import Node
from sixvec.formats.sdf.include import uri_file
from sixvec.formats.sdf.places import NAMED, NAMES_OF_JOINTS_APART, RESERVED, WORLD_NAME, Found, Scope, walk
from sixvec.formats.xml import LARGEST_FILE
from sixvec.quoting import quoted


class Contents:
    """All scopes of a file, and everything named in them."""

    def __init__(self, root: Node, version: tuple[int, ...], included: dict[Node, str]) -> None:
        self.found: dict[str, list[Found]] = {tag: [] for tag in NAMED}
        self.problems: list[Finding] = []
        self.references: list[Reference] = []
        self.merges = False
        """Whether the names of another file are among those of this one."""
        joints_apart = version <= NAMES_OF_JOINTS_APART
        self.scopes = [Scope(t) for t in root.children("world")] or [Scope(root)]
        entries: dict[tuple[Scope, str], list[tuple[str, Node]]] = {}
        for found in walk(self.scopes, lambda joint: joints_apart, _is_alone):
            t, name = found.node, found.node.get("name")
            kind = "joint" if t.tag == "joint" and joints_apart else "frame"
            entries.setdefault((found.scope, kind), []).append((name, t))
            if name in RESERVED:
                self.problems.append(error(t, f'the name "{name}" is reserved by the format', "choose another"))
            else:
                self.found[t.tag].append(found)
        self.spaces = [Names(kind, named, required=True) for (_, kind), named in entries.items()]
        for scope in self.scopes:
            for t in scope.node.children("include"):
                self.merges = self.merges or t.get("merge").lower() in ("true", "1")
                scope.elsewhere.add(included.get(t, ""))

    def find(self, t: Node, name: str, scope: Scope, what: str = "frame") -> str:
        """The key of a name; an unknown name, here or in an included file, is noted."""
        key = scope.find(name) if name else ""
        if not key and not scope.may_be_elsewhere(name):
            self.references.append(Reference(t, what, name, [*scope.names]))
        return key

    def carriers(self, attached: dict[str, str]) -> dict[str, str]:
        """For each frame, joint and model the link that it moves with, if it can be determined."""
        links = {f.key for f in self.found["link"]} | {WORLD_NAME}
        found = {link: link for link in links}
        for start in attached:
            walk, key = dict[str, None](), start
            while key in attached and key not in found and key not in walk:
                walk[key] = None
                key = attached[key]
            found.update(dict.fromkeys(walk, found.get(key, "")))
        return {key: end for key, end in found.items() if end}

    def canonical(self) -> Iterator[tuple[str, str]]:
        """For each model its frame and what that is attached to."""
        for scope in self.scopes:
            if scope.outer is None:
                continue
            if scope.node.get("placement_frame"):
                self.find(scope.node, scope.node.get("placement_frame"), scope)
            name = scope.node.get("canonical_link")
            yield scope.frame, self.find(scope.node, name, scope, "link") if name else scope.first


def _is_alone(world: Scope) -> bool:
    """Whether there is one model, in which no name equals that of an element beside it."""
    models = [*world.node.children("model")]
    names = {t.get("name") for t in world.node.inside if t.tag in NAMED and t.tag != "model"}
    return (
        world.outer is None
        and len(models) == 1
        and not any(t.get("name") in names for t in models[0].inside if t.tag in NAMED)
    )


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
