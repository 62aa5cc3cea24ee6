"""Files of triangles: STL and OBJ, read only where a body's inertia is computed from them.  Polygons are cut up."""

from __future__ import annotations

import struct
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


@dataclass(frozen=True)
class Surface:
    """Vertices (n, 3) and triangles (m, 3) of indices into them."""

    vertices: Array
    triangles: NDArray[np.integer[Any]]


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
        if len(face) > 3:
            spend("corners of polygons", len(face))
        cut = [(0, 1, 2)] if len(face) == 3 else triangulated(points[face])
        triangles += [(face[i], face[j], face[k]) for i, j, k in cut]
    return Surface(points, np.array(triangles, int).reshape(-1, 3))


Triangles = list[tuple[int, int, int]]

MOST_CORNERS = 1000
"""Largest number of vertices of a non-convex polygon: the time grows at least with its square."""

CORNER_OVERHEAD = 200
"""The time to examine one vertex, in units of the time to compare it with another one."""

ROUNDING = 1e-12
"""Twice the area of a triangle, as a fraction of the polygon's, below which its three vertices are collinear."""

SLIVER = 1e-6
"""As `ROUNDING`, for the remainder of a polygon that intersects itself because its vertices are rounded."""


def triangulated(corners: Array) -> Triangles:
    """The triangles of a polygon with the vertices (n, 3), as indices of its vertices, with the same orientation.

    A quadrilateral is cut along its shorter diagonal if that lies inside: this is MuJoCo's rule for one that is not
    flat.  For others, ears that contain no other vertex are cut off (ear clipping); a polygon that is not flat is
    projected along its mean normal.

    >>> notched = np.array([[0, 0, 0], [4, 0, 0], [1, 1, 0], [0, 4, 0]], float)
    >>> triangulated(notched)
    [(0, 1, 2), (0, 2, 3)]
    """
    n = len(corners)
    if n < 3:
        raise ValueError(f"a face has {n} corners; it needs 3")
    if n == 3:
        return [(0, 1, 2)]
    flat, scale = _flattened(corners)
    if scale == 0.0:
        if _is_line(corners):
            return []
        raise _crossing(n)
    if n == 4 and (cut := _quadrilateral(corners, flat, scale)):
        return cut
    return _fan(n) if _is_convex(flat, scale) else _clipped(flat, scale)


def _fan(n: int) -> Triangles:
    return [(0, i, i + 1) for i in range(1, n - 1)]


def _flattened(corners: Array) -> tuple[Array, float]:
    """The vertices in two dimensions, counter-clockwise, and twice the area there: by Newell's normal."""
    local = corners - corners.mean(axis=0)
    normal = np.cross(local, np.roll(local, -1, axis=0)).sum(axis=0)
    size = float(np.linalg.norm(normal))
    if not size > ROUNDING * float(np.abs(local).max()) ** 2:
        return local[:, :2], 0.0
    normal = normal / size
    x = np.cross(normal, np.eye(3)[np.argmin(np.abs(normal))])
    x /= np.linalg.norm(x)
    return local @ np.stack([x, np.cross(normal, x)]).T, size


def _is_line(corners: Array) -> bool:
    spread = np.linalg.svd(corners - corners.mean(axis=0), compute_uv=False)
    return bool(spread[1] <= ROUNDING * spread[0])


def _turn(a: Array, b: Array, c: Array) -> Any:
    """Twice the signed area of the triangles a, b, c."""
    u, v = b - a, c - a
    return u[..., 0] * v[..., 1] - u[..., 1] * v[..., 0]


def _quadrilateral(corners: Array, flat: Array, scale: float) -> Triangles | None:
    """Cut along the shorter diagonal, or the one that lies inside; None where neither does."""
    cuts: list[Triangles] = [[(0, 1, 2), (0, 2, 3)], [(0, 1, 3), (1, 2, 3)]]
    if not np.sum((corners[2] - corners[0]) ** 2) < np.sum((corners[3] - corners[1]) ** 2):
        cuts.reverse()
    for cut in cuts:
        if all(_turn(*flat[list(t)]) >= -ROUNDING * scale for t in cut):
            return cut
    return None


def _crossing(n: int) -> ValueError:
    return ValueError(f"a face with {n} corners crosses itself")


def _is_convex(flat: Array, scale: float) -> bool:
    """Whether no vertex turns right; an error if they turn more than once, as in a self-intersecting star."""
    before, after = np.roll(flat, 1, axis=0), np.roll(flat, -1, axis=0)
    turns = _turn(before, flat, after)
    if (turns < -ROUNDING * scale).any():
        return False
    angles = np.arctan2(turns, np.einsum("ij,ij->i", flat - before, after - flat))
    if angles.sum() > 3.0 * np.pi:
        raise _crossing(len(flat))
    return True


def _clipped(flat: Array, scale: float) -> Triangles:
    if len(flat) > MOST_CORNERS:
        raise ValueError(f"a face that is not convex has {len(flat)} corners; {MOST_CORNERS} can be cut into triangles")
    left: list[int] = [*range(len(flat))]
    found: Triangles = []
    while len(left) > 3:
        ear = next((i for i in range(len(left)) if _is_ear(flat, _corner(left, i), left, scale)), None)
        if ear is None:
            break
        found.append(_corner(left, ear))
        del left[ear]
    rest = [(left[i], left[j], left[k]) for i, j, k in _fan(len(left))]
    areas = [_turn(*flat[[*t]]) for t in rest]
    if (len(rest) > 1 or areas[0] < 0.0) and sum(map(abs, areas)) > SLIVER * scale:
        raise _crossing(len(flat))
    return [*found, *rest]


def _corner(left: list[int], i: int) -> tuple[int, int, int]:
    return left[i - 1], left[i], left[(i + 1) % len(left)]


def _is_ear(flat: Array, corner: tuple[int, int, int], left: list[int], scale: float) -> bool:
    """Whether a vertex can be cut off: it does not turn right, and its triangle contains no other vertex."""
    spend("comparisons of corners", CORNER_OVERHEAD + len(left))
    a, b, c = (flat[i] for i in corner)
    if _turn(a, b, c) <= ROUNDING * scale:
        # A collinear vertex and the end of a spike are cut off; a vertex that turns right is not.
        return bool(_turn(a, b, c) >= -ROUNDING * scale)
    others = flat[[i for i in left if i not in corner]]
    inside = (_turn(a, b, others) >= 0.0) & (_turn(b, c, others) >= 0.0) & (_turn(c, a, others) >= 0.0)
    # Vertices that coincide with one of these three belong to a slit that leads to a hole.
    for own in (a, b, c):
        inside &= (others != own).any(axis=1)
    return not inside.any()
