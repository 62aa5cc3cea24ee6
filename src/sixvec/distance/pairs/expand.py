"""How far two overlapping convex shapes must move apart, by growing a polytope inside their difference.

The difference of two overlapping shapes contains the origin; the shortest translation that separates them leads to the
nearest point of its surface (van den Bergen 2001).  A polytope of points of that surface grows where its face is
nearest to the origin, until the face cannot be moved outward.  The nearest face is a lower bound of the depth, the
farthest point along its normal an upper one, and a translation that does separate the shapes.

Rows are independent: each stops by its own bounds.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sixvec.arguments import Array
from sixvec.tolerances import EQUAL

Rows = NDArray[np.intp]

Support = Callable[[Array, Rows], tuple[Array, Array]]
"""(directions (m, 3), rows (m,)) -> the farthest points of the differences (m, 3), and their points of the first."""

MOST_CORNERS = 96
"""Corners of the polytope, after which the bounds are what they are: of round shapes, which `way_out` refines."""

FEW_CORNERS = 16
"""Corners that the arrays can hold at first."""

FLAT = 1e-10
"""A difference of two shapes that is thinner than this fraction of its width has no inside."""

OTHERS = 2
"""Directions besides the best one."""

DISTINCT = 0.95
"""The largest cosine of the angle between two of these directions."""

VISIBLE = 1e-13
"""Relative to the width: a face from which a point is not farther than this is not replaced."""


@dataclass(frozen=True, eq=False)
class Depth:
    """For each row the depth, the direction (m, 3) in which the first shape leaves the second's way when moved against
    it, the deepest point of the first shape, and the difference of the bounds.  The point means nothing where it is not
    `certain`: the triangle that is nearest to the origin is a part of a larger face, and another part is right."""

    depth: Array
    normal: Array
    first: Array
    residual: Array
    certain: NDArray[np.bool_]
    others: Array
    """Other directions (m, OTHERS, 3) in which the polytope is thin, where the bounds differ; otherwise zero."""


def depth(support: Support, count: int, tolerance: Array, enough: Array) -> Depth:
    """The depths of `count` pairs, each to its own tolerance; of one that is at most `enough`, only an upper bound."""
    zeros, vectors = np.zeros(count), np.zeros((count, 3))
    depths = Depth(zeros, vectors, vectors.copy(), zeros.copy(), np.zeros(count, bool), np.zeros((count, OTHERS, 3)))
    if not count:
        return depths
    corners, on_first, width, flat_normal, is_flat = _tetrahedron(support, count)
    depths.normal[:], depths.first[:] = flat_normal, on_first[:, 0]
    rows = np.flatnonzero(~is_flat)
    polytope = _Polytope(rows, corners[rows], on_first[rows], width[rows])
    best, lower = np.full(count, np.inf), np.zeros(count)
    for _ in range(MOST_CORNERS - 4):
        if not len(polytope.rows):
            break
        offset, normal, face = polytope.nearest()
        w, a = support(normal, polytope.rows)
        upper = np.einsum("ij,ij->i", normal, w)
        better = upper <= best[polytope.rows] + VISIBLE * polytope.width  # the same plane again, with more corners
        at = polytope.rows[better]
        best[at] = np.minimum(best[at], upper[better])
        depths.depth[at], depths.normal[at] = best[at], normal[better]
        depths.first[at], in_face = polytope.point_of_first(face, better)
        depths.certain[at] = in_face & (upper - offset <= tolerance[polytope.rows])[better]
        depths.residual[polytope.rows] = np.maximum(best[polytope.rows] - offset, 0.0)
        grows = best[polytope.rows] - offset > tolerance[polytope.rows]
        grows &= best[polytope.rows] > enough[polytope.rows]
        bound = lower[polytope.rows]
        malformed = polytope.malformed | (bound > 0.0) & (offset < bound - tolerance[polytope.rows])
        lower[polytope.rows] = np.maximum(bound, offset)
        depths.residual[polytope.rows[malformed]] = np.inf
        depths.certain[polytope.rows[malformed]] = False
        _describe(polytope.kept(malformed), depths)
        grows &= ~malformed
        polytope = polytope.kept(grows).grown(w[grows], a[grows], face[grows])
    _describe(polytope, depths)
    return depths


def _describe(polytope: _Polytope, depths: Depth) -> None:
    """The other directions of rows that end before their bounds agree."""
    rows = polytope.rows
    taken = [depths.normal[rows]]
    for k in range(OTHERS if len(rows) else 0):
        offset = polytope.offset.copy()
        for n in taken:
            offset[np.einsum("ijk,ik->ij", polytope.normal, n) > DISTINCT] = np.inf
        face = offset.argmin(axis=1)
        at = np.arange(len(rows)), face
        good = offset[at] < depths.depth[rows]
        taken.append(np.where(good[:, None], polytope.normal[at], 0.0))
        depths.others[rows, k] = taken[-1]


def _tetrahedron(support: Support, count: int) -> tuple[Array, Array, Array, Array, NDArray[np.bool_]]:
    """Four corners of each difference, its width, and for those without an inside a normal of it."""
    everything = np.arange(count)
    x = np.tile([1.0, 0.0, 0.0], (count, 1))

    def farther(directions: Array, measure: Callable[[Array], Array]) -> tuple[Array, Array]:
        (w, a), (w2, a2) = support(directions, everything), support(-directions, everything)
        other = (measure(w2) > measure(w))[:, None]
        return np.where(other, w2, w), np.where(other, a2, a)

    p, pa = support(x, everything)
    q, qa = support(-x, everything)
    for axis in np.eye(3)[1:]:  # thin along x: the longest of three directions
        w, a = support(np.tile(axis, (count, 1)), everything)
        w2, a2 = support(np.tile(-axis, (count, 1)), everything)
        longer = (_norm(w - w2) > _norm(p - q))[:, None]
        p, pa, q, qa = (
            np.where(longer, w, p),
            np.where(longer, a, pa),
            np.where(longer, w2, q),
            np.where(longer, a2, qa),
        )
    along = q - p
    width = _norm(along)
    across = _cross(along, np.eye(3)[np.abs(along).argmin(axis=1)])
    second = _cross(along, across)
    r, ra = farther(across, lambda w: _norm(_cross(w - p, along)))
    r2, ra2 = farther(second, lambda w: _norm(_cross(w - p, along)))
    wider = (_norm(_cross(r2 - p, along)) > _norm(_cross(r - p, along)))[:, None]
    r, ra = np.where(wider, r2, r), np.where(wider, ra2, ra)
    normal = _cross(along, r - p)
    area = _norm(normal)
    is_line = area <= FLAT * width * width
    n = np.where(is_line[:, None], across, normal)
    length = _norm(n)
    n = np.where(length[:, None] > 0.0, n / np.where(length > 0.0, length, 1.0)[:, None], [0.0, 0.0, 1.0])
    s, sa = farther(n, lambda w: np.abs(np.einsum("ij,ij->i", w - p, n)))
    height = np.einsum("ij,ij->i", s - p, n)
    is_flat = is_line | (np.abs(height) <= FLAT * width)
    flip = (height > 0.0)[:, None]  # so that (p, q, r) faces away from s
    q, qa, r, ra = (np.where(flip, x, y) for x, y in ((r, q), (ra, qa), (q, r), (qa, ra)))
    return np.stack([p, q, r, s], 1), np.stack([pa, qa, ra, sa], 1), width, n, is_flat


def _cross(x: Array, y: Array) -> Array:
    """np.cross for rows of three, without its checks."""
    (a, b, c), (d, e, f) = (np.moveaxis(v, -1, 0) for v in (x, y))
    return np.stack([b * f - c * e, c * d - a * f, a * e - b * d], axis=-1)


def _norm(x: Array) -> Array:
    length: Array = np.sqrt(np.einsum("...i,...i->...", x, x))
    return length


class _Polytope:
    """For each row corners, and triangles of them that face outward."""

    def __init__(self, rows: Rows, corners: Array, on_first: Array, width: Array) -> None:
        m = len(rows)
        self.rows, self.width, self.used = rows, width, 4
        self.corners, self.on_first = (np.zeros((m, FEW_CORNERS, 3)) for _ in range(2))
        self.corners[:, :4], self.on_first[:, :4] = corners, on_first
        self.faces = np.zeros((m, 2 * FEW_CORNERS, 3), np.intp)
        self.offset = np.full(self.faces.shape[:2], np.inf)
        self.normal = np.zeros(self.faces.shape)
        self.alive = np.zeros(self.offset.shape, bool)
        self.faces[:, :4] = [[0, 1, 2], [0, 3, 1], [1, 3, 2], [2, 3, 0]]
        everything = np.arange(m)
        for k in range(4):
            self._placed(everything, np.full(m, k))

    def _extended(self) -> None:
        """Arrays for twice as many corners; a polytope of triangles has fewer than twice as many faces."""
        for name in ("corners", "on_first", "faces", "offset", "normal", "alive"):
            old = getattr(self, name)
            new = np.full((len(old), 2 * old.shape[1], *old.shape[2:]), np.inf if name == "offset" else 0, old.dtype)
            new[:, : old.shape[1]] = old
            setattr(self, name, new)

    def kept(self, which: NDArray[np.bool_]) -> _Polytope:
        """The rows that go on."""
        if which.all():
            return self
        remaining = object.__new__(_Polytope)
        remaining.used = self.used
        for name in ("rows", "width", "corners", "on_first", "faces", "offset", "normal", "alive"):
            setattr(remaining, name, getattr(self, name)[which])
        return remaining

    def _placed(self, row: Rows, slot: Rows) -> None:
        """Normals and offsets of these faces; faces without area are never the nearest."""
        a, b, c = (self.corners[row, self.faces[row, slot, k]] for k in range(3))
        n = _cross(b - a, c - a)
        length = _norm(n)
        good = length > 1e-24 * self.width[row] ** 2
        n = n / np.where(good, length, 1.0)[:, None]
        self.normal[row, slot] = n
        self.offset[row, slot] = np.where(good, np.einsum("ij,ij->i", n, a), np.inf)
        self.alive[row, slot] = True

    @property
    def malformed(self) -> NDArray[np.bool_]:
        """Whether each row has more faces than a convex polytope of its corners, which is due to rounding."""
        return np.asarray(self.alive.sum(axis=1) > 2 * self.used - 4)

    def nearest(self) -> tuple[Array, Array, Rows]:
        """Offset, normal and number of the face of each row that is nearest to the origin."""
        face = self.offset.argmin(axis=1)
        at = np.arange(len(self.rows)), face
        return self.offset[at], self.normal[at], face

    def point_of_first(self, face: Rows, which: NDArray[np.bool_]) -> tuple[Array, NDArray[np.bool_]]:
        """The point of the first shape that belongs to the point of a plane nearest to the origin, and whether that is
        in the face."""
        row = np.flatnonzero(which)
        f = self.faces[row, face[which]]
        w, a = self.corners[row[:, None], f], self.on_first[row[:, None], f]
        n, p = self.normal[row, face[which]], self.offset[row, face[which]]
        u, r, d = w[:, 1] - w[:, 0], w[:, 2] - w[:, 0], n * p[:, None] - w[:, 0]
        area = np.einsum("ij,ij->i", _cross(u, r), n)
        y = np.einsum("ij,ij->i", _cross(d, r), n) / area
        z = np.einsum("ij,ij->i", _cross(u, d), n) / area
        exact = np.stack([1.0 - y - z, y, z], 1)
        weights = np.clip(exact, 0.0, 1.0)
        weights /= weights.sum(axis=1, keepdims=True)
        return np.einsum("ik,ikj->ij", weights, a), exact.min(axis=1) > -EQUAL

    def grown(self, w: Array, a: Array, face: Rows) -> _Polytope:
        """With one more corner in each row, and the faces that it sees replaced."""
        m = len(self.rows)
        if not m:
            return self
        new = self.used
        if new == self.corners.shape[1]:
            self._extended()
        self.corners[:, new], self.on_first[:, new] = w, a
        self.used += 1
        above = np.einsum("ijk,ik->ij", self.normal, w) - self.offset
        sees = self.alive & (above > VISIBLE * self.width[:, None])
        sees[np.arange(m), face] = True
        row, slot = np.nonzero(sees)
        corners = self.faces[row, slot]
        i, j = corners.ravel(), corners[:, [1, 2, 0]].ravel()
        owner = np.repeat(row, 3)
        key = (owner * MOST_CORNERS + i) * MOST_CORNERS + j
        back = (owner * MOST_CORNERS + j) * MOST_CORNERS + i
        rim = ~np.isin(key, back)
        self.alive[row, slot], self.offset[row, slot] = False, np.inf
        owner, i, j = owner[rim], i[rim], j[rim]
        while ((~self.alive).sum(axis=1) < np.bincount(owner, minlength=m)).any():
            self._extended()  # rounding may leave more faces than a convex polytope has
        free_row, free_slot = np.nonzero(~self.alive)
        first_free = np.searchsorted(free_row, np.arange(m))
        starts = np.searchsorted(owner, np.arange(m))  # owners are sorted
        taken = free_slot[first_free[owner] + np.arange(len(owner)) - starts[owner]]
        self.faces[owner, taken] = np.stack([i, j, np.full(len(i), new)], 1)
        self._placed(owner, taken)
        return self
