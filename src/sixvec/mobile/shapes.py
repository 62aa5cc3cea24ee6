"""Shapes of platforms: a wheel is a disc with a spoke, so that its rotation is visible, a platform a slab on them."""

from __future__ import annotations

import math

import numpy as np

from sixvec.geometry.rigid_body.solids import Box, Cylinder, Sphere
from sixvec.mobile.ball_wheel import BallRoller
from sixvec.mobile.platform import Platform
from sixvec.mobile.wheel import OmniWheel, Wheel
from sixvec.model import Geom, Material
from sixvec.spatial import Pose, Rotation, Vec3

RUBBER, HUB, ROLLERS = (Material(name, (*rgb, 1.0)) for name, rgb in (
    ("rubber", (0.16, 0.17, 0.19)), ("hub", (0.75, 0.77, 0.80)), ("rollers", (0.35, 0.42, 0.52)),
))  # fmt: skip
SLAB = Material("slab", (0.55, 0.62, 0.70, 1.0))

_BREADTH = 0.6
"""Of a wheel, in radii."""

_ON_Y = Rotation.about_x(math.pi / 2)


def shown_radius(wheel: Wheel, platform: Platform) -> float:
    """The radius to draw: smaller where steered wheels would overlap, as in a car without a radius, whose radius is 1.

    >>> from sixvec.mobile import car
    >>> [shown_radius(c.wheels[0], c) for c in (car(1.2, 0.8), car(1.2, 0.8, 0.2))]
    [0.3, 0.2]
    """
    extent = max(float(np.ptp([getattr(w, axis) for w in platform.wheels])) for axis in "xy")
    return extent / 4 if platform.steered and wheel.radius > extent / 2 > 0.0 else wheel.radius


def wheel_geoms(wheel: Wheel, frame: str, middle: Pose, radius: float) -> tuple[Geom, ...]:
    """The shapes of a wheel in a frame, with its centre at `middle` and the axle along y."""
    r, breadth = radius, _BREADTH * radius
    if isinstance(wheel, BallRoller):
        stripe = Box(Vec3(1.5 * r, 1.06 * r, 1.5 * r))  # its edges show through the ball, so that its rotation is seen
        ball = (Geom(frame, Sphere(r), middle, material=RUBBER, collision=False),)
        return () if wheel.number else (*ball, Geom(frame, stripe, middle, material=HUB, collision=False))
    tyre = ROLLERS if isinstance(wheel, OmniWheel) else RUBBER
    spoke = Box(Vec3(1.5 * r, 1.08 * breadth, 0.22 * r))
    return (
        Geom(frame, Cylinder(r, breadth), middle @ Pose(_ON_Y, Vec3.zero()), material=tyre, collision=False),
        Geom(frame, spoke, middle, material=HUB, collision=False),
    )


def slab_geom(platform: Platform, frame: str, r: float) -> Geom:
    """A slab on the wheels, the largest of which has the radius r, above the steered ones, which need space to turn."""
    p = np.array([[w.x, w.y] for w in platform.wheels])
    low, high = p.min(axis=0), p.max(axis=0)
    x, y = ((low + high) / 2.0).tolist()
    length, breadth = np.maximum(np.maximum(high - low, 2.0 * r) - [0.0, _BREADTH * r], r).tolist()
    place = Pose(Rotation.identity(), Vec3(x, y, (2.4 if platform.steered else 1.5) * r))
    return Geom(frame, Box(Vec3(length, breadth, 0.6 * r)), place, material=SLAB, collision=False)
