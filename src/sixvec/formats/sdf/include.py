"""The <include> of SDF: the model of another file, with its own name and pose (sdformat.org, "Composition").

An included model becomes a nested one.  With merge="true" its contents become part of the surrounding model, and a
frame `_merged__NAME__model__` replaces its own frame.  Files may be included many times, but not inside
themselves; their depth, number and size are bounded.

All files are on this machine and in allowed folders.  Relative paths and `file://` are restricted to the folder of the
file that contains them, that of the outermost file, and the folders that the caller trusts.  `model://NAME` is searched
for in the folder of the outermost file, in its parent folder (Gazebo keeps models side by side) and in the caller's.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import unquote, urlsplit

from sixvec.errors import FileFormatError
from sixvec.formats.budget import spend
from sixvec.formats.folders import OUTSIDE, Folders, permission
from sixvec.formats.node import Node
from sixvec.formats.packages import path_of_uri, reach
from sixvec.formats.problems import attempt
from sixvec.formats.sdf.elements import Version, flag, is_true, read_version, review
from sixvec.formats.sdf.joint import AXES_IN_MODEL
from sixvec.formats.sdf.places import MODEL_FRAME
from sixvec.formats.unsupported import Unsupported
from sixvec.formats.xml import LARGEST_FILE, read_xml
from sixvec.quoting import quoted

DEEPEST_INCLUDE = 20
"""Files that include each other in a row; published robots have two or three."""

MOST_INCLUDES = 1000
"""Includes of one file and of all that it includes."""

PARTS = ("uri", "name", "pose", "placement_frame", "static", "plugin")
REFERENCES = ("relative_to", "attached_to", "expressed_in")


@dataclass
class Included:
    """Data about elements from other files."""

    folders: Folders
    versions: dict[Node, Version] = field(default_factory=dict)
    """The version of the format in which a joint is written, where it is not that of the outermost file."""
    missing: list[str] = field(default_factory=list)
    """The addresses of models that were not found."""
    placed: dict[Node, str] = field(default_factory=dict)
    """For the frame of a merged model, the frame that replaces it."""


def with_includes(root: Node, folders: Folders, unsupported: Unsupported) -> Included:
    """Replace every <include> in the worlds and models of a file by the referenced model."""
    reader = _Reader(folders, unsupported, Included(folders))
    including = () if folders.home is None else (Path(root.where).resolve(),)
    reader.expand(root, including)
    return reader.included


@dataclass
class _Reader:
    folders: Folders
    unsupported: Unsupported
    included: Included
    count: int = 0
    bytes: int = 0

    def expand(self, root: Node, chain: tuple[Path, ...]) -> None:
        """The includes of a file, the last of a chain of nested includes."""
        waiting = [root]
        while waiting:
            parent = waiting.pop()
            inner = parent.inside
            waiting += [node for node in inner if node.tag in ("world", "model")]
            if parent is not root and any(node.tag == "include" for node in inner):
                taken = {node.attributes.get("name", "") for node in inner if node.tag != "include"}
                done: list[Node] = []
                for node in inner:
                    done += attempt([], self._included, node, chain, taken) if node.tag == "include" else [node]
                parent.hold(done)

    def _included(self, node: Node, chain: tuple[Path, ...], taken: set[str]) -> list[Node]:
        """The elements that replace an <include>."""
        _check_parts(node, self.unsupported)
        uri = node.required("uri")
        path = uri_file(uri, chain[-1].parent if chain else None, self.folders)
        if path is None:
            in_text = not chain and self.folders.home is None and urlsplit(uri.content()).scheme == MODEL
            why = IN_TEXT if in_text else "its model is missing"
            message = f'"{quoted(uri.content())}" is not found, and its model is left out'
            advice = "put its folder next to this file, or name the folder: folders=[…]"
            problem: FileFormatError = node.error(message, advice)
            self.unsupported.add(f"include of {quoted(uri.content())} ({why})", node, problem)
            self.included.missing.append(uri.content())
            return []
        root = self._read(path, node, chain)
        version = read_version(root)
        review(root, self.unsupported)
        models = list(root.children("model"))
        if len(models) != 1:
            raise node.error(f"{path} holds {len(models)} models outside of worlds", "include files of one model")
        self.expand(root, (*chain, path))
        model = models[0]
        _override(model, node)
        for joint in model.iter("joint"):
            self.included.versions.setdefault(joint, version)
        if is_true(node, "merge"):
            return self._merged(model, version)
        name = model.text("name")
        if name in taken:
            raise node.error(f'its model is named "{name}", as something else here', "give the include another <name>")
        taken.add(name)
        return [model]

    def _read(self, path: Path, node: Node, chain: tuple[Path, ...]) -> Node:
        if path in chain:
            raise node.error(f"{path} includes itself", "take one <include> of the circle out")
        self.count += 1
        self.bytes += path.stat().st_size
        if len(chain) > DEEPEST_INCLUDE or self.count > MOST_INCLUDES or self.bytes > LARGEST_FILE:
            raise node.error(
                f"more than {MOST_INCLUDES} includes, {DEEPEST_INCLUDE} of them inside each other, or "
                f"{LARGEST_FILE // 2**20} MiB",
                "robots need fewer",
            )
        original = self.folders.read(path)
        spend("copied elements", sum(1 for _ in original.iter()), node.error)
        root = original.deep_copy()
        if root.tag != "sdf":
            raise node.error(f"the outermost element of {path} is <{quoted(root.tag)}>", "SDF starts with <sdf>")
        return root

    def _merged(self, model: Node, version: Version) -> list[Node]:
        """The elements of a model, relative to a frame that replaces the model's own."""
        review(model, self.unsupported)
        if flag(model, "static"):
            self.unsupported.add("static of a merged model (it is that of the model around it)", model)
        proxy = f"_merged__{model.text('name')}__model__"
        links = [link.text("name") for link in model.children("link")]
        canonical = model.attributes.get("canonical_link") or (links[0] if links else None)
        if canonical is None:
            raise model.error("has no <link>, so it cannot be merged into another model")
        frame = model.copy("frame", {"name": proxy, "attached_to": canonical})
        frame.hold([_pose(model)])
        if model.attributes.get("placement_frame"):
            self.included.placed[frame] = model.text("placement_frame")
        merged = [frame]
        for node in model.inside:
            if node.tag in ("pose", "static"):
                continue
            _refer(node, proxy, self.included.versions.get(node, version))
            merged.append(node)
        return merged


def _check_parts(node: Node, unsupported: Unsupported) -> None:
    for inner in node.inside:
        if inner.tag not in PARTS and ":" not in inner.tag:
            unsupported.add(f"{quoted(inner.tag)} (unknown in an include)", inner)
    if node.child("placement_frame") is not None and node.child("pose") is None:
        raise node.error("has a <placement_frame> and no <pose>", "say where that frame is to be")


def _override(model: Node, include: Node) -> None:
    """Values of an <include> override those of the model's file."""
    for tag in ("name", "placement_frame"):
        element = include.child(tag)
        if element is not None:
            model.attributes[tag] = element.content()
    for tag in ("pose", "static"):
        element = include.child(tag)
        if element is not None:
            model.hold([element, *(node for node in model.inside if node.tag != tag)])


def _pose(model: Node) -> Node:
    """The pose of a model as that of a frame: without relative_to it is in the frame of the model around."""
    pose_node = model.child("pose")
    copied = model.copy("pose", {}) if pose_node is None else pose_node.with_attributes(dict(pose_node.attributes))
    copied.attributes.setdefault("relative_to", MODEL_FRAME)
    return copied


def _refer(node: Node, proxy: str, version: Version) -> None:
    """Replace references of a merged model to its own frame by `proxy`."""
    if node.tag == "model":
        _relative(node, proxy)
        return
    for each in node.iter():
        for key in REFERENCES:
            if each.attributes.get(key) == MODEL_FRAME:
                each.attributes[key] = proxy
        if each.tag in ("parent", "child") and each.value == MODEL_FRAME:
            each.content_text = [proxy]
    if node.tag == "link":
        _relative(node, proxy)
    elif node.tag == "frame" and not node.attributes.get("attached_to"):
        _relative(node, proxy)
        node.attributes["attached_to"] = proxy
    elif node.tag == "joint":
        for axis in (*node.children("axis"), *node.children("axis2")):
            xyz = axis.child("xyz")
            in_model = version <= AXES_IN_MODEL or flag(axis, "use_parent_model_frame")
            if in_model and xyz is not None and not xyz.attributes.get("expressed_in"):
                xyz.attributes["expressed_in"] = proxy


def _relative(node: Node, proxy: str) -> None:
    """Make the pose of an element relative to the frame of that name, if it gives no other."""
    pose_node = node.child("pose")
    if pose_node is None:
        node.hold([node.copy("pose", {"relative_to": proxy}), *node.inside])
    elif pose_node.attributes.get("relative_to") in (None, "", MODEL_FRAME):
        pose_node.attributes["relative_to"] = proxy


MODEL = "model"
IN_TEXT = "another file, and this model is only a text: load it from its file"
LOCAL = ("", "file")
CONFIG, USUAL_NAME = "model.config", "model.sdf"


def uri_file(uri: Node, here: Path | None, folders: Folders) -> Path | None:
    """The SDF file of a <uri> in a file in the folder `here`; None if it is on another machine or does not exist."""
    address = uri.content()
    try:
        parts = urlsplit(address)
        if parts.scheme == MODEL:
            return _beside(f"{parts.netloc}{unquote(parts.path)}", folders)
        if parts.scheme not in LOCAL:
            return None
        name = path_of_uri(f"{parts.netloc}{parts.path}") if parts.scheme else address
        return _inside(name, uri, here, folders)
    except FileFormatError:
        raise  # our own error, which gives the reason
    except (OSError, ValueError, RuntimeError):
        raise uri.error(f'"{quoted(address)}" is not the name of a file') from None


def _beside(name: str, folders: Folders) -> Path | None:
    """A model in the first of the model folders that contains it."""
    around = () if folders.home is None else (folders.home, *reach(folders.home.resolve()))
    for folder in (*around, *folders.trusted):
        path = (folder.resolve() / name.lstrip("/")).resolve()
        if path != folder.resolve() and path.is_relative_to(folder.resolve()):
            source = _sdf_of(path)
            if source is not None:
                return source
    return None


def _inside(name: str, uri: Node, here: Path | None, folders: Folders) -> Path:
    if here is None:
        raise uri.error(f'"{quoted(name)}" is another file, and this model is only a text', "load its file")
    path = (here.resolve() / name).resolve()
    if not folders.allow(path, here):
        advice = f"{permission(path)}, or use model://NAME for a model next to this one"
        raise uri.error(OUTSIDE.format(quoted(name)), advice)
    source = _sdf_of(path)
    if source is None:
        raise uri.error(f'the file "{quoted(name)}" does not exist in {here}')
    return source


def _sdf_of(path: Path) -> Path | None:
    """The file itself, or that of a model's folder: the newest that its model.config names, else model.sdf."""
    if path.is_file():
        return path
    if not path.is_dir():
        return None
    names = [USUAL_NAME]
    if (path / CONFIG).is_file():
        nodes = [node for node in read_xml(path / CONFIG).children("sdf") if node.value]
        nodes.sort(key=lambda node: node.attributes.get("version", "").zfill(8), reverse=True)
        names = [*(node.content() for node in nodes), *names]
    for name in names:
        file = (path / name).resolve()
        if file.is_relative_to(path) and file.is_file():
            return file
    return None
