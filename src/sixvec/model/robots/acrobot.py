"""The Acrobot of Spong, "The swing up control problem for the Acrobot", IEEE Control Systems 15(1), 1995.

Two links in a vertical plane with a motor at the elbow only; the parameters are those of the paper's simulations.
Gravity is the library's 9.81 m/s² where the paper has 9.8.
"""

from __future__ import annotations

from sixvec.model import Body, Frame, Limits, Model
from sixvec.model.joints import Revolute
from sixvec.model.robots.shapes import UPRIGHT_PLANE, along_x, rod
from sixvec.spatial import Vec3

# Masses in kg, lengths in m; the centres of mass are halfway; moments of inertia about them in kg m².
MASS_1, MASS_2 = 1.0, 1.0
LENGTH_1, LENGTH_2 = 1.0, 2.0
CENTER_1, CENTER_2 = 0.5, 1.0
INERTIA_1, INERTIA_2 = 0.083, 0.33


def acrobot() -> Model:
    """Two revolute joints; angles as in the paper, from the horizontal: it hangs at q = (-π/2, 0)."""
    bodies = (
        Body("base", placement=UPRIGHT_PLANE),
        Body(
            "link1",
            "base",
            Revolute(),
            inertia=rod(MASS_1, Vec3(CENTER_1, 0.0, 0.0), INERTIA_1),
            joint_name="shoulder",
            limits=Limits(effort=(0.0,)),
        ),
        Body(
            "link2",
            "link1",
            Revolute(),
            along_x(LENGTH_1),
            rod(MASS_2, Vec3(CENTER_2, 0.0, 0.0), INERTIA_2),
            "elbow",
        ),
    )
    frames = (*(Frame(b.name, b.name) for b in bodies), Frame("tip", "link2", along_x(LENGTH_2)))
    return Model("acrobot", bodies, frames)
