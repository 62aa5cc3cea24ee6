"""What the meshes of a robot are called in a file that is to be written, and where they are then.

"keep" leaves the files where they are: names are relative to the new file where they are near it, else absolute;
`package://` stays in URDF.  "copy" puts them into a folder beside the new file.
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
"""Where copies go, beside the new file."""

URDF, SDF = ".urdf", ".sdf"


@dataclass(frozen=True)
class Dressed:
    """A robot whose shapes the file can hold, with the files to copy and in words what happened to other shapes."""

    model: Model
    notes: tuple[str, ...]
    copies: dict[Path, Path]

    def copy(self) -> None:
        """Copy the meshes; equal files that are there already stay."""
        for source, target in self.copies.items():
            try:
                target.parent.mkdir(exist_ok=True)
                if not target.exists():
                    shutil.copyfile(source, target)
            except OSError as problem:
                raise OutputError(f"the mesh {source} cannot be copied to {target}: {problem.strerror}") from None


def dressed(model: Model, target: Path, meshes: Meshes = "keep") -> Dressed:
    """The robot as a file at `target` will hold it."""
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
    """The name of a mesh that stays where it is."""
    home = target.absolute().parent.resolve()
    is_urdf = target.suffix.lower() == URDF
    if is_urdf and uri.startswith("package://"):
        return uri
    if path.is_relative_to(home.parent if home.parent.name else home):
        return Path(os.path.relpath(path, home)).as_posix()
    return path.as_posix() if target.suffix.lower() not in (URDF, SDF) else path.as_uri()


def _free_file(path: Path, folder: Path, taken: Iterable[Path]) -> Path:
    """A name in the folder for a copy: its own, else with the folder that it comes from, else a longer one."""
    name, used = path.name, {*taken}
    for attempt in (name, f"{path.parent.name}_{name}"):
        target = folder / attempt
        if target not in used and (not target.exists() or filecmp.cmp(path, target, shallow=False)):
            return target
    while target in used or target.exists():
        target = target.with_name(f"{target.stem}_{target.suffix}")
    return target
