"""Which vertices of a convex hull can be the farthest in which directions."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sixvec.arguments import Array
from sixvec.kernels import VertexTable

ENOUGH = 16.0
"""Vertices of a cell, in the mean, that are compared as fast as fewer are found."""

MOST_CELLS = 32
"""Cells along the edge of a cube: a table that fits into the cache of a processor."""

FACES = np.array([[1, 2], [0, 2], [0, 1]])
"""For each axis the two others, along which the cells of its faces are counted."""


def vertex_table(vertices: Array) -> VertexTable:
    """The table of a hull.

    Directions are points of the faces of a cube.  All directions of a cell are sums of those of its corners, with
    positive factors, so a vertex that another one exceeds at all four corners is never the farthest in that cell.
    """
    cells, n = 1, len(vertices)
    cell, vertex = np.repeat(np.arange(6), n), np.tile(np.arange(n), 6)
    while True:
        keep = _undominated(vertices, cell, vertex, cells)
        cell, vertex = cell[keep], vertex[keep]
        if len(cell) <= ENOUGH * 6 * cells * cells or cells == MOST_CELLS:
            break
        face, u, v = cell // (cells * cells), cell // cells % cells, cell % cells
        parts = [((face * 2 * cells) + 2 * u + i) * 2 * cells + 2 * v + j for i in (0, 1) for j in (0, 1)]
        cell, vertex, cells = np.concatenate(parts), np.tile(vertex, 4), 2 * cells
        order = np.lexsort((vertex, cell))
        cell, vertex = cell[order], vertex[order]
    starts = np.searchsorted(cell, np.arange(6 * cells * cells + 1)).astype(np.int32)
    placed = np.array(vertices, np.float64, order="C")
    return VertexTable(placed, starts, (3 * vertex).astype(np.int32), cells)


def _undominated(vertices: Array, cell: NDArray[np.intp], vertex: NDArray[np.intp], cells: int) -> NDArray[np.intp]:
    """The rows, sorted by cell, whose vertex may be the farthest in its cell."""
    corners = _corners(cells)
    reach = np.einsum("mkc,mc->mk", corners[cell], vertices[vertex])
    first = np.flatnonzero(np.diff(cell, prepend=-1))
    number = np.cumsum(np.diff(cell, prepend=-1) != 0) - 1
    lost = np.zeros(len(cell), bool)
    for measure in (*reach.T, reach.sum(axis=1)):
        best = np.maximum.reduceat(measure, first)
        rows = np.flatnonzero(measure == best[number])
        rows = rows[np.flatnonzero(np.diff(cell[rows], prepend=-1))]  # one for each cell
        lost |= (reach < reach[rows][number]).all(axis=1)
    return np.flatnonzero(~lost)


def _corners(cells: int) -> Array:
    """The corners of all cells (6 * cells * cells, 4, 3), as directions; face 2 k is that of the axis k."""
    edge = np.linspace(-1.0, 1.0, cells + 1)
    u, v = np.meshgrid(np.arange(cells), np.arange(cells), indexing="ij")
    corners = np.zeros((6, cells, cells, 4, 3))
    for face in range(6):
        axis, side = divmod(face, 2)
        corners[face, ..., axis] = -1.0 if side else 1.0
        for k, (i, j) in enumerate(((0, 0), (0, 1), (1, 0), (1, 1))):
            corners[face, :, :, k, FACES[axis, 0]] = edge[u + i]
            corners[face, :, :, k, FACES[axis, 1]] = edge[v + j]
    return corners.reshape(-1, 4, 3)
