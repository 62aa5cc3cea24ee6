"""The elements of an MJCF file with all its includes in place.

An <include> stands for everything inside the outermost element of another file.  Only files in the folder of the model
or below, and in the folders of the caller, are read, each once, so that neither a cycle nor a way out exists; their
number and size are bounded.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from xml.etree.ElementTree import Element

from sixvec.errors import FileFormatError
from sixvec.formats.folders import Folders
from sixvec.formats.xml import LARGEST_FILE, Node, read_xml
from sixvec.formats.xml_parser import DEEPEST
from sixvec.quoting import quoted

MOST_FILES = 256
"""Files of one model; large published models are split into some ten."""

_NESTED = frozenset({"body", "frame", "worldbody", "default"})
"""Elements that stand inside their own kind: their place in words is the file and their name, not the whole path."""


@dataclass(frozen=True)
class Tree:
    """The outermost element of a model, and for each element that was included the file that it came from."""

    root: Node
    folders: Folders
    """Where includes and meshes may be."""
    origin: dict[Element, str]

    def inside(self, node: Node) -> Iterator[Node]:
        """All elements directly inside, in the order of the file."""
        for element in node.element:
            if isinstance(element.tag, str):
                yield Node(element, self._where(element, node))

    def sections(self, tag: str) -> Iterator[Node]:
        """The sections of that name; a model may have several, which count as one."""
        return (node for node in self.inside(self.root) if node.tag == tag)

    def file(self, node: Node, name: str, folder: str = "") -> Path:
        """The file that an element names: in a folder of the main file's, or beside the file of the element.

        So MuJoCo looks for includes, and for assets with `meshdir` as the folder.
        """
        home = self.folders.home or Path()
        here = Path(self.origin[node.element]).parent if node.element in self.origin else home
        name = name.replace("\\", "/")
        return self.folders.find(name, node, (home / folder.replace("\\", "/") / name, here / name))

    def _where(self, element: Element, parent: Node) -> str:
        name = element.get("name") or element.get("class") if element.tag in _NESTED else element.get("name")
        tag = quoted(element.tag)
        label = f"<{tag}>" if name is None else f'{tag} "{quoted(name)}"'
        if element.tag in _NESTED or parent.element is self.root.element:
            return f"{self.origin.get(element, self.root.where)}: {label}"
        return f"{parent.where}: {label}"


def with_includes(root: Node, folders: Folders) -> Tree:
    """The model with every <include> replaced by what it names."""
    tree = Tree(root, folders, {})
    seen = {Path(root.where).resolve()} if folders.home is not None else set()
    budget = LARGEST_FILE
    level, depth = [root.element], 0
    while level:
        below: list[Element] = []
        for parent in level:
            waiting, done = [*reversed(parent)], []
            while waiting:
                element = waiting.pop()
                if element.tag != "include":
                    done.append(element)
                    continue
                node = Node(element, f"{tree.origin.get(element, root.where)}: <include>")
                path = tree.file(node, node.text("file"))
                if path in seen:
                    raise node.error(f'"{node.text("file")}" is included twice or includes itself; once is allowed')
                seen.add(path)
                budget -= path.stat().st_size
                if len(seen) > MOST_FILES or budget < 0:
                    raise node.error(f"more than {MOST_FILES} files or {LARGEST_FILE // 2**20} MiB in one model")
                included = read_xml(path).element
                tree.origin.update(dict.fromkeys(included.iter(), str(path)))
                waiting.extend(reversed(included))
            parent[:] = done
            below.extend(done)
        level, depth = below, depth + 1
        if depth > DEEPEST:
            raise FileFormatError(f"{root.where}: more than {DEEPEST} elements inside each other; robots need fewer")
    return tree
