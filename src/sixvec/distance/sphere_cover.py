"""Spheres or capsules that together contain a convex shape and exceed it by at most a given length.

The signed distance s of a convex shape, negative inside, is convex and changes by at most the length of a step.
So a ball of radius `error - s(c)` around c exceeds the shape by at most `error`, and so does a capsule between two such
centres with the smaller radius.  The shape is cut into cells; a ball contains what is in a cell if it reaches a point
of the shape in or near the cell with the length to spare that the rest of the cell is away from it.  Balls are chosen
one after the other, each for a cell that is not covered yet: of those that contain it the one that covers most.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from sixvec.arguments import Array
from sixvec.distance.gaps import Solids
from sixvec.distance.shapes import CollisionShape, described
from sixvec.errors import ArgumentError
from sixvec.geometry.rigid_body.solids import Capsule, Sphere
from sixvec.model import Geom, Model
from sixvec.model.geom import z_towards
from sixvec.spatial import Pose, Vec3

FINEST = 0.3
"""Half diagonal of the smallest cells, relative to the error: what balls must reach beyond a point of the surface."""

DEEPER = 1.0 / 3.0
"""Half diagonal of cells, relative to their depth."""

CANDIDATES = 4000
"""Centres that are considered."""

COMPARED = 32
"""Balls that are compared for each cell that is not covered yet."""

MOST_CELLS = 400_000


@dataclass(frozen=True, eq=False)
class Cells:
    """Points of a shape (n, 3) and how far the rest of their cells is from them at most (n,).

    A point is the middle of its cell, or the point of the shape nearest to that: no point of a convex shape is farther
    from the nearest point than from the middle.
    """

    middle: Array
    half: Array


@dataclass(frozen=True, eq=False)
class Cover:
    """The ends (k, 2, 3) of the axes of capsules, in the coordinates of the shape, and radii (k,); of spheres both ends
    are the same."""

    ends: Array
    radii: Array


def with_shapes(model: Model, kind: str, error: float) -> Model:
    """The model with collision shapes that cover the old ones; half spaces stay as they are."""
    if kind not in ("spheres", "capsules"):
        raise ArgumentError(f'with_shapes: kind is {kind!r}; it is "spheres" or "capsules"')
    geoms: list[Geom] = []
    for number, g in enumerate(model.geoms):
        if g.collision:
            geoms += _covering(g, g.name or f"{g.frame}/{number + 1}", kind, error)
        if g.visual:
            geoms.append(replace(g, collision=False) if g.collision else g)
    return replace(model, geoms=tuple(geoms))


def _covering(g: Geom, name: str, kind: str, error: float) -> list[Geom]:
    shape = described(g.shape, name)
    if shape[0] in ("half space", "sphere") or (shape[0] == "capsule" and kind == "capsules"):
        return [replace(g, visual=False)]
    covered = cover(CollisionShape(name, g.frame, *shape[:2], Pose.identity(), shape[2]), kind == "capsules", error)
    covering = []
    for k, (ends, radius) in enumerate(zip(covered.ends, covered.radii.tolist(), strict=True)):
        way = ends[1] - ends[0]
        length = float(np.linalg.norm(way))
        middle = Vec3(*(0.5 * (ends[0] + ends[1])).tolist())
        if length > 0.0:
            X, solid = Pose(z_towards(Vec3(*(way / length).tolist())), middle), Capsule(radius, length)
            covering.append(replace(g, shape=solid, placement=g.placement @ X, name=f"{name} {k + 1}", visual=False))
        else:
            X, ball = Pose.translation(middle), Sphere(radius)
            covering.append(replace(g, shape=ball, placement=g.placement @ X, name=f"{name} {k + 1}", visual=False))
    return covering


def cover(shape: CollisionShape, capsules: bool, error: float) -> Cover:
    """Spheres or capsules that contain a shape and exceed it by at most `error`."""
    cells = cells_of(shape, error)
    centres, depths = _candidates(shape, cells)
    reach = depths + error
    ends: list[Array] = []
    radii: list[float] = []
    open_cells = np.ones(len(cells.half), bool)
    order = _depth(shape, cells.middle)
    while open_cells.any():
        x = int(np.where(open_cells, order, np.inf).argmin())  # the outermost
        away = np.linalg.norm(centres - cells.middle[x], axis=1) + cells.half[x]
        fitting = np.flatnonzero(away <= reach)
        if not fitting.size:  # the point of the cell itself, whose ball contains the cell
            centres = np.concatenate([centres, cells.middle[x : x + 1]])
            reach = np.append(reach, error + max(0.0, float(order[x])))
            fitting = np.array([len(centres) - 1])
        fitting = fitting[np.argsort(-reach[fitting], kind="stable")]
        fitting = fitting[np.linspace(0, len(fitting) - 1, min(len(fitting), COMPARED)).astype(int)]
        remaining = np.flatnonzero(open_cells)
        if not capsules:  # no ball that contains x reaches farther
            near = np.abs(cells.middle[remaining] - cells.middle[x]).max(axis=1) <= 2.0 * reach[fitting[0]]
            remaining = remaining[near]
        middles, halves = cells.middle[remaining], cells.half[remaining]
        inside = _contained(centres[fitting], centres[fitting], reach[fitting], middles, halves)
        best = int(inside.sum(axis=1).argmax())
        pair, radius, gained = (fitting[best], fitting[best]), reach[fitting[best]], inside[best]
        if capsules:
            pair, radius, gained = _extended(fitting[best], centres, reach, middles, halves, gained)
        ends.append(centres[list(pair)])
        radii.append(float(radius))
        open_cells[remaining[gained]] = False
        open_cells[x] = False
    return _needed(Cover(np.array(ends), np.array(radii)), cells)


def _needed(covered: Cover, cells: Cells) -> Cover:
    """The cover without what others cover too, beginning with the smallest."""
    inside = np.concatenate(
        [
            _contained(e[None, 0], e[None, 1], np.array([r]), cells.middle, cells.half)
            for e, r in zip(covered.ends, covered.radii, strict=True)
        ]
    )
    times = inside.sum(axis=0)
    is_needed = np.ones(len(covered.radii), bool)
    for k in np.argsort(inside.sum(axis=1), kind="stable"):
        if (times[inside[k]] > 1).all():
            is_needed[k] = False
            times -= inside[k]
    return Cover(covered.ends[is_needed], covered.radii[is_needed])


def _extended(
    start: int, centres: Array, reach: Array, middles: Array, halves: Array, gained: NDArray[np.bool_]
) -> tuple[tuple[int, int], float, NDArray[np.bool_]]:
    """The capsule from a centre to another one that covers most, and still all that its ball covers."""
    order = np.linspace(0, len(centres) - 1, min(len(centres), 2 * COMPARED)).astype(int)
    others = order[reach[order] >= 0.5 * reach[start]]
    best, radius, gained_cells = start, float(reach[start]), gained
    if others.size:
        radii = np.minimum(reach[start], reach[others])
        first = np.broadcast_to(centres[start], (len(others), 3))
        inside = _contained(first, centres[others], radii, middles, halves)
        counts = np.where((inside | ~gained).all(axis=1), inside.sum(axis=1), -1)
        k = int(counts.argmax())
        if counts[k] > gained.sum():
            best, radius, gained_cells = int(others[k]), float(radii[k]), inside[k]
    return (start, best), radius, gained_cells


def _contained(first: Array, second: Array, radii: Array, middles: Array, halves: Array) -> NDArray[np.bool_]:
    """Whether capsules (k) contain cells (n)."""
    along = second - first
    square = np.einsum("ki,ki->k", along, along)
    way = middles[None] - first[:, None]
    t = np.clip(np.einsum("kni,ki->kn", way, along) / np.where(square > 0.0, square, 1.0)[:, None], 0.0, 1.0)
    way = way - t[:, :, None] * along[:, None]
    return np.asarray(np.sqrt(np.einsum("kni,kni->kn", way, way)) + halves <= radii[:, None])


def cells_of(shape: CollisionShape, error: float) -> Cells:
    """Cells that contain the shape: small at its surface, larger inside."""
    low, high = _bounds(shape)
    finest = 2.0 / np.sqrt(3.0) * FINEST * error
    edge = finest * 2.0 ** max(0.0, np.floor(np.log2(float((high - low).max()) / finest)))
    count = np.maximum(1, np.ceil((high - low) / edge - 1e-9)).astype(int)
    start = 0.5 * (low + high) - 0.5 * edge * count
    middle = start + (np.indices(count).reshape(3, -1).T + 0.5) * edge
    kept_middles, kept_halves, total = [], [], 0
    while len(middle):
        half = 0.5 * np.sqrt(3.0) * edge
        depth = _depth(shape, middle)
        outside = depth < 0.0
        away, nearest = _from_points(shape, middle[outside])
        far, points = outside.copy(), middle.copy()
        far[outside], points[outside] = away > half * (1.0 + 1e-9), nearest
        middle, points, depth = middle[~far], points[~far], depth[~far]
        fine = half <= np.maximum(FINEST * error * (1.0 + 1e-9), DEEPER * depth)
        kept_middles.append(points[fine])
        kept_halves.append(np.full(int(fine.sum()), half))
        middle, edge = middle[~fine], 0.5 * edge
        corners = (np.indices((2, 2, 2)).reshape(3, -1).T - 0.5) * edge
        middle = (middle[:, None] + corners).reshape(-1, 3)
        total = sum(map(len, kept_middles)) + len(middle)
        if total > MOST_CELLS:
            raise ArgumentError(
                f"with_shapes: an error of {error:g} m is too small for {shape.name}, whose size is {shape.size:.3g} "
                "m; give a larger one"
            )
    return Cells(np.concatenate(kept_middles), np.concatenate(kept_halves))


def _candidates(shape: CollisionShape, cells: Cells) -> tuple[Array, Array]:
    """Centres of balls and their depths: points of cells."""
    depth = np.maximum(_depth(shape, cells.middle), 0.0)
    chosen = np.linspace(0, len(depth) - 1, min(len(depth), CANDIDATES)).astype(int)
    return cells.middle[chosen], depth[chosen]


def _bounds(shape: CollisionShape) -> tuple[Array, Array]:
    if shape.vertices is not None:
        return shape.vertices.min(axis=0), shape.vertices.max(axis=0)
    s = shape.sizes
    half = {
        "box": lambda: np.array(s), "ellipsoid": lambda: np.array(s), "cylinder": lambda: np.array([s[0], s[0], s[1]]),
        "capsule": lambda: np.array([s[0], s[0], s[0] + s[1]]), "cone": lambda: np.array([s[0], s[0], 0.5 * s[1]]),
    }[shape.kind]()  # fmt: skip
    middle = np.array([0.0, 0.0, 0.5 * s[1]]) if shape.kind == "cone" else np.zeros(3)
    return middle - half, middle + half


def _depth(shape: CollisionShape, p: Array) -> Array:
    """How deep points are inside at least; negative outside, where it is not the distance."""
    depth: Array
    around = np.hypot(p[:, 0], p[:, 1])
    match shape.kind, shape.sizes:
        case "box", sizes:
            depth = (np.array(sizes) - np.abs(p)).min(axis=1)
        case "cylinder", (r, h):
            depth = np.minimum(r - around, h - np.abs(p[:, 2]))
        case "capsule", (r, h):
            depth = r - np.hypot(around, np.maximum(np.abs(p[:, 2]) - h, 0.0))
        case "cone", (r, height):
            side = ((height - p[:, 2]) * r - around * height) / np.hypot(r, height)
            depth = np.minimum(p[:, 2], side)
        case "ellipsoid", sizes:  # a ball of this radius is inside, because it is in the scaled ellipsoid around p
            depth = (1.0 - np.linalg.norm(p / np.array(sizes), axis=1)) * min(sizes)
        case _:
            depth = -(p @ _planes(shape)[:, :3].T + _planes(shape)[:, 3]).max(axis=1)
    return depth


def _planes(shape: CollisionShape) -> Array:
    """The planes of the faces of a hull (n, 4), outward; of a flat one none."""
    from scipy.spatial import ConvexHull, QhullError

    assert shape.vertices is not None
    try:
        planes: Array = np.unique(ConvexHull(shape.vertices).equations, axis=0)
    except (QhullError, ValueError):
        raise ArgumentError(f"with_shapes: {shape.name} is flat; give it a thickness") from None
    return planes


def _from_points(shape: CollisionShape, p: Array) -> tuple[Array, Array]:
    """The distances of points outside, and the nearest points of the shape."""
    n = len(p)
    if not n:
        return np.zeros(0), np.zeros((0, 3))
    solids = Solids((CollisionShape("point", "", "sphere", (0.0,)), shape))
    X, Y = np.zeros((n, 12)), np.zeros((n, 12))
    X[:, [0, 4, 8]] = Y[:, [0, 4, 8]] = 1.0
    X[:, 9:] = p
    gaps = solids.gaps(np.zeros(n, np.intp), np.ones(n, np.intp), X, Y, depths=False)
    touching = np.isinf(gaps.gap)
    return np.where(touching, 0.0, gaps.gap), np.where(touching[:, None], p, gaps.second)
