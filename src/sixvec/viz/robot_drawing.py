"""A robot in matplotlib: its shapes, or a stick figure."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sixvec.model import WORLD
from sixvec.robot import Robot
from sixvec.viz.colors import INK, Z_AXIS
from sixvec.viz.path import position
from sixvec.viz.pen import SURFACES, pen
from sixvec.viz.pieces import pieces
from sixvec.viz.scene import Axes3D, scene

LIGHT = np.array([0.4, -0.5, 0.77])
"""The direction of the light."""


def draw_robot(
    robot: Robot, q: ArrayLike, ax: Axes3D | None = None, *, shapes: bool = True, alpha: float = 1.0
) -> Axes3D:
    """The robot at q (nq,): its shapes, or with `shapes=False` lines between its frames; returns the axes.

    >>> import sixvec
    >>> from matplotlib.figure import Figure
    >>> from sixvec.viz import draw_robot, scene
    >>> arm = sixvec.load("planar_2r")
    >>> draw_robot(arm, [0.3, 0.5], scene(Figure())).name
    '3d'
    """
    at = position(robot, q, "draw_robot")
    ax = scene() if ax is None else ax
    poses = np.asarray(robot.poses(at), float)
    with pen(ax, "draw_robot") as p:
        if shapes:
            corners, colors = [], []
            for piece in pieces(robot.model):
                X = poses[robot.frame_names.index(piece.frame)]
                triangles = (piece.surface.vertices @ X[:3, :3].T + X[:3, 3])[piece.surface.faces]
                corners.append(triangles)
                colors.append(_shaded(triangles, np.array(piece.color), alpha))
                p.drawn += [triangles.reshape(-1, 3).min(axis=0), triangles.reshape(-1, 3).max(axis=0)]
            from mpl_toolkits.mplot3d.art3d import Poly3DCollection

            shades = np.concatenate(colors)
            shown = Poly3DCollection(
                np.concatenate(corners), facecolors=shades, edgecolors=shades, linewidths=0.4, zorder=SURFACES
            )
            ax.add_collection3d(shown)
        else:
            for a, b in skeleton(robot):
                p.line(poses[[a, b], :3, 3], Z_AXIS, 2.6)
            for X in poses:
                p.dot(X[:3, 3], INK)
    return ax


def _shaded(triangles: NDArray[np.float64], color: NDArray[np.float64], alpha: float) -> NDArray[np.float64]:
    """A colour for each triangle, brighter where it faces the light."""
    normal = np.cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0])
    length = np.linalg.norm(normal, axis=1, keepdims=True)
    facing = np.clip((normal / np.where(length, length, 1.0)) @ LIGHT, 0.0, 1.0)
    rgb = color[None, :3] * (0.45 + 0.55 * facing[:, None])
    return np.concatenate([rgb, np.full((len(rgb), 1), color[3] * alpha)], axis=1)


def skeleton(robot: Robot) -> NDArray[np.int_]:
    """Which frames to join by lines, as pairs of indices: each with the first of its body, else of a body below.

    >>> import sixvec
    >>> skeleton(sixvec.load("cart_pole")).tolist()
    [[0, 1], [1, 2], [2, 3]]
    """
    first: dict[str | None, int] = {}
    links = []
    for i, frame in enumerate(robot.model.frames):
        if frame.body is not WORLD:
            inward = [first[b.name] for b in reversed(robot.model.path(frame.body)) if b.name in first]
            links += [(j, i) for j in inward[:1]]
            first.setdefault(frame.body, i)
    return np.array(links, int).reshape(-1, 2)
