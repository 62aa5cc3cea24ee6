"""The elements of an MJCF file with all its includes resolved, and their traversal.

An <include> is replaced by the contents of the outermost element of another file.  Only files in the folder of the
model or below, and in the folders of the caller, are read, each once, so that neither cycles nor files outside are
possible; their number and size are bounded.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from sixvec.formats.folders import Folders
from sixvec.formats.mjcf.words import MJCF_WORDS
from sixvec.formats.node import Node
from sixvec.formats.problems import attempt
from sixvec.formats.xml import DEEPEST, LARGEST_FILE

MOST_FILES = 256
"""Files of one model; large published models consist of about ten."""

THROUGH = ("frame", "replicate")
"""Elements around the contents of a body."""


@dataclass(frozen=True)
class Tree:
    """The outermost element of a model, and the folders of includes and meshes."""

    root: Node
    folders: Folders
    complete: bool = True
    """Whether every file that is included could be read."""

    def file(self, node: Node, name: str, folder: str = "") -> Path:
        """The file that an element names: in a folder of the main file's, or next to the file of the element.

        This is MuJoCo's rule for includes, and for assets with `meshdir` as the folder.
        """
        name, home = name.replace("\\", "/"), self.folders.home or Path()
        places = (home / folder.replace("\\", "/") / name, Path(node.file).parent / name)
        return self.folders.find(name, node, places)


def with_includes(root: Node, folders: Folders) -> Tree:
    """The model with every <include> replaced by its contents; a rejected one is left out."""
    tree, complete = Tree(root, folders), True
    including = [Path(root.file).resolve()]
    level, depth = [root], 0
    while level:
        below: list[Node] = []
        for parent in level:
            if any(node.tag == "include" for node in parent.inside):
                waiting, done = parent.inside[::-1], []
                while waiting:
                    node = waiting.pop()
                    if node.tag != "include":
                        done.append(node)
                        continue
                    contents = attempt(None, _included, node, tree, including)
                    complete = complete and contents is not None
                    waiting.extend(reversed(contents or []))
                parent.hold(done)
            for node in parent.inside:
                if "" in node.attributes.values():
                    node.attributes = _given(node, parent.tag)
            below.extend(parent.inside)
        level, depth = below, depth + 1
        if depth > DEEPEST:
            raise root.error(f"more than {DEEPEST} elements inside each other", "robots need fewer")
    return replace(tree, complete=complete)


REFERENCES = frozenset({"material", "mesh", "hfield", "texture"})


def _given(node: Node, parent: str) -> dict[str, str]:
    """The attributes of an element without empty numbers and references, which MuJoCo does not read; an empty keyword
    is an error for it, and is kept.
    """
    words = MJCF_WORDS.of(parent, node.tag)
    unread = REFERENCES.union(words.numbers if words else ())
    return {key: value for key, value in node.attributes.items() if value or key not in unread}


def _included(node: Node, tree: Tree, including: list[Path]) -> list[Node]:
    name = node.text("file")
    path = tree.file(node, name)
    if path in including:
        raise node.error(f'"{name}" is included twice or includes itself', "once is allowed")
    including.append(path)
    if len(including) > MOST_FILES or sum(each.stat().st_size for each in including[1:]) > LARGEST_FILE:
        raise node.error(f"more than {MOST_FILES} files or {LARGEST_FILE // 2**20} MiB in one model")
    return tree.folders.read(path).inside


def sections(root: Node, *names: str) -> Iterator[tuple[str, Node]]:
    """Everything inside the sections of those names, with the name; several of one name count as one."""
    for section in root.inside:
        if section.tag in names:
            yield from ((section.tag, node) for node in section.inside)


def content(body: Node, childclass: str) -> Iterator[tuple[Node, str, Node]]:
    """The contents of a body, including those of its <frame>s and <replicate>s: each element with its default class and
    its parent, the body or a frame, which comes before it.  Child bodies are not traversed.
    """
    waiting = [(node, body.attributes.get("childclass") or childclass, body) for node in reversed(body.inside)]
    while waiting:
        node, class_name, around = waiting.pop()
        yield node, class_name, around
        if node.tag in THROUGH:
            class_name = node.attributes.get("childclass") or class_name
            waiting += [(inner, class_name, node) for inner in reversed(node.inside)]
