"""Addresses in robot files: paths of `file://`, and the folders of ROS packages and Gazebo models by their names.

Neither ROS nor Gazebo is needed: `$(find NAME)`, `package://NAME` and `model://NAME` are all resolved here.

One rule says which meshes a robot file may name, however it names them:

* those in its own folder, in its package (the nearest folder above it that has a manifest, one of `MANIFESTS`), and in
  the folder that contains its own (`../meshes/arm.stl`), each with everything below;
* those in the folders of the caller (`folders=`);
* with `package://NAME` and `model://NAME`, also those of a package of that name with a manifest, above the file or
  next to a folder above it, and of a folder of that name that the variables in `VARIABLES` list.

The folder that contains the file's is left out if it is a root, or the home folder of a user: there, everything is.

This file imports nothing from the library, because another process uses it too.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from urllib.parse import unquote

VARIABLES = {
    "package": ("ROS_PACKAGE_PATH", "AMENT_PREFIX_PATH"),
    "model": ("GZ_SIM_RESOURCE_PATH", "IGN_GAZEBO_RESOURCE_PATH", "GAZEBO_MODEL_PATH", "SDF_PATH"),
}
"""Variables of the environment that list folders of packages, by the scheme of their addresses."""

MANIFEST = "package.xml"
MANIFESTS = (MANIFEST, "manifest.xml", "model.config")
"""Of ROS packages, now and formerly, and of models of Gazebo."""

_NAME = re.compile(rb"<name>\s*([^<\s]+)\s*</name>")
_LONGEST_MANIFEST = 65536

DEEPEST, MOST_FOLDERS = 3, 2000
"""The depth of the search for packages below a folder, and the number of folders searched at most."""


def reach(folder: Path) -> tuple[Path, ...]:
    """The folders with the meshes of a robot file in a folder, that folder first."""
    around = folder.absolute().parent
    return tuple(dict.fromkeys([*own_folders(folder), *([] if _is_wide(around) else [around])]))


def own_folders(folder: Path) -> tuple[Path, ...]:
    """The folder of a robot file, and that of its package if there is one."""
    home = folder.absolute()
    root = next((each for each in (home, *home.parents) if _is_package(each) and not _is_wide(each)), home)
    return tuple(dict.fromkeys([home, root]))


def _is_wide(folder: Path) -> bool:
    """Whether a folder is a root or the home of a user."""
    is_home = len(folder.parts) == 3 and folder.parts[1] in ("home", "Users")
    try:
        return folder == folder.parent or is_home or folder.resolve() == Path.home().resolve()
    except (OSError, RuntimeError):
        return True  # it cannot be known


def _is_package(folder: Path) -> bool:
    try:
        return any((folder / name).is_file() for name in MANIFESTS)
    except (OSError, ValueError):
        return False


def package_folder(name: str, file: Path, folders: Iterable[Path] = ()) -> Path | None:
    """The folder of a package that a file refers to; None if there is none."""
    return next(package_folders(name, file, folders), None)


def package_folders(
    name: str, file: Path, folders: Iterable[Path] = (), scheme: str = "package", within: Iterable[Path] = ()
) -> Iterator[Path]:
    """All folders that may be that package, the likeliest first: packages with a manifest, and any in `within`."""
    allowed = [folder.resolve() for folder in within]

    def is_allowed(folder: Path) -> bool:
        real = folder.resolve()
        return _is_package(real) or any(real.is_relative_to(each) for each in allowed)

    if not name or Path(name).name != name or name in (".", ".."):
        return
    listed = [Path(p) for variable in VARIABLES[scheme] for p in os.environ.get(variable, "").split(os.pathsep) if p]
    roots = [*map(Path, folders), *listed]
    above = [*file.absolute().parents]
    direct = [
        *(root for root in roots if root.name == name),
        *(root / way / name for root in roots for way in ("", "share")),
    ]
    around = [
        *(folder for folder in above if folder.name == name or _named(folder) == name),
        *(folder / name for folder in above[:-1]),
    ]
    yield from (folder for folder in direct if _is_folder(folder))
    yield from (folder for folder in around if _is_folder(folder) and is_allowed(folder))
    yield from (place for root in roots for place in _below(root, name))


def _below(root: Path, name: str) -> Iterator[Path]:
    """Packages of that name some levels down, as in a workspace of several repositories; the manifest decides."""
    waiting, looked = [(root, 0)], 0
    while waiting and looked < MOST_FOLDERS:
        folder, depth = waiting.pop(0)
        looked += 1
        if _named(folder) == name:
            yield folder
        elif depth < DEEPEST:
            try:
                waiting += [(Path(e.path), depth + 1) for e in sorted(os.scandir(folder), key=lambda e: e.name)
                            if e.is_dir(follow_symlinks=False) and not e.name.startswith(".")]  # fmt: skip
            except OSError:
                continue  # a folder that may not be read


def _named(folder: Path) -> str:
    """The name of a package in the manifest of a folder; empty if there is none."""
    try:
        with (folder / MANIFEST).open("rb") as stream:
            match = _NAME.search(stream.read(_LONGEST_MANIFEST))
    except (OSError, ValueError):
        return ""
    return match[1].decode("utf-8", "replace") if match else ""


def _is_folder(path: Path) -> bool:
    try:
        return path.is_dir()
    except (OSError, ValueError):
        return False


def path_of_uri(location: str, drives: bool = os.name == "nt") -> str:
    """The path of a `file://` URI, from the text after it.  On systems with drives, `/C:/robots` is `C:/robots`."""
    path = unquote(location)
    has_drive = drives and path[:1] == "/" and path[1:2].isalpha() and path[2:3] == ":"
    return path[1:] if has_drive else path
