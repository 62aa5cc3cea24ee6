"""Workspaces: the cells that a frame reaches, coloured by how well."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from sixvec.errors import ArgumentError, ShapeError
from sixvec.viz.colors import SURFACE
from sixvec.viz.pen import MARKS, pen

MARK_AREA = 6.0
"""Size of a mark, in square points."""


def draw_workspace(ax: Any, centers: ArrayLike, values: ArrayLike | None = None, colors: str = "viridis") -> Any:
    """A mark at each of the points (n, 3), coloured by `values` (n,) where given; returns what a colour bar needs.

    >>> from matplotlib.figure import Figure
    >>> from sixvec.viz import scene
    >>> ax = scene(Figure())
    >>> marks = draw_workspace(ax, [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0]], [0.1, 0.9])
    >>> marks.get_array().tolist()
    [0.1, 0.9]
    """
    points = np.asarray(centers, float)
    if points.ndim != 2 or points.shape[1] != 3 or not len(points):
        raise ShapeError(f"draw_workspace draws points (n, 3), at least one; this array is {points.shape}")
    if not np.isfinite(points).all():
        raise ArgumentError("draw_workspace: some points are not finite")
    shades: dict[str, Any] = {"color": SURFACE}
    if values is not None:
        shades = {"c": np.asarray(values, float), "cmap": colors}
        if shades["c"].shape != (len(points),):
            raise ShapeError(f"draw_workspace: {len(points)} points need as many values, not {shades['c'].shape}")
    with pen(ax, "draw_workspace") as p:
        marks = ax.scatter(*points.T, s=MARK_AREA, marker="s", linewidths=0.0, alpha=0.6, zorder=MARKS, **shades)
        p.drawn += [points.min(axis=0), points.max(axis=0)]
    return marks
