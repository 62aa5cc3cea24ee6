"""The scopes, links, joints and frames of an SDF file, found and placed."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from sixvec.errors import FileFormatError
from sixvec.formats.node import Node
from sixvec.formats.sdf.elements import review
from sixvec.formats.sdf.include import Included
from sixvec.formats.sdf.pose import Version, flag, pose
from sixvec.formats.sdf.scope import RESERVED, SEPARATOR, WORLD_NAME, Place, Places, Scope
from sixvec.formats.sdf.uri import uri_file
from sixvec.formats.unsupported import Unsupported

DEEPEST_MODEL = 100
"""Models inside each other; published robots have two or three."""

NAMES_OF_JOINTS_APART = (1, 6)
"""The last version in which a joint and a link may have the same name."""


@dataclass(frozen=True)
class Found:
    """An element with its key and its scope."""

    key: str
    node: Node
    scope: Scope


class Contents:
    """Everything in a world or in the models of a file; poses and names are resolved on request."""

    def __init__(self, outermost: Node, version: Version, unsupported: Unsupported, included: Included) -> None:
        self._version = version
        self._included = included
        self.unsupported = unsupported
        self.places = Places(included.missing)
        self.links: list[Found] = []
        self.joints: list[Found] = []
        self.frames: list[Found] = []
        self.scopes: list[Scope] = [Scope(outermost)]
        for scope in self.scopes:  # grows while models are found inside models
            self._collect(scope)
        for scope in self.scopes:
            self._place(scope)
        for found in (*self.links, *self.joints, *self.frames):
            self._place_element(found)
        merged = [found for found in reversed(self.frames) if found.node in included.placed]
        # The inner ones first: the frame that places a model may itself be in a model that is placed by a frame.
        for scope in reversed(self.scopes[1:]):
            for found in merged:
                if found.scope is scope:
                    placed = self.places.find(scope, included.placed[found.node], found.node)
                    self.places.put_on_frame(found.key, placed, found.node)
            name = scope.node.attributes.get("placement_frame")
            if name:
                self.places.put_on_frame(scope.frame, self.places.find(scope, name, scope.node), scope.node)

    def version(self, joint: Node) -> Version:
        """The version of the format in which a joint is written."""
        return self._included.versions.get(joint, self._version)

    def file(self, uri: Node, found: Found) -> Path | None:
        """The file of a <uri> inside an element; None if it does not exist or may not be read."""
        try:
            return uri_file(uri, self._folder(found), self._included.folders)
        except FileFormatError:
            return None

    def _folder(self, found: Found) -> Path | None:
        """The folder of the file that contains an element."""
        return None if self._included.folders.home is None else Path(found.node.file).parent

    def mesh_folders(self, found: Found) -> tuple[str, ...]:
        """The folders for the meshes of a link, including the parent of the file's: models are side by side."""
        folders = self._included.folders
        around = () if folders.home is None else (folders.home, folders.home.absolute().parent)
        given = (self._folder(found), *around, *folders.trusted)
        return tuple(dict.fromkeys(str(folder.absolute()) for folder in given if folder is not None))

    def _collect(self, scope: Scope) -> None:
        """Register the names in a scope, and its models as further scopes."""
        review(scope.node, self.unsupported)
        inside = scope.node.inside
        for node in inside:
            if node.tag == "link" and scope.outer:
                key = self._name(scope, node)
                scope.links.append(key)
                self.links.append(Found(key, node, scope))
            elif node.tag == "link":
                raise node.error("stands outside of models", "put it into a <model>")
            elif node.tag == "frame":
                self.frames.append(Found(self._name(scope, node), node, scope))
            elif node.tag == "model":
                self._model(scope, node)
        for node in inside:
            if node.tag == "joint":
                self.joints.append(Found(self._joint_name(scope, node), node, scope))

    def _name(self, scope: Scope, node: Node) -> str:
        name = node.text("name")
        if name in RESERVED:
            raise node.error(f'the name "{name}" is reserved by the format', "choose another")
        if name in scope.names:
            raise node.error(f'two frames are named "{name}"', "links, joints, frames and models need different names")
        scope.names[name] = scope.path + name
        return scope.path + name

    def _joint_name(self, scope: Scope, node: Node) -> str:
        if self.version(node) <= NAMES_OF_JOINTS_APART and node.text("name") in scope.names:
            return f"{scope.path}{node.text('name')} (joint)"
        return self._name(scope, node)

    def _model(self, scope: Scope, node: Node) -> None:
        key = self._name(scope, node)
        if key.count(SEPARATOR) >= DEEPEST_MODEL:
            raise node.error(f"models are nested more than {DEEPEST_MODEL} deep", "robots need fewer")
        static = scope.static or flag(node, "static")
        inner = Scope(node, key + SEPARATOR, scope, static)
        scope.models[node.text("name")] = inner
        scope.names[node.text("name")] = inner.frame
        self.scopes.append(inner)

    def _place(self, scope: Scope) -> None:
        """The frame of a model: it moves with its canonical link."""
        if scope.outer is None:
            return
        base = self._base(scope.node, scope.outer, scope.outer.frame)
        self.places.add(scope.frame, Place(scope.node, base, pose(scope.node), self._canonical(scope)))

    def _canonical(self, scope: Scope) -> str | None:
        """The link that a model's frame is attached to: the one named, else its first, else that of a model inside."""
        if scope.static:
            return WORLD_NAME
        name = scope.node.attributes.get("canonical_link")
        if name:
            return self.places.find(scope, name, scope.node)
        inside = [*scope.links[:1], *(model.frame for model in scope.models.values())]
        return inside[0] if inside else None

    def _place_element(self, found: Found) -> None:
        node, scope = found.node, found.scope
        base, attached = scope.frame, scope.frame
        if node.tag == "joint":
            child = node.required("child")
            base = attached = self.places.find(scope, child.content(), child)
        elif node.tag == "frame" and node.attributes.get("attached_to"):
            base = attached = self.places.find(scope, node.text("attached_to"), node)
        elif node.tag == "link":
            review(node, self.unsupported)
            self.places.carries_itself(found.key)
        self.places.add(found.key, Place(node, self._base(node, scope, base), pose(node), attached))

    def _base(self, node: Node, scope: Scope, default: str) -> str:
        """The frame in which the pose of an element is given."""
        given = node.child("pose")
        if given is None:
            return default
        if given.attributes.get("frame"):
            self.unsupported.add("frame of a pose (without meaning before version 1.7)", given)
        name = (given.attributes.get("relative_to") or "").strip()
        return self.places.find(scope, name, given) if name else default
