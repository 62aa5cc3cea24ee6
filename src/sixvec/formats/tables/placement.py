"""Frames along an arm, one row at a time: the common part of every extraction."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from sixvec.formats.tables.serial import SerialArm, SerialJoint
from sixvec.formats.tables.table import Choice
from sixvec.geometry.line import Line
from sixvec.geometry.point import Point
from sixvec.spatial import Pose, Rotation, Vec3
from sixvec.spatial.norm import precise_cross

COINCIDENT = 1e-13
"""Lines whose directions differ by less (rad), or points by less (m), are equal: a few hundred roundings."""

_STEEP = 0.9
"""A vector with a larger x than this is too close to x for an orthogonal projection."""


@dataclass(frozen=True, slots=True)
class Target:
    """The target of the next frame, in coordinates of the present one: the next axis, or after the last joint the tip.

    `own` is the present joint's axis, ±z.
    """

    row: int
    joint: SerialJoint
    own: Vec3
    axis: Line | None
    tip: Pose


Chooser = Callable[[Target], tuple[Any, Pose, Sequence[Choice]]]
"""From a target to a row, the pose of the next frame in the present one at q = 0, and the choices made."""


@dataclass(frozen=True, slots=True)
class Walk:
    """Frame 0 in the world, the rows with their links, the tip in the last frame, and the choices."""

    base: Pose
    rows: tuple[Any, ...]
    tool: Pose
    choices: tuple[Choice, ...]


def walk(arm: SerialArm, choose: Chooser) -> Walk:
    """Place frame 0 on the first axis, then make each row with `choose`.

    Each frame is reached by multiplying the rows themselves, so that each row compensates the rounding of the previous
    ones and the tip at q = 0 is exactly preserved.
    """
    base, choices = first_frame(arm.joints[0].line)
    rows: list[Any] = []
    frame, made = base, [*choices, *slides(arm)]
    for i, joint in enumerate(arm.joints):
        back = frame.inv()
        following = arm.joints[i + 1].line if i + 1 < len(arm.joints) else None
        axis = None if following is None else Line(Point.of(back * following.point.vec), back.rot @ following.direction)
        row, step, open_ones = choose(Target(i + 1, joint, back.rot @ joint.line.direction, axis, back @ arm.home))
        frame = frame @ step
        rows.append(replace(row, joint=joint.kind, link=joint.link.seen_from(frame.inv() @ joint.home)))
        made += open_ones
    return Walk(base, tuple(rows), frame.inv() @ arm.home, tuple(made))


def slides(arm: SerialArm) -> list[Choice]:
    """The position of a prismatic axis is arbitrary."""
    chosen = "its axis is drawn through the joint's own frame"
    return [Choice(i, "slide", chosen) for i, joint in enumerate(arm.joints, start=1) if joint.kind == "prismatic"]


def first_frame(axis: Line) -> tuple[Pose, list[Choice]]:
    """Frame 0: the world's if its z is the first axis, else on that axis, nearest to the world's origin."""
    z, world_z = axis.direction, Vec3(0.0, 0.0, 1.0)
    sine = precise_cross(world_z, z).norm()
    foot = axis.closest_point()
    if sine < COINCIDENT and z.z > 0.0 and foot.vec.norm() < COINCIDENT:
        return Pose.identity(), []
    x = Vec3(1.0, 0.0, 0.0) if abs(z.x) < _STEEP else Vec3(0.0, 1.0, 0.0)
    name = "x" if abs(z.x) < _STEEP else "y"
    x = x - z * z.dot(x)
    x = x * (1.0 / x.norm())
    chosen = f"frame 0 is nearest to the world's origin on axis 1, its x along the world's {name}; see base"
    return Pose(Rotation.from_axes(x, z.cross(x), z), foot.vec), [Choice(0, "base", chosen, float(sine))]
