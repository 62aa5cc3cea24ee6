"""Triangles of a shape, for drawing."""

from __future__ import annotations

import math
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sixvec.errors import ArgumentError, FileFormatError
from sixvec.formats.budget import LIMITS, once, read_bytes, spend
from sixvec.formats.folders import OUTSIDE, permission
from sixvec.formats.mesh_file import msh, obj, stl
from sixvec.formats.mesh_location import mesh_file, mesh_file_outside
from sixvec.formats.xml import LARGEST_FILE
from sixvec.geometry.rigid_body.solids import Box, Capsule, Cone, Cylinder, Ellipsoid, Sphere
from sixvec.model.geom import Color, HalfSpace, Mesh, Polyhedron, Shape
from sixvec.viz.announced import require_bounded

Array = NDArray[np.float64]

AROUND = 24
"""Corners of a circle."""

FLOOR = 4.0
"""The drawn size of a half space, in m."""

READERS = {".stl": stl, ".obj": obj, ".msh": msh}
"""Files that the library reads itself; for others trimesh is used, if installed."""


class Triangles(NamedTuple):
    """Corners (n, 3) and triangles (m, 3) of indices into them, counter-clockwise from outside."""

    vertices: Array
    faces: NDArray[np.int64]


def triangles(shape: Shape) -> Triangles:
    """The surface of a shape in its own frame; a mesh that cannot be found or read raises an error that names its file.

    >>> from sixvec.spatial import Vec3
    >>> triangles(Box(Vec3(1.0, 2.0, 3.0))).faces.shape
    (12, 3)
    """
    match shape:
        case Box(size):
            return _box(np.array([*size], float) / 2)
        case Sphere(radius):
            return _turned(_arc(radius, radius, 0.0))
        case Ellipsoid(axes):
            ball = _turned(_arc(1.0, 1.0, 0.0))
            return Triangles(ball.vertices * np.array([*axes], float), ball.faces)
        case Cylinder(radius, length):
            return _turned(np.array([[0, -length / 2], [radius, -length / 2], [radius, length / 2], [0, length / 2]]))
        case Capsule(radius, length):
            return _turned(_arc(radius, radius, length / 2))
        case Cone(radius, height):
            return _turned(np.array([[0.0, 0.0], [radius, 0.0], [0.0, height]]))
        case HalfSpace((x, y)):
            x, y = x or FLOOR, y or FLOOR
            corners = np.array([[-x, -y, 0.0], [x, -y, 0.0], [x, y, 0.0], [-x, y, 0.0]]) / 2
            return Triangles(corners, np.array([[0, 1, 2], [0, 2, 3]]))
        case Polyhedron(vertices, faces):
            corners = np.array([[*v] for v in vertices], float)
            return Triangles(corners, np.array(faces)) if faces else _hull(corners)
        case Mesh():
            return _joined([surface for surface, _ in colored_triangles(shape)])
    raise ArgumentError(f"no triangles are known of a {type(shape).__name__}")


def colored_triangles(shape: Shape) -> list[tuple[Triangles, Color | None]]:
    """The surfaces of a shape, each with the colour that its mesh file gives it.

    >>> [color for _, color in colored_triangles(Sphere(1.0))]
    [None]
    """
    return _of_file(shape) if isinstance(shape, Mesh) else [(triangles(shape), None)]


def _joined(surfaces: list[Triangles]) -> Triangles:
    starts = np.cumsum([0] + [len(s.vertices) for s in surfaces])
    faces = [s.faces + start for s, start in zip(surfaces, starts, strict=False)]
    return Triangles(np.concatenate([s.vertices for s in surfaces]), np.concatenate(faces))


def _box(half: Array) -> Triangles:
    signs = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], float)
    quads = [[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]]
    # Corners are not shared, so that edges stay sharp.
    corners = np.concatenate([signs[quad] * half for quad in quads])
    faces = [[4 * i + k for k in three] for i in range(6) for three in ([0, 1, 2], [0, 2, 3])]
    return Triangles(corners, np.array(faces))


def _arc(radius: float, height: float, shift: float) -> Array:
    """Half of a circle from the lower pole to the upper, its halves `shift` apart from the middle."""
    angle = np.linspace(-math.pi / 2, math.pi / 2, AROUND // 2 + 1)
    low, high = angle[: len(angle) // 2 + 1], angle[len(angle) // 2 :]
    halves = [np.stack([radius * np.cos(a), height * np.sin(a) + s], 1) for a, s in ((low, -shift), (high, shift))]
    return np.concatenate(halves) if shift else np.concatenate([halves[0], halves[1][1:]])


def _turned(outline: Array) -> Triangles:
    """The surface that an outline (n, 2) of radii and heights sweeps about z, from below upward."""
    turn = np.linspace(0.0, 2 * math.pi, AROUND, endpoint=False)
    rings = [np.stack([r * np.cos(turn), r * np.sin(turn), np.full(AROUND, z)], 1) for r, z in outline]
    faces = []
    for k, (below, above) in enumerate(pairwise(outline)):
        for i in range(AROUND):
            a, b = k * AROUND + i, k * AROUND + (i + 1) % AROUND
            faces += [[a, b, b + AROUND]] if below[0] > 0 else []
            faces += [[a, b + AROUND, a + AROUND]] if above[0] > 0 else []
    return Triangles(np.concatenate(rings), np.array(faces))


def _hull(corners: Array) -> Triangles:
    try:
        from scipy.spatial import ConvexHull
    except ImportError:
        low, high = corners.min(axis=0), corners.max(axis=0)
        box = _box((high - low) / 2)  # without SciPy, the box around it
        return Triangles(box.vertices + (low + high) / 2, box.faces)
    hull: Any = ConvexHull(corners)
    faces = np.array(hull.simplices, int)
    normal = np.cross(corners[faces[:, 1]] - corners[faces[:, 0]], corners[faces[:, 2]] - corners[faces[:, 0]])
    inward = np.einsum("ij,ij->i", normal, hull.equations[:, :3]) < 0
    faces[inward] = faces[inward][:, ::-1]
    return Triangles(corners, faces)


def _of_file(mesh: Mesh) -> list[tuple[Triangles, Color | None]]:
    path = mesh_file(mesh)
    if path is None and (outside := mesh_file_outside(mesh)) is not None:
        raise FileFormatError(f"the mesh {OUTSIDE.format(mesh.uri)}; {permission(outside)}")
    if path is None:
        raise FileFormatError(f"the mesh {mesh.uri} is not found; give folders= when loading the robot")
    scale = np.array([*mesh.scale], float)
    found: list[tuple[Triangles, Color | None]] = once((path, "drawn"), lambda: _read(path))
    count = sum(len(surface.faces) for surface, _ in found)
    if not count or not all(np.isfinite(surface.vertices).all() for surface, _ in found):
        raise FileFormatError(f"{path}: not a mesh: it has no triangles, or corners that are not finite")
    spend("drawn triangles", count, lambda message, advice: _refusal(path, message, advice))
    turn = slice(None, None, 1 if scale.prod() > 0 else -1)  # a reflection reverses triangles
    return [(Triangles(s.vertices * scale, s.faces[:, turn]), color) for s, color in found]


def _refusal(path: Path, message: str, advice: str = "") -> FileFormatError:
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
        raise _refusal(path, f"larger than {LARGEST_FILE // 2**20} MiB", "a mesh may not be larger")
    loaded: Any = trimesh.load(path)
    if not isinstance(loaded, trimesh.Scene):
        surface = Triangles(np.asarray(loaded.vertices, float), np.asarray(loaded.faces, np.int64))
        return [(surface, _color(loaded))]
    placed = [(X, loaded.geometry[name]) for X, name in map(loaded.graph.get, loaded.graph.nodes_geometry)]
    placed = [(X, mesh) for X, mesh in placed if isinstance(mesh, trimesh.Trimesh)]
    count = sum(len(mesh.faces) for _, mesh in placed)
    if count > LIMITS["drawn triangles"]:
        raise _refusal(path, f"more than {LIMITS['drawn triangles']} drawn triangles", "robots need fewer")
    alike: dict[Color | None, list[Triangles]] = {}
    for X, mesh in placed:
        vertices = np.asarray(mesh.vertices, float) @ X[:3, :3].T + X[:3, 3]
        turned = mesh.faces if np.linalg.det(X[:3, :3]) > 0 else mesh.faces[:, ::-1]
        alike.setdefault(_color(mesh), []).append(Triangles(vertices, np.asarray(turned, np.int64)))
    return [(_joined(surfaces), color) for color, surfaces in alike.items()]


def _color(mesh: Any) -> Color | None:
    """The main colour of a mesh of trimesh, from its material or its corners."""
    material = getattr(mesh.visual, "material", None)
    if material is None and not getattr(mesh.visual, "defined", False):
        return None
    r, g, b, opacity = np.asarray((mesh.visual if material is None else material).main_color, float)[:4] / 255.0
    return float(r), float(g), float(b), float(opacity)
