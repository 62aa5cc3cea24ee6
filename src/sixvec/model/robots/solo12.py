"""Solo12, the twelve-motor quadruped of the Open Dynamic Robot Initiative.

Grimminger et al., "An open torque-controlled modular robot architecture for legged locomotion research", IEEE Robotics
and Automation Letters 5(2), 2020.  Distances, masses and inertias are those of the initiative's description
robot_properties_solo, as the package example-robot-data carries it (solo12.urdf).  Its authors mark the inertia of the
shoulders as provisional: it is that of the upper leg.  The file has no meaningful limits, so there are none here.
"""

from __future__ import annotations

from sixvec.model import Body, Limits, Model
from sixvec.model.joints import Fixed, Free, Revolute
from sixvec.model.joints.joint import X_AXIS, Y_AXIS
from sixvec.model.robots.shapes import NO_TURN
from sixvec.spatial import Pose, RigidInertia, Sym3, Vec3

_BASE = RigidInertia.from_center_of_mass(1.16115091, Vec3.zero(), Sym3.diagonal(0.00578574, 0.01938108, 0.02476124))
_FOOT = RigidInertia.from_center_of_mass(
    0.00693606, Vec3(0.0, 0.0, 0.00035767), Sym3.diagonal(0.00000057, 0.00000084, 0.00000053)
)
LEGS = {"FL": (1.0, 1.0), "FR": (1.0, -1.0), "HL": (-1.0, 1.0), "HR": (-1.0, -1.0)}
"""For each leg whether it is in front (+1) or behind, and to the left (+1) or right."""


def solo12() -> Model:
    """A free base and four legs: hip abduction (HAA, about x), hip flexion (HFE) and knee flexion (KFE, both about y).

    At q = 0 the legs are stretched down.  The base joint has no motor.
    """
    unmoved = Limits(effort=(0.0,) * 6)
    base = Body("base_link", joint=Free(), inertia=_BASE, joint_name="root_joint", limits=unmoved)
    return Model("solo12", (base, *(body for name in LEGS for body in _leg(name))))


def _leg(name: str) -> tuple[Body, ...]:
    front, sign = LEGS[name]
    # Products of inertia change sign from left to right.
    shoulder = RigidInertia.from_center_of_mass(
        0.14853845,
        Vec3(-0.078707 * front, 0.01 * sign, 0.0),
        Sym3(0.00003024, 0.00004671 * sign, 0.0, 0.00041193, 0.0, 0.00041107),
    )
    upper = RigidInertia.from_center_of_mass(
        0.14853845,
        Vec3(0.00001377 * sign, 0.01935853 * sign, -0.078707),
        Sym3(0.00041107, 0.0, 0.0, 0.00041193, 0.00004671 * sign, 0.00003024),
    )
    lower = RigidInertia.from_center_of_mass(
        0.03070001,
        Vec3(0.0, 0.00787644 * sign, -0.08928215),
        Sym3(0.00012024, 0.0, 0.0, 0.00012029, 0.00000305 * sign, 0.00000216),
    )
    hip, thigh, shank = f"{name}_SHOULDER", f"{name}_UPPER_LEG", f"{name}_LOWER_LEG"
    at_hip, at_thigh = _at(0.1946 * front, 0.0875 * sign, 0.0), _at(0.0, 0.014 * sign, 0.0)
    at_knee, at_foot = _at(0.0, 0.03745 * sign, -0.16), _at(0.0, 0.008 * sign, -0.16)
    return (
        Body(hip, "base_link", Revolute(X_AXIS), at_hip, shoulder, f"{name}_HAA"),
        Body(thigh, hip, Revolute(Y_AXIS), at_thigh, upper, f"{name}_HFE"),
        Body(shank, thigh, Revolute(Y_AXIS), at_knee, lower, f"{name}_KFE"),
        Body(f"{name}_FOOT", shank, Fixed(), at_foot, _FOOT, f"{name}_ANKLE"),
    )


def _at(x: float, y: float, z: float) -> Pose:
    return Pose(NO_TURN, Vec3(x, y, z))
