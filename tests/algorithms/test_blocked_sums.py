"""Blocks are an order of computation: every sum has the bits of its own products, added one after the other."""

from __future__ import annotations

import numpy as np

from sixvec.algorithms.parts.blocked_sums import COLUMNS, PANEL, ROWS, sums_by_blocks
from sixvec.algorithms.parts.factorization import Factors


def test_sums_in_blocks_have_the_bits_of_sums_alone() -> None:
    rng = np.random.default_rng(0)
    rows, columns = 2 * ROWS + 1, PANEL + COLUMNS + 2
    products = {
        (i, j): [tuple(rng.normal(size=2).tolist()) for _ in range(rng.integers(0, 7))]
        for i in range(rows)
        for j in range(i % 3, columns)
    }
    found = sums_by_blocks(products)
    assert found.keys() == products.keys()
    for at, own in products.items():
        expected = own[0][0] * own[0][1] if own else 0.0
        for x, y in own[1:]:
            expected = expected + x * y
        assert found[at] == expected


def test_halves_of_several_columns_have_the_bits_of_one_alone() -> None:
    rng = np.random.default_rng(1)
    A = rng.normal(size=(6, 6))
    M = A @ A.T + 6.0 * np.eye(6)
    M[3:5, 5] = M[5, 3:5] = 0.0  # a branch
    factors = Factors(M.tolist(), [1, 0, 2, 5, 4, 3])
    columns = rng.normal(size=(4, 6)).tolist()
    columns[1][2:] = [0.0] * 4
    assert factors.halves(columns) == [factors.half(x) for x in columns]
