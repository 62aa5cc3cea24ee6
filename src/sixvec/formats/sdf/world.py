"""The scopes, links, joints and frames of an SDF file, found and placed."""

from __future__ import annotations

from pathlib import Path

from sixvec.errors import FileFormatError
from sixvec.formats.mjcf.pose import IDENTITY
from sixvec.formats.node import Node
from sixvec.formats.problems import attempt
from sixvec.formats.sdf.elements import Version, placement, pose, review
from sixvec.formats.sdf.include import Included, uri_file
from sixvec.formats.sdf.places import (
    DEEPEST_MODEL,
    NAMES_OF_JOINTS_APART,
    RESERVED,
    SEPARATOR,
    WORLD_NAME,
    NamedElement,
    Place,
    Places,
    Scope,
    walk,
)
from sixvec.formats.unsupported import Unsupported

END = "add <{}> with the name of a link or frame"
"""What a joint without a parent or child needs."""


class Contents:
    """Everything in a world or in the models of a file; poses and names are resolved on request."""

    def __init__(self, outermost: Node, version: Version, unsupported: Unsupported, included: Included) -> None:
        self._version = version
        self._included = included
        self.unsupported = unsupported
        self.places = Places(included.missing)
        self.links: list[NamedElement] = []
        self.joints: list[NamedElement] = []
        self.frames: list[NamedElement] = []
        self.scopes: list[Scope] = [Scope(outermost)]
        kinds = {"link": self.links, "joint": self.joints, "frame": self.frames}
        for element in walk(self.scopes, lambda joint: self.version(joint) <= NAMES_OF_JOINTS_APART):
            if attempt(False, _require_name, element):
                kinds.get(element.node.tag, []).append(element)
        for scope in self.scopes:
            review(scope.node, unsupported)
            self._place(scope)
        for element in (*self.links, *self.joints, *self.frames):
            self._place_element(element)
        self.places.require_no_circles()
        merged = [element for element in reversed(self.frames) if element.node in included.placed]
        # The inner ones first: the frame that places a model may itself be in a model that is placed by a frame.
        for scope in reversed(self.scopes[1:]):
            for element in merged:
                if element.scope is scope:
                    attempt(None, self._put, element.key, included.placed[element.node], scope, element.node)
            if name := scope.node.attributes.get("placement_frame"):
                attempt(None, self._put, scope.frame, name, scope, scope.node)

    def _put(self, model: str, name: str, scope: Scope, node: Node) -> None:
        self.places.put_on_frame(model, self.places.find(scope, name, node), node)

    def version(self, joint: Node) -> Version:
        """The version of the format in which a joint is written."""
        return self._included.versions.get(joint, self._version)

    def file(self, uri: Node, element: NamedElement) -> Path | None:
        """The file of a <uri> inside an element; None if it does not exist or may not be read."""
        try:
            return uri_file(uri, self._folder(element), self._included.folders)
        except FileFormatError:
            return None

    def _folder(self, element: NamedElement) -> Path | None:
        """The folder of the file that contains an element."""
        return None if self._included.folders.home is None else Path(element.node.file).parent

    def mesh_folders(self, element: NamedElement) -> tuple[str, ...]:
        """The folders for the meshes of a link."""
        folders = (self._folder(element), *self._included.folders.of_meshes)
        return tuple(dict.fromkeys(str(folder.absolute()) for folder in folders if folder is not None))

    def _place(self, scope: Scope) -> None:
        """The frame of a model: it moves with its canonical link."""
        if scope.outer is None:
            return
        base = self._base(scope.node, scope.outer, scope.outer.frame)
        X, canonical = attempt(IDENTITY, pose, scope.node), attempt(None, self._canonical, scope)
        attempt(None, self.places.add, scope.frame, Place(scope.node, base, X, canonical))

    def _canonical(self, scope: Scope) -> str | None:
        """The link that a model's frame is attached to: the one named, else its first, else that of a model inside."""
        if scope.static:
            return WORLD_NAME
        name = scope.node.attributes.get("canonical_link")
        if name:
            return self.places.find(scope, name, scope.node, "link")
        return scope.first or None

    def _place_element(self, element: NamedElement) -> None:
        node, scope = element.node, element.scope
        attached = scope.frame
        if node.tag == "joint":
            attached = attempt(attached, self._child, node, scope)
        elif node.tag == "frame" and node.attributes.get("attached_to"):
            attached = attempt(attached, self.places.find, scope, node.text("attached_to"), node)
        elif node.tag == "link":
            review(node, self.unsupported)
            self.places.carries_itself(element.key)
        X = attempt(IDENTITY, placement, node)
        attempt(None, self.places.add, element.key, Place(node, self._base(node, scope, attached), X, attached))

    def _child(self, joint: Node, scope: Scope) -> str:
        """The frame in which the pose of a joint is given."""
        child = joint.required("child", END.format("child"))
        return self.places.find(scope, child.content(), child)

    def _base(self, node: Node, scope: Scope, default: str) -> str:
        """The frame in which the pose of an element is given."""
        pose = node.child("pose")
        if pose is None:
            return default
        if pose.attributes.get("frame"):
            self.unsupported.add("frame of a pose (without meaning before version 1.7)", pose)
        name = (pose.attributes.get("relative_to") or "").strip()
        return attempt(default, self.places.find, scope, name, pose) if name else default


def _require_name(element: NamedElement) -> bool:
    """A name that no other element has and that the format allows, in a place where it allows the element."""
    node, name = element.node, element.node.text("name")
    if node.tag == "link" and element.scope.outer is None:
        raise node.error("is outside of models", "put it into a <model>")
    if name in RESERVED:
        raise node.error(f'the name "{name}" is reserved by the format', "choose another")
    if element.is_taken:
        first = element.scope.names[name]
        kind = "joint" if node.tag == "joint" and element.key != first else "frame"
        raise node.error(f'two {kind}s are named "{name}"', "links, joints, frames and models need different names")
    if node.tag == "model" and element.scope.path.count(SEPARATOR) >= DEEPEST_MODEL:
        raise node.error(f"models are nested more than {DEEPEST_MODEL} deep", "robots need fewer")
    return True
