"""Screws, twists and wrenches: an axis, the rotation about it and the translation along it."""

from __future__ import annotations

import math

import numpy as np

from sixvec.errors import DegenerateError
from sixvec.geometry.direction import Direction
from sixvec.geometry.line import Line
from sixvec.geometry.point import Point
from sixvec.geometry.rigid_body.twist import CentralAxis
from sixvec.geometry.screw import Screw
from sixvec.spatial.force import Force
from sixvec.spatial.motion import Motion
from sixvec.viz.colors import ANGULAR, GREY, INK, LINEAR
from sixvec.viz.pen import Pen, Points, pen, require
from sixvec.viz.scene import Axes3D
from sixvec.viz.shapes import BESIDE, ORIGIN, across, unit

STEPS_PER_TURN = 48
MOST_TURNS = 3.0
ARC = 0.8
"""Fraction of a full circle covered by a circular arrow."""


def draw_screw(
    ax: Axes3D,
    screw: Screw,
    near: Point = ORIGIN,
    name: str | None = None,
    color: str = ANGULAR,
    length: float = 3.0,
    radius: float = 0.3,
) -> None:
    """The axis of a screw and a helix that climbs 2π h per turn; a circle for pitch 0, an arrow for infinite pitch.

    The arrow rotates positively about the axis and points backward if the pitch is negative.  The helix has at most
    three turns and fits the drawn piece of the axis.

    >>> from matplotlib.figure import Figure
    >>> from sixvec.geometry import Screw
    >>> from sixvec.spatial import Vec3
    >>> from sixvec.viz import draw_screw, scene
    >>> draw_screw(scene(Figure()), Screw(Vec3(0.0, 0.0, 1.0), Vec3(0.0, 0.0, 0.2)))
    """
    require(screw, Screw, "draw_screw", "; Screw.from_motion and Screw.from_force make one")
    with pen(ax, "draw_screw") as p:
        p.vector(screw, "the screw")
        length, radius = p.size(length, "length"), p.size(radius, "radius")
        axis, middle, along = _axis(p, CentralAxis.of_screw(screw), near)
        if not any(axis.vector):
            p.arrow(middle - along * (length / 2), along * length, color)
            p.label(name, middle + along * length * (0.5 + BESIDE), color)
            return
        _axis_line(p, middle, along, length, INK)
        p.curve(_helix(middle, along, float(axis.pitch), 0.8 * length, radius), color)
        p.label(name, middle + along * length * (0.5 + BESIDE), INK)


def draw_twist(
    ax: Axes3D,
    twist: Motion,
    near: Point = ORIGIN,
    name: str | None = None,
    scale: float = 1.0,
    length: float = 3.0,
    radius: float = 0.3,
) -> None:
    """The instantaneous screw axis, with the angular velocity (purple) and the velocity along the axis (orange).

    `scale` is the length in the picture of a unit of velocity, angular or linear.  A translation has no axis: its
    velocity is drawn at `near`.
    """
    require(twist, Motion, "draw_twist", "; a wrench is drawn by draw_wrench, twists of other kinds have `.motion`")
    with pen(ax, "draw_twist") as p:
        p.vector(twist, "the twist")
        _draw_central(p, CentralAxis.of_motion(twist), near, name, (ANGULAR, LINEAR), (scale, length, radius))


def draw_wrench(
    ax: Axes3D,
    wrench: Force,
    near: Point = ORIGIN,
    name: str | None = None,
    scale: float = 1.0,
    length: float = 3.0,
    radius: float = 0.3,
) -> None:
    """Poinsot's central axis, with the force (orange) on it and the moment about it (purple).

    `scale` is the length in the picture of a unit of force or moment.  A pure couple has no axis: its moment is
    drawn at `near`.

    >>> from matplotlib.figure import Figure
    >>> from sixvec.spatial import Force, Vec3
    >>> from sixvec.viz import draw_wrench, scene
    >>> draw_wrench(scene(Figure()), Force(Vec3(0.0, 0.0, 0.2), Vec3(0.0, 0.0, 1.0)))
    """
    require(wrench, Force, "draw_wrench", "; a velocity is drawn by draw_twist")
    with pen(ax, "draw_wrench") as p:
        p.vector(wrench, "the wrench")
        _draw_central(p, CentralAxis.of_force(wrench), near, name, (LINEAR, ANGULAR), (scale, length, radius))


def _draw_central(
    p: Pen, central: CentralAxis, near: Point, name: str | None, colors: tuple[str, str], sizes: tuple[float, ...]
) -> None:
    """`colors` are those of the vector on the axis and of the part along it."""
    scale, length, radius = (p.size(s, n) for s, n in zip(sizes, ("scale", "length", "radius"), strict=True))
    _, middle, along = _axis(p, central, near)
    on_axis, beside = (np.array([*v], float) * scale for v in (central.vector, central.along))
    turning = on_axis if colors[0] == ANGULAR else beside
    if turning.any():
        sense = math.copysign(1.0, float(turning @ along))
        p.curve(_arc(middle + along * (0.12 * length), along * sense, radius), ANGULAR)
    if on_axis.any():
        _axis_line(p, middle, along, length, GREY)
        p.arrow(middle, on_axis, colors[0], 2.2)
        side = across(Direction(*along))[0] * (0.45 * radius)
    else:
        side = np.zeros(3)
    p.arrow(middle + side, beside, colors[1], 2.2)
    tip = on_axis if on_axis.any() else beside
    p.label(name, middle + tip + along * (BESIDE * length * 0.6))


def _axis(p: Pen, central: CentralAxis, near: Point) -> tuple[CentralAxis, Points, Points]:
    """The axis, its point closest to `near`, and its direction."""
    require(near, Point, f"{p.caller} near a place")
    if not any((*central.vector, *central.along)):
        raise DegenerateError(f"{p.caller}: all six numbers are zero, so there is no axis and no direction to draw")
    if not any(central.vector):
        return central, p.vector(near, "the place"), unit(central.along)
    foot = Line(Point.of(central.point), central.vector).closest_point_to(near)
    return central, p.vector(foot, "the axis"), unit(central.vector)


def _axis_line(p: Pen, middle: Points, along: Points, length: float, color: str) -> None:
    p.line(np.array([middle - along * (length / 2), middle + along * (length / 2)]), color, 1.1, "-.")


def _arc(center: Points, along: Points, radius: float) -> Points:
    """Most of a circle about the axis, counter-clockwise when seen from its tip."""
    u, v = across(Direction(*along))
    angles = np.linspace(0.0, 2 * np.pi * ARC, STEPS_PER_TURN)[:, None]
    circle: Points = center + radius * (np.cos(angles) * u + np.sin(angles) * v)
    return circle


def _helix(middle: Points, along: Points, pitch: float, height: float, radius: float) -> Points:
    """The path of a point that rotates about the axis and climbs `pitch` per radian, centred on the middle."""
    rise = 2 * math.pi * abs(pitch)
    if rise * ARC <= 1e-9 * height:
        return _arc(middle, along, radius)
    turns = min(MOST_TURNS, height / rise)
    u, v = across(Direction(*along))
    angles = np.linspace(-math.pi, math.pi, 2 + int(STEPS_PER_TURN * turns))[:, None] * turns
    path: Points = middle + radius * (np.cos(angles) * u + np.sin(angles) * v) + pitch * angles * along
    return path
