"""The conditions of optimality, over problems of every shape and size; they hold at the optimum and nowhere else."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import lsq_linear

from sixvec.solve.bounded_least_squares import bounded_least_squares

CASES = range(40)


@pytest.mark.parametrize("size", [1e-5, 1.0, 1e5])
@pytest.mark.parametrize("seed", CASES[::8])
def test_bounds_alone_as_scipy_has_them(seed: int, size: float) -> None:
    rng = np.random.default_rng(seed)
    A, b = rng.normal(size=(6, 5)), size * rng.normal(size=6)
    lower, upper = -size * rng.uniform(0.0, 0.5, 5), size * rng.uniform(0.0, 0.5, 5)
    found = bounded_least_squares(A, b, lower, upper, np.zeros(5))
    expected = lsq_linear(A, b / size, (lower / size, upper / size), method="bvls", tol=1e-14)
    assert np.allclose(found.x / size, expected.x, rtol=0.0, atol=1e-9)
    assert np.allclose(A.T @ (A @ found.x - b) + found.multipliers, 0.0, rtol=0.0, atol=1e-11 * size)


@pytest.mark.parametrize("seed", CASES)
def test_the_conditions_of_optimality(seed: int) -> None:
    """Tasks that leave unknowns free, dependent equations, unknowns that are fixed, and bounds that are infinite."""
    rng = np.random.default_rng(seed)
    n, m, k = int(rng.integers(2, 7)), int(rng.integers(1, 6)), int(rng.integers(0, 3))
    size = 10.0 ** rng.integers(-3, 4)
    A, b = rng.normal(size=(m, n)), 3.0 * size * rng.normal(size=m)
    E = rng.normal(size=(k, n))
    if k == 2 and seed % 2:
        E[1] = 2.0 * E[0]
    start = size * rng.normal(size=n)
    lower, upper = start - size * rng.uniform(0.1, 1.0, n), start + size * rng.uniform(0.1, 1.0, n)
    lower[rng.random(n) < 0.2], upper[rng.random(n) < 0.2] = -np.inf, np.inf
    fixed = rng.random(n) < 0.25
    lower[fixed] = upper[fixed] = start[fixed]
    found = bounded_least_squares(A, b, lower, upper, start, E if k else None)

    near = 1e-9 * size
    assert (found.x >= lower).all() and (found.x <= upper).all() and np.abs(E @ (found.x - start)).max(initial=0) < near
    force = A.T @ (A @ found.x - b) + found.multipliers  # = -Eᵀ y
    y = np.linalg.lstsq(E.T, -force, rcond=1e-10)[0] if k else np.zeros(0)
    assert np.abs(force + E.T @ y).max() < 10.0 * near
    inside = (found.x > lower) & (found.x < upper)
    assert not found.multipliers[inside].any()
    assert (found.multipliers[~fixed & (found.x == upper)] >= 0.0).all()
    assert (found.multipliers[~fixed & (found.x == lower)] <= 0.0).all()


def test_of_many_optima_the_one_next_to_the_start() -> None:
    A, free = np.array([[1.0, 0.0, 0.0]]), np.full(3, np.inf)
    found = bounded_least_squares(A, np.array([2.0]), -free, free, np.array([0.0, 3.0, -4.0]))
    assert found.x.tolist() == [2.0, 3.0, -4.0] and not found.multipliers.any()


def test_a_start_outside_the_bounds_is_brought_inside() -> None:
    found = bounded_least_squares(np.eye(2), np.array([0.5, 9.0]), np.zeros(2), np.ones(2), np.array([5.0, -5.0]))
    assert found.x.tolist() == [0.5, 1.0] and found.multipliers.tolist() == [0.0, 8.0]


def test_without_unknowns() -> None:
    found = bounded_least_squares(np.zeros((2, 0)), np.ones(2), np.zeros(0), np.zeros(0), np.zeros(0))
    assert found.x.shape == found.multipliers.shape == (0,)
