"""The Stanford arm of Victor Scheinman: two turns, a slide, and a wrist with three intersecting axes.

Kinematics as in Paul, "Robot Manipulators: Mathematics, Programming, and Control", MIT Press 1981, with the distances
of his "Modelling, trajectory calculation and servoing of a computer controlled arm", Stanford AIM-177, 1972, figure
2.3; masses, centres, inertias and the reflected inertias of the drives from the tables 6.5 and 6.6 of the book, and
joint limits, as Corke's Robotics Toolbox carries them.

Two interpretations of the tables are specific to this file.  The centres are in centimetres (copies that have -1.054
and -6.447 m for links 2 and 3 are not of this arm, which is a metre long).  Inertias are about the origin of the link's
frame, as those of the book's pseudo-inertia matrices: about the centre of mass, link 6 would need a radius of gyration
of 16 cm.  The frame of link 6 is at the wrist centre; the end of the hand is the frame "tool", 0.263 m further.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from sixvec.model import Body, Frame, JointDynamics, Limits, Model
from sixvec.model.joints import Joint, Prismatic, Revolute
from sixvec.model.robots.shapes import NO_TURN, QUARTER_ABOUT_X, standard_arm
from sixvec.spatial import Pose, RigidInertia, Rotation, Sym3, Vec3

_LEFT, _RIGHT = QUARTER_ABOUT_X, QUARTER_ABOUT_X.inv()
_INCH = 0.0254
HAND = 0.263
"""From the wrist centre to the end of the hand."""


class _Link(NamedTuple):
    """A row of the standard Denavit-Hartenberg table (all lengths a are zero), and the link in its own frame."""

    d: float
    twist: Rotation
    mass: float
    center: tuple[float, float, float]
    inertia: tuple[float, float, float]  # about the origin of the frame, xx yy zz
    drive: float
    limits: tuple[float, float]


_TURN, _TILT = math.radians(170.0), math.radians(90.0)
_LINKS = (
    _Link(0.412, _RIGHT, 9.29, (0.0, 0.0175, -0.1105), (0.276, 0.255, 0.071), 0.953, (-_TURN, _TURN)),
    _Link(0.154, _LEFT, 5.01, (0.0, -0.1054, 0.0), (0.108, 0.018, 0.100), 2.193, (-_TURN, _TURN)),
    _Link(0.0, NO_TURN, 4.25, (0.0, 0.0, -0.6447), (2.51, 2.51, 0.006), 0.782, (12.0 * _INCH, 50.0 * _INCH)),
    _Link(0.0, _RIGHT, 1.08, (0.0, 0.0092, -0.0054), (0.002, 0.001, 0.001), 0.106, (-_TURN, _TURN)),
    _Link(0.0, _LEFT, 0.63, (0.0, 0.0, 0.0566), (0.003, 0.003, 0.0004), 0.097, (-_TILT, _TILT)),
    _Link(0.0, NO_TURN, 0.51, (0.0, 0.0, 0.1554), (0.013, 0.013, 0.0003), 0.020, (-_TURN, _TURN)),
)
_SLIDE = 3


def stanford_arm() -> Model:
    """Five revolute joints and, third, a prismatic one; the frames link1 to link6 are those of Paul's table."""
    links = []
    for i, link in enumerate(_LINKS, start=1):
        inertia = RigidInertia(link.mass, Vec3(*link.center) * link.mass, Sym3.diagonal(*link.inertia))
        joint: Joint = Prismatic() if i == _SLIDE else Revolute()
        limits, drive = Limits((link.limits[0],), (link.limits[1],)), JointDynamics(armature=(link.drive,))
        b = Body(f"link{i}", None, joint, Pose.identity(), inertia, f"joint{i}", limits, drive)
        links.append((b, Pose(link.twist, Vec3(0.0, 0.0, link.d))))
    return standard_arm("stanford_arm", links, Frame("tool", "link6", Pose(NO_TURN, Vec3(0.0, 0.0, HAND))))
