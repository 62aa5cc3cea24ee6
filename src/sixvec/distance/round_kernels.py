"""Compiled distances of a robot that consists of spheres and capsules: one program for all pairs.

A sphere is a point and a capsule a segment, each with a radius.  Of the pairs with the same sum of radii the one with
the least squared distance is the nearest, so each sum needs one square root; running minima need few registers.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from sixvec.algorithms.parts.places import Places
from sixvec.arguments import Array
from sixvec.distance.clusters import Cluster, clusters
from sixvec.distance.collision_pairs import ShapePairs
from sixvec.distance.gradient import gap_gradient
from sixvec.distance.levers import levers
from sixvec.distance.overlap import Balls, if_apart
from sixvec.distance.pairs.rounded import of_segments, squared_distance
from sixvec.distance.pairs.touch import nearest_touch, of_spheres
from sixvec.distance.shapes import CollisionShape
from sixvec.distance.ways import WaysOfShapes, shortest
from sixvec.kernels import Port
from sixvec.kernels.function import CompiledFunction
from sixvec.lazy import lazy
from sixvec.model import Model
from sixvec.model.canonical import canonical
from sixvec.model.spanning_tree import spanning_tree
from sixvec.scalar import Scalar, guard, sqrt, where
from sixvec.spatial import Pose, Vec3

CHAINS = 4
"""Independent running minima: comparisons wait for each other in one."""

HUGE = 1e30
"""Sums of squared coordinates above this have no meaning."""

SOME = 2
"""Pairs of spheres of the same two frames that share a code; `witness` finds the nearest of them."""

Ends = tuple[Vec3, Vec3 | None]
"""A point, or a segment."""

Some = list[tuple[int, int]]
"""Pairs of shapes, by index, of the same two frames and with the same sum of radii."""


@dataclass(frozen=True, slots=True)
class RoundShape:
    """A sphere or capsule in the coordinates of a body of the canonical model; None is the world."""

    body: str | None
    first: Vec3
    second: Vec3 | None
    radius: float

    def placed(self, X: Pose) -> Ends:
        return X * self.first, None if self.second is None else X * self.second


def is_round(shape: CollisionShape) -> bool:
    """Whether a shape is a sphere or a capsule."""
    return shape.kind in ("sphere", "capsule")


def tree_of(model: Model) -> Model:
    """The model on which kernels of distances run."""
    return spanning_tree(canonical(model))


def round_shape(tree: Model, shape: CollisionShape) -> RoundShape:
    """A sphere or capsule of the robot in the body that carries it."""
    F = tree.frame(shape.frame)
    X = F.placement @ shape.placement
    if shape.kind == "sphere" or not shape.sizes[1]:
        return RoundShape(F.body, X.pos, None, shape.radius)
    along = X.rot @ Vec3(0.0, 0.0, shape.sizes[1])
    return RoundShape(F.body, X.pos - along, X.pos + along, shape.radius)


@dataclass(frozen=True, eq=False)
class RoundKernels:
    """The programs for one robot and one selection of pairs (indices of shapes)."""

    model: Model
    shapes: tuple[CollisionShape, ...]
    by_frames: ShapePairs
    key: str = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "key", f"{self.model.fingerprint} {digest(self.shapes, self.by_frames)}")

    @lazy
    def pairs(self) -> list[tuple[int, int]]:
        return [pair for between in self.by_frames.values() for pair in between]

    @lazy
    def tree(self) -> Model:
        return tree_of(self.model)

    @lazy
    def rounds(self) -> list[RoundShape]:
        return [round_shape(self.tree, s) for s in self.shapes]

    def placed(self, q: Sequence[Scalar], needed: Sequence[int]) -> dict[int, Ends]:
        """The ends of the axes of some shapes in the world."""
        places = Places(self.tree, q)
        return {i: self.rounds[i].placed(places.body(self.rounds[i].body)) for i in needed}

    def compiled(self, name: str, function: Callable[..., Any], inputs: Any, outputs: Any) -> CompiledFunction:
        function.__name__ = name
        return CompiledFunction(function, inputs, outputs, f"{name} {self.key}")

    @lazy
    def nearest(self) -> CompiledFunction:
        """q -> the smallest gap, and the number in `ordered` of the pairs of which one has it."""

        def run(q: Any) -> tuple[Scalar, Scalar]:
            total = sum_of_squares(q)
            ends = self.placed(q, sorted({i for pair in self.pairs for i in pair}))
            nearest, start = [], 0
            for radii, several in self.by_radii.items():
                squares = [minimum([squared_distance(*ends[i], *ends[j]) for i, j in some]) for some in several]
                square, code = nearest_of(squares, start)
                nearest.append((sqrt(square) - radii, code))
                start += len(several)
            gap, code = least(nearest)
            return where(total < HUGE, gap, sqrt(-1.0 - total)), code

        return self.compiled("distance", run, (Port("q", (self.model.nq,)),), (Port("gap", ()), Port("pair", ())))

    @lazy
    def by_radii(self) -> dict[float, list[Some]]:
        """Pairs by the sum of their radii, some at a time."""
        result: dict[float, list[Some]] = {}
        for between in self.by_frames.values():
            same: dict[float, list[tuple[int, int]]] = {}
            for i, j in between:
                same.setdefault(self.shapes[i].radius + self.shapes[j].radius, []).append((i, j))
            for radii, pairs in same.items():
                result.setdefault(radii, []).extend(pairs[k : k + self.some] for k in range(0, len(pairs), self.some))
        return result

    @lazy
    def some(self) -> int:
        """Pairs that share a code."""
        return SOME if all(r.second is None for r in self.rounds) else 1

    @lazy
    def ordered(self) -> list[Some]:
        """The pairs in the order of the codes of `nearest`."""
        return [some for several in self.by_radii.values() for some in several]

    @lazy
    def each(self) -> CompiledFunction:
        """q -> the smallest gap of each pair of frames."""

        def run(q: Any) -> list[Scalar]:
            ends = self.placed(q, sorted({i for pair in self.pairs for i in pair}))
            total, gaps = sum_of_squares(q), []
            for between in self.by_frames.values():
                squares_of: dict[float, list[Scalar]] = {}
                for i, j in between:
                    square = squared_distance(*ends[i], *ends[j])
                    squares_of.setdefault(self.shapes[i].radius + self.shapes[j].radius, []).append(square)
                gap = minimum([sqrt(minimum(squares)) - radii for radii, squares in squares_of.items()])
                gaps.append(where(total < HUGE, gap, sqrt(-1.0 - total)))
            return gaps

        ports = (Port("q", (self.model.nq,)),), (Port("gaps", (len(self.by_frames),)),)
        return self.compiled("distances", run, *ports)

    @lazy
    def bodies(self) -> list[str | None]:
        """The bodies with shapes; their numbers are in `table`."""
        return list(dict.fromkeys(r.body for r in self.rounds))

    @lazy
    def table(self) -> Array:
        """The shapes of the pairs of each code, for `witness`: their two bodies, then the ends and radii of each pair;
        of spheres one end.  Missing pairs repeat the last one."""
        rows = []
        for some in self.ordered:
            row = [float(self.bodies.index(self.rounds[k].body)) for k in some[0]]
            for shape in (self.rounds[k] for pair in (*some, *some[-1:] * (self.some - len(some))) for k in pair):
                ends = (shape.first,) if self.some > 1 else (shape.first, shape.second or shape.first)
                row += [*(x for end in ends for x in end), shape.radius]
            rows.append(row)
        return np.array(rows, float).reshape(len(rows), -1)

    @lazy
    def witness(self) -> CompiledFunction:
        """q and the shapes of some pairs of two bodies -> nearest points, normal, and the gradient of the gap."""
        count = self.some
        size = 4 if count > 1 else 7
        """Numbers of a shape."""

        def run(q: Any, shapes: Any) -> tuple[Any, Any, Any]:
            places = Places(self.tree, q)
            poses = [places.body(name) for name in self.bodies]
            chosen = [[where(abs(x - float(k)) < 0.5, 1.0, 0.0) for k in range(len(poses))] for x in shapes[:2]]
            placed = [_mixed(poses, w) for w in chosen]
            touches = []
            for k in range(2, 2 + 2 * size * count, 2 * size):
                a, b = (_ends(shapes[m : m + size - 1], X) for m, X in zip((k, k + size), placed, strict=True))
                radii = shapes[k + size - 1], shapes[k + 2 * size - 1]
                if count > 1:
                    touches.append(of_spheres(a[0], radii[0], b[0], radii[1]))
                else:
                    touches.append(of_segments((a[0], a[1]), radii[0], (b[0], b[1]), radii[1]))
            touch = nearest_touch(touches)
            n = -touch.normal
            first, second = touch.point - n * touch.gap, touch.point
            moved = {name: y - x for name, x, y in zip(self.bodies, *chosen, strict=True)}
            return [first, second], n, gap_gradient(places, moved, first, n)

        ports = (Port("q", (self.model.nq,)), Port("shapes", (2 + 2 * size * count,)))
        outputs = (Port("points", (2, 3)), Port("normal", (3,)), Port("gradient", (self.model.nv,)))
        return self.compiled("nearest_points", run, ports, outputs)

    @lazy
    def clear(self) -> CompiledFunction:
        """q, margin -> a number that is positive if all gaps are larger than the margin; of groups of shapes whose
        bounding balls are apart nothing is computed."""
        groups = clusters(self.rounds)
        blocks = self._blocks(groups)

        def run(q: Any, margin: Any) -> Scalar:
            places = Places(self.tree, q)
            needed = {i for pair in self.pairs for i in pair}
            ends = {i: self.rounds[i].placed(places.body(self.rounds[i].body)) for i in sorted(needed)}
            centres = {k: centre_of(groups[k], places) for k in sorted({k for block in blocks for k in block})}
            best: Scalar = where(sum_of_squares(q) < HUGE, 1.0, -1.0)
            for (k, m), pairs in blocks.items():
                reach = groups[k].radius + groups[m].radius + margin
                way = centres[k] - centres[m]
                balls, values = [], [best]
                for i, j in pairs:
                    (a, _), (b, _), radii = ends[i], ends[j], self.shapes[i].radius + self.shapes[j].radius
                    if self.rounds[i].second is None and self.rounds[j].second is None:
                        from_centre = self.rounds[i].first - groups[k].centre
                        balls.append(Balls(a, from_centre.dot(from_centre), b, radii))
                    else:
                        values.append(squared_distance(*ends[i], *ends[j]) - (radii + margin) * (radii + margin))
                clear = if_apart(minimum(values), centres[k], balls, margin)
                best = guard(way.dot(way) < reach * reach, clear, best)
            return best

        ports = (Port("q", (self.model.nq,)), Port("margin", ()))
        return self.compiled("is_clear", run, ports, (Port("clear", ()),))

    @lazy
    def reach(self) -> CompiledFunction:
        """q, the sizes of the joint velocities and the travel of a motion, a limit -> how much of the motion the gaps
        last on both sides of q, up to the limit; negative where a gap is.

        Groups of shapes, and then pairs, that last longer than another are left out.
        """
        arms = levers(self.tree, self.shapes)
        groups = clusters(self.rounds)
        blocks = self._blocks(groups)

        def run(q: Any, sizes: Any, travel: Any, most: Any) -> Scalar:
            places, ways = Places(self.tree, q), WaysOfShapes(arms, sizes, travel)
            needed = {i for pair in self.pairs for i in pair}
            ends = {i: self.rounds[i].placed(places.body(self.rounds[i].body)) for i in sorted(needed)}
            centres = {k: centre_of(groups[k], places) for k in sorted({k for block in blocks for k in block})}
            best: Scalar = where(sum_of_squares(q) < HUGE, most, -1.0)
            for (k, m), pairs in blocks.items():
                between = [ways.between(i, j) for i, j in pairs]
                reach = (
                    groups[k].radius + groups[m].radius + best * ways.of_groups(groups[k].members, groups[m].members)
                )
                apart = centres[k] - centres[m]
                squares = []
                for (i, j), way in zip(pairs, between, strict=True):
                    squares.append(
                        (squared_distance(*ends[i], *ends[j]), self.shapes[i].radius + self.shapes[j].radius, way)
                    )
                best = guard(apart.dot(apart) < reach * reach, shortest(best, squares), best)
            return best

        ports = (
            Port("q", (self.model.nq,)),
            Port("sizes", (arms.model.nv,)),
            Port("travel", (len(arms.sliding),)),
            Port("most", ()),
        )
        return self.compiled("is_clear_between", run, ports, (Port("reach", ()),))

    def _blocks(self, groups: Sequence[Cluster]) -> dict[tuple[int, int], list[tuple[int, int]]]:
        """The pairs by their two groups, in their order."""
        member = {i: k for k, group in enumerate(groups) for i in group.members}
        blocks: dict[tuple[int, int], list[tuple[int, int]]] = {}
        for i, j in self.pairs:
            (k, i), (m, j) = sorted([(member[i], i), (member[j], j)])
            blocks.setdefault((k, m), []).append((i, j))
        return blocks


def _mixed(poses: Sequence[Pose], weights: Sequence[Scalar]) -> tuple[list[list[Scalar]], Vec3]:
    """The pose whose weight is 1 and not 0."""
    rows = [[list(row) for row in X.rot.matrix.rows] for X in poses]
    R = [[sum((r[i][k] * w for r, w in zip(rows, weights, strict=True)), 0.0) for k in range(3)] for i in range(3)]
    places = [X.pos * w for X, w in zip(poses, weights, strict=True)]
    return R, Vec3(*(sum((p[i] for p in map(list, places)), 0.0) for i in range(3)))


def _ends(ends: Sequence[Scalar], X: tuple[list[list[Scalar]], Vec3]) -> list[Vec3]:
    """The ends of an axis in a body at this pose."""
    R, p = X
    return [
        Vec3(*(sum((r * x for r, x in zip(row, ends[k : k + 3], strict=True)), 0.0) for row in R)) + p
        for k in range(0, len(ends), 3)
    ]


def sum_of_squares(q: Sequence[Scalar]) -> Scalar:
    """NaN or infinite if a coordinate is: minima would lose it, because every comparison with NaN fails."""
    return sum((x * x for x in q), 0.0)


def centre_of(group: Cluster, places: Places) -> Vec3:
    return places.body(group.body) * group.centre


def nearest_of(values: Sequence[Scalar], start: int) -> tuple[Scalar, Scalar]:
    """The least value and its number, counted from `start`, by several running minima."""
    minima = []
    for first in range(min(CHAINS, len(values))):
        best, code = values[first], float(start + first)
        for k in range(first + CHAINS, len(values), CHAINS):
            nearer = values[k] < best
            best, code = where(nearer, values[k], best), where(nearer, float(start + k), code)
        minima.append((best, code))
    return least(minima)


def least(candidates: Sequence[tuple[Scalar, Scalar]]) -> tuple[Scalar, Scalar]:
    """The pair (value, code) with the least value."""
    best, code = candidates[0]
    for value, other in candidates[1:]:
        nearer = value < best
        best, code = where(nearer, value, best), where(nearer, other, code)
    return best, code


def minimum(values: Sequence[Scalar]) -> Scalar:
    """The least value, by several running minima."""
    chains = []
    for first in range(min(CHAINS, len(values))):
        best = values[first]
        for x in values[first + CHAINS :: CHAINS]:
            best = where(x < best, x, best)
        chains.append(best)
    best = chains[0]
    for x in chains[1:]:
        best = where(x < best, x, best)
    return best


def digest(shapes: Sequence[CollisionShape], pairs: Any) -> str:
    """A text that identifies shapes and pairs."""
    text = repr([(s.frame, s.kind, s.sizes, s.placement) for s in shapes]) + repr(pairs)
    hashed = hashlib.sha256(text.encode())
    for s in shapes:
        if s.vertices is not None:
            hashed.update(np.ascontiguousarray(s.vertices).tobytes())
    return hashed.hexdigest()
