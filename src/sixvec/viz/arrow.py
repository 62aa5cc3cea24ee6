"""An arrow between two points of space, with a head that faces the viewer."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.patches import FancyArrowPatch
from numpy.typing import NDArray


class Arrow(FancyArrowPatch):
    """A flat arrow that follows its two end points when the view turns."""

    def __init__(self, start: NDArray[np.float64], end: NDArray[np.float64], **style: Any) -> None:
        super().__init__((0.0, 0.0), (0.0, 0.0), shrinkA=0.0, shrinkB=0.0, **style)
        self.ends = np.array([start, end], float)

    def do_3d_projection(self) -> float:
        """Called by the axes before drawing: the ends on the screen; returns the smallest depth."""
        axes: Any = self.axes
        x, y, z, w = axes.M @ np.column_stack([self.ends, np.ones(2)]).T
        (x0, x1), (y0, y1) = x / w, y / w
        self.set_positions((float(x0), float(y0)), (float(x1), float(y1)))
        return float((z / w).min())
