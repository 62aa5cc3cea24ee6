"""The values of SDF for the rules, between the tags: numbers, booleans, rotations, sizes, gears."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from sixvec.formats.doctor.finding import Finding, Findings, error, refusals, warning
from sixvec.formats.doctor.outline import Quantity, Written, parsed
from sixvec.formats.node import Node
from sixvec.formats.sdf.elements import BOOLEANS, HARMLESS, is_true, read_pose
from sixvec.formats.sdf.mechanism import GEARBOX
from sixvec.formats.sdf.rules_names import Contents
from sixvec.formats.sdf.words import SDF_WORDS
from sixvec.formats.vocabulary import Count
from sixvec.quoting import quoted

LOOKED_INTO = (*HARMLESS, "inertial", "inertia", "visual", "collision", "axis", "axis2", "limit", "dynamics", "mimic")
"""Elements with numbers of the mechanism; others, such as plugins, may use the same words differently."""

SHAPES = ("visual", "collision")


def number_in(t: Node | None, tag: str) -> float | None:
    """The finite number in the element of that tag inside; None if there is none."""
    found = t.child(tag) if t else None
    values = parsed(found.value, 1) if found else None
    return values[0] if values else None


def written(root: Node) -> Iterator[Written]:
    for t in root.within(LOOKED_INTO):
        words = SDF_WORDS.of("", t.tag)
        for inner in t.inside:
            count = words.held.get(inner.tag) if words else None
            if inner.tag == "pose" and inner.value:
                n = 7 if inner.get("rotation_format") == "quat_xyzw" else 6
                count = Count(n, n)
            if count:
                yield Written(inner, "", inner.value or None, *count[:3])


def poses(root: Node) -> Iterator[tuple[Node, tuple[float, ...]]]:
    """The poses of links, joints and frames and of their centres of mass."""
    for t in root.within(LOOKED_INTO):
        found = t.child("pose")
        if found and t.tag in ("link", "joint", "frame", "inertial"):
            values = parsed(found.value, 7 if found.get("rotation_format") == "quat_xyzw" else 6)
            if values:
                yield found, values


def lengths(root: Node) -> Iterator[Quantity]:
    return (Quantity(t, values[:3]) for t, values in poses(root))


def angles(root: Node) -> Iterator[Quantity]:
    """Angles in radians; a pose may declare its own in degrees."""
    for t, values in poses(root):
        if len(values) == 6 and t.get("degrees").lower() not in ("true", "1"):
            yield Quantity(t, values[3:])


def poses_are_rotations(root: Node) -> Findings:
    for t in root.within(LOOKED_INTO):
        for found in t.children("pose"):
            yield from refusals(found, partial(read_pose, found))


def inertias_can_be_computed(contents: Contents) -> Findings:
    """Invalid sizes and densities: an error if an inertia is computed from them, else a warning."""
    for f in contents.found["link"]:
        inertial = f.node.child("inertial")
        auto = inertial is not None and BOOLEANS.get(inertial.get("auto").lower(), False)
        if inertial is not None:
            yield from refusals(inertial, partial(is_true, inertial, "auto"))
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
            words = SDF_WORDS.of("geometry", solid.tag)
            for tag, (count, *_) in words.held.items() if words else ():
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
    """The link to which both axes of a gearbox are relative; simulators need it."""
    for f in contents.found["joint"]:
        if f.node.get("type") == GEARBOX:
            found = f.node.child("gearbox_reference_body")
            if found is None or not found.value:
                message = "a gearbox without <gearbox_reference_body>"
                yield warning(f.node, message, "name the link that carries both of its axes")
