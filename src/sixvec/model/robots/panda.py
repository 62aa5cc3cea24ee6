"""The Franka Emika Panda, seven revolute joints, without a hand.

Kinematics and limits are those of the maker's public documentation ("Robot and interface specifications" of the
Franka Control Interface: Denavit-Hartenberg parameters in Craig's convention, joint space limits).

Inertias are those identified by Gaz, Cognetti, Oliva, Robuffo Giordano and De Luca, "Dynamic identification of the
Franka Emika Panda robot with retrieval of feasible parameters using penalty-based optimization", IEEE Robotics and
Automation Letters 4(4), 2019, tables VIII and IX of its supplement, as the maker's package franka_description
carries them.  Measurements on a robot bolted to the ground do not determine the inertia of its base, nor the height of
the mass of link 1 on its vertical axis.  Link 0 and z of the centre of link 1 are therefore those of the package (other
copies of the tables have -0.175); neither affects a joint of the arm.
"""

from __future__ import annotations

from typing import NamedTuple

from sixvec.model import Body, Limits, Model
from sixvec.model.joints import Fixed, Revolute
from sixvec.model.robots.shapes import NO_TURN, QUARTER_ABOUT_X
from sixvec.spatial import Pose, RigidInertia, Rotation, Sym3, Vec3

_LEFT, _RIGHT = QUARTER_ABOUT_X, QUARTER_ABOUT_X.inv()


class _Row(NamedTuple):
    """A row of Craig's table: the twist and length of the link before the joint, the offset along its axis."""

    twist: Rotation
    a: float
    d: float


_DENAVIT_HARTENBERG = (
    _Row(NO_TURN, 0.0, 0.333),
    _Row(_RIGHT, 0.0, 0.0),
    _Row(_LEFT, 0.0, 0.316),
    _Row(_LEFT, 0.0825, 0.0),
    _Row(_RIGHT, -0.0825, 0.384),
    _Row(_LEFT, 0.0, 0.0),
    _Row(_LEFT, 0.088, 0.0),
)
_FLANGE = _Row(NO_TURN, 0.0, 0.107)

# Radians, rad/s, N m.
_LOWER = (-2.8973, -1.7628, -2.8973, -3.0718, -2.8973, -0.0175, -2.8973)
_UPPER = (2.8973, 1.7628, 2.8973, -0.0698, 2.8973, 3.7525, 2.8973)
_VELOCITY = (2.175, 2.175, 2.175, 2.175, 2.61, 2.61, 2.61)
_EFFORT = (87.0, 87.0, 87.0, 87.0, 12.0, 12.0, 12.0)


class _Link(NamedTuple):
    """Mass, centre of mass, and inertia (xx, xy, xz, yy, yz, zz) about the centre, in the axes of the link."""

    mass: float
    center: tuple[float, float, float]
    inertia: tuple[float, float, float, float, float, float]


_LINKS = (
    _Link(0.629769, (-0.041018, -0.00014, 0.049974), (0.00315, 8.2904e-7, 0.00015, 0.00388, 8.2299e-6, 0.004285)),
    _Link(4.970684, (0.003875, 0.002081, -0.04762), (0.70337, -0.000139, 0.006772, 0.70661, 0.019169, 0.009117)),
    _Link(0.646926, (-0.003141, -0.02872, 0.003495), (0.007962, -0.003925, 0.010254, 0.02811, 0.000704, 0.025995)),
    _Link(3.228604, (0.027518, 0.039252, -0.066502), (0.037242, -0.004761, -0.011396, 0.036155, -0.012805, 0.01083)),
    _Link(3.587895, (-0.05317, 0.104419, 0.027454), (0.025853, 0.007796, -0.001332, 0.019552, 0.008641, 0.028323)),
    _Link(1.225946, (-0.011953, 0.041065, -0.038437), (0.035549, -0.002117, -0.004037, 0.029474, 0.000229, 0.008627)),
    _Link(1.666555, (0.060149, -0.014117, -0.010517), (0.001964, 0.000109, -0.001158, 0.004354, 0.000341, 0.005433)),
    _Link(0.735522, (0.010517, -0.004252, 0.061597), (0.012516, -0.000428, -0.001196, 0.010027, -0.000741, 0.004815)),
)


def panda() -> Model:
    """Links panda_link0 (base) to panda_link8 (flange), joints panda_joint1 to panda_joint7.

    >>> arm = panda()
    >>> arm.nv, arm.bodies[-1].name, arm.bodies[-1].placement.pos.z
    (7, 'panda_link8', 0.107)
    """
    base = Body("panda_link0", inertia=_inertia(_LINKS[0]))
    moving = (
        Body(
            f"panda_link{i}",
            f"panda_link{i - 1}",
            Revolute(),
            _placement(row),
            _inertia(link),
            f"panda_joint{i}",
            Limits((_LOWER[i - 1],), (_UPPER[i - 1],), (_VELOCITY[i - 1],), (_EFFORT[i - 1],)),
        )
        for i, (row, link) in enumerate(zip(_DENAVIT_HARTENBERG, _LINKS[1:], strict=True), start=1)
    )
    flange = Body("panda_link8", "panda_link7", Fixed(), _placement(_FLANGE), joint_name="panda_joint8")
    return Model("panda", (base, *moving, flange))


def _placement(row: _Row) -> Pose:
    """Rot_x(twist) Trans_x(a) Trans_z(d), the part of a row that does not move."""
    return Pose(row.twist, row.twist @ Vec3(row.a, 0.0, row.d))


def _inertia(link: _Link) -> RigidInertia:
    return RigidInertia.from_center_of_mass(link.mass, Vec3(*link.center), Sym3(*link.inertia))
