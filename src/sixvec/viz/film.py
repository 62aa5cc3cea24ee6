"""Stages of a motion side by side, as a PNG."""

from __future__ import annotations

import io

import numpy as np

from sixvec.border import Array
from sixvec.robot import Robot
from sixvec.viz.robot_drawing import draw_robot
from sixvec.viz.scene import include, require_matplotlib, scene

STAGES = 5


def film(robot: Robot, q: Array, dt: float) -> bytes:
    """Up to `STAGES` positions of a path (n, nq) with their times, on the same scale."""
    require_matplotlib()
    from matplotlib.figure import Figure

    rows = np.unique(np.linspace(0, len(q) - 1, min(STAGES, len(q))).round().astype(int))
    figure = Figure(figsize=(3.0 * len(rows), 3.2), layout="constrained")
    points = robot.poses(q[rows])[..., :3, 3].reshape(-1, 3)
    for k, row in enumerate(rows):
        ax = scene(figure, 101 + 10 * len(rows) + k)
        draw_robot(robot, q[row], ax)
        include(ax, points, True)
        ax.set_title(f"{row * dt:.2f} s", fontsize=9)
        for axis in (ax.xaxis, ax.yaxis, ax.zaxis):
            axis.set_ticklabels([])
    picture = io.BytesIO()
    figure.savefig(picture, format="png", dpi=120)
    return picture.getvalue()
