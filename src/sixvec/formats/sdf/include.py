"""The <include> of SDF: the model of another file, under a name and in a pose of its own (sdformat.org, "Composition").

A model that is included becomes a nested one.  With merge="true" what is in it becomes part of the model around it, and
a frame `_merged__NAME__model__` stands where its own frame was.  Files may be included many times, but not inside
themselves; their depth, number and size are bounded.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from xml.etree.ElementTree import Element

from sixvec.formats.sdf.elements import review
from sixvec.formats.sdf.joint import AXES_IN_MODEL
from sixvec.formats.sdf.pose import flag, truth
from sixvec.formats.sdf.scope import MODEL_FRAME
from sixvec.formats.sdf.uri import ModelFolders
from sixvec.formats.sdf.version import Version, read_version
from sixvec.formats.unsupported import Unsupported
from sixvec.formats.xml import LARGEST_FILE, Node, read_xml, with_attributes
from sixvec.formats.xml_parser import MOST_ELEMENTS
from sixvec.quoting import quoted

DEEPEST_INCLUDE = 20
"""Files that include each other in a row; published robots have two or three."""

MOST_INCLUDES = 1000
"""Includes of one file and of all that it includes."""

PARTS = ("uri", "name", "pose", "placement_frame", "static", "plugin")
REFERENCES = ("relative_to", "attached_to", "expressed_in")


@dataclass
class Included:
    """What is known about elements that come from other files."""

    folders: ModelFolders
    origin: dict[Element, str] = field(default_factory=dict)
    """The file of each element that stands directly in one of another file."""
    versions: dict[Element, Version] = field(default_factory=dict)
    """The version of the format in which a joint is written, where it is not that of the outermost file."""
    missing: list[str] = field(default_factory=list)
    """The addresses of models that were not found."""
    placed: dict[Element, str] = field(default_factory=dict)
    """For the frame of a merged model, the frame that is to stand in its place."""

    def inside(self, node: Node) -> list[Node]:
        """All elements directly inside, each with the place in its own file."""
        return [
            Node(n.element, f'{self.origin[n.element]}: {n.tag} "{quoted(n.element.get("name", ""))}"')
            if n.element in self.origin
            else n
            for n in node.inside()
        ]


def with_includes(root: Node, folders: ModelFolders, unsupported: Unsupported) -> Included:
    """Replace every <include> in the worlds and models of a file by what it names."""
    reader = _Reader(folders, unsupported, Included(folders))
    own = () if folders.home is None else (Path(root.where).resolve(),)
    reader.expand(root, own)
    return reader.found


@dataclass
class _Reader:
    folders: ModelFolders
    unsupported: Unsupported
    found: Included
    count: int = 0
    bytes: int = 0
    elements: int = 0

    def expand(self, root: Node, chain: tuple[Path, ...]) -> None:
        """The includes of a file, which is the last of a chain of files that include each other."""
        waiting = [root]
        while waiting:
            parent = waiting.pop()
            inner = list(parent.inside())
            waiting += [node for node in inner if node.tag in ("world", "model")]
            if parent is not root and any(node.tag == "include" for node in inner):
                taken = {node.element.get("name", "") for node in inner if node.tag != "include"}
                done: list[Element] = []
                for node in inner:
                    done += self._included(node, chain, taken) if node.tag == "include" else [node.element]
                parent.element[:] = done

    def _included(self, node: Node, chain: tuple[Path, ...], taken: set[str]) -> list[Element]:
        """The elements that an <include> stands for."""
        _check_parts(node, self.unsupported)
        uri = node.required("uri")
        path = self.folders.file(uri, chain[-1].parent if chain else None)
        if path is None:
            self.unsupported.add(f"include of {quoted(uri.content())} (its model is missing)")
            self.found.missing.append(uri.content())
            return []
        root = self._read(path, node, chain)
        version = read_version(root)
        review(root, self.unsupported)
        models = list(root.children("model"))
        if len(models) != 1:
            raise node.error(f"{path} holds {len(models)} models outside of worlds; include files of one model")
        self.expand(root, (*chain, path))
        model = models[0]
        _override(model, node)
        for joint in model.element.iter("joint"):
            self.found.versions.setdefault(joint, version)
        if node.element.get("merge") is not None and truth(node, node.element.get("merge", "")):
            return self._merged(model, version, str(path))
        name = model.text("name")
        if name in taken:
            raise node.error(f'its model is named "{name}", as something else here; give the include another <name>')
        taken.add(name)
        self.found.origin[model.element] = str(path)
        return [model.element]

    def _read(self, path: Path, node: Node, chain: tuple[Path, ...]) -> Node:
        if path in chain:
            raise node.error(f"{path} includes itself; take one <include> of the circle out")
        self.count += 1
        self.bytes += path.stat().st_size
        if len(chain) > DEEPEST_INCLUDE or self.count > MOST_INCLUDES or self.bytes > LARGEST_FILE:
            raise node.error(
                f"more than {MOST_INCLUDES} includes, {DEEPEST_INCLUDE} of them inside each other, or "
                f"{LARGEST_FILE // 2**20} MiB; robots need fewer"
            )
        root = read_xml(path)
        if root.tag != "sdf":
            raise node.error(f"the outermost element of {path} is <{quoted(root.tag)}>; SDF starts with <sdf>")
        self.elements += sum(1 for _ in root.element.iter())
        if self.elements > MOST_ELEMENTS:
            raise node.error(f"more than {MOST_ELEMENTS} elements with all includes; robots need fewer")
        return root

    def _merged(self, model: Node, version: Version, file: str) -> list[Element]:
        """The elements of a model, relative to a frame that takes the place of the model's own."""
        review(model, self.unsupported)
        if flag(model, "static"):
            self.unsupported.add("static of a merged model (it is that of the model around it)")
        proxy = f"_merged__{model.text('name')}__model__"
        links = [link.text("name") for link in model.children("link")]
        canonical = model.element.get("canonical_link") or (links[0] if links else None)
        if canonical is None:
            raise model.error("has no <link>, so it cannot be merged into another model")
        frame = with_attributes(model.element, {"name": proxy, "attached_to": canonical})
        frame.tag = "frame"
        frame.append(_pose(model))
        if model.element.get("placement_frame"):
            self.found.placed[frame] = model.text("placement_frame")
        merged = [frame]
        for node in self.found.inside(model):
            if node.tag in ("pose", "static"):
                continue
            _refer(node, proxy, self.found.versions.get(node.element, version))
            self.found.origin.setdefault(node.element, file)
            merged.append(node.element)
        self.found.origin[frame] = file
        return merged


def _check_parts(node: Node, unsupported: Unsupported) -> None:
    for inner in node.inside():
        if inner.tag not in PARTS and ":" not in inner.tag:
            unsupported.add(f"{quoted(inner.tag)} (unknown in an include)")
    if node.child("placement_frame") is not None and node.child("pose") is None:
        raise node.error("has a <placement_frame> and no <pose>; say where that frame is to be")


def _override(model: Node, include: Node) -> None:
    """What an <include> says about its model replaces what the file says."""
    for tag in ("name", "placement_frame"):
        given = include.child(tag)
        if given is not None:
            model.element.set(tag, given.content())
    for tag in ("pose", "static"):
        given = include.child(tag)
        if given is not None:
            model.element[:] = [given.element, *(e for e in model.element if e.tag != tag)]


def _pose(model: Node) -> Element:
    """The pose of a model as that of a frame: without relative_to it is in the frame of the model around."""
    given = model.child("pose")
    made = with_attributes(model.element if given is None else given.element, {})
    made.tag = "pose"
    if given is not None:
        made.attrib.update(given.element.attrib)
        made.text = given.element.text
    made.attrib.setdefault("relative_to", MODEL_FRAME)
    return made


def _refer(node: Node, proxy: str, version: Version) -> None:
    """Make an element of a merged model say `proxy` where it means the model's own frame."""
    if node.tag == "model":
        _relative(node, proxy)
        return
    for each in node.element.iter():
        for key in REFERENCES:
            if each.get(key) == MODEL_FRAME:
                each.set(key, proxy)
        if each.tag in ("parent", "child") and (each.text or "").strip() == MODEL_FRAME:
            each.text = proxy
    if node.tag == "link":
        _relative(node, proxy)
    elif node.tag == "frame" and not node.element.get("attached_to"):
        _relative(node, proxy)
        node.element.set("attached_to", proxy)
    elif node.tag == "joint":
        for axis in (*node.children("axis"), *node.children("axis2")):
            xyz = axis.child("xyz")
            in_model = version <= AXES_IN_MODEL or flag(axis, "use_parent_model_frame")
            if in_model and xyz is not None and not xyz.element.get("expressed_in"):
                xyz.element.set("expressed_in", proxy)


def _relative(node: Node, proxy: str) -> None:
    """Give the pose of an element in the frame of that name, if it says no other."""
    given = node.child("pose")
    if given is None:
        made = with_attributes(node.element, {"relative_to": proxy})
        made.tag = "pose"
        node.element.insert(0, made)
    elif given.element.get("relative_to") in (None, "", MODEL_FRAME):
        given.element.set("relative_to", proxy)
