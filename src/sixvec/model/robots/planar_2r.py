"""The planar 2R arm of Lynch-Park §9.1.

Two links in a vertical plane, each with a point mass at its end.  In the book m₁, m₂, L₁, L₂ are symbols; here
they are all one.
"""

from __future__ import annotations

from sixvec.model import Body, Frame, Model
from sixvec.model.joints import Revolute
from sixvec.model.robots.shapes import UPRIGHT_PLANE, along_x, point_mass
from sixvec.spatial import Vec3

MASS_1 = MASS_2 = 1.0
LENGTH_1 = LENGTH_2 = 1.0


def planar_2r() -> Model:
    """Two revolute joints; at q = 0 the arm lies along the world's x, and positive angles lift it."""
    bodies = (
        Body("base", placement=UPRIGHT_PLANE),
        Body("link1", "base", Revolute(), inertia=point_mass(MASS_1, Vec3(LENGTH_1, 0.0, 0.0)), joint_name="joint1"),
        Body(
            "link2",
            "link1",
            Revolute(),
            along_x(LENGTH_1),
            point_mass(MASS_2, Vec3(LENGTH_2, 0.0, 0.0)),
            "joint2",
        ),
    )
    frames = (*(Frame(b.name, b.name) for b in bodies), Frame("tip", "link2", along_x(LENGTH_2)))
    return Model("planar_2r", bodies, frames)
