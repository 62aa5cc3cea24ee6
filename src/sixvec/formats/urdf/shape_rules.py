"""What readers silently leave out of the shapes of URDF: colours, materials, second shapes, meshes without extent."""

from __future__ import annotations

from sixvec.formats.doctor.finding import Findings, warning
from sixvec.formats.doctor.names import nearest
from sixvec.formats.doctor.outline import numbers
from sixvec.formats.node import Node
from sixvec.formats.urdf.geoms import SHAPES, TAGS
from sixvec.quoting import quoted


def shapes_are_shown_as_written(root: Node) -> Findings:
    """Warnings only: shapes affect no result."""
    shapes = [t for link in root.children("link") for tag in TAGS for t in link.children(tag)]
    used = [m for t in shapes for m in t.children("material")]
    materials = [*root.children("material"), *used]
    for material in materials:
        yield from _color(material)
    defined = {m.get("name"): m for m in materials if m.child("color") or m.child("texture")}
    for material in used:
        name = material.get("name")
        if name and name not in defined and not material.inside:
            advice = nearest(name, defined, "material") if defined else 'define it: add <color rgba="…"/>'
            yield warning(material, f'there is no material "{quoted(name)}"', advice)
    for shape in shapes:
        for geometry in shape.children("geometry"):
            yield from _geometry(geometry)


def _color(material: Node) -> Findings:
    for color in material.children("color"):
        text, rgba = color.attributes.get("rgba", ""), numbers(color, "rgba", 4)
        if rgba is None:
            yield warning(color, f'rgba="{quoted(text)}" is no colour, and none is shown', "give 4 numbers from 0 to 1")
        elif not all(0.0 <= x <= 1.0 for x in rgba):
            advice = "divide red, green and blue by 255" if max(rgba) > 1.0 else "give 4 of them"
            yield warning(color, f'rgba="{quoted(text)}" is not made of numbers from 0 to 1', advice)


def _geometry(geometry: Node) -> Findings:
    shapes = [t for t in geometry.inside if t.tag in SHAPES]
    for t in shapes[1:]:
        yield warning(t, f"is not read: <{shapes[0].tag}> is before it in <geometry>", "give each its own element")
    for mesh in geometry.children("mesh"):
        scale = numbers(mesh, "scale", 3) or numbers(mesh, "scale", 1)
        if scale is not None and not all(scale):
            text = quoted(mesh.attributes["scale"])
            yield warning(mesh, f'scale="{text}" leaves nothing of the mesh', "give factors that are not zero")
