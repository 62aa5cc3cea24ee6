"""The double pendulum of mechanics textbooks: two equal uniform rods, hinged, hanging.

Mass and length are one, so each rod has m l² / 12 = 1/12 kg m² about its centre.
"""

from __future__ import annotations

from sixvec.model import Body, Frame, Model
from sixvec.model.joints import Revolute
from sixvec.model.robots.shapes import HANGING_PLANE, along_x, uniform_rod

MASS = 1.0
LENGTH = 1.0


def double_pendulum() -> Model:
    """Two revolute joints; at q = 0 both rods hang straight down, and positive angles swing them toward +x."""
    bodies = (
        Body("base", placement=HANGING_PLANE),
        Body("link1", "base", Revolute(), inertia=uniform_rod(MASS, LENGTH), joint_name="joint1"),
        Body("link2", "link1", Revolute(), along_x(LENGTH), uniform_rod(MASS, LENGTH), "joint2"),
    )
    frames = (*(Frame(b.name, b.name) for b in bodies), Frame("tip", "link2", along_x(LENGTH)))
    return Model("double_pendulum", bodies, frames)
