"""The offset slider-crank that Norton solves in "Design of Machinery", example 4-2, in the vertical plane.

Lengths are the book's (crank 40, coupler 120, offset -20 mm).  It gives no masses; the bars are assumed to be thin
and uniform, of 1 kg per metre, and the slider to be a point of 0.1 kg.
"""

from __future__ import annotations

from sixvec.model import Body, Closure, Frame, Limits, Model
from sixvec.model.joints import Prismatic, Revolute
from sixvec.model.joints.joint import X_AXIS
from sixvec.model.robots.shapes import NO_TURN, UPRIGHT_PLANE, along_x, point_mass, uniform_rod
from sixvec.spatial import Pose, Vec3

CRANK, COUPLER, OFFSET = 0.040, 0.120, -0.020
MASS_PER_LENGTH = 1.0
SLIDER_MASS = 0.1


def slider_crank() -> Model:
    """A loop of three hinges and a slide, cut between coupler and slider; at q = 0, still open there, bars lie along x.

    Only the crank has a motor.
    """
    idle = Limits(effort=(0.0,))
    track = Pose(NO_TURN, Vec3(0.0, OFFSET, 0.0))
    bodies = (
        Body("base", placement=UPRIGHT_PLANE),
        Body("crank", "base", Revolute(), inertia=uniform_rod(MASS_PER_LENGTH * CRANK, CRANK), joint_name="drive"),
        Body(
            "coupler",
            "crank",
            Revolute(),
            along_x(CRANK),
            uniform_rod(MASS_PER_LENGTH * COUPLER, COUPLER),
            "crank_pin",
            idle,
        ),
        Body("slider", "base", Prismatic(X_AXIS), track, point_mass(SLIDER_MASS, Vec3.zero()), "slide", idle),
    )
    end = Frame("coupler_end", "coupler", along_x(COUPLER))
    pin = Closure("slider_pin", "coupler_end", "slider", Revolute())
    return Model("slider_crank", bodies, (*(Frame(b.name, b.name) for b in bodies), end), closures=(pin,))
