"""The gaps of pairs of shapes of any kinds, many at a time: pairs of the same kinds share a compiled program."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sixvec.arguments import Array
from sixvec.distance.around_axis import SAMPLES, SAMPLES_OF_HULLS, Circles, circles_of, joined, least_around
from sixvec.distance.boxes_around import DESCRIBED
from sixvec.distance.convex_loop import (
    HULL,
    PROVEN,
    TOLERANCE,
    Rows,
    Separation,
    farthest_vertices,
    separation,
    support_kernel,
)
from sixvec.distance.pairs.closed import CLOSED
from sixvec.distance.pairs.expand import DISTINCT, depth
from sixvec.distance.pairs.touch import nearest_touch
from sixvec.distance.shapes import CollisionShape, padded_sizes
from sixvec.distance.way_out import Along, way_out
from sixvec.errors import DegenerateError
from sixvec.kernels import FarthestVertex, Port
from sixvec.kernels.function import CompiledFunction
from sixvec.lazy import lazy
from sixvec.spatial import Mat3, Pose, Rotation, Vec3

Indices = NDArray[np.intp]

WORST = 1e-6
"""Of the size of the smaller shape: the largest error of a distance."""


TOUCHING = 1e-4
"""Of the size of the smaller shape: the direction between points that are nearer than this is inexact, and the normal
is that of the surface of their difference."""

STUCK = 1e-3
"""Of the same size: a distance below this of which the search is not certain is computed from that surface, too."""

APART = 0.01
"""Of the same size: how far shapes are moved apart to find where they overlap."""

SMALLEST = 1e-3
"""Of the size of the larger shape: a smaller one counts as a point."""

STARTS = 4
"""Directions from which the shortest way out is refined."""

BLOCK = 1024
"""Pairs that are refined at a time, which bounds the memory."""

TURNS = 3
"""Searches around the axes of both shapes, each from the way out that the search before led to."""

TOUCH, UNCERTAIN, INSIDE = 1, 2, 3
"""Why a gap is computed from the surface of the difference of two shapes: for its normal alone; because the search is
not certain; because the shapes overlap."""


@dataclass(frozen=True, eq=False)
class Gaps:
    """For each pair of shapes (n,): the gap, a unit vector from the first to the second, and the nearest points."""

    gap: Array
    normal: Array
    first: Array
    second: Array

    @classmethod
    def empty(cls, n: int) -> Gaps:
        return cls(np.full(n, np.nan), *(np.full((n, 3), np.nan) for _ in range(3)))

    def put(self, rows: Any, other: Gaps, turned: bool = False) -> None:
        """Write the results of some rows, with first and second exchanged if they are `turned`."""
        self.gap[rows] = other.gap
        self.normal[rows] = -other.normal if turned else other.normal
        self.first[rows], self.second[rows] = (
            (other.second, other.first) if turned else (other.first, other.second)
        )  # fmt: skip

    def taken(self, rows: Any) -> Gaps:
        return Gaps(self.gap[rows], self.normal[rows], self.first[rows], self.second[rows])


@dataclass(frozen=True, eq=False)
class Solids:
    """Shapes as arrays."""

    shapes: tuple[CollisionShape, ...]
    kinds: tuple[str, ...] = field(init=False)
    sizes: Array = field(init=False)
    radius: Array = field(init=False)
    """Of what is added around cores."""
    middle: Array = field(init=False)
    """A point inside each core."""
    ball: Array = field(init=False)
    ball_radius: Array = field(init=False)
    inner: Array = field(init=False)

    def __post_init__(self) -> None:
        balls = [s.bounding_ball() for s in self.shapes]
        middles = [np.zeros(3) if s.vertices is None else s.vertices.mean(axis=0) for s in self.shapes]
        arrays = {
            "kinds": tuple(s.kind for s in self.shapes),
            "sizes": padded_sizes(self.shapes),
            "radius": np.array([s.radius for s in self.shapes]),
            "middle": np.array(middles).reshape(-1, 3),
            "ball": np.array([c for c, _ in balls]).reshape(-1, 3),
            "ball_radius": np.array([r for _, r in balls]),
            "inner": np.array([s.inner_radius() for s in self.shapes]),
        }
        for name, value in arrays.items():
            object.__setattr__(self, name, value)

    def gaps(
        self, first: Indices, second: Indices, X: Array, Y: Array, depths: bool = True, limit: Array | None = None,
        strict: bool = True,
    ) -> Gaps:  # fmt: skip
        """The gaps of shapes `first` at poses X (n, 12) and `second` at Y.

        Without `depths` overlaps of shapes without a closed form are -infinity.  Of a gap that is at least its `limit`
        (n,) nothing else is certain.  A gap that is not known to the accuracy of `WORST` is an error if `strict`.
        """
        limit = np.full(len(first), np.inf) if limit is None else limit
        found, surface = Gaps.empty(len(first)), np.zeros(len(first), np.int8)
        for kinds, turned, rows in self._groups(first, second):
            i, j, P, Q = (second, first, Y, X) if turned else (first, second, X, Y)
            several, surface[rows] = self._of_kinds(kinds, i[rows], j[rows], P[rows], Q[rows], limit[rows], strict)
            found.put(rows, several, turned)
        found.gap[surface == INSIDE] = -np.inf
        if (rows := np.flatnonzero(surface if depths else surface == UNCERTAIN)).size:
            known, i, j = found.gap[rows], first[rows], second[rows]
            normal = np.where((surface[rows] == TOUCH)[:, None], found.normal[rows], 0.0)
            found.put(rows, self._from_surface(i, j, X[rows], Y[rows], limit[rows], normal))
            same = (surface[rows] == TOUCH) & (abs(found.gap[rows] - known) < 2.0 * TOUCHING * self._size(i, j))
            found.gap[rows[same]] = known[same]
        return found

    def _groups(self, first: Indices, second: Indices) -> list[tuple[tuple[str, str], bool, Indices]]:
        """Rows with the same kinds; whether first and second are exchanged."""
        label = self._kind[first] * len(_ORDER) + self._kind[second]
        groups, order = [], np.argsort(label, kind="stable")
        ends = np.flatnonzero(np.diff(label[order])) + 1
        for rows in np.split(order, ends) if len(order) else []:
            kinds = self.kinds[first[rows[0]]], self.kinds[second[rows[0]]]
            turned = _ORDER.index(kinds[0]) > _ORDER.index(kinds[1])
            groups.append((kinds[::-1] if turned else kinds, turned, rows))
        return groups

    @lazy
    def boxes(self) -> Array:
        """The boxes around the shapes, as numbers."""
        return np.array([s.box for s in self.shapes]).reshape(-1, DESCRIBED)

    @lazy
    def _kind(self) -> Indices:
        return np.array([_ORDER.index(kind) for kind in self.kinds], np.intp)

    @lazy
    def _hulls(self) -> FarthestVertex:
        return FarthestVertex([s.table for s in self.shapes if s.kind == HULL])

    @lazy
    def _hull_number(self) -> Array:
        """Of each shape among the hulls; of others it means nothing."""
        return np.cumsum([kind == HULL for kind in self.kinds]) - 1.0

    def _of_kinds(
        self, kinds: tuple[str, str], i: Indices, j: Indices, X: Array, Y: Array, limit: Array, strict: bool
    ) -> tuple[Gaps, NDArray[np.int8]]:
        """The gaps of pairs of the same kinds, and what of them is to be computed from the surface of the difference:
        zero for nothing."""
        if kinds in CLOSED:
            return Gaps(*closed_gap(kinds).call(X, Y, self.sizes[i], self.sizes[j])), np.zeros(len(i), np.int8)
        if kinds == (HULL, "half space"):
            return self._hull_on_half_space(i, X, Y), np.zeros(len(i), np.int8)
        return self._convex(kinds, i, j, X, Y, limit, strict)

    def _hull_on_half_space(self, i: Indices, X: Array, Y: Array) -> Gaps:
        R, n = X[:, :9].reshape(-1, 3, 3), Y[:, [2, 5, 8]]
        lowest = np.einsum("nij,nj->ni", R, self._farthest(i, np.einsum("nij,ni->nj", -R, n)))
        lowest += X[:, 9:]
        gap = np.einsum("ij,ij->i", lowest - Y[:, 9:], n)
        return Gaps(gap, -n, lowest, lowest - n * gap[:, None])

    def _convex(
        self, kinds: tuple[str, str], i: Indices, j: Indices, X: Array, Y: Array, limit: Array, strict: bool
    ) -> tuple[Gaps, NDArray[np.int8]]:
        size = self._size(i, j)
        middles, numbers = (self.middle[i], self.middle[j]), (self._hull_number[i], self._hull_number[j])
        of_cores = limit + self.radius[i] + self.radius[j]
        sizes = self.sizes[i], self.sizes[j]
        cores = separation(Rows(kinds, X, Y, *sizes, *middles, PROVEN * size, of_cores, *numbers, self._hulls))
        uncertain = ~cores.beyond & (cores.residual > WORST * size + 1e-12 * cores.distance)
        far = ~cores.overlap & (cores.distance > STUCK * size)
        if strict:
            self._require_accuracy(kinds, cores, uncertain & far)
        surface = np.where(cores.distance < TOUCHING * size, TOUCH, 0)
        nowhere = cores.distance < TOLERANCE * size  # apart or deep inside: the sign is that of rounding
        surface = np.where(nowhere | (uncertain & ~far), UNCERTAIN, surface)
        surface = np.where(cores.overlap, INSIDE, np.where(cores.beyond, 0, surface)).astype(np.int8)
        second = cores.first + cores.normal * cores.distance[:, None]
        return self._with_radii(Gaps(cores.distance, cores.normal, cores.first, second), i, j), surface

    def _size(self, i: Indices, j: Indices) -> Array:
        """A length with which errors are compared: the size of the smaller shape, unless it is a point."""
        a, b = self.ball_radius[i], self.ball_radius[j]
        size: Array = np.maximum(np.minimum(a, b), SMALLEST * np.maximum(a, b))
        return size

    def _with_radii(self, cores: Gaps, i: Indices, j: Indices) -> Gaps:
        """The gaps of shapes from those of their cores."""
        n, radius, other = cores.normal, self.radius[i], self.radius[j]
        return Gaps(
            cores.gap - radius - other, n, cores.first + n * radius[:, None], cores.second - n * other[:, None]
        )  # fmt: skip

    def _require_accuracy(self, kinds: tuple[str, str], found: Separation, bad: NDArray[np.bool_]) -> None:
        if bad.any():
            worst = int(np.where(bad, found.residual, 0.0).argmax())
            raise DegenerateError(
                f"the distance of a {kinds[0]} and a {kinds[1]} is known to {found.residual[worst]:.1g} m only: "
                f"{found.distance[worst]:.9g} m; one of them is too thin for its size"
            )

    def _from_surface(self, i: Indices, j: Indices, X: Array, Y: Array, limit: Array, normals: Array) -> Gaps:
        """The gaps of pairs whose cores overlap or touch; relative to the first shape, in its axes.

        `normals` (n, 3) are those that are nearly right, of pairs that touch, and otherwise zero.
        """
        R_i, R_j = X[:, :9].reshape(-1, 3, 3), Y[:, :9].reshape(-1, 3, 3)
        R = np.einsum("nki,nkj->nij", R_i, R_j)
        t = np.einsum("nki,nk->ni", R_i, Y[:, 9:] - X[:, 9:])

        def support(d: Array, rows: Indices) -> tuple[Array, Array]:
            a = self._farthest(i[rows], d)
            b = self._farthest(j[rows], np.einsum("nij,ni->nj", R[rows], -d))
            return a - np.einsum("nij,nj->ni", R[rows], b) - t[rows], a

        enough = -(limit + self.radius[i] + self.radius[j])
        tolerance = 10.0 * TOLERANCE * self._size(i, j)
        overlap = depth(support, len(i), tolerance, enough)
        normal = np.einsum("nij,nj->ni", R_i, overlap.normal)
        first = np.einsum("nij,nj->ni", R_i, overlap.first) + X[:, 9:]
        # a - b reaches this depth along the normal, so the second shape leaves the first along it
        cores = Gaps(-overlap.depth, normal, first, first - normal * overlap.depth[:, None])
        found = self._with_radii(cores, i, j)
        near = found.gap < limit
        if (rows := np.flatnonzero(((overlap.residual > tolerance) | normals.any(axis=1)) & near)).size:
            others = np.einsum("nij,nkj->nki", R_i[rows], overlap.others[rows])
            others = np.concatenate([others, normals[rows, None]], axis=1)
            for k in self._blocks(i[rows], j[rows]):
                at = rows[k]
                self._refine(found, at, others[k], i[at], j[at], X[at], Y[at])
        if (rows := np.flatnonzero(~overlap.certain & near)).size:
            self._meet(found, rows, i[rows], j[rows], X[rows], Y[rows])
        return found

    def _blocks(self, i: Indices, j: Indices) -> list[Indices]:
        """The rows of pairs without and with hulls, not too many at a time."""
        hull = _ORDER.index(HULL)
        with_hull = (self._kind[i] == hull) | (self._kind[j] == hull)
        several = [np.flatnonzero(with_hull == x) for x in (False, True)]
        return [k[at : at + BLOCK] for k in several for at in range(0, len(k), BLOCK)]

    def _refine(self, found: Gaps, rows: Indices, others: Array, i: Indices, j: Indices, X: Array, Y: Array) -> None:
        """Gaps and normals of some pairs whose depth is not certain yet, from their normals and from others."""
        size, radii = self._size(i, j), self.radius[i] + self.radius[j]
        R_i, R_j = X[:, :9].reshape(-1, 3, 3), Y[:, :9].reshape(-1, 3, 3)
        best = found.normal[rows][:, None]
        axes = np.concatenate([R_i, -R_i, R_j, -R_j], axis=2).transpose(0, 2, 1)

        def along(n: Array, k: Indices) -> Array:
            a = np.einsum("nij,nj->ni", R_i[k], self._farthest(i[k], np.einsum("nji,nj->ni", R_i[k], n)))
            b = np.einsum("nij,nj->ni", R_j[k], self._farthest(j[k], np.einsum("nji,nj->ni", R_j[k], -n)))
            gap: Array = np.einsum("ni,ni->n", b - a + Y[k, 9:] - X[k, 9:], n)
            return gap

        def nearest(n: Array, gap: Array, k: Indices) -> Array:
            moved = Y[k]
            moved[:, 9:] += n * (APART * size[k] - gap)[:, None]
            return self.gaps(i[k], j[k], X[k], moved, depths=False, strict=False).normal

        faces = [self._best_face(shape, R, along) for shape, R in ((i, R_i), (j, -R_j))]
        starts = np.concatenate([best, others, axes * (axes @ best.transpose(0, 2, 1) < DISTINCT), *faces], axis=1)
        row, start = np.nonzero(np.einsum("nkj,nkj->nk", starts, starts) > 0.5)
        gaps = np.full(starts.shape[:2], -np.inf)
        gaps[row, start] = along(starts[row, start], row)
        row, start = np.nonzero(gaps >= np.sort(gaps, axis=1)[:, -STARTS, None])
        normal, gap = way_out(starts[row, start], row, along, nearest, TOLERANCE * size[row])
        best = np.lexsort((-gap, row))[np.searchsorted(row, np.arange(len(rows)))]
        normal, gap = normal[best], gap[best]
        hull = HULL in (_ORDER[self._kind[i[0]]], _ORDER[self._kind[j[0]]])
        samples = SAMPLES_OF_HULLS if hull else SAMPLES
        for _ in range(TURNS):
            around, reached = least_around(self._circles(i, j, R_i, R_j, normal), normal, gap, along, samples)
            moved = np.flatnonzero(reached > gap + TOLERANCE * size)
            normal, gap = around, reached
            if not len(moved):
                break
            normal[moved], gap[moved] = way_out(normal[moved], moved, along, nearest, TOLERANCE * size[moved])
        found.normal[rows], found.gap[rows] = normal, gap - radii

    def _best_face(self, shape: Indices, R: Array, along: Along) -> Array:
        """Of hulls the normal (n, 1, 3) of their faces along which the gap is largest; of other shapes zero."""
        normals = [self.shapes[k].face_normals for k in shape]
        row = np.repeat(np.arange(len(shape)), [len(x) for x in normals])
        best = np.zeros((len(shape), 1, 3))
        if len(row):
            n = np.einsum("nij,nj->ni", R[row], np.concatenate(normals))
            order = np.lexsort((-along(n, row), row))
            rows, first = np.unique(row[order], return_index=True)
            best[rows, 0] = n[order[first]]
        return best

    def _circles(self, i: Indices, j: Indices, R_i: Array, R_j: Array, n: Array) -> Circles:
        """Circles of directions around the axes of both shapes of each pair."""
        several = []
        for shape, R, side in ((i, R_i, 1.0), (j, R_j, -1.0)):
            for kind in np.flatnonzero(np.bincount(self._kind[shape])):
                rows = np.flatnonzero(self._kind[shape] == kind)
                several.append(circles_of(_ORDER[kind], self.sizes[shape[rows]], R[rows], n[rows], rows, side))
        return joined(several)

    def _meet(self, found: Gaps, rows: Indices, i: Indices, j: Indices, X: Array, Y: Array) -> None:
        """Nearest points of some pairs that overlap: those of the shapes when moved apart along the normal."""
        n, gap, way = found.normal[rows], found.gap[rows], APART * self._size(i, j)
        moved = Y.copy()
        moved[:, 9:] += n * (way - gap)[:, None]
        first = self.gaps(i, j, X, moved, depths=False, strict=False).first
        good = np.isfinite(first).all(axis=1)
        found.first[rows[good]] = first[good]
        found.second[rows[good]] = (first + n * gap[:, None])[good]

    def _farthest(self, shape: Indices, d: Array) -> Array:
        """The farthest points of the cores of shapes in directions given in their coordinates."""
        points = np.empty_like(d)
        kinds = self._kind[shape]
        for kind in np.flatnonzero(np.bincount(kinds)):
            rows = np.flatnonzero(kinds == kind)
            if _ORDER[kind] == HULL:
                points[rows] = farthest_vertices(self._hulls, d[rows], self._hull_number[shape[rows]])
            else:
                points[rows] = support_kernel(_ORDER[kind]).call(self.sizes[shape[rows]], d[rows])
        return points


_ORDER = ("sphere", "capsule", "box", "cylinder", "cone", "ellipsoid", HULL, "half space")


@lru_cache(maxsize=64)
def closed_gap(kinds: tuple[str, str]) -> CompiledFunction:
    """Poses and sizes of two shapes -> the gap, the normal and the nearest points."""

    def run(X: Any, Y: Any, sizes: Any, sizes2: Any) -> Any:
        best = nearest_touch(CLOSED[kinds](sizes, pose_of(X), sizes2, pose_of(Y)))
        return best.gap, -best.normal, best.point + best.normal * best.gap, best.point

    run.__name__ = "closed_gap"
    inputs = (Port("X", (12,)), Port("Y", (12,)), Port("sizes", (3,)), Port("sizes2", (3,)))
    outputs = (Port("gap", ()), Port("normal", (3,)), Port("first", (3,)), Port("second", (3,)))
    return CompiledFunction(run, inputs, outputs, f"closed gap {kinds} 1")


def pose_of(X: Sequence[Any]) -> Pose:
    """A pose of twelve numbers: the rotation row by row, then the position."""
    return Pose(Rotation(Mat3(*X[:9])), Vec3.of(X[9:12]))
