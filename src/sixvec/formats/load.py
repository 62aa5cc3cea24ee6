"""One entry point for all robots: the name of a built-in one, or a file in any supported format."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import replace
from importlib import import_module
from pathlib import Path

from sixvec.errors import ArgumentError, FileFormatError, RobotNotFound, unknown
from sixvec.formats.budget import one_budget
from sixvec.formats.folders import Folders
from sixvec.formats.node import Node
from sixvec.formats.problems import strictly
from sixvec.model import Model
from sixvec.model.edits.floating import with_free_root
from sixvec.model.robots import BUILT_IN
from sixvec.spatial import Vec3

FORMATS = {"robot": "urdf", "mujoco": "mjcf", "sdf": "sdf"}
"""For each outermost element the folder of its format here, whose modules are imported when a file needs them."""

SUFFIXES = {
    ".urdf": ("robot",),
    ".xacro": ("robot",),
    ".xml": ("robot", "mujoco"),
    ".sdf": ("sdf",),
    ".world": ("sdf",),
}
"""For each suffix, the outermost elements that a file of that name may have."""

SUPPORTED = (
    "URDF (.urdf, .xacro, or .xml that starts with <robot>), MJCF (.xml that starts with <mujoco>), SDF (.sdf, .world)"
)


def load_model(
    source: str | Path,
    *,
    floating: bool = False,
    gravity: Iterable[float] | None = None,
    folders: Iterable[str | Path] = (),
    trusted: bool = False,
) -> Model:
    """The built-in robot of that name, or the robot in that file.

    A file may refer to others in its own folder, and in the `folders` given: models that SDF includes (by
    `model://NAME` also from the parent folder), files that MJCF includes, meshes that define an inertia, packages that
    xacro finds.  Visual and collision meshes are searched for there too, when they are used.  A xacro file whose
    expressions need all of Python is loaded with `trusted`, which lets it run any code.

    >>> from sixvec.formats import load_model
    >>> load_model("planar_2r", gravity=(0, 0, -1.62)).gravity
    Vec3(x=0.0, y=0.0, z=-1.62)
    """
    allowed = allowed_folders(folders)
    down = None if gravity is None else _gravity(gravity)
    if isinstance(source, str) and source in BUILT_IN:
        if allowed:
            raise ArgumentError(f"folders= is for files that read others, and {source} is built in; leave it out")
        model = BUILT_IN[source]()
        model = model if down is None else replace(model, gravity=down)
        return with_free_root(model) if floating else model
    path = _existing(source)
    _require_known(path)
    places = Folders(path.parent, allowed)
    with one_budget():
        return strictly(
            lambda: read_model(read_root(path, allowed, trusted=trusted), places, floating=floating, gravity=down)
        )


def parse_model(
    text: str | bytes, name_for_errors: str, *, floating: bool = False, gravity: Iterable[float] | None = None
) -> Model:
    """The robot in the text of a file of any format, which must not need other files.

    >>> from sixvec.formats import parse_model
    >>> arm = parse_model(
    ...     '<robot name="arm"><link name="base"/><link name="hand"/>'
    ...     '<joint name="wrist" type="continuous"><parent link="base"/><child link="hand"/></joint></robot>',
    ...     "arm.urdf",
    ... )
    >>> arm.nv, [b.name for b in arm.bodies], arm.bodies[1].joint_name
    (1, ['base', 'hand'], 'wrist')
    """
    from sixvec.formats.xml import parse_xml

    if not isinstance(text, str | bytes):
        raise ArgumentError(f"parse_model: text must be the content of a file, str or bytes, not {text!r}")
    down = None if gravity is None else _gravity(gravity)
    with one_budget():
        root = strictly(parse_xml, text, name_for_errors)
        return strictly(read_model, root, Folders(None), floating=floating, gravity=down)


def read_root(path: Path, allowed: tuple[Path, ...] = (), *, trusted: bool = False) -> Node:
    """The outermost element of a file; of a xacro file, of the URDF that it expands to."""
    from sixvec.formats.xml import parse_xml, read_xml

    if path.suffix.lower() != ".xacro":
        return read_xml(path)
    from sixvec.formats.urdf.xacro import expanded

    return parse_xml(expanded(path, folders=allowed, trusted=trusted), str(path))


def read_model(root: Node, folders: Folders, *, floating: bool = False, gravity: Vec3 | None = None) -> Model:
    """The robot of a parsed file; other files that it needs are read from the folders."""
    require_format(root, folders)
    reader = import_module(f"sixvec.formats.{FORMATS[root.tag]}.read")
    model: Model = reader.model_of(root, folders, floating=floating, gravity=gravity)
    return model


def require_format(root: Node, folders: Folders) -> None:
    """Raise an error if the outermost element is not that of a format, or not of the one that the name says."""
    if root.tag not in (FORMATS if folders.home is None else _require_known(Path(root.file))):
        raise root.error(f"the outermost element is <{root.tag}>, which no format here has", f"formats: {SUPPORTED}")


def allowed_folders(folders: Iterable[str | Path]) -> tuple[Path, ...]:
    """The folders of the caller, which must exist."""
    if isinstance(folders, str | Path):
        raise ArgumentError(f"folders={str(folders)!r} is one path; give a list: folders=[{str(folders)!r}]")
    candidates = []
    for folder in folders:
        if not isinstance(folder, str | Path):
            raise ArgumentError(f"folders: {folder!r} is not a path; give str or pathlib.Path")
        candidates.append(Path(folder).expanduser())
        if not candidates[-1].is_dir():
            raise ArgumentError(f'folders: "{folder}" is not a folder that exists')
    return tuple(candidates)


def _gravity(gravity: Iterable[float]) -> Vec3:
    try:
        x, y, z = (float(g) for g in gravity)
    except (TypeError, ValueError):
        raise ArgumentError(f"gravity={gravity!r} is not 3 numbers; give m/s² such as (0, 0, -9.81)") from None
    if not all(math.isfinite(g) for g in (x, y, z)):
        raise ArgumentError(f"gravity={(x, y, z)} is not finite; give m/s² such as (0, 0, -9.81)")
    return Vec3(x, y, z)


def _existing(source: str | Path) -> Path:
    """The file with that name, or an error that lists the alternatives."""
    if not isinstance(source, str | Path):
        table = (
            "; columns of Denavit-Hartenberg: sixvec.from_dh(convention=…, a=…, alpha=…, d=…, theta=…)"
            if isinstance(source, list | tuple) or hasattr(source, "shape")
            else ""
        )
        raise ArgumentError(f"{source!r} is neither a name nor a path; give a str or a pathlib.Path{table}")
    if isinstance(source, str) and source.lstrip().startswith("<"):
        raise ArgumentError(
            "load takes the path of a file, not its text; write sixvec.Robot(sixvec.formats.parse_model(text, name))"
        )
    if isinstance(source, str) and "://" in source:
        raise RobotNotFound(f'"{source}" is an address; give the path of the file, and folders= for its packages')
    path, is_folder, exists = Path(source), False, False
    try:
        path = path.expanduser()
        if path.is_file():
            return path
        is_folder, exists = source != "" and path.is_dir(), path.exists()
    except (OSError, RuntimeError):
        pass  # an invalid name, or the home of a user that does not exist: there is no such file
    if is_folder:
        raise FileFormatError("a folder", advice=f"give a file in one of the formats {SUPPORTED}", file=str(path))
    if len(path.parts) > 1 or path.suffix or isinstance(source, Path):
        raise RobotNotFound(f'"{path}" is a pipe or a device' if exists else f'the file "{path}" does not exist')
    raise RobotNotFound(unknown("built-in robot", source, BUILT_IN) + "; and no file of that name exists either")


def _require_known(path: Path) -> tuple[str, ...]:
    """The outermost elements that a file of that name may have."""
    allowed = SUFFIXES.get(path.suffix.lower())
    if allowed is None:
        why = f'files "*{path.suffix}" cannot be read'
        raise FileFormatError(why, advice=f"formats: {SUPPORTED}", file=str(path))
    return allowed
