"""The cart and pole of Barto, Sutton and Anderson, "Neuronlike adaptive elements that can solve difficult learning
control problems", IEEE Trans. Systems, Man, and Cybernetics 13(5), 1983.

Frictionless; gravity is the library's 9.81 m/s² where the paper has 9.8.
"""

from __future__ import annotations

from sixvec.model import Body, Frame, Limits, Model
from sixvec.model.joints import Prismatic, Revolute
from sixvec.model.joints.joint import X_AXIS, Y_AXIS
from sixvec.model.robots.shapes import NO_TURN, point_mass
from sixvec.spatial import Pose, RigidInertia, Sym3, Vec3

CART_MASS = 1.0
POLE_MASS = 0.1
POLE_HALF_LENGTH = 0.5
TRACK_HALF_LENGTH = 2.4
LARGEST_FORCE = 10.0


def cart_pole() -> Model:
    """A prismatic joint along x, then a revolute one; at q = 0 the pole is upright, and positive angles lean to +x."""
    transverse = POLE_MASS * (2.0 * POLE_HALF_LENGTH) ** 2 / 12.0  # a uniform rod about its centre
    pole = RigidInertia.from_center_of_mass(
        POLE_MASS, Vec3(0.0, 0.0, POLE_HALF_LENGTH), Sym3.diagonal(transverse, transverse, 0.0)
    )
    track = Limits((-TRACK_HALF_LENGTH,), (TRACK_HALF_LENGTH,), effort=(LARGEST_FORCE,))
    bodies = (
        Body("base"),
        Body(
            "cart",
            "base",
            Prismatic(X_AXIS),
            inertia=point_mass(CART_MASS, Vec3.zero()),
            joint_name="slider",
            limits=track,
        ),
        # The hinge has no motor.
        Body("pole", "cart", Revolute(Y_AXIS), inertia=pole, joint_name="hinge", limits=Limits(effort=(0.0,))),
    )
    tip = Frame("tip", "pole", Pose(NO_TURN, Vec3(0.0, 0.0, 2.0 * POLE_HALF_LENGTH)))
    return Model("cart_pole", bodies, (*(Frame(b.name, b.name) for b in bodies), tip))
