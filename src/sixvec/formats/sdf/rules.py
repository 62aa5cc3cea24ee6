"""SDF for the rules: links, joints and frames as written in the file, consistent or not."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from sixvec.formats.doctor.finding import Severity, error
from sixvec.formats.doctor.outline import (
    Follow,
    Format,
    Inner,
    Joint,
    Limit,
    Link,
    Mesh,
    Motion,
    Outline,
    Reference,
    parsed,
    readable,
)
from sixvec.formats.folders import Folders
from sixvec.formats.node import Node
from sixvec.formats.sdf import rules_values
from sixvec.formats.sdf.elements import HARMLESS, SINGLE, SWITCHES, UNSUPPORTED, central_inertia, read_version
from sixvec.formats.sdf.joint import AXES, LONGEST_LIMIT
from sixvec.formats.sdf.mechanism import GEARBOX
from sixvec.formats.sdf.places import WORLD_NAME, Found
from sixvec.formats.sdf.read import ROOT_TAG
from sixvec.formats.sdf.rules_names import Contents, included_files
from sixvec.formats.sdf.rules_values import number_in
from sixvec.formats.sdf.words import SDF_WORDS

MOTIONS = {
    "revolute": Motion.TURN,
    "continuous": Motion.TURN,
    "prismatic": Motion.SLIDE,
    "screw": Motion.TURN,
    "universal": Motion.SEVERAL,
    "revolute2": Motion.SEVERAL,
    "ball": Motion.SEVERAL,
    "fixed": Motion.NONE,
}
SDF = Format("SDF", "link", (*MOTIONS, GEARBOX), unknown_elements=Severity.WARNING, vocabulary=SDF_WORDS)
NEWEST = (1, 12)


def outline_of(root: Node, folders: Folders) -> Outline:
    """The outline of an <sdf>; those of included files are its parts."""
    files = included_files(root, folders)
    outline = _outline(root, files.names)
    outline.problems.extend(files.problems)
    outline.parts.extend(_outline(inner, files.names) for inner in files.found if inner.tag == ROOT_TAG)
    return outline


def _outline(root: Node, included: dict[Node, str]) -> Outline:
    # The version determines the rules for names.
    contents = Contents(root, readable(partial(read_version, root)) or NEWEST, included)
    based, attached = _placed(contents)
    carriers = contents.carriers(attached)
    joints = [_joint(f, contents, carriers) for f in contents.found["joint"] if f.node.get("type") != GEARBOX]
    return Outline(
        SDF, root, [_link(f) for f in contents.found["link"]], joints,
        names=contents.spaces,
        references=[*_lacking(contents), *contents.references],
        circles=[
            ("attached_to", {f.key: (f.node, attached[f.key]) for f in contents.found["frame"]}),
            ("relative_to", based),
        ],
        meshes=[mesh for f in contents.found["link"] for mesh in _meshes(f.node)],
        owners=[*_owners(root)],
        written=lambda: rules_values.written(root),
        lengths=lambda: rules_values.lengths(root),
        angles=lambda: rules_values.angles(root),
        closed=frozenset(_closed(joints)),
        complete=not contents.merges,
        problems=contents.problems,
        rules=[
            lambda: rules_values.poses_are_rotations(root),
            lambda: rules_values.inertias_can_be_computed(contents),
            lambda: rules_values.gearboxes_have_a_reference(contents),
        ],
    )  # fmt: skip


def _placed(contents: Contents) -> tuple[dict[str, tuple[Node, str]], dict[str, str]]:
    """The reference of each pose, with its element, and the attachment of each frame."""
    based: dict[str, tuple[Node, str]] = {}
    attached = {frame: on for frame, on in contents.canonical() if on}
    everything = [f for found in contents.found.values() for f in found]
    for f in everything:
        default = f.scope.frame
        if f.node.tag == "joint":
            default = _end(f, "child", contents)
            _end(f, "parent", contents)
            attached.setdefault(f.key, default)
        elif f.node.tag == "frame":
            name = f.node.get("attached_to")
            default = contents.find(f.node, name, f.scope) if name else default
            attached.setdefault(f.key, default)
        pose = f.node.child("pose")
        name = pose.get("relative_to") if pose else ""
        base = contents.find(pose, name, f.scope) if pose and name else default
        based.setdefault(f.key, (pose if pose and name else f.node, base))
    return based, attached


def _end(f: Found, side: str, contents: Contents) -> str:
    """The key of a joint's parent or child; empty if it does not exist."""
    found = f.node.child(side)
    if found is None:
        return ""
    if found.value == WORLD_NAME and side == "child":
        problem = error(found, "the child of a joint cannot be the world", "exchange parent and child")
        contents.problems.append(problem)
        return ""
    return contents.find(found, found.value, f.scope)


def _link(f: Found) -> Link:
    inertial = f.node.child("inertial")
    if inertial is None or inertial.get("auto").lower() in ("true", "1"):
        return Link(f.node, f.key, None, None, heavy=True)  # 1 kg, or computed
    body = readable(partial(central_inertia, inertial))
    return Link(f.node, f.key, inertial, body, heavy=body is None or any(body))


def _joint(f: Found, contents: Contents, carriers: dict[str, str]) -> Joint:
    kind = f.node.get("type")
    motion = MOTIONS.get(kind, Motion.UNKNOWN)
    axis = f.node.child("axis")
    xyz, dynamics = (axis.child(tag) if axis else None for tag in ("xyz", "dynamics"))
    for tag in AXES.get(kind, ()):
        direction = (found.child("xyz") if (found := f.node.child(tag)) else None) or f.node
        if direction.get("expressed_in"):
            contents.find(direction, direction.get("expressed_in"), f.scope)
    limit = _limit(axis.child("limit")) if axis and axis.child("limit") else None
    parent, child = (f.node.child(side) for side in ("parent", "child"))
    return Joint(
        f.node, f.key, kind, motion,
        carriers.get(_key(f, parent), "") if parent else "",
        carriers.get(_key(f, child), "") if child else "",
        has_axis=bool(AXES.get(kind)),
        axis_node=xyz,
        axis=parsed(xyz.value, 3) if xyz else None,
        limit=limit,
        endless=kind == "continuous",
        follow=_follow(f, axis, contents) if motion.has_one_coordinate else None,
        friction=tuple((dynamics, word, number_in(dynamics, word)) for word in ("damping", "friction") if dynamics),
    )  # fmt: skip


def _key(f: Found, side: Node) -> str:
    key = f.scope.find(side.value)
    return "" if key == WORLD_NAME and side.tag == "child" else key


def _limit(limit: Node | None) -> Limit | None:
    """The effective limits: huge bounds and negative efforts mean unlimited."""
    lower, upper, effort, velocity = (number_in(limit, word) for word in ("lower", "upper", "effort", "velocity"))
    lower, upper = (None if x is None or abs(x) >= LONGEST_LIMIT else x for x in (lower, upper))
    effort, velocity = (None if x is None or x < 0.0 else x for x in (effort, velocity))
    return None if limit is None or (lower is None and upper is None) else Limit(limit, lower, upper, effort, velocity)


def _follow(f: Found, axis: Node | None, contents: Contents) -> Follow | None:
    mimic = axis.child("mimic") if axis else None
    if mimic is None:
        return None
    name = mimic.get("joint")
    leaders = {found.node.get("name"): found for found in contents.found["joint"] if found.scope is f.scope}
    leader = leaders[name].key if name in leaders else f.scope.find(name)
    if not leader or (name not in leaders and not any(found.key == leader for found in contents.found["joint"])):
        if not f.scope.may_be_elsewhere(name):
            contents.references.append(Reference(mimic, "joint", name, [*leaders]))
        return None
    if any(found.key == leader and len(AXES.get(found.node.get("type"), ())) > 1 for found in leaders.values()):
        return None  # one of two axes leads, which the model does not represent
    return Follow(mimic, leader, number_in(mimic, "multiplier") if mimic.child("multiplier") else 1.0)


def _lacking(contents: Contents) -> Iterator[Reference]:
    """Required elements of joints."""
    for f in contents.found["joint"]:
        reference = f.node.child("gearbox_reference_body")
        if f.node.get("type") == GEARBOX and reference is not None and reference.value:
            contents.find(reference, reference.value, f.scope, "link")
        for side in ("parent", "child"):
            if f.node.child(side) is None:
                yield Reference(f.node, "frame", "", (), lacks=f"<{side}> with the name of a link or frame")
        for axis in AXES.get(f.node.get("type"), ()):
            if f.node.child(axis) is None:
                yield Reference(f.node, "axis", "", (), lacks=f"<{axis}> with its <xyz>")


def _meshes(link: Node) -> Iterator[Mesh]:
    for shape in (t for kind in rules_values.SHAPES for t in link.children(kind)):
        for geometry in shape.children("geometry"):
            for mesh in geometry.children("mesh"):
                uri = mesh.child("uri")
                yield Mesh(uri or mesh, uri.value if uri else "")


def _owners(root: Node) -> Iterator[Inner]:
    for t in root.within(HARMLESS):
        switches = [name for parent, name in SWITCHES if parent == t.tag]
        yield Inner(t, (*HARMLESS[t.tag], *UNSUPPORTED[t.tag], *switches), SINGLE)


def _closed(joints: list[Joint]) -> Iterator[str]:
    """The links at which the file itself closes a loop: those that a second joint carries, and what carries them."""
    carried: set[str] = set()
    for j in joints:
        if j.child in carried:
            yield from (j.parent, j.child)
        carried.add(j.child)
