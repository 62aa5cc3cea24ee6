"""Files of triangles: STL and OBJ, read only where a body's inertia is computed from them."""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sixvec.errors import FileFormatError, unknown
from sixvec.formats.node import Node
from sixvec.formats.polygon import Array, triangulated
from sixvec.formats.xml import LARGEST_FILE

STL_HEADER, STL_TRIANGLE = 84, 50
"""Bytes of a binary STL file before the triangles, and of each triangle."""


@dataclass(frozen=True)
class Surface:
    """Vertices (n, 3) and triangles (m, 3) of indices into them."""

    vertices: Array
    triangles: NDArray[np.integer[Any]]


Reader = Callable[[bytes], Surface]


def read_mesh(path: Path, node: Node, readers: Mapping[str, Reader]) -> Surface:
    """The triangles of a file that an element names; its suffix chooses the reader."""
    reader = readers.get(path.suffix.lower())
    if reader is None:
        raise node.error(unknown("mesh format", path.suffix, readers))
    if path.stat().st_size > LARGEST_FILE:
        raise node.error(f"{path} is larger than {LARGEST_FILE // 2**20} MiB, the most that a mesh may be")
    try:
        surface = reader(path.read_bytes())
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
    layout = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("attributes", "<u2")])
    corners = np.frombuffer(data, layout, count, STL_HEADER)["corners"].reshape(-1, 3).astype(float)
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


def stl(data: bytes) -> Surface:
    """STL, binary or as text: lines `vertex x y z`, three for each triangle; a loop of more is a polygon."""
    # A binary file may begin with "solid" too, in its comment; only text continues with "facet".
    if not (data.lstrip().startswith(b"solid") and b"facet" in data[:1024]):
        return binary_stl(data)
    words = data.decode("ascii", "replace").split()
    corners: list[list[float]] = []
    faces: list[list[int]] = []
    for i, word in enumerate(words):
        if word == "loop":
            faces.append([])
        elif word == "vertex":
            if not faces:
                raise ValueError("a vertex is outside of the loops")
            faces[-1].append(len(corners))
            corners.append([float(x) for x in words[i + 1 : i + 4]])
    return _of_polygons(corners, faces)


def obj(data: bytes) -> Surface:
    """OBJ: lines `v x y z` and `f i j k …`, indices from 1 or, negative, from the end; polygons may be concave."""
    vertices: list[list[float]] = []
    faces: list[list[int]] = []
    for line in data.decode("utf-8", "replace").splitlines():
        key, *words = line.split() or [""]
        if key == "v":
            vertices.append([float(word) for word in words[:3]])
        elif key == "f":
            index = [int(word.split("/")[0]) for word in words]
            index = [i - 1 if i > 0 else len(vertices) + i for i in index]
            if not all(0 <= i < len(vertices) for i in index):
                raise ValueError(f'"{line}" names a vertex that is not defined before it')
            faces.append(index)
    return _of_polygons(vertices, faces)


def _of_polygons(vertices: list[list[float]], faces: list[list[int]]) -> Surface:
    points = np.array(vertices, float).reshape(-1, 3)
    if not np.isfinite(points).all():
        raise ValueError("a vertex is not a finite number")
    triangles: list[tuple[int, int, int]] = []
    for face in faces:
        cut = [(0, 1, 2)] if len(face) == 3 else triangulated(points[face])
        triangles += [(face[i], face[j], face[k]) for i, j, k in cut]
    return Surface(points, np.array(triangles, int).reshape(-1, 3))
