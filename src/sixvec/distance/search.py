"""Robots of any shapes, compared with themselves or with a world: balls around the shapes first, then the few pairs
that may be the nearest.

Results of a state depend on that state alone: which pairs are computed follows from its own bounds.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sixvec.algorithms.parts.places import Places
from sixvec.arguments import Array
from sixvec.distance.boxes_around import gap_of_boxes
from sixvec.distance.gaps import Gaps, Indices, Solids
from sixvec.distance.gradient import gap_gradient
from sixvec.distance.levers import Levers, Ways, lasting, levers
from sixvec.distance.part import Details, Names, Nearest, Reach
from sixvec.distance.round_kernels import digest, tree_of
from sixvec.distance.shapes import CollisionShape
from sixvec.kernels import Port
from sixvec.kernels.function import CompiledFunction
from sixvec.lazy import lazy
from sixvec.model import Model
from sixvec.model.coupling import coupling
from sixvec.scalar import where
from sixvec.spatial import Vec3
from sixvec.tolerances import ROUNDING

AT_ONCE = 1_000_000
"""Pairs of shapes that are bounded at a time."""


@dataclass(frozen=True, eq=False)
class PlacedRobot:
    """The shapes of a robot and the programs that place them."""

    model: Model
    shapes: tuple[CollisionShape, ...]

    @lazy
    def tree(self) -> Model:
        return tree_of(self.model)

    @lazy
    def solids(self) -> Solids:
        return Solids(self.shapes)

    @lazy
    def levers(self) -> Levers:
        return levers(self.tree, self.shapes)

    @lazy
    def bodies(self) -> list[str | None]:
        return list(dict.fromkeys(self.tree.frame(s.frame).body for s in self.shapes))

    @lazy
    def body_numbers(self) -> Indices:
        """For each shape the number of its body."""
        return np.array([self.bodies.index(self.tree.frame(s.frame).body) for s in self.shapes], np.intp)

    @lazy
    def key(self) -> str:
        return f"{self.model.fingerprint} {digest(self.shapes, ())}"

    @lazy
    def neutral(self) -> Array:
        return np.array([float(x) for b in self.model.moving for x in b.joint.neutral()])

    @lazy
    def placing(self) -> CompiledFunction:
        """q -> the poses of all shapes, twelve numbers each."""

        def shape_poses(q: Any) -> list[list[Any]]:
            places = Places(self.tree, q)
            poses = []
            for s in self.shapes:
                F = self.tree.frame(s.frame)
                X = places.body(F.body) @ (F.placement @ s.placement)
                poses.append([x for row in X.rot.matrix.rows for x in row] + [*X.pos])
            return poses

        ports = (Port("q", (self.model.nq,)),), (Port("poses", (len(self.shapes), 12)),)
        return CompiledFunction(shape_poses, *ports, f"shape poses {self.key}")

    @lazy
    def gradient(self) -> CompiledFunction:
        """q, the numbers of two bodies (-1: none), a nearest point and the normal -> the gradient of the gap."""

        def distance_gradient(q: Any, both: Any, point: Any, normal: Any) -> list[Any]:
            weight = [[where(abs(x - float(k)) < 0.5, 1.0, 0.0) for k in range(len(self.bodies))] for x in both]
            moved = {name: b - a for name, a, b in zip(self.bodies, *weight, strict=True)}
            return gap_gradient(Places(self.tree, q), moved, Vec3.of(point), Vec3.of(normal))

        inputs = (Port("q", (self.model.nq,)), Port("both", (2,)), Port("point", (3,)), Port("normal", (3,)))
        return CompiledFunction(
            distance_gradient, inputs, (Port("gradient", (self.model.nv,)),), f"distance gradient {self.key}"
        )


@dataclass(frozen=True, eq=False)
class Search:
    """Pairs of shapes of a robot (`first`) and of the robot or a world (`second`), which count on from the robot's.

    `name` is, for each pair of shapes, the index of its pair of names.
    """

    robot: PlacedRobot
    solids: Solids
    first: Indices
    second: Indices
    name: Indices
    names: Names
    others: Array = field(default_factory=lambda: np.zeros((0, 12)))
    """The poses of the shapes of a world."""

    def nearest(self, q: Array) -> Nearest:
        n = len(q)
        best, pair = Gaps.empty(n), np.zeros(n, np.intp)
        for rows, poses, lower, upper in self._bounded(q):
            gaps, which = self._nearest(poses, lower, upper)
            best.put(rows, gaps)
            pair[rows] = which
        lost = ~np.isfinite(q).all(axis=1)
        best.put(lost, Gaps.empty(int(lost.sum())))
        states = np.array(q, float)

        def details() -> Details:
            bodies = np.append(self.robot.body_numbers.astype(float), np.full(len(self.others), -1.0))
            both = np.stack([bodies[self.first[pair]], bodies[self.second[pair]]], axis=1)
            gradient = self.robot.gradient.call(states, both, best.first, best.normal)
            points = np.stack([best.first, best.second], axis=1)
            return tuple(x.astype(q.dtype, copy=False) for x in (points, best.normal, gradient))  # type: ignore[return-value]

        return Nearest(best.gap.astype(q.dtype, copy=False), self.name[pair], details)

    def _nearest(self, poses: Array, lower: Array, upper: Array) -> tuple[Gaps, Indices]:
        """The nearest pair of each state: first the one whose boxes are nearest, then all that may be nearer."""
        everything = np.arange(len(poses))
        state, other = np.nonzero(lower <= upper[:, None])
        lower[state, other] = np.maximum(lower[state, other], self._gaps_of_boxes(poses, state, other))
        pair = lower.argmin(axis=1)
        best = self._gaps(poses, everything, pair)
        lower[everything, pair] = np.inf
        near = lower[state, other] < np.minimum(best.gap, upper)[state]
        state, other = state[near], other[near]
        if state.size:
            others = self._gaps(poses, state, other, limit=best.gap[state])
            order = np.lexsort((other, others.gap, state))
            start = np.flatnonzero(np.diff(state[order], prepend=-1))
            rows = order[start]
            rows = rows[others.gap[rows] < best.gap[state[rows]]]
            best.put(state[rows], others.taken(rows))
            pair[state[rows]] = other[rows]
        return best, pair

    def each(self, q: Array) -> Array:
        gaps = np.full((len(q), len(self.names)), np.inf)
        for rows, poses, _, _ in self._bounded(q):
            state, pair = (x.ravel() for x in np.indices((len(poses), len(self.first))))
            several = self._gaps(poses, state, pair).gap.reshape(len(poses), -1)
            for k in range(len(self.first)):
                gaps[rows, self.name[k]] = np.fmin(gaps[rows, self.name[k]], several[:, k])
        gaps[~np.isfinite(q).all(axis=1)] = np.nan
        return gaps.astype(q.dtype, copy=False)

    def clear(self, q: Array, margin: float) -> NDArray[np.bool_]:
        return np.asarray(np.isfinite(q).all(axis=1) & ~self._closer(q, margin).any(axis=1))

    def overlaps(self, q: Array) -> NDArray[np.bool_]:
        """Whether each pair of names overlaps (n, pairs)."""
        return self._closer(q, 0.0, strict=True)

    def _closer(self, q: Array, margin: float, strict: bool = False) -> NDArray[np.bool_]:
        """Whether the gap of each pair of names is at most a margin, or less than it if `strict`."""
        closer = np.zeros((len(q), len(self.names)), bool)
        for rows, poses, lower, _ in self._bounded(q):
            state, pair = np.nonzero(lower <= margin)
            near = self._gaps_of_boxes(poses, state, pair) <= margin
            state, pair = state[near], pair[near]
            beyond = np.full(len(state), np.nextafter(margin, np.inf))
            gap = self._gaps(poses, state, pair, depths=False, limit=beyond).gap
            hit = gap < margin if strict else gap <= margin
            closer[rows.start + state[hit], self.name[pair[hit]]] = True
        return closer

    def _shrinking(self, speeds: Array) -> Array:
        """Bounds of how much each gap shrinks: the ways of both shapes due to the joints between them (n, pairs)."""
        within = np.flatnonzero(self.second < len(self.robot.shapes))
        i, j = self.first, self.second[within]
        apart = self._paths[i].copy()
        apart[within] &= ~self._paths[j]
        shrinking: Array = np.einsum("npk,pk->np", speeds[:, i], apart)
        shrinking[:, within] += np.einsum("npk,pk->np", speeds[:, j], self._paths[j] & ~self._paths[i[within]])
        return shrinking

    @lazy
    def _paths(self) -> NDArray[np.bool_]:
        """Which joint velocities of the tree move each shape (shapes, nv)."""
        model = coupling(self.robot.tree).free
        paths = np.zeros((len(self.robot.shapes), model.nv), bool)
        for row, shape in zip(paths, self.robot.shapes, strict=True):
            for b in model.path(model.frame(shape.frame).body):
                row[model.v_slices[b.name]] = True
        return paths

    def reach(self, ways: Ways) -> Reach:
        """As `Part.reach`."""
        shrinking = self._shrinking(ways.speeds)

        def reach(q: Array, motion: Indices, most: Array) -> Array:
            result = most.copy()
            for rows, poses, lower, _ in self._bounded(q):
                way = shrinking[motion[rows]]
                reached = way * most[rows, None] + ROUNDING
                state, pair = np.nonzero(lower <= reached)
                near = self._gaps_of_boxes(poses, state, pair) <= reached[state, pair]
                state, pair = state[near], pair[near]
                beyond = np.nextafter(reached[state, pair], np.inf)
                gap = self._gaps(poses, state, pair, depths=False, limit=beyond).gap
                np.minimum.at(result, rows.start + state, lasting(gap, way[state, pair]))
            return result

        return reach

    def _bounded(self, q: Array) -> Iterator[tuple[slice, Array, Array, Array]]:
        """Some states at a time: their rows, the poses of all shapes, lower bounds of all gaps (n, pairs) and an upper
        bound of the smallest gap."""
        step = max(1, AT_ONCE // max(1, len(self.first)))
        for start in range(0, len(q), step):
            rows = slice(start, min(start + step, len(q)))
            poses = self._poses(self._finite(q[rows]))
            yield rows, poses, *self._bounds(poses)

    def _finite(self, q: Array) -> Array:
        """The states, with the neutral one instead of those that are not finite."""
        good = np.isfinite(q).all(axis=1, keepdims=True)
        return np.where(good, q, self.robot.neutral).astype(float)

    def _poses(self, q: Array) -> Array:
        moving = self.robot.placing.call(q)
        if not len(self.others):
            return np.asarray(moving)
        return np.concatenate([moving, np.broadcast_to(self.others, (len(q), *self.others.shape))], axis=1)

    def _bounds(self, poses: Array) -> tuple[Array, Array]:
        s = self.solids
        centres = np.einsum("nkij,kj->nki", poses[:, :, :9].reshape(*poses.shape[:2], 3, 3), s.ball) + poses[:, :, 9:]
        way = np.ascontiguousarray(centres.transpose(2, 0, 1))
        square = sum((x[:, self.first] - x[:, self.second]) ** 2 for x in way)
        apart = np.sqrt(square)
        lower = apart - (s.ball_radius[self.first] + s.ball_radius[self.second])
        upper = apart - (s.inner[self.first] + s.inner[self.second])
        upper[:, self._has_plane] = np.inf
        return lower - ROUNDING * (1.0 + apart), upper.min(axis=1) + ROUNDING * (1.0 + apart.max(axis=1))

    @lazy
    def _has_plane(self) -> NDArray[np.bool_]:
        infinite = np.isinf(self.solids.ball_radius)
        return np.asarray(infinite[self.first] | infinite[self.second])

    def _gaps(
        self, poses: Array, state: Indices, pair: Indices, depths: bool = True, limit: Array | None = None
    ) -> Gaps:
        i, j = self.first[pair], self.second[pair]
        return self.solids.gaps(i, j, poses[state, i], poses[state, j], depths, limit)

    def _gaps_of_boxes(self, poses: Array, state: Indices, pair: Indices) -> Array:
        """Lower bounds of the gaps of some pairs."""
        i, j = self.first[pair], self.second[pair]
        bound = gap_of_boxes().call(poses[state, i], poses[state, j], self.solids.boxes[i], self.solids.boxes[j])
        return np.where(self._has_plane[pair], -np.inf, bound)


def self_search(
    model: Model, shapes: tuple[CollisionShape, ...], pairs: dict[tuple[str, str], list[tuple[int, int]]]
) -> Search:
    """A robot compared with itself."""
    robot = PlacedRobot(model, shapes)
    flat = [(i, j, k) for k, between in enumerate(pairs.values()) for i, j in between]
    first, second, name = np.array(flat, np.intp).reshape(-1, 3).T
    return Search(robot, robot.solids, first, second, name, tuple(pairs))


def world_search(
    robot: PlacedRobot, which: Indices, obstacles: Sequence[CollisionShape], poses: Array, name: Indices, names: Names
) -> Search:
    """Some shapes of a robot, compared with obstacles at these poses (m, 12).

    `name` is the index of the pair of names of each of these shapes with the first obstacle; those with others follow.
    """
    n, m = len(robot.shapes), len(obstacles)
    first, second = (x.ravel() for x in np.indices((len(which), m)))
    solids = Solids((*robot.shapes, *obstacles))
    return Search(robot, solids, which[first], second + n, name[first] + second, names, poses)
