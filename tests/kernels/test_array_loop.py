"""A compiled function over the entries of an array: the numbers of a loop in Python."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import sixvec as sv
from sixvec.compiler import build
from sixvec.errors import ArgumentError, ShapeError
from sixvec.scalar import where


@sv.compiled("x[2] rate u[2] w -> x[2] size")
def drift(x: Any, rate: Any, u: Any, w: Any) -> Any:
    new = [a + rate * b for a, b in zip(x, u, strict=True)]
    return new, where(new[0] > w, new[0], w)


def expected(x: Any, rate: Any, u: Any, w: Any) -> tuple[Any, Any]:
    sizes = []
    for k in range(u.shape[-2]):
        x, size = drift(x, rate, u[..., k, :], w[..., k])
        sizes.append(size)
    return x, np.stack(sizes, -1)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("batch", [(), (1,), (5,), (2, 9)])
def test_state_and_entries_are_those_of_a_loop(batch: tuple[int, ...], dtype: str) -> None:
    rng = np.random.default_rng(0)
    shapes = (*batch, 2), (), (*batch, 6, 2), (6,)
    x, rate, u, w = (rng.normal(size=shape).astype(dtype) for shape in shapes)
    for _ in range(3):  # the later ones by the call stub
        last, sizes = drift.over("u", "w")(x, rate, u, w)
        reference = expected(x, rate, u, w)
        assert last.dtype == dtype and np.array_equal(last, reference[0]) and np.array_equal(sizes, reference[1])
    named = drift.over("u", "w")(w=w, u=u, rate=rate, x=x)
    assert np.array_equal(named[0], last)


def test_other_lengths_compile_nothing() -> None:
    loop, rng = drift.over("u", "w"), np.random.default_rng(1)
    loop(np.zeros((9, 2)), 1.0, np.zeros((3, 2)), np.zeros(3))
    before = build.compilations
    for n in (1, 4, 50):
        u = rng.normal(size=(n, 2))
        assert np.allclose(loop(np.zeros((9, 2)), 1.0, u, np.zeros(n))[0], u.sum(axis=0))
    assert build.compilations == before
    last, sizes = loop([1.0, 2.0], 1.0, np.zeros((0, 2)), [])
    assert last.tolist() == [1.0, 2.0] and sizes.shape == (0,)


def test_a_sample_that_is_nan_stays_alone() -> None:
    x = np.zeros((9, 2))
    x[4, 0] = np.nan
    last, _ = drift.over("u", "w")(x, 1.0, np.ones((3, 2)), np.zeros(3))
    assert np.isnan(last[4, 0]) and np.array_equal(np.delete(last, 4, 0), np.full((8, 2), 3.0))


def test_mistakes_are_named() -> None:
    with pytest.raises(ArgumentError, match="inputs: x, rate, u, w"):
        drift.over("u")
    with pytest.raises(ArgumentError, match="last inputs"):
        drift.over()
    with pytest.raises(ShapeError, match="u 3, w 4"):
        drift.over("u", "w")(np.zeros(2), 1.0, np.zeros((3, 2)), np.zeros(4))
    with pytest.raises(ShapeError, match="u has shape"):
        drift.over("u", "w")(np.zeros(2), 1.0, np.zeros(2), np.zeros(4))
    assert repr(drift.over("u", "w")) == "<drift over u, w>"
