"""From the shapes of a model to <visual> and <collision> elements of URDF."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from xml.etree.ElementTree import Element, SubElement

from sixvec.formats.names import free_name
from sixvec.formats.number_text import number, numbers, roll_pitch_yaw
from sixvec.formats.unsupported import UnsupportedShape
from sixvec.model import Geom, Material, Mesh, Model
from sixvec.model.geom import FULL_SIZE
from sixvec.spatial import Pose


def add_geoms(links: Mapping[str, Element], model: Model) -> None:
    """The shapes in the links of their frames; others give a warning."""
    if not model.geoms:
        return
    from sixvec.formats.fitted_geoms import for_urdf

    fitted = for_urdf(model)
    if fitted.notes:
        warnings.warn(f"{model.name} as URDF: {'; '.join(fitted.notes)}", UnsupportedShape, stacklevel=3)
    materials: dict[str, Material] = {}
    for g in fitted.geoms:
        _add(links[g.frame], g, materials)


def _add(link: Element, g: Geom, materials: dict[str, Material]) -> None:
    element = SubElement(link, "visual" if g.visual else "collision", {"name": g.name} if g.name else {})
    origin(element, g.placement)
    _shape(SubElement(element, "geometry"), g)
    if g.visual and (g.material.color or g.material.texture):
        _material(element, g.material, materials)


def _shape(geometry: Element, g: Geom) -> None:
    from sixvec.geometry.rigid_body.solids import Box, Cylinder, Sphere

    match g.shape:
        case Box(size):
            SubElement(geometry, "box", size=numbers(size))
        case Sphere(radius):
            SubElement(geometry, "sphere", radius=number(radius))
        case Cylinder(radius, length):
            SubElement(geometry, "cylinder", radius=number(radius), length=number(length))
        case Mesh(uri, scale):
            SubElement(geometry, "mesh", {"filename": uri} | ({} if scale == FULL_SIZE else {"scale": numbers(scale)}))


def _material(element: Element, m: Material, materials: dict[str, Material]) -> None:
    """A material with a unique name: a second one of the same name would be an error."""
    name = m.name or "color_" + "".join(f"{round(255 * min(max(x, 0.0), 1.0)):02x}" for x in m.color or ())
    if materials.get(name, m) != m:
        name = next((n for n, other in materials.items() if other == m), free_name(name, materials))
    materials[name] = m
    made = SubElement(element, "material", name=name)
    if m.color:
        SubElement(made, "color", rgba=numbers(m.color))
    if m.texture:
        SubElement(made, "texture", filename=m.texture)


def origin(parent: Element, pose: Pose) -> None:
    if pose != Pose.identity():
        SubElement(parent, "origin", xyz=numbers(pose.pos), rpy=numbers(roll_pitch_yaw(pose)))
