"""A main landing gear that retracts sideways, the graph chain of Bruyninckx Fig. 5.8: hinges, cylinders and loops.

Sizes and masses are those of a small airliner, rounded; all are assumed.  Links are thin rods.
"""

from __future__ import annotations

from sixvec.model import Body, Closure, Frame, Limits, Model
from sixvec.model.body import JointDynamics
from sixvec.model.joints import Prismatic, Revolute
from sixvec.model.joints.joint import X_AXIS, Y_AXIS
from sixvec.model.robots.drawn import IDLE, Drawing
from sixvec.model.robots.shapes import NO_TURN, QUARTER_ABOUT_X, UPRIGHT_PLANE, along_x, solid_cylinder, uniform_rod
from sixvec.spatial import Mat3, Pose, Rotation, Vec3

LATERAL_PLANE = Pose(Rotation(Mat3(0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0)), Vec3.zero())
"""The plane of y (outboard) and z, in which the leg retracts; its normal is +x, forward."""

AXLE, STROKE = 1.9, 0.4
"""From the trunnion to the axle of the extended leg, and how far the shock strut gives way."""
STIFFNESS, DAMPING = 2.0e5, 1.2e4
LEG_MASS, PISTON_MASS, WHEEL_MASS, BRACE_MASS, ACTUATOR_MASS, LINK_MASS = 90.0, 60.0, 110.0, 15.0, 30.0, 4.0
FORCE = 1.5e5
"""Of the retraction cylinder, N."""
WHEEL_RADIUS, WHEEL_WIDTH = 0.55, 0.3


def landing_gear() -> Model:
    """A leg on a trunnion with a shock strut, torque links, a wheel, a folding side brace and a retraction cylinder.

    At q = 0 the gear is down and its loops are closed; only "actuator" has a motor.  The strut, a spring and a damper,
    slides; the torque links on it, which keep a real strut from turning, fold with it.
    """
    d = Drawing("airframe", LATERAL_PLANE)
    d.rod("leg", "airframe", (0.0, 0.0), (0.0, -1.2), mass=LEG_MASS, joint_name="trunnion")
    d.rod("upper_brace", "airframe", (-1.0, -0.15), (-0.55, -0.58), mass=BRACE_MASS)
    d.rod("lower_brace", "upper_brace", (-0.55, -0.58), (0.0, -0.9), mass=BRACE_MASS)
    d.cylinder(
        "actuator",
        "airframe",
        (-0.8, 0.25),
        (-0.15, -0.35),
        mass=ACTUATOR_MASS,
        limits=Limits((-0.5,), (0.0,), effort=(1.5e5,)),
    )
    d.pin("brace_end", "lower_brace", (0.0, -0.9))
    d.pin("brace_eye", "leg", (0.0, -0.9))
    d.pin("leg_horn", "leg", (-0.15, -0.35))

    links = Drawing("leg", UPRIGHT_PLANE)  # x down along the leg, y forward
    links.rod("upper_torque_link", "leg", (1.15, 0.12), (1.5, 0.5), mass=LINK_MASS)
    links.rod("lower_torque_link", "upper_torque_link", (1.5, 0.5), (1.85, 0.12), mass=LINK_MASS)
    links.pin("torque_link_end", "lower_torque_link", (1.85, 0.12))

    strut = JointDynamics(damping=(DAMPING,), stiffness=(STIFFNESS,))
    give = Limits((-STROKE,), (0.0,), effort=(0.0,))
    rod = along_x(-0.9) @ uniform_rod(PISTON_MASS, 0.9)
    wheel = Pose(QUARTER_ABOUT_X, Vec3.zero()) @ solid_cylinder(WHEEL_MASS, WHEEL_RADIUS, WHEEL_WIDTH)
    bodies = (
        Body("airframe"),
        *d.bodies,
        *links.bodies,
        Body("piston", "leg", Prismatic(X_AXIS), along_x(AXLE), rod, "strut", give, strut),
        Body("wheel", "piston", Revolute(Y_AXIS), Pose(NO_TURN, Vec3(0.0, 0.25, 0.0)), wheel, "axle", IDLE),
    )
    lug = UPRIGHT_PLANE @ Pose(NO_TURN, Vec3(1.85 - AXLE, 0.12, 0.0))
    frames = (
        Frame("airframe", "airframe"),
        *d.frames,
        *links.frames,
        Frame("piston", "piston"),
        Frame("torque_link_eye", "piston", lug),
        Frame("wheel", "wheel"),
    )
    closures = (
        Closure("brace_pin", "brace_end", "brace_eye", Revolute()),
        Closure("actuator_pin", "actuator_eye", "leg_horn", Revolute()),
        Closure("torque_link_pin", "torque_link_end", "torque_link_eye", Revolute()),
    )
    return Model("landing_gear", bodies, frames, closures=closures)
