"""Motions along a path with limited jerk: closed forms, limits between samples, and the path itself."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import sixvec as sv
from sixvec import motion
from sixvec.errors import ArgumentError

ARM = sv.load("panda")
STRONG = np.array([15.0, 7.5, 10.0, 12.5, 15.0, 20.0, 20.0])


def path(seed: int, *shape: int, **options: Any) -> motion.Path:
    rng = np.random.default_rng(seed)
    middle, half = 0.5 * (ARM.lower + ARM.upper), 0.5 * (ARM.upper - ARM.lower)
    return motion.spline(ARM, middle + 0.5 * half * rng.uniform(-1, 1, (*shape, 7)), **options)


def test_a_straight_motion_that_cruises_takes_as_long_as_an_s_curve() -> None:
    arm = sv.load("planar_2r")
    limits = {"velocity": 1.0, "acceleration": 4.0, "torque": None}
    fast = motion.time_optimal(motion.spline(arm, [[0.0, 0.0], [2.0, 0.0]]), **limits, points=800)
    smooth = motion.limit_jerk(fast, 40.0, **limits)
    assert smooth.duration == pytest.approx(2.0 / 1.0 + 1.0 / 4.0 + 4.0 / 40.0, rel=2e-3)
    assert smooth.added == pytest.approx(4.0 / 40.0, rel=2e-2)


@pytest.mark.parametrize("limits", [{"acceleration": STRONG, "torque": None}, {"torque": 0.6 * ARM.effort_limits}])
def test_all_limits_hold_along_the_same_path(limits: dict[str, Any]) -> None:
    fast = motion.time_optimal(path(0, 3, 5), **limits)
    smooth = motion.limit_jerk(fast, 200.0, **limits)
    assert smooth and smooth.duration.shape == (3,) and (smooth.added > 0.0).all()
    assert np.allclose(smooth.duration - smooth.added, fast.duration)
    t = np.linspace(0.0, 1.0, 4000) * smooth.duration[:, None]
    worst = [(abs(smooth.v(t)) / ARM.velocity_limits).max(), abs(smooth.jerk(t)).max() / 200.0]
    worst.append((abs(smooth.a(t)) / STRONG).max() if "acceleration" in limits else 0.0)
    worst.append((abs(smooth.tau(t)) / limits["torque"]).max() if limits["torque"] is not None else 0.0)
    assert max(worst) < 1.0 + 1e-3 and worst[1] > 0.98
    near = np.linspace(0.0, 1.0, 20000) * fast.path.length[:, None]
    for k in range(3):
        there = fast.path.q(near)[k]
        off = [np.abs(there - x).max(axis=1).min() for x in smooth.q(t)[k, ::200]]
        assert max(off) < 1e-3


def test_derivatives_fit_and_the_ends_are_those_of_the_path() -> None:
    smooth = motion.limit_jerk(motion.time_optimal(path(1, 4), acceleration=STRONG, torque=None), 500.0, torque=None)
    t, h = np.linspace(0.05, 0.95, 300) * smooth.duration, 1e-6
    for value, rate in ((smooth.q, smooth.v), (smooth.v, smooth.a), (smooth.a, smooth.jerk)):
        slope = (value(t + h) - value(t - h)) / (2.0 * h)
        assert np.quantile(abs(slope - rate(t)).max(axis=1), 0.97) < 1e-4 * (1.0 + abs(rate(t)).max())
    assert abs(smooth.q(0.0) - smooth.original.q(0.0)).max() < 1e-12
    assert abs(smooth.q(smooth.duration) - smooth.original.q(99.0)).max() < 1e-9
    assert not smooth.v(99.0).any() and not smooth.v(-1.0).any() and abs(smooth.a(0.0)).max() < 1e-9


def test_a_larger_jerk_costs_less() -> None:
    limits = {"acceleration": STRONG, "torque": None}
    fast = motion.time_optimal(path(2, 4), **limits)
    added = [motion.limit_jerk(fast, jerk, **limits).added for jerk in (50.0, 500.0, 5000.0)]
    assert added[0] > 2.0 * added[1] > 4.0 * added[2] > 0.0


def test_wrong_arguments_are_named() -> None:
    fast = motion.time_optimal(path(3, 4), torque=None, acceleration=STRONG)
    with pytest.raises(ArgumentError, match="jerk"):
        motion.limit_jerk(fast, 0.0)
    corners = motion.time_optimal(path(3, 4, kind="linear", blend=0.05), torque=None, acceleration=STRONG)
    with pytest.raises(ArgumentError, match="second derivatives"):
        motion.limit_jerk(corners, 100.0)
    moving = motion.time_optimal(path(3, 4), torque=None, acceleration=STRONG, speeds=(0.1, 0.0))
    with pytest.raises(ArgumentError, match="rest"):
        motion.limit_jerk(moving, 100.0)


def test_limits_of_users_are_kept_with_limited_jerk() -> None:
    q = np.array([0.0, -0.4, 0.0, -2.0, 0.0, 1.6, 0.8])
    turn = np.array([1.0, 0.3, -0.5, 0.4, 0.0, 0.3, 0.0])
    path = motion.spline(ARM, [q, q + 0.5 * turn + 0.2, q + turn])
    fast = motion.time_optimal(path, limits=[motion.frame_limits("panda_link8", speed=0.3)])
    smooth = motion.limit_jerk(fast, 50.0)
    t = np.linspace(0.0, smooth.duration, 4000)
    speed = np.linalg.norm(ARM.velocity(smooth.q(t), smooth.v(t), "panda_link8")[:, 3:], axis=1)
    assert 0.29 < speed.max() < 0.3 * (1.0 + 1e-3)
