"""Files of triangles: STL and MSH here, OBJ in `obj_file.py`.

They are read where a body's inertia is computed from them, and for drawing.

The readers agree, face by face, with the programs for which the files are written.  trimesh reads the other formats,
for drawing (the extra "mesh").  It is not used here, because it reads these otherwise
(`tests/formats/test_trimesh_reads_otherwise.py`): it cuts every polygon of an OBJ file into a fan, so a polygon with a
hollow corner gets triangles outside of it, and joins all objects, of which MuJoCo reads the first (32 of 80 published
files differ); text STL whose name contains "vertex" raises an error; MSH it does not read; and 4 million faces in an
OBJ file of 32 MB take 680 MB before anything can be counted, where the budget of words stops after 10 MB.  Inertias
from binary STL, which it reads alike, must not need an optional package for the ten lines of their reader.
"""

from __future__ import annotations

import re
import struct
from array import array
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sixvec.errors import FileFormatError
from sixvec.formats.budget import once, read_bytes, spend
from sixvec.formats.node import Node
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
        raise ValueError(f"{len(data)} bytes are not an STL file")
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
    spend_words(data)
    corners = array("d")
    numbers, started = 0, -1
    for word in (match[0] for match in re.finditer(rb"\S+", data)):
        if numbers:
            corners.append(float(word))
            numbers -= 1
        elif word == b"vertex" and started >= 0:  # outside of loops it is a name
            numbers = 3
        elif word == b"loop":
            started = len(corners)
        elif word == b"endloop" and started >= 0:
            if len(corners) != started + 9:
                raise ValueError(f"a loop has {(len(corners) - started) // 3} corners; in STL each has 3")
            started = -1
    if started >= 0:
        raise ValueError("a loop has no end")
    vertices = points(corners)
    return Surface(vertices, np.arange(len(vertices)).reshape(-1, 3))


def points(numbers: array[float]) -> Array:
    """The vertices (n, 3) with these coordinates."""
    vertices = np.frombuffer(numbers, float).reshape(-1, 3)
    if not np.isfinite(vertices).all():
        raise ValueError("a vertex is not a finite number")
    return vertices


_BLANK = np.array([byte in b" \t\n\r\x0b\x0c" for byte in range(256)])
_AT_ONCE = 2**20


def spend_words(data: bytes) -> None:
    """Count the words and lines of a text before it is read: its size says little, since a line may be one letter."""
    words, after_blank = data.count(b"\n"), True
    for start in range(0, len(data), _AT_ONCE):
        blank = _BLANK[np.frombuffer(data, np.uint8, min(_AT_ONCE, len(data) - start), start)]
        words += int(np.count_nonzero(blank[:-1] & ~blank[1:])) + int(after_blank and not blank[0])
        after_blank = bool(blank[-1])
    spend("words and lines of meshes", words)
