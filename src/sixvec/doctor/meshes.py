"""Whether the files of shapes that a URDF names are there.  They are looked for, never opened."""

from __future__ import annotations

import os
from pathlib import Path
from urllib.parse import unquote

from sixvec.doctor.finding import Severity
from sixvec.doctor.source import Tag
from sixvec.doctor.urdf import Findings, Sheet, inside, note, warning
from sixvec.loaders.xml import quoted

PACKAGE = "package://"
FILE = "file://"
SEARCH_PATHS = ("ROS_PACKAGE_PATH", "AMENT_PREFIX_PATH")
"""Variables of the environment that list folders of packages."""


def meshes_are_there(sheet: Sheet) -> Findings:
    """Each file once: it often stands for what is seen and for what collides."""
    seen: set[str] = set()
    for link in sheet.links:
        for mesh in _meshes(link):
            name = mesh.get("filename")
            if name in seen:
                continue
            seen.add(name)
            severity, problem = missing(name, sheet.path)
            if problem:
                say = warning if severity is Severity.WARNING else note
                advice = "kinematics and dynamics do not need it; drawing does"
                yield inside(link, say(mesh, f'"{quoted(name)}": {problem}', advice))


def _meshes(link: Tag) -> list[Tag]:
    shapes = [t for kind in ("visual", "collision") for t in link.all(kind)]
    return [mesh for shape in shapes for geometry in shape.all("geometry") for mesh in geometry.all("mesh")]


def missing(name: str, urdf: Path) -> tuple[Severity, str]:
    """What is wrong with a file name in a URDF at that path; empty if the file exists.

    >>> missing("package://no_such_package/a.stl", Path("arm.urdf"))
    (<Severity.NOTE: 0>, 'the package "no_such_package" is neither above this file nor in ROS_PACKAGE_PATH')
    """
    if not name:
        return Severity.WARNING, "no file is named"
    if name.startswith(PACKAGE):
        package, _, inside_package = name.removeprefix(PACKAGE).partition("/")
        folders = [f for f in _package_folders(package, urdf) if _exists(f)]
        if not folders:
            where = f'the package "{quoted(package)}" is neither above this file nor in ROS_PACKAGE_PATH'
            return Severity.NOTE, where
        found = any(_exists(f / inside_package) for f in folders)
        return (Severity.NOTE, "") if found else (Severity.WARNING, f"is not in the package at {folders[0]}")
    if name.startswith(FILE):
        path = Path(unquote(name.removeprefix(FILE)))
    elif "://" in name:
        return Severity.NOTE, "an address outside this machine; nothing is fetched"
    else:
        path = urdf.parent / name
    return (Severity.NOTE, "") if _exists(path) else (Severity.WARNING, "the file does not exist")


def _package_folders(package: str, urdf: Path) -> list[Path]:
    if not package:
        return []
    listed = [Path(p) for name in SEARCH_PATHS for p in os.environ.get(name, "").split(os.pathsep) if p]
    above = [*urdf.absolute().parents]
    return [
        *(folder for folder in above if folder.name == package),
        *(folder / package for folder in (*above, *listed)),
        *(folder / "share" / package for folder in listed),
    ]


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except (OSError, ValueError):
        return False  # a name that no file system takes
