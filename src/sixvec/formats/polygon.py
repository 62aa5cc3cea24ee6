"""Triangles of the polygons in an OBJ file, as the reference reader cuts them.

A face of an OBJ file may have any number of corners, and how it is cut changes the enclosed volume where it is not
flat.  The format does not say how.  MuJoCo reads OBJ with tinyobjloader, whose rule is repeated here, in its single
precision: masses agree for every face, also for the faces that the rule cuts badly.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sixvec.formats.budget import spend

Array = NDArray[np.floating[Any]]
Triangles = list[tuple[int, int, int]]

MOST_CORNERS = 1000
"""Largest number of corners of a face: the time may grow with its cube."""

CORNER_OVERHEAD = 200
"""The time to examine one vertex, in units of the time to compare it with another one."""

FLAT = float(np.finfo(np.float32).eps)
"""Area of a parallelogram, in the file's unit, below which a corner does not define a plane: that of the rule."""


def triangulated(corners: Array) -> Triangles:
    """The triangles of a polygon with the vertices (n, 3), as indices of its vertices; none for fewer than 3.

    A quadrilateral is cut along its shorter diagonal.  Of others, ears are cut off in the order of the corners, seen
    along the coordinate axis closest to the normal of the first corner; what remains of a polygon without further ears,
    because it crosses itself, is left out.

    >>> triangulated(np.array([[0, 0, 0], [2, 0, 0], [3, 1, 0], [0, 1, 0]], float))
    [(0, 1, 3), (1, 2, 3)]
    """
    n = len(corners)
    if n < 3:
        return []
    if n == 3:
        return [(0, 1, 2)]
    if n > MOST_CORNERS:
        raise ValueError(f"a face has {n} corners; up to {MOST_CORNERS} can be cut into triangles")
    points = corners.astype(np.float32)
    if n == 4:
        a, b = QUADS[int(is_cut_from_second(points))]
        return [a, b]
    return _clipped(points[:, _seen_along(points)])


QUADS = (((0, 1, 2), (0, 2, 3)), ((0, 1, 3), (1, 2, 3)))
"""The triangles of a quadrilateral that is cut from its first corner, and from its second."""


def is_cut_from_second(quads: Array) -> Any:
    """Whether the shorter diagonal of quadrilaterals (..., 4, 3) is the one from the second corner, or none is."""
    points = quads.astype(np.float32)
    first, second = points[..., 2, :] - points[..., 0, :], points[..., 3, :] - points[..., 1, :]
    return ~(_square(first) < _square(second))


def _square(v: Array) -> Any:
    x, y, z = np.moveaxis(v, -1, 0)
    return x * x + y * y + z * z  # in this order: single precision decides between equal diagonals


def _seen_along(points: Array) -> list[int]:
    """The two coordinates in which a polygon is cut: those across the largest component of its first normal."""
    for i in range(len(points)):
        a, b, c = points[[i, (i + 1) % len(points), (i + 2) % len(points)]]
        x, y, z = np.abs(np.cross(b - a, c - b))
        if max(x, y, z) > FLAT:
            if x > y and x > z:
                break
            return [0, 1] if z > x and z > y else [0, 2]
    return [1, 2]


def _clipped(flat: Array) -> Triangles:
    """Ears of a polygon (n, 2), each tried where the last one was cut off."""
    corners: list[int] = [*range(len(flat))]
    triangles: Triangles = []
    start, attempts, size = 0, len(corners), len(corners)
    while len(corners) > 3 and attempts > 0:
        start %= len(corners)
        # The count starts again one step after a cut: an ear at the last corner of the whole polygon ends the search.
        attempts, size = (attempts - 1 if len(corners) == size else len(corners)), len(corners)
        i, j, k, *others = corners[start:] + corners[:start]
        if _is_ear(flat[[i, j, k]], flat[others]):
            triangles.append((i, j, k))
            corners.remove(j)
        else:
            start += 1
    return [*triangles, (corners[0], corners[1], corners[2])] if len(corners) == 3 else triangles


def _is_ear(corner: Array, others: Array) -> bool:
    """Whether three corners in sequence turn as the first two do about the origin, around no other corner."""
    spend("comparisons of corners", CORNER_OVERHEAD + len(others))
    (x, y), (u, v) = corner[1] - corner[0], corner[2] - corner[1]
    turn = x * v - y * u
    about_origin = (corner[0, 0] * corner[1, 1] - corner[0, 1] * corner[1, 0]) * np.float32(0.5)
    return not turn * about_origin < 0.0 and not _inside(corner, others).any()


def _inside(corner: Array, points: Array) -> NDArray[np.bool_]:
    """Whether a ray from each point in the direction of x crosses the triangle an odd number of times."""
    odd = np.zeros(len(points), bool)
    for a, b in zip(corner, np.roll(corner, 1, axis=0), strict=True):
        spans = (a[1] > points[:, 1]) != (b[1] > points[:, 1])
        with np.errstate(divide="ignore", invalid="ignore"):
            odd ^= spans & (points[:, 0] < (b[0] - a[0]) * (points[:, 1] - a[1]) / (b[1] - a[1]) + a[0])
    return odd
