"""The <visual> and <collision> elements of URDF.  An invalid one is left out and does not prevent loading."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from sixvec.errors import FileFormatError, unknown
from sixvec.formats.node import Node
from sixvec.formats.unsupported import Unsupported
from sixvec.formats.urdf.elements import origin
from sixvec.model.geom import FULL_SIZE, Geom, Material, Mesh, Shape
from sixvec.spatial import Vec3

TAGS = ("visual", "collision")
SHAPES = ("box", "sphere", "cylinder", "capsule", "mesh")


def read_geoms(
    robot: Node, links: Mapping[str, Node], folders: tuple[str, ...], unsupported: Unsupported
) -> tuple[Geom, ...]:
    """The shapes of all links; `folders` are those of their meshes.

    >>> from sixvec.formats.xml import parse_xml
    >>> robot = parse_xml('<robot><link name="a"><visual><geometry><sphere radius="2"/></geometry></visual></link>'
    ...     "</robot>", "arm.urdf")
    >>> read_geoms(robot, {"a": robot.required("link")}, (), Unsupported())
    (Geom("a", Sphere(radius=2.0), visual),)
    """
    found = [(link, name, node) for name, link in links.items() for tag in TAGS for node in link.children(tag)]
    if not found:
        return ()
    materials = dict(_materials(robot, [node for _, _, node in found]))
    made = []
    for _, name, node in found:
        try:
            made.append(_geom(node, name, materials, folders))
        except FileFormatError as problem:
            unsupported.leave_out(problem, robot)
    return tuple(made)


def _geom(node: Node, frame: str, materials: Mapping[str, Material], folders: tuple[str, ...]) -> Geom:
    shape = _shape(node.required("geometry"), folders)
    given, material = node.child("material"), Material()
    if given is not None:
        own = _material(given)
        material = materials.get(own.name, own) if own == Material(own.name) else own
    is_visual = node.tag == "visual"
    name = node.attributes.get("name", "").strip()
    return Geom(frame, shape, origin(node), name, material, visual=is_visual, collision=not is_visual)


def _shape(geometry: Node, folders: tuple[str, ...]) -> Shape:
    from sixvec.geometry.rigid_body.solids import Box, Capsule, Cylinder, Sphere

    for node in geometry.inside:
        match node.tag:
            case "box":
                return Box(Vec3.of(node.positive(node.numbers("size", 3))))
            case "sphere":
                return Sphere(*node.positive(node.numbers("radius", 1)))
            case "cylinder":
                return Cylinder(*node.positive((node.number("radius"), node.number("length"))))
            case "capsule":
                return Capsule(*node.positive((node.number("radius"), node.number("length"))))
            case "mesh":
                return Mesh(node.text("filename"), _scale(node), folders=folders)
        raise node.error(unknown("shape", node.tag, SHAPES, "URDF"))
    raise geometry.error("holds no shape")


def _scale(mesh: Node) -> Vec3:
    """Three factors; a single one applies to all directions."""
    if not mesh.has("scale"):
        return FULL_SIZE
    count = 1 if len(mesh.text("scale").split()) == 1 else 3
    return Vec3.of(mesh.numbers("scale", count) * (3 // count))


def _materials(robot: Node, shapes: list[Node]) -> Iterator[tuple[str, Material]]:
    """The materials that have names, wherever they are defined: another link may refer to them by name."""
    inside = (m for node in shapes for m in node.children("material"))
    for node in (*inside, *robot.children("material")):
        material = _material(node)
        if material != Material(material.name):
            yield material.name, material


def _material(node: Node) -> Material:
    """A material; an invalid colour does not remove the shape."""
    color, texture = node.child("color"), node.child("texture")
    rgba = None
    if color is not None:
        try:
            r, g, b, a = color.numbers("rgba", 4)
            rgba = r, g, b, a
        except FileFormatError:
            pass
    return Material(node.attributes.get("name", "").strip(), rgba, _filename(texture))


def _filename(texture: Node | None) -> str:
    return "" if texture is None else texture.attributes.get("filename", "").strip()
