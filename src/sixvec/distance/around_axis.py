"""The shortest way out of an overlap among directions around the axis of a shape.

Where two round shapes have nearly the same axis, whole circles of directions around it are nearly as short, and steps
along such a circle are as short as the axes are near each other.  So each circle is searched as a whole: through the
best direction known, and along the edge of the support function of a cylinder, a capsule or a cone, which are the
normals of its side.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sixvec.arguments import Array
from sixvec.distance.way_out import Along

Rows = NDArray[np.intp]

SAMPLES, SAMPLES_OF_HULLS = 64, 512
"""Directions of a circle that are compared first; each side of a hull has its own least."""

KEPT = 8
"""One in so many, the best of all circles of a row, near which the search goes on."""

POINTS = 9
"""Directions that a round compares, between the neighbours of the best one of the round before."""

ROUNDS = 20
"""Each divides the interval by (POINTS - 1) / 2 / MARGIN: the last one is 1e-9 rad."""

ROUNDS_OF_ALL = 6
"""After these only the best direction of a row goes on."""

MARGIN = 1.5
"""Of the distance of the points of a round: how far from the best of them the least may be."""


@dataclass(frozen=True, eq=False)
class Circles:
    """Circles of directions: the row (m,) that each belongs to, its axis (m, 3), and the sine of its latitude (m,)."""

    row: Rows
    axis: Array
    sine: Array


def circles_of(kind: str, sizes: Array, R: Array, n: Array, rows: Rows, side: float) -> Circles:
    """The circles of shapes of one kind with rotations R (m, 3, 3), through directions n (m, 3) and at their edges.

    `side` is 1 for shapes that directions point out of, -1 for those that they point into.
    """
    count = len(rows)
    if kind in ("cylinder", "capsule", "cone"):
        axis = R[:, :, 2]
        edge = side * sizes[:, 0] / np.hypot(sizes[:, 0], sizes[:, 1]) if kind == "cone" else np.zeros(count)
        here = np.einsum("mi,mi->m", axis, n)
        return Circles(np.tile(rows, 2), np.tile(axis, (2, 1)), np.concatenate([np.nan_to_num(edge), here]))
    if kind == "ellipsoid":
        axes = np.concatenate([R[:, :, k] for k in range(3)])
        return Circles(np.tile(rows, 3), axes, np.einsum("mi,mi->m", axes, np.tile(n, (3, 1))))
    return Circles(rows[:0], np.empty((0, 3)), np.empty(0))


def joined(several: Sequence[Circles]) -> Circles:
    """All of them."""
    return Circles(
        np.concatenate([c.row for c in several]),
        np.concatenate([c.axis for c in several]),
        np.concatenate([c.sine for c in several]),
    )


def least_around(circles: Circles, n: Array, gap: Array, along: Along, samples: int) -> tuple[Array, Array]:
    """Directions (n, 3) and gaps (n,), the largest, of these and of all directions of the circles of each row.

    Of each circle so many samples are compared first.
    """
    if not len(circles.row):
        return n, gap
    u, w = _across(circles.axis)
    cosine = np.sqrt(np.maximum(1.0 - circles.sine * circles.sine, 0.0))

    def at(circle: Rows, angle: Array) -> Array:
        around = np.cos(angle)[:, None] * u[circle] + np.sin(angle)[:, None] * w[circle]
        d = cosine[circle][:, None] * around + circles.sine[circle][:, None] * circles.axis[circle]
        return np.asarray(d / np.sqrt(np.einsum("mi,mi->m", d, d))[:, None])

    def compared(circle: Rows, angles: Array) -> Array:
        """The gaps along directions of circles (m,) at angles (m, k)."""
        several = np.repeat(circle, angles.shape[1])
        return along(at(several, angles.ravel()), circles.row[several]).reshape(angles.shape)

    everything, width = np.arange(len(circles.row)), math.tau / samples
    angles = width * np.arange(samples)
    gaps = compared(everything, np.tile(angles, (len(everything), 1)))
    peaks = (gaps >= np.roll(gaps, 1, axis=1)) & (gaps >= np.roll(gaps, -1, axis=1))
    circle, sample = np.nonzero(peaks)
    circle, angle = _best(circles.row, circle, angles[sample], gaps[circle, sample], samples // KEPT)
    reached = np.full(len(circle), -np.inf)
    offsets = np.linspace(-1.0, 1.0, POINTS)
    for k in range(ROUNDS):
        tried = angle[:, None] + width * offsets
        gaps = compared(circle, tried)
        best = gaps.argmax(axis=1)
        reached, angle = gaps[np.arange(len(circle)), best], tried[np.arange(len(circle)), best]
        width *= 2.0 * MARGIN / (POINTS - 1)
        if k + 1 == ROUNDS_OF_ALL:
            circle, angle = _best(circles.row, circle, angle, reached, 1)
    # one circle for each row that has any
    row = circles.row[circle]
    better = reached > gap[row]
    n, gap = n.copy(), gap.copy()
    n[row[better]], gap[row[better]] = at(circle[better], angle[better]), reached[better]
    return n, gap


def _best(row: Rows, circle: Rows, angle: Array, gap: Array, most: int) -> tuple[Rows, Array]:
    """The largest gaps of each row, up to `most` of them."""
    order = np.lexsort((-gap, row[circle]))
    owner = row[circle[order]]
    place = np.arange(len(order)) - np.searchsorted(owner, owner)
    kept = order[place < most]
    return circle[kept], angle[kept]


def _across(axis: Array) -> tuple[Array, Array]:
    """Two unit vectors across each axis and each other."""
    other = np.eye(3)[np.abs(axis).argmin(axis=1)]
    u = np.cross(axis, other)
    u /= np.sqrt(np.einsum("mi,mi->m", u, u))[:, None]
    return u, np.cross(axis, u)
