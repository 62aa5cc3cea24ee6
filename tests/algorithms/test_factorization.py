"""Unrolled factorisations: trees of every shape and order, rows without entries, weights and damping."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from sixvec.algorithms.parts.factorization import Factors, Inverse, dot, inverse, ltdl, symmetric_product
from sixvec.algorithms.parts.proximal import DAMPING, Proximal
from sixvec.scalar import is_zero
from tolerances import IDENTITY, assert_close

TREES = {
    "chain": [-1, 0, 1, 2, 3],
    "star": [-1, 0, 0, 0, 0],
    "two branches": [-1, 0, 1, 0, 3],
    "forest": [-1, 0, -1, 2, 2],
}
every_tree = pytest.mark.parametrize("tree", TREES)


def matrix(parents: list[int]) -> np.ndarray:
    """Positive definite, zero between branches: Lᵀ D L with L zero where one is no ancestor of the other."""
    n, rng = len(parents), np.random.default_rng(6)
    L = np.eye(n)
    for i in range(n):
        j = parents[i]
        while j >= 0:
            L[i, j] = rng.normal()
            j = parents[j]
    return L.T @ np.diag(rng.uniform(1.0, 3.0, n)) @ L


def numbers(M: np.ndarray) -> list[list[Any]]:
    return [[x if x else 0.0 for x in row] for row in M.tolist()]


@every_tree
def test_factors_keep_the_zeros_of_a_tree(tree: str) -> None:
    M = matrix(TREES[tree])
    L, D_inverse = ltdl(numbers(M))
    assert_close(np.array(L).T @ np.diag(1.0 / np.array(D_inverse)) @ np.array(L), M, IDENTITY, batched=False)
    assert (np.array(L)[M == 0.0] == 0.0).all()
    assert_close(inverse(numbers(M)), np.linalg.inv(M), IDENTITY, batched=False)
    B, found = np.random.default_rng(1).normal(size=(5, 3)), Inverse(numbers(M))
    for _ in range(2):  # the second time from rows that were kept
        assert_close(found.times(B.tolist()), np.linalg.solve(M, B), IDENTITY, batched=False)
        assert_close(found.full(), np.linalg.inv(M), IDENTITY, batched=False)


@every_tree
@pytest.mark.parametrize("order", [[0, 1, 2, 3, 4], [3, 1, 4, 0, 2]], ids=["in order", "mixed"])
def test_factors_of_coordinates_in_any_order(tree: str, order: list[int]) -> None:
    """Coordinate order[n] is the n-th of the tree."""
    M = np.zeros((5, 5))
    M[np.ix_(order, order)] = matrix(TREES[tree])
    F, B = Factors(numbers(M), order), np.random.default_rng(1).normal(size=(3, 5))
    B[0, order[1:]], B[1, order[:-1]] = 0.0, 0.0
    halves = [F.half(b) for b in B.tolist()]
    assert_close(F.halves(B.tolist()), halves, IDENTITY, batched=False)
    assert_close([F.rest(z) for z in halves], np.linalg.solve(M, B.T).T, IDENTITY, batched=False)
    weighted = [[F.weighted(x, y) for y in halves] for x in halves]
    assert_close(weighted, B @ np.linalg.solve(M, B.T), IDENTITY, batched=False)
    scaled, rows = np.array([F.scaled(z) for z in halves]), np.array(F.inverse_rows())
    assert_close(scaled @ rows.T, np.linalg.solve(M, B.T).T, IDENTITY, batched=False)
    assert F.weighted([0.0] * 5, halves[0]) == 0.0


def test_products_leave_out_zeros_and_what_only_one_has() -> None:
    assert dot([1.0, 2.0, 3.0], [4.0, 5.0]) == 14.0 and dot([0.0, 2.0], [np.inf, 5.0]) == 10.0
    assert dot([], [1.0]) == 0.0 and dot([2.0, 0.0], [0.0, np.nan]) == 0.0
    assert [is_zero(x) for x in (0, 0.0, -0.0, 1, 1e-300, "0")] == [True, True, True, False, False, False]
    A = [[1.0, 2.0], [3.0, 4.0]]
    assert symmetric_product(A, [[1.0, 0.0], [5.0, 6.0]]) == [[1.0, 3.0], [3.0, 39.0]]  # from the lower half alone


def lower(G: np.ndarray) -> list[list[float]]:
    return [row[: i + 1] for i, row in enumerate(G.tolist())]


def test_systems_of_full_rank() -> None:
    root = np.random.default_rng(2).normal(size=(4, 6))
    G, b = root @ root.T, np.array([1.0, -2.0, 3.0, 0.5])
    assert_close(Proximal(lower(G)).solution(b.tolist()), np.linalg.solve(G, b), IDENTITY, batched=False)
    once = Proximal(lower(G), steps=1).solution(b.tolist())
    S = np.diag(np.diag(G) + 1e-6 * np.trace(G))
    assert_close(once, np.linalg.solve(G + DAMPING * S, b), IDENTITY, batched=False)


def test_rows_without_entries_and_right_sides_of_zeros() -> None:
    G = [[2.0], [0.0, 0.0], [1.0, 0.0, 3.0]]
    assert Proximal(G).solution([5.0, 7.0, 5.0]) == pytest.approx([2.0, 0.0, 1.0], rel=1e-12)
    assert Proximal(G).solution([0.0, 7.0, 0.0]) == [0.0, 0.0, 0.0]
    assert Proximal([[0.0], [0.0, 0.0]]).solution([1.0, 2.0]) == [0.0, 0.0]
    assert Proximal([]).solution([]) == []


def test_damped_rows_are_compliant_by_their_weights() -> None:
    """(G + damping / weight) x = b, in one step."""
    root = np.random.default_rng(2).normal(size=(3, 4))
    G, b, weight = root @ root.T, [1.0, -2.0, 3.0], [1.0, 4.0, 0.5]
    found = Proximal(lower(G), weight, damping=0.3).solution(b)
    assert_close(found, np.linalg.solve(G + 0.3 * np.diag(1.0 / np.array(weight)), b), IDENTITY, batched=False)
    found = Proximal(lower(G), damping=0.3).solution(b)
    assert_close(found, np.linalg.solve(G + 0.3 * np.eye(3), b), IDENTITY, batched=False)


def test_without_damping_the_residual_is_least_by_weight() -> None:
    """Two rows that ask for different numbers of one unknown: 3 with weight 2, 9 with weight 1; the mean is 5."""
    a = np.array([1.0, 1.0])
    x = Proximal(lower(np.outer(a, a)), [2.0, 1.0]).solution([3.0, 9.0])
    assert a @ x == pytest.approx(5.0, rel=1e-6)
    x = Proximal(lower(np.outer(a, a))).solution([3.0, 9.0])
    assert a @ x == pytest.approx(6.0, rel=1e-6)
