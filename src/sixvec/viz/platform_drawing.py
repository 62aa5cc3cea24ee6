"""Parallel robots in matplotlib."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from sixvec.errors import ArgumentError, ShapeError
from sixvec.viz.colors import ANGULAR, GREY, INK, LINEAR
from sixvec.viz.pen import pen
from sixvec.viz.scene import Axes3D, Figure, require_matplotlib, scene

if TYPE_CHECKING:
    from sixvec.parallel import AssemblyModes, ParallelRobot  # whose import takes longer than opening the viewer


def draw_platform(
    mechanism: ParallelRobot,
    X: ArrayLike,
    ax: Axes3D | None = None,
    *,
    branch: ArrayLike | None = None,
    color: str | None = None,
) -> Axes3D:
    """Base, legs and platform of a parallel robot at one pose; returns the axes.

    >>> from matplotlib.figure import Figure
    >>> from sixvec.parallel import Planar3RPR
    >>> from sixvec.viz import draw_platform, scene
    >>> robot = Planar3RPR([[0, 0], [4, 0], [2, 3]], [[0, 0], [1, 0], [0.5, 1]])
    >>> draw_platform(robot, [1.5, 0.8, 0.3], scene(Figure())).name
    '3d'
    """
    from sixvec.parallel.pivot_spheres import spheres

    pose = mechanism.space.one(X, "draw: X")
    S = np.array([[*mechanism.space.pivot(pose.tolist(), leg.platform)] for leg in mechanism.legs])
    q = np.asarray(mechanism.inverse_position(X, branch), float)
    if not np.isfinite(q).all():
        raise ArgumentError(f"draw: leg {int(np.argmin(np.isfinite(q)))} cannot reach its pivot at this pose")
    centre = np.asarray(spheres(mechanism.legs)(q)[0])
    ax = scene() if ax is None else ax
    with pen(ax, "draw") as p:
        p.line(_ring(mechanism.roots), GREY, 1.2)
        for root, elbow, pivot in zip(mechanism.roots, centre, S, strict=True):
            p.line(np.stack([root, elbow, pivot]), INK, 1.0)
        p.line(_ring(S), color or LINEAR, 2.0)
    return ax


def draw_modes(
    mechanism: ParallelRobot, modes: AssemblyModes, columns: int = 4, figure: Figure | None = None
) -> Figure:
    """The poses of one sample side by side, each with its label; returns the figure."""
    require_matplotlib()
    from matplotlib import figure as mpl

    if np.ndim(modes.count):
        raise ShapeError(f"draw_modes shows the modes of one sample, not of {np.size(modes.count)}")
    if not modes.count:
        raise ArgumentError("draw_modes: there is no pose to show")
    rows = -(-modes.count // columns)
    figure = mpl.Figure(figsize=(1.9 * columns, 1.9 * rows), dpi=80) if figure is None else figure
    branches = [None] * modes.count if modes.q is None else mechanism.branch(modes.poses, modes.q)
    cells = figure.add_gridspec(rows, columns)
    for k, (pose, label) in enumerate(zip(modes.poses, modes.labels, strict=True)):
        ax = scene(figure, cells[divmod(k, columns)])
        ax.set_axis_off()
        draw_platform(mechanism, pose, ax, branch=branches[k], color=ANGULAR if label == "-" else LINEAR)
        ax.set_title(label, fontsize=7.0, color=INK)
    figure.subplots_adjust(left=0.0, right=1.0, bottom=0.0, top=0.94, wspace=0.0, hspace=0.1)
    return figure


def _ring(pivots: Any) -> Any:
    """Around the pivots and back to the first."""
    return np.vstack([pivots, pivots[:1]])
