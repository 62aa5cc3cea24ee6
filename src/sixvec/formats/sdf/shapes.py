"""The <visual> and <collision> elements of SDF: shapes on the frames of links, and inertia (<inertial auto="true">).

Each shape has its own density, else that of the <inertial>; a <mass> of the <inertial> scales the sum.  A mesh counts
with its enclosed volume, if its file exists and is STL or OBJ; shapes that cannot be represented are listed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from sixvec.errors import FileFormatError
from sixvec.formats.mesh_file import Surface, read_mesh, stl
from sixvec.formats.mjcf.inertia import scaled
from sixvec.formats.mjcf.mesh import surface_inertia
from sixvec.formats.mjcf.pose import moved
from sixvec.formats.node import Node
from sixvec.formats.obj_file import obj
from sixvec.formats.sdf.elements import inertia, is_true, pose
from sixvec.formats.sdf.places import NamedElement
from sixvec.formats.sdf.world import Contents
from sixvec.geometry.rigid_body.solids import Box, Capsule, Cone, Cylinder, Ellipsoid, Solid, Sphere
from sixvec.model.geom import FULL_SIZE, Color, Geom, HalfSpace, Material, Mesh, Shape, z_towards
from sixvec.quoting import quoted
from sixvec.spatial import Pose, RigidInertia, Vec3

MESH = "mesh"
READERS = {".stl": stl, ".obj": obj}

WATER = 1000.0
"""kg/m³, the density where the file gives none (sdformat.org, <collision>)."""


def link_inertia(link: NamedElement, contents: Contents) -> RigidInertia:
    """The inertia of a link in its own frame, given or computed."""
    inertial = link.node.child("inertial")
    if inertial is None or not is_true(inertial, "auto"):
        return inertia(link.node, contents.unsupported)
    shapes = list(link.node.children("collision"))
    if not shapes:
        raise inertial.error('says auto="true", and its link has no <collision>', "give <mass> and <inertia> instead")
    parts, left_out = [], []
    for shape in shapes:
        inertia_of_shape = _of_shape(shape, inertial, link, contents)
        if isinstance(inertia_of_shape, str):
            left_out.append(inertia_of_shape)
        else:
            parts.append(inertia_of_shape)
    total = _total(inertial, parts) if parts else inertia(link.node, contents.unsupported)
    source = "the <inertia> of the file" if inertial.child("inertia") else "1 kg·m², as links without <inertial> have"
    others = "its other shapes count" if parts else f"it has {total.mass:g} kg and {source}"
    for reason in left_out:
        contents.unsupported.add(
            f'inertia computed from a {reason} of link "{link.node.text("name")}" ({others})', inertial
        )
    return total


def _total(inertial: Node, parts: list[RigidInertia]) -> RigidInertia:
    """The sum of the shapes, scaled to the <mass> if there is one."""
    total = sum(parts[1:], parts[0])
    if inertial.child("mass") is None:
        return total
    mass = inertial.not_negative("mass", inertial.number_in("mass", total.mass))
    return scaled(total, mass / total.mass)


def _of_shape(shape: Node, inertial: Node, link: NamedElement, contents: Contents) -> RigidInertia | str:
    """The inertia of a <collision> in the frame of its link, or the reason why it is not included."""
    geometry = shape.required("geometry")
    solid = next((node for node in geometry.inside if node.tag in (*SOLIDS, MESH)), None)
    if solid is None:
        return next((quoted(node.tag) for node in geometry.inside), "geometry")
    unit = _of_mesh(solid, link, contents) if solid.tag == MESH else _of_solid(SOLIDS[solid.tag](solid))
    if isinstance(unit, str):
        return unit
    density = density_of(shape if shape.child("density") else inertial)
    return moved(shape_pose(shape, link, contents), scaled(unit, density))


def density_of(node: Node) -> float:
    """The <density> inside an element, that of water if there is none."""
    density = node.number_in("density", WATER)
    if not density > 0.0:
        raise node.required("density").error(f"the density is {density}", "give kg/m³ above 0")
    return density


def shape_pose(shape: Node, link: NamedElement, contents: Contents) -> Pose:
    """The pose of a <collision> or <visual> in the frame of its link."""
    X, pose_node = pose(shape), shape.child("pose")
    name = pose_node.attributes.get("relative_to") if pose_node is not None else None
    if pose_node is None or not name:
        return X
    return contents.places.between(link.key, contents.places.find(link.scope, name, pose_node)) @ X


def _of_solid(solid: Solid) -> RigidInertia:
    """A solid of density 1 in the frame of its <collision>."""
    unit = solid.inertia(solid.volume)
    if isinstance(solid, Cone):  # the format has its origin at half the height, ours is in the base
        return Pose.translation(Vec3(0.0, 0.0, -0.5 * solid.height)) @ unit
    return unit


def _of_mesh(mesh: Node, link: NamedElement, contents: Contents) -> RigidInertia | str:
    """The volume enclosed by a <mesh>, with density 1, or why it is unknown."""
    uri = mesh.child("uri")
    if uri is None:
        return "mesh without <uri>"
    address = quoted(uri.content())
    if mesh.child("submesh") is not None:
        return f"submesh of {address}"
    path = contents.file(uri, link)
    if path is None:
        return f"mesh, {address}, which is not in the folders that may be read,"
    if path.suffix.lower() not in READERS:
        return f"mesh, {address}, which is not {' or '.join(READERS)},"
    surface = read_mesh(path, mesh, READERS)
    if surface.remark:
        contents.unsupported.add(f"of {address} {surface.remark}", mesh)
    scale_node = mesh.child("scale")
    if scale_node is not None:
        scale = np.array(scale_node.content_numbers(3))
        triangles = surface.triangles if np.prod(scale) > 0.0 else surface.triangles[:, ::-1]
        surface = Surface(surface.vertices * scale, triangles)
    return surface_inertia(mesh, surface, "exact")


def _sizes(node: Node, *tags: str) -> tuple[float, ...]:
    return node.positive(tuple(node.required(tag).content_numbers(1)[0] for tag in tags))


def _vector(node: Node, tag: str) -> Vec3:
    return Vec3.of(node.positive(node.required(tag).content_numbers(3)))


SOLIDS: dict[str, Callable[[Node], Solid]] = {
    "box": lambda node: Box(_vector(node, "size")),
    "sphere": lambda node: Sphere(*_sizes(node, "radius")),
    "cylinder": lambda node: Cylinder(*_sizes(node, "radius", "length")),
    "capsule": lambda node: Capsule(*_sizes(node, "radius", "length")),
    "ellipsoid": lambda node: Ellipsoid(_vector(node, "radii")),
    "cone": lambda node: Cone(*_sizes(node, "radius", "length")),
}
"""For each shape the solid; lengths are full lengths, and the origin is in the middle."""


TAGS = ("visual", "collision")


def link_geoms(link: NamedElement, frame: str, contents: Contents) -> Iterator[Geom]:
    """The shapes of a link, whose frame has that name in the model."""
    for tag in TAGS:
        for node in link.node.children(tag):
            geometry = node.child("geometry")
            if geometry is None or not geometry.inside:
                continue
            try:
                yield _geom(node, link, frame, contents)
            except FileFormatError as problem:
                contents.unsupported.leave_out(problem, contents.scopes[0].node, touches=tag == "collision")


def _geom(node: Node, link: NamedElement, frame: str, contents: Contents) -> Geom:
    X, shape = _shape(node.required("geometry"), link, contents)
    is_visual = node.tag == "visual"
    X = moved(shape_pose(node, link, contents), X)
    return Geom(frame, shape, X, node.attributes.get("name", ""), _material(node), is_visual, not is_visual)


def _shape(geometry: Node, link: NamedElement, contents: Contents) -> tuple[Pose, Shape]:
    node = geometry.inside[0]
    if node.tag in SOLIDS:
        solid = SOLIDS[node.tag](node)
        # The format has the origin of a cone at half its height, ours is in the base.
        low = -0.5 * float(solid.height) if isinstance(solid, Cone) else 0.0
        return Pose.translation(Vec3(0.0, 0.0, low)), solid  # type: ignore[return-value]
    if node.tag == "mesh":
        return Pose.identity(), _mesh(node, contents.mesh_folders(link))
    if node.tag == "plane":
        return _plane(node)
    raise node.error(f"the shape of a {quoted(node.tag)}")


def _mesh(node: Node, folders: tuple[str, ...]) -> Mesh:
    scale, submesh = node.child("scale"), node.child("submesh")
    name = submesh.child("name") if submesh is not None else None
    return Mesh(
        node.required("uri").content(),
        FULL_SIZE if scale is None else Vec3.of(scale.content_numbers(3)),
        "" if name is None else name.content(),
        folders,
    )


def _plane(node: Node) -> tuple[Pose, HalfSpace]:
    normal, size = node.child("normal"), node.child("size")
    n = Vec3(0.0, 0.0, 1.0) if normal is None else Vec3.of(normal.content_numbers(3))
    length = n.dot(n) ** 0.5
    if not length > 0.0:
        raise node.error("its normal has no direction", "give one that is not zero")
    x, y = (0.0, 0.0) if size is None else size.content_numbers(2)
    return Pose(z_towards(n * (1.0 / length)), Vec3.zero()), HalfSpace((x, y))


def _material(node: Node) -> Material:
    """A colour; an invalid one does not remove the shape."""
    material_node = node.child("material")
    if material_node is None:
        return Material()
    script = material_node.child("script")
    name = script.child("name") if script is not None else None
    label = "" if name is None else name.value
    return Material(label, _color(material_node.child("diffuse") or material_node.child("ambient")))


def _color(node: Node | None) -> Color | None:
    if node is None:
        return None
    try:
        values = node.content_numbers(len(node.content().split()))
    except FileFormatError:
        return None
    r, g, b, a = (*values, 1.0)[:4] if len(values) in (3, 4) else (0.5, 0.5, 0.5, 1.0)
    return r, g, b, a
