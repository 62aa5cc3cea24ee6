"""From a robot to a file, in the format that its suffix names."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from sixvec.errors import ArgumentError, ModelError
from sixvec.formats.draft import Draft
from sixvec.formats.fitted_geoms import Meshes, dressed
from sixvec.formats.load import load_model
from sixvec.formats.mesh_location import mesh_file_outside
from sixvec.model import AnyClosure, Gear, Mesh, Model
from sixvec.model.require import require_model
from sixvec.model.spanning_tree import require_sliding
from sixvec.quoting import LONGEST_LINE, quoted

if TYPE_CHECKING:
    from sixvec.robot import Robot

MOST_NAMES_SHOWN = 20
COPY = 'meshes="copy", or --meshes copy on the command line'


URDF, MJCF, SDF = ".urdf", ".xml", ".sdf"
WRITERS = {URDF: "urdf", MJCF: "mjcf", SDF: "sdf"}
"""For each suffix the folder of its format, whose writer is imported when it is needed."""


def save(robot: Robot | Model, path: str | Path, *, overwrite: bool = False, meshes: Meshes = "keep") -> None:
    """Write a robot as URDF (`*.urdf`), MJCF (`*.xml`) or SDF (`*.sdf`), so that `load` gives the same robot again.

    Properties of a joint that the format cannot express, and loops and wheels that would be lost, are errors; gravity,
    frames, shapes and an order of joints that it cannot express are warnings.  Mesh files are not moved, or with
    `meshes="copy"` are copied into a folder "meshes" next to the new file.  The new file is written to a temporary
    neighbour, read back, and renamed: the target is always the old file or the complete new one.  An existing file is
    replaced only with `overwrite=True`.

    >>> import sixvec, tempfile
    >>> from pathlib import Path
    >>> path = Path(tempfile.mkdtemp()) / "arm.xml"
    >>> sixvec.save(sixvec.load("panda"), path)
    >>> sixvec.load(path).joint_names == sixvec.load("panda").joint_names
    True
    """
    model = require_model(robot, "save")
    require_sliding(model, "save")
    path = Path(path)
    write = writer(path)
    fitted = dressed(model, path, meshes)
    text = write(fitted.model)
    with Draft(path, text, overwrite=overwrite) as draft:
        again = load_model(draft.file)
        if lost := lost_closures(model, again):
            others = " or ".join(f"*{suffix}" for suffix in (MJCF, SDF) if suffix != path.suffix.lower())
            raise ModelError(f"{model.name}: *{path.suffix} cannot hold its loops: {listed(lost)}; write {others}")
        fitted.copy()
        draft.place()
    for note in (*fitted.notes, *what_is_missing(model, again)):
        warnings.warn(f"{path}: {note}", stacklevel=2)


def writer(path: Path) -> Callable[[Model], str]:
    """The writer for a file of that name."""
    if path.suffix.lower() not in WRITERS:
        raise ArgumentError(f'cannot write "*{quoted(path.suffix)}"; formats: {", ".join(WRITERS)}')
    name = WRITERS[path.suffix.lower()]
    write: Callable[[Model], str] = getattr(import_module(f"sixvec.formats.{name}.write"), f"write_{name}")
    return write


def lost_closures(model: Model, again: Model) -> list[str]:
    """The names of the loops and gears that were not read back; a gear may be read back as a mimic joint."""
    names = {c.name for c in again.closures}
    led = {b.joint_label for b in again.bodies if b.mimic}

    def follows(c: AnyClosure) -> bool:
        return isinstance(c, Gear) and model.by_name[c.follower].joint_label in led

    return [c.name for c in model.closures if c.name not in names and not follows(c)]


def what_is_missing(model: Model, again: Model) -> list[str]:
    """What is without effect on the motion and not read back: frames, gravity, joint order, meshes in other folders."""
    notes = []
    shapes = {g.shape for g in again.geoms if isinstance(g.shape, Mesh)}
    if outside := sorted({str(path.parent) for mesh in shapes if (path := mesh_file_outside(mesh)) is not None}):
        allowed = ", ".join(f'"{quoted(folder, LONGEST_LINE)}"' for folder in outside)
        notes.append(f"its meshes are in other folders: load it with folders=[{allowed}], or copy them: {COPY}")
    if lost := sorted({f.name for f in model.frames} - {f.name for f in again.frames}):
        notes.append(f"the file cannot hold these frames: {listed(lost)}")
    if model.gravity != again.gravity:
        down, loaded = (", ".join(f"{x:g}" for x in m.gravity) for m in (model, again))
        notes.append(f"the file cannot hold the gravity ({down}); it loads with ({loaded}) unless gravity= is given")
    for kind in ("actuators", "tendons", "keyframes"):
        if lost := [x.name for x in getattr(model, kind) if x.name not in {y.name for y in getattr(again, kind)}]:
            notes.append(f"the file cannot hold these {kind}: {listed(lost)}")
    if model.passive:
        notes.append(f"the file cannot hold {len(model.passive)} friction laws and springs between bodies")
    order, now = ([b.joint_label for b in m.moving] for m in (model, again))
    if lost := [name for name in order if name not in now]:
        notes.append(f"the file cannot hold the names of these joints: {listed(lost)}")
    if order != now and sorted(order) == sorted(now):
        notes.append(f"the file cannot hold the order of the joints; they are read as {listed(now)}")
    return notes


def listed(names: list[str]) -> str:
    """Names for a message, limited in number."""
    return ", ".join(map(quoted, names[:MOST_NAMES_SHOWN])) + (", …" if len(names) > MOST_NAMES_SHOWN else "")
