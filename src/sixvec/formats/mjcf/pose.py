"""Poses in MJCF: a position and an orientation in one of five forms."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TypeVar

from sixvec.formats.mjcf.compiler import Compiler
from sixvec.formats.mjcf.defaults import ORIENTATIONS
from sixvec.formats.node import Node
from sixvec.model.geom import z_towards
from sixvec.quoting import quoted
from sixvec.spatial import Pose, Quaternion, RigidInertia, Rotation, Vec3

T = TypeVar("T", Pose, RigidInertia)

SHORTEST = 1e-10
"""A vector below this length has no direction."""

IDENTITY = Pose.identity()
"""The default pose; recognised by its identity, so that large files avoid multiplications by it."""

PARALLEL = "holds axes that are parallel or zero"

AXES = {"x": Vec3(1.0, 0.0, 0.0), "y": Vec3(0.0, 1.0, 0.0), "z": Vec3(0.0, 0.0, 1.0)}


def pose(node: Node, compiler: Compiler) -> Pose:
    """`pos` and the orientation of an element; the identity where it gives neither."""
    if not any(node.has(name) for name in ("pos", *ORIENTATIONS)):
        return IDENTITY
    return Pose(orientation(node, compiler), position(node))


def moved(X: Pose, thing: T) -> T:
    """X @ thing; the thing itself if X is `IDENTITY`."""
    return thing if X is IDENTITY else X @ thing


def position(node: Node) -> Vec3:
    return Vec3.of(node.numbers("pos", 3, (0.0, 0.0, 0.0)))


def orientation(node: Node, compiler: Compiler) -> Rotation:
    """The rotation that `quat`, `axisangle`, `euler`, `xyaxes` or `zaxis` defines."""
    written = [name for name in ORIENTATIONS if node.has(name)]
    if not written:
        return Rotation.identity()
    if len(written) > 1:
        raise node.error(f"gives several orientations: {', '.join(written)}", "give one of them")
    if written == ["quat"]:
        return _quat(node)
    if written == ["axisangle"]:
        x, y, z, angle = node.numbers("axisangle", 4)
        axis = unit(Vec3(x, y, z), node, "axisangle", "has an axis without direction")
        return Rotation.about(axis, compiler.angle(angle))
    if written == ["euler"]:
        return _euler(node, compiler)
    if written == ["zaxis"]:
        return z_towards(unit(Vec3.of(node.numbers("zaxis", 3)), node, "zaxis"))
    return _xyaxes(node)


def unit(v: Vec3, node: Node, attribute: str, problem: str = "has no direction") -> Vec3:
    """The direction of a vector, or an error that names its attribute and the problem."""
    length = math.sqrt(v.dot(v))
    if not length > SHORTEST or math.isinf(length):
        raise node.error(f'{attribute}="{quoted(node.text(attribute))}" {problem}', "give one that is not zero")
    return v * (1.0 / length)


def _quat(node: Node) -> Rotation:
    values = node.numbers("quat", 4)
    if not SHORTEST < math.hypot(*values) < math.inf:
        raise node.error(f'quat="{node.text("quat")}" is not a rotation', "give w x y z that are not all zero")
    return turn_of(values)


def turn_of(values: Sequence[float]) -> Rotation:
    """The rotation of a quaternion with its scalar first, of any length."""
    w, x, y, z = values
    return Quaternion(x, y, z, w).normalized().as_rotation()


def _euler(node: Node, compiler: Compiler) -> Rotation:
    """Three turns: lower case about the moving axes, upper case about the axes of the parent."""
    R = Rotation.identity()
    for letter, angle in zip(compiler.eulerseq, node.numbers("euler", 3), strict=True):
        turn = Rotation.about(AXES[letter.lower()], compiler.angle(angle))
        R = R @ turn if letter.islower() else turn @ R
    return R


def _xyaxes(node: Node) -> Rotation:
    """x as given, y made perpendicular to it, z = x × y."""
    values = node.numbers("xyaxes", 6)
    x = unit(Vec3.of(values[:3]), node, "xyaxes", PARALLEL)
    vector = Vec3.of(values[3:])
    y = unit(vector - x * x.dot(vector), node, "xyaxes", PARALLEL)
    return Rotation.from_axes(x, y, x.cross(y))


def fromto(node: Node) -> tuple[Pose, float]:
    """The pose and the length of a shape from one point to another: in the middle, z from the second to the first."""
    values = node.numbers("fromto", 6)
    start, end = Vec3.of(values[:3]), Vec3.of(values[3:])
    along = start - end
    direction = unit(along, node, "fromto", "has both ends at one point")
    return Pose(z_towards(direction), (start + end) * 0.5), math.sqrt(along.dot(along))
