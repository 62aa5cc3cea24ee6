"""SDF for the rules: its elements file by file, and the links and joints of all files as the reader connects them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial

from sixvec.formats.doctor import joints
from sixvec.formats.doctor.finding import Findings, reader_errors, tolerated, warning
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
)
from sixvec.formats.folders import Folders
from sixvec.formats.node import Node
from sixvec.formats.problems import attempt, examining, stop_if_noted
from sixvec.formats.sdf import rules_values
from sixvec.formats.sdf.elements import HARMLESS, SWITCHES, UNSUPPORTED
from sixvec.formats.sdf.joint import AXES
from sixvec.formats.sdf.mechanism import GEARBOX, Mechanism
from sixvec.formats.sdf.places import NamedElement
from sixvec.formats.sdf.read import ROOT_TAG, finished, mechanism_of
from sixvec.formats.sdf.rules_values import number_in
from sixvec.formats.sdf.words import SDF_WORDS
from sixvec.model import Model

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
SDF = Format("SDF", "link", vocabulary=SDF_WORDS)


def outline_of(root: Node, folders: Folders) -> Outline:
    """The outline of an <sdf>; the elements of included files are its parts."""
    written = root.deep_copy() if next(root.iter("include"), None) else root  # the reader replaces includes
    with examining() as examined:
        mechanism = attempt(None, mechanism_of, root, folders)
    outline = _outline(written, partial(_model, root, mechanism))
    outline.examined.update(examined)
    if mechanism is not None:
        outline.links.extend(_link(f, mechanism) for f in mechanism.contents.links)
        joint_elements = (f for f in mechanism.contents.joints if f.node.get("type") != GEARBOX)
        outline.joints.extend(_joint(f, mechanism) for f in joint_elements)
        outline.references.extend(_leaders(mechanism))
        outline.rules.extend(partial(rule, outline) for rule in (joints.limits_are_given, joints.followers_can_follow))
        outline.rules.append(lambda: _gearboxes(mechanism))
        left_out = mechanism.contents.unsupported.left_out
        outline.problems.extend(tolerated(item.problem) for item in left_out if item.problem)
    inner = [file for file in folders.parsed if file.tag == ROOT_TAG]
    outline.parts.extend(_outline(file, outline.model) for file in inner)
    return replace(outline, closed=frozenset(_closed(outline.joints)))


def _model(root: Node, mechanism: Mechanism | None) -> Model:
    if mechanism is None:
        stop_if_noted()
    assert mechanism is not None
    return finished(root, mechanism)


def _outline(root: Node, model: Callable[[], Model]) -> Outline:
    """The outline of the elements of one file."""
    return Outline(
        SDF, root, model,
        meshes=[mesh for link in root.iter("link") for mesh in _meshes(link)],
        owners=[*_owners(root)],
        written=lambda: rules_values.written(root),
        rules=[lambda: rules_values.poses_are_rotations(root), lambda: rules_values.shapes_have_sizes(root)],
    )  # fmt: skip


def _link(f: NamedElement, mechanism: Mechanism) -> Link:
    body = mechanism.masses[f.key]
    return Link(f.node, mechanism.name(f.key), f.node.child("inertial"), body, heavy=body is None or any(body))


def _joint(f: NamedElement, mechanism: Mechanism) -> Joint:
    kind = f.node.get("type")
    motion = MOTIONS.get(kind, Motion.UNKNOWN)
    axis = f.node.child("axis")
    ends = {c.joint.key: (c.parent, c.child) for c in mechanism.connections if c.joint}
    parent, child = map(mechanism.name, ends.get(f.key, ("", "")))
    return Joint(
        f.node, mechanism.name(f.key), kind, motion, parent, child,
        bounds=() if f.key in mechanism.limited else None,
        endless=kind == "continuous",
        follow=_follow(f, axis, mechanism) if motion.has_one_coordinate else None,
    )  # fmt: skip


def _follow(f: NamedElement, axis: Node | None, mechanism: Mechanism) -> Follow | None:
    """The law of a joint; not if one of two axes leads, which the model does not represent."""
    mimic = axis.child("mimic") if axis else None
    leader = next((j for j in mechanism.contents.joints if mimic and j.key == f.scope.find(mimic.get("joint"))), None)
    if mimic is None or leader is None or len(AXES.get(leader.node.get("type"), ())) > 1:
        return None
    factor = number_in(mimic, "multiplier") if mimic.child("multiplier") else 1.0
    return Follow(mimic, mechanism.name(leader.key), factor)


def _leaders(mechanism: Mechanism) -> Iterator[Reference]:
    """The joints that others follow: the reader leaves out a law that names something else."""
    for f in mechanism.contents.joints:
        axis = f.node.child("axis")
        mimic = axis.child("mimic") if axis else None
        if mimic and f.scope.find(mimic.get("joint")):
            joints = {j.node.get("name"): None for j in mechanism.contents.joints if j.scope is f.scope}
            named = [j for j in mechanism.contents.joints if j.key == f.scope.find(mimic.get("joint"))]
            if not named:
                yield Reference(mimic, "joint", mimic.get("joint"), joints)


def _gearboxes(mechanism: Mechanism) -> Findings:
    """The link to which both axes of a gearbox are relative; simulators need it."""
    for f in mechanism.contents.joints:
        if f.node.get("type") == GEARBOX:
            reference = f.node.child("gearbox_reference_body")
            if reference is None or not reference.value:
                message = "a gearbox without <gearbox_reference_body>"
                yield warning(f.node, message, "name the link that carries both of its axes")
            else:
                yield from reader_errors(mechanism.places.find, f.scope, reference.value, reference, "link")
            for side in ("parent", "child"):
                yield from reader_errors(mechanism.end, f, side, numbers=True)


def _meshes(link: Node) -> Iterator[Mesh]:
    for shape in (t for kind in rules_values.SHAPES for t in link.children(kind)):
        for geometry in shape.children("geometry"):
            for mesh in geometry.children("mesh"):
                uri = mesh.child("uri")
                yield Mesh(uri or mesh, uri.value if uri else "")


def _owners(root: Node) -> Iterator[Inner]:
    for t in root.within(HARMLESS):
        switches = [name for parent, name in SWITCHES if parent == t.tag]
        yield Inner(t, (*HARMLESS[t.tag], *UNSUPPORTED[t.tag], *switches))


def _closed(joints: list[Joint]) -> Iterator[str]:
    """The links at which the file itself closes a loop: those that a second joint carries, and what carries them."""
    carried: set[str] = set()
    for j in joints:
        if j.child in carried:
            yield from (j.parent, j.child)
        carried.add(j.child)
