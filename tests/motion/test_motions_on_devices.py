"""Paths and their timing on a CUDA device: the results of NumPy arrays, with a device and with the CPU in its place."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import sixvec as sv
from sixvec import motion
from sixvec.errors import ArgumentError

ARM = sv.load("planar_2r")


def waypoints() -> Any:
    return np.random.default_rng(0).uniform(-1, 1, (6, 4, 2))


@pytest.mark.parametrize("kind", [{}, {"ends": "not-a-knot", "knots": [0.0, 1.0, 2.0, 3.0]}, {"kind": "quintic"},
                                  {"kind": "linear"}, {"kind": "linear", "blend": 0.05}])  # fmt: skip
@pytest.mark.parametrize("limits", [{"acceleration": 4.0, "torque": None}, {"torque": 60.0},
                                    {"torque": 60.0, "speeds": (0.1, 0.2)}])  # fmt: skip
def test_timed_paths_are_those_of_the_cpu(xp: Any, kind: dict[str, Any], limits: dict[str, Any]) -> None:
    Q = waypoints()
    here, there = (motion.time_optimal(motion.spline(ARM, x, **kind), 2.0, **limits) for x in (Q, xp.asarray(Q)))
    assert isinstance(there.duration, xp.ndarray)
    assert np.array_equal(there.verdict.get(), here.verdict) and (here.verdict == 0).any()
    assert np.allclose(there.duration.get(), here.duration, rtol=1e-9, equal_nan=True)
    assert (there.limiting == here.limiting).mean() > 0.99 and list(there.reason) == list(here.reason)
    t = np.linspace(0.0, 1.0, 20) * here.duration[:, None]
    for name in ("q", "v", "a", "tau"):
        found, expected = getattr(there, name)(xp.asarray(t)).get(), getattr(here, name)(t)
        assert np.allclose(found, expected, rtol=1e-6, atol=1e-6, equal_nan=True), name


def test_limits_of_users_compute_on_the_cpu(xp: Any) -> None:
    path = motion.spline(ARM, xp.asarray(waypoints()))
    with pytest.raises(ArgumentError, match="limits"):
        motion.time_optimal(path, 2.0, torque=None, limits=[lambda *_: ()])
