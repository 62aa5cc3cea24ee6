"""Dense systems of scalars: factors, solutions, pivots, and the operations they take."""

from __future__ import annotations

import numpy as np
import pytest

import sixvec as sv
from sixvec.errors import DegenerateError
from sixvec.spatial.linear import (
    backward,
    eliminate,
    forward,
    inverse,
    inverse_and_conditioning,
    ldlt,
    minus_dot,
    solve,
    substitute,
)
from tolerances import IDENTITY, assert_close

SIZES = pytest.mark.parametrize("n", range(1, 7))


def definite(n: int) -> np.ndarray:
    root = np.random.default_rng(n).normal(size=(n, n))
    return root @ root.T + np.eye(n)


@SIZES
def test_factors_multiply_to_the_matrix_and_read_only_its_lower_triangle(n: int) -> None:
    M = definite(n)
    L, D_inverse = ldlt([row[: i + 1] for i, row in enumerate(M.tolist())])
    full = np.array([[*row, 1.0] + [0.0] * (n - 1 - len(row)) for row in L])
    assert_close(full @ np.diag(1.0 / np.array(D_inverse)) @ full.T, M, IDENTITY, batched=False)
    b = np.arange(1.0, n + 1).tolist()
    assert_close(full @ forward(L, b), b, IDENTITY, batched=False)
    assert_close(full.T @ backward(L, b), b, IDENTITY, batched=False)


@SIZES
def test_solutions_and_inverses_are_those_of_numpy(n: int) -> None:
    M, A = definite(n), np.random.default_rng(100 + n).normal(size=(n, n))
    b, B = np.arange(1.0, n + 1), np.random.default_rng(n).normal(size=(n, 2))
    assert_close(solve(M.tolist(), b.tolist()), np.linalg.solve(M, b), IDENTITY, batched=False)
    assert substitute(*ldlt(M.tolist()), b.tolist()) == solve(M.tolist(), b.tolist())
    assert_close(inverse(M.tolist()), np.linalg.inv(M), IDENTITY, batched=False)
    assert np.allclose(eliminate(A.tolist(), B.tolist()), np.linalg.solve(A, B))
    assert np.allclose(eliminate(M.tolist(), B.tolist(), pivoting=False), np.linalg.solve(M, B))


def test_a_zero_on_the_diagonal_needs_pivoting() -> None:
    assert eliminate([[0.0, 2.0], [4.0, 0.0]], [[2.0], [8.0]]) == [[2.0], [1.0]]
    with pytest.raises(ZeroDivisionError):
        eliminate([[0.0, 2.0], [4.0, 0.0]], [[2.0], [8.0]], pivoting=False)


def test_conditioning_is_the_product_of_norms() -> None:
    A_inverse, conditioning = inverse_and_conditioning([[0.0, 2.0], [1.0, 0.0]])  # |A|² = 5 and |A⁻¹|² = 5/4
    assert A_inverse == [[0.0, 1.0], [0.5, 0.0]] and conditioning == pytest.approx(0.16)
    A = np.random.default_rng(2).normal(size=(6, 6))
    A_inverse, conditioning = inverse_and_conditioning(A.tolist())
    assert np.allclose(A_inverse, np.linalg.inv(A))
    assert conditioning == pytest.approx((np.linalg.norm(A) * np.linalg.norm(np.linalg.inv(A))) ** -2)


def test_products_with_zeros_and_missing_entries_are_left_out() -> None:
    assert minus_dot(10.0, [1.0, 2.0, 3.0], [4.0, 0.5]) == 5.0
    assert minus_dot(1.0, [0.0, 2.0], [np.nan, 0.0]) == 1.0


@pytest.mark.parametrize("M", [[[0.0]], [[1.0, 1.0], [1.0, 1.0]], [[1.0, 2.0], [2.0, 1.0]]])
def test_numbers_that_are_not_positive_definite_raise(M: list[list[float]]) -> None:
    with pytest.raises(DegenerateError, match=f"row {len(M) - 1}"):
        ldlt(M)


@pytest.mark.parametrize(("n", "operations"), [(3, 29), (6, 157), (12, 926)])
def test_operations_of_a_solution(n: int, operations: int) -> None:
    """n³/6 + 3 n²/2 multiplications and as many additions, and n divisions, before fusing."""
    program = sv.compiled(f"M[{n},{n}] b[{n}] -> x[{n}]")(solve).program
    assert sum(program.count().values()) <= operations
