"""The <visual> and <collision> elements of SDF as shapes on the frames of their links.

Unsupported or invalid ones are left out and listed.
"""

from __future__ import annotations

from collections.abc import Iterator

from sixvec.errors import FileFormatError
from sixvec.formats.mjcf.pose import moved
from sixvec.formats.node import Node
from sixvec.formats.sdf.auto_inertia import SOLIDS, shape_pose
from sixvec.formats.sdf.scope import Found
from sixvec.formats.sdf.world import Contents
from sixvec.geometry.rigid_body.solids import Cone
from sixvec.model.geom import FULL_SIZE, Color, Geom, HalfSpace, Material, Mesh, Shape, z_towards
from sixvec.quoting import quoted
from sixvec.spatial import Pose, Vec3

TAGS = ("visual", "collision")


def link_geoms(link: Found, frame: str, contents: Contents) -> Iterator[Geom]:
    """The shapes of a link, whose frame has that name in the model."""
    for tag in TAGS:
        for node in link.node.children(tag):
            geometry = node.child("geometry")
            if geometry is None or not geometry.inside:
                continue
            try:
                yield _geom(node, link, frame, contents)
            except FileFormatError as problem:
                contents.unsupported.leave_out(problem, contents.scopes[0].node)


def _geom(node: Node, link: Found, frame: str, contents: Contents) -> Geom:
    X, shape = _shape(node.required("geometry"), link, contents)
    is_visual = node.tag == "visual"
    X = moved(shape_pose(node, link, contents), X)
    return Geom(frame, shape, X, node.attributes.get("name", ""), _material(node), is_visual, not is_visual)


def _shape(geometry: Node, link: Found, contents: Contents) -> tuple[Pose, Shape]:
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
    scale, part = node.child("scale"), node.child("submesh")
    name = part.child("name") if part is not None else None
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
        raise node.error("its normal has no direction")
    x, y = (0.0, 0.0) if size is None else size.content_numbers(2)
    return Pose(z_towards(n * (1.0 / length)), Vec3.zero()), HalfSpace((x, y))


def _material(node: Node) -> Material:
    """A colour; an invalid one does not remove the shape."""
    given = node.child("material")
    if given is None:
        return Material()
    script = given.child("script")
    name = script.child("name") if script is not None else None
    label = "" if name is None else name.value
    return Material(label, _color(given.child("diffuse") or given.child("ambient")))


def _color(node: Node | None) -> Color | None:
    if node is None:
        return None
    try:
        values = node.content_numbers(len(node.content().split()))
    except FileFormatError:
        return None
    r, g, b, a = (*values, 1.0)[:4] if len(values) in (3, 4) else (0.5, 0.5, 0.5, 1.0)
    return r, g, b, a
