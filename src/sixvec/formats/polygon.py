"""Triangulation of a polygon in space, convex or not."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.floating[Any]]
Triangles = list[tuple[int, int, int]]

MOST_CORNERS = 1000
"""Largest number of vertices of a non-convex polygon: the time grows at least with its square."""

ROUNDING = 1e-12
"""Twice the area of a triangle, as a fraction of the polygon's, below which its three vertices are collinear."""

SLIVER = 1e-6
"""As `ROUNDING`, for the remainder of a polygon that intersects itself because its vertices are rounded."""


def triangulated(corners: Array) -> Triangles:
    """The triangles of a polygon with the vertices (n, 3), as indices of its vertices, with the same orientation.

    A quadrilateral is cut along its shorter diagonal if that lies inside: this is MuJoCo's rule for one that is not
    flat.  For others, ears that contain no other vertex are cut off (ear clipping); a polygon that is not flat is
    projected along its mean normal.

    >>> notched = np.array([[0, 0, 0], [4, 0, 0], [1, 1, 0], [0, 4, 0]], float)
    >>> triangulated(notched)
    [(0, 1, 2), (0, 2, 3)]
    """
    n = len(corners)
    if n < 3:
        raise ValueError(f"a face has {n} corners; it needs 3")
    if n == 3:
        return [(0, 1, 2)]
    flat, scale = _flattened(corners)
    if scale == 0.0:
        if _is_line(corners):
            return []
        raise _crossing(n)
    if n == 4 and (cut := _quadrilateral(corners, flat, scale)):
        return cut
    return _fan(n) if _is_convex(flat, scale) else _clipped(flat, scale)


def _fan(n: int) -> Triangles:
    return [(0, i, i + 1) for i in range(1, n - 1)]


def _flattened(corners: Array) -> tuple[Array, float]:
    """The vertices in two dimensions, counter-clockwise, and twice the area there: by Newell's normal."""
    local = corners - corners.mean(axis=0)
    normal = np.cross(local, np.roll(local, -1, axis=0)).sum(axis=0)
    size = float(np.linalg.norm(normal))
    if not size > ROUNDING * float(np.abs(local).max()) ** 2:
        return local[:, :2], 0.0
    normal = normal / size
    x = np.cross(normal, np.eye(3)[np.argmin(np.abs(normal))])
    x /= np.linalg.norm(x)
    return local @ np.stack([x, np.cross(normal, x)]).T, size


def _is_line(corners: Array) -> bool:
    spread = np.linalg.svd(corners - corners.mean(axis=0), compute_uv=False)
    return bool(spread[1] <= ROUNDING * spread[0])


def _turn(a: Array, b: Array, c: Array) -> Any:
    """Twice the signed area of the triangles a, b, c."""
    u, v = b - a, c - a
    return u[..., 0] * v[..., 1] - u[..., 1] * v[..., 0]


def _quadrilateral(corners: Array, flat: Array, scale: float) -> Triangles | None:
    """Cut along the shorter diagonal, or the one that lies inside; None where neither does."""
    cuts: list[Triangles] = [[(0, 1, 2), (0, 2, 3)], [(0, 1, 3), (1, 2, 3)]]
    if not np.sum((corners[2] - corners[0]) ** 2) < np.sum((corners[3] - corners[1]) ** 2):
        cuts.reverse()
    for cut in cuts:
        if all(_turn(*flat[list(t)]) >= -ROUNDING * scale for t in cut):
            return cut
    return None


def _crossing(n: int) -> ValueError:
    return ValueError(f"a face with {n} corners crosses itself")


def _is_convex(flat: Array, scale: float) -> bool:
    """Whether no vertex turns right; an error if they turn more than once, as in a self-intersecting star."""
    before, after = np.roll(flat, 1, axis=0), np.roll(flat, -1, axis=0)
    turns = _turn(before, flat, after)
    if (turns < -ROUNDING * scale).any():
        return False
    angles = np.arctan2(turns, np.einsum("ij,ij->i", flat - before, after - flat))
    if angles.sum() > 3.0 * np.pi:
        raise _crossing(len(flat))
    return True


def _clipped(flat: Array, scale: float) -> Triangles:
    if len(flat) > MOST_CORNERS:
        raise ValueError(f"a face that is not convex has {len(flat)} corners; {MOST_CORNERS} can be cut into triangles")
    left: list[int] = [*range(len(flat))]
    found: Triangles = []
    while len(left) > 3:
        ear = next((i for i in range(len(left)) if _is_ear(flat, _corner(left, i), left, scale)), None)
        if ear is None:
            break
        found.append(_corner(left, ear))
        del left[ear]
    rest = [(left[i], left[j], left[k]) for i, j, k in _fan(len(left))]
    areas = [_turn(*flat[[*t]]) for t in rest]
    if (len(rest) > 1 or areas[0] < 0.0) and sum(map(abs, areas)) > SLIVER * scale:
        raise _crossing(len(flat))
    return [*found, *rest]


def _corner(left: list[int], i: int) -> tuple[int, int, int]:
    return left[i - 1], left[i], left[(i + 1) % len(left)]


def _is_ear(flat: Array, corner: tuple[int, int, int], left: list[int], scale: float) -> bool:
    """Whether a vertex can be cut off: it does not turn right, and its triangle contains no other vertex."""
    a, b, c = (flat[i] for i in corner)
    if _turn(a, b, c) <= ROUNDING * scale:
        # A collinear vertex and the end of a spike are cut off; a vertex that turns right is not.
        return bool(_turn(a, b, c) >= -ROUNDING * scale)
    others = flat[[i for i in left if i not in corner]]
    inside = (_turn(a, b, others) >= 0.0) & (_turn(b, c, others) >= 0.0) & (_turn(c, a, others) >= 0.0)
    # Vertices that coincide with one of these three belong to a slit that leads to a hole.
    for own in (a, b, c):
        inside &= (others != own).any(axis=1)
    return not inside.any()
