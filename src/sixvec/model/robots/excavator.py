"""A hydraulic excavator of 20 t, the graph chain of Bruyninckx Fig. 5.8: loops of hinges and hydraulic cylinders.

Sizes and masses are those of a typical machine of this class, rounded; all are assumed.  Links are thin rods.
"""

from __future__ import annotations

import math
from functools import partial

from sixvec.model import Body, Closure, Frame, Limits, Model
from sixvec.model.joints import Revolute
from sixvec.model.robots.drawn import Drawing, Pin
from sixvec.model.robots.shapes import NO_TURN, UPRIGHT_PLANE, solid_box
from sixvec.spatial import Pose, Vec3

BOOM, STICK, BUCKET = 5.7, 2.9, 1.45
FOOT: Pin = (0.2, 1.9)
BOOM_ANGLE, STICK_ANGLE, BUCKET_ANGLE = (math.radians(x) for x in (35.0, -95.0, -100.0))
CARRIAGE_MASS, BOOM_MASS, STICK_MASS, BUCKET_MASS = 9000.0, 1900.0, 900.0, 750.0
CYLINDER_MASS, LINK_MASS = 180.0, 60.0
FORCE = 4.5e5
"""Of a cylinder of 130 mm at 340 bar, N."""


def excavator() -> Model:
    """The carriage swings; cylinders move the boom, the stick, and the bucket by a rocker and a link.

    At q = 0 the boom is raised and the stick hangs, with all loops closed; swing and cylinders have motors.  Cylinders
    are at zero there, and positive when longer.
    """
    tip = _from(FOOT, BOOM_ANGLE, (BOOM, 0.0))
    hinge = _from(tip, STICK_ANGLE, (STICK, 0.0))
    boom, stick = partial(_from, FOOT, BOOM_ANGLE), partial(_from, tip, STICK_ANGLE)
    rocker_end, bucket_pin = stick((2.35, 0.62)), stick((2.95, 0.42))

    d = Drawing("carriage", UPRIGHT_PLANE)
    d.rod("boom", "carriage", FOOT, tip, mass=BOOM_MASS)
    d.rod("stick", "boom", tip, hinge, mass=STICK_MASS)
    d.rod("bucket", "stick", hinge, _from(hinge, BUCKET_ANGLE, (BUCKET, 0.0)), mass=BUCKET_MASS)
    d.cylinder(
        "boom_cylinder", "carriage", (0.9, 1.4), boom((2.6, -0.3)), mass=2.0 * CYLINDER_MASS, limits=_stroke(0.6)
    )
    d.cylinder("stick_cylinder", "boom", boom((3.0, 0.6)), stick((-0.7, 0.25)), mass=CYLINDER_MASS, limits=_stroke(0.6))
    d.cylinder("bucket_cylinder", "stick", stick((0.5, 0.6)), rocker_end, mass=CYLINDER_MASS, limits=_stroke(0.3))
    d.rod("rocker", "stick", stick((2.45, 0.05)), rocker_end, mass=LINK_MASS)
    d.rod("link", "rocker", rocker_end, bucket_pin, mass=LINK_MASS)
    d.pin("boom_eye", "boom", boom((2.6, -0.3)))
    d.pin("stick_eye", "stick", stick((-0.7, 0.25)))
    d.pin("rocker_eye", "rocker", rocker_end)
    d.pin("link_end", "link", bucket_pin)
    d.pin("bucket_eye", "bucket", bucket_pin)
    d.pin("teeth", "bucket", _from(hinge, BUCKET_ANGLE, (BUCKET, 0.0)))

    carriage = Pose(NO_TURN, Vec3(-0.8, 0.0, 1.6)) @ solid_box(CARRIAGE_MASS, Vec3(4.0, 2.5, 1.2))
    roots = (
        Body("base"),
        Body("carriage", "base", Revolute(), inertia=carriage, joint_name="swing", limits=Limits(effort=(6e4,))),
    )
    closures = (
        Closure("boom_rod_pin", "boom_cylinder_eye", "boom_eye", Revolute()),
        Closure("stick_rod_pin", "stick_cylinder_eye", "stick_eye", Revolute()),
        Closure("bucket_rod_pin", "bucket_cylinder_eye", "rocker_eye", Revolute()),
        Closure("bucket_link_pin", "link_end", "bucket_eye", Revolute()),
    )
    frames = (Frame("base", "base"), Frame("carriage", "carriage"), *d.frames)
    return Model("excavator", (*roots, *d.bodies), frames, closures=closures)


def _from(pin: Pin, angle: float, offset: Pin) -> Pin:
    """A point given along a direction from a pin, and to the left of it."""
    c, s = math.cos(angle), math.sin(angle)
    return pin[0] + c * offset[0] - s * offset[1], pin[1] + s * offset[0] + c * offset[1]


def _stroke(half: float) -> Limits:
    return Limits((-half,), (half,), effort=(FORCE,))
