"""SDF for the rules: links, joints and frames as they stand in the file, whether they fit together or not."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from sixvec.formats.doctor.finding import Severity
from sixvec.formats.doctor.sheet import (
    Follow,
    Format,
    Inner,
    Joint,
    Limit,
    Link,
    Mesh,
    Motion,
    Reference,
    Sheet,
    parsed,
)
from sixvec.formats.doctor.shown import shown_origins
from sixvec.formats.doctor.source import Tag, error, inside
from sixvec.formats.sdf import rules_shapes, rules_values
from sixvec.formats.sdf.elements import DEFAULT_MASS, HARMLESS, SINGLE, SWITCHES, UNSUPPORTED
from sixvec.formats.sdf.joint import AXES, LONGEST_LIMIT
from sixvec.formats.sdf.mechanism import GEARBOX
from sixvec.formats.sdf.read import ROOT_TAG
from sixvec.formats.sdf.rules_include import included_files
from sixvec.formats.sdf.rules_names import Contents, Found
from sixvec.formats.sdf.rules_values import ENTRIES, LIMITS, number_in
from sixvec.formats.sdf.scope import WORLD_NAME
from sixvec.formats.sdf.words import SDF_WORDS
from sixvec.model import Model
from sixvec.spatial import RigidInertia, Sym3, Vec3

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
DEFAULT_TENSOR = {"ixx": 1.0, "ixy": 0.0, "ixz": 0.0, "iyy": 1.0, "iyz": 0.0, "izz": 1.0}
"""kg m², of what an <inertia> does not give (sdformat.org, <inertial>)."""

NEWEST = (1, 12)


def sdf_sheet(root: Tag, path: Path, model: Model | None, folders: tuple[Path, ...] = ()) -> Sheet:
    """The sheet of an <sdf>; those of the files that it includes are its parts."""
    files = included_files(root, path, folders)
    sheet = _sheet(root, path, model, files.names)
    sheet.problems.extend(files.problems)
    sheet.parts.extend(_sheet(inner, file, None, files.names) for inner, file in files.found if inner.tag == ROOT_TAG)
    return sheet


def _sheet(root: Tag, path: Path, model: Model | None, included: dict[Tag, str]) -> Sheet:
    contents = Contents(root, _version(root), included)
    based, attached = _placed(contents)
    carriers = contents.carriers(attached)
    joints = [_joint(f, contents, carriers) for f in contents.found["joint"] if f.tag.get("type") != GEARBOX]
    return Sheet(
        SDF, root, path, [_link(f) for f in contents.found["link"]], joints,
        names=contents.spaces,
        references=[*_lacking(contents), *contents.references],
        circles=[
            ("attached_to", {f.key: (None, f.tag, attached[f.key]) for f in contents.found["frame"]}),
            ("relative_to", based),
        ],
        meshes=[mesh for f in contents.found["link"] for mesh in _meshes(f.tag)],
        owners=[*_owners(root)],
        written=lambda: rules_values.written(root),
        lengths=lambda: rules_values.lengths(root),
        angles=lambda: rules_values.angles(root),
        origins=lambda: shown_origins(model),
        closed=frozenset(_closed(joints)),
        complete=not contents.merges,
        problems=contents.problems,
        rules=[
            lambda: rules_shapes.poses_are_rotations(root),
            lambda: rules_shapes.inertias_can_be_computed(contents),
            lambda: rules_shapes.gearboxes_have_a_reference(contents),
        ],
    )  # fmt: skip


def _version(root: Tag) -> tuple[int, ...]:
    """The version, which decides about names; the newest where it cannot be read."""
    text = root.get("version")
    return tuple(map(int, text.split(".")[:2])) if re.fullmatch(r"[0-9]{1,3}(\.[0-9]{1,3}){1,2}", text) else NEWEST


def _placed(contents: Contents) -> tuple[dict[str, tuple[Tag | None, Tag, str]], dict[str, str]]:
    """What each pose is relative to, with the element that says so, and what each frame is attached to."""
    based: dict[str, tuple[Tag | None, Tag, str]] = {}
    attached = {frame: on for frame, on in contents.canonical() if on}
    everything = [f for found in contents.found.values() for f in found]
    for f in everything:
        default = f.scope.frame
        if f.tag.tag == "joint":
            default = _end(f, "child", contents)
            _end(f, "parent", contents)
            attached.setdefault(f.key, default)
        elif f.tag.tag == "frame":
            name = f.tag.get("attached_to")
            default = contents.find(None, f.tag, name, f.scope) if name else default
            attached.setdefault(f.key, default)
        pose = f.tag.first("pose")
        name = pose.get("relative_to") if pose else ""
        base = contents.find(f.tag, pose, name, f.scope) if pose and name else default
        based.setdefault(f.key, (f.tag, pose if pose and name else f.tag, base))
    return based, attached


def _end(f: Found, side: str, contents: Contents) -> str:
    """The key of what a joint names as its parent or child; empty if it names none that exists."""
    found = f.tag.first(side)
    if found is None:
        return ""
    if found.text == WORLD_NAME and side == "child":
        problem = error(found, "the child of a joint cannot be the world", "exchange parent and child")
        contents.problems.append(inside(f.tag, problem))
        return ""
    return contents.find(f.tag, found, found.text, f.scope)


def _link(f: Found) -> Link:
    inertial = f.tag.first("inertial")
    if inertial is None or inertial.get("auto").lower() in ("true", "1"):
        return Link(f.tag, f.key, None, None, heavy=True)  # 1 kg, or computed
    tensor, entries = inertial.first("inertia"), []
    for entry in ENTRIES:
        given = tensor is not None and tensor.first(entry) is not None
        entries.append(number_in(tensor, entry) if given else DEFAULT_TENSOR[entry])
    mass = number_in(inertial, "mass") if inertial.first("mass") else DEFAULT_MASS
    if mass is None or None in entries:
        return Link(f.tag, f.key, inertial, None, heavy=True)
    body = RigidInertia(mass, Vec3.zero(), Sym3(*(e for e in entries if e is not None)))
    return Link(f.tag, f.key, inertial, body, any(body))


def _joint(f: Found, contents: Contents, carriers: dict[str, str]) -> Joint:
    kind = f.tag.get("type")
    motion = MOTIONS.get(kind, Motion.UNKNOWN)
    axis = f.tag.first("axis")
    xyz, dynamics = (axis.first(tag) if axis else None for tag in ("xyz", "dynamics"))
    for tag in AXES.get(kind, ()):
        direction = (found.first("xyz") if (found := f.tag.first(tag)) else None) or f.tag
        if direction.get("expressed_in"):
            contents.find(f.tag, direction, direction.get("expressed_in"), f.scope)
    limit = _limit(axis.first("limit")) if axis and axis.first("limit") else None
    parent, child = (f.tag.first(side) for side in ("parent", "child"))
    return Joint(
        f.tag, f.key, kind, motion,
        carriers.get(_key(f, parent), "") if parent else "",
        carriers.get(_key(f, child), "") if child else "",
        has_axis=bool(AXES.get(kind)),
        axis_tag=xyz,
        axis=parsed(xyz.text, 3) if xyz else None,
        limit=limit,
        endless=kind == "continuous",
        follow=_follow(f, axis, contents) if motion.has_one_coordinate else None,
        friction=tuple((dynamics, word, number_in(dynamics, word)) for word in ("damping", "friction") if dynamics),
    )  # fmt: skip


def _key(f: Found, side: Tag) -> str:
    key = f.scope.find(side.text)
    return "" if key == WORLD_NAME and side.tag == "child" else key


def _limit(limit: Tag | None) -> Limit | None:
    """The limits that say something: huge bounds and negative efforts mean none."""
    lower, upper, effort, velocity = (number_in(limit, word) for word in LIMITS)
    lower, upper = (None if x is None or abs(x) >= LONGEST_LIMIT else x for x in (lower, upper))
    effort, velocity = (None if x is None or x < 0.0 else x for x in (effort, velocity))
    return None if limit is None or (lower is None and upper is None) else Limit(limit, lower, upper, effort, velocity)


def _follow(f: Found, axis: Tag | None, contents: Contents) -> Follow | None:
    mimic = axis.first("mimic") if axis else None
    if mimic is None:
        return None
    name = mimic.get("joint")
    leaders = {found.tag.get("name"): found for found in contents.found["joint"] if found.scope is f.scope}
    leader = leaders[name].key if name in leaders else f.scope.find(name)
    if not leader or (name not in leaders and not any(found.key == leader for found in contents.found["joint"])):
        if not f.scope.may_be_elsewhere(name):
            contents.references.append(Reference(f.tag, mimic, "joint", name, [*leaders]))
        return None
    if any(found.key == leader and len(AXES.get(found.tag.get("type"), ())) > 1 for found in leaders.values()):
        return None  # one of two axes leads, which the model does not hold
    return Follow(mimic, leader, number_in(mimic, "multiplier") if mimic.first("multiplier") else 1.0)


def _lacking(contents: Contents) -> Iterator[Reference]:
    """What joints cannot be without."""
    for f in contents.found["joint"]:
        reference = f.tag.first("gearbox_reference_body")
        if f.tag.get("type") == GEARBOX and reference is not None and reference.text:
            contents.find(f.tag, reference, reference.text, f.scope, "link")
        for side in ("parent", "child"):
            if f.tag.first(side) is None:
                yield Reference(None, f.tag, "frame", "", (), lacks=f"<{side}> with the name of a link or frame")
        for axis in AXES.get(f.tag.get("type"), ()):
            if f.tag.first(axis) is None:
                yield Reference(None, f.tag, "axis", "", (), lacks=f"<{axis}> with its <xyz>")


def _meshes(link: Tag) -> Iterator[Mesh]:
    for shape in (t for kind in rules_values.SHAPES for t in link.all(kind)):
        for geometry in shape.all("geometry"):
            for mesh in geometry.all("mesh"):
                uri = mesh.first("uri")
                yield Mesh(link, uri or mesh, uri.text if uri else "")


def _owners(root: Tag) -> Iterator[Inner]:
    waiting = [root]
    while waiting:
        t = waiting.pop()
        switches = [name for parent, name in SWITCHES if parent == t.tag]
        yield Inner(t, (*HARMLESS[t.tag], *UNSUPPORTED[t.tag], *switches), SINGLE)
        waiting += [inner for inner in reversed(t.inside) if inner.tag in HARMLESS]


def _closed(joints: list[Joint]) -> Iterator[str]:
    """The links at which the file itself closes a loop: those that a second joint carries, and what carries them."""
    carried: set[str] = set()
    for j in joints:
        if j.child in carried:
            yield from (j.parent, j.child)
        carried.add(j.child)
