"""Values of SDF for the rules that are more than numbers: truth values, forms of rotation, sizes, densities, gears."""

from __future__ import annotations

import math
from collections.abc import Iterator

from sixvec.formats.doctor.finding import Finding, Findings, error, warning
from sixvec.formats.doctor.names import nearest
from sixvec.formats.doctor.outline import parsed
from sixvec.formats.node import Node
from sixvec.formats.rotation import SMALLEST_NORM
from sixvec.formats.sdf.mechanism import GEARBOX
from sixvec.formats.sdf.pose import BOOLEANS, ROTATION_FORMATS
from sixvec.formats.sdf.rules_names import Contents
from sixvec.formats.sdf.rules_values import SHAPES, looked_into, number_in
from sixvec.quoting import quoted

SIZES: dict[str, dict[str, int]] = {
    "box": {"size": 3},
    "sphere": {"radius": 1},
    "cylinder": {"radius": 1, "length": 1},
    "capsule": {"radius": 1, "length": 1},
    "cone": {"radius": 1, "length": 1},
    "ellipsoid": {"radii": 3},
}
"""For each shape, its elements and how many lengths each holds."""


def poses_are_rotations(root: Node) -> Findings:
    for t in looked_into(root):
        for pose in t.children("pose"):
            yield from _pose(pose)


def _pose(pose: Node) -> Iterator[Finding]:
    kind = pose.get("rotation_format") or ROTATION_FORMATS[0]
    if kind not in ROTATION_FORMATS:
        message = f'rotation_format="{quoted(kind)}" is not one of {", ".join(ROTATION_FORMATS)}'
        yield error(pose, message, nearest(kind, ROTATION_FORMATS, "form", "SDF"))
    values = parsed(pose.value, 7) if kind == "quat_xyzw" else None
    if values is not None and math.hypot(*values[3:]) <= SMALLEST_NORM:
        yield error(pose, "the quaternion is zero, which is no rotation", "give x y z w of length 1")
    yield from _truth(pose, "degrees")


def _truth(t: Node, attribute: str) -> Iterator[Finding]:
    word = t.attributes.get(attribute)
    if word is not None and word.strip().lower() not in BOOLEANS:
        yield error(t, f'{attribute}="{quoted(word)}" is neither true nor false', "give true or false")


def inertias_can_be_computed(contents: Contents) -> Findings:
    """Sizes and densities that make no body: an error where an inertia comes from them, else a warning."""
    for f in contents.found["link"]:
        inertial = f.node.child("inertial")
        auto = inertial is not None and BOOLEANS.get(inertial.get("auto").lower(), False)
        if inertial is not None:
            yield from _truth(inertial, "auto")
            if auto and f.node.child("collision") is None:
                message = 'says auto="true", and its link has no <collision>'
                yield error(inertial, message, "give <mass> and <inertia>, or a <collision>")
            yield from _density(inertial, auto)
        for kind in SHAPES:
            for shape in f.node.children(kind):
                needed = auto and kind == "collision"
                yield from _density(shape, needed)
                yield from _sizes(shape, needed)


def _density(t: Node, needed: bool) -> Iterator[Finding]:
    value, found = number_in(t, "density"), t.child("density")
    if found is not None and value is not None and value <= 0.0:
        yield (error if needed else warning)(found, f"the density {value:g} is not positive", "give kg/m³ above zero")


def _sizes(shape: Node, needed: bool) -> Iterator[Finding]:
    say = error if needed else warning
    for geometry in shape.children("geometry"):
        for solid in geometry.inside:
            for tag, count in SIZES.get(solid.tag, {}).items():
                found = solid.child(tag)
                values = parsed(found.value, count) if found else None
                if found is None:
                    if needed:
                        yield error(solid, f"has no <{tag}>", "its inertia is computed from it")
                elif values is None and needed:
                    yield error(
                        found, f'"{quoted(found.value)}" is not {count} finite numbers', "give lengths in metres"
                    )
                elif values is not None and min(values) <= 0.0:
                    yield say(found, f'"{quoted(found.value)}" is not positive', "give lengths above zero")


def gearboxes_have_a_reference(contents: Contents) -> Findings:
    """The link that both axes of a gearbox are measured against; simulators need it."""
    for f in contents.found["joint"]:
        if f.node.get("type") == GEARBOX:
            found = f.node.child("gearbox_reference_body")
            if found is None or not found.value:
                message = "a gearbox without <gearbox_reference_body>"
                yield warning(f.node, message, "name the link that carries both of its axes")
