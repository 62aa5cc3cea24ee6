"""URDF for the rules: links and joints as written in the file, consistent or not.

Also errors of urdfdom, the reader of ROS, in files that this library accepts: a file for use elsewhere must avoid them.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from functools import partial

from sixvec.formats.doctor.finding import Findings, error, tolerated, warning
from sixvec.formats.doctor.outline import (
    Follow,
    Format,
    Inner,
    Joint,
    Link,
    Mesh,
    Motion,
    Outline,
    Reference,
    Written,
    numbers,
)
from sixvec.formats.folders import Folders
from sixvec.formats.node import Node
from sixvec.formats.problems import examining
from sixvec.formats.urdf.elements import SHAPES, TAGS
from sixvec.formats.urdf.loops import loop_links
from sixvec.formats.urdf.read import parts_of
from sixvec.formats.urdf.words import URDF_WORDS
from sixvec.formats.vocabulary import Words
from sixvec.quoting import quoted
from sixvec.spatial import RigidInertia

OF_URDFDOM: dict[str, dict[str, bool]] = {
    "limit": {"effort": True, "velocity": True, "lower": False, "upper": False},
    "safety_controller": {
        "k_velocity": True, "k_position": False, "soft_lower_limit": False, "soft_upper_limit": False,
    },
    "calibration": {"rising": False, "falling": False, "reference_position": False},
    "dynamics": {"damping": False, "friction": False},
}  # fmt: skip
"""For each element of a joint, its numbers and whether they are required."""

ROS_REJECTS = "ROS rejects the file"
_VERSION = re.compile(r"1(\.[0-9]+)*")


def ros_takes_it(root: Node) -> Findings:
    if "name" not in root.attributes:
        yield error(root, "has no name", f'{ROS_REJECTS}: add name="…"')
    version = root.attributes.get("version", "1.0")
    if not _VERSION.fullmatch(version.strip()):
        yield error(
            root, f'version="{quoted(version)}" is not one of URDF', f"{ROS_REJECTS}: write 1.0, or take it out"
        )
    first_with: dict[str, Node] = {}
    for t in root.children("material"):
        name = t.get("name")
        if name and name in first_with:
            yield error(
                t, f"a second material of the name, after line {first_with[name].line}", f"{ROS_REJECTS}: keep one"
            )
        first_with.setdefault(name, t)
    for joint in root.children("joint"):
        for tag, known in OF_URDFDOM.items():
            limit = joint.child(tag)
            if limit is not None:
                yield from _numbers(limit, known)


def _numbers(t: Node, known: dict[str, bool]) -> Findings:
    for name, required in known.items():
        text = t.attributes.get(name)
        if text is None:
            if required:
                yield error(t, f"{name} is missing", f"{ROS_REJECTS}: add it")
        elif problem := _problem(text, reported=t.tag in ("limit", "dynamics"), infinite=t.tag == "limit"):
            yield error(t, f'{name}="{quoted(text)}" {problem}', f"{ROS_REJECTS}: write a decimal number")
    if t.tag == "dynamics" and not any(name in t.attributes for name in known):
        yield error(t, "has neither damping nor friction", f"{ROS_REJECTS}: give one, or take the element out")


def _problem(text: str, *, reported: bool, infinite: bool) -> str:
    """Why a text is not one number for ROS; findings of the general rules, which may allow ±inf, are not repeated."""
    try:
        value = float(text)
    except ValueError:
        return "" if reported else "is not a number"
    if math.isnan(value):
        return "" if reported else "is not a number"
    if math.isinf(value):
        return "" if reported and not infinite else "is not finite"
    return "has blanks behind it" if text != text.rstrip() else ""


MOTIONS = {
    "revolute": Motion.TURN,
    "continuous": Motion.TURN,
    "prismatic": Motion.SLIDE,
    "planar": Motion.SEVERAL,
    "fixed": Motion.NONE,
    "floating": Motion.SEVERAL,
}

URDF = Format(
    "URDF",
    "link",
    one_tree=True,
    vocabulary=URDF_WORDS,
    strict=False,
)

SINGLE: dict[str, tuple[str, ...]] = {
    "robot": (),
    "link": ("inertial",),
    "joint": ("origin", "parent", "child", "axis", "limit", "dynamics", "mimic"),
    "inertial": ("origin", "mass", "inertia"),
}
"""Contents that may appear only once; only the first is read."""

REQUIRED = {"axis", "mass", "inertia"}
"""Elements that have no meaning without their attributes."""


def outline_of(root: Node, folders: Folders) -> Outline:
    """The outline of a <robot>, from what its reader has read."""
    with examining() as examined:
        parts = parts_of(root)
    links = [_link(node, body) for node, body in parts.masses.items()]
    joints = [_joint(connection.joint) for connection in parts.connections]
    inertials = [i for link in links for i in link.node.children("inertial")]
    owners = [root, *(link.node for link in links), *(j.node for j in joints), *inertials]
    outline = Outline(
        URDF, root, partial(parts.model, folders), links, joints,
        meshes=[mesh for link in links for mesh in _meshes(link.node)],
        owners=[Inner(t, _words(t).inside or (), SINGLE[t.tag]) for t in owners],
        written=lambda: _written(links, joints),
        closed=frozenset(loop_links(root)),
        rules=[
            lambda: _transmissions(root, outline), lambda: ros_takes_it(root),
            lambda: shapes_are_shown_as_written(root), lambda: moving_shapes_have_mass(outline),
        ],
        examined=examined,
    )  # fmt: skip
    outline.references.extend(_references(outline))
    return outline


def _link(t: Node, body: RigidInertia | None) -> Link:
    inertial = t.child("inertial")
    # A link whose inertia cannot be read has another finding.
    heavy = inertial is not None and (body is None or any(body))
    return Link(t, t.get("name"), inertial, None if inertial is None else body, heavy)


def _joint(t: Node) -> Joint:
    kind, mimic = t.get("type"), t.child("mimic")
    return Joint(
        t, t.get("name"), kind, MOTIONS.get(kind, Motion.UNKNOWN), _end(t, "parent"), _end(t, "child"),
        endless=kind == "continuous",
        follow=None if mimic is None else Follow(mimic, mimic.get("joint")),
    )  # fmt: skip


def _end(joint: Node, side: str) -> str:
    """The parent or child link of a joint, existing or not; empty if none is named."""
    element = joint.child(side)
    return element.get("link") if element else ""


def _references(outline: Outline) -> Iterator[Reference]:
    """The leaders of joints: the reader leaves such a joint free."""
    for j in outline.joints:
        if j.follow is not None and j.follow.leader and j.motion.has_one_coordinate:
            yield Reference(j.follow.node, "joint", j.follow.leader, outline.joint_named)


def _transmissions(root: Node, outline: Outline) -> Findings:
    """The robot loads without its motors, but they cannot be read."""
    for t in root.children("transmission"):
        for end in t.children("joint"):
            name = end.get("name")
            if not name:
                yield warning(end, "names no joint", 'add name="…"')
            elif name not in outline.joint_named:
                yield tolerated(end.unknown("joint", name, outline.joint_named))


def _words(t: Node) -> Words:
    """The allowed contents of an element with a separate row."""
    words = URDF_WORDS.of("", t.tag)
    assert words is not None
    return words


def _written(links: list[Link], joints: list[Joint]) -> Iterator[Written]:
    """The numbers of the mechanism, in the first element of each kind."""
    for place in (*(j.node for j in joints), *(link.inertial for link in links if link.inertial)):
        for tag in SINGLE[place.tag]:
            element = place.child(tag)
            # Files often give joints that cannot move an axis of zeros or nonsense; it is ignored.
            if element is None or (tag == "axis" and place.get("type") in ("fixed", "floating")):
                continue
            for name, count in _words(element).numbers.items():
                text = element.attributes.get(name)
                if text is not None or tag in REQUIRED:
                    yield Written(element, name, count.least, count.most, count.infinite)


def _meshes(link: Node) -> Iterator[Mesh]:
    shapes = [t for kind in ("visual", "collision") for t in link.children(kind)]
    for shape in shapes:
        for geometry in shape.children("geometry"):
            yield from (Mesh(mesh, mesh.get("filename")) for mesh in geometry.children("mesh"))


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
            yield tolerated(material.unknown("material", name, defined))
    for shape in shapes:
        for geometry in shape.children("geometry"):
            yield from _geometry(geometry)


def moving_shapes_have_mass(outline: Outline) -> Findings:
    """A link that a joint moves, with a shape and without mass: the shape says that it is a body.

    A link that carries nothing else has another finding, and one that is fixed to a body may be part of it.
    """
    carriers = {j.parent for j in outline.joints}
    for link in outline.links:
        above = outline.joint_above.get(link.name)
        moves = above is not None and above.motion not in (Motion.NONE, Motion.UNKNOWN)
        has_shape = any(link.node.child(tag) for tag in TAGS)
        if moves and has_shape and link.inertial is None and link.name in carriers:
            message = "has a shape and moves, and it has no <inertial>: it counts without mass"
            yield warning(link.node, message, "give it one, or take its shape out")


def _color(material: Node) -> Findings:
    for color in material.children("color"):
        text, rgba = color.attributes.get("rgba", ""), numbers(color, "rgba", 4)
        if rgba is None:
            yield warning(color, f'rgba="{quoted(text)}" is not a colour; none is shown', "give 4 numbers from 0 to 1")
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
