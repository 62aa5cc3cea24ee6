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


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_a_column_is_read_and_written_whole(dtype: str) -> None:
    """Numbers side by side need no transposition, also where the other arrays have more of them, or one is shared."""

    @sixvec.compiled("a b[3] -> y z[3] c")
    def mixed(a, b):
        return b[1] - a, [x * a for x in b], 2.5

    rng = np.random.default_rng(0)
    for n in (1, 7, 8, 16, 17, 35):
        memory, b = rng.normal(size=n + 20).astype(dtype), rng.normal(size=(n, 3)).astype(dtype)
        for offset in OFFSETS:
            a = memory[offset : offset + n]
            outs = [np.full(n + 9, -1.0, dtype), np.full((n + 9, 3), -1.0, dtype), np.full(n + 9, -1.0, dtype)]
            mixed.call(a, b, out=[x[4 : n + 4] for x in outs])
            y, z, c = (x[4 : n + 4] for x in outs)
            assert np.array_equal(y, b[:, 1] - a) and np.array_equal(z, b * a[:, None]) and (c == 2.5).all()
            assert all((x[:4] == -1.0).all() and (x[n + 4 :] == -1.0).all() for x in outs)
        assert np.array_equal(mixed(memory[:n], b[0])[0], b[0, 1] - memory[:n])
        assert np.array_equal(mixed(memory[0], b)[0], b[:, 1] - memory[0])
