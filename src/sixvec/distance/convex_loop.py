"""The search for the distance of two convex shapes as compiled loops: lanes are pairs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sixvec.arguments import Array
from sixvec.distance.pairs.convex import Corner, Search, nearest_points, step, unit_vector
from sixvec.distance.pairs.support import SUPPORTS
from sixvec.kernels import Compiled, FarthestVertex, Iterated, Port, Stage, Staged
from sixvec.kernels.function import CompiledFunction
from sixvec.scalar import Scalar, where
from sixvec.spatial import Vec3

HULL = "convex hull"

STEPS = 128
"""Polytopes need some ten steps; round surfaces more, because every step halves an error."""

TOLERANCE = 1e-9
"""Of a depth, and of distances that count as zero, relative to the size of the smaller shape."""

PROVEN = 1e-13
"""Of a distance, relative to the same size.  Along round surfaces the error of a normal is the square root of this:
each of the last steps divides the error of the distance by four, that of the normal by two."""

LOWEST = -1e30

STATE = (
    Port("corners", (3, 3)), Port("on_first", (3, 3)), Port("v", (3,)), Port("lower", ()), Port("overlap", ()),
    Port("going", ()),
)  # fmt: skip
RELATIVE = (Port("R", (3, 3)), Port("t", (3,)))
"""The pose of the second shape in the first."""
SIZES = (Port("sizes", (3,)), Port("sizes2", (3,)), Port("tolerance", ()), Port("limit", ()))
NO_HULLS = FarthestVertex(())


@dataclass(frozen=True, eq=False)
class Rows:
    """Pairs of shapes of two kinds, one per row: poses (n, 12), sizes (n, 3), points inside (n, 3), tolerances (n,),
    distances (n,) beyond which none is computed, and for hulls their numbers (n,) among `hulls`."""

    kinds: tuple[str, str]
    X: Array
    X2: Array
    sizes: Array
    sizes2: Array
    middle: Array
    middle2: Array
    tolerance: Array
    limit: Array
    hull: Array
    hull2: Array
    hulls: FarthestVertex = NO_HULLS


@dataclass(frozen=True, eq=False)
class Separation:
    """The nearest point of the first core (n, 3) in world axes and coordinates, the unit vector towards that of the
    second, their distance, the bound on its error, whether the cores overlap, and whether the distance is certainly
    beyond the limit of its row.  Where one of these is true, the others mean nothing."""

    first: Array
    normal: Array
    distance: Array
    residual: Array
    overlap: NDArray[np.bool_]
    beyond: NDArray[np.bool_]


def separation(rows: Rows) -> Separation:
    """The search for all rows."""
    R, t, corners, on_first, v = relative(rows)
    n = len(rows.X)
    start = (corners, on_first, v, np.full(n, LOWEST), np.zeros(n), np.ones(n))
    inputs: list[Any] = [R, t, rows.sizes, rows.sizes2, rows.tolerance, rows.limit]
    inputs += [x for x, kind in zip((rows.hull, rows.hull2), rows.kinds, strict=True) if kind == HULL]
    loop = search_loop(rows.kinds, rows.hulls if HULL in rows.kinds else NO_HULLS)
    corners, on_first, v, lower, overlap, _ = loop.call(*start, *inputs)
    first, normal, distance, residual = _finish().call(rows.X, corners, on_first, v, lower)
    beyond = lower > rows.limit
    return Separation(first, normal, distance, residual, (overlap > 0.5) & ~beyond, beyond)


def relative(rows: Rows) -> tuple[Array, ...]:
    """The pose of the second shapes in the first, and the difference of two points inside, as a triangle."""
    witness: tuple[Array, ...] = _relative().call(rows.X, rows.X2, rows.middle, rows.middle2)
    return witness


@lru_cache(maxsize=1)
def _relative() -> CompiledFunction:
    def convex_start(X: Any, Y: Any, m: Any, m2: Any) -> Any:
        rows, others = (_rows_of(X), _rows_of(Y))
        d = [y - x for x, y in zip(X[9:], Y[9:], strict=True)]
        R = [[sum(rows[k][i] * others[k][j] for k in range(3)) for j in range(3)] for i in range(3)]
        t = [sum(rows[k][i] * d[k] for k in range(3)) for i in range(3)]
        v = [m[i] - t[i] - sum(R[i][k] * m2[k] for k in range(3)) for i in range(3)]
        return R, t, [v] * 3, [m] * 3, v

    inputs = (Port("X", (12,)), Port("Y", (12,)), Port("m", (3,)), Port("m2", (3,)))
    return CompiledFunction(convex_start, inputs, (*RELATIVE, *STATE[:3]), "convex start 1")


@lru_cache(maxsize=1)
def _finish() -> CompiledFunction:
    def convex_end(X: Any, corners: Any, on_first: Any, v: Any, lower: Scalar) -> Any:
        search = Search(_corners(corners, on_first), Vec3.of(v), lower, 0.0, 0.0)
        rows = [Vec3.of(row) for row in _rows_of(X)]
        p, _ = nearest_points(search)
        n, distance = unit_vector(-search.v)
        first = [row.dot(p) + x for row, x in zip(rows, X[9:], strict=True)]
        return first, [row.dot(n) for row in rows], distance, distance - where(lower > 0.0, lower, 0.0)

    outputs = (Port("first", (3,)), Port("normal", (3,)), Port("distance", ()), Port("residual", ()))
    return CompiledFunction(convex_end, (Port("X", (12,)), *STATE[:4]), outputs, "convex end 2")


def _rows_of(X: Sequence[Scalar]) -> list[Sequence[Scalar]]:
    return [X[3 * k : 3 * k + 3] for k in range(3)]


def _corners(w: Any, a: Any) -> tuple[Corner, Corner, Corner]:
    p, q, r = (Corner(Vec3.of(x), Vec3.of(y)) for x, y in zip(w, a, strict=True))
    return p, q, r


@lru_cache(maxsize=256)
def search_loop(kinds: tuple[str, str], hulls: FarthestVertex) -> Iterated:
    """The loop for two kinds of shapes; its machine code does not depend on the hulls."""
    return Iterated(_step(kinds, hulls), STEPS, carried=len(STATE), until=True, name="distance")


def _step(kinds: tuple[str, str], hulls: FarthestVertex) -> Compiled:
    if HULL not in kinds:
        return _update(kinds)
    ports: list[Port] = [*STATE, *RELATIVE, *SIZES]
    stages = []
    for side in (side for side, kind in enumerate(kinds) if kind == HULL):
        number, direction, vertex = f"hull{side}", f"direction{side}", f"vertex{side}"
        ports.append(Port(number, ()))
        stages.append(Stage(_direction(side), ("v", "R"), (direction,)))
        stages.append(Stage(hulls, (direction, number), (vertex,)))
    update = _update(kinds)
    outputs = (*(p.name + "_next" for p in STATE), "continue")
    stages.append(Stage(update, tuple(p.name for p in update.inputs), outputs))
    results = [Port(name, p.shape) for name, p in zip(outputs, update.outputs, strict=True)]
    return Staged(f"distance {kinds}", ports, results, stages)


@lru_cache(maxsize=2)
def _direction(side: int) -> CompiledFunction:
    """Where to look for the farthest point of the first (0) or second shape (1)."""

    def toward(v: Any, R: Any) -> Any:
        return [-x for x in v] if side == 0 else [sum(R[k][i] * v[k] for k in range(3)) for i in range(3)]

    toward.__name__ = f"convex_direction{side}"
    return CompiledFunction(
        toward, (Port("v", (3,)), RELATIVE[0]), (Port("direction", (3,)),), f"convex direction {side} 2"
    )


@lru_cache(maxsize=64)
def _update(kinds: tuple[str, str]) -> CompiledFunction:
    """A step of the search; of hulls the farthest vertex is an input."""
    hulls = [f"vertex{side}" for side, kind in enumerate(kinds) if kind == HULL]

    def run(*inputs: Any) -> Any:
        corners, on_first, v, lower, overlap, going, R, t, sizes, sizes2, tolerance, limit, *closest = inputs
        search = Search(_corners(corners, on_first), Vec3.of(v), lower, overlap, going)
        best = dict(zip(hulls, closest, strict=True))
        a = _farthest(kinds[0], sizes, -search.v, best.get("vertex0"))
        rows = [Vec3.of(row) for row in R]
        turned = Vec3(*(sum(row[k] * x for row, x in zip(R, v, strict=True)) for k in range(3)))
        b = _farthest(kinds[1], sizes2, turned, best.get("vertex1"))
        w = a - Vec3(*(row.dot(b) for row in rows)) - Vec3.of(t)
        after = step(search, Corner(w, a), tolerance, limit)
        return (
            [c.w for c in after.corners], [c.a for c in after.corners], after.v, after.lower, after.overlap,
            after.going, after.going,
        )  # fmt: skip

    run.__name__ = "convex_step"
    inputs = (*STATE, *RELATIVE, *SIZES, *(Port(name, (3,)) for name in hulls))
    return CompiledFunction(run, inputs, (*STATE, Port("continue", ())), f"convex step {kinds} 5")


def _farthest(kind: str, sizes: Sequence[Scalar], d: Vec3, vertex: Any) -> Vec3:
    return Vec3.of(vertex) if kind == HULL else SUPPORTS[kind](sizes, d)


@lru_cache(maxsize=16)
def support_kernel(kind: str) -> CompiledFunction:
    """Sizes and a direction -> the farthest point of the core of a shape that is not a hull."""

    def farthest_point(sizes: Any, direction: Any) -> Any:
        return SUPPORTS[kind](sizes, Vec3.of(direction))

    inputs = (SIZES[0], Port("direction", (3,)))
    return CompiledFunction(farthest_point, inputs, (Port("point", (3,)),), f"convex support {kind} 1")


def farthest_vertices(hulls: FarthestVertex, d: Array, number: Array) -> Array:
    """The farthest vertices of hulls (n,) in directions (n, 3)."""
    return np.asarray(_vertices(hulls).call(d, number)).reshape(-1, 3)


@lru_cache(maxsize=64)
def _vertices(hulls: FarthestVertex) -> Iterated:
    inputs, outputs = hulls.inputs, hulls.outputs
    stage = Stage(hulls, tuple(p.name for p in inputs), tuple(p.name for p in outputs))
    return Iterated(Staged("vertices", inputs, outputs, [stage]), 1, 0)
