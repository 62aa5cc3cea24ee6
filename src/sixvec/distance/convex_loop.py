"""The search for the distance of two convex shapes as compiled loops: lanes are pairs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from sixvec.arguments import Array
from sixvec.distance.pairs.convex import Corner, Search, nearest_points, step, unit_vector
from sixvec.distance.pairs.support import SUPPORTS
from sixvec.kernels import Compiled, Iterated, Port, Stage, Staged
from sixvec.kernels.function import CompiledFunction
from sixvec.scalar import Scalar, where
from sixvec.spatial import Vec3

HULL = "convex hull"

STEPS = 128
"""Polytopes need some ten steps; round surfaces more, because every step halves an error."""

BLOCK = 16
"""Vertices compared in a step of the loop over a hull."""

TOLERANCE = 1e-9
"""Of a distance, relative to the size of the smaller shape."""

LOWEST = -1e30

STATE = (
    Port("corners", (3, 3)), Port("on_first", (3, 3)), Port("v", (3,)), Port("lower", ()), Port("overlap", ()),
    Port("going", ()),
)  # fmt: skip
RELATIVE = (Port("R", (3, 3)), Port("t", (3,)))
"""The pose of the second shape in the first."""
SIZES = (Port("sizes", (3,)), Port("sizes2", (3,)), Port("tolerance", ()))
BEST = Port("best", (4,))


@dataclass(frozen=True, eq=False)
class Rows:
    """Pairs of shapes of two kinds, one per row: poses (n, 12), sizes (n, 3), points inside (n, 3), tolerances (n,).

    Hulls are the same in all rows: blocks of vertices (m, BLOCK, 3).
    """

    kinds: tuple[str, str]
    X: Array
    X2: Array
    sizes: Array
    sizes2: Array
    middle: Array
    middle2: Array
    tolerance: Array
    vertices: Array | None = None
    vertices2: Array | None = None


@dataclass(frozen=True, eq=False)
class Separation:
    """The nearest point of the first core (n, 3) in world axes and coordinates, the unit vector towards that of the
    second, their distance, the bound on its error, and whether the cores overlap; then the others mean nothing."""

    first: Array
    normal: Array
    distance: Array
    residual: Array
    overlap: Array


def separation(rows: Rows) -> Separation:
    """The search for all rows."""
    R, t, corners, on_first, v = relative(rows)
    n = len(rows.X)
    start = (corners, on_first, v, np.full(n, LOWEST), np.zeros(n), np.ones(n))
    inputs: list[Any] = [R, t, rows.sizes, rows.sizes2, rows.tolerance]
    inputs += [x for x in (rows.vertices, rows.vertices2) if x is not None]
    loop = search_loop(rows.kinds, *(0 if x is None else len(x) for x in (rows.vertices, rows.vertices2)))
    corners, on_first, v, lower, overlap, _ = loop.call(*start, *inputs)
    first, normal, distance, residual = _finish().call(rows.X, corners, on_first, v, lower)
    return Separation(first, normal, distance, residual, overlap > 0.5)


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
def search_loop(kinds: tuple[str, str], blocks: int, blocks2: int) -> Iterated:
    """The loop for two kinds of shapes; its machine code does not depend on the numbers of blocks of vertices."""
    return Iterated(_step(kinds, blocks, blocks2), STEPS, carried=len(STATE), until=True, name="distance")


@lru_cache(maxsize=256)
def _step(kinds: tuple[str, str], blocks: int, blocks2: int) -> Compiled:
    if HULL not in kinds:
        return _update(kinds)
    ports: list[Port] = [*STATE, *RELATIVE, *SIZES]
    stages = []
    for side, (kind, count) in enumerate(zip(kinds, (blocks, blocks2), strict=True)):
        if kind == HULL:
            vertices, best = f"vertices{side}", f"best{side}"
            ports.append(Port(vertices, (count, BLOCK, 3)))
            stages.append(Stage(_direction(side), ("v", "R"), (f"best_so_far{side}", f"direction{side}")))
            names = f"best_so_far{side}", f"direction{side}", vertices
            stages.append(Stage(Iterated(_compare(), count, carried=1, each=1), names, (best,)))
    update = _update(kinds)
    named = {p.name: p.name for p in (*STATE, *RELATIVE, *SIZES)}
    inputs = tuple(named.get(p.name, p.name) for p in update.inputs)
    outputs = (*(p.name + "_next" for p in STATE), "continue")
    stages.append(Stage(update, inputs, outputs))
    results = [Port(name, p.shape) for name, p in zip(outputs, update.outputs, strict=True)]
    return Staged(f"distance {kinds}", ports, results, stages)


@lru_cache(maxsize=2)
def _direction(side: int) -> CompiledFunction:
    """Before the loop over the vertices of the first (0) or second shape (1): nothing found, and where to look."""

    def toward(v: Any, R: Any) -> Any:
        d = [-x for x in v] if side == 0 else [sum(R[k][i] * v[k] for k in range(3)) for i in range(3)]
        return [LOWEST, 0.0, 0.0, 0.0], d

    toward.__name__ = f"convex_direction{side}"
    outputs = (BEST, Port("direction", (3,)))
    return CompiledFunction(toward, (Port("v", (3,)), RELATIVE[0]), outputs, f"convex direction {side} 1")


@lru_cache(maxsize=1)
def _compare() -> CompiledFunction:
    """The farthest of a block of vertices and of those before."""

    def farthest_vertex(best: Any, direction: Any, block: Any) -> Any:
        reach, *point = best
        d = Vec3.of(direction)
        for p in block:
            far = d.dot(Vec3.of(p))
            farther = far > reach
            reach = where(farther, far, reach)
            point = [where(farther, x, y) for x, y in zip(p, point, strict=True)]
        return [reach, *point]

    inputs = (BEST, Port("direction", (3,)), Port("block", (BLOCK, 3)))
    return CompiledFunction(farthest_vertex, inputs, (BEST,), "convex vertices 1")


@lru_cache(maxsize=64)
def _update(kinds: tuple[str, str]) -> CompiledFunction:
    """A step of the search; of hulls the farthest vertex is an input."""
    hulls = [f"best{side}" for side, kind in enumerate(kinds) if kind == HULL]

    def run(*inputs: Any) -> Any:
        corners, on_first, v, lower, overlap, going, R, t, sizes, sizes2, tolerance, *closest = inputs
        search = Search(_corners(corners, on_first), Vec3.of(v), lower, overlap, going)
        best = dict(zip(hulls, closest, strict=True))
        a = _farthest(kinds[0], sizes, -search.v, best.get("best0"))
        rows = [Vec3.of(row) for row in R]
        turned = Vec3(*(sum(row[k] * x for row, x in zip(R, v, strict=True)) for k in range(3)))
        b = _farthest(kinds[1], sizes2, turned, best.get("best1"))
        w = a - Vec3(*(row.dot(b) for row in rows)) - Vec3.of(t)
        after = step(search, Corner(w, a), tolerance)
        return (
            [c.w for c in after.corners], [c.a for c in after.corners], after.v, after.lower, after.overlap,
            after.going, after.going,
        )  # fmt: skip

    run.__name__ = "convex_step"
    inputs = (*STATE, *RELATIVE, *SIZES, *(Port(name, (4,)) for name in hulls))
    return CompiledFunction(run, inputs, (*STATE, Port("continue", ())), f"convex step {kinds} 1")


def _farthest(kind: str, sizes: Sequence[Scalar], d: Vec3, vertex: Any) -> Vec3:
    return Vec3.of(vertex[1:]) if kind == HULL else SUPPORTS[kind](sizes, d)


@lru_cache(maxsize=16)
def support_kernel(kind: str) -> CompiledFunction:
    """Sizes and a direction -> the farthest point of the core of a shape that is not a hull."""

    def farthest_point(sizes: Any, direction: Any) -> Any:
        return SUPPORTS[kind](sizes, Vec3.of(direction))

    inputs = (SIZES[0], Port("direction", (3,)))
    return CompiledFunction(farthest_point, inputs, (Port("point", (3,)),), f"convex support {kind} 1")


def vertex_blocks(vertices: Array) -> Array:
    """Vertices (n, 3) in blocks, the last filled with the first vertex."""
    count = -(-len(vertices) // BLOCK)
    padded = np.concatenate([vertices, np.repeat(vertices[:1], count * BLOCK - len(vertices), axis=0)])
    return np.ascontiguousarray(padded.reshape(count, BLOCK, 3))
