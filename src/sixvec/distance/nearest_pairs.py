"""The nearest pairs of shapes of each state, with the gradients of their gaps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from sixvec.arguments import Array
from sixvec.distance.gaps import Gaps, Indices, Solids
from sixvec.distance.search import PlacedRobot, Search
from sixvec.distance.shapes import CollisionShape


class PairSearch:
    """Pairs of shapes by the names of their frames; indices of obstacles count on from those of the robot's shapes.

    `count` pairs of each state are found.
    """

    def __init__(
        self,
        robot: PlacedRobot,
        obstacles: Sequence[CollisionShape],
        pairs: Mapping[tuple[str, str], Sequence[tuple[int, int]]],
        most: int,
    ) -> None:
        flat = [(i, j, k) for k, between in enumerate(pairs.values()) for i, j in between]
        self.robot, self.count = robot, min(most, len(flat))
        self._first, self._second, self._name = np.array(flat, np.intp).T
        self._solids, self._names = Solids((*robot.shapes, *obstacles)), tuple(pairs)
        self._own = len(robot.shapes)

    def nearest(self, q: Array, poses: Array) -> tuple[Array, Array, Indices]:
        """Gaps (n, count), their gradients (n, count, nv) and the numbers of their names, of states (n, nq) with
        obstacles at `poses` (n, obstacles, 12)."""
        n, count, nv = len(q), self.count, self.robot.model.nv
        gaps, rows, names = np.full((n, count), np.nan), np.full((n, count, nv), np.nan), np.zeros((n, count), np.intp)
        for k in np.flatnonzero(np.isfinite(q).all(axis=1) & np.isfinite(poses).all(axis=(1, 2))):
            gaps[k], rows[k], names[k] = self._of_state(q[k], poses[k])
        return gaps, rows, names

    def _of_state(self, q: Array, poses: Array) -> tuple[Array, Array, Indices]:
        search = Search(self.robot, self._solids, self._first, self._second, self._name, self._names, poses)
        ((_, placed, lower, _),) = search._bounded(q[None])
        order = np.argsort(lower[0], kind="stable")
        chosen = order[: self.count]
        gaps = self._gaps(placed[0], chosen)
        if len(order) > self.count:
            further = order[self.count :]
            further = further[lower[0][further] < gaps.gap.max()]
            chosen = np.concatenate([chosen, further])
            gaps = self._gaps(placed[0], chosen)
            nearest = np.argsort(gaps.gap, kind="stable")[: self.count]
            chosen, gaps = chosen[nearest], gaps.taken(nearest)
        bodies = np.append(self.robot.body_numbers.astype(float), np.full(len(poses), -1.0))
        both = np.stack([bodies[self._first[chosen]], bodies[self._second[chosen]]], axis=1)
        states = np.broadcast_to(q, (len(chosen), len(q)))
        rows = self.robot.gradient.call(states, both, gaps.first, gaps.normal)
        return gaps.gap, np.asarray(rows), self._name[chosen]

    def _gaps(self, placed: Array, chosen: Indices) -> Gaps:
        i, j = self._first[chosen], self._second[chosen]
        return self._solids.gaps(i, j, placed[i], placed[j])
