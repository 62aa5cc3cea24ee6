"""Meshes of MJCF and the inertia of the enclosed volume; a mesh without triangles is its convex hull."""

from __future__ import annotations

import functools
import operator
from pathlib import PurePosixPath

import numpy as np

from sixvec.errors import MissingExtra, UnknownInertia
from sixvec.formats.budget import spend
from sixvec.formats.mesh_file import Array, Surface, binary_stl, msh, read_mesh
from sixvec.formats.mjcf.compiler import Compiler, choice
from sixvec.formats.mjcf.pose import turn_of
from sixvec.formats.mjcf.tree import Tree
from sixvec.formats.node import Node
from sixvec.formats.obj_file import first_object
from sixvec.formats.unsupported import Unsupported
from sixvec.geometry.rigid_body.mesh_inertia import tetrahedron_inertia, triangle_inertia
from sixvec.quoting import quoted
from sixvec.spatial import Pose, RigidInertia, Sym3, Vec3

METHODS = {kind: kind for kind in ("legacy", "exact", "convex", "shell")}
READERS = {".stl": binary_stl, ".obj": first_object, ".msh": msh}


def mesh_volume_inertia(node: Node, tree: Tree, compiler: Compiler, unsupported: Unsupported) -> RigidInertia:
    """The inertia of a mesh of density 1, in the frame of its vertices.

    "exact" sums signed tetrahedra.  "legacy", the format's default, sums their absolute volumes, first about the
    centroid of the surface for the centre of mass and then about that centre; it is exact for bodies that are
    star-shaped about it and too large otherwise.  "convex" uses the hull, "shell" a surface of 1 kg/m².
    """
    surface = _surface(node, tree, compiler)
    if surface.remark:
        unsupported.add(
            f'of mesh "{quoted(node.get("name") or node.get("file"))}", as in MuJoCo, {surface.remark}', node
        )
    surface = placed(node, surface)
    method: str = choice(node, "inertia", METHODS, "legacy")
    if method == "convex" or not len(surface.triangles):
        surface, method = _hull(node, surface.vertices), "shell" if method == "shell" else "exact"
    return surface_inertia(node, surface, method)


def surface_inertia(node: Node, surface: Surface, method: str) -> RigidInertia:
    """The inertia of the volume inside triangles, density 1, or with "shell" of the triangles; `node` is for errors."""
    spend("triangles of inertias", len(surface.triangles), node.error)
    a, b, c = (surface.vertices[surface.triangles[:, i]] for i in range(3))
    if method == "shell":
        return _sum(triangle_inertia(_vector(a), _vector(b), _vector(c)))
    area = np.linalg.norm(np.cross(b - a, c - a), axis=1)
    if not area.sum() > 0.0:
        raise node.error("the triangles of the mesh have no area", "a body needs some")
    middle = area @ (a + b + c) / (3.0 * area.sum())
    total = _tetrahedra(a, b, c, middle, method)
    if not total.mass > 0.0:
        raise node.error("the mesh encloses no volume", "its triangles must run counter-clockwise seen from outside")
    if method == "exact":
        return Pose.translation(Vec3.of(map(float, middle))) @ total
    center = middle + np.array([*total.center])
    again = _tetrahedra(a, b, c, center, method)
    # The remaining first moment is an artefact of overlapping pieces.
    return Pose.translation(Vec3.of(map(float, center))) @ RigidInertia(again.mass, Vec3.zero(), again.rot)


def _tetrahedra(a: Array, b: Array, c: Array, apex: Array, method: str) -> RigidInertia:
    """The tetrahedra of all triangles with one point, about that point; "legacy" counts each as positive."""
    a, b, c = a - apex, b - apex, c - apex
    if method == "legacy":
        outward = np.einsum("ij,ij->i", a, np.cross(b, c))[:, None] >= 0.0
        b, c = np.where(outward, b, c), np.where(outward, c, b)
    parts = [_sum(tetrahedron_inertia(*(_vector(x[i : i + AT_ONCE]) for x in (a, b, c)))) for i in _starts(len(a))]
    return functools.reduce(operator.add, parts)


AT_ONCE = 2**17
"""Triangles whose inertias are computed together: they need more memory than the triangles."""


def _starts(count: int) -> range:
    return range(0, max(count, 1), AT_ONCE)


def _vector(points: Array) -> Vec3:
    """Many points as one vector of arrays."""
    return Vec3(points[:, 0], points[:, 1], points[:, 2])


def _sum(parts: RigidInertia) -> RigidInertia:
    mass, cx, cy, cz, *rot = (float(np.sum(x)) for x in parts)
    return RigidInertia(mass, Vec3(cx, cy, cz), Sym3(*rot))


def placed(node: Node, surface: Surface) -> Surface:
    """The surface after the asset's reference frame and scale are applied."""
    vertices = surface.vertices
    if node.has("refpos"):
        vertices = vertices - np.array(node.numbers("refpos", 3))
    if node.has("refquat"):
        R = turn_of(node.numbers("refquat", 4)).matrix
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
        return written_surface(node)
    if node.has("builtin"):
        message = f'builtin="{node.text("builtin")}": a mesh that MuJoCo itself makes, and that is not in the file'
        raise node.error(message, "give its body an <inertial>, or save the mesh and name its file", UnknownInertia)
    return read_mesh(tree.file(node, mesh_name(node, compiler), compiler.meshdir), node, READERS)


def written_surface(node: Node) -> Surface:
    """The vertices and faces of a <mesh> that contains them."""
    vertices = _table(node, "vertex", 3)
    faces = _table(node, "face", 3) if node.has("face") else np.zeros((0, 3))
    if faces.size and (faces.min() < 0 or faces.max() >= len(vertices) or (faces % 1.0).any()):
        raise node.error("face: a number is not that of a vertex", f"there are {len(vertices)}, counted from 0")
    return Surface(vertices, faces.astype(int))


def mesh_name(node: Node, compiler: Compiler) -> str:
    """The file of a mesh, relative to `meshdir`."""
    name = node.text("file", 'add file="…" or vertex="…"')
    return PurePosixPath(name.replace("\\", "/")).name if compiler.strippath else name


def _table(node: Node, attribute: str, width: int) -> Array:
    values = node.numbers(attribute, None)
    if len(values) % width:
        raise node.error(f"{attribute} holds {len(values)} numbers, which is not a multiple of {width}")
    return np.array(values).reshape(-1, width)


def _hull(node: Node, vertices: Array) -> Surface:
    """The convex hull, oriented outward."""
    try:
        from scipy.spatial import ConvexHull, QhullError  # type: ignore[import-untyped, unused-ignore]
    except ImportError:
        raise MissingExtra(f"{node.where}: the hull of a mesh needs SciPy", extra="scipy") from None
    try:
        hull = ConvexHull(vertices)
    except (QhullError, ValueError):
        raise node.error("the vertices of the mesh span no volume", "give at least 4 that do") from None
    triangles = hull.simplices
    a, b, c = (vertices[triangles[:, i]] for i in range(3))
    outward = np.einsum("ij,ij->i", np.cross(b - a, c - a), hull.equations[:, :3]) > 0.0
    return Surface(vertices, np.where(outward[:, None], triangles, triangles[:, ::-1]))
