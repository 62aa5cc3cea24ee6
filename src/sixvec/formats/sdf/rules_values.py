"""The values of SDF for the rules, between the tags: numbers, rotations, densities."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from sixvec.formats.doctor.finding import Findings, Severity, reader_errors
from sixvec.formats.doctor.outline import Written, parsed
from sixvec.formats.node import Node
from sixvec.formats.sdf.elements import HARMLESS, read_pose
from sixvec.formats.sdf.shapes import density_of
from sixvec.formats.sdf.words import SDF_WORDS
from sixvec.formats.vocabulary import Count

LOOKED_INTO = (*HARMLESS, "inertial", "inertia", "visual", "collision", "axis", "axis2", "limit", "dynamics", "mimic")
"""Elements with numbers of the mechanism; others, such as plugins, may use the same words differently."""

SHAPES = ("visual", "collision")


def number_in(t: Node | None, tag: str) -> float | None:
    """The finite number in the element of that tag inside; None if there is none."""
    element = t.child(tag) if t else None
    values = parsed(element.value, 1) if element else None
    return values[0] if values else None


def written(root: Node) -> Iterator[Written]:
    for t in root.within(LOOKED_INTO):
        words = SDF_WORDS.of("", t.tag)
        for inner in t.inside:
            count = words.child_counts.get(inner.tag) if words else None
            if inner.tag == "pose" and inner.value:
                n = 7 if inner.get("rotation_format") == "quat_xyzw" else 6
                count = Count(n, n)
            if count:
                yield Written(inner, "", *count[:3])


def poses_are_rotations(root: Node) -> Findings:
    """Of shapes, which the reader may not reach."""
    for t in root.within(LOOKED_INTO):
        for pose in t.children("pose") if t.tag in SHAPES else ():
            yield from reader_errors(read_pose, pose)


def shapes_have_sizes(root: Node) -> Findings:
    """Densities and sizes from which no inertia is computed, so that the reader does not need them."""
    for link in root.iter("link"):
        for t in (*link.children("inertial"), *(shape for tag in SHAPES for shape in link.children(tag))):
            yield from (replace(f, severity=Severity.WARNING) for f in reader_errors(density_of, t))
