"""Meshes of MJCF, read only where a body's inertia is to be computed from them: STL, OBJ, or numbers in the file."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sixvec.errors import FileFormatError, MissingExtra, unknown
from sixvec.loaders.mjcf_compiler import Compiler, choice
from sixvec.loaders.mjcf_defaults import Defaults
from sixvec.loaders.mjcf_tree import Tree, model_file
from sixvec.loaders.xml import LARGEST_FILE, Node
from sixvec.rigid_body.mesh_inertia import tetrahedron_inertia, triangle_inertia
from sixvec.spatial import Pose, Quaternion, RigidInertia, Sym3, Vec3

Array = NDArray[np.floating[Any]]
METHODS = {kind: kind for kind in ("legacy", "exact", "convex", "shell")}
STL_HEADER, STL_TRIANGLE = 84, 50
"""Bytes of a binary STL file before the triangles, and of each triangle."""


@dataclass(frozen=True)
class Surface:
    """Corners (n, 3) and triangles (m, 3) of indices into them."""

    vertices: Array
    triangles: NDArray[np.integer[Any]]


def mesh_nodes(tree: Tree, defaults: Defaults) -> dict[str, Node]:
    """The <mesh> assets by name; a mesh without one has that of its file."""
    found = {}
    for section in tree.sections("asset"):
        for node in tree.inside(section):
            if node.tag == "mesh":
                full = defaults.resolved(node, None)
                found[full.element.get("name") or Path(full.element.get("file", "")).stem] = full
    return found


def mesh_volume_inertia(node: Node, tree: Tree, compiler: Compiler) -> RigidInertia:
    """The inertia of a mesh of density 1, in the frame of its vertices.

    "exact" sums signed tetrahedra.  "legacy", the format's default, sums their absolute volumes, first about the middle
    of the surface for the centre of mass and then about that centre; it agrees where the body is seen whole from
    there and counts too much elsewhere.  "convex" takes the hull, "shell" a skin of 1 kg/m².
    """
    surface = _placed(node, _surface(node, tree, compiler))
    method = choice(node, "inertia", METHODS, "legacy")
    if method == "convex" or not len(surface.triangles):
        surface, method = _hull(node, surface.vertices), "exact"
    a, b, c = (surface.vertices[surface.triangles[:, i]] for i in range(3))
    if method == "shell":
        return _sum(triangle_inertia(_vector(a), _vector(b), _vector(c)))
    area = np.linalg.norm(np.cross(b - a, c - a), axis=1)
    if not area.sum() > 0.0:
        raise node.error("the triangles of the mesh have no area; a body needs some")
    middle = area @ (a + b + c) / (3.0 * area.sum())
    total = _tetrahedra(a, b, c, middle, method)
    if not total.mass > 0.0:
        raise node.error("the mesh encloses no volume; its triangles must run counter-clockwise seen from outside")
    if method == "exact":
        return Pose.translation(Vec3.of(map(float, middle))) @ total
    center = middle + np.array([*total.center])
    again = _tetrahedra(a, b, c, center, method)
    # The first moment that is left over is an artefact of overlapping pieces.
    return Pose.translation(Vec3.of(map(float, center))) @ RigidInertia(again.mass, Vec3.zero(), again.rot)


def _tetrahedra(a: Array, b: Array, c: Array, apex: Array, method: str) -> RigidInertia:
    """The tetrahedra of all triangles with one point, about that point; "legacy" counts each as positive."""
    a, b, c = a - apex, b - apex, c - apex
    if method == "legacy":
        outward = np.einsum("ij,ij->i", a, np.cross(b, c))[:, None] >= 0.0
        b, c = np.where(outward, b, c), np.where(outward, c, b)
    return _sum(tetrahedron_inertia(_vector(a), _vector(b), _vector(c)))


def _vector(points: Array) -> Vec3:
    """Many points as one vector of arrays."""
    return Vec3(points[:, 0], points[:, 1], points[:, 2])


def _sum(parts: RigidInertia) -> RigidInertia:
    mass, cx, cy, cz, *rot = (float(np.sum(x)) for x in parts)
    return RigidInertia(mass, Vec3(cx, cy, cz), Sym3(*rot))


def _placed(node: Node, surface: Surface) -> Surface:
    """The surface after the asset's reference frame and scale are applied."""
    vertices = surface.vertices
    if node.has("refpos"):
        vertices = vertices - np.array(node.numbers("refpos", 3))
    if node.has("refquat"):
        w, x, y, z = node.numbers("refquat", 4)
        R = Quaternion(x, y, z, w).normalized().as_rotation().matrix
        vertices = vertices @ np.array([[*row] for row in R.rows])
    triangles = surface.triangles
    if node.has("scale"):
        scale = np.array(node.numbers("scale", 3))
        vertices = vertices * scale
        if np.prod(scale) < 0.0:
            triangles = triangles[:, ::-1]
    return Surface(vertices, triangles)


def _surface(node: Node, tree: Tree, compiler: Compiler) -> Surface:
    if node.has("vertex"):
        vertices = _table(node, "vertex", 3)
        faces = _table(node, "face", 3).astype(int) if node.has("face") else np.zeros((0, 3), int)
        if faces.size and (faces.min() < 0 or faces.max() >= len(vertices)):
            raise node.error(f"face: a number is not that of a vertex; there are {len(vertices)}, counted from 0")
        return Surface(vertices, faces)
    name = node.text("file")
    if compiler.strippath:
        name = Path(name).name
    path = model_file(tree.folder, str(Path(compiler.meshdir) / name), node)
    readers = {".stl": _stl, ".obj": _obj}
    if path.suffix.lower() not in readers:
        raise node.error(unknown("mesh format", path.suffix, readers))
    if path.stat().st_size > LARGEST_FILE:
        raise node.error(f"{path} is larger than {LARGEST_FILE // 2**20} MiB, the most that a mesh may be")
    try:
        surface = readers[path.suffix.lower()](path.read_bytes())
    except (ValueError, IndexError, struct.error) as problem:
        raise FileFormatError(f"{path}: not a mesh that can be read: {problem}") from None
    if not np.isfinite(surface.vertices).all():
        raise FileFormatError(f"{path}: a vertex is not a finite number")
    return surface


def _table(node: Node, attribute: str, width: int) -> Array:
    count = len(node.text(attribute).split())
    if count % width:
        raise node.error(f"{attribute} holds {count} numbers, which is not a multiple of {width}")
    return np.array(node.numbers(attribute, count)).reshape(-1, width)


def _stl(data: bytes) -> Surface:
    """Binary STL: 80 bytes of comment, the number of triangles, then a normal and three corners for each."""
    (count,) = struct.unpack_from("<I", data, STL_HEADER - 4)
    if len(data) < STL_HEADER + STL_TRIANGLE * count:
        raise ValueError(f"{count} triangles are announced and {(len(data) - STL_HEADER) // STL_TRIANGLE} are there")
    layout = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("attributes", "<u2")])
    corners = np.frombuffer(data, layout, count, STL_HEADER)["corners"].reshape(-1, 3).astype(float)
    return Surface(corners, np.arange(len(corners)).reshape(-1, 3))


def _obj(data: bytes) -> Surface:
    """OBJ: lines `v x y z` and `f i j k …`, indices from 1 or, negative, from the end; polygons become fans."""
    vertices: list[list[float]] = []
    triangles: list[tuple[int, int, int]] = []
    for line in data.decode("utf-8", "replace").splitlines():
        key, *words = line.split() or [""]
        if key == "v":
            vertices.append([float(word) for word in words[:3]])
        elif key == "f":
            index = [int(word.split("/")[0]) for word in words]
            index = [i - 1 if i > 0 else len(vertices) + i for i in index]
            if not all(0 <= i < len(vertices) for i in index):
                raise ValueError(f'"{line}" names a vertex that does not stand before it')
            triangles += [(index[0], j, k) for j, k in pairwise(index[1:])]
    return Surface(np.array(vertices, float).reshape(-1, 3), np.array(triangles, int).reshape(-1, 3))


def _hull(node: Node, vertices: Array) -> Surface:
    """The convex hull, oriented outward."""
    try:
        from scipy.spatial import ConvexHull, QhullError  # type: ignore[import-untyped, unused-ignore]
    except ImportError:
        raise MissingExtra(f"{node.where}: the hull of a mesh needs SciPy: pip install 'sixvec[scipy]'") from None
    try:
        hull = ConvexHull(vertices)
    except (QhullError, ValueError):
        raise node.error("the vertices of the mesh span no volume; give at least 4 that do") from None
    triangles = hull.simplices
    a, b, c = (vertices[triangles[:, i]] for i in range(3))
    outward = np.einsum("ij,ij->i", np.cross(b - a, c - a), hull.equations[:, :3]) > 0.0
    return Surface(vertices, np.where(outward[:, None], triangles, triangles[:, ::-1]))
