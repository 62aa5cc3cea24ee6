"""URDF, the robot format of ROS: links connected by joints.

The order of the joints is the order of the file, depth first from the root: under each link its joints in the
order in which they are written, each followed by its subtree.  Links become bodies and frames of the same name; the
root link is fixed in the world unless it floats.  Mimic joints have no coordinates: a file names the leading joint, a
model the body of that joint, and resolves chains; a <mimic> on a fixed joint is ignored.  Loops, for which there are
several extensions, become closures.
"""

from __future__ import annotations

import difflib
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from sixvec.errors import FileFormatError, unknown
from sixvec.formats.doctor.joints import fixed_joints_follow_nobody, follower_moves
from sixvec.formats.folders import Folders
from sixvec.formats.names import circles, require_no_circles
from sixvec.formats.node import Node
from sixvec.formats.problems import attempt, attempt_each, examine, raise_or_note, stop_if_noted
from sixvec.formats.unsupported import Unsupported, located
from sixvec.formats.urdf.elements import (
    ONE_COORDINATE,
    dynamics,
    inertia,
    joint_motion,
    joint_type,
    limits,
    placement,
    read_geoms,
)
from sixvec.formats.urdf.loops import extended, read_loops
from sixvec.formats.xml import MACROS
from sixvec.model import STANDARD_GRAVITY, Body, Frame, JointDynamics, Limits, Mimic, Model
from sixvec.model.edits.floating import with_free_root
from sixvec.model.joints import Fixed, Joint
from sixvec.quoting import quoted
from sixvec.spatial import Pose, RigidInertia, Vec3

_MOST_NAMES_SHOWN = 40


def model_of(robot: Node, folders: Folders, *, floating: bool = False, gravity: Vec3 | None = None) -> Model:
    """The robot that a <robot> element describes; meshes of a file are in the folders that it may reach."""
    return parts_of(robot).model(folders, floating=floating, gravity=gravity)


@dataclass(frozen=True, slots=True)
class Connection:
    """A joint and the names of the links on its two sides; empty where a check has noted a problem."""

    joint: Node
    parent: str
    child: str


class Motion(NamedTuple):
    """What a <joint> says about its motion."""

    joint: Joint
    placement: Pose
    limits: Limits
    dynamics: JointDynamics


@dataclass(frozen=True)
class Parts:
    """The elements of a <robot>, read one by one; in a check some may have problems."""

    robot: Node
    links: dict[str, Node]
    connections: list[Connection]
    order: list[tuple[str, Connection | None]]
    """The links from the root outward, each with the joint above it."""
    followers: dict[str, Mimic]
    masses: dict[Node, RigidInertia | None]
    """The inertia of each link; None for one that cannot be read."""
    motions: dict[Node, Motion]
    unsupported: Unsupported

    def model(self, folders: Folders, *, floating: bool = False, gravity: Vec3 | None = None) -> Model:
        """The robot; an error if an element has a problem that a check has noted."""
        robot, links, unsupported = self.robot, self.links, self.unsupported
        places = folders.of_meshes
        try:
            unsupported.stop_if_noted(robot.where)
        except FileFormatError:
            read_loops(robot, {name: Body(name) for name in links}, complete=False)
            raise
        name = robot.attributes.get("name") or Path(robot.where).stem
        geoms = read_geoms(robot, links, tuple(map(str, places)), unsupported)
        bodies = self._bodies()
        loops = read_loops(robot, {b.name: b for b in bodies})
        stop_if_noted()
        if places:
            carried = {c.joint.text("name"): c.child for c in self.connections}
            bodies = tuple(extended(Path(robot.file), loops, carried).values())
        frames = (*(Frame(b.name, b.name) for b in bodies), *loops.frames) if loops.frames else ()
        down = STANDARD_GRAVITY if gravity is None else gravity
        with located(robot, links, name):
            model = Model(name, bodies, frames, down, closures=tuple(loops.closures), geoms=geoms)
        unsupported.warn(robot.where)
        return with_free_root(model) if floating else model

    def _bodies(self) -> tuple[Body, ...]:
        return tuple(self._body(name, connection) for name, connection in self.order)

    def _body(self, name: str, connection: Connection | None) -> Body:
        mass = self.masses[self.links[name]] or RigidInertia.zero()
        if connection is None:
            return Body(name, inertia=mass)
        joint, placement, limits, dynamics = self.motions[connection.joint]
        label = connection.joint.text("name")
        follower = self.followers.get(label)
        return Body(name, connection.parent, joint, placement, mass, label, limits, dynamics, follower)


def parts_of(robot: Node) -> Parts:
    """What the elements of a <robot> say."""
    unsupported = Unsupported()
    _require_no_macros(robot, unsupported)
    links = _by_name(robot, "link")
    if not links:
        raise_or_note(robot.error("has no <link>", "a robot needs at least one"))
    joints = _by_name(robot, "joint")
    connections = [_connection(joint, links) for joint in robot.children("joint")]
    return Parts(
        robot, links, connections,
        order=_depth_first(links, connections),
        followers=mimics(robot, joints),
        masses={link: attempt_each(None, inertia, link, unsupported) for link in robot.children("link")},
        motions={c.joint: _motion(c.joint, unsupported) for c in connections},
        unsupported=unsupported,
    )  # fmt: skip


DEFINITIONS = tuple(f"{MACROS}:{word}" for word in ("property", "arg", "macro"))
"""Elements of xacro that add nothing to a robot by themselves."""


def _require_no_macros(robot: Node, unsupported: Unsupported) -> None:
    """An error for macros that are not expanded, whose links or masses would be missing; definitions are left out."""
    inside = (inner for node in robot.inside if node.tag in ("link", "joint") for inner in node.iter())
    for node in (*robot.inside, *inside):
        if not node.tag.startswith(f"{MACROS}:"):
            continue
        macro = quoted(node.tag)
        if node.tag in DEFINITIONS:
            unsupported.add(f"<{macro}> (plain URDF is not expanded)", node)
            continue
        advice = 'name the file "*.xacro" to have it expanded, or expand it with xacro first'
        raise_or_note(robot.error(f"contains the macro <{macro}>, and plain URDF is never executed", advice))
        return


def _by_name(robot: Node, tag: str) -> dict[str, Node]:
    nodes: dict[str, Node] = {}
    for node in robot.children(tag):
        name = attempt("", node.text, "name")
        if name in nodes:
            first = f"; the first is in line {line}" if (line := nodes[name].line) else ""
            raise_or_note(node.error(f'two {tag}s are named "{name}"', f"names must differ{first}"))
        elif name:
            nodes[name] = node
    return nodes


def _connection(joint: Node, links: Collection[str]) -> Connection:
    parent, child = (attempt("", _end, joint, side, links) for side in ("parent", "child"))
    return Connection(joint, parent, child)


def _end(joint: Node, side: str, links: Collection[str]) -> str:
    node = joint.required(side, f'add <{side} link="…"/>')
    name = node.text("link")
    if name not in links:
        raise node.unknown("link", name, links)
    return name


def _depth_first(links: Mapping[str, Node], connections: list[Connection]) -> list[tuple[str, Connection | None]]:
    """The links from the root outward, each with the joint above it."""
    above: dict[str, Connection] = {}
    below: dict[str, list[Connection]] = {name: [] for name in links}
    for c in connections:
        if c.child in above:
            both = ", ".join(quoted(joint.get("name")) for joint in (above[c.child].joint, c.joint))
            raise_or_note(
                c.joint.error(f'link "{c.child}" is the child of several joints ({both})', "give it one parent")
            )
        elif c.child:
            above[c.child] = c
            below.get(c.parent, []).append(c)
    roots = [name for name in links if name not in above]
    if len(roots) > 1:
        message = f"the robot has several root links: {_listed(roots)}"
        raise_or_note(links[roots[1]].error(message, "connect them with joints to leave one"))
    for first, upward in circles({name: above[name].parent for name in links if name in above}):
        listed = _listed([first, *reversed(upward[1:])])
        message = f"its joints form a cycle, through the links {listed}"
        raise_or_note(above[first].joint.error(message, "URDF describes trees only"))
    ordered: list[tuple[str, Connection | None]] = []
    # A stack instead of recursion: chains may be longer than Python's stack is deep.
    waiting: list[tuple[str, Connection | None]] = [(root, None) for root in roots]
    while waiting:
        name, connection = waiting.pop()
        ordered.append((name, connection))
        waiting.extend((c.child, c) for c in reversed(below[name]))
    return ordered


def _listed(names: list[str]) -> str:
    return ", ".join(map(quoted, names[:_MOST_NAMES_SHOWN])) + (", …" if len(names) > _MOST_NAMES_SHOWN else "")


def _motion(joint: Node, unsupported: Unsupported) -> Motion:
    return Motion(
        attempt_each(Fixed(), joint_motion, joint),
        attempt_each(Pose.identity(), placement, joint),
        attempt_each(Limits(), limits, joint, unsupported),
        attempt_each(JointDynamics(), dynamics, joint),
    )


_MOST_NAMES_COMPARED = 500
"""The search for the most similar name is slow with thousands of names."""


def mimics(robot: Node, joints: Mapping[str, Node]) -> dict[str, Mimic]:
    """For the name of each mimic joint, its leader and law.

    Some published files follow joints that they do not have.  These joints are left independent, and one warning names
    them all: a robot with extra freedoms is more useful than none.
    """
    laws: dict[str, tuple[str, Mimic]] = {}
    missing = Unsupported()
    for joint in robot.children("joint"):
        law = attempt(None, _mimic, joint, joints, missing)
        if law is not None and joint.get("name") in joints:  # a check goes on with joints that have no name
            laws.setdefault(joint.get("name"), law)
    require_no_circles({name: (joints[name].required("mimic"), leader) for name, (leader, _) in laws.items()})
    missing.warn(robot.where)
    return {name: mimic for name, (_, mimic) in laws.items()}


def _mimic(joint: Node, joints: Mapping[str, Node], missing: Unsupported) -> tuple[str, Mimic] | None:
    """The leader of a joint and its law, if there are any."""
    mimic, kind = joint.child("mimic"), joint_type(joint)
    if mimic is None:
        return None
    if kind == "fixed":
        examine(fixed_joints_follow_nobody, mimic)
        return None
    if kind not in ONE_COORDINATE:
        raise mimic.error(f"a {kind} joint cannot follow another", f"only {', '.join(ONE_COORDINATE)} ones can")
    multiplier, offset = (
        attempt(missing, mimic.number, word, missing) for word, missing in (("multiplier", 1.0), ("offset", 0.0))
    )
    leader = mimic.text("joint")
    if leader not in joints:
        # All names for each of many joints would make the message unreadable.
        near = difflib.get_close_matches(leader, joints, cutoff=0.5) if len(joints) <= _MOST_NAMES_COMPARED else []
        why = unknown("joint", leader, near or list(joints)[:3])
        problem = mimic.unknown("joint", leader, joints)
        missing.add(f'the <mimic> of joint "{joint.get("name")}" ({why})', mimic, problem)
        return None
    kind = joint_type(joints[leader])
    if kind not in ONE_COORDINATE:
        raise mimic.error(
            f'follows "{leader}", a {kind} joint, which has no single coordinate',
            f"follow a joint that is {', '.join(ONE_COORDINATE)}, or make this one fixed too",
        )
    examine(follower_moves, mimic, multiplier)
    return leader, Mimic(joints[leader].required("child").text("link"), multiplier, offset)
