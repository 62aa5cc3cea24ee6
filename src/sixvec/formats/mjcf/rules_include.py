"""The elements of an MJCF file with all its includes in place; what cannot be included becomes findings.

The files are those that the loader would read: in the folder of the model, each once, bounded in number and size.
"""

from __future__ import annotations

from pathlib import Path
from xml.etree.ElementTree import Element

from sixvec.errors import FileFormatError
from sixvec.formats.doctor.finding import Finding
from sixvec.formats.doctor.source import Tag, Unreadable, error, read_tags
from sixvec.formats.folders import Folders
from sixvec.formats.mjcf.tree import MOST_FILES
from sixvec.formats.xml import LARGEST_FILE, Node
from sixvec.quoting import quoted

INCLUDE = "include"


def include_all(root: Tag, path: Path, folders: tuple[Path, ...] = ()) -> list[Finding]:
    """Put what each <include> names in its place; returns what is wrong with those that remain out."""
    reader, waiting = _Includes(path, folders), [root]
    while waiting:
        parent = waiting.pop()
        todo, done = [*reversed(parent.inside)], []
        while todo:
            t = todo.pop()
            if t.tag == INCLUDE:
                todo.extend(reversed(reader.included(t)))
            else:
                done.append(t)
        parent.inside[:] = done
        waiting.extend(done)
    return reader.problems


class _Includes:
    """Which files have been read, and what was wrong with others."""

    def __init__(self, path: Path, folders: tuple[Path, ...]) -> None:
        self.folder = path.parent
        self.folders = Folders(path.parent, folders)
        self.seen = {path.resolve()}
        self.budget = LARGEST_FILE
        self.problems: list[Finding] = []

    def included(self, t: Tag) -> list[Tag]:
        name = t.get("file")
        if not name:
            return self._refused(t, "names no file", 'add the attribute file="…"')
        try:
            name = name.replace("\\", "/")
            here = Path(t.file).parent if t.file else self.folder
            path = self.folders.find(name, Node(Element(INCLUDE), ""), (self.folder / name, here / name))
        except FileFormatError as problem:
            message, _, advice = str(problem).removeprefix(": ").partition("; ")
            return self._refused(t, message, advice or "correct the name, or take the element out")
        if path in self.seen:
            return self._refused(t, f'"{quoted(name)}" is included twice or includes itself', "once is allowed")
        self.seen.add(path)
        self.budget -= path.stat().st_size
        if len(self.seen) > MOST_FILES or self.budget < 0:
            message = f"more than {MOST_FILES} files or {LARGEST_FILE // 2**20} MiB in one model"
            return self._refused(t, message, "no robot needs that")
        try:
            return read_tags(path, str(path)).inside
        except Unreadable as problem:
            self.problems.append(problem.finding)
            return []

    def _refused(self, t: Tag, message: str, advice: str) -> list[Tag]:
        self.problems.append(error(t, message, advice))
        return []
