"""Singularity-free paths of a planar platform between poses: around a cusp, into another mode."""

from __future__ import annotations

from collections import deque
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from sixvec.arguments import Array, real_array
from sixvec.errors import ArgumentError
from sixvec.kernels.any_arrays import any_arrays_same_dtype
from sixvec.parallel.mechanism import ParallelRobot
from sixvec.parallel.rod_lines import side_of
from sixvec.parallel.space import Planar

BETWEEN = 8
"""Poses tested between two neighbours of the grid."""


@any_arrays_same_dtype
def singularity_free_path(
    mechanism: ParallelRobot, start: ArrayLike, end: ArrayLike, box: ArrayLike, count: int = 31
) -> Array | None:
    """Poses (k, 3) from `start` to `end` along which the determinant of the rods' lines keeps its sign, or None.

    Positions are searched on a grid in the box ((x0, x1), (y0, y1)) and all angles, breadth first, so the path is
    short; every step is checked at poses in between.  Both poses may have the same actuator positions: two assembly
    modes of a general 3-RPR with the same sign can be joined around a cusp, where three modes coincide.  None means
    that this grid has no path, not that none exists.
    """
    if not isinstance(mechanism.space, Planar):
        raise ArgumentError("singularity_free_path is for planar platforms")
    first, last = (mechanism.space.checked(X, "pose") for X in (start, end))
    sides = real_array("box", box)
    if sides.shape != (2, 2) or not (sides[:, 0] < sides[:, 1]).all():
        raise ArgumentError("box is ((x0, x1), (y0, y1)) with the smaller number first")
    axes = [np.linspace(low, high, count) for low, high in sides]
    angles = 2.0 * np.pi * np.arange(count) / count - np.pi
    grid = np.stack(np.meshgrid(*axes, angles, indexing="ij"), axis=-1)
    sign = float(np.sign(_determinant(mechanism, first)))
    free = _determinant(mechanism, grid) * sign > 0.0
    begin, goal = (_nearest(grid, free, X) for X in (first, last))
    if sign * _determinant(mechanism, last) <= 0.0 or begin is None or goal is None:
        return None
    steps = [axes[0][1] - axes[0][0], axes[1][1] - axes[1][0], 2.0 * np.pi / count]
    cells = _breadth_first([_clear(mechanism, grid, sign, e) for e in np.diag(steps)], begin, goal)
    if cells is None:
        return None
    path = np.array([first, *(grid[c] for c in cells), last])
    path[:, 2] = np.unwrap(path[:, 2])
    ends = path[[0, -2]], path[[1, -1]] - path[[0, -2]]
    return path if _clear(mechanism, ends[0], sign, ends[1]).all() else None


def _breadth_first(clear: list[Array], begin: Any, goal: Any) -> list[tuple[int, ...]] | None:
    """Cells from one to the other; `clear` states for each axis whether the step up from a cell is free."""
    count = clear[0].shape
    came: dict[tuple[int, ...], tuple[int, ...] | None] = {begin: None}
    waiting = deque([begin])
    while waiting:
        here = waiting.popleft()
        if here == goal:
            path = [here]
            while (before := came[path[-1]]) is not None:
                path.append(before)
            return path[::-1]
        for axis, step in ((0, 1), (0, -1), (1, 1), (1, -1), (2, 1), (2, -1)):
            cell = list(here)
            cell[axis] += step
            cell[2] %= count[2]
            there = tuple(cell)
            if not (0 <= there[0] < count[0] and 0 <= there[1] < count[1]) or there in came:
                continue
            if clear[axis][here if step > 0 else there]:
                came[there] = here
                waiting.append(there)
    return None


def _clear(mechanism: ParallelRobot, X: Array, sign: float, step: Array) -> Array:
    """Whether the determinant keeps its sign from each pose to the next, both included."""
    free = np.ones(X.shape[:-1], bool)
    for s in np.linspace(0.0, 1.0, BETWEEN):
        free &= _determinant(mechanism, X + s * step) * sign > 0.0
    return free


def _nearest(grid: Array, free: Array, X: Array) -> tuple[int, ...] | None:
    gap = grid - X
    gap[..., 2] = (gap[..., 2] + np.pi) % (2.0 * np.pi) - np.pi
    size = np.where(free, np.abs(gap).max(axis=-1), np.inf)
    at = np.unravel_index(size.argmin(), size.shape)
    return tuple(int(k) for k in at) if np.isfinite(size[at]) else None


def _determinant(mechanism: ParallelRobot, X: Array) -> Any:
    q = np.asarray(mechanism.inverse_position(X))
    return side_of(mechanism, X, q)
