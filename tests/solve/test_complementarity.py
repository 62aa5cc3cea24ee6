"""Lemke's method against the enumeration of every set of positive unknowns."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from naming import named
from sixvec.errors import ShapeError
from sixvec.solve.complementarity import complementary_solution


def all_solutions(M: np.ndarray, q: np.ndarray) -> list[np.ndarray]:
    found = []
    for active in product([False, True], repeat=len(q)):
        on = np.array(active)
        z = np.zeros(len(q))
        try:
            z[on] = np.linalg.solve(M[np.ix_(on, on)], -q[on])
        except np.linalg.LinAlgError:
            continue
        if (z >= -1e-9).all() and (M @ z + q >= -1e-9).all():
            found.append(z)
    return found


@pytest.mark.parametrize("seed", range(30))
def test_positive_definite_problems_have_one_solution(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n, size = int(rng.integers(1, 6)), 10.0 ** rng.integers(-4, 5)
    root = rng.normal(size=(n, n))
    M = root @ root.T + 0.1 * np.eye(n) + (lambda s: s - s.T)(rng.normal(size=(n, n)))  # need not be symmetric
    q = size * rng.normal(size=n)
    (expected,) = {tuple((z / size).round(7)) for z in all_solutions(M, q / size * size)}
    assert np.allclose(complementary_solution(M, q) / size, expected, rtol=0.0, atol=1e-6)


@pytest.mark.parametrize("seed", range(20))
def test_copositive_problems_with_ties(seed: int) -> None:
    """Whole numbers, so that ratios are equal; where there is a solution it is found, and a ray is NaN."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 5))
    M = rng.integers(0, 3, (n, n)).astype(float) + np.eye(n)
    q = -rng.integers(0, 3, n).astype(float)
    z = complementary_solution(M, q)
    w = M @ z + q
    assert (z >= 0.0).all() and (w > -1e-9).all() and abs(z @ w) < 1e-9


def test_nothing_to_do_and_nothing_possible() -> None:
    assert complementary_solution(np.zeros((0, 0)), np.zeros(0)).shape == (0,)
    assert complementary_solution(-np.eye(2), np.array([0.0, 0.5])).tolist() == [0.0, 0.0]
    assert np.isnan(complementary_solution(np.zeros((2, 2)), np.array([1.0, -1.0]))).all()
    with pytest.raises(ShapeError, match=named("M", "q")):
        complementary_solution(np.zeros((2, 3)), np.zeros(2))
