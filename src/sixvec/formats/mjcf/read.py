"""MJCF, the model format of MuJoCo: bodies inside bodies, each with its joints.

Positions q are MuJoCo's, joint by joint in its order (depth first), except that quaternions have their scalar last; the
configuration of the file has each joint at its `ref`.  A body with several joints becomes a chain of bodies without
mass, named <body>/<joint>, that ends in the body itself.  A body of the model has its origin at its last joint; the
*frame* with the body's name is the frame of the file.  Sites are frames too.  A free body is at the origin when q is
neutral; the configuration of the file is the keyframe "qpos0".  Equalities become mimic joints and closures.  Contacts,
actuators, tendons and keyframes are data of the model.  Physics that it cannot represent is listed in one
`UnsupportedPhysics` warning.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path

from sixvec.errors import FileFormatError, UnknownInertia
from sixvec.formats.folders import Folders
from sixvec.formats.mjcf.actuator import Driven, read_actuators
from sixvec.formats.mjcf.compiler import BOOLEANS, Compiler, choice, read_compiler, read_gravity, read_options
from sixvec.formats.mjcf.contact import read_contact_rules
from sixvec.formats.mjcf.defaults import Assets, Defaults, read_defaults
from sixvec.formats.mjcf.equality import GROUND, Equalities, Joints, Places, only_equated, read_equalities
from sixvec.formats.mjcf.geoms import Geoms
from sixvec.formats.mjcf.inertia import Inertias, with_total_mass
from sixvec.formats.mjcf.joint import (
    JointInBody,
    anchored,
    behind,
    read_joint,
    read_limits,
    require_possible_joints,
    unreadable_joint,
    without_disabled,
)
from sixvec.formats.mjcf.keyframe import read_keyframes
from sixvec.formats.mjcf.names import require_different_names
from sixvec.formats.mjcf.pose import IDENTITY, fromto, moved, pose
from sixvec.formats.mjcf.replicate import TAG as REPLICATE
from sixvec.formats.mjcf.replicate import replicated
from sixvec.formats.mjcf.tendon import Route, read_tendons
from sixvec.formats.mjcf.tree import Tree, content, sections, with_includes
from sixvec.formats.mjcf.words import SECTIONS, UNREAD
from sixvec.formats.names import free_name
from sixvec.formats.node import Node
from sixvec.formats.problems import attempt, raise_or_note, stop_if_noted
from sixvec.formats.unsupported import Unsupported, located
from sixvec.model import STANDARD_GRAVITY, WORLD, Body, Frame, Model
from sixvec.model.actuator import targets
from sixvec.model.coupling import coupling, is_coupled
from sixvec.model.edits.floating import with_free_root
from sixvec.model.joints import Fixed
from sixvec.spatial import Pose, Quaternion, RigidInertia, Vec3

JOINTS = ("joint", "freejoint")
KNOWN = ("body", "frame", *JOINTS, "geom", "site", "inertial")
NOT_BODIES = ("camera", "light", "plugin")
APPLIED = frozenset({"gravity", "equality", "spring", "damper", "frictionloss", "contact", "filterparent"})
"""Flags whose effect is in the bodies, closures and contact rules of the model."""

MADE_ELSEWHERE = ("composite", "flexcomp", "attach")
"""Elements that generate bodies which are not in the file."""


def model_of(root: Node, folders: Folders, *, floating: bool = False, gravity: Vec3 | None = None) -> Model:
    """The robot that a <mujoco> element of a file describes."""
    return Reader(with_includes(root, folders)).model(floating, gravity)


@dataclass(frozen=True)
class _Place:
    """A body element, the body of the model that carries it, and its frame there."""

    node: Node
    parent: str | None
    X: Pose
    childclass: str
    shown: Pose
    """The parent frame of the element, in the world, in the configuration of the file."""


@dataclass
class _Content:
    """The contents of a body, each with the pose of the <frame>s around it and its default class."""

    joints: list[JointInBody] = field(default_factory=list)
    geoms: list[tuple[Node, Pose]] = field(default_factory=list)
    sites: list[tuple[str, Pose]] = field(default_factory=list)
    bodies: list[tuple[Node, Pose, str]] = field(default_factory=list)
    inertial: tuple[Node, Pose] | None = None


class Reader:
    """The conversion of one file to a model."""

    def __init__(self, tree: Tree) -> None:
        self.tree, root = tree, tree.root
        self.unsupported = Unsupported()
        self.compiler: Compiler = read_compiler(root, self.unsupported)
        require_different_names(root)
        if replicated(root, self.compiler):
            require_different_names(root)
        self.defaults: Defaults = read_defaults(root)
        self.assets = Assets(root, self.defaults)
        self.inertias = Inertias(self.tree, self.compiler, self.assets, self.unsupported)
        self.taken = {GROUND} | {name for e in root.iter("body") if (name := e.attributes.get("name"))}
        self.bodies: list[Body] = []
        self.frames = [Frame(GROUND, WORLD)]
        self.sites: list[Frame] = []
        self.shown: dict[str, Pose] = {GROUND: IDENTITY}
        paired = {node.get(key) for _, node in sections(root, "contact") for key in ("geom1", "geom2")} - {""}
        self.geoms = Geoms(self.tree, self.compiler, self.assets, self.unsupported, frozenset(paired))
        self.joints: Joints = {}
        self.nodes: dict[str, Node] = {}
        self.masses: dict[Node, RigidInertia | None] = {}
        """The inertia of each body by its element; None where it is not known."""
        self.joint_of: dict[Node, JointInBody] = {}
        """Each joint by its element."""
        self.count = 0
        self.floating = False
        self.still: set[str] = set()
        """The bodies that no joint can move."""
        self.at: dict[str, tuple[float, ...]] = {}
        """The position of each joint in the file, by the body of the model."""
        self.complete = self.tree.complete and not any(node.tag == "model" for _, node in sections(root, "asset"))
        """Whether all bodies are in the file, and so all names."""

    def model(self, floating: bool, gravity: Vec3 | None) -> Model:
        root, self.floating = self.tree.root, floating
        _list_unread(root, self.unsupported)
        down = attempt(STANDARD_GRAVITY, read_gravity, root, self.unsupported)
        self._world()
        sites, options = self._sites(), read_options(root)
        places = Places({f.name: f for f in self.frames}, self.shown, sites)
        equal = Equalities()
        if "equality" not in options.disabled:
            equal = read_equalities(root, self.defaults, self.joints, places, self.unsupported)
        named = {g.name: g for g in self.geoms.geoms if g.name}
        route = Route(self.joints, sites, named, self.complete)
        tendons = read_tendons(
            root, self.defaults, route, self.compiler, self.unsupported, only_equated(root, self.defaults)
        )
        driven = Driven(self.joints, tendons, sites, self.complete)
        actuators = read_actuators(root, self.defaults, driven, self.compiler, self.unsupported)
        rules = read_contact_rules(
            root, self.defaults, self.shown, named, options.disabled, self.unsupported, complete=self.complete
        )
        limits_of = read_limits(root, {name: (j.joint, j.limits) for name, (_, j) in self.joints.items()})
        self.unsupported.stop_if_noted(root.where)
        limits = {body: limits_of[name] for name, (body, _) in self.joints.items()}
        inertias = [b.inertia for b in self.bodies]
        if self.compiler.settotalmass > 0.0:
            inertias = with_total_mass(inertias, self.compiler.settotalmass)
        bodies = tuple(
            replace(
                b,
                inertia=inertia,
                mimic=equal.followers.get(b.name),
                limits=limits.get(b.name, b.limits),
                dynamics=without_disabled(b.dynamics, options.disabled),
            )
            for b, inertia in zip(self.bodies, inertias, strict=True)
        )
        keyframes = read_keyframes(root, bodies, self.at, actuators, self.unsupported, complete=self.complete)
        name = root.attributes.get("model") or Path(root.where).stem
        needed = {frame for t in tendons.values() for frame in t.frames}
        needed |= {frame for a in actuators for kind, frame in targets(a) if kind == "frame"}
        needed_sites = (f for f in sites.values() if f.name not in equal.spare or f.name in needed)
        frames = (*self.frames, *needed_sites, *equal.frames.values())
        with located(root, self.nodes, name):
            model = Model(
                name,
                bodies,
                frames,
                down if gravity is None else gravity,
                (),
                tuple(equal.closures),
                tuple(self.geoms.geoms),
                tendons=tuple(tendons.values()),
                actuators=actuators,
                contact=rules,
                keyframes=keyframes,
                simulation=replace(options, disabled=tuple(sorted({*options.disabled} - APPLIED))),
            )
            if is_coupled(model):
                coupling(model)  # cyclic followers are an error of the file, raised here
        self.unsupported.warn(root.where)
        return self._floating(model) if floating else model

    def _sites(self) -> dict[str, Frame]:
        """The frames of the sites by their names; a name already used gets a suffix that marks a site."""
        taken = {f.name for f in self.frames}
        sites: dict[str, Frame] = {}
        for f in self.sites:
            name = _unused(f"{f.name} (site)", taken) if f.name in taken else f.name
            taken.add(name)
            sites[f.name if f.name not in sites else name] = replace(f, name=name)
        return sites

    def _floating(self, model: Model) -> Model:
        if not model.bodies:
            raise self.tree.root.error("floating=True needs a body, and the <worldbody> has none")
        root = model.bodies[0]
        if root.joint.is_free:
            return model
        if not root.joint.is_fixed:
            raise self.tree.root.error(
                f'floating=True needs a first body without joints, and "{root.name}" has some', "leave it out"
            )
        return with_free_root(model)

    def _world(self) -> None:
        """All bodies, depth first in the order of the file.  A stack: trees may be deeper than Python's."""
        waiting: list[_Place] = []
        sections = list(self.tree.root.children("worldbody"))
        if not sections:
            stop_if_noted()  # it may be in a file that cannot be read
            problem: FileFormatError = self.tree.root.error(
                "has no <worldbody>, and so no bodies", "add <worldbody> with a <body>"
            )
            self.unsupported.add("a world: the file has no <worldbody>", problem=problem)
        for section in sections:
            contents = self._content(section, "")
            if contents.joints or contents.inertial:
                raise_or_note(section.error("the world has no joints and no inertia", "put them into a <body>"))
            self._add_sites(contents, WORLD, IDENTITY)
            self.geoms.add(GROUND, contents.geoms)
            waiting += [_Place(node, WORLD, X, childclass, X) for node, X, childclass in contents.bodies]
        waiting.reverse()
        while waiting:
            waiting.extend(reversed(self._body(waiting.pop())))

    def _body(self, place: _Place) -> list[_Place]:
        """Add a body with its joints, frames and sites; returns its children."""
        node = place.node
        self.count += 1
        name = node.attributes.get("name") or _unused(f"body{self.count}", self.taken)
        contents = self._content(node, place.childclass)
        self.joint_of.update((j.node.written, j) for j in contents.joints)
        attempt(None, require_possible_joints, contents.joints, place.parent)
        if node.attributes.get("gravcomp", "0").strip() not in ("0", ""):
            self.unsupported.add("gravcomp of a body", node)
        if attempt(False, choice, node, "mocap", BOOLEANS, False):
            self.unsupported.add("mocap body (does not move)", node)
        self.nodes[name] = node
        placement = attempt(IDENTITY, pose, node, self.compiler)
        shown = self.shown[name] = moved(place.shown, placement)
        offset = self._chain(name, place.parent, moved(place.X, placement), contents.joints)
        inertia = attempt(RigidInertia.zero(), self._inertia, name, place, contents)
        self.bodies[-1] = replace(self.bodies[-1], inertia=moved(offset, inertia))
        self.frames.append(Frame(name, name, offset))
        self._add_sites(contents, name, offset)
        self.geoms.add(name, contents.geoms)
        return [
            _Place(inner, name, moved(offset, X), childclass, moved(shown, X))
            for inner, X, childclass in contents.bodies
        ]

    def _inertia(self, name: str, place: _Place, contents: _Content) -> RigidInertia:
        """The inertia of a body; an unknown inertia of a body that never moves does not matter."""
        self.masses[place.node.written] = None
        stands = not contents.joints and (place.parent is WORLD or place.parent in self.still)
        if stands:
            self.still.add(name)
        try:
            inertia = self.inertias.of_body(place.node, contents.inertial, contents.geoms)
        except UnknownInertia:
            if not stands or self.floating or self.compiler.settotalmass > 0.0:
                raise
            self.unsupported.add("geom without a known inertia (its body does not move)", place.node)
            return RigidInertia.zero()
        self.masses[place.node.written] = inertia
        return inertia

    def _chain(self, name: str, parent: str | None, X: Pose, joints: list[JointInBody]) -> Pose:
        """Add a body for each joint, the last one named for the body; returns the file's frame in it."""
        if not joints:
            self.bodies.append(Body(name, parent, Fixed(), X))
            return IDENTITY
        for number, j in enumerate(joints, 1):
            last = number == len(joints)
            body = name if last else _unused(f"{name}/{j.name or f'joint{number}'}", self.taken)
            self.nodes.setdefault(body, j.node)
            placement = IDENTITY if j.joint.is_free else anchored(X, j)
            self.bodies.append(
                Body(body, parent, j.joint, placement, RigidInertia.zero(), j.name, j.limits, j.dynamics)
            )
            self.at[body] = _file_position(j, X)
            if j.name:
                self.joints[j.name] = body, j
            parent, X = body, behind(j)
        return X

    def _add_sites(self, contents: _Content, body: str | None, offset: Pose) -> None:
        self.sites += [Frame(name, body, moved(offset, X)) for name, X in contents.sites]

    def _content(self, body: Node, childclass: str) -> _Content:
        """The contents of a body, including those of its <frame>s."""
        inside, X = _Content(), {body: IDENTITY}
        for node, class_name, around in content(body, childclass):
            if node.tag == "frame":
                X[node] = moved(X[around], attempt(IDENTITY, pose, node, self.compiler))
            elif node.tag == "body":
                inside.bodies.append((node, X[around], class_name))
            else:
                attempt(None, self._element, inside, node, X[around], class_name)
        return inside

    def _element(self, contents: _Content, node: Node, X: Pose, childclass: str) -> None:
        if node.tag in MADE_ELSEWHERE:
            self.complete = False
            self.unsupported.add(f"{node.tag} (its bodies are missing)", node)
        elif node.tag == "inertial":
            if contents.inertial is not None:
                raise node.error("is the second <inertial> of this body", "give one")
            contents.inertial = node, X
        elif node.tag in KNOWN:
            full = self.defaults.resolved(node, childclass)
            if node.tag in JOINTS:
                joint = attempt(None, read_joint, full, X, self.compiler, self.unsupported)
                contents.joints.append(joint or unreadable_joint(full))
            elif node.tag == "geom":
                contents.geoms.append((full, X))
            elif node.has("name"):
                placement = fromto(full)[0] if full.has("fromto") else pose(full, self.compiler)
                contents.sites.append((node.text("name"), moved(X, placement)))
        elif node.tag not in NOT_BODIES:
            raise node.unknown("element", node.tag, (*KNOWN, REPLICATE, *NOT_BODIES, *MADE_ELSEWHERE), "a body")


def _file_position(j: JointInBody, X: Pose) -> tuple[float, ...]:
    """The coordinates of a joint where the file shows the robot; X is the pose of a free body."""
    if j.joint.is_free:
        return (*X.pos, *Quaternion.from_rotation(X.rot).normalized())
    return j.joint.neutral() if j.joint.quaternion else (j.ref,)


def _unused(name: str, taken: set[str]) -> str:
    """The name, made unique by underscores and added to those taken."""
    taken.add(name := free_name(name, taken))
    return name


def _list_unread(root: Node, unsupported: Unsupported) -> None:
    """Note the contents of sections that the model cannot represent; raise an error for sections that do not exist."""
    for section in root.inside:
        if section.tag not in SECTIONS:
            raise_or_note(section.unknown("section", section.tag, SECTIONS, "MJCF"))
        if section.tag in UNREAD:
            for node in section.inside:
                what = section.tag if section.tag != "deformable" else node.tag
                unsupported.add(f"{what} ({node.tag})" if what != node.tag else what, node)
