"""The names and locations of a robot's meshes in a file to be written.

"keep" does not move the files: names are relative to the new file if they are near it, else absolute; `package://` is
kept in URDF.  "copy" copies them to a folder beside the new file.
"""

from __future__ import annotations

import filecmp
import os
import shutil
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal, get_args

from sixvec.errors import ArgumentError, OutputError, unknown
from sixvec.formats.fitted_geoms import for_mjcf, for_sdf, for_urdf
from sixvec.formats.mesh_location import mesh_file
from sixvec.model import Geom, Mesh, Model
from sixvec.quoting import quoted

Meshes = Literal["keep", "copy"]

FOLDER = "meshes"
"""The folder of copies, beside the new file."""

URDF, SDF = ".urdf", ".sdf"


@dataclass(frozen=True)
class Dressed:
    """A robot with shapes that the file can represent, the files to copy, and the fate of other shapes as text."""

    model: Model
    notes: tuple[str, ...]
    copies: dict[Path, Path]

    def copy(self) -> None:
        """Copy the meshes; identical existing files are kept."""
        for source, target in self.copies.items():
            try:
                target.parent.mkdir(exist_ok=True)
                if not target.exists():
                    shutil.copyfile(source, target)
            except OSError as problem:
                raise OutputError(f"the mesh {source} cannot be copied to {target}: {problem.strerror}") from None


def dressed(model: Model, target: Path, meshes: Meshes = "keep") -> Dressed:
    """The robot as it will be represented in a file at `target`."""
    if meshes not in get_args(Meshes):
        raise ArgumentError(unknown("value of meshes=", meshes, get_args(Meshes)))
    suffix = target.suffix.lower()
    keeps = suffix in (URDF, SDF)
    fitted = {URDF: for_urdf, SDF: for_sdf}.get(suffix, for_mjcf)(model)
    named: dict[Mesh, Mesh | None] = {}
    copies: dict[Path, Path] = {}
    missing: list[str] = []
    for shape in dict.fromkeys(g.shape for g in fitted.geoms if isinstance(g.shape, Mesh)):
        path = mesh_file(shape)
        if path is None:
            missing.append(shape.uri)
            named[shape] = shape if keeps else None
        elif meshes == "copy":
            if path not in copies:
                copies[path] = _free_file(path, target.absolute().parent / FOLDER, copies.values())
            named[shape] = replace(shape, uri=f"{FOLDER}/{copies[path].name}", folders=_folders(target))
        else:
            named[shape] = replace(shape, uri=_kept(shape.uri, path, target), folders=_folders(target))
    notes = list(fitted.notes)
    if missing:
        listed = ", ".join(map(quoted, missing[:5])) + (", …" if len(missing) > 5 else "")
        done = "keep their names" if keeps else "are left out"
        notes.append(f"{len(missing)} meshes are not found and {done}: {listed}")
    geoms = tuple(renamed for g in fitted.geoms if (renamed := _renamed(g, named)) is not None)
    return Dressed(replace(model, geoms=geoms), tuple(notes), copies)


def _renamed(g: Geom, named: dict[Mesh, Mesh | None]) -> Geom | None:
    if not isinstance(g.shape, Mesh):
        return g
    shape = named[g.shape]
    return None if shape is None else replace(g, shape=shape)


def _folders(target: Path) -> tuple[str, ...]:
    home = target.absolute().parent
    return str(home), str(home.parent)


def _kept(uri: str, path: Path, target: Path) -> str:
    """The name of a mesh that is not copied."""
    home = target.absolute().parent.resolve()
    is_urdf = target.suffix.lower() == URDF
    if is_urdf and uri.startswith("package://"):
        return uri
    if path.is_relative_to(home.parent if home.parent.name else home):
        return Path(os.path.relpath(path, home)).as_posix()
    return path.as_posix() if target.suffix.lower() not in (URDF, SDF) else path.as_uri()


def _free_file(path: Path, folder: Path, taken: Iterable[Path]) -> Path:
    """A name for a copy: its own, else with its source folder, else a longer one."""
    name, used = path.name, {*taken}
    for attempt in (name, f"{path.parent.name}_{name}"):
        target = folder / attempt
        if target not in used and (not target.exists() or filecmp.cmp(path, target, shallow=False)):
            return target
    while target in used or target.exists():
        target = target.with_name(f"{target.stem}_{target.suffix}")
    return target
