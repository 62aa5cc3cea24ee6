"""Limits hold between the points of the grid on all kinds of paths, in all units, and zero is not a limit."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import sixvec as sv
from sixvec import motion
from sixvec.errors import ArgumentError

ARM, TWO = sv.load("panda"), sv.load("planar_2r")
STRONG = np.array([15.0, 7.5, 10.0, 12.5, 15.0, 20.0, 20.0])
LIMITS = [{"acceleration": STRONG, "torque": None}, {"torque": 0.6 * ARM.effort_limits}]


def used(fast: motion.TimedPath, limits: dict[str, Any]) -> float:
    """The largest share of a limit at 4000 instants of each motion."""
    t = np.linspace(0.0, 1.0, 4000) * np.asarray(fast.duration)[:, None]
    shares = [(abs(fast.v(t)) / ARM.velocity_limits).max()]
    if limits["torque"] is None:
        shares.append((abs(fast.a(t)) / STRONG).max())
    else:
        shares.append((abs(fast.tau(t)) / limits["torque"]).max())
    return float(max(shares))


@pytest.mark.parametrize("limits", LIMITS)
@pytest.mark.parametrize("waypoints", [3, 12])
@pytest.mark.parametrize("kind", [{}, {"kind": "quintic"}, {"kind": "linear", "blend": 0.05}])
def test_limits_hold_between_points_of_short_pieces(
    kind: dict[str, Any], waypoints: int, limits: dict[str, Any]
) -> None:
    rng = np.random.default_rng(1201)
    middle, half = 0.5 * (ARM.lower + ARM.upper), 0.5 * (ARM.upper - ARM.lower)
    path = motion.spline(ARM, middle + 0.6 * half * rng.uniform(-1, 1, (30, waypoints, 7)), **kind)
    fast = motion.time_optimal(path, **limits, points=100)
    assert fast and 0.999 < used(fast, limits) < 1.0 + 1e-3


def test_limits_of_torque_hold_between_points_of_long_paths() -> None:
    """Through nearly the whole range of each joint, with the intervals that are chosen for such a path."""
    middle, half = 0.5 * (ARM.lower + ARM.upper), 0.5 * (ARM.upper - ARM.lower)
    waypoints = np.concatenate([np.random.default_rng(k).uniform(-1, 1, (30, 20, 7)) for k in (100, 101)])
    fast = motion.time_optimal(motion.spline(ARM, middle + 0.9 * half * waypoints), **LIMITS[1])
    assert fast and used(fast, LIMITS[1]) < 1.0 + 5e-4


@pytest.mark.parametrize("unit", [1e-9, 1e-4, 1e6, 1e9])
def test_units_do_not_matter(unit: float) -> None:
    """Lengths, speeds and accelerations in other units take the same time."""
    Q = np.array([[0.0, 0.0], [1.0, 0.5], [1.0, 1.0]])
    one, other = (
        motion.time_optimal(motion.spline(TWO, u * Q), velocity=u, acceleration=2.0 * u, torque=None).duration
        for u in (1.0, unit)
    )
    assert other == pytest.approx(float(one), rel=1e-9)


def test_a_limit_and_its_negative_are_the_same_limit() -> None:
    """lower ≤ a s̈ + b ṡ² ≤ upper, and the same with all signs changed: of joint accelerations that brake harder."""

    def limit(sign: float) -> Any:
        def rows(robot: sv.Robot, q: Any, d: Any, e: Any) -> Any:
            a, b, bounds = sign * d, sign * e, sorted([-3.0 * sign, 2.0 * sign])
            return a, b, np.full_like(a, bounds[0]), np.full_like(a, bounds[1])

        return rows

    path = motion.spline(TWO, [[0.0, 0.0], [1.0, -0.5], [0.5, 1.0], [1.5, 0.5]])
    one, other = (motion.time_optimal(path, velocity=5.0, torque=None, limits=[limit(s)]) for s in (1.0, -1.0))
    t = np.linspace(0.0, one.duration, 2000)
    assert one and -3.0 * 1.001 < one.a(t).min() < -2.5 and 1.9 < one.a(t).max() < 2.0 * 1.001
    assert other.duration == pytest.approx(float(one.duration), rel=1e-12)


@pytest.mark.parametrize("limits", LIMITS)
def test_accelerations_switch_and_do_not_oscillate(limits: dict[str, Any]) -> None:
    """On a fine grid two large changes of s̈ in a row go in the same direction, also where a joint turns."""
    rng = np.random.default_rng(9)
    middle, half = 0.5 * (ARM.lower + ARM.upper), 0.5 * (ARM.upper - ARM.lower)
    path = motion.spline(ARM, middle + 0.5 * half * rng.uniform(-1, 1, (40, 5, 7)))
    fast = motion.time_optimal(path, velocity=None, **limits, points=600)
    u = np.diff(fast.speed**2, axis=1) / (2.0 * np.diff(fast.s, axis=1))
    change = np.diff(u, axis=1) / np.abs(u).max(axis=1, keepdims=True)
    back = (change[:, 1:] * change[:, :-1] < 0.0) & (np.minimum(abs(change[:, 1:]), abs(change[:, :-1])) > 0.1)
    assert fast and back.sum(axis=1).max() <= 2 and back.sum() <= 8


def test_limits_of_users_that_cannot_be_kept_are_named() -> None:
    """Each has several rows."""

    def loose(robot: sv.Robot, q: Any, d: Any, e: Any) -> list[Any]:
        return [d, e, np.full_like(d, -5.0), np.full_like(d, 5.0)]

    def pushing(robot: sv.Robot, q: Any, d: Any, e: Any) -> list[Any]:
        return [d, e, np.full_like(d, 1.0), np.full_like(d, 5.0)]

    path = motion.spline(TWO, [[0.0, 0.0], [1.0, 0.5], [1.0, 1.0]])
    fast = motion.time_optimal(path, 1.0, torque=None, limits=[loose, pushing])
    assert not fast and str(fast.reason) == "at s = 0 pushing excludes standing still"
    for k in range(4):
        wrong = [np.nan if j == k else 1.0 for j in range(4)]
        with pytest.raises(ArgumentError, match=r"limits\[0\] returns numbers that are not finite"):
            motion.time_optimal(path, 1.0, torque=None, limits=[lambda _, q, d, e, w=wrong: [x * d for x in w]])


def test_long_paths_have_enough_points_and_empty_batches_no_motion() -> None:
    Q = np.cumsum(np.random.default_rng(0).normal(size=(80, 2)) * 0.05, axis=0)
    fast = motion.time_optimal(motion.spline(TWO, Q), velocity=1.0, acceleration=2.0, torque=None)
    assert fast and fast.limiting.shape == (79 * 12,)
    t = np.linspace(0.0, fast.duration, 20_000)
    assert 0.99 < abs(fast.a(t)).max() / 2.0 < 1.001
    none = motion.time_optimal(motion.spline(ARM, np.zeros((2, 0, 3, 7))), torque=None)
    assert none.duration.shape == (2, 0)


@pytest.mark.parametrize(("name", "limit"), [("velocity", 0.0), ("effort", 0.0)])
def test_limits_of_robots_that_are_zero_are_named(name: str, limit: float) -> None:
    weak = TWO.with_limits("joint2", **{name: limit})
    path = motion.spline(weak, [[0.0, 0.0], [1.0, 0.5]])
    with pytest.raises(ArgumentError, match="joint2"):
        motion.time_optimal(path, acceleration=1.0)
    if name == "velocity":
        with pytest.raises(ArgumentError, match="joint2"):
            motion.rest_to_rest(weak, [0.0, 0.0], [1.0, 0.5], acceleration=1.0, jerk=1.0)
