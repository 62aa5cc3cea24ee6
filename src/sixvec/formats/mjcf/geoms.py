"""The geoms of MJCF as shapes on the frames of their bodies.

A geom without contacts (contype and conaffinity are 0) is visual; one with contacts is also visual if it is in a group
that MuJoCo shows by default.  A geom that the model cannot represent is left out and listed.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from sixvec.errors import FileFormatError
from sixvec.formats.mjcf.compiler import Compiler
from sixvec.formats.mjcf.contact import read_surface
from sixvec.formats.mjcf.defaults import Assets
from sixvec.formats.mjcf.inertia import MESHES, SOLIDS, is_written, plane_size, shape_kind, shape_size
from sixvec.formats.mjcf.mesh import mesh_name, placed, written_surface
from sixvec.formats.mjcf.pose import IDENTITY, moved, pose, turn_of
from sixvec.formats.mjcf.tree import Tree
from sixvec.formats.node import Node
from sixvec.formats.unsupported import Unsupported
from sixvec.model.geom import Color, Geom, HalfSpace, Material, Mesh, Polyhedron, Shape
from sixvec.spatial import Pose, Vec3

SHOWN = range(3)
"""The groups of geoms that MuJoCo shows by default."""


@dataclass
class Geoms:
    """The geoms of one file, found while its bodies are read."""

    tree: Tree
    compiler: Compiler
    assets: Assets
    unsupported: Unsupported
    paired: frozenset[str] = frozenset()
    """The names of geoms in contact pairs, which touch whatever their masks are."""
    geoms: list[Geom] = field(default_factory=list)

    def add(self, frame: str, geoms: list[tuple[Node, Pose]]) -> None:
        """The geoms of a body, each with the pose of the <frame> around it."""
        for node, X in geoms:
            try:
                self.geoms.append(self._geom(frame, node, X))
            except FileFormatError as problem:
                self.unsupported.leave_out(problem, self.tree.root, touches=_touches(node))

    def _geom(self, frame: str, node: Node, X: Pose) -> Geom:
        solid, shape = self._shape(node)
        touches = _touches(node)
        shown = node.number("group", 0.0) in SHOWN
        name = node.attributes.get("name", "")
        visual = shown or not touches
        touches = touches or name in self.paired
        surface = read_surface(node, self.unsupported)
        return Geom(
            frame, shape, moved(X, solid), name, self._material(node), visual=visual, collision=touches, surface=surface
        )

    def _shape(self, node: Node) -> tuple[Pose, Shape]:
        kind = shape_kind(node)
        if kind == "plane":
            x, y = plane_size(node)
            return pose(node, self.compiler), HalfSpace((2.0 * x, 2.0 * y))
        if kind in SOLIDS and not node.has("mesh"):
            X, size = shape_size(node, kind, self.compiler)
            return X, SOLIDS[kind](*size)  # type: ignore[return-value]
        if kind == "mesh" or (kind in MESHES and is_written(self.assets.of(node, "mesh"))):
            X, mesh = self._mesh(self.assets.of(node, "mesh"))
            return moved(pose(node, self.compiler), X), mesh
        raise node.error(f"the shape of a geom of type {kind}" + (" fitted to a mesh" if kind in SOLIDS else ""))

    def _mesh(self, node: Node) -> tuple[Pose, Shape]:
        """The mesh of an asset, and its vertices' frame in that of the geom."""
        if node.has("vertex"):
            surface = placed(node, written_surface(node))
            corners = tuple(Vec3.of(map(float, v)) for v in surface.vertices)
            return IDENTITY, Polyhedron(corners, tuple((int(i), int(j), int(k)) for i, j, k in surface.triangles))
        scale = Vec3.of(node.numbers("scale", 3, (1.0, 1.0, 1.0)))
        uri = PurePosixPath(self.compiler.meshdir.replace("\\", "/"), mesh_name(node, self.compiler))
        return _reference(node, scale), Mesh(str(uri), scale, folders=self._folders(node))

    def _folders(self, node: Node) -> tuple[str, ...]:
        """The folders of an asset's files: next to the main file, next to the asset's, and those of the caller."""
        home = self.tree.folders.home
        if home is None:
            return ()
        folders = (home, Path(node.file).parent, *self.tree.folders.of_meshes)
        return tuple(dict.fromkeys(str(folder.absolute()) for folder in folders))

    def _material(self, node: Node) -> Material:
        color = _color(node)
        if not node.has("material") or node.text("material") not in self.assets.named["material"]:
            return Material("", color)
        material = self.assets.of(node, "material")
        texture = self.assets.named["texture"].get(material.attributes.get("texture", ""))
        file = "" if texture is None else texture.attributes.get("file", "")
        return Material(node.text("material"), color or _color(material), file)


def _touches(node: Node) -> bool:
    """Whether the masks of a geom let it touch any other."""
    return any(node.number(key, 1.0) for key in ("contype", "conaffinity"))


def _color(node: Node) -> Color | None:
    if not node.has("rgba"):
        return None
    r, g, b, a = node.numbers("rgba", 4)
    return r, g, b, a


def _reference(node: Node, scale: Vec3) -> Pose:
    """The asset's own frame, which transforms the vertices before scaling:  S R⁻¹ (v - r) = R⁻¹ S v - S R⁻¹ r."""
    if not node.has("refpos") and not node.has("refquat"):
        return IDENTITY
    back = turn_of(node.numbers("refquat", 4, (1.0, 0.0, 0.0, 0.0))).inv()
    if len({*scale}) > 1 and node.has("refquat"):
        raise node.error("the shape of a mesh that is turned by refquat and then scaled unevenly")
    at = back @ Vec3.of(node.numbers("refpos", 3, (0.0, 0.0, 0.0)))
    return Pose(back, -Vec3(at.x * scale.x, at.y * scale.y, at.z * scale.z))
