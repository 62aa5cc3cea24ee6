"""Frames: three arrows from one origin."""

from __future__ import annotations

from sixvec.spatial.pose import InversePose, Pose
from sixvec.viz.colors import X_AXIS, Y_AXIS, Z_AXIS
from sixvec.viz.pen import pen, require
from sixvec.viz.scene import Axes3D
from sixvec.viz.shapes import BESIDE


def draw_frame(
    ax: Axes3D, X: Pose | InversePose, name: str | None = None, length: float = 1.0, axes: bool = True
) -> None:
    """The frame at pose X: its axes x (vermilion), y (green) and z (blue), `length` long.

    `name` is shown below the origin; `axes=False` omits the letters at the axes.

    >>> from matplotlib.figure import Figure
    >>> from sixvec.spatial import Pose
    >>> from sixvec.viz import draw_frame, scene
    >>> ax = scene(Figure())
    >>> draw_frame(ax, Pose.identity(), name="W")
    >>> [round(float(x), 2) for x in ax.get_xlim()]
    [-0.17, 1.17]
    """
    require(X, (Pose, InversePose), "draw_frame")
    with pen(ax, "draw_frame") as p:
        origin, size = p.vector(X.pos, "the position"), p.size(length, "length")
        for letter, axis, color in zip("xyz", X.rot.matrix.T.rows, (X_AXIS, Y_AXIS, Z_AXIS), strict=True):
            arrow = p.vector(axis, f"the {letter} axis") * size
            p.arrow(origin, arrow, color)
            p.label(letter if axes else None, origin + arrow * (1 + BESIDE), color, 9.0)
        below = sum(p.vector(axis, "an axis") for axis in X.rot.matrix.T.rows) * (-0.12 * size)
        p.label(name, origin + below)
