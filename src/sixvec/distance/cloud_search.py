"""A robot compared with a cloud of points."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sixvec.arguments import Array
from sixvec.distance.cloud import Cloud
from sixvec.distance.gaps import Gaps, Indices, Solids
from sixvec.distance.levers import Ways, lasting
from sixvec.distance.part import Details, Names, Nearest, Reach
from sixvec.distance.search import PlacedRobot
from sixvec.distance.shapes import CollisionShape
from sixvec.tolerances import ROUNDING

AT_ONCE = 4096
"""Placed shapes at a time."""


@dataclass(frozen=True, eq=False)
class CloudSearch:
    """Some shapes of a robot (`which`) and a cloud; `name` is, for each of them, the index of its pair of names."""

    robot: PlacedRobot
    cloud: Cloud
    which: Indices
    name: Indices
    names: Names

    def nearest(self, q: Array) -> Nearest:
        gaps, shape = self._nearest(q, per_name=False)
        gap, shape = gaps.gap[:, 0], shape[:, 0]
        states = np.array(q, float)

        def details() -> Details:
            both = np.stack([self.robot.body_numbers[shape].astype(float), np.full(len(shape), -1.0)], axis=1)
            first, second, normal = gaps.first[:, 0], gaps.second[:, 0], gaps.normal[:, 0]
            gradient = self.robot.gradient.call(states, both, first, normal)
            points = np.stack([first, second], axis=1)
            return tuple(x.astype(q.dtype, copy=False) for x in (points, normal, gradient))  # type: ignore[return-value]

        pair = np.zeros(len(self.robot.shapes), np.intp)
        pair[self.which] = self.name
        return Nearest(gap.astype(q.dtype, copy=False), pair[shape], details)

    def each(self, q: Array) -> Array:
        return self._nearest(q, per_name=True)[0].gap.astype(q.dtype, copy=False)

    def overlaps(self, q: Array) -> NDArray[np.bool_]:
        return np.asarray(self.each(q) < 0.0)

    def clear(self, q: Array, margin: float) -> NDArray[np.bool_]:
        result, _ = self._nearest(q, per_name=False, limit=margin, depths=False)
        return np.asarray(result.gap[:, 0] > margin)

    def reach(self, ways: Ways) -> Reach:
        """As `Part.reach`."""
        shrinking, count = ways.speeds[:, self.which].sum(axis=2), len(self.which)

        def reach(q: Array, motion: Indices, most: Array) -> Array:
            result = most.copy()
            for start in range(0, len(q), max(1, AT_ONCE // count)):
                rows = slice(start, start + max(1, AT_ONCE // count))
                X, centres = self._placed(q[rows])
                way = shrinking[motion[rows]]
                margin = (way * most[rows, None]).ravel() + ROUNDING + self.cloud.radius
                group, size = np.arange(len(centres)), np.tile(self.robot.solids.ball_radius[self.which], len(X))
                row, point, _ = self.cloud.tree.near(centres, size, group, margin, lowers=False)
                if row.size:
                    gap = self._gaps(row, point, X.reshape(-1, 12), depths=False).gap
                    np.minimum.at(result, start + row // count, lasting(gap, way.ravel()[row]))
            return result

        return reach

    def _nearest(
        self, q: Array, per_name: bool, limit: float = np.inf, depths: bool = True
    ) -> tuple[Gaps, NDArray[np.intp]]:
        """The nearest point of the cloud for each state and each pair of names (or all), and the shape it is nearest
        to; infinitely far if it is farther than the limit."""
        groups = len(self.names) if per_name else 1
        total = Gaps(np.full((len(q), groups), np.inf), *(np.full((len(q), groups, 3), np.nan) for _ in range(3)))
        shapes = np.zeros((len(q), groups), np.intp)
        shapes[:] = self.which[0]
        step = max(1, AT_ONCE // len(self.which))
        for start in range(0, len(q), step):
            rows = slice(start, min(start + step, len(q)))
            self._fill(q[rows], groups, limit, depths, (total, shapes, start))
        lost = ~np.isfinite(q).all(axis=1)
        total.gap[lost], total.normal[lost] = np.nan, np.nan
        return total, shapes

    def _fill(
        self, q: Array, groups: int, limit: float, depths: bool, into: tuple[Gaps, NDArray[np.intp], int]
    ) -> None:
        X, centres = self._placed(q)
        n, count, s = len(q), len(self.which), self.robot.solids
        group = (np.arange(n)[:, None] * groups + (self.name if groups > 1 else 0 * self.name)).ravel()
        reach, most = np.tile(s.ball_radius[self.which], n), np.full(n * groups, limit + self.cloud.radius)
        row, point, _ = self.cloud.tree.near(centres, reach, group, most)
        if not row.size:
            return
        result = self._gaps(row, point, X.reshape(-1, 12), depths)
        total, shapes, start = into
        order = np.lexsort((point, result.gap, group[row]))
        best = order[np.flatnonzero(np.diff(group[row][order], prepend=-1))]
        at = start + group[row[best]] // groups, group[row[best]] % groups
        total.put(at, result.taken(best))
        shapes[at] = self.which[row[best] % count]

    def _placed(self, q: Array) -> tuple[Array, Array]:
        """The poses (n, shapes, 12) of the shapes and the centres (n * shapes, 3) of the balls around them."""
        good = np.isfinite(q).all(axis=1, keepdims=True)
        poses = np.asarray(self.robot.placing.call(np.where(good, q, self.robot.neutral).astype(float)))
        X, ball = poses[:, self.which], self.robot.solids.ball[self.which]
        turned = np.einsum("nkij,kj->nki", X[:, :, :9].reshape(*X.shape[:2], 3, 3), ball)
        return X, (turned + X[:, :, 9:]).reshape(-1, 3)

    def _gaps(self, row: Indices, point: Indices, X: Array, depths: bool) -> Gaps:
        ball = CollisionShape(self.cloud.name, "", "sphere", (self.cloud.radius,))
        solids = Solids((*self.robot.shapes, ball))
        Y = np.zeros((len(row), 12))
        Y[:, [0, 4, 8]], Y[:, 9:] = 1.0, self.cloud.points[point]
        first = self.which[row % len(self.which)]
        return solids.gaps(first, np.full(len(row), len(self.robot.shapes), np.intp), X[row], Y, depths)
