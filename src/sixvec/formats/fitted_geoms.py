"""The shapes of a model as a format can represent them: others are replaced or left out, and reported.

URDF has boxes, spheres, cylinders and meshes, each either visual or collision.  MJCF has no cones, planes only on fixed
bodies, and meshes only as STL, OBJ and MSH.  The files of meshes are not moved ("keep"): their names are relative to
the new file if they are near it, else absolute; `package://` is kept in URDF.  "copy" copies them next to it.
"""

from __future__ import annotations

import filecmp
import os
import shutil
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from typing import Literal, get_args

from sixvec.errors import ArgumentError, OutputError, unknown
from sixvec.formats.mesh_file import as_binary_stl, is_plain_stl
from sixvec.formats.mesh_location import mesh_file
from sixvec.formats.mjcf.write_joint import chains
from sixvec.formats.packages import reach
from sixvec.geometry.rigid_body.solids import Box, Capsule, Cone, Cylinder, Ellipsoid, Sphere
from sixvec.model import Geom, HalfSpace, Mesh, Model, Polyhedron
from sixvec.quoting import quoted
from sixvec.spatial import Pose, Vec3

READ_BY_MUJOCO = (".stl", ".obj", ".msh")

Note = Callable[[str], None]


@dataclass(frozen=True)
class Fitted:
    """Shapes that a format can represent, and a description of what happened to the others."""

    geoms: tuple[Geom, ...]
    notes: tuple[str, ...] = ()


def for_urdf(model: Model) -> Fitted:
    """The shapes that URDF can represent."""
    count: Counter[str] = Counter()

    def parts(g: Geom) -> Iterator[Geom]:
        match g.shape:
            case Capsule(radius, length):
                count["capsule became a cylinder with two spheres"] += 1
                yield replace(g, shape=Cylinder(radius, length))
                for end in (0.5 * length, -0.5 * length):
                    yield replace(g, shape=Sphere(radius), placement=g.placement @ _up(end), name="")
            case Ellipsoid(semi_axes):
                count["ellipsoid became the box around it"] += 1
                yield replace(g, shape=Box(semi_axes * 2.0))
            case HalfSpace() | Polyhedron():
                count[f"{_word(g)} left out"] += 1
            case Mesh() if g.shape.part:
                count["part of a mesh left out"] += 1
            case _:
                yield _without_cone(g, count)

    fitted = [fitted_part for g in model.geoms for fitted_part in parts(g)]
    shapes = [one for g in fitted for one in _purposes(g)]
    return Fitted(tuple(shapes), tuple(f"{n} {what}" for what, n in count.items()))


def for_sdf(model: Model) -> Fitted:
    """The shapes that SDF can represent: all but polyhedra and shapes on the world, each visual or collision."""
    count: Counter[str] = Counter()
    shapes: list[Geom] = []
    for g in model.geoms:
        if isinstance(g.shape, Polyhedron) or model.frame(g.frame).body is None:
            count[f"{_word(g)} {'in the world ' if model.frame(g.frame).body is None else ''}left out"] += 1
        else:
            shapes += _purposes(replace(g, material=replace(g.material, name="", texture="")))
    return Fitted(tuple(shapes), tuple(f"{n} {what}" for what, n in count.items()))


def for_mjcf(model: Model) -> Fitted:
    """The shapes that MJCF can represent and MuJoCo can read; it has no packages, so their meshes get a path."""
    count: Counter[str] = Counter()
    merged = {b.name for chain in chains(model) for b in chain[:-1]}
    shapes = []
    for g in model.geoms:
        body = model.frame(g.frame).body
        match g.shape:
            case _ if body in merged:
                count["shape left out: its body has no mass and becomes a joint of the next"] += 1
            case HalfSpace() if any(not b.joint.is_fixed for b in model.path(body)):
                count["plane on a body that moves left out"] += 1
            case Mesh(uri) if g.shape.part or PurePosixPath(uri).suffix.lower() not in READ_BY_MUJOCO:
                kind = "part of a mesh" if g.shape.part else f"mesh *{PurePosixPath(uri).suffix}"
                count[f"{kind} left out, which MuJoCo does not read"] += 1
            case Mesh(uri) if "://" in uri:
                path = mesh_file(g.shape)
                if path is None:
                    count[f"mesh {quoted(uri)} left out, which is not found"] += 1
                else:
                    shape = replace(g.shape, uri=path.as_posix(), folders=(str(path.parent),))
                    shapes.append(replace(g, shape=shape))
            case _:
                shapes.append(_without_cone(g, count))
    if textures := sum(1 for g in shapes if g.material.texture):
        count["texture left out"] += textures
        shapes = [replace(g, material=replace(g.material, texture="")) for g in shapes]
    return Fitted(tuple(shapes), tuple(f"{n} {what}" for what, n in count.items()))


def _without_cone(g: Geom, count: Counter[str]) -> Geom:
    if not isinstance(g.shape, Cone):
        return g
    count["cone became the cylinder around it"] += 1
    height = g.shape.height
    return replace(g, shape=Cylinder(g.shape.radius, height), placement=g.placement @ _up(0.5 * height))


def _purposes(g: Geom) -> Iterator[Geom]:
    """One visual geom and one for contacts."""
    if g.visual:
        yield replace(g, collision=False)
    if g.collision:
        yield replace(g, visual=False)


def _up(z: float) -> Pose:
    return Pose.translation(Vec3(0.0, 0.0, z))


def _word(g: Geom) -> str:
    return "plane" if isinstance(g.shape, HalfSpace) else type(g.shape).__name__.lower()


Meshes = Literal["keep", "copy"]

FOLDER = "meshes"
"""The folder of copies, next to the new file."""

URDF, SDF = ".urdf", ".sdf"


@dataclass(frozen=True)
class Dressed:
    """A robot with shapes that the file can represent, the files to copy, and the fate of other shapes as text."""

    model: Model
    notes: tuple[str, ...]
    copies: dict[Path, Path]
    converted: dict[Path, bytes]
    """The content of the copies that are not those of their source."""

    def copy(self) -> None:
        """Copy the meshes; identical existing files are kept."""
        for source, target in self.copies.items():
            try:
                target.parent.mkdir(exist_ok=True)
                if not target.exists() and source in self.converted:
                    target.write_bytes(self.converted[source])
                elif not target.exists():
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
    converted: dict[Path, bytes] = {}
    missing: list[str] = []
    unread: list[str] = []
    for shape in dict.fromkeys(g.shape for g in fitted.geoms if isinstance(g.shape, Mesh)):
        path = mesh_file(shape)
        if path is None:
            missing.append(shape.uri)
            named[shape] = shape if keeps else None
        elif meshes == "keep" and not keeps and path.suffix.lower() == ".stl" and not is_plain_stl(path):
            unread.append(shape.uri)
            named[shape] = None
        elif meshes == "copy":
            if path not in copies:
                if not keeps and path.suffix.lower() == ".stl" and not is_plain_stl(path):
                    converted[path] = as_binary_stl(path)
                folder = target.absolute().parent / FOLDER
                copies[path] = _free_file(path, folder, copies.values(), converted.get(path))
            named[shape] = replace(shape, uri=f"{FOLDER}/{copies[path].name}", folders=_folders(target))
        else:
            named[shape] = replace(shape, uri=_kept(shape.uri, path, target), folders=_folders(target))
    notes = list(fitted.notes)
    if missing:
        done = "keep their names" if keeps else "are left out"
        notes.append(f"{len(missing)} meshes are not found and {done}: {_few(missing)}")
    if unread:
        notes.append(
            f"{len(unread)} STL meshes that are text are left out, which MuJoCo does not read: {_few(unread)}; "
            'meshes="copy" converts them'
        )
    geoms = tuple(renamed for g in fitted.geoms if (renamed := _renamed(g, named)) is not None)
    return Dressed(replace(model, geoms=geoms), tuple(notes), copies, converted)


def _few(names: list[str]) -> str:
    return ", ".join(map(quoted, names[:5])) + (", …" if len(names) > 5 else "")


def _renamed(g: Geom, named: dict[Mesh, Mesh | None]) -> Geom | None:
    if not isinstance(g.shape, Mesh):
        return g
    shape = named[g.shape]
    return None if shape is None else replace(g, shape=shape)


def _folders(target: Path) -> tuple[str, ...]:
    return tuple(str(folder) for folder in reach(target.parent))


def _kept(uri: str, path: Path, target: Path) -> str:
    """The name of a mesh that is not copied."""
    home = target.absolute().parent.resolve()
    is_urdf = target.suffix.lower() == URDF
    if is_urdf and uri.startswith("package://"):
        return uri
    if path.is_relative_to(home.parent if home.parent.name else home):
        return Path(os.path.relpath(path, home)).as_posix()
    return path.as_posix() if target.suffix.lower() not in (URDF, SDF) else path.as_uri()


def _free_file(path: Path, folder: Path, taken: Iterable[Path], content: bytes | None) -> Path:
    """A name for a copy: its own, else with its source folder, else a longer one; a file with its content is reused."""
    name, used = path.name, {*taken}
    for attempt in (name, f"{path.parent.name}_{name}"):
        target = folder / attempt
        if target not in used and (not target.exists() or _is_copy(path, target, content)):
            return target
    while target in used or target.exists():
        target = target.with_name(f"{target.stem}_{target.suffix}")
    return target


def _is_copy(path: Path, target: Path, content: bytes | None) -> bool:
    return filecmp.cmp(path, target, shallow=False) if content is None else target.read_bytes() == content
