"""The Hamilton wrist of Long, Paul and Fisher (1989): four revolute joints with one centre (Bruyninckx Fig. 5.12).

Adjacent axes are at right angles, so two of them may line up without a singularity.  The inertias are assumed: solid
balls, and a hand that is a solid cylinder.
"""

from __future__ import annotations

from sixvec.model import Body, Frame, Model
from sixvec.model.joints import Revolute
from sixvec.model.joints.joint import X_AXIS, Y_AXIS, Z_AXIS
from sixvec.model.robots.shapes import NO_TURN, solid_ball, solid_cylinder
from sixvec.spatial import Pose, Vec3

AXES = (Z_AXIS, Y_AXIS, X_AXIS, Z_AXIS)
GIMBALS = ((1.2, 0.06), (0.9, 0.05), (0.6, 0.04))
"""Mass and radius of the links, kg and m."""
HAND, LENGTH, RADIUS = 0.4, 0.12, 0.03


def hamilton_wrist() -> Model:
    """A spherical wrist with one joint more than it needs; at q = 0 the axes are z, y, x, z, and the hand points up.

    It is singular only where the axes 1 and 3 line up and the axes 2 and 4 do: cos q2 = cos q3 = 0.
    """
    hand = Pose(NO_TURN, Vec3(0.0, 0.0, LENGTH / 2.0)) @ solid_cylinder(HAND, RADIUS, LENGTH)
    inertias = [*(solid_ball(mass, radius) for mass, radius in GIMBALS), hand]
    names = ["link1", "link2", "link3", "hand"]
    bodies, parent = [Body("base")], "base"
    for k, (name, axis, inertia) in enumerate(zip(names, AXES, inertias, strict=True), start=1):
        bodies.append(Body(name, parent, Revolute(axis), inertia=inertia, joint_name=f"joint{k}"))
        parent = name
    tool = Frame("tool", "hand", Pose(NO_TURN, Vec3(0.0, 0.0, LENGTH)))
    return Model("hamilton_wrist", tuple(bodies), (*(Frame(b.name, b.name) for b in bodies), tool))
