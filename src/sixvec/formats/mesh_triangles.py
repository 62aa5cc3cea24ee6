"""The triangles of a mesh file of any format, for drawing and for distances."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sixvec.errors import FileFormatError
from sixvec.formats.announced_size import require_bounded
from sixvec.formats.budget import LIMITS, once, read_bytes, spend
from sixvec.formats.folders import OUTSIDE, permission
from sixvec.formats.mesh_file import msh, stl
from sixvec.formats.mesh_location import mesh_file, mesh_file_outside
from sixvec.formats.obj_file import obj
from sixvec.formats.xml import LARGEST_FILE
from sixvec.model.geom import Color, Mesh

Array = NDArray[np.float64]

READERS = {".stl": stl, ".obj": obj, ".msh": msh}
"""Files that the library reads itself; for others trimesh is used, if installed."""


class Triangles(NamedTuple):
    """Corners (n, 3) and triangles (m, 3) of indices into them, counter-clockwise from outside."""

    vertices: Array
    faces: NDArray[np.int64]


def joined(surfaces: list[Triangles]) -> Triangles:
    """Several surfaces as one."""
    starts = np.cumsum([0] + [len(s.vertices) for s in surfaces])
    faces = [s.faces + start for s, start in zip(surfaces, starts, strict=False)]
    return Triangles(np.concatenate([s.vertices for s in surfaces]), np.concatenate(faces))


def mesh_triangles(mesh: Mesh) -> Triangles:
    """All triangles of a mesh, scaled.

    >>> mesh_triangles(Mesh("nowhere.stl"))  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    sixvec.errors.FileFormatError: the mesh nowhere.stl is not found; ...
    """
    return joined([surface for surface, _ in mesh_surfaces(mesh)])


def mesh_surfaces(mesh: Mesh) -> list[tuple[Triangles, Color | None]]:
    """The surfaces of a mesh, scaled, each with the colour that the file gives it."""
    path = mesh_file(mesh)
    if path is None and (outside := mesh_file_outside(mesh)) is not None:
        raise FileFormatError(f"the mesh {OUTSIDE.format(mesh.uri)}; {permission(outside)}")
    if path is None:
        searched = f"; searched: {', '.join(mesh.folders)}" if mesh.folders else ""
        raise FileFormatError(f"the mesh {mesh.uri} is not found; give folders= when loading the robot{searched}")
    scale = np.array([*mesh.scale], float)
    pieces: list[tuple[Triangles, Color | None]] = once((path, "drawn"), lambda: _read(path))
    count = sum(len(surface.faces) for surface, _ in pieces)
    if not count or not all(np.isfinite(surface.vertices).all() for surface, _ in pieces):
        raise FileFormatError(f"{path}: not a mesh: it has no triangles, or corners that are not finite")
    spend("drawn triangles", count, lambda message, advice: _problem(path, message, advice))
    turn = slice(None, None, 1 if scale.prod() > 0 else -1)  # a reflection reverses triangles
    return [(Triangles(s.vertices * scale, s.faces[:, turn]), color) for s, color in pieces]


def _problem(path: Path, message: str, advice: str = "") -> FileFormatError:
    return FileFormatError(message, advice=advice, file=str(path))


def _read(path: Path) -> list[tuple[Triangles, Color | None]]:
    reader = READERS.get(path.suffix.lower())
    try:
        if reader is None:
            require_bounded(path)
            return _read_by_trimesh(path)
        surface = reader(read_bytes(path, LARGEST_FILE, "mesh"))
        return [(Triangles(np.asarray(surface.vertices, float), np.asarray(surface.triangles, np.int64)), None)]
    except ImportError as problem:
        raise FileFormatError(f"{path}: reading {path.suffix} needs a package that is missing: {problem}") from None
    except FileFormatError:
        raise
    except MemoryError:
        raise FileFormatError(f"{path}: needs too much memory") from None
    except (ValueError, OSError) as problem:
        raise FileFormatError(f"{path}: not a mesh that can be read: {problem}") from None
    except Exception:  # of the packages that read meshes; their messages are about themselves
        raise FileFormatError(f"{path}: not a mesh that can be read") from None


def _read_by_trimesh(path: Path) -> list[tuple[Triangles, Color | None]]:
    """All meshes of a file, each at its nodes, those of one colour together; images on them are not used."""
    import trimesh

    if path.stat().st_size > LARGEST_FILE:
        raise _problem(path, f"larger than {LARGEST_FILE // 2**20} MiB", "a mesh may not be larger")
    loaded: Any = trimesh.load(path)
    if not isinstance(loaded, trimesh.Scene):
        surface = Triangles(np.asarray(loaded.vertices, float), np.asarray(loaded.faces, np.int64))
        return [(surface, _color(loaded))]
    placed = [(X, loaded.geometry[name]) for X, name in map(loaded.graph.get, loaded.graph.nodes_geometry)]
    placed = [(X, mesh) for X, mesh in placed if isinstance(mesh, trimesh.Trimesh)]
    count = sum(len(mesh.faces) for _, mesh in placed)
    if count > LIMITS["drawn triangles"]:
        raise _problem(path, f"more than {LIMITS['drawn triangles']} drawn triangles", "robots need fewer")
    alike: dict[Color | None, list[Triangles]] = {}
    for X, mesh in placed:
        vertices = np.asarray(mesh.vertices, float) @ X[:3, :3].T + X[:3, 3]
        turned = mesh.faces if np.linalg.det(X[:3, :3]) > 0 else mesh.faces[:, ::-1]
        alike.setdefault(_color(mesh), []).append(Triangles(vertices, np.asarray(turned, np.int64)))
    return [(joined(surfaces), color) for color, surfaces in alike.items()]


def _color(mesh: Any) -> Color | None:
    """The main colour of a mesh of trimesh, from its material or its corners."""
    material = getattr(mesh.visual, "material", None)
    if material is None and not getattr(mesh.visual, "defined", False):
        return None
    r, g, b, opacity = np.asarray((mesh.visual if material is None else material).main_color, float)[:4] / 255.0
    return float(r), float(g), float(b), float(opacity)
