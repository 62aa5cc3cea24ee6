"""Whether the mesh files named in a robot file exist.  They are searched for, never opened."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from sixvec.formats.doctor.finding import Findings, Severity, at
from sixvec.formats.doctor.outline import Outline
from sixvec.formats.packages import VARIABLES, package_folders, path_of_uri, reach
from sixvec.quoting import quoted

FILE = "file://"


def meshes_are_there(outline: Outline) -> Findings:
    """Each file once: it is often used both as visual and as collision geometry."""
    checked: set[str] = set()
    for node, name, needed in outline.meshes:
        if name in checked:
            continue
        checked.add(name)
        severity, problem = missing(name, Path(outline.root.file), outline.folders)
        if problem and not needed:  # that of a mesh from which an inertia is computed has a rule in its format
            advice = "kinematics and dynamics do not need it; drawing does"
            yield at(severity, node, f'"{quoted(name)}": {problem}', advice)


def missing(name: str, robot: Path, folders: Iterable[Path] = ()) -> tuple[Severity, str]:
    """The problem of a file name in a robot file at that path; empty if the file exists there or in the folders."""
    if not name:
        return Severity.WARNING, "no file is named"
    kind, separator, address = name.partition("://")
    if separator and kind in VARIABLES:
        package, _, inside_package = address.partition("/")
        packages = [*package_folders(package, robot, folders, kind, within=reach(robot.parent))]
        if not packages:
            variable = VARIABLES[kind][0]
            return Severity.NOTE, f'the {kind} "{quoted(package)}" is neither near this file nor in {variable}'
        is_there = any(exists(f / inside_package) for f in packages)
        return (Severity.NOTE, "") if is_there else (Severity.WARNING, f"is not in the {kind} at {packages[0]}")
    if name.startswith(FILE):
        paths = [Path(path_of_uri(name.removeprefix(FILE)))]
    elif separator:
        return Severity.NOTE, "an address outside this machine; nothing is fetched"
    else:
        paths = [folder / name for folder in (robot.parent, *folders)]
    return (Severity.NOTE, "") if any(map(exists, paths)) else (Severity.WARNING, "the file does not exist")


def exists(path: Path) -> bool:
    try:
        return path.exists()
    except (OSError, ValueError):
        return False  # a name that no file system accepts
