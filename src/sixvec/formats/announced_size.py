"""Sizes that mesh files announce, checked before a reader allocates memory for them.

A small file may contain an archive that unpacks to gigabytes, counts without the numbers, or nodes that repeat each
other.
"""

from __future__ import annotations

import json
import re
import struct
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from sixvec.errors import FileFormatError
from sixvec.formats.budget import read_bytes
from sixvec.formats.problems import noting
from sixvec.formats.xml import LARGEST_FILE, parse_xml

LARGEST_UNPACKED = 16 * 2**20
"""Bytes of the contents of an archive: their reader needs twenty times as much memory."""

MOST_NODES = 10_000
"""Nodes of a scene, with all repetitions."""

COMPONENTS = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4, "MAT2": 4, "MAT3": 9, "MAT4": 16}
LARGEST_COMPONENT = 4
"""Bytes of a number in glTF."""


def require_bounded(path: Path) -> None:
    """Raise an error for a file whose contents are larger than a mesh may be."""
    check = CHECKS.get(path.suffix.lower())
    if check is not None:
        check(path)


def _problem(path: Path, what: str) -> FileFormatError:
    return FileFormatError(what, advice="meshes of robots need less", file=str(path))


def _archive(path: Path) -> None:
    with path.open("rb") as file, zipfile.ZipFile(file) as archive:
        entries = archive.infolist()
    if len(entries) > MOST_NODES or sum(entry.file_size for entry in entries) > LARGEST_UNPACKED:
        raise _problem(path, f"unpacks to more than {LARGEST_UNPACKED // 2**20} MiB")


def _gltf(path: Path) -> None:
    data = read_bytes(path, LARGEST_FILE, "mesh")
    if data[:4] == b"glTF":
        (length,) = struct.unpack_from("<I", data, 12)
        data = data[20 : 20 + length]
    content = json.loads(data)
    sizes = [
        int(each.get("count", 0)) * COMPONENTS.get(each.get("type", ""), 16) * LARGEST_COMPONENT
        for each in content.get("accessors", ())
    ]
    if any(size < 0 for size in sizes) or sum(sizes) > LARGEST_FILE:
        raise _problem(path, f"announces arrays of more than {LARGEST_FILE // 2**20} MiB")
    children = {i: [*node.get("children", ())] for i, node in enumerate(content.get("nodes", ()))}
    roots = [root for scene in content.get("scenes", ()) for root in scene.get("nodes", ())]
    _require_few_nodes(path, roots, children)


def _require_few_nodes(path: Path, roots: list[Any], children: Mapping[Any, list[Any]]) -> None:
    waiting, count = [*roots], 0
    while waiting:
        count += 1
        if count > MOST_NODES:
            raise _problem(path, f"repeats its nodes: more than {MOST_NODES}")
        waiting += children.get(waiting.pop(), [])


def _collada(path: Path) -> None:
    with noting([]):  # COLLADA has a namespace, which robot files have not
        root = parse_xml(read_bytes(path, LARGEST_FILE, "mesh"), str(path))
    nodes = [*root.iter("node")]
    names: dict[Any, Any] = {f"#{node.get('id')}": node for node in nodes if node.get("id")}
    children: dict[Any, list[Any]] = {}
    for node in (*nodes, *root.iter("visual_scene")):
        referred = [names.get(inner.get("url")) for inner in node.inside if inner.tag == "instance_node"]
        elements = [inner for inner in node.inside if inner.tag in ("node", "instance_geometry")]
        children[node] = [each for each in (*elements, *referred) if each is not None]
    _require_few_nodes(path, [*root.iter("visual_scene")], children)


_ELEMENT = re.compile(rb"^element\s+\S+\s+(\d+)", re.MULTILINE)


def _polygons(path: Path) -> None:
    """PLY and OFF name the numbers of their vertices and faces first; each has a byte at least."""
    with path.open("rb") as file:
        head = file.read(65536)
    counts = _ELEMENT.findall(head) if head.startswith(b"ply") else re.findall(rb"\d+", head[:200])[:3]
    if any(int(count) > path.stat().st_size for count in counts):
        raise _problem(path, "announces more vertices or faces than it can contain")


CHECKS: dict[str, Callable[[Path], None]] = {
    ".3mf": _archive,
    ".gltf": _gltf,
    ".glb": _gltf,
    ".dae": _collada,
    ".ply": _polygons,
    ".off": _polygons,
}
