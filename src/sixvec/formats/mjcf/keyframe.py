"""Keyframes of MJCF: states in MuJoCo's order and conventions, by the names of joints and actuators."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import accumulate

from sixvec.errors import FileFormatError
from sixvec.formats.mjcf.pose import SHORTEST
from sixvec.formats.mjcf.tree import sections
from sixvec.formats.names import free_name
from sixvec.formats.node import Node
from sixvec.formats.unsupported import Unsupported
from sixvec.model import Actuator, Body, Keyframe
from sixvec.quoting import quoted
from sixvec.spatial import Quaternion, Vec3

Numbers = tuple[float, ...]

SIX = 6
FOLLOWS = 1e-6
"""How far a joint may be from where its leader puts it, in the units of the joint: files round to so many digits."""


FILE = "qpos0"
"""The name of the configuration in which the file shows the robot, as in MuJoCo."""


def read_keyframes(
    root: Node,
    bodies: Sequence[Body],
    shown: Mapping[str, Numbers],
    actuators: Sequence[Actuator],
    unsupported: Unsupported,
    *,
    complete: bool,
) -> tuple[Keyframe, ...]:
    """All keyframes, after the configuration `shown` by the file unless that is neutral.

    `bodies` are those of the model, one for each joint of the file, in its order; `shown` has the position of each.
    """
    moving = [b for b in bodies if b.joint.nv]
    taken = {node.get("name") for _, node in sections(root, "keyframe")}
    keyframes: dict[str, Keyframe] = {}
    if FILE not in taken and any(shown[b.name] != b.joint.neutral() for b in moving):
        keyframes[FILE] = Keyframe(FILE, tuple((b.joint_label, shown[b.name]) for b in moving if not b.mimic))
    for number, (_, node) in enumerate(sections(root, "keyframe"), 1):
        if not complete:
            unsupported.add("keyframe of a file with bodies from elsewhere", node)
            continue
        name = node.get("name")
        if not name:
            taken.add(name := free_name(f"key{number}", taken))
        try:
            if name in keyframes:
                raise node.error(f'two keyframes are named "{quoted(name)}"', "names must differ")
            keyframes[name] = _read(node, name, moving, shown, actuators, unsupported)
        except FileFormatError as problem:
            unsupported.leave_out(problem, root)
    return tuple(keyframes.values())


def _read(
    node: Node,
    name: str,
    bodies: Sequence[Body],
    shown: Mapping[str, Numbers],
    actuators: Sequence[Actuator],
    unsupported: Unsupported,
) -> Keyframe:
    q = _parts(node, "qpos", [b.joint.nq for b in bodies])
    v = _parts(node, "qvel", [b.joint.nv for b in bodies])
    positions, velocities = {b.name: shown[b.name] for b in bodies}, {}
    if q:
        positions = {b.name: _position(b, x, node) for b, x in zip(bodies, q, strict=True)}
    if v:
        velocities = {b.name: _velocity(b, x, positions[b.name]) for b, x in zip(bodies, v, strict=True)}
    free = [b for b in bodies if not b.mimic]
    if len(free) < len(bodies) and not _follow(bodies, positions):
        unsupported.add("position in a keyframe of a joint that does not follow its leader there", node)
    controls = _numbers(node, "ctrl", len(actuators))
    stateful = [a for a in actuators if a.activation or a.muscle]
    known = not any(a.unsupported for a in actuators)
    activations = _numbers(node, "act", len(stateful)) if known else ()
    return Keyframe(
        name,
        tuple((b.joint_label, positions[b.name]) for b in free),
        tuple((b.joint_label, velocities[b.name]) for b in free if velocities),
        tuple(zip((a.name for a in actuators), controls, strict=bool(controls))),
        tuple(zip((a.name for a in stateful), activations, strict=bool(activations))),
        node.number("time", 0.0),
    )


def _numbers(node: Node, key: str, count: int) -> Numbers:
    return node.numbers(key, count) if node.has(key) and node.text(key).strip() else ()


def _parts(node: Node, key: str, counts: list[int]) -> list[Numbers]:
    """The numbers of each joint; nothing where the attribute is missing."""
    values = _numbers(node, key, sum(counts))
    if not values:
        return []
    return [values[end - count : end] for end, count in zip(accumulate(counts), counts, strict=True)]


def _position(b: Body, values: Numbers, node: Node) -> Numbers:
    """The coordinates of a joint with its quaternion normalised, and the scalar last."""
    if b.joint.quaternion is None:
        return values
    start = b.joint.quaternion.start
    w, x, y, z = values[start:]
    length = math.hypot(w, x, y, z)
    if not SHORTEST < length < math.inf:
        raise node.error(f'joint "{b.joint_label}": the quaternion is not a rotation', "give w x y z, not all 0")
    return (*values[:start], *(value / length for value in (x, y, z, w)))


def _velocity(b: Body, values: Numbers, position: Numbers) -> Numbers:
    """Of a free joint, from (linear in world axes; angular in body axes) to (angular; linear), both in body axes."""
    if b.joint.nv != SIX:
        return values
    back = Quaternion(*position[3:]).as_rotation().inv()
    return (*values[3:], *(back @ Vec3.of(values[:3])))


def _follow(bodies: Sequence[Body], positions: Mapping[str, Numbers]) -> bool:
    """Whether all joints that follow others are where these put them."""
    for b in bodies:
        if b.mimic:
            expected = b.mimic.multiplier * positions[b.mimic.leader][0] + b.mimic.offset
            if abs(expected - positions[b.name][0]) > FOLLOWS * max(1.0, abs(expected)):
                return False
    return True
