"""The Adept Cobra 600, a SCARA: two parallel vertical axes, a vertical slide, and a turn of the quill.

Distances and ranges as Corke's Robotics Toolbox carries them (model Cobra600).  The maker gives no inertias; masses
are assumed, 10 kg for the inner and 6 kg for the outer arm as solid boxes 0.15 m wide and 0.1 m high, 1 kg for the
quill as a solid cylinder of 0.3 m, and 0.2 kg for the tool flange as a solid disc.
"""

from __future__ import annotations

import math

from sixvec.model import Body, Frame, Limits, Model
from sixvec.model.joints import Prismatic, Revolute
from sixvec.model.robots.shapes import NO_TURN, along_x, solid_box, solid_cylinder
from sixvec.spatial import Mat3, Pose, RigidInertia, Rotation, Vec3

HEIGHT, INNER, OUTER = 0.387, 0.325, 0.275
STROKE = 0.210
INNER_RANGE, OUTER_RANGE = math.radians(50.0), math.radians(88.0)

_HALF_ABOUT_X = Rotation(Mat3(1.0, 0.0, 0.0, 0.0, -1.0, 0.0, 0.0, 0.0, -1.0))


def cobra600() -> Model:
    """Revolute, revolute, prismatic, revolute; at q = 0 the arm is stretched along x with the quill drawn in.

    The quill's axes point down: positive slides lower it.
    """
    bodies = (
        Body("base"),
        Body(
            "inner_arm",
            "base",
            Revolute(),
            Pose(NO_TURN, Vec3(0.0, 0.0, HEIGHT)),
            _arm(10.0, INNER),
            "joint1",
            Limits((-INNER_RANGE,), (INNER_RANGE,)),
        ),
        Body(
            "outer_arm",
            "inner_arm",
            Revolute(),
            along_x(INNER),
            _arm(6.0, OUTER),
            "joint2",
            Limits((-OUTER_RANGE,), (OUTER_RANGE,)),
        ),
        Body(
            "quill",
            "outer_arm",
            Prismatic(),
            Pose(_HALF_ABOUT_X, Vec3(OUTER, 0.0, 0.0)),
            Pose(NO_TURN, Vec3(0.0, 0.0, -0.15)) @ solid_cylinder(1.0, 0.012, 0.3),
            "joint3",
            Limits((0.0,), (STROKE,)),
        ),
        Body("flange", "quill", Revolute(), inertia=solid_cylinder(0.2, 0.02, 0.02), joint_name="joint4"),
    )
    return Model("cobra600", bodies, tuple(Frame(b.name, b.name) for b in bodies))


def _arm(mass: float, length: float) -> RigidInertia:
    return along_x(length / 2.0) @ solid_box(mass, Vec3(length, 0.15, 0.1))
