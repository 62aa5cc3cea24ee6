"""Shapes of the pictures that `sixvec.viz` does not have: a floor, curves, arcs, a globe, boxes, springs, words."""

from __future__ import annotations

from math import cos, pi, sin, tau
from typing import Any

import numpy as np
from matplotlib import patheffects

from sixvec import viz
from sixvec.geometry.direction import Direction
from sixvec.geometry.point import Point
from sixvec.spatial import Pose, Rotation, Vec3
from sixvec.viz.colors import ANGULAR, GREY, INK, PALE, SURFACE

ZOOM = 1.22
X, Y, Z = Vec3(1.0, 0.0, 0.0), Vec3(0.0, 1.0, 0.0), Vec3(0.0, 0.0, 1.0)


def floor(ax: Any) -> None:
    """A pale grid under everything, in place of the walls."""
    (x0, x1), (y0, y1), (z, top) = ax.get_xlim(), ax.get_ylim(), ax.get_zlim()
    ax.set_axis_off()
    ax.set_box_aspect((x1 - x0, y1 - y0, top - z), zoom=ZOOM)
    step = max(x1 - x0, y1 - y0) / 6
    for a0, a1, b0, b1, swap in ((x0, x1, y0, y1, 1), (y0, y1, x0, x1, -1)):
        along, across = (round((high - low) / step / 2) * step for low, high in ((a0, a1), (b0, b1)))
        for a in (a0 + a1) / 2 + np.arange(-along, along + step / 2, step):
            ends = ([a, a], [(b0 + b1) / 2 - across, (b0 + b1) / 2 + across])[::swap]
            ax.plot(*ends, [z, z], color=PALE, linewidth=0.7, zorder=0)
    for artist in ax.get_children():
        artist.set_clip_on(False)


def curve(ax: Any, points: Any, color: str = GREY, width: float = 1.2, style: str = "-", alpha: float = 1.0) -> None:
    """A curve through points."""
    ax.plot(*np.array([[*p] for p in points]).T, style, color=color, linewidth=width, alpha=alpha, zorder=2)


def turn(ax: Any, axis: Direction, at: Point, start: Vec3, angle: float, name: str, color: str = ANGULAR) -> None:
    """An arc from the tip of `start` about an axis, with an arrow head and a name in its middle."""
    points = [at + Rotation.about(axis.vec, angle * k / 40) @ start for k in range(41)]
    curve(ax, points[:-1], color, 1.6)
    viz.draw_vector(ax, points[-1] - points[-3], points[-3], color=color)
    middle = at + (Rotation.about(axis.vec, angle / 2) @ start) * 1.18
    text(ax, middle, name, color)


def globe(ax: Any, radius: float = 1.0) -> None:
    """A pale unit sphere."""
    for latitude in np.linspace(-pi / 3, pi / 3, 5):
        ring = [Vec3(cos(a), sin(a), 0.0) * (radius * cos(latitude)) + Z * (radius * sin(latitude)) for a in circle()]
        curve(ax, ring, PALE, 0.8)
    for longitude in np.linspace(0.0, pi, 7)[:-1]:
        ring = [(X * cos(longitude) + Y * sin(longitude)) * (radius * cos(a)) + Z * (radius * sin(a)) for a in circle()]
        curve(ax, ring, PALE, 0.8)


def box(ax: Any, pose: Pose, size: Vec3, color: str = SURFACE, alpha: float = 0.10) -> None:
    """A translucent box, centred at a pose."""
    for i, (u, v, w) in enumerate(((X, Y, Z), (Y, Z, X), (Z, X, Y))):
        a, b, c = ([*size][(i + k) % 3] / 2 for k in range(3))
        for side in (-1.0, 1.0):
            face = [pose * (u * (p * a) + v * (q * b) + w * (side * c)) for p in (-1, 1) for q in (-1, 1)]
            corners = np.array([[*corner] for corner in face])
            grid = corners.T.reshape(3, 2, 2)
            ax.plot_surface(*grid, color=color, alpha=alpha, linewidth=0, shade=False, zorder=1)
            curve(ax, corners[[0, 1, 3, 2, 0]], color, 0.8, alpha=0.75)


def spring(ax: Any, a: Vec3, b: Vec3, turns: int = 6, radius: float = 0.09) -> None:
    """A coil between two points."""
    axis = b - a
    e = Direction.from_vector(axis)
    u = e.perpendicular().vec
    v = e.vec.cross(u)
    points = [a]
    for s in np.linspace(0.12, 0.88, 20 * turns):
        angle = tau * turns * (s - 0.12) / 0.76
        points.append(a + axis * float(s) + (u * cos(angle) + v * sin(angle)) * radius)
    curve(ax, [*points, b], GREY, 1.3)


def text(ax: Any, at: Vec3 | Point, words: str, color: str = INK, size: float = 10.0) -> None:
    label = ax.text(*at, words, color=color, fontsize=size, ha="center", va="center", zorder=5)
    label.set_path_effects([patheffects.withStroke(linewidth=2.5, foreground="white")])


def circle(steps: int = 72) -> Any:
    return np.linspace(0.0, tau, steps + 1)
