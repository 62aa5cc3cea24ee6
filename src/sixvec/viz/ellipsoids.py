"""Velocity and force ellipsoids at the origin of a frame."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from sixvec.errors import ArgumentError
from sixvec.robot import Robot
from sixvec.tolerances import RANK
from sixvec.viz.colors import LINEAR, Z_AXIS
from sixvec.viz.path import position
from sixvec.viz.pen import SURFACES, pen
from sixvec.viz.robot_drawing import draw_robot
from sixvec.viz.scene import Axes3D


def draw_manipulability(
    robot: Robot,
    q: ArrayLike,
    frame: str,
    ax: Axes3D | None = None,
    *,
    kind: Literal["velocity", "force"] = "velocity",
    size: float = 0.3,
    figure: bool = True,
) -> Axes3D:
    """The velocities of a frame's origin for joint rates of length one, or the forces for joint forces of length one.

    Radii of the velocity ellipsoid are the singular values of the linear Jacobian, those of the force ellipsoid their
    inverses: in directions of fast motion a frame exerts little force.  The longest axis is drawn with the length
    `size`; a direction that the joints cannot move has no velocity and no bound on its force, and is omitted from both.

    >>> import sixvec
    >>> from matplotlib.figure import Figure
    >>> from sixvec.viz import draw_manipulability, scene
    >>> arm = sixvec.load("panda")
    >>> draw_manipulability(arm, arm.random(0), "panda_link8", scene(Figure()), figure=False).name
    '3d'
    """
    if kind not in ("velocity", "force"):
        raise ArgumentError(f"draw_manipulability: kind must be 'velocity' or 'force', not {kind!r}")
    at = position(robot, q, "draw_manipulability")
    J, center = robot.jacobian(at, frame)[3:], robot.pose(at, frame)[:3, 3]
    U, values, _ = np.linalg.svd(np.asarray(J, float))
    values = np.r_[values, np.zeros(3 - len(values))]
    usable = values > RANK * (values.max() or 1.0)
    radii = np.where(usable, values if kind == "velocity" else 1.0 / np.where(usable, values, 1.0), 0.0)
    radii = size * radii / (radii.max() or 1.0)
    if figure or ax is None:
        ax = draw_robot(robot, at, ax, shapes=False)
    longitude, latitude = np.meshgrid(np.linspace(0, 2 * np.pi, 25), np.linspace(-np.pi / 2, np.pi / 2, 13))
    ball = [np.cos(latitude) * np.cos(longitude), np.cos(latitude) * np.sin(longitude), np.sin(latitude)]
    points = np.einsum("ij,j...->...i", U * radii, np.stack(ball)) + center
    with pen(ax, "draw_manipulability") as p:
        color = LINEAR if kind == "velocity" else Z_AXIS
        ax.plot_surface(*np.moveaxis(points, -1, 0), color=color, alpha=0.3, linewidth=0.0, zorder=SURFACES)
        for k in range(3):
            p.line(np.stack([center - U[:, k] * radii[k], center + U[:, k] * radii[k]]), color, 1.6)
    return ax
