"""The Unimation Puma 560, the standard example of textbooks, as rigid links without its motors.

Masses, centres and inertias were measured by Armstrong, Khatib and Burdick, "The explicit dynamic model and inertial
parameters of the PUMA 560 arm", IEEE Int. Conf. on Robotics and Automation, 1986.  They are given here in the frames of
the standard Denavit-Hartenberg table of Corke and Armstrong-Hélouvry, "A search for consensus among model parameters
reported for the PUMA 560 robot", IEEE Int. Conf. on Robotics and Automation, 1994, as Corke's Robotics Toolbox
carries them; joint limits as there, from Wang and Chen, IEEE Trans. Robotics and Automation 7(4), 1991.

Of link 1 only the inertia about its vertical axis was measurable, so it has no mass here.  The measured inertia of
link 3 violates the triangle inequality by a few percent.  The inertia of the geared motors, which adds to the diagonal
of the mass matrix, is left out.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from sixvec.model import Body, Limits, Model
from sixvec.model.joints import Revolute
from sixvec.model.robots.shapes import NO_TURN, QUARTER_ABOUT_X, standard_arm
from sixvec.spatial import Pose, RigidInertia, Rotation, Sym3, Vec3

_LEFT, _RIGHT = QUARTER_ABOUT_X, QUARTER_ABOUT_X.inv()


class _Link(NamedTuple):
    """A row of the table, and the inertia of the link, in its own Denavit-Hartenberg frame."""

    d: float
    a: float
    twist: Rotation
    mass: float
    center: tuple[float, float, float]
    inertia: tuple[float, float, float]  # about the centre, xx yy zz; products were not measured
    degrees: tuple[float, float]


_LINKS = (
    _Link(0.0, 0.0, _LEFT, 0.0, (0.0, 0.0, 0.0), (0.0, 0.35, 0.0), (-160.0, 160.0)),
    _Link(0.0, 0.4318, NO_TURN, 17.4, (-0.3638, 0.006, 0.2275), (0.13, 0.524, 0.539), (-45.0, 225.0)),
    _Link(0.15005, 0.0203, _RIGHT, 4.8, (-0.0203, -0.0141, 0.07), (0.066, 0.086, 0.0125), (-225.0, 45.0)),
    _Link(0.4318, 0.0, _LEFT, 0.82, (0.0, 0.019, 0.0), (0.0018, 0.0013, 0.0018), (-110.0, 170.0)),
    _Link(0.0, 0.0, _RIGHT, 0.34, (0.0, 0.0, 0.0), (0.0003, 0.0004, 0.0003), (-100.0, 100.0)),
    _Link(0.0, 0.0, NO_TURN, 0.09, (0.0, 0.0, 0.032), (0.00015, 0.00015, 0.00004), (-266.0, 266.0)),
)


def puma560() -> Model:
    """Six revolute joints; the frames link1 to link6 are those of the table, with the base at the shoulder."""
    links = []
    for i, link in enumerate(_LINKS, start=1):
        inertia = RigidInertia.from_center_of_mass(link.mass, Vec3(*link.center), Sym3.diagonal(*link.inertia))
        lower, upper = (math.radians(x) for x in link.degrees)
        limits = Limits((lower,), (upper,))
        b = Body(f"link{i}", joint=Revolute(), inertia=inertia, joint_name=f"joint{i}", limits=limits)
        links.append((b, Pose(link.twist, Vec3(link.a, 0.0, link.d))))
    return standard_arm("puma560", links)
