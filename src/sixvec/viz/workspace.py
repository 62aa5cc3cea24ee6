"""Workspaces: the cells that a frame reaches, coloured by quality."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from sixvec.arguments import real_array, require_shape
from sixvec.errors import ArgumentError
from sixvec.viz.colors import SURFACE
from sixvec.viz.pen import MARKS, pen
from sixvec.viz.scene import Axes, Axes3D
from sixvec.viz.style import chart

MARK_AREA = 6.0
"""Size of a mark, in square points."""


def draw_workspace(ax: Axes3D, centers: ArrayLike, values: ArrayLike | None = None, colors: str = "viridis") -> Any:
    """A mark at each of the points (n, 3), coloured by `values` (n,) if given; returns the object for a colour bar.

    >>> from matplotlib.figure import Figure
    >>> from sixvec.viz import draw_workspace, scene
    >>> ax = scene(Figure())
    >>> marks = draw_workspace(ax, [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0]], [0.1, 0.9])
    >>> marks.get_array().tolist()
    [0.1, 0.9]
    """
    points = real_array("draw_workspace: centers", centers, "n ≥ 1", 3, batch=False, finite=True)
    shades: dict[str, Any] = {"color": SURFACE}
    if values is not None:
        shades = {"c": real_array("draw_workspace: values", values, len(points), batch=False), "cmap": colors}
    with pen(ax, "draw_workspace") as p:
        marks = ax.scatter(*points.T, s=MARK_AREA, marker="s", linewidths=0.0, alpha=0.6, zorder=MARKS, **shades)
        p.drawn += [points.min(axis=0), points.max(axis=0)]
    return marks


def draw_workspace_slice(
    centers: ArrayLike,
    values: ArrayLike | None = None,
    ax: Axes | None = None,
    *,
    across: str = "y",
    at: float = 0.0,
    thickness: float = 0.1,
    colors: str = "viridis",
) -> Axes:
    """Those of the points (n, 3) that lie within `thickness` about a plane, seen along its normal; returns the axes.

    `across` names the normal ("x", "y" or "z"), `at` is the position of the plane along it.

    >>> from matplotlib.figure import Figure
    >>> from sixvec.viz import draw_workspace_slice
    >>> ax = draw_workspace_slice([[0.0, 0.0, 0.3], [1.0, 0.9, 0.0]], ax=Figure().subplots())
    >>> ax.get_xlabel(), ax.get_ylabel(), len(ax.collections[0].get_offsets())
    ('x [m]', 'z [m]', 1)
    """
    points = real_array("draw_workspace_slice: centers", centers, "n", 3, batch=False)
    if across not in ("x", "y", "z"):
        raise ArgumentError(f"draw_workspace_slice: across must be 'x', 'y' or 'z', not {across!r}")
    normal = "xyz".index(across)
    within = np.abs(points[:, normal] - at) <= thickness / 2
    first, second = (i for i in range(3) if i != normal)
    shades: dict[str, Any] = {"color": SURFACE}
    if values is not None:
        of_all = real_array("draw_workspace_slice: values", values)
        if of_all.shape not in ((len(points), 3), (len(points), 4)):  # colours, as Matplotlib takes them
            require_shape("draw_workspace_slice: values", of_all, len(points), batch=False, why="or a colour for each")
        shades = {"c": of_all[within], "cmap": colors if of_all.ndim == 1 else None}
    ax = chart(ax, (4.6, 4.2))
    marks = ax.scatter(points[within, first], points[within, second], s=MARK_AREA, marker="s", linewidths=0.0, **shades)
    if values is not None and of_all.ndim == 1 and ax.figure is not None:
        ax.figure.colorbar(marks, ax=ax, shrink=0.8)
    ax.set(xlabel=f"{'xyz'[first]} [m]", ylabel=f"{'xyz'[second]} [m]")
    ax.set_aspect("equal")
    return ax
