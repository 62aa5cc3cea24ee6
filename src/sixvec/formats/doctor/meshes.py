"""Whether the mesh files named in a robot file exist.  They are searched for, never opened."""

from __future__ import annotations

import os
from pathlib import Path

from sixvec.formats.doctor.finding import Findings, Severity, error, note, warning
from sixvec.formats.doctor.outline import Outline
from sixvec.formats.file_uri import path_of_uri
from sixvec.quoting import quoted

FILE = "file://"
SEARCH_PATHS = {
    "package": ("ROS_PACKAGE_PATH", "AMENT_PREFIX_PATH"),
    "model": ("GZ_SIM_RESOURCE_PATH", "IGN_GAZEBO_RESOURCE_PATH", "GAZEBO_MODEL_PATH", "SDF_PATH"),
}
"""For addresses package://… and model://…, the environment variables that list their folders."""

SAY = {Severity.NOTE: note, Severity.WARNING: warning, Severity.ERROR: error}


def meshes_are_there(outline: Outline) -> Findings:
    """Each file once: it is often used both as visual and as collision geometry."""
    seen: set[str] = set()
    for node, name, needed in outline.meshes:
        if name in seen:
            continue
        seen.add(name)
        severity, problem = missing(name, Path(outline.root.file))
        if problem:
            advice = "kinematics and dynamics do not need it; drawing does"
            if needed:
                severity, advice = Severity.ERROR, "the inertia of a body comes from it"
            yield SAY[severity](node, f'"{quoted(name)}": {problem}', advice)


def missing(name: str, robot: Path) -> tuple[Severity, str]:
    """The problem of a file name in a robot file at that path; empty if the file exists.

    >>> missing("package://no_such_package/a.stl", Path("arm.urdf"))
    (<Severity.NOTE: 0>, 'the package "no_such_package" is neither above this file nor in ROS_PACKAGE_PATH')
    """
    if not name:
        return Severity.WARNING, "no file is named"
    kind, separator, address = name.partition("://")
    if separator and kind in SEARCH_PATHS:
        package, _, inside_package = address.partition("/")
        folders = [f for f in _folders(kind, package, robot) if exists(f)]
        if not folders:
            variable = SEARCH_PATHS[kind][0]
            return Severity.NOTE, f'the {kind} "{quoted(package)}" is neither above this file nor in {variable}'
        found = any(exists(f / inside_package) for f in folders)
        return (Severity.NOTE, "") if found else (Severity.WARNING, f"is not in the {kind} at {folders[0]}")
    if name.startswith(FILE):
        path = Path(path_of_uri(name.removeprefix(FILE)))
    elif separator:
        return Severity.NOTE, "an address outside this machine; nothing is fetched"
    else:
        path = robot.parent / name
    return (Severity.NOTE, "") if exists(path) else (Severity.WARNING, "the file does not exist")


def _folders(kind: str, package: str, robot: Path) -> list[Path]:
    if not package:
        return []
    listed = [Path(p) for name in SEARCH_PATHS[kind] for p in os.environ.get(name, "").split(os.pathsep) if p]
    above = [*robot.absolute().parents]
    return [
        *(folder for folder in above if folder.name == package),
        *(folder / package for folder in (*above, *listed)),
        *(folder / "share" / package for folder in listed),
    ]


def exists(path: Path) -> bool:
    try:
        return path.exists()
    except (OSError, ValueError):
        return False  # a name that no file system accepts
