"""A cloud of points with a radius, in a tree of balls: only branches that may hold the nearest point are visited."""

from __future__ import annotations

from typing import Any

import numpy as np

from sixvec.arguments import Array, real_array, require_finite, require_shape
from sixvec.distance.gaps import Indices

BRANCHES = 4


class Cloud:
    """Balls of one radius at points of the world.  Setting `points` (n, 3) replaces all of them.

    >>> import sixvec
    >>> sixvec.World().points([[0.5, 0.0, 0.1], [0.5, 0.0, 0.2]], 0.01)
    <Cloud 'points 1': 2 points of radius 0.01>
    """

    def __init__(self, name: str, points: Any, radius: float) -> None:
        self.name, self.radius = name, radius
        self.points = points

    @property
    def points(self) -> Array:
        """The points (n, 3), which cannot be written to: set others."""
        return self._points

    @points.setter
    def points(self, points: Any) -> None:
        placed = np.array(real_array(f"points of {self.name}", points), float)
        require_shape(f"points of {self.name}", placed, "points ≥ 1", 3, batch=False)
        require_finite(f"points of {self.name}", placed)
        placed.flags.writeable = False
        self._points, self.tree = placed, BallTree(placed)

    def __repr__(self) -> str:
        return f"<Cloud {self.name!r}: {len(self._points)} points of radius {self.radius:g}>"


class BallTree:
    """Balls around points, level by level: those of a level are the BRANCHES children of the level above, in order.

    The last level are the points themselves, in the order `order`; missing ones repeat the last.
    """

    def __init__(self, points: Array) -> None:
        depth = 0
        while BRANCHES**depth < len(points):
            depth += 1
        self.order = np.concatenate([np.arange(len(points)), np.full(BRANCHES**depth - len(points), len(points) - 1)])
        for level in range(depth):
            self._split(points, BRANCHES**level)
        placed = points[self.order]
        self.centres, self.radii = [], []
        for level in range(depth + 1):
            parts = placed.reshape(BRANCHES**level, -1, 3)
            middle = 0.5 * (parts.min(axis=1) + parts.max(axis=1))
            reach = np.linalg.norm(parts - middle[:, None], axis=-1).max(axis=1)
            self.centres.append(middle)
            self.radii.append(reach if level < depth else np.zeros(len(middle)))

    def _split(self, points: Array, parts: int) -> None:
        """Sort the points of each part so that its quarters are apart: halves across the longest side, twice."""
        for count in (parts, 2 * parts):
            index = self.order.reshape(count, -1)
            placed = points[index]
            axis = np.ptp(placed, axis=1).argmax(axis=1)
            along = np.take_along_axis(placed, axis[:, None, None], axis=2)[:, :, 0]
            self.order = np.take_along_axis(index, np.argsort(along, axis=1, kind="stable"), axis=1).ravel()

    def near(
        self, centres: Array, reach: Array, group: Indices, limit: Array, lowers: bool = True
    ) -> tuple[Indices, Indices, Array]:
        """For balls with centres (n, 3) and radii `reach`: rows and points that may be the nearest of a group.

        `limit` (groups,) bounds the gaps of interest from above; with `lowers` the best upper bound found lowers it.
        The third result are the gaps between the balls and the points, lower bounds for what the balls contain.
        """
        row, node = np.arange(len(centres)), np.zeros(len(centres), np.intp)
        gap = np.zeros(len(centres))
        for level, (middle, radius) in enumerate(zip(self.centres, self.radii, strict=True)):
            if level:
                row = np.repeat(row, BRANCHES)
                node = (node[:, None] * BRANCHES + np.arange(BRANCHES)).ravel()
            away = np.linalg.norm(centres[row] - middle[node], axis=-1)
            gap = away - radius[node] - reach[row]
            # the centre of the ball is inside its shape: no shape is farther from all points of the node than this
            if lowers:
                np.minimum.at(limit, group[row], away + radius[node])
            near = gap <= limit[group[row]]
            row, node, gap = row[near], node[near], gap[near]
        points = self.order[node]
        _, once = np.unique(row * len(self.order) + points, return_index=True)
        return row[once], points[once], gap[once]
