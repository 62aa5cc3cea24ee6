"""Points, vectors, directions, planes and lines."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from sixvec.geometry.direction import Direction
from sixvec.geometry.line import Line
from sixvec.geometry.plane import Plane
from sixvec.geometry.plucker_line import PluckerLine
from sixvec.geometry.point import Point
from sixvec.spatial.vector import Vec3
from sixvec.viz.colors import GREY, INK, LINEAR, SURFACE
from sixvec.viz.pen import Pen, Points, pen, require
from sixvec.viz.scene import Axes3D

ORIGIN = Point(0.0, 0.0, 0.0)
BESIDE = 0.12
"""Distance of a label from its object, as a fraction of the object's length."""


def draw_point(
    ax: Axes3D, point: Point, name: str | None = None, color: str = INK, label_at: ArrayLike = (0, 0, 0.14)
) -> None:
    """A dot; `label_at` is the offset of the name.

    >>> from matplotlib.figure import Figure
    >>> from sixvec.spatial import Vec3
    >>> from sixvec.viz import draw_point, scene
    >>> draw_point(scene(Figure()), Vec3(1.0, 2.0, 3.0))
    Traceback (most recent call last):
    TypeError: draw_point draws a Point, not a Vec3; a vector has no place: Point.of(v) makes a point of it
    """
    require(point, Point, "draw_point", "; a vector has no place: Point.of(v) makes a point of it")
    with pen(ax, "draw_point") as p:
        at = p.vector(point, "the point")
        p.dot(at, color)
        p.label(name, at + p.vector(label_at, "label_at"), color)


def draw_vector(
    ax: Axes3D, vector: Vec3, at: Point = ORIGIN, name: str | None = None, color: str = LINEAR, scale: float = 1.0
) -> None:
    """A vector as an arrow from a point; `scale` is its length in the picture per unit.

    >>> from matplotlib.figure import Figure
    >>> from sixvec.spatial import Vec3
    >>> from sixvec.viz import draw_vector, scene
    >>> draw_vector(scene(Figure()), Vec3(1.0, 0.0, 0.5), name="v")
    """
    require(vector, Vec3, "draw_vector", "; a Direction has its own function")
    with pen(ax, "draw_vector") as p:
        start, arrow = _start(p, at), p.vector(vector, "the vector") * p.size(scale, "scale")
        p.arrow(start, arrow, color)
        p.drawn.append(start)
        p.label(name, start + arrow * (1 + BESIDE), color)


def draw_direction(
    ax: Axes3D, direction: Direction, at: Point = ORIGIN, name: str | None = None, color: str = INK, length: float = 1.0
) -> None:
    """A direction as an arrow of a chosen length.

    >>> from matplotlib.figure import Figure
    >>> from sixvec.geometry import Direction
    >>> from sixvec.viz import draw_direction, scene
    >>> draw_direction(scene(Figure()), Direction(0.0, 0.0, 1.0), name="z")
    """
    require(direction, Direction, "draw_direction", "; Direction.from_vector(v) normalises one")
    with pen(ax, "draw_direction") as p:
        start, arrow = _start(p, at), p.vector(direction, "the direction") * p.size(length, "length")
        p.arrow(start, arrow, color)
        p.label(name, start + arrow * (1 + BESIDE), color)


def draw_plane(
    ax: Axes3D,
    plane: Plane,
    near: Point = ORIGIN,
    name: str | None = None,
    color: str = SURFACE,
    size: float = 2.0,
    normal: bool = True,
) -> None:
    """A square piece of a plane, around its point closest to `near`, with its normal (or without).

    >>> from matplotlib.figure import Figure
    >>> from sixvec.geometry import Direction, Plane
    >>> from sixvec.viz import draw_plane, scene
    >>> draw_plane(scene(Figure()), Plane(Direction(0.0, 0.0, 1.0), 0.5), name="floor")
    """
    require(plane, Plane, "draw_plane")
    with pen(ax, "draw_plane") as p:
        p.vector(plane, "the plane")
        middle, upright = _start(p, plane.closest_point_to(near)), np.array([*plane.normal], float)
        u, v = across(plane.normal)
        half = p.size(size, "size") / 2
        corners = np.array([middle + half * (a * u + b * v) for a in (-1, 1) for b in (-1, 1)])
        p.surface(corners, color)
        if normal:
            p.arrow(middle, upright * (half * 0.6), color)
        p.label(name, middle + upright * (half * 0.8), color)


def draw_line(
    ax: Axes3D,
    line: Line | PluckerLine,
    near: Point = ORIGIN,
    name: str | None = None,
    color: str = INK,
    length: float = 3.0,
    style: str = "-",
) -> None:
    """A piece of a directed line, around its point closest to `near`.

    >>> from matplotlib.figure import Figure
    >>> from sixvec.geometry import Line, Point
    >>> from sixvec.spatial import Vec3
    >>> from sixvec.viz import draw_line, scene
    >>> draw_line(scene(Figure()), Line(Point(1.0, 0.0, 0.0), Vec3(0.0, 0.0, 1.0)), name="axis")
    """
    require(line, (Line, PluckerLine), "draw_line")
    with pen(ax, "draw_line") as p:
        p.vector(line, "the line")
        middle, along = _start(p, line.as_line().closest_point_to(near)), unit(line.direction)
        half = p.size(length, "length") / 2
        p.line(np.array([middle - half * along, middle + half * along]), color, style=style)
        p.arrow(middle + 0.9 * half * along, 0.1 * half * along, color, 1.4)
        p.label(name, middle + (1 + BESIDE) * half * along, color)


def draw_measure(ax: Axes3D, start: Point, end: Point, name: str | None = None, color: str = GREY) -> None:
    """A thin dashed line between two points with its name in the middle: distances, construction lines.

    >>> from matplotlib.figure import Figure
    >>> from sixvec.geometry import Point
    >>> from sixvec.viz import draw_measure, scene
    >>> draw_measure(scene(Figure()), Point(0.0, 0.0, 0.0), Point(1.0, 0.0, 0.0), "1 m")
    """
    require(start, Point, "draw_measure")
    require(end, Point, "draw_measure")
    with pen(ax, "draw_measure") as p:
        a, b = p.vector(start, "the start"), p.vector(end, "the end")
        p.line(np.array([a, b]), color, 0.9, "--")
        p.label(name, (a + b) / 2, color, 9.0)


def unit(v: Vec3) -> Points:
    """The unit vector along v; a DegenerateError for zero."""
    return np.array([*Direction.from_vector(v)], float)


def across(direction: Direction) -> tuple[Points, Points]:
    """Two unit vectors that make a right-handed set with the direction as the third."""
    u = direction.perpendicular()
    return np.array([*u], float), np.array([*direction.cross(u)], float)


def _start(p: Pen, at: Any) -> Points:
    require(at, Point, f"{p.caller} at or near a place")
    return p.vector(at, "the place")
