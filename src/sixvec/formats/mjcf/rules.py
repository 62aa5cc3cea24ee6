"""MJCF for the rules: bodies, names and numbers with includes resolved and default classes applied."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from sixvec.formats.doctor import joints
from sixvec.formats.doctor.finding import Findings, error, reader_errors
from sixvec.formats.doctor.meshes import exists, missing
from sixvec.formats.doctor.outline import (
    Follow,
    Format,
    Inner,
    Mesh,
    Outline,
    Reference,
    parsed,
)
from sixvec.formats.folders import Folders
from sixvec.formats.mjcf import rules_elements, rules_motion
from sixvec.formats.mjcf.defaults import Defaults, read_defaults
from sixvec.formats.mjcf.mesh import mesh_name
from sixvec.formats.mjcf.reading import reading_of
from sixvec.formats.mjcf.rules_body import COPIES, WORLD_NAME, Bodies
from sixvec.formats.mjcf.tree import THROUGH, Tree, sections, with_includes
from sixvec.formats.mjcf.words import MJCF_WORDS, NAMED_IN, REFERENCES, REFERENCES_IN, TYPED
from sixvec.formats.node import Node
from sixvec.formats.problems import examining, noting, raise_or_note
from sixvec.quoting import quoted

MJCF = Format("MJCF", "body", rejects_unknown=True, weight_expected=True, vocabulary=MJCF_WORDS)

OF_BODIES = {"body": "body", "joint": "joint", "freejoint": "joint"} | {
    t: t for t in ("geom", "site", "camera", "light")
}
OF_ASSETS = ("mesh", "texture", "material", "hfield")
FILES = ("mesh", "hfield")
MAKES_NAMES = ("model",)
"""Assets whose names come from other files."""

RULES: tuple[Callable[[Bodies], Findings], ...] = (
    rules_elements.names_differ,
    rules_elements.keywords_are_known,
    rules_elements.whole_numbers_are_whole,
    rules_elements.classes_say_things_once,
    rules_elements.textures_come_from_somewhere,
    rules_elements.meshes_have_corners,
    rules_elements.orientations_are_rotations,
    rules_elements.geoms_have_shapes,
    rules_elements.positions_are_metres,
    rules_elements.angles_are_radians,
    rules_motion.ranges_are_degrees,
    rules_motion.balls_start_at_zero,
    rules_motion.inertias_are_given_once,
    rules_motion.moving_bodies_have_inertia,
    rules_motion.equalities_hold_two_things,
    rules_motion.joints_follow_in_no_circle,
    rules_motion.motors_have_a_target,
)
"""The rules specific to this format; that of keyframes needs all joints."""


def outline_of(root: Node, folders: Folders) -> Outline:
    """The outline of a <mujoco>; its includes are resolved."""
    with noting() as noted:
        tree = with_includes(root, folders)
    for problem in noted:
        raise_or_note(problem)
    complete = not noted
    classes = read_defaults(root)
    with examining() as examined:
        reading = reading_of(tree)
    bodies = Bodies(root, classes, reading)
    bodies.follow(_laws(root, classes))
    offered = _names(root, bodies)
    offered["default class"] = dict.fromkeys(classes.classes)
    copies = any(e.node.tag in COPIES for e in bodies.elements) or any(
        t.tag in MAKES_NAMES for _, t in sections(root, "asset")
    )
    meshes = [*_meshes(root, classes, bodies)]
    of_joints = (joints.limits_are_given, joints.followers_can_follow)
    rules = (*RULES, rules_motion.keyframes_have_the_size_of_the_state) if complete and not copies else RULES
    outline = Outline(
        MJCF, root, reading.model, bodies.links, bodies.joints,
        references=[*_references(root, bodies, offered)],
        meshes=meshes,
        owners=[*_owners(root, bodies)],
        written=lambda: rules_elements.written(root),
        closed=frozenset(_closed(root, bodies)),
        complete=complete and not copies,
        rules=[*(partial(rule, bodies) for rule in rules), lambda: _needed_meshes(meshes, bodies, tree)],
        examined=examined,
    )  # fmt: skip
    outline.rules.extend(partial(rule, outline) for rule in of_joints)
    return outline


def _names(root: Node, bodies: Bodies) -> dict[str, dict[str, None]]:
    """The names of each kind of element, in the order of the file."""
    kinds = (*OF_BODIES.values(), *OF_ASSETS, *NAMED_IN.values())
    offered: dict[str, dict[str, None]] = {what: {} for what in kinds}
    offered["body"] = {WORLD_NAME: None} | dict.fromkeys(filter(None, (link.node.get("name") for link in bodies.links)))
    for e in bodies.elements:
        if e.node.tag in OF_BODIES and e.node.get("name"):
            offered[OF_BODIES[e.node.tag]][e.node.get("name")] = None
    for section, t in sections(root, "asset", *NAMED_IN):
        what = NAMED_IN.get(section, t.tag)
        if what in offered:
            # An asset without a name is named after its file.
            offered[what][t.get("name") or (Path(t.get("file")).stem if section == "asset" else "")] = None
    return offered


def _references(root: Node, bodies: Bodies, offered: dict[str, dict[str, None]]) -> Iterator[Reference]:
    """Every name that an attribute refers to."""
    class_kinds = {"class": "default class", "childclass": "default class"}
    named = [(link.node, link.node, class_kinds) for link in bodies.links]
    named += [(e.node, e.full, class_kinds | REFERENCES.get(e.node.tag, {})) for e in bodies.elements]
    named += [(t, t, class_kinds | REFERENCES.get(t.tag, {})) for _, t in sections(root, "asset", "contact")]
    for section, outer in sections(root, *REFERENCES_IN):
        named.append((outer, outer, class_kinds))
        for t in (outer, *outer.inside):
            named.append((t, t, REFERENCES_IN[section]))
            if section == "sensor":
                kinds = {key: t.get(kind) for key, kind in TYPED.items()}
                kinds = {key: "body" if kind == "xbody" else kind for key, kind in kinds.items()}
                named.append((t, t, {key: kind for key, kind in kinds.items() if kind in offered}))
    for t, full, keys in named:
        for key, what in keys.items():
            name = t.get(key) if key in class_kinds else full.get(key)
            if name:
                yield Reference(t, what, name, offered[what], "" if what in (key, class_kinds.get(key)) else key)


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
    """The files of meshes: in their folder next to the main file, or next to the file that names them."""
    folder, home = bodies.compiler.meshdir, Path(root.file).parent
    for _, t in sections(root, "asset"):
        file = classes.resolved(t).get("file").replace("\\", "/")
        if t.tag in FILES and file:
            local_name = Path(file).name if bodies.compiler.strippath else file
            name = str(Path(folder.replace("\\", "/")) / local_name)
            if t.file != root.file and not exists(home / name):
                name = str(Path(t.file).parent.absolute() / local_name)
            yield Mesh(t, name, (t.get("name") or Path(file).stem) in bodies.reading.meshes)


def _needed_meshes(meshes: list[Mesh], bodies: Bodies, tree: Tree) -> Findings:
    """The missing files of inertias; the reader also finds some where MuJoCo does not look, or does not reach them."""
    for t, name, needed in meshes:
        if needed and missing(name, Path(tree.root.file), tree.folders.trusted)[1]:
            full = bodies.classes.resolved(t)
            noted = [*reader_errors(tree.file, full, mesh_name(full, bodies.compiler), bodies.compiler.meshdir)]
            advice = "put it there, where MuJoCo looks for it: the inertia of a body comes from it"
            yield from noted or [error(t, f'"{quoted(name)}": the file does not exist', advice)]


def _owners(root: Node, bodies: Bodies) -> Iterator[Inner]:
    """The elements whose contents the reader knows."""
    yield from (Inner(t, ()) for t in (root, *root.children("worldbody"), *(link.node for link in bodies.links)))
    yield from (Inner(e.node, ()) for e in bodies.elements if e.node.tag in THROUGH)
