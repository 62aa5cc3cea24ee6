"""A robot of spheres among spheres, capsules, boxes and cylinders: loops over the obstacles in machine code.

The first stage places the spheres; then one loop for each kind of obstacle compares all spheres with one
obstacle per step.  Poses and sizes are arrays, and the machine code does not depend on their number.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sixvec.algorithms.parts.places import Places
from sixvec.arguments import Array
from sixvec.distance.clusters import clusters
from sixvec.distance.gaps import Indices
from sixvec.distance.levers import Ways, levers
from sixvec.distance.part import Details, Names, Nearest, Reach
from sixvec.distance.round_kernels import (
    HUGE,
    RoundShape,
    digest,
    least,
    minimum,
    nearest_of,
    round_shape,
    sum_of_squares,
)
from sixvec.distance.search import PlacedRobot, Search, world_search
from sixvec.distance.sphere_world_on_device import clear_on_device, nearest_on_device
from sixvec.distance.ways import WaysOfShapes, shortest
from sixvec.distance.world import Obstacle
from sixvec.errors import ArgumentError
from sixvec.kernels import Iterated, Port, Stage, Staged
from sixvec.kernels.devices import namespace
from sixvec.kernels.function import CompiledFunction
from sixvec.lazy import lazy
from sixvec.scalar import Scalar, guard, sqrt, where
from sixvec.spatial import Vec3
from sixvec.tolerances import ROUNDING

KINDS = ("sphere", "capsule", "box", "cylinder")

OBSTACLE = 16
"""Numbers of an obstacle: its pose (12), sizes (3) and index."""

INSIDE = 1e-36
"""Squared distances, in m², below this are zero: the point is inside, and its depth is computed."""

FARTHEST = 1e9
"""The gap before any obstacle is compared, in m."""


def local(obstacle: Sequence[Scalar], p: Vec3) -> Vec3:
    """A point in the frame of an obstacle."""
    d = [x - y for x, y in zip(p, obstacle[9:12], strict=True)]
    return Vec3(*(sum(obstacle[3 * k + i] * d[k] for k in range(3)) for i in range(3)))


def _size(x: Scalar) -> Scalar:
    return where(x < 0.0, -x, x)


def _beyond(x: Scalar, limit: Scalar) -> Scalar:
    far = _size(x) - limit
    return where(far > 0.0, far, 0.0)


def squared_outside(kind: str, obstacle: Sequence[Scalar], p: Vec3) -> Scalar:
    """The squared distance of a point to the core of an obstacle, zero inside."""
    if kind == "sphere":
        d = p - Vec3.of(obstacle[9:12])
        return d.dot(d)
    x, s = local(obstacle, p), obstacle[12:15]
    if kind == "box":
        d = Vec3(*(_beyond(v, h) for v, h in zip(x, s, strict=True)))
        return d.dot(d)
    z = _beyond(x.z, s[1])
    if kind == "capsule":
        return x.x * x.x + x.y * x.y + z * z
    around = _beyond(sqrt(x.x * x.x + x.y * x.y), s[0])
    return around * around + z * z


def depth_inside(kind: str, obstacle: Sequence[Scalar], p: Vec3) -> Scalar:
    """How deep a point is inside a box or a cylinder."""
    x, s = local(obstacle, p), obstacle[12:15]
    if kind == "box":
        depths = [h - _size(v) for v, h in zip(x, s, strict=True)]
    else:
        depths = [s[0] - sqrt(x.x * x.x + x.y * x.y), s[1] - _size(x.z)]
    return minimum(depths)


def _radius(kind: str, obstacle: Sequence[Scalar]) -> Scalar:
    return obstacle[12] if kind in ("sphere", "capsule") else 0.0


@dataclass(frozen=True, eq=False)
class SphereKernels:
    """The programs for the spheres of a robot that joints move (`which`)."""

    robot: PlacedRobot
    which: Indices

    @lazy
    def key(self) -> str:
        shapes = [self.robot.shapes[i] for i in self.which]
        return f"{self.robot.model.fingerprint} {digest(shapes, ())}"

    @lazy
    def rounds(self) -> list[RoundShape]:
        return [round_shape(self.robot.tree, self.robot.shapes[i]) for i in self.which]

    @lazy
    def by_radius(self) -> list[tuple[float, list[int]]]:
        """Spheres by their radius; codes count them in this order."""
        result: dict[float, list[int]] = {}
        for i, shape in enumerate(self.rounds):
            result.setdefault(shape.radius, []).append(i)
        return list(result.items())

    @lazy
    def ordered(self) -> Indices:
        return self.which[[i for _, spheres in self.by_radius for i in spheres]]

    def _compiled(self, name: str, function: Callable[..., Any], inputs: Any, outputs: Any) -> CompiledFunction:
        function.__name__ = name
        return CompiledFunction(function, inputs, outputs, f"{name} {self.key}")

    @lazy
    def placing(self) -> CompiledFunction:
        def run(q: Any) -> Any:
            places = Places(self.robot.tree, q)
            centres = [places.body(s.body) * s.first for s in self.rounds]
            return centres, where(sum_of_squares(q) < HUGE, FARTHEST, sqrt(-1.0 - sum_of_squares(q))), -1.0

        outputs = (Port("centres", (len(self.which), 3)), Port("gap", ()), Port("code", ()))
        return self._compiled("sphere_centres", run, (Port("q", (self.robot.model.nq,)),), outputs)

    def _nearest(self, kind: str) -> CompiledFunction:
        """One obstacle: the smallest gap so far and the number of its obstacle and sphere."""

        def run(best: Any, code: Any, centres: Any, obstacle: Any) -> Any:
            points, result, start = [Vec3.of(c) for c in centres], [], 0
            for radius, spheres in self.by_radius:
                square, k = nearest_of([squared_outside(kind, obstacle, points[i]) for i in spheres], start)
                reach = radius + _radius(kind, obstacle)
                gap = sqrt(square) - reach
                if kind in ("box", "cylinder"):
                    depths = [-depth_inside(kind, obstacle, points[i]) for i in spheres]
                    deepest, m = nearest_of(depths, start)
                    gap, k = guard(square < INSIDE, (deepest - reach, m), (gap, k))
                result.append((gap, k))
                start += len(spheres)
            gap, k = least(result)
            nearer = gap < best
            return where(nearer, gap, best), where(nearer, obstacle[15] * float(len(self.which)) + k, code)

        inputs = (Port("gap", ()), Port("code", ()), Port("centres", (len(self.which), 3)), Port(kind, (OBSTACLE,)))
        return self._compiled(f"nearest_{kind}", run, inputs, (Port("gap", ()), Port("code", ())))

    def _clear(self, kind: str) -> CompiledFunction:
        """One obstacle: the least squared distance less the squared reach, where it may be negative."""
        groups = clusters(self.rounds)

        def run(best: Any, centres: Any, balls: Any, margin: Any, obstacle: Any) -> Any:
            points = [Vec3.of(c) for c in centres]
            for group, ball in zip(groups, balls, strict=True):
                extra = _radius(kind, obstacle) + margin
                reach = group.radius + extra
                values = [best]
                for i in group.members:
                    radius = self.rounds[i].radius + extra
                    values.append(squared_outside(kind, obstacle, points[i]) - radius * radius)
                near = squared_outside(kind, obstacle, Vec3.of(ball)) < reach * reach
                best = guard(near, minimum(values), best)
            return best

        inputs = (
            Port("least", ()), Port("centres", (len(self.which), 3)), Port("balls", (len(groups), 3)),
            Port("margin", ()), Port(kind, (OBSTACLE,)),
        )  # fmt: skip
        return self._compiled(f"clear_of_{kind}", run, inputs, (Port("least", ()),))

    def _reach(self, kind: str) -> CompiledFunction:
        """One obstacle: how much of a motion the gaps last."""
        groups = clusters(self.rounds)

        def run(best: Any, centres: Any, balls: Any, ways: Any, longest: Any, obstacle: Any) -> Any:
            points, extra = [Vec3.of(c) for c in centres], _radius(kind, obstacle)
            for group, ball, way in zip(groups, balls, longest, strict=True):
                squares = [
                    (squared_outside(kind, obstacle, points[i]), self.rounds[i].radius + extra, ways[i])
                    for i in group.members
                ]
                reach = group.radius + extra + best * way + ROUNDING
                near = squared_outside(kind, obstacle, Vec3.of(ball)) < reach * reach
                best = guard(near, shortest(best, squares), best)
            return best

        inputs = (
            Port("least", ()), Port("centres", (len(self.which), 3)), Port("balls", (len(groups), 3)),
            Port("ways", (len(self.which),)), Port("longest", (len(groups),)), Port(kind, (OBSTACLE,)),
        )  # fmt: skip
        return self._compiled(f"reach_of_{kind}", run, inputs, (Port("least", ()),))

    @lazy
    def _placing_on_motions(self) -> CompiledFunction:
        """q and a motion -> centres and balls, the ways of all spheres and the longest of each group."""
        groups = clusters(self.rounds)
        arms = levers(self.robot.tree, [self.robot.shapes[i] for i in self.which])

        def run(q: Any, sizes: Any, travel: Any, most: Any) -> Any:
            places, ways = Places(self.robot.tree, q), WaysOfShapes(arms, sizes, travel)
            centres = [places.body(s.body) * s.first for s in self.rounds]
            balls = [places.body(g.body) * g.centre for g in groups]
            alone = [ways.alone(i) for i in range(len(self.rounds))]
            start = where(sum_of_squares(q) < HUGE, most, -1.0)
            return centres, balls, alone, [ways.longest(g.members) for g in groups], start

        inputs = (Port("q", (self.robot.model.nq,)), Port("sizes", (arms.model.nv,)),
                  Port("travel", (len(arms.sliding),)), Port("most", ()))  # fmt: skip
        outputs = (Port("centres", (len(self.which), 3)), Port("balls", (len(groups), 3)),
                   Port("ways", (len(self.which),)), Port("longest", (len(groups),)), Port("least", ()))  # fmt: skip
        return self._compiled("spheres_on_motions", run, inputs, outputs)

    @lazy
    def placing_balls(self) -> CompiledFunction:
        groups = clusters(self.rounds)

        def run(q: Any) -> Any:
            places = Places(self.robot.tree, q)
            centres = [places.body(s.body) * s.first for s in self.rounds]
            balls = [places.body(g.body) * g.centre for g in groups]
            return centres, balls, where(sum_of_squares(q) < HUGE, 1.0, -1.0)

        outputs = (Port("centres", (len(self.which), 3)), Port("balls", (len(groups), 3)), Port("least", ()))
        return self._compiled("sphere_balls", run, (Port("q", (self.robot.model.nq,)),), outputs)

    @lazy
    def steps(self) -> dict[tuple[str, str], CompiledFunction]:
        """The step of each loop, by purpose and kind of obstacle."""
        nearest = {("nearest", kind): self._nearest(kind) for kind in KINDS}
        clear = {("clear", kind): self._clear(kind) for kind in KINDS}
        return nearest | clear | {("reach", kind): self._reach(kind) for kind in KINDS}

    @lazy
    def loops(self) -> Callable[[str, tuple[tuple[str, int], ...]], Iterated]:
        """The whole program for numbers of obstacles of some kinds."""
        return lru_cache(maxsize=64)(self._loops)

    def _loops(self, purpose: str, counts: tuple[tuple[str, int], ...]) -> Iterated:
        first, carried, constant, more = {
            "nearest": (self.placing, ("gap", "code"), ("centres",), []),
            "clear": (self.placing_balls, ("least",), ("centres", "balls", "margin"), [Port("margin", ())]),
            "reach": (self._placing_on_motions, ("least",), ("centres", "balls", "ways", "longest"), []),
        }[purpose]
        inputs = [*first.inputs, *more]
        names = {p.name: f"{p.name}0" if p.name in carried else p.name for p in first.outputs}
        stages, state = (
            [Stage(first, tuple(p.name for p in first.inputs), tuple(names.values()))],
            [names[x] for x in carried],
        )
        for number, (kind, count) in enumerate(counts, 1):
            inputs.append(Port(kind, (count, OBSTACLE)))
            loop = Iterated(self.steps[purpose, kind], count, carried=len(carried), each=1)
            after = [x if number == len(counts) else f"{x}{number}" for x in carried]
            stages.append(Stage(loop, (*state, *constant, kind), tuple(after)))
            state = after
        outputs = [Port(x, ()) for x in carried]
        return Iterated(Staged(f"{purpose} world", inputs, outputs, stages), 1, 0, name="distance")


class SphereWorld:
    """The spheres of a robot and obstacles of the kinds in `KINDS`."""

    def __init__(
        self, kernels: SphereKernels, obstacles: Sequence[Obstacle], frames: Sequence[str], frame: Indices
    ) -> None:
        self.kernels, self.frame, self.robot = kernels, frame, kernels.robot
        self.obstacles = sorted(obstacles, key=lambda o: KINDS.index(o.kind))
        self.names: Names = tuple((f, o.name) for f in frames for o in self.obstacles)
        rows = []
        for k, o in enumerate(self.obstacles):
            sizes = [*o.sizes, 0.0, 0.0, 0.0][:3]
            rows.append(np.concatenate([o.numbers, sizes, [float(k)]]))
        self.rows = np.array(rows)
        kinds = [o.kind for o in self.obstacles]
        self.counts = tuple((kind, kinds.count(kind)) for kind in KINDS if kind in kinds)

    def arrays(self, dtype: Any) -> list[Array]:
        ends = np.cumsum([0, *(n for _, n in self.counts)])
        return [self.rows[a:b].astype(dtype, copy=False) for a, b in pairwise(ends.tolist())]

    @lazy
    def _search(self) -> Search:
        """The same pairs, for what is computed pair by pair."""
        poses, shapes = self.rows[:, :12], [o.shape for o in self.obstacles]
        name = self.frame * len(self.obstacles)
        return world_search(self.robot, self.kernels.which, shapes, poses, name, self.names)

    def nearest(self, q: Array) -> Nearest:
        if namespace(q) is not np:
            return nearest_on_device(self, q)
        gap, code = self.kernels.loops("nearest", self.counts)(q, *self.arrays(q.dtype))
        gap, code = (x.reshape(len(q)) for x in (gap, code))
        number = np.where(code >= 0.0, code, 0.0).astype(np.intp)
        count = len(self.kernels.which)
        obstacle, sphere = number // count, self.kernels.ordered[number % count]
        frame = np.zeros(len(self.robot.shapes), np.intp)
        frame[self.kernels.which] = self.frame
        states = np.array(q, float)

        def details() -> Details:
            lost = ~np.isfinite(gap)
            poses = np.asarray(self.robot.placing.call(np.where(lost[:, None], self.robot.neutral, states)))
            n = np.arange(len(states))
            solids, other = self._search.solids, obstacle + len(self.robot.shapes)
            result = solids.gaps(sphere, other, poses[n, sphere], self.rows[obstacle, :12])
            both = np.stack([self.robot.body_numbers[sphere].astype(float), np.full(len(n), -1.0)], axis=1)
            gradient = self.robot.gradient.call(states, both, result.first, result.normal)
            points = np.stack([result.first, result.second], axis=1)
            return tuple(x.astype(q.dtype, copy=False) for x in (points, result.normal, gradient))  # type: ignore[return-value]

        return Nearest(gap, frame[sphere] * len(self.obstacles) + obstacle, details)

    def clear(self, q: Array, margin: float) -> NDArray[np.bool_]:
        if namespace(q) is not np:
            there: NDArray[np.bool_] = clear_on_device(self, q, margin)
            return there
        loop = self.kernels.loops("clear", self.counts)
        result = loop.call(q, q.dtype.type(margin), *self.arrays(q.dtype))
        return np.asarray(result.reshape(len(q)) > 0.0)

    def each(self, q: Array) -> Array:
        if namespace(q) is not np:
            raise ArgumentError(
                "distances: the gaps of all pairs of a robot and a world are computed on the CPU; give "
                "NumPy arrays: cupy.asnumpy, or ask for the smallest one with distance"
            )
        return self._search.each(q)

    def overlaps(self, q: Array) -> NDArray[np.bool_]:
        return self._search.overlaps(q)

    def reach(self, ways: Ways) -> Reach:
        """As `Part.reach`."""
        loop = self.kernels.loops("reach", self.counts)

        def reach(q: Array, motion: Indices, most: Array) -> Array:
            shares = loop(q, ways.sizes[motion], ways.travel[motion], most, *self.arrays(q.dtype))
            return np.asarray(shares.reshape(len(q)))

        return reach
