"""MJCF for the rules: bodies, names and numbers with includes resolved and default classes applied."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from sixvec.errors import FileFormatError
from sixvec.formats.doctor.finding import Findings, of_error
from sixvec.formats.doctor.meshes import exists
from sixvec.formats.doctor.outline import (
    Follow,
    Format,
    Inner,
    Mesh,
    Names,
    Outline,
    Quantity,
    Reference,
    numbers,
    parsed,
)
from sixvec.formats.folders import Folders
from sixvec.formats.mjcf import rules_elements, rules_motion
from sixvec.formats.mjcf.defaults import Defaults, read_defaults
from sixvec.formats.mjcf.rules_body import COPIES, JOINTS, MOTIONS, WORLD_NAME, Bodies
from sixvec.formats.mjcf.tree import THROUGH, sections, with_includes
from sixvec.formats.mjcf.words import MJCF_WORDS, NAMED_IN, REFERENCES, REFERENCES_IN, SECTIONS, TYPED
from sixvec.formats.node import Node

MJCF = Format("MJCF", "body", tuple(MOTIONS), weight_expected=True, vocabulary=MJCF_WORDS)

IN_BODY = ("body", "frame", *JOINTS, "geom", "site", "inertial", "camera", "light", "plugin", *COPIES)
IN_WORLD = tuple(tag for tag in IN_BODY if tag not in (*JOINTS, "inertial"))
OF_BODIES = {"body": "body", "joint": "joint", "freejoint": "joint"} | {
    t: t for t in ("geom", "site", "camera", "light")
}
OF_ASSETS = ("mesh", "texture", "material", "hfield")
FILES = ("mesh", "hfield")
MAKES_NAMES = ("model",)
"""Assets whose names come from other files."""

RULES: tuple[Callable[[Bodies], Findings], ...] = (
    rules_elements.keywords_are_known,
    rules_elements.whole_numbers_are_whole,
    rules_elements.classes_say_things_once,
    rules_elements.textures_come_from_somewhere,
    rules_elements.meshes_have_corners,
    rules_elements.orientations_are_rotations,
    rules_elements.geoms_have_shapes,
    rules_motion.bodies_are_not_the_world,
    rules_motion.joints_fit_into_bodies,
    rules_motion.balls_start_at_zero,
    rules_motion.inertias_are_given_once,
    rules_motion.moving_bodies_have_inertia,
    rules_motion.equalities_hold_two_things,
    rules_motion.motors_have_a_target,
)
"""The rules specific to this format; that of keyframes needs all joints."""


def outline_of(root: Node, folders: Folders) -> Outline:
    """The outline of a <mujoco>; its includes are resolved."""
    refused: list[FileFormatError] = []
    with_includes(root, folders, refused.append)
    complete = loadable = not refused
    classes = read_defaults(root, refused.append)
    bodies = Bodies(root, classes)
    bodies.follow(_laws(root, classes))
    spaces = _names(root, bodies)
    offered = {what: {name for name, _ in entries} for what, entries in spaces.items()}
    offered["body"].add(WORLD_NAME)
    offered["default class"] = {*classes.classes}
    copies = any(e.node.tag in COPIES for e in bodies.elements) or any(
        t.tag in MAKES_NAMES for _, t in sections(root, "asset")
    )
    rules = (*RULES, rules_motion.keyframes_have_the_size_of_the_state) if complete and not copies else RULES
    return Outline(
        MJCF, root, bodies.links, bodies.joints,
        names=[*(Names(what, entries) for what, entries in spaces.items()), Names("default class", classes.entries)],
        references=[*_references(root, bodies, offered)],
        meshes=[*_meshes(root, classes, bodies)],
        owners=[*_owners(root, bodies)],
        written=lambda: rules_elements.written(root),
        lengths=lambda: _lengths(bodies),
        angles=lambda: iter(()) if bodies.compiler.degrees else _angles(bodies),
        closed=frozenset(_closed(root, bodies)),
        degrees=bodies.compiler.degrees,
        complete=complete and not copies,
        loadable=loadable,
        problems=[*map(of_error, refused), *bodies.problems],
        rules=[partial(rule, bodies) for rule in rules],
    )  # fmt: skip


def _names(root: Node, bodies: Bodies) -> dict[str, list[tuple[str, Node]]]:
    """The namespaces: their kind, and each name with its element."""
    spaces: dict[str, list[tuple[str, Node]]] = {
        what: [] for what in (*OF_BODIES.values(), *OF_ASSETS, *NAMED_IN.values())
    }
    spaces["body"] = [(link.node.get("name"), link.node) for link in bodies.links]
    for e in bodies.elements:
        if e.node.tag in OF_BODIES:
            spaces[OF_BODIES[e.node.tag]].append((e.node.get("name"), e.node))
    for section, t in sections(root, "asset", *NAMED_IN):
        what = NAMED_IN.get(section, t.tag)
        if what in spaces:
            # An asset without a name is named after its file.
            spaces[what].append((t.get("name") or (Path(t.get("file")).stem if section == "asset" else ""), t))
    return spaces


def _references(root: Node, bodies: Bodies, offered: dict[str, set[str]]) -> Iterator[Reference]:
    """Every name that an attribute refers to."""
    classes = "default class"
    for link in bodies.links:
        if link.node.get("childclass"):
            yield Reference(link.node, classes, link.node.get("childclass"), offered[classes])
    placed = [(e.node, e.full) for e in bodies.elements]
    placed += [(t, t) for _, t in sections(root, "asset", "contact")]
    for t, full in placed:
        for key in ("class", "childclass"):
            if t.get(key):
                yield Reference(t, classes, t.get(key), offered[classes])
        for attribute, what in REFERENCES.get(t.tag, {}).items():
            if full.get(attribute):
                yield Reference(t, what, full.get(attribute), offered[what])
    for section, outer in sections(root, *REFERENCES_IN):
        if outer.get("class"):
            yield Reference(outer, classes, outer.get("class"), offered[classes])
        for t in (outer, *outer.inside):
            for attribute, what in REFERENCES_IN[section].items():
                if t.get(attribute):
                    yield Reference(t, what, t.get(attribute), offered[what])
            for attribute, kind in TYPED.items():
                what = t.get(kind).removeprefix("x") if t.get(kind) == "xbody" else t.get(kind)
                if section == "sensor" and t.get(attribute) and what in offered:
                    yield Reference(t, what, t.get(attribute), offered[what])


def _laws(root: Node, classes: Defaults) -> dict[str, Follow]:
    """For each joint that follows another by an equality, that equality; a second one closes a loop instead."""
    laws: dict[str, Follow] = {}
    for _, t in sections(root, "equality"):
        full = classes.resolved(t)
        follower, leader = full.get("joint1"), full.get("joint2")
        words = full.get("polycoef").split() or ["0", "1"]
        law = parsed(" ".join(words), len(words))
        linear = law is not None and not any(law[2:])
        if t.tag == "joint" and follower and leader not in ("", follower) and linear and full.get("active") != "false":
            laws.setdefault(follower, Follow(t, leader, law[1] if law and len(law) > 1 else 1.0))
    return laws


def _closed(root: Node, bodies: Bodies) -> Iterator[str]:
    """The bodies of each connect or weld."""
    of_site = {e.node.get("name"): e.body_name for e in bodies.elements if e.node.tag == "site"}
    for _, t in sections(root, "equality"):
        yield from (t.get(key) for key in ("body1", "body2") if t.get(key))
        yield from (of_site[t.get(key)] for key in ("site1", "site2") if t.get(key) in of_site)


def _meshes(root: Node, classes: Defaults, bodies: Bodies) -> Iterator[Mesh]:
    """The files of meshes: in their folder beside the main file, or beside the file that names them."""
    folder, home = bodies.compiler.meshdir, Path(root.file).parent
    for _, t in sections(root, "asset"):
        file = classes.resolved(t).get("file").replace("\\", "/")
        if t.tag in FILES and file:
            own = Path(file).name if bodies.compiler.strippath else file
            name = str(Path(folder.replace("\\", "/")) / own)
            if t.file != root.file and not exists(home / name):
                name = str(Path(t.file).parent.absolute() / own)
            yield Mesh(t, name, (t.get("name") or Path(file).stem) in bodies.needed)


def _owners(root: Node, bodies: Bodies) -> Iterator[Inner]:
    yield Inner(root, SECTIONS)
    yield from (Inner(section, IN_WORLD) for section in root.children("worldbody"))
    yield from (Inner(link.node, IN_BODY, ("inertial",)) for link in bodies.links)
    for e in bodies.elements:
        if e.node.tag in THROUGH:
            yield Inner(e.node, IN_BODY if e.body else IN_WORLD)


def _lengths(bodies: Bodies) -> Iterator[Quantity]:
    """Positions of bodies on bodies; elements of the world may be far away."""
    for link in bodies.links:
        values = numbers(link.node, "pos", 3)
        if values and bodies.parents[link.node] != WORLD_NAME:
            yield Quantity(link.node, values)
    for e in bodies.elements:
        values = numbers(e.full, "pos", 3) if e.node.tag in ("inertial", "joint") else None
        if values:
            yield Quantity(e.node, values)


def _angles(bodies: Bodies) -> Iterator[Quantity]:
    for t in (*(link.node for link in bodies.links), *(e.node for e in bodies.elements)):
        euler, about = numbers(t, "euler", 3), numbers(t, "axisangle", 4)
        values = (euler or ()) + (about[3:] if about else ())
        if values:
            yield Quantity(t, values)
