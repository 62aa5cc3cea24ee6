"""The four-bar linkage that Norton solves in "Design of Machinery", example 4-1: a crank-rocker in the vertical plane.

Lengths are the book's (crank 40, coupler 120, rocker 80, ground 100 mm).  It gives no masses; the bars are assumed to
be thin and uniform, of 1 kg per metre.
"""

from __future__ import annotations

from sixvec.model import Body, Closure, Frame, Limits, Model
from sixvec.model.joints import Revolute
from sixvec.model.robots.shapes import UPRIGHT_PLANE, along_x, uniform_rod

CRANK, COUPLER, ROCKER, GROUND = 0.040, 0.120, 0.080, 0.100
MASS_PER_LENGTH = 1.0


def four_bar() -> Model:
    """A loop of four hinges, cut between coupler and rocker; at q = 0, still open there, all bars lie along x.

    Angles of crank and rocker are measured from the ground, that of the coupler from the crank; only the crank has a
    motor.
    """
    bars = {"crank": CRANK, "coupler": COUPLER, "rocker": ROCKER}
    inertia = {name: uniform_rod(MASS_PER_LENGTH * length, length) for name, length in bars.items()}
    idle = Limits(effort=(0.0,))
    bodies = (
        Body("base", placement=UPRIGHT_PLANE),
        Body("crank", "base", Revolute(), inertia=inertia["crank"], joint_name="drive"),
        Body("coupler", "crank", Revolute(), along_x(CRANK), inertia["coupler"], "crank_pin", idle),
        Body("rocker", "base", Revolute(), along_x(GROUND), inertia["rocker"], "pivot", idle),
    )
    ends = tuple(Frame(f"{name}_end", name, along_x(length)) for name, length in bars.items())
    pin = Closure("coupler_pin", "coupler_end", "rocker_end", Revolute())
    return Model("four_bar", bodies, (*(Frame(b.name, b.name) for b in bodies), *ends), closures=(pin,))
