"""URDF, the robot format of ROS: links connected by joints.

The order of the joints is the order of the file, depth first from the root: under each link its joints in the
order in which they are written, each followed by its subtree.  Links become bodies and frames of the same name; the
root link is fixed in the world unless it floats.  Mimic joints have no coordinates.  Loops, for which there are several
extensions, become closures.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path

from sixvec.errors import unknown
from sixvec.formats.folders import Folders
from sixvec.formats.located import located
from sixvec.formats.names import circles
from sixvec.formats.node import Node
from sixvec.formats.unsupported import Unsupported
from sixvec.formats.urdf import ROOT_TAG
from sixvec.formats.urdf.elements import dynamics, inertia, joint_motion, limits, origin
from sixvec.formats.urdf.geoms import read_geoms
from sixvec.formats.urdf.loops import extended, read_loops
from sixvec.formats.urdf.mimic import mimics
from sixvec.formats.xml import MACROS, parse_xml, read_xml
from sixvec.model import STANDARD_GRAVITY, Body, Frame, Mimic, Model
from sixvec.model.edits.floating import with_free_root
from sixvec.quoting import quoted
from sixvec.spatial import Vec3

_MOST_NAMES_SHOWN = 40


def load_urdf(source: Path, *, floating: bool = False, gravity: Vec3 | None = None) -> Model:
    """The robot in a URDF file; `floating` puts a free joint named "root_joint" under its root link.

    >>> import tempfile
    >>> file = Path(tempfile.mkdtemp()) / "box.urdf"
    >>> _ = file.write_text('<robot name="box"><link name="base"/></robot>')
    >>> load_urdf(file).name
    'box'
    """
    return urdf_model(read_xml(source), Folders(source.parent), floating=floating, gravity=gravity)


def parse_urdf(
    text: str | bytes, name_for_errors: str, *, floating: bool = False, gravity: Vec3 | None = None
) -> Model:
    """The robot in the text of a URDF file.

    >>> arm = parse_urdf(
    ...     '<robot name="arm"><link name="base"/><link name="hand"/>'
    ...     '<joint name="wrist" type="continuous"><parent link="base"/><child link="hand"/></joint></robot>',
    ...     "arm.urdf",
    ... )
    >>> arm.nv, [b.name for b in arm.bodies], arm.bodies[1].joint_name
    (1, ['base', 'hand'], 'wrist')
    """
    return _model(parse_xml(text, name_for_errors), (), floating, gravity)


def urdf_model(robot: Node, folders: Folders, *, floating: bool = False, gravity: Vec3 | None = None) -> Model:
    """The robot that a <robot> element of a file describes; meshes may be in the file's folder and its parent."""
    home = Path(robot.file).absolute().parent
    places = (home, home.parent, *(folder.absolute() for folder in folders.trusted))
    return _model(robot, tuple(map(str, places)), floating, gravity)


def _model(robot: Node, folders: tuple[str, ...], floating: bool, gravity: Vec3 | None) -> Model:
    if robot.tag != ROOT_TAG:
        raise robot.error(f"the outermost element is <{robot.tag}>", f"URDF starts with <{ROOT_TAG}>")
    _refuse_macros(robot)
    links = _by_name(robot, "link")
    if not links:
        raise robot.error("has no <link>", "a robot needs at least one")
    joints = _by_name(robot, "joint")
    connections = [_connection(joint, links) for joint in joints.values()]
    ordered = _depth_first(links, connections)
    followers = mimics(robot, joints)
    bodies = tuple(_body(links[name], connection, followers) for name, connection in ordered)
    name = robot.attributes.get("name") or Path(robot.where).stem
    unsupported = Unsupported()
    geoms = read_geoms(robot, links, folders, unsupported)
    loops = read_loops(robot, {b.name: b for b in bodies})
    if folders:
        bodies = tuple(extended(Path(robot.file), loops, {c.joint.text("name"): c.child for c in connections}).values())
    frames = (*(Frame(b.name, b.name) for b in bodies), *loops.frames) if loops.frames else ()
    down = STANDARD_GRAVITY if gravity is None else gravity
    with located(robot, links, name):
        model = Model(name, bodies, frames, down, closures=tuple(loops.closures), geoms=geoms)
    unsupported.warn(robot.where)
    return with_free_root(model) if floating else model


@dataclass(frozen=True, slots=True)
class _Connection:
    """A joint and the names of the links on its two sides."""

    joint: Node
    parent: str
    child: str


def _refuse_macros(robot: Node) -> None:
    for node in robot.inside:
        if node.tag.startswith(f"{MACROS}:"):
            macro = quoted(node.tag.removeprefix(f"{MACROS}:"))
            raise robot.error(
                f"contains the macro <xacro:{macro}>, and plain URDF is never executed",
                'name the file "*.xacro" to have it expanded, or expand it with xacro first',
            )


def _by_name(robot: Node, tag: str) -> dict[str, Node]:
    found: dict[str, Node] = {}
    for node in robot.children(tag):
        name = node.text("name")
        if name in found:
            first = f"; the first is in line {line}" if (line := found[name].line) else ""
            raise node.error(f'two {tag}s are named "{name}"', f"names must differ{first}")
        found[name] = node
    return found


def _connection(joint: Node, links: Collection[str]) -> _Connection:
    ends = {}
    for side in ("parent", "child"):
        ends[side] = joint.required(side).text("link")
        if ends[side] not in links:
            raise joint.error(f"its {side}: " + unknown("link", ends[side], links))
    return _Connection(joint, ends["parent"], ends["child"])


def _depth_first(links: Mapping[str, Node], connections: list[_Connection]) -> list[tuple[str, _Connection | None]]:
    """The links from the root outward, each with the joint above it."""
    above: dict[str, _Connection] = {}
    below: dict[str, list[_Connection]] = {name: [] for name in links}
    for c in connections:
        if c.child in above:
            both = ", ".join(quoted(joint.text("name")) for joint in (above[c.child].joint, c.joint))
            raise c.joint.error(f'link "{c.child}" is the child of several joints ({both})', "give it one parent")
        above[c.child] = c
        below[c.parent].append(c)
    roots = [name for name in links if name not in above]
    if len(roots) > 1:
        raise links[roots[1]].error(
            f"the robot has several root links: {_listed(roots)}", "connect them with joints to leave one"
        )
    ordered: list[tuple[str, _Connection | None]] = []
    # A stack instead of recursion: chains may be longer than Python's stack is deep.
    waiting: list[tuple[str, _Connection | None]] = [(root, None) for root in roots]
    while waiting:
        name, connection = waiting.pop()
        ordered.append((name, connection))
        waiting.extend((c.child, c) for c in reversed(below[name]))
    if len(ordered) < len(links):
        first, upward = next(circles({name: above[name].parent for name in links if name in above}))
        listed = _listed([first, *reversed(upward[1:])])
        raise above[first].joint.error(
            f"its joints form a cycle, through the links {listed}", "URDF describes trees only"
        )
    return ordered


def _listed(names: list[str]) -> str:
    return ", ".join(map(quoted, names[:_MOST_NAMES_SHOWN])) + (", …" if len(names) > _MOST_NAMES_SHOWN else "")


def _body(link: Node, connection: _Connection | None, followers: Mapping[str, Mimic]) -> Body:
    name = link.text("name")
    if connection is None:
        return Body(name, inertia=inertia(link))
    joint = connection.joint
    return Body(
        name,
        connection.parent,
        joint_motion(joint),
        origin(joint),
        inertia(link),
        joint.text("name"),
        limits(joint),
        dynamics(joint),
        followers.get(joint.text("name")),
    )
