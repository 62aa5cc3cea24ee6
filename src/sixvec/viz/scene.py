"""Plain three-dimensional axes for geometry."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from sixvec.errors import MissingExtra
from sixvec.tolerances import EQUAL
from sixvec.viz.colors import GREY, PALE

if TYPE_CHECKING:
    from matplotlib import axes, figure
    from matplotlib.gridspec import SubplotSpec
    from mpl_toolkits.mplot3d import axes3d

Axes: TypeAlias = "axes.Axes"
Axes3D: TypeAlias = "axes3d.Axes3D"
Figure: TypeAlias = "figure.Figure"
"""Types of matplotlib, which is imported when something is drawn."""

MARGIN = 0.04
"""Margin around the drawing, as a fraction of its largest extent."""

THINNEST = 0.25
"""A flat drawing gets a box at least this deep, as a fraction of its largest extent."""


def scene(
    figure: Figure | None = None, position: int | SubplotSpec = 111, elevation: float = 22.0, azimuth: float = -55.0
) -> Axes3D:
    """Axes for drawing, with equal scales, a pale grid and no frame; angles of view in degrees.

    They are added to `figure` at `position` (as in `Figure.add_subplot`); without a figure pyplot opens a new one,
    which `pyplot.show()` displays.

    >>> from matplotlib.figure import Figure
    >>> from sixvec.viz import scene
    >>> scene(Figure()).name
    '3d'
    """
    require_matplotlib()
    from matplotlib import ticker

    if figure is None:
        from matplotlib import pyplot

        figure = pyplot.figure(figsize=(6.0, 5.0))
    ax = figure.add_subplot(position, projection="3d")
    ax.view_init(elevation, azimuth)
    ax.set_proj_type("persp", focal_length=1.6)
    # Depth sorting of whole artists hides arrows behind planes they pierce; layers by kind do not.
    ax.computed_zorder = False
    for axis in (ax.xaxis, ax.yaxis, ax.zaxis):
        axis.set_pane_color((1.0, 1.0, 1.0, 0.0))
        axis.line.set_color(PALE)
        axis.set_major_locator(ticker.MaxNLocator(4, steps=[1, 2, 5, 10]))
        axis.set_tick_params(color=PALE, labelcolor=GREY, labelsize=7, pad=-2)
        axis._axinfo["grid"].update(color=PALE, linewidth=0.6)
        axis._axinfo["tick"].update(inward_factor=0.0, outward_factor=0.0)
    for name in "xyz":
        getattr(ax, f"set_{name}label")(name, color=GREY, fontsize=8, labelpad=-6)
    return ax


def require_matplotlib() -> None:
    """An error that names the package to install."""
    try:
        import matplotlib  # noqa: F401
    except ImportError as problem:
        raise MissingExtra("sixvec.viz needs matplotlib", extra="viz") from problem


def include(ax: Axes3D, points: ArrayLike, had_data: bool) -> None:
    """Extend the axes to include the points, with the same scale along x, y and z."""
    x, y, z = np.asarray(points, float).reshape(-1, 3).T
    ax.auto_scale_xyz(x, y, z, had_data)
    box = np.array([ax.xy_dataLim.intervalx, ax.xy_dataLim.intervaly, ax.zz_dataLim.intervalx])
    extent = float(np.ptp(box, axis=1).max())
    largest = extent if extent > EQUAL * np.abs(box).max() else 1.0
    size = np.maximum(np.ptp(box, axis=1), THINNEST * largest) + 2 * MARGIN * largest
    low, high = box.mean(axis=1) - size / 2, box.mean(axis=1) + size / 2
    ax.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]), zlim=(low[2], high[2]))
    ax.set_box_aspect(size, zoom=1.0)
