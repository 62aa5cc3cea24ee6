"""Values of SDF for the rules that are more than numbers: truth values, forms of rotation, sizes, densities, gears."""

from __future__ import annotations

import math
from collections.abc import Iterator

from sixvec.formats.doctor.finding import Finding, Findings
from sixvec.formats.doctor.names import nearest
from sixvec.formats.doctor.sheet import parsed
from sixvec.formats.doctor.source import Tag, error, inside, warning
from sixvec.formats.quaternion import SMALLEST_NORM
from sixvec.formats.sdf.mechanism import GEARBOX
from sixvec.formats.sdf.pose import BOOLEANS, ROTATION_FORMATS
from sixvec.formats.sdf.rules_names import Contents
from sixvec.formats.sdf.rules_values import LOOKED_INTO, SHAPES, named, number_in
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


def poses_are_rotations(root: Tag) -> Findings:
    waiting: list[tuple[Tag | None, Tag]] = [(None, root)]
    while waiting:
        owner, t = waiting.pop()
        around = named(owner, t)
        for pose in t.all("pose"):
            yield from (inside(around, finding) for finding in _pose(pose))
        waiting += [(around, inner) for inner in reversed(t.inside) if inner.tag in LOOKED_INTO]


def _pose(pose: Tag) -> Iterator[Finding]:
    kind = pose.get("rotation_format") or ROTATION_FORMATS[0]
    if kind not in ROTATION_FORMATS:
        message = f'rotation_format="{quoted(kind)}" is not one of {", ".join(ROTATION_FORMATS)}'
        yield error(pose, message, nearest(kind, ROTATION_FORMATS, "form", "SDF"))
    values = parsed(pose.text, 7) if kind == "quat_xyzw" else None
    if values is not None and math.hypot(*values[3:]) <= SMALLEST_NORM:
        yield error(pose, "the quaternion is zero, which is no rotation", "give x y z w of length 1")
    yield from _truth(pose, "degrees")


def _truth(t: Tag, attribute: str) -> Iterator[Finding]:
    word = t.attributes.get(attribute)
    if word is not None and word.strip().lower() not in BOOLEANS:
        yield error(t, f'{attribute}="{quoted(word)}" is neither true nor false', "give true or false")


def inertias_can_be_computed(contents: Contents) -> Findings:
    """Sizes and densities that make no body: an error where an inertia comes from them, else a warning."""
    for f in contents.found["link"]:
        inertial = f.tag.first("inertial")
        auto = inertial is not None and BOOLEANS.get(inertial.get("auto").lower(), False)
        if inertial is not None:
            yield from (inside(f.tag, finding) for finding in _truth(inertial, "auto"))
            if auto and f.tag.first("collision") is None:
                message = 'says auto="true", and its link has no <collision>'
                yield inside(f.tag, error(inertial, message, "give <mass> and <inertia>, or a <collision>"))
            yield from (inside(f.tag, finding) for finding in _density(inertial, auto))
        for kind in SHAPES:
            for shape in f.tag.all(kind):
                needed = auto and kind == "collision"
                for finding in (*_density(shape, needed), *_sizes(shape, needed)):
                    yield inside(f.tag, finding)


def _density(t: Tag, needed: bool) -> Iterator[Finding]:
    value, found = number_in(t, "density"), t.first("density")
    if found is not None and value is not None and value <= 0.0:
        yield (error if needed else warning)(found, f"the density {value:g} is not positive", "give kg/m³ above zero")


def _sizes(shape: Tag, needed: bool) -> Iterator[Finding]:
    say = error if needed else warning
    for geometry in shape.all("geometry"):
        for solid in geometry.inside:
            for tag, count in SIZES.get(solid.tag, {}).items():
                found = solid.first(tag)
                values = parsed(found.text, count) if found else None
                if found is None:
                    if needed:
                        yield error(solid, f"has no <{tag}>", "its inertia is computed from it")
                elif values is None and needed:
                    yield error(
                        found, f'"{quoted(found.text)}" is not {count} finite numbers', "give lengths in metres"
                    )
                elif values is not None and min(values) <= 0.0:
                    yield say(found, f'"{quoted(found.text)}" is not positive', "give lengths above zero")


def gearboxes_have_a_reference(contents: Contents) -> Findings:
    """The link that both axes of a gearbox are measured against; simulators need it."""
    for f in contents.found["joint"]:
        if f.tag.get("type") == GEARBOX:
            found = f.tag.first("gearbox_reference_body")
            if found is None or not found.text:
                message = "a gearbox without <gearbox_reference_body>"
                yield warning(f.tag, message, "name the link that carries both of its axes")
