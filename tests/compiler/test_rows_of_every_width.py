"""Results stand in their rows, however many columns and wherever the rows begin; nothing beside them is touched."""

from __future__ import annotations

import numpy as np
import pytest

import sixvec

COLUMNS = [1, 7, 8, 15, 16, 17, 24, 31, 32, 33, 47, 48, 63, 64, 65, 100]
OFFSETS = range(0, 17, 3)
"""Where an array begins, in numbers from the start of a vector."""


def _function(columns: int, constants: bool) -> object:
    """Every entry differs; with `constants`, the first half are constants, as whole blocks of a row."""

    def row(x):
        return [3.0 + i if constants and i < columns // 2 else x[0] * (i + 1.0) + x[1] for i in range(columns)]

    return sixvec.compiled(f"x[2] -> y[{columns}]")(row)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("constants", [False, True])
@pytest.mark.parametrize("columns", COLUMNS)
def test_rows_are_written_whole_and_alone(columns: int, constants: bool, dtype: str) -> None:
    function, rng = _function(columns, constants), np.random.default_rng(columns)
    for n in (5, 8, 33):
        x = rng.normal(size=(n, 2)).astype(dtype)
        expected = np.stack([function.call(row) for row in x])
        memory = np.empty(n * columns + 40, dtype)
        for offset in OFFSETS:
            memory[:] = -1.0
            out = memory[offset : offset + n * columns].reshape(n, columns)
            function.call(x, out=out)
            assert np.array_equal(out, expected)
            assert (memory[:offset] == -1.0).all() and (memory[offset + n * columns :] == -1.0).all()
