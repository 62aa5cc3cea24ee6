"""The 321 and 313 structures of Bruyninckx §7.2 and §7.3, without offsets.

At q = 0 the arm is upright and all frames are parallel; axes and positive senses are the book's canonical ones: a
positive bend leans the arm towards +y.  The book does not give the lengths; here the 321 arm has 0.7, 0.6, 0.5 and 0.1
m, and the 313 arm those of a KUKA LBR iiwa 14.  Inertias are assumed: solid cylinders of radius 5 cm and the density of
water, with balls of that radius in the wrist.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from sixvec.model import Body, Frame, Model
from sixvec.model.joints import Revolute
from sixvec.model.joints.joint import X_AXIS, Z_AXIS
from sixvec.model.robots.shapes import NO_TURN, solid_ball, solid_cylinder
from sixvec.spatial import Pose, RigidInertia, Vec3

RADIUS, DENSITY = 0.05, 1000.0
SWING, BEND = Z_AXIS, -X_AXIS

LENGTHS_321 = (0.7, 0.6, 0.5, 0.1)
"""Base to shoulder, shoulder to elbow, elbow to wrist centre, wrist centre to tool."""

LENGTHS_313 = (0.36, 0.42, 0.40, 0.126)


def arm_321() -> Model:
    """Six revolute joints: two parallel ones in shoulder and elbow on a turning base, then a wrist with one centre.

    The frame "forearm" is the book's frame {4} at the wrist centre, which the first three joints move.
    """
    base, upper, lower, hand = LENGTHS_321
    return _arm("arm_321", [(SWING, base), (BEND, upper), (BEND, lower), (SWING, 0.0), (BEND, 0.0), (SWING, hand)])


def arm_313() -> Model:
    """Seven revolute joints: as the 321 arm with one more in the upper arm, so that the shoulder too has one centre."""
    base, upper, lower, hand = LENGTHS_313
    return _arm(
        "arm_313",
        [(SWING, base), (BEND, 0.0), (SWING, upper), (BEND, lower), (SWING, 0.0), (BEND, 0.0), (SWING, hand)],
    )


def _arm(name: str, links: Sequence[tuple[Vec3, float]]) -> Model:
    """Links from the axis that moves each and the length by which it reaches up."""
    bodies, reached = [Body("base")], 0.0
    for i, (axis, length) in enumerate(links, start=1):
        bodies.append(
            Body(f"link{i}", bodies[-1].name, Revolute(axis), _up(reached), _solid(length), joint_name=f"joint{i}")
        )
        reached = length
    wrist = len(links) - 3
    forearm = Frame("forearm", f"link{wrist}", _up(links[wrist - 1][1]))
    tool = Frame("tool", bodies[-1].name, _up(reached))
    return Model(name, tuple(bodies), (*(Frame(b.name, b.name) for b in bodies), forearm, tool))


def _up(length: float) -> Pose:
    return Pose(NO_TURN, Vec3(0.0, 0.0, length))


def _solid(length: float) -> RigidInertia:
    if not length:
        return solid_ball(DENSITY * 4.0 / 3.0 * math.pi * RADIUS**3, RADIUS)
    return _up(length / 2.0) @ solid_cylinder(DENSITY * math.pi * RADIUS**2 * length, RADIUS, length)
