"""Frames along an arm, one row at a time: the common part of every extraction, and the common normal of two axes."""

from __future__ import annotations

import math
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


PARALLEL = 1e-8
"""Axes closer than this (rad) count as parallel.  Their common normal is 1/angle away, so its rounding is 2⁻⁵³/angle;
neglecting the angle has the error of the angle.  The two are equal at √2⁻⁵³."""

NEARLY = 1e-3
"""Below this sine a common normal loses more than three digits, which is reported."""


@dataclass(frozen=True, slots=True)
class CommonNormal:
    """θ from x to the normal, d its height on z, a its length, α from z to the axis: a classic row."""

    theta: float
    d: float
    a: float
    alpha: float
    choices: tuple[Choice, ...] = ()

    @classmethod
    def to(cls, axis: Line, row: int, parallel: float = PARALLEL) -> CommonNormal:
        """The normal to an axis of unit direction e through p; ρ is the sine between them.

        ±u = z × e / ρ,   ±a = (p_y e_x - p_x e_y) / ρ,   d = p_z - e_z (p_x e_x + p_y e_y) / ρ²
        """
        e, p = axis.direction, axis.point
        rho = math.hypot(e.x, e.y)
        if rho < parallel:
            return cls._parallel(e, p.vec, row, rho)
        a = (p.y * e.x - p.x * e.y) / rho
        d = p.z - e.z * (p.x * e.x + p.y * e.y) / (rho * rho)
        side, choices = 1.0, []
        if abs(a) > COINCIDENT * (1.0 + p.vec.norm()):
            side = math.copysign(1.0, a)
        else:
            # Both senses of the normal are valid: the one nearer to the present x keeps θ small.  At a tie, α > 0.
            side = -1.0 if -e.y < -COINCIDENT * rho else 1.0
            sense = "along" if side > 0.0 else "against"
            choices.append(Choice(row, "intersecting axes", f"x {sense} z × z', the sense nearer to the x before", rho))
        if rho < NEARLY:
            loss = f"d = {d:.3g}, rounding about {2.0**-53 / rho:.0e} of lengths; Hayati-Roberts rows are precise here"
            choices.append(Choice(row, "nearly parallel axes", f"the common normal is kept: {loss}", rho))
        theta = math.atan2(e.x * side, -e.y * side)
        # Adding 0 turns -0 into 0.
        return cls(theta + 0.0, d + 0.0, a * side + 0.0, side * math.atan2(rho, e.z), tuple(choices))

    @classmethod
    def _parallel(cls, e: Vec3, p: Vec3, row: int, rho: float) -> CommonNormal:
        """There is a common normal at every height: the one at d = 0 is chosen."""
        x, y = p.x - e.x * (p.z / e.z), p.y - e.y * (p.z / e.z)
        a, alpha = math.hypot(x, y), 0.0 if e.z > 0.0 else math.pi
        if a < COINCIDENT * (1.0 + p.norm()):
            choice = Choice(row, "coincident axes", "the frame stays where it is: θ = 0, d = 0, a = 0", rho)
            return cls(0.0, 0.0, 0.0, alpha, (choice,))
        neglected = f", and the angle of {rho:.1e} rad is neglected" if rho > COINCIDENT else ""
        choice = Choice(row, "parallel axes", f"the common normal through the frame before, d = 0{neglected}", rho)
        return cls(math.atan2(y, x), 0.0, a, alpha, (choice,))
