"""Farthest vertices of hulls: those of a comparison of all vertices, in every direction."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from scipy.spatial import ConvexHull

from sixvec.compiler.emit.llvm import Lanes
from sixvec.distance.convex_loop import farthest_vertices
from sixvec.distance.vertex_table import MOST_CELLS, vertex_table
from sixvec.kernels import FarthestVertex


def ellipsoid(n: int) -> np.ndarray:
    points = np.random.default_rng(n).normal(size=(n, 3))
    points *= [1.0, 0.4, 2.0] / np.linalg.norm(points, axis=1)[:, None]
    return points[ConvexHull(points).vertices] + [0.3, 0.0, -5.0]


def prism(n: int) -> np.ndarray:
    turn = np.linspace(0.0, 2.0 * np.pi, n, endpoint=False)
    return np.array([[np.cos(t), np.sin(t), z] for t in turn for z in (-1.0, 1.0)])


HULLS = [prism(4), ellipsoid(60), ellipsoid(900), prism(150), np.array([[0.1, 0.2, 0.3]])]
TABLES = [vertex_table(h) for h in HULLS]


def directions() -> np.ndarray:
    """At random, along axes and diagonals, between cells, beside them, and of any length."""
    rng = np.random.default_rng(0)
    grid = rng.integers(-MOST_CELLS, MOST_CELLS + 1, (3000, 3)) / MOST_CELLS
    grid[:, 0] = 1.0
    turned = np.take_along_axis(grid, rng.permuted(np.tile(np.arange(3), (3000, 1)), axis=1), axis=1)
    axes = np.concatenate([np.eye(3), -np.eye(3), np.sign(rng.normal(size=(20, 3)))])
    several = [rng.normal(size=(9000, 3)), turned, -turned, turned * (1.0 + 1e-15), axes]
    return np.concatenate([*several, 1e-160 * several[0], 1e150 * several[0]])


@pytest.mark.parametrize("number", range(len(HULLS)))
def test_no_vertex_is_farther(number: int) -> None:
    hull, d = HULLS[number], directions()
    nearest = farthest_vertices(FarthestVertex(TABLES), d, np.full(len(d), float(number)))
    farthest = (d @ hull.T).max(axis=1)
    reached = np.einsum("ij,ij->i", d, nearest)
    assert (farthest - reached <= 4e-16 * np.abs(d).sum(axis=1) * np.abs(hull).max()).all()
    assert (nearest[:, None] == hull).all(axis=2).any(axis=1).all()


def test_few_vertices_are_compared() -> None:
    counts = [len(t.entries) / (len(t.starts) - 1) for t in TABLES]
    assert max(counts) < 20.0 < len(HULLS[2]) / 10.0


def test_hulls_may_differ_from_row_to_row_and_rows_do_not_matter_to_each_other() -> None:
    rng = np.random.default_rng(1)
    d, number = rng.normal(size=(50, 3)), rng.integers(0, len(HULLS), 50).astype(float)
    hulls = FarthestVertex(TABLES)
    together = farthest_vertices(hulls, d, number)
    alone = np.concatenate([farthest_vertices(hulls, d[k : k + 1], number[k : k + 1]) for k in range(50)])
    np.testing.assert_array_equal(together, alone)
    np.testing.assert_array_equal(together, farthest_vertices(pickle.loads(pickle.dumps(hulls)), d, number))


def test_directions_that_are_no_numbers_have_some_vertex() -> None:
    d = np.array([[np.nan, 0.0, 1.0], [np.inf, -np.inf, 0.0], [0.0, 0.0, 0.0]])
    nearest = farthest_vertices(FarthestVertex(TABLES), d, np.zeros(3))
    assert (nearest[:, None] == HULLS[0]).all(axis=2).any(axis=1).all()


def test_one_machine_code_serves_all_hulls() -> None:
    lanes = Lanes(8, "float64")
    assert FarthestVertex(TABLES).step(lanes)[0] is FarthestVertex(TABLES[:2]).step(lanes)[0]
