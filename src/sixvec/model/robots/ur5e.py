"""The Universal Robots UR5e, six revolute joints.

Standard Denavit-Hartenberg parameters, masses and centres of mass as in the maker's article "DH Parameters for
calculations of kinematics and dynamics"; inertia tensors, in the same frames, and limits of position, velocity and
torque as in the maker's package Universal_Robots_ROS2_Description, config/ur5e.  The real elbow can turn further than
the half turn either way that the package allows.

The base is the maker's "base", not the ROS "base_link", which is turned by half a turn about z.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from sixvec.model import Body, Frame, Limits, Model
from sixvec.model.joints import Revolute
from sixvec.model.robots.shapes import NO_TURN, QUARTER_ABOUT_X, standard_arm
from sixvec.spatial import Pose, RigidInertia, Rotation, Sym3, Vec3

_LEFT, _RIGHT = QUARTER_ABOUT_X, QUARTER_ABOUT_X.inv()


class _Link(NamedTuple):
    """A row of the table, and the link in its own Denavit-Hartenberg frame."""

    name: str
    joint: str
    d: float
    a: float
    twist: Rotation
    mass: float
    center: Vec3
    inertia: Sym3  # about the centre
    turns: float
    torque: float


_LINKS = (
    _Link(
        "shoulder_link", "shoulder_pan_joint", 0.1625, 0.0, _LEFT, 3.761, Vec3(0.0, -0.02561, 0.00193),
        Sym3(0.00700210, 0.00000073, -0.00001053, 0.00648091, 0.00049994, 0.00657286), 1.0, 150.0,
    ),
    _Link(
        "upper_arm_link", "shoulder_lift_joint", 0.0, -0.425, NO_TURN, 8.058, Vec3(0.2125, 0.0, 0.11336),
        Sym3(0.01505885, -0.00005400, 0.00000563, 0.33388086, -0.00000181, 0.33247207), 1.0, 150.0,
    ),
    _Link(
        "forearm_link", "elbow_joint", 0.0, -0.3922, NO_TURN, 2.846, Vec3(0.15, 0.0, 0.0265),
        Sym3(0.00399632, -0.00001365, 0.00137272, 0.07879254, -0.00000660, 0.07848510), 0.5, 150.0,
    ),
    _Link(
        "wrist_1_link", "wrist_1_joint", 0.1333, 0.0, _LEFT, 1.37, Vec3(0.0, -0.0018, 0.01634),
        Sym3(0.00165491, -0.00000282, -0.00000438, 0.00135962, 0.00010157, 0.00126279), 1.0, 28.0,
    ),
    _Link(
        "wrist_2_link", "wrist_2_joint", 0.0997, 0.0, _RIGHT, 1.3, Vec3(0.0, 0.0018, 0.01634),
        Sym3(0.00135617, -0.00000274, 0.00000444, 0.00127827, -0.00005048, 0.00096614), 1.0, 28.0,
    ),
    _Link(
        "wrist_3_link", "wrist_3_joint", 0.0996, 0.0, NO_TURN, 0.365, Vec3(0.0, 0.0, -0.001159),
        Sym3(0.00018694, 0.00000006, -0.00000017, 0.00018908, -0.00000092, 0.00025756), 1.0, 28.0,
    ),
)  # fmt: skip
_SPEED = math.pi


def ur5e() -> Model:
    """Six revolute joints; a frame of the table is named for the link that carries it, and the last one "tool0" too."""
    links = []
    for link in _LINKS:
        inertia = RigidInertia.from_center_of_mass(link.mass, link.center, link.inertia)
        reach = link.turns * 2.0 * math.pi
        limits = Limits((-reach,), (reach,), (_SPEED,), (link.torque,))
        b = Body(link.name, joint=Revolute(), inertia=inertia, joint_name=link.joint, limits=limits)
        links.append((b, Pose(link.twist, Vec3(link.a, 0.0, link.d))))
    return standard_arm("ur5e", links, Frame("tool0", _LINKS[-1].name, links[-1][1]))
