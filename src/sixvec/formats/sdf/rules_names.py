"""Scopes and names of an SDF file for the rules: the target of each name, if it exists.

Keys are the names assigned by the loader: `arm::hand` for the link of a nested model or of one of several models.
"""

from __future__ import annotations

from collections.abc import Iterator

from sixvec.formats.doctor.finding import Finding, error
from sixvec.formats.doctor.outline import Names, Reference
from sixvec.formats.node import Node
from sixvec.formats.sdf.scope import RESERVED, SEPARATOR, WORLD_NAME, Scope
from sixvec.formats.sdf.world import DEEPEST_MODEL, NAMES_OF_JOINTS_APART, Found

NAMED = ("link", "frame", "model", "joint")


class Contents:
    """All scopes of a file, and everything named in them."""

    def __init__(self, root: Node, version: tuple[int, ...], included: dict[Node, str]) -> None:
        self.found: dict[str, list[Found]] = {tag: [] for tag in NAMED}
        self.spaces: list[Names] = []
        self.problems: list[Finding] = []
        self.references: list[Reference] = []
        self.merges = False
        """Whether the names of another file are among those of this one."""
        self._included = included
        self._joints_apart = version <= NAMES_OF_JOINTS_APART
        tops = [*root.children("world")] or [root]
        self.scopes = [Scope(t, "") for t in tops]
        for scope in self.scopes:  # grows while models are found inside models
            self._collect(scope)

    def _collect(self, scope: Scope) -> None:
        entries: list[tuple[str, Node]] = []
        joints: list[tuple[str, Node]] = []
        alone = scope.outer is None and _is_alone(scope.node)
        # Joints last: where they have a separate namespace, the name refers to a link of the same name.
        for t in sorted((t for t in scope.node.inside if t.tag in NAMED), key=lambda t: t.tag == "joint"):
            name = t.get("name")
            apart = t.tag == "joint" and self._joints_apart
            (joints if apart else entries).append((name, t))
            key = scope.path + name
            if name in RESERVED:
                self.problems.append(error(t, f'the name "{name}" is reserved by the format', "choose another"))
                continue
            if apart and name in scope.names:
                key = f"{key} (joint)"
            elif t.tag == "model":
                key = self._model(scope, t, "" if alone else key + SEPARATOR)
                scope.names.setdefault(name, key)
            else:
                scope.names.setdefault(name, key)
            self.found[t.tag].append(Found(key, t, scope))
        for t in scope.node.children("include"):
            self.merges = self.merges or t.get("merge").lower() in ("true", "1")
            scope.elsewhere.add(self._included.get(t, ""))
        self.spaces += [Names("frame", entries, required=True), Names("joint", joints, required=True)]

    def _model(self, scope: Scope, t: Node, path: str) -> str:
        inner = Scope(t, path, scope)
        if path.count(SEPARATOR) <= DEEPEST_MODEL:
            scope.models.setdefault(t.get("name"), inner)
            self.scopes.append(inner)
        return inner.frame

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
            links = [t for t in scope.node.children("link") if t.get("name")]
            if name:
                yield scope.frame, self.find(scope.node, name, scope, "link")
            elif links:
                yield scope.frame, scope.find(links[0].get("name"))
            elif scope.models:
                yield scope.frame, next(iter(scope.models.values())).frame


def _is_alone(world: Node) -> bool:
    """Whether there is one model, in which no name equals that of an element beside it."""
    models = [*world.children("model")]
    names = {t.get("name") for t in world.inside if t.tag in NAMED and t.tag != "model"}
    return len(models) == 1 and not any(t.get("name") in names for t in models[0].inside if t.tag in NAMED)
