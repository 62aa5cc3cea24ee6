"""Splines through waypoints: those of SciPy, smooth, and with errors that name the waypoint."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import sixvec as sv
from sixvec import motion
from sixvec.errors import SixvecError

ARM = sv.load("panda")


def waypoints(rng: np.random.Generator, *shape: int) -> Any:
    return ARM.random(rng, int(np.prod(shape))).reshape(*shape, 7)


@pytest.mark.covers("TIME-01")
@pytest.mark.parametrize("count", [2, 3, 4, 7])
@pytest.mark.parametrize("ends", ["natural", "not-a-knot", "given"])
def test_splines_are_those_of_scipy(count: int, ends: str) -> None:
    interpolate = pytest.importorskip("scipy.interpolate")
    slopes = np.linspace(-1.0, 1.0, 7), np.linspace(0.5, -0.5, 7)
    Q = waypoints(np.random.default_rng(count), 5, count)
    path = motion.spline(ARM, Q, ends=slopes if ends == "given" else ends)
    s = np.linspace(0.0, 1.0, 60) * path.length[:, None]
    values = [f(s) for f in (path.q, path.dq, path.ddq)]
    for k in range(5):
        rule = ((1, slopes[0]), (1, slopes[1])) if ends == "given" else ends
        other = interpolate.CubicSpline(path.knots[k], Q[k], bc_type=rule)
        for order, value in enumerate(values):
            assert abs(value[k] - other(s[k], order)).max() < 1e-9


def test_one_path_and_a_batch_have_the_same_values() -> None:
    Q = waypoints(np.random.default_rng(1), 2, 3, 4)
    many, one = motion.spline(ARM, Q), motion.spline(ARM, Q[1, 2])
    s = np.linspace(0.0, one.length, 9)
    assert many.batch == (2, 3) and one.batch == ()
    assert np.array_equal(many.q(s)[1, 2], one.q(s)) and one.q(0.1).shape == (7,)
    assert abs(many.q(many.length[..., None])[..., 0, :] - Q[..., -1, :]).max() < 1e-12


@pytest.mark.parametrize(
    ("change", "name"),
    [
        ({"kind": "cubik"}, "cubic"),
        ({"ends": "free"}, "free"),
        ({"ends": ([0.0],)}, "ends"),
        ({"waypoints": np.zeros((1, 7))}, "waypoints"),
        ({"waypoints": np.zeros((3, 6))}, "waypoints"),
        ({"waypoints": np.full((2, 7), np.nan)}, "waypoints"),
        ({"waypoints": np.array([ARM.lower, ARM.upper + 1.0])}, "waypoints"),
        ({"waypoints": np.repeat(waypoints(np.random.default_rng(2), 1), 2, axis=0)}, "waypoints 0 and 1"),
        ({"knots": [0.0, 1.0, 1.0]}, "knots"),
        ({"knots": [0.0, 1.0]}, "knots"),
        ({"robot": sv.load("planar_2r", floating=True), "waypoints": np.full((2, 9), 0.1)}, "quaternions"),
    ],
)
def test_wrong_arguments_are_named(change: dict[str, Any], name: str) -> None:
    arguments = {"robot": ARM, "waypoints": waypoints(np.random.default_rng(3), 3)} | change
    with pytest.raises(SixvecError, match=name):
        motion.spline(**arguments)
