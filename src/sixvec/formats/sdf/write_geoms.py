"""From the shapes of a model to <visual> and <collision> elements of SDF."""

from __future__ import annotations

from collections.abc import Mapping
from xml.etree.ElementTree import Element, SubElement

from sixvec.formats.names import free_name
from sixvec.formats.number_text import number, numbers, roll_pitch_yaw
from sixvec.geometry.rigid_body.solids import Box, Capsule, Cone, Cylinder, Ellipsoid, Sphere
from sixvec.model import WORLD, Geom, HalfSpace, Mesh, Model
from sixvec.model.geom import FULL_SIZE
from sixvec.spatial import Pose, Vec3


def add_geoms(links: Mapping[str, Element], model: Model, places: Mapping[str, tuple[str | None, Pose]]) -> None:
    """The shapes in the links of their frames, whose poses on the links are given; those in the world are left out."""
    taken: dict[str, set[str]] = {}
    for g in model.geoms:
        body, X = places[g.frame]
        if body is not WORLD:
            for tag, wanted in (("visual", g.visual), ("collision", g.collision)):
                if wanted:
                    names = taken.setdefault(f"{body}/{tag}", set())
                    names.add(name := free_name(g.name or tag, names))
                    _add(SubElement(links[body], tag, name=name), g, X)


def _add(element: Element, g: Geom, X: Pose) -> None:
    # The format has the origin of a cone at half its height, ours is in the base.
    low = 0.5 * float(g.shape.height) if isinstance(g.shape, Cone) else 0.0
    placed = X @ g.placement @ Pose.translation(Vec3(0.0, 0.0, low))
    if placed != Pose.identity():
        SubElement(element, "pose").text = numbers((*placed.pos, *roll_pitch_yaw(placed)))
    _shape(SubElement(element, "geometry"), g)
    if element.tag == "visual" and g.material.color:
        SubElement(SubElement(element, "material"), "diffuse").text = numbers(g.material.color)


def _shape(geometry: Element, g: Geom) -> None:
    values: dict[str, str]
    match g.shape:
        case Box(size):
            tag, values = "box", {"size": numbers(size)}
        case Sphere(radius):
            tag, values = "sphere", {"radius": number(radius)}
        case Cylinder(radius, length):
            tag, values = "cylinder", {"radius": number(radius), "length": number(length)}
        case Capsule(radius, length):
            tag, values = "capsule", {"radius": number(radius), "length": number(length)}
        case Cone(radius, height):
            tag, values = "cone", {"radius": number(radius), "length": number(height)}
        case Ellipsoid(semi_axes):
            tag, values = "ellipsoid", {"radii": numbers(semi_axes)}
        case HalfSpace(size):
            tag, values = "plane", {"normal": "0 0 1"} | ({"size": numbers(size)} if any(size) else {})
        case Mesh(uri, scale):
            tag, values = "mesh", {"uri": uri} | ({} if scale == FULL_SIZE else {"scale": numbers(scale)})
        case _:
            raise TypeError(f"{type(g.shape).__name__} is no shape of SDF")
    element = SubElement(geometry, tag)
    for name, text in values.items():
        SubElement(element, name).text = text
    if isinstance(g.shape, Mesh) and g.shape.part:
        SubElement(SubElement(element, "submesh"), "name").text = g.shape.part
