"""Placements and inertias that several of the robots share, free of rounding."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from sixvec.model import Body, Frame, Model
from sixvec.spatial import Mat3, Pose, RigidInertia, Rotation, Sym3, Vec3

NO_TURN = Rotation.identity()
QUARTER_ABOUT_X = Rotation(Mat3(1.0, 0.0, 0.0, 0.0, 0.0, -1.0, 0.0, 1.0, 0.0))
"""+90° about x, with entries that are exactly 0 and ±1."""

UPRIGHT_PLANE = Pose(QUARTER_ABOUT_X, Vec3.zero())
"""A frame whose x is horizontal and whose y is up: the plane in which textbooks draw pendulums and planar arms."""

HANGING_PLANE = Pose(Rotation(Mat3(0.0, 1.0, 0.0, 0.0, 0.0, -1.0, -1.0, 0.0, 0.0)), Vec3.zero())
"""The same plane with x down and y horizontal: a body along x hangs."""


def along_x(length: float) -> Pose:
    return Pose(Rotation.identity(), Vec3(length, 0.0, 0.0))


def standard_arm(name: str, links: Iterable[tuple[Body, Pose]], *tools: Frame) -> Model:
    """An arm from its links in a standard Denavit-Hartenberg table, each with its frame of the table in the body.

    That frame is at the far end of the link, where the next joint is, while a body's is at its own joint.  Inertias are
    given in the frames of the table.
    """
    bodies, frames, reached = [Body("base")], [Frame("base", "base")], Pose.identity()
    for b, far_end in links:
        bodies.append(replace(b, parent=bodies[-1].name, placement=reached, inertia=far_end @ b.inertia))
        frames.append(Frame(b.name, b.name, far_end))
        reached = far_end
    return Model(name, tuple(bodies), (*frames, *tools))


def point_mass(mass: float, at: Vec3) -> RigidInertia:
    return RigidInertia.from_center_of_mass(mass, at, Sym3.zero())


def rod(mass: float, center: Vec3, transverse: float) -> RigidInertia:
    """A thin rod along x: no inertia about x, `transverse` about y and z through its centre of mass."""
    return RigidInertia.from_center_of_mass(mass, center, Sym3.diagonal(0.0, transverse, transverse))


def uniform_rod(mass: float, length: float) -> RigidInertia:
    """A thin uniform rod along x that starts at the origin: m l² / 12 about its centre."""
    return rod(mass, Vec3(length / 2.0, 0.0, 0.0), mass * length * length / 12.0)


# The package of solids is imported only when a robot needs it.


def solid_box(mass: float, size: Vec3) -> RigidInertia:
    """A uniform box around the origin."""
    from sixvec.geometry.rigid_body.solids import Box

    return Box(size).inertia(mass)


def solid_cylinder(mass: float, radius: float, length: float) -> RigidInertia:
    """A uniform cylinder along z around the origin."""
    from sixvec.geometry.rigid_body.solids import Cylinder

    return Cylinder(radius, length).inertia(mass)


def solid_ball(mass: float, radius: float) -> RigidInertia:
    """A uniform ball around the origin."""
    from sixvec.geometry.rigid_body.solids import Sphere

    return Sphere(radius).inertia(mass)
