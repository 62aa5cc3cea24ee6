"""Loops in URDF, which describes trees: four published extensions, all read as closures.

* URDF+ (arXiv 2411.19753): <loop> with <predecessor> and <successor>, a joint between poses on two links, and
<coupling>, two joints with a fixed <ratio>;
* <constraint> as proposed for urdfdom (ros/urdfdom, pull request 264): the joint or link that was cut, between
  <parent_origin> and <child_origin>, with an axis on each side;
* <drake:ball_constraint>: a point of one link that stays on a point of another;
* Extended URDF (arXiv 2504.04767): a YAML file of the same name next to the URDF, which lists pairs of frames that
  coincide (`closed_loop`), each as "3d" or "6d", the joints that have motors, and joints of other types.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import permutations
from pathlib import Path
from typing import Any

from sixvec.errors import FileFormatError, MissingExtra, unknown
from sixvec.formats.node import Node
from sixvec.formats.number_text import PERPENDICULAR, across, turn
from sixvec.formats.problems import attempt, raise_or_note
from sixvec.formats.unsupported import made
from sixvec.formats.urdf.elements import ALONG_AXIS, DEFAULT_AXIS, origin
from sixvec.formats.yaml_text import parsed_yaml
from sixvec.model import AnyClosure, Body, Closure, Frame, Gear, JointDynamics, Limits
from sixvec.model.joints import Fixed, Joint, Prismatic, Revolute, Spherical, Universal
from sixvec.spatial import Pose, Vec3

BALL = "drake:ball_constraint"
TAGS = ("loop", "coupling", "constraint", BALL)

LOOPS = (*ALONG_AXIS, "fixed")
"""The types of a <loop>."""

CONSTRAINTS = ("revolute", "prismatic", "universal", "spherical", "link")
"""The types of a <constraint>; a cut link is welded again."""

EXTENSION = ".yaml"
LARGEST_EXTENSION = 1024 * 1024
"""Bytes of the file next to a URDF; published ones have some hundred."""

KINDS: dict[str, Callable[[], Joint]] = {"3d": Spherical, "6d": Fixed}
AXES = {"X": Vec3(1.0, 0.0, 0.0), "Y": Vec3(0.0, 1.0, 0.0), "Z": Vec3(0.0, 0.0, 1.0)}
TYPES: dict[str, Callable[[], Joint]] = {"SPHERICAL": Spherical, "FIXED": Fixed} | {
    f"UJOINT_{a}{b}": partial(Universal, AXES[a], AXES[b]) for a, b in permutations(AXES, 2)
}
"""The types of frame pairs and of joints in a YAML file.  A UJOINT_XY turns about x, then about y, of the frame of the
joint, whatever its <axis>."""


@dataclass
class Loops:
    """The closures of a file and the frames that they connect."""

    bodies: Mapping[str, Body]
    complete: bool = True
    """Whether the bodies have joints; without them, as in a check of a broken file, only their names are used."""
    frames: list[Frame] = field(default_factory=list)
    closures: list[AnyClosure] = field(default_factory=list)

    def close(self, name: str, first: tuple[str, Pose], second: tuple[str, Pose], joint: Joint) -> None:
        """A joint between two poses, each on a link."""
        ends = [Frame(f"{name}/{i}", link, X) for i, (link, X) in enumerate((first, second), 1)]
        self.frames += ends
        self.closures.append(Closure(name, ends[0].name, ends[1].name, joint))


def read_loops(robot: Node, bodies: Mapping[str, Body], *, complete: bool = True) -> Loops:
    """The loops that the elements of a <robot> close; `bodies` are its links, `complete` if they have their joints."""
    loops = Loops(bodies, complete)
    readers = {"loop": _loop, "coupling": _coupling, "constraint": _constraint, BALL: _ball}
    for number, node in enumerate((n for n in robot.inside if n.tag in TAGS), 1):
        name = node.get("name") or f"{node.tag.rpartition(':')[2]}{number}"
        if any(c.name == name for c in loops.closures):
            raise_or_note(node.error(f'two loops are named "{name}"', "names must differ"))
        attempt(None, readers[node.tag], node, name, loops)
    return loops


def loop_links(robot: Node) -> Iterator[str]:
    """The links that loops refer to, existing or not."""
    for node in robot.inside:
        if node.tag in TAGS:
            yield from (name for inner in node.inside if (name := inner.get("link") or inner.get("name")))


def _link(side: Node, links: Mapping[str, Body], attribute: str = "link") -> str:
    name = side.text("name" if attribute == "link" and not side.has("link") and side.has("name") else attribute)
    if name not in links:
        raise side.unknown("link", name, links)
    return name


def _loop(node: Node, name: str, loops: Loops) -> None:
    """The pose of each side is inside its element; in older files next to it, as <predecessor_origin>."""
    ends = []
    for tag in ("predecessor", "successor"):
        side = node.required(tag)
        ends.append((_link(side, loops.bodies), origin(side) @ _beside(node, f"{tag}_origin")))
    kind = node.text("type", f"give one of {', '.join(LOOPS)}")
    if kind not in LOOPS:
        raise node.unknown("loop type", kind, LOOPS, "URDF+")
    joint = Fixed() if kind == "fixed" else made(node, ALONG_AXIS[kind], _axis(node, "axis"))
    loops.close(name, ends[0], ends[1], joint)


def _coupling(node: Node, name: str, loops: Loops) -> None:
    """q_successor = ratio · q_predecessor, of the joints between the links and their common ancestor."""
    ends = [_link(node.required(tag), loops.bodies) for tag in ("predecessor", "successor")]
    ratio_node = node.child("ratio")
    ratio = 1.0 if ratio_node is None else ratio_node.number("value")
    if not loops.complete:
        return
    ways = [_way(link, loops.bodies) for link in ends]
    moving = [[b for b in way if b not in other and loops.bodies[b].joint.nv] for way, other in (ways, ways[::-1])]
    for link, joints in zip(ends, moving, strict=True):
        if len(joints) != 1 or loops.bodies[joints[0]].joint.nq != 1:
            raise node.error(
                f'couples "{link}", which {len(joints)} joints move against the link that carries both sides',
                "one joint of one coordinate on each side can be coupled",
            )
    loops.closures.append(Gear(name, moving[0][0], moving[1][0], ratio))


def _way(link: str, bodies: Mapping[str, Body]) -> list[str]:
    """A link and all its ancestors."""
    way = [link]
    while (parent := bodies[way[-1]].parent) is not None:
        way.append(parent)
    return way


def _constraint(node: Node, name: str, loops: Loops) -> None:
    sides = ("parent", "child")
    (a, X), (b, Y) = ((_link(node.required(side), loops.bodies), _beside(node, f"{side}_origin")) for side in sides)
    kind = node.text("type", f"give one of {', '.join(CONSTRAINTS)}").lower()
    if kind not in CONSTRAINTS:
        raise node.unknown("constraint type", kind, CONSTRAINTS, "URDF")
    if kind in ("link", "spherical"):
        loops.close(name, (a, X), (b, Y), Fixed() if kind == "link" else Spherical())
        return
    first = _axis(node, "parent_axis")
    second = first if node.child("child_axis") is None and kind != "universal" else _axis(node, "child_axis")
    joint: Joint
    if kind == "universal":
        # When the joint is straight, only the component perpendicular to the first axis can be the second axis.
        other = second if abs(first.dot(second)) < PERPENDICULAR else across(first)
        joint, onto = made(node, Universal, first, other), other
    else:
        joint, onto = made(node, Revolute if kind == "revolute" else Prismatic, first), first
    loops.close(name, (a, X), (b, Y @ Pose(turn(onto, second), Vec3.zero())), joint)


def _ball(node: Node, name: str, loops: Loops) -> None:
    ends = []
    for body, point in (("A", "AP"), ("B", "BQ")):
        link = _link(node.required(f"{BALL}_body_{body}"), loops.bodies, "name")
        ends.append((link, Pose.translation(Vec3.of(node.required(f"{BALL}_p_{point}").numbers("value", 3)))))
    loops.close(name, ends[0], ends[1], Spherical())


def _beside(node: Node, tag: str) -> Pose:
    """The pose given by an element of that tag, in the form of an <origin>."""
    pose_node = node.child(tag)
    if pose_node is None:
        return Pose.identity()
    around = node.copy(node.tag, {})
    around.inside = [pose_node.copy("origin", pose_node.attributes)]
    return origin(around)


def _axis(node: Node, tag: str) -> Vec3:
    pose_node = node.child(tag)
    axis = DEFAULT_AXIS if pose_node is None else Vec3.of(pose_node.numbers("xyz", 3))
    length = float(axis.norm())
    if not length > 0.0:
        raise node.error(f"its <{tag}> has no direction", "give one that is not zero")
    return axis * (1.0 / length)


def extended(file: Path, loops: Loops, joints: Mapping[str, str]) -> dict[str, Body]:
    """The additions of the YAML file next to a URDF: its loops go to `loops`, the changed bodies are returned.

    `joints` are the links that each joint of the URDF carries; a frame is named by a link or by a joint.
    """
    path = file.with_suffix(EXTENSION)
    content = _content(path)
    pairs, kinds = _list(content, "closed_loop", path), _list(content, "type", path)
    for i, pair in enumerate(pairs):
        if not isinstance(pair, list) or len(pair) != 2:
            raise FileFormatError(f"closed_loop: entry {i + 1} is not a pair", advice="name two frames", file=str(path))
        kind = _word(kinds[i], "type", path).lower() if i < len(kinds) else "6d"
        links = [_frame(_word(name, "closed_loop", path), loops.bodies, joints, path) for name in pair]
        if kind not in KINDS:
            raise FileFormatError(unknown("loop type", kind, KINDS), file=str(path))
        first, second = ((link, Pose.identity()) for link in links)
        loops.close(f"{pair[0]}-{pair[1]}", first, second, KINDS[kind]())
    bodies = dict(loops.bodies)
    for joint, kind in zip(_list(content, "joint_name", path), _list(content, "joint_type", path), strict=False):
        if _word(kind, "joint_type", path) not in TYPES:
            raise FileFormatError(unknown("joint type", kind, TYPES), file=str(path))
        link = _frame(_word(joint, "joint_name", path), {}, joints, path)
        b = bodies[link]
        bodies[link] = replace(b, joint=TYPES[kind](), limits=Limits(), dynamics=JointDynamics(), mimic=None)
    motors = {_frame(_word(name, "name_mot", path), {}, joints, path) for name in _list(content, "name_mot", path)}
    for name, b in bodies.items() if motors else ():
        if b.joint.nv and name not in motors:
            bodies[name] = replace(b, limits=replace(b.limits, effort=(0.0,) * b.joint.nv))
    return bodies


def _content(path: Path) -> dict[str, Any]:
    """The content of the file, if there is one with loops."""
    try:
        data = b""
        if path.is_file():
            with path.open("rb") as file:
                data = file.read(LARGEST_EXTENSION + 1)
    except OSError:
        data = b""
    if not re.search(rb"^closed_loop\s*:", data, re.MULTILINE):
        return {}
    if len(data) > LARGEST_EXTENSION:
        raise FileFormatError(f"larger than {LARGEST_EXTENSION} bytes", advice="loops need less", file=str(path))
    try:
        import yaml
    except ImportError:
        raise MissingExtra(f"{path} closes loops; reading it needs PyYAML", extra="yaml") from None
    try:
        content = parsed_yaml(data)
    except (yaml.YAMLError, ValueError, RecursionError) as problem:
        raise FileFormatError(f"not YAML that can be read: {problem}", file=str(path)) from None
    return content if isinstance(content, dict) else {}


def _list(content: dict[str, Any], key: str, path: Path) -> list[Any]:
    value = content.get(key) or []
    if not isinstance(value, list):
        raise FileFormatError(f"{key} is not a list", file=str(path))
    return value


def _word(value: Any, key: str, path: Path) -> str:
    """A name in a list; a number becomes its digits."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise FileFormatError(f"{key} contains a {type(value).__name__}", advice="give names", file=str(path))
    return str(value)


def _frame(name: str, links: Mapping[str, Body], joints: Mapping[str, str], path: Path) -> str:
    """The link with a name: its own, or that of its joint."""
    if name in links:
        return name
    if name not in joints:
        raise FileFormatError(unknown("frame" if links else "joint", name, [*links, *joints]), file=str(path))
    return joints[name]
