"""arctan2: three units in the last place in every octant, on every width and type; zero and NaN as expected."""

from __future__ import annotations

from typing import Any

import mpmath
import numpy as np
import pytest

import sixvec
from sixvec.scalar import arctan2

ULPS = 3.0


@sixvec.compiled("y x -> angle")
def angle(y, x):
    return arctan2(y, x)


def directions(dtype: str) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    y, x = rng.normal(size=(2, 2000)) * 10.0 ** rng.uniform(-30, 30, 2000)
    turn = np.arange(-64, 65) * (np.pi / 32)
    near = np.concatenate([turn, np.nextafter(turn, 9), np.nextafter(turn, -9)])
    flat = rng.normal(size=200) * 10.0 ** rng.uniform(-30, 0, 200)
    one = np.ones(200)
    y = np.concatenate([y, np.sin(near), flat, one, flat, -one, [0.0, 0.0, 1.0, -1.0]])
    x = np.concatenate([x, np.cos(near), one, flat, -one, flat, [1.0, -1.0, 0.0, 0.0]])
    return y.astype(dtype), x.astype(dtype)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_three_units_in_the_last_place(dtype: str) -> None:
    y, x = directions(dtype)
    found = angle(y, x)
    with mpmath.workdps(40):
        exact = [mpmath.atan2(mpmath.mpf(float(a)), mpmath.mpf(float(b))) for a, b in zip(y, x, strict=True)]
        units = [
            abs(mpmath.mpf(float(f)) - e) / mpmath.mpf(float(np.spacing(np.abs(np.asarray(float(e), dtype)))))
            for f, e in zip(found, exact, strict=True)
            if abs(e) > np.finfo(dtype).tiny
        ]
    assert max(units) <= ULPS


def test_one_sample_and_lanes_give_the_same_bits() -> None:
    y, x = directions("float64")
    many = angle(y[-300:], x[-300:])
    assert [angle(b, a) for b, a in zip(y[-300:], x[-300:], strict=True)] == many.tolist()


def test_no_direction_has_angle_zero_and_not_a_number_spreads() -> None:
    assert angle(0.0, 0.0) == 0.0
    assert np.isnan(angle(np.nan, 1.0)) and np.isnan(angle(1.0, np.nan)) and np.isnan(angle(np.nan, -1.0))


def test_one_coordinate_may_be_a_constant() -> None:
    @sixvec.compiled("x -> up down left")
    def angles(x: Any) -> Any:
        return arctan2(2.0, x), arctan2(-2.0, x), arctan2(x, -2.0)

    x = np.linspace(-5.0, 5.0, 30)
    for found, exact in zip(angles(x), (np.arctan2(2.0, x), np.arctan2(-2.0, x), np.arctan2(x, -2.0)), strict=True):
        assert np.allclose(found, exact, rtol=0.0, atol=1e-15)
