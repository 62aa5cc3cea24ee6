"""Points of two links that coincide: <drake:ball_constraint>, an extension of SDF by Drake.

Unlike a joint it need not be closed in the configuration of the file, so it also represents loops that are open at
zero.  Two of them named PIN and PIN/axis are a hinge about the line through the two points.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from xml.etree.ElementTree import Element, SubElement

from sixvec.formats.number_text import numbers, turn
from sixvec.formats.sdf.elements import BALL
from sixvec.formats.sdf.places import SEPARATOR, WORLD_NAME
from sixvec.formats.sdf.world import Contents
from sixvec.model import WORLD, Closure, Frame
from sixvec.model.joints import Revolute, Spherical
from sixvec.spatial import Pose, Vec3
from sixvec.tolerances import EQUAL

SIDES = {"A": "p_AP", "B": "p_BQ"}
AXIS = "/axis"


def read_balls(
    contents: Contents, origin: Mapping[str, str], names: Mapping[str, str]
) -> tuple[list[Closure], list[Frame]]:
    """The balls of all models; for each link, `origin` is the origin of its body, `names` the name of the body."""
    closures: dict[str, Closure] = {}
    frames: dict[str, Frame] = {}
    nodes = [(scope, node) for scope in contents.scopes for node in scope.node.children(BALL)]
    for number, (scope, node) in enumerate(nodes, 1):
        name = node.get("name") or f"ball_constraint{number}"
        if name in closures:
            raise node.error(f'two ball constraints are named "{name}"', "names must differ")
        ends = []
        for (side, point), end in zip(SIDES.items(), ("parent", "child"), strict=True):
            body_name = node.required(f"{BALL}_body_{side}")
            key = contents.places.find(scope, body_name.content(), body_name)
            carrier = contents.places.carrier(key)
            X = Pose.translation(Vec3.of(node.required(f"{BALL}_{point}").content_numbers(3)))
            body = WORLD if carrier == WORLD_NAME else names[carrier]
            ends.append(Frame(f"{name}{SEPARATOR}{end}", body, contents.places.between(origin[carrier], key) @ X))
        hinge = closures.get(name.removesuffix(AXIS)) if name.endswith(AXIS) else None
        line = None if hinge is None else _line(frames[hinge.first], frames[hinge.second], ends)
        if hinge is not None and line is not None:
            axis, frames[hinge.second] = line
            closures[hinge.name] = replace(hinge, joint=Revolute(axis))
            continue
        frames |= {end.name: end for end in ends}
        closures[name] = Closure(name, ends[0].name, ends[1].name, Spherical())
    return [*closures.values()], [*frames.values()]


def _line(first: Frame, second: Frame, ends: list[Frame]) -> tuple[Vec3, Frame] | None:
    """The axis from two points to two others of the same bodies, and the second frame rotated to have the same axis."""
    if (first.body, second.body) != (ends[0].body, ends[1].body):
        return None
    a, b = (near.placement.inv() * far.placement.pos for near, far in zip((first, second), ends, strict=True))
    length = a.norm()
    if length < EQUAL or abs(length - b.norm()) > EQUAL * length:
        return None
    a, b = a * (1.0 / length), b * (1.0 / b.norm())
    return a, replace(second, placement=second.placement @ Pose(turn(a, b), Vec3.zero()))


def write_balls(robot: Element, name: str, ends: list[tuple[str, Pose]], axis: Vec3 | None) -> None:
    """A ball between two poses, each on a link, or with an axis a hinge."""
    for label, ahead in ((name, Vec3.zero()), *(() if axis is None else ((f"{name}{AXIS}", axis),))):
        ball = SubElement(robot, BALL, name=label)
        for (side, point), (link, X) in zip(SIDES.items(), ends, strict=True):
            SubElement(ball, f"{BALL}_body_{side}").text = link
            SubElement(ball, f"{BALL}_{point}").text = numbers(X * ahead)
