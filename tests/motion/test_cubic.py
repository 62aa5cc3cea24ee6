"""Cubic splines are the same compiled, on arrays, and in SciPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.interpolate import CubicSpline

from sixvec.motion import cubic
from sixvec.motion.grid import shares_of, shares_of_one


@pytest.mark.parametrize("ends", ["natural", "not-a-knot", "slopes"])
@pytest.mark.parametrize("count", [2, 3, 4, 5, 40])
def test_compiled_splines_are_those_of_arrays(monkeypatch: pytest.MonkeyPatch, ends: str, count: int) -> None:
    rng = np.random.default_rng(count)
    s = np.cumsum(np.append(0.0, rng.uniform(0.1, 2.0, count - 1)))
    Q, slopes = rng.normal(size=(3, count, 2)), rng.normal(size=(2, 2))
    at_ends: Any = ends if ends != "slopes" else [*slopes]
    places = np.broadcast_to(s, (3, count))
    compiled = cubic.cubic_pieces(places, Q, at_ends)
    monkeypatch.setattr(cubic, "COMPILED", 0)
    on_arrays = cubic.cubic_pieces(places, Q, at_ends)
    assert np.allclose(compiled, on_arrays, rtol=1e-10, atol=1e-10)
    condition: Any = ends if count > 2 else "natural"
    condition = [(1, x) for x in slopes] if ends == "slopes" else condition
    theirs = CubicSpline(s, Q[1], bc_type=condition)
    h = np.diff(s)[:, None]
    for part in (0.3, 0.9):
        r = part * h
        ours = sum(compiled[1, :, k] * r**k for k in range(4))
        assert np.allclose(ours, theirs(s[:-1] + r[:, 0]), rtol=1e-10, atol=1e-10)


def test_shares_of_one_row_are_those_of_many() -> None:
    rng = np.random.default_rng(0)
    for _ in range(300):
        count = int(rng.integers(1, 9))
        parts = rng.choice([1.0, 1.0, 2.0, rng.uniform()], size=count)
        parts /= parts.sum()
        points = int(rng.integers(4 * count, 200))
        assert shares_of_one(parts.tolist(), points, 1) == shares_of(parts[None], points, 1)[0].tolist()
