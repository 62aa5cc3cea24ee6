"""OBJ files: vertices, and faces of any number of corners, in objects and groups."""

from __future__ import annotations

import io
from array import array
from bisect import bisect_right
from codecs import BOM_UTF8
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import accumulate, pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sixvec.formats.budget import spend
from sixvec.formats.mesh_file import Array, Surface, points, spend_words
from sixvec.formats.polygon import QUADS, is_cut_from_second, triangulated

Indices = NDArray[np.integer[Any]]

NAMES = (b"o ", b"o\t", b"g ", b"g\t")
"""The beginnings of lines that name an object or a group; the letter alone does not begin a new one."""

KEYS = (b"v", b"f", b"l", b"p")
"""Vertices, faces, lines and points: the beginnings of the other lines that have a meaning."""

BLANKS = (b"", b" ", b"\t", b"\x0b", b"\x0c")

LONGEST_LINE = 2**16
"""Bytes of a line that has a meaning; a face of a thousand corners has 24 000."""

LARGEST_INDEX = 2**31
"""Larger indices are stored as this one: no file has that many vertices."""

FACES_AT_ONCE = 2**16
"""Faces whose triangles are examined together: the memory of millions would be large."""


@dataclass
class _Content:
    """What a file contains, in flat arrays: lists of millions of faces would need gigabytes."""

    vertices: array[float] = field(default_factory=lambda: array("d"))
    lines: array[int] = field(default_factory=lambda: array("q"))
    """Of each face."""
    ends: array[int] = field(default_factory=lambda: array("q", [0]))
    """For each face, the corners up to its last one; behind a zero."""
    corners: array[int] = field(default_factory=lambda: array("q"))
    """The vertices of all faces, counted from 1."""
    objects: array[int] = field(default_factory=lambda: array("q", [0]))
    """The first face of each object."""
    is_loose: bytearray = field(default_factory=lambda: bytearray(1))
    """Whether each object has points or lines."""

    def add_vertex(self, words: list[bytes]) -> None:
        if len(words) < 3:
            raise ValueError("a vertex has fewer than 3 numbers")
        self.vertices.extend(map(float, words[:3]))

    def add_face(self, line: int, words: list[bytes]) -> None:
        indices = [*map(int, words)]
        if min(indices, default=1) < 1:
            count = len(self.vertices) // 3
            if 0 in indices or min(indices) < -count:
                raise ValueError(f"line {line} names a vertex that does not exist; they are counted from 1")
            indices = [index if index > 0 else count + index + 1 for index in indices]
        if max(indices, default=1) > LARGEST_INDEX:
            indices = [min(index, LARGEST_INDEX) for index in indices]
        self.corners.extend(indices)
        self.lines.append(line)
        self.ends.append(len(self.corners))

    def add_object(self, *, is_group: bool) -> None:
        # Points and lines before the name of a group, as opposed to an object, are dropped by the rule.
        if is_group:
            self.is_loose[-1] = False
        if self.objects[-1] < len(self.lines) or self.is_loose[-1]:
            self.objects.append(len(self.lines))
            self.is_loose.append(False)


def obj(data: bytes) -> Surface:
    """All objects of an OBJ file: lines `v x y z` and `f i j k …`, indices from 1 or, negative, from the end."""
    content = _content(data)
    return _surface(content, 0, len(content.lines))


def first_object(data: bytes) -> Surface:
    """The first object or group of an OBJ file that has faces, with the vertices of all: what MuJoCo reads.

    The rule is that of tinyobjloader.  An object of points or lines counts too; it has no triangles, and MuJoCo uses
    the convex hull of all vertices instead.

    >>> corners = "v 0 0 0 \\n v 1 0 0 \\n v 0 1 0 \\n v 0 0 1 \\n"
    >>> first_object(f"{corners} o a \\n f 1 2 3 \\n o b \\n f 1 2 4".encode()).remark
    'objects after the first: 1'
    """
    content = _content(data)
    bounds = [*pairwise([*content.objects, len(content.lines)])]
    cut = _is_cut(content)
    for i, (first, stop) in enumerate(bounds):
        if content.is_loose[i] or cut[first] < cut[stop]:
            surface = _surface(content, first, stop)
            if len(surface.triangles) or content.is_loose[i]:
                remaining = sum(1 for start, end in bounds[i + 1 :] if start < end)
                remarks = (f"objects after the first: {remaining}" if remaining else "", surface.remark)
                return replace(surface, remark=", ".join(filter(None, remarks)))
    return Surface(points(content.vertices), np.zeros((0, 3), int))


def _is_cut(content: _Content) -> list[int]:
    """For each face, how many before it have triangles or name vertices that do not exist; then how many in all."""
    count = len(content.vertices) // 3
    wrong = np.frombuffer(content.corners, np.int64) > count
    before = np.concatenate([[0], np.cumsum(wrong)])[np.frombuffer(content.ends, np.int64)]
    counts = np.diff(np.frombuffer(content.ends, np.int64))
    return [0, *accumulate(((counts > 2) | (np.diff(before) > 0)).tolist())]


def _content(data: bytes) -> _Content:
    spend_words(data)
    content = _Content()
    for number, line in enumerate(_lines(data), 1):
        if line[:2] in NAMES:
            content.add_object(is_group=line[:1] == b"g")
        elif line[:1] in KEYS and line[1:2] in BLANKS:
            _add(content, number, line)
    return content


def _add(content: _Content, number: int, line: bytes) -> None:
    if len(line) > LONGEST_LINE:
        raise ValueError(f"line {number} has more than {LONGEST_LINE} bytes")
    key, *words = line.split()
    if key in (b"l", b"p"):
        content.is_loose[-1] = True
        return
    if b"_" in line:
        raise ValueError(f"line {number} has a number with an underscore")  # which Python would accept
    if key == b"v":
        content.add_vertex(words)
    else:
        content.add_face(number, [word.partition(b"/")[0] for word in words] if b"/" in line else words)


def _lines(data: bytes) -> Iterator[bytes]:
    """The lines of a text, one at a time and without blanks around them; they end as in any system."""
    text = data.removeprefix(BOM_UTF8)
    if b"\r" in text:
        text = text.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    with io.BytesIO(text) as stream:
        yield from (line.lstrip(b" \t\x0b\x0c").rstrip(b"\n") for line in stream)


def _surface(content: _Content, first: int, stop: int) -> Surface:
    """The triangles of some of the faces, in their order."""
    vertices, corners = points(content.vertices), np.frombuffer(content.corners, np.int64) - 1
    _require_vertices(content, first, stop)
    faces: list[Indices] = [np.zeros((0, 3), np.int64)]
    crossing = 0
    for start in range(first, stop, FACES_AT_ONCE):
        ends = np.frombuffer(content.ends, np.int64)[start : min(start + FACES_AT_ONCE, stop) + 1]
        counts = np.diff(ends)
        triangles, amounts = _triangles(vertices, corners, ends[:-1], counts)
        badly = _is_cut_badly(vertices[triangles], amounts) | (amounts != np.maximum(counts - 2, 0))
        crossing += int(np.count_nonzero(badly))
        faces.append(triangles)
    remark = f"faces that their triangles do not cover once: {crossing}" if crossing else ""
    return Surface(vertices, np.concatenate(faces), remark)


def _require_vertices(content: _Content, first: int, stop: int) -> None:
    count, ends = len(content.vertices) // 3, content.ends
    corners = np.frombuffer(content.corners, np.int64)[ends[first] : ends[stop]]
    wrong = np.flatnonzero(corners > count)
    if wrong.size:
        face = bisect_right(ends, ends[first] + int(wrong[0])) - 1
        largest = max(content.corners[ends[face] : ends[face + 1]])
        raise ValueError(f"line {content.lines[face]} names vertex {largest}; there are {count}")


def _triangles(vertices: Array, corners: Indices, starts: Indices, counts: Indices) -> tuple[Indices, Indices]:
    """The triangles of faces, face by face, and their number for each face."""
    cut_singly, others = np.flatnonzero(counts > 4), {}
    for i in cut_singly.tolist():
        spend("corners of polygons", int(counts[i]))
        others[i] = triangulated(vertices[corners[starts[i] : starts[i] + counts[i]]])
    amounts = np.clip(counts - 2, 0, 2)
    amounts[cut_singly] = [len(cut) for cut in others.values()]
    places = np.cumsum(amounts) - amounts
    local = np.empty((int(amounts.sum()), 3), np.int64)
    local[places[counts == 3]] = (0, 1, 2)
    quads = np.flatnonzero(counts == 4)
    second = is_cut_from_second(vertices[corners[starts[quads][:, None] + np.arange(4)]])
    local[places[quads][:, None] + np.arange(2)] = np.array(QUADS)[second.astype(int)]
    for i, cut in others.items():
        local[places[i] : places[i] + len(cut)] = np.array(cut, int).reshape(-1, 3)
    return corners[np.repeat(starts, amounts)[:, None] + local], amounts


TURNED = 1e-6
"""The area of a triangle, as a fraction of its longest edge squared, above which an opposite orientation is no
rounding."""


def _is_cut_badly(triangles: Array, counts: Indices) -> NDArray[np.bool_]:
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
