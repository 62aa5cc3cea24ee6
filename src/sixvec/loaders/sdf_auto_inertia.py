"""Inertia that SDF asks to be computed from the collision shapes of a link: <inertial auto="true">, from SDF 1.11 on.

Each shape has its own density, else that of the <inertial>; a <mass> of the <inertial> scales the sum.
"""

from __future__ import annotations

from collections.abc import Callable

from sixvec.loaders.mjcf_pose import moved
from sixvec.loaders.sdf_elements import inertia
from sixvec.loaders.sdf_pose import number, pose, truth
from sixvec.loaders.sdf_world import Contents, Found
from sixvec.loaders.xml import Node, quoted
from sixvec.rigid_body.solids import Box, Capsule, Cone, Cylinder, Ellipsoid, Solid, Sphere
from sixvec.spatial import Pose, RigidInertia, Vec3

WATER = 1000.0
"""kg/m³, the density where the file gives none (sdformat.org, <collision>)."""


def link_inertia(link: Found, contents: Contents) -> RigidInertia:
    """The inertia of a link in its own frame, given or computed."""
    inertial = link.node.child("inertial")
    if inertial is None or not truth(inertial, inertial.element.get("auto", "false")):
        return inertia(link.node, contents.unsupported)
    shapes = list(link.node.children("collision"))
    if not shapes:
        raise inertial.error('says auto="true", and its link has no <collision>; give <mass> and <inertia> instead')
    density = number(inertial, "density", WATER)
    parts = [part for shape in shapes if (part := _of_shape(shape, density, link, contents)) is not None]
    if not parts:
        return inertia(link.node, contents.unsupported)
    total = sum(parts[1:], parts[0])
    if inertial.child("mass") is None:
        return total
    k = number(inertial, "mass", total.mass) / total.mass
    return RigidInertia(total.mass * k, total.moment * k, total.rot * k)


def _of_shape(shape: Node, density: float, link: Found, contents: Contents) -> RigidInertia | None:
    """The inertia of a <collision> in the frame of its link; None where the shape is none that is known."""
    geometry = shape.required("geometry")
    found = next((node for node in geometry.inside() if node.tag in SOLIDS), None)
    if found is None:
        kind = next((quoted(node.tag) for node in geometry.inside()), "geometry")
        contents.unsupported.add(f"inertia computed from a {kind} (it is left out)")
        return None
    density = number(shape, "density", density)
    solid = SOLIDS[found.tag](found)
    if not density > 0.0:
        raise shape.error(f"its density is {density}; give a number above 0")
    X = pose(shape)
    given = shape.child("pose")
    name = given.element.get("relative_to") if given is not None else None
    if given is not None and name:
        X = contents.places.between(link.key, contents.places.find(link.scope, name, given)) @ X
    if isinstance(solid, Cone):  # the format has its origin at half the height, ours is in the base
        X = X @ Pose.translation(Vec3(0.0, 0.0, -0.5 * solid.height))
    return moved(X, solid.inertia(solid.volume * density))


def _sizes(node: Node, *tags: str) -> tuple[float, ...]:
    sizes = tuple(node.required(tag).content_numbers(1)[0] for tag in tags)
    return _positive(node, sizes)


def _positive(node: Node, sizes: tuple[float, ...]) -> tuple[float, ...]:
    if not all(size > 0.0 for size in sizes):
        raise node.error(f"its sizes are {', '.join(map(str, sizes))}; give numbers above 0")
    return sizes


def _vector(node: Node, tag: str) -> Vec3:
    return Vec3.of(_positive(node, node.required(tag).content_numbers(3)))


SOLIDS: dict[str, Callable[[Node], Solid]] = {
    "box": lambda node: Box(_vector(node, "size")),
    "sphere": lambda node: Sphere(*_sizes(node, "radius")),
    "cylinder": lambda node: Cylinder(*_sizes(node, "radius", "length")),
    "capsule": lambda node: Capsule(*_sizes(node, "radius", "length")),
    "ellipsoid": lambda node: Ellipsoid(_vector(node, "radii")),
    "cone": lambda node: Cone(*_sizes(node, "radius", "length")),
}
"""For each shape the solid; lengths are whole ones, and the origin is in the middle."""
