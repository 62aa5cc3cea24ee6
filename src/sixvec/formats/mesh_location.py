"""The location of a mesh file, by the rule in `packages.py`.  Only files with the suffix of a mesh are accepted.

`Mesh.folders` are those of the rule: that of the robot file first, the others that it may reach, then the caller's.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote

from sixvec.formats.folders import MESHES
from sixvec.formats.packages import VARIABLES, package_folders, path_of_uri
from sixvec.model.geom import Mesh


def mesh_file(mesh: Mesh) -> Path | None:
    """The file of a mesh on this machine; None if it does not exist or may not be read.

    >>> from sixvec.formats.mesh_location import mesh_file
    >>> from sixvec.model import Mesh
    >>> mesh_file(Mesh("package://panda/hand.stl")) is None
    True
    """
    return next((path for path, inside in _files(mesh) if inside), None)


def mesh_file_outside(mesh: Mesh) -> Path | None:
    """The file of a mesh that exists and may not be read because it is outside of the folders, else None."""
    files = [*_files(mesh)]
    return files[0][0] if files and not any(inside for _, inside in files) else None


def _files(mesh: Mesh) -> Iterator[tuple[Path, bool]]:
    """The mesh files that the name may mean, and whether each is inside of the folders."""
    scheme, separator, location = mesh.uri.partition("://")
    if not separator:
        scheme, location = "file", mesh.uri
    elif scheme not in ("file", *VARIABLES):
        return
    if separator:
        location = path_of_uri(location) if scheme == "file" else unquote(location)
    try:
        for folder, name, inside in _places(mesh, scheme, location):
            home = folder.resolve()
            path = (home / name).resolve()
            if path.suffix.lower() in MESHES and path.is_file():
                homes = [home] if scheme in VARIABLES else [Path(folder).resolve() for folder in mesh.folders]
                allowed = inside and any(path.is_relative_to(h) for h in homes)
                yield path, allowed
    except (OSError, ValueError, RuntimeError):
        pass  # a name that no file system accepts


def _places(mesh: Mesh, scheme: str, location: str) -> Iterator[tuple[Path, str, bool]]:
    """Candidate folders, each with the name of the file in it, and whether files of that folder may be read."""
    folders = [*map(Path, mesh.folders)]
    if scheme not in VARIABLES:
        yield from ((folder, location, True) for folder in folders)
        return
    package, _, name = location.lstrip("/").partition("/")
    model = (folders[0] if folders else Path()) / "model"
    # Packages deep below a folder are searched for in those of the caller, not in the folders above the model.
    elsewhere = [folder for folder in folders if folder not in model.parents]
    allowed = [*package_folders(package, model, elsewhere, scheme, within=folders)]
    yield from ((folder, name, True) for folder in allowed)
    around = package_folders(package, model, (), scheme, within=[Path(model.anchor)])
    yield from ((folder, name, False) for folder in around if folder not in allowed)  # for the message
