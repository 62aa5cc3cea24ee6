"""Files of triangles: STL, OBJ and MSH, read where a body's inertia is computed from them, and for drawing.

The readers agree, face by face, with the programs for which the files are written.  trimesh reads the other formats,
for drawing (the extra "mesh").  It is not used here: it cuts the polygons of OBJ files otherwise than MuJoCo and joins
all objects, of which MuJoCo reads the first (32 of 80 published files differ); of STL as text it loses numbers silently
if a name contains "vertex" or two vertices share a line; and inertias from binary STL, which it reads alike, must not
need an optional package for the ten lines of their reader.
"""

from __future__ import annotations

import struct
from codecs import BOM_UTF8
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sixvec.errors import FileFormatError
from sixvec.formats.budget import once, read_bytes, spend
from sixvec.formats.node import Node
from sixvec.formats.polygon import triangulated
from sixvec.formats.xml import LARGEST_FILE

Array = NDArray[np.floating[Any]]

STL_HEADER, STL_TRIANGLE = 84, 50
"""Bytes of a binary STL file before the triangles, and of each triangle."""

_STL_LAYOUT = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("attributes", "<u2")])


@dataclass(frozen=True)
class Surface:
    """Vertices (n, 3) and triangles (m, 3) of indices into them."""

    vertices: Array
    triangles: NDArray[np.integer[Any]]
    remark: str = ""
    """What is in the file and not in the surface."""


Reader = Callable[[bytes], Surface]


def read_mesh(path: Path, node: Node, readers: Mapping[str, Reader]) -> Surface:
    """The triangles of a file that an element names, which one load reads once; its suffix chooses the reader."""
    reader = readers.get(path.suffix.lower())
    if reader is None:
        raise node.unknown("mesh format", path.suffix, readers)
    surface: Surface = once((path, reader), lambda: _read(path, reader))
    return surface


def _read(path: Path, reader: Reader) -> Surface:
    data = read_bytes(path, LARGEST_FILE, "mesh")
    try:
        surface = reader(data)
    except (ValueError, IndexError, struct.error) as problem:
        raise FileFormatError(f"not a mesh that can be read: {problem}", file=str(path)) from None
    if not np.isfinite(surface.vertices).all():
        raise FileFormatError("a vertex is not a finite number", file=str(path))
    return surface


def binary_stl(data: bytes) -> Surface:
    """Binary STL: 80 bytes of comment, the number of triangles, then a normal and three vertices for each."""
    if len(data) < STL_HEADER:
        raise ValueError(f"{len(data)} bytes are no STL file")
    (count,) = struct.unpack_from("<I", data, STL_HEADER - 4)
    if len(data) < STL_HEADER + STL_TRIANGLE * count:
        raise ValueError(f"{count} triangles are announced and {(len(data) - STL_HEADER) // STL_TRIANGLE} are there")
    corners = np.frombuffer(data, _STL_LAYOUT, count, STL_HEADER)["corners"].reshape(-1, 3).astype(float)
    return Surface(corners, np.arange(len(corners)).reshape(-1, 3))


def msh(data: bytes) -> Surface:
    """MuJoCo's own binary format: four counts, then vertices, normals, texture coordinates and triangles."""
    corners, normals, textures, triangles = counts = struct.unpack_from("<4i", data)
    floats = 3 * corners + 3 * normals + 2 * textures
    if min(counts) < 0 or len(data) != 4 * (4 + floats + 3 * triangles):
        raise ValueError(f"the counts {', '.join(map(str, counts))} announce another size than the file has")
    vertices = np.frombuffer(data, "<f4", 3 * corners, 16).reshape(-1, 3).astype(float)
    index = np.frombuffer(data, "<i4", 3 * triangles, 16 + 4 * floats).reshape(-1, 3)
    if index.size and not 0 <= index.min() <= index.max() < corners:
        raise ValueError(f"a triangle names a corner that is not there; there are {corners}, counted from 0")
    return Surface(vertices, index)


def is_plain_stl(path: Path) -> bool:
    """Whether a file is binary STL with nothing but triangles, as MuJoCo requires: text, for example, is not."""
    with path.open("rb") as file:
        head = file.read(STL_HEADER)
    count = struct.unpack_from("<I", head, STL_HEADER - 4)[0] if len(head) == STL_HEADER else 0
    return bool(count) and path.stat().st_size == STL_HEADER + STL_TRIANGLE * count


def as_binary_stl(path: Path) -> bytes:
    """The content of an STL file, which may be text, as binary STL."""
    surface = _read(path, stl)
    corners = surface.vertices[surface.triangles].astype("<f4")
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    triangles = np.zeros(len(corners), _STL_LAYOUT)
    triangles["corners"] = corners
    lengths = np.linalg.norm(normals, axis=1, keepdims=True)
    triangles["normal"] = np.divide(normals, lengths, out=np.zeros_like(normals), where=lengths > 0.0)
    return bytes(STL_HEADER - 4) + struct.pack("<I", len(corners)) + triangles.tobytes()


def stl(data: bytes) -> Surface:
    """STL, binary or as text: lines `vertex x y z`, three for each `outer loop`."""
    # A binary file may begin with "solid" too, in its comment; only text continues with "facet".
    if not (data.lstrip().startswith(b"solid") and b"facet" in data[:1024]):
        return binary_stl(data)
    words = data.decode("ascii", "replace").split()
    corners: list[list[float]] = []
    started: int | None = None
    for i, word in enumerate(words):
        if word == "vertex" and started is not None:  # outside of loops it is a name
            corners.append([float(x) for x in words[i + 1 : i + 4]])
        elif word == "loop":
            started = len(corners)
        elif word == "endloop" and started is not None:
            if len(corners) != started + 3:
                raise ValueError(f"a loop has {len(corners) - started} corners; in STL each has 3")
            started = None
    if started is not None:
        raise ValueError("a loop has no end")
    return Surface(_points(corners), np.arange(len(corners)).reshape(-1, 3))


NAMES = (b"o ", b"o\t", b"g ", b"g\t")
"""The beginnings of lines that name an object or a group; the letter alone does not begin a new one."""


@dataclass
class _Object:
    """The faces of an object of an OBJ file, and whether it has points or lines."""

    faces: list[tuple[int, list[int]]] = field(default_factory=list)
    """For each face its line, and its vertices counted from 0."""
    is_loose: bool = False


def obj(data: bytes) -> Surface:
    """All objects of an OBJ file: lines `v x y z` and `f i j k …`, indices from 1 or, negative, from the end."""
    vertices, objects = _objects(data)
    return _surface(vertices, [face for each in objects for face in each.faces])


def first_object(data: bytes) -> Surface:
    """The first object or group of an OBJ file that has faces, with the vertices of all: what MuJoCo reads.

    The rule is that of tinyobjloader.  An object of points or lines counts too; it has no triangles, and MuJoCo uses
    the convex hull of all vertices instead.

    >>> corners = "v 0 0 0 \\n v 1 0 0 \\n v 0 1 0 \\n v 0 0 1 \\n"
    >>> first_object(f"{corners} o a \\n f 1 2 3 \\n o b \\n f 1 2 4".encode()).remark
    'objects after the first: 1'
    """
    vertices, objects = _objects(data)
    for i, each in enumerate(objects):
        surface = _surface(vertices, each.faces)
        if len(surface.triangles) or each.is_loose:
            rest = sum(1 for other in objects[i + 1 :] if other.faces)
            remarks = (f"objects after the first: {rest}" if rest else "", surface.remark)
            return replace(surface, remark=", ".join(filter(None, remarks)))
    return Surface(vertices, np.zeros((0, 3), int))


def _objects(data: bytes) -> tuple[Array, list[_Object]]:
    """The vertices of an OBJ file and its objects; the names of objects and groups begin new ones."""
    vertices: list[list[float]] = []
    objects = [_Object()]
    for number, line in enumerate(data.removeprefix(BOM_UTF8).splitlines(), 1):
        key, *words = line.split() or [b""]
        if key in (b"v", b"f") and b"_" in line:
            raise ValueError(f"line {number} has a number with an underscore")  # which Python would accept
        if key == b"v":
            vertices.append([float(word) for word in words[:3]])
        elif key == b"f":
            index = [int(word.split(b"/")[0]) for word in words]
            if 0 in index or min(index, default=1) < -len(vertices):
                raise ValueError(f"line {number} names a vertex that does not exist; they are counted from 1")
            objects[-1].faces.append((number, [i - 1 if i > 0 else len(vertices) + i for i in index]))
        elif key in (b"l", b"p"):
            objects[-1].is_loose = True
        elif line.lstrip(b" \t")[:2] in NAMES:
            # Points and lines before the name of a group, as opposed to an object, are dropped by the rule.
            objects[-1].is_loose &= key == b"o"
            objects.append(_Object())
    return _points(vertices), objects


def _points(corners: list[list[float]]) -> Array:
    if any(len(corner) != 3 for corner in corners):
        raise ValueError("a vertex has fewer than 3 numbers")
    points = np.array(corners, float).reshape(-1, 3)
    if not np.isfinite(points).all():
        raise ValueError("a vertex is not a finite number")
    return points


def _surface(points: Array, faces: list[tuple[int, list[int]]]) -> Surface:
    found: list[tuple[int, int, int]] = []
    counts: list[int] = []
    for line, face in faces:
        if max(face, default=0) >= len(points):
            raise ValueError(f"line {line} names vertex {max(face) + 1}; there are {len(points)}")
        if len(face) > 3:
            spend("corners of polygons", len(face))
        cut = [(0, 1, 2)] if len(face) == 3 else triangulated(points[face])
        found += [(face[i], face[j], face[k]) for i, j, k in cut]
        counts.append(len(cut))
    triangles = np.array(found, int).reshape(-1, 3)
    wanted = np.array([max(len(face) - 2, 0) for _, face in faces], int)
    crossing = int((_is_cut_badly(points[triangles], np.array(counts, int)) | (wanted != counts)).sum())
    return Surface(points, triangles, f"faces that their triangles do not cover once: {crossing}" if crossing else "")


TURNED = 1e-6
"""The area of a triangle, as a fraction of its longest edge squared, above which an opposite orientation is no
rounding."""


def _is_cut_badly(triangles: Array, counts: NDArray[np.integer[Any]]) -> NDArray[np.bool_]:
    """Whether a face has triangles (m, 3, 3) that face the other way than their sum: those that overlap others."""
    edges = triangles - np.roll(triangles, 1, axis=1)
    normals = np.cross(edges[:, 1], edges[:, 2])
    face = np.repeat(np.arange(len(counts)), counts)
    total = np.zeros((len(counts), 3))
    np.add.at(total, face, normals)
    sizes = np.linalg.norm(total, axis=1, keepdims=True)
    along = np.divide(total, sizes, out=np.zeros_like(total), where=sizes > 0.0)
    longest = np.max(np.einsum("ijk,ijk->ij", edges, edges), axis=1, initial=0.0)
    is_turned = np.einsum("ij,ij->i", normals, along[face]) < -TURNED * longest
    return np.bincount(face, is_turned, len(counts)) > 0
