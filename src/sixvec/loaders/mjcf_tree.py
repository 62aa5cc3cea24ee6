"""The elements of an MJCF file with all its includes in place.

An <include> stands for everything inside the outermost element of another file.  Only files in the folder of the model
or below are read, each once, so that neither a cycle nor a way out exists; their number and size are bounded.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from xml.etree.ElementTree import Element

from sixvec.errors import FileFormatError
from sixvec.loaders.xml import DEEPEST, LARGEST_FILE, Node, read_xml

MOST_FILES = 256
"""Files of one model; large published models are split into some ten."""

_NESTED = frozenset({"body", "frame", "worldbody", "default"})
"""Elements that stand inside their own kind: their place in words is the file and their name, not the whole path."""


@dataclass(frozen=True)
class Tree:
    """The outermost element of a model, and for each element that was included the file that it came from."""

    root: Node
    folder: Path | None
    """Where includes and meshes are looked for; None where there are no files, only text."""
    origin: dict[Element, str]

    def inside(self, node: Node) -> Iterator[Node]:
        """All elements directly inside, in the order of the file."""
        for element in node.element:
            if isinstance(element.tag, str):
                yield Node(element, self._where(element, node))

    def sections(self, tag: str) -> Iterator[Node]:
        """The sections of that name; a model may have several, which count as one."""
        return (node for node in self.inside(self.root) if node.tag == tag)

    def _where(self, element: Element, parent: Node) -> str:
        name = element.get("name") or element.get("class") if element.tag in _NESTED else element.get("name")
        label = f"<{element.tag}>" if name is None else f'{element.tag} "{name}"'
        if element.tag in _NESTED or parent.element is self.root.element:
            return f"{self.origin.get(element, self.root.where)}: {label}"
        return f"{parent.where}: {label}"


def model_file(folder: Path | None, name: str, node: Node) -> Path:
    """The file of that name in the folder of the model, or an error that says why it is not read.

    >>> from sixvec.loaders.xml import parse_xml
    >>> model_file(Path("robots"), "../secret.xml", parse_xml("<include/>", "arm.xml"))
    Traceback (most recent call last):
    sixvec.errors.FileFormatError: arm.xml: "../secret.xml" leads out of the model's folder; only files inside are read
    """
    if folder is None:
        raise node.error(f'"{name}" is another file, and this model is only a text; load it from its file')
    try:
        home = folder.resolve()
        path = (home / name).resolve()
        inside = path.is_relative_to(home) and not Path(name).is_absolute()
        exists = inside and path.is_file()
    except (OSError, ValueError, RuntimeError):
        raise node.error(f"{name!r} is not the name of a file") from None
    if not inside:
        raise node.error(f'"{name}" leads out of the model\'s folder; only files inside are read')
    if not exists:
        raise node.error(f'the file "{name}" does not exist in {folder}')
    return path


def with_includes(root: Node, folder: Path | None) -> Tree:
    """The model with every <include> replaced by what it names; the names are relative to the model's folder."""
    tree = Tree(root, folder, {})
    seen = {Path(root.where).resolve()} if folder is not None else set()
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
                path = model_file(folder, node.text("file"), node)
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
