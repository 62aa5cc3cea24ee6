"""The KUKA LBR iiwa 14 R820, seven revolute joints: a shoulder and a wrist with three axes each and an elbow.

Distances between the centres (360, 420, 400, 126 mm to the flange of the basic version), ranges, speeds and torques of
the joints as in the maker's specification "LBR iiwa 7 R800, LBR iiwa 14 R820".  Masses and inertias are not the
maker's: they are those of the file iiwa14_no_collision.urdf of Drake's models (drake_models, iiwa_description), whose
link frames are used here as well.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from sixvec.model import Body, Frame, Limits, Model
from sixvec.model.joints import Revolute
from sixvec.model.robots.shapes import NO_TURN, QUARTER_ABOUT_X
from sixvec.spatial import Mat3, Pose, RigidInertia, Rotation, Sym3, Vec3

_HALF_ABOUT_Y = Rotation(Mat3(-1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, -1.0))
_HALF_ABOUT_Z = Rotation(Mat3(-1.0, 0.0, 0.0, 0.0, -1.0, 0.0, 0.0, 0.0, 1.0))
_LEFT = QUARTER_ABOUT_X
_BACK = _HALF_ABOUT_Z @ QUARTER_ABOUT_X
_OVER = _HALF_ABOUT_Y @ QUARTER_ABOUT_X.inv()


class _Link(NamedTuple):
    """The joint on the previous link, its limits, and the link in its own frame."""

    turn: Rotation
    offset: tuple[float, float, float]
    degrees: float
    degrees_per_second: float
    torque: float
    mass: float
    center: tuple[float, float, float]
    inertia: tuple[float, float, float]  # about the centre, xx yy zz


_LINKS = (
    _Link(NO_TURN, (0.0, 0.0, 0.1575), 170.0, 85.0, 320.0, 5.76, (0.0, -0.03, 0.12), (0.033, 0.0333, 0.0123)),
    _Link(_BACK, (0.0, 0.0, 0.2025), 120.0, 85.0, 320.0, 6.35, (0.0003, 0.059, 0.042), (0.0305, 0.011, 0.0304)),
    _Link(_BACK, (0.0, 0.2045, 0.0), 170.0, 100.0, 176.0, 3.5, (0.0, 0.03, 0.13), (0.025, 0.0238, 0.0076)),
    _Link(_LEFT, (0.0, 0.0, 0.2155), 120.0, 75.0, 176.0, 3.5, (0.0, 0.067, 0.034), (0.017, 0.006, 0.0164)),
    _Link(_OVER, (0.0, 0.1845, 0.0), 170.0, 130.0, 110.0, 3.5, (0.0001, 0.021, 0.076), (0.01, 0.0087, 0.00449)),
    _Link(
        QUARTER_ABOUT_X, (0.0, 0.0, 0.2155), 120.0, 135.0, 40.0, 1.8, (0.0, 0.0006, 0.0004), (0.0049, 0.0047, 0.0036)
    ),
    _Link(_OVER, (0.0, 0.081, 0.0), 175.0, 135.0, 40.0, 1.2, (0.0, 0.0, 0.02), (0.001, 0.001, 0.001)),
)
_FLANGE = 0.045
_BASE = RigidInertia.from_center_of_mass(5.0, Vec3(-0.1, 0.0, 0.07), Sym3.diagonal(0.05, 0.06, 0.03))


def iiwa14() -> Model:
    """Seven revolute joints, iiwa_joint_1 to iiwa_joint_7; at q = 0 the arm is upright, its flange at 1.306 m."""
    bodies = [Body("iiwa_link_0", inertia=_BASE)]
    for i, link in enumerate(_LINKS, start=1):
        reach = math.radians(link.degrees)
        limits = Limits((-reach,), (reach,), (math.radians(link.degrees_per_second),), (link.torque,))
        inertia = RigidInertia.from_center_of_mass(link.mass, Vec3(*link.center), Sym3.diagonal(*link.inertia))
        placement = Pose(link.turn, Vec3(*link.offset))
        name = f"iiwa_link_{i}"
        bodies.append(Body(name, bodies[-1].name, Revolute(), placement, inertia, f"iiwa_joint_{i}", limits))
    flange = Frame("flange", bodies[-1].name, Pose(NO_TURN, Vec3(0.0, 0.0, _FLANGE)))
    return Model("iiwa14", tuple(bodies), (*(Frame(b.name, b.name) for b in bodies), flange))
