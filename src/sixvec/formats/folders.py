"""The files that a model file may refer to: those in its own folder and in folders that the caller allows.

For meshes, the rule in `packages.py` allows more folders.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from sixvec.formats.node import Node
from sixvec.formats.packages import reach
from sixvec.quoting import quoted

MESHES = (".stl", ".obj", ".dae", ".msh", ".ply", ".off", ".glb", ".gltf", ".3mf")
"""Suffixes of mesh files."""


@dataclass(frozen=True)
class Folders:
    """The folder of the outermost file (None for plain text), and those of the caller."""

    home: Path | None
    trusted: tuple[Path, ...] = ()
    _parsed: dict[Path, Node] = field(default_factory=dict, repr=False, compare=False)

    def read(self, path: Path) -> Node:
        """The outermost element of a file, which is parsed once; changes are made to a copy."""
        from sixvec.formats.xml import read_xml

        if path not in self._parsed:
            self._parsed[path] = read_xml(path)
        return self._parsed[path]

    @property
    def parsed(self) -> list[Node]:
        """The outermost elements of all files read."""
        return [*self._parsed.values()]

    @property
    def of_meshes(self) -> tuple[Path, ...]:
        """The folders of meshes: those that the outermost file may reach, and those of the caller."""
        return () if self.home is None else (*reach(self.home), *(folder.absolute() for folder in self.trusted))

    def allow(self, path: Path, *more: Path | None) -> bool:
        """Whether a file, its path resolved, is in a readable folder, here or in `more`."""
        meshes = self.of_meshes if path.suffix.lower() in MESHES else ()
        allowed = (folder.resolve() for folder in (*more, self.home, *self.trusted, *meshes) if folder is not None)
        return any(path.is_relative_to(folder) for folder in allowed)

    def find(self, name: str, node: Node, places: Iterable[Path]) -> Path:
        """The first existing file of several candidates, or an error that explains why none is read.

        A file outside that comes first is not skipped: the program of that format would read it.
        """
        if self.home is None:
            raise node.error(
                f'"{quoted(name)}" is another file, and this model is only a text', "load it from its file"
            )
        try:
            folders = list(dict.fromkeys(place.resolve() for place in places))
            path = next((path for path in folders if path.is_file()), None)
        except (OSError, ValueError, RuntimeError):
            raise node.error(f'"{quoted(name)}" is not the name of a file') from None
        outside = [path] if path is not None else folders
        if not any(self.allow(each) for each in outside):
            raise node.error(OUTSIDE.format(quoted(name)), permission(outside[0]))
        if path is None:
            raise node.error(f'the file "{quoted(name)}" does not exist in {self.home}', "add it, or correct its name")
        return path


OUTSIDE = '"{}" leads out of the folders that may be read'
"""The error text for a file that may not be read."""


def permission(path: Path) -> str:
    """Advice on how to allow a file to be read."""
    return f'if it is to be trusted, allow its folder: folders=["{path.parent}"]'
