"""Durations of another library on the same grid, dense optimal control, and the goal of a simulation of the torques."""

from __future__ import annotations

import logging
from typing import Any

import numpy as np
import pytest

import sixvec as sv
from sixvec import motion

ARM = sv.load("panda")
STRONG = np.array([15.0, 7.5, 10.0, 12.5, 15.0, 20.0, 20.0])
WEAK = 0.6 * ARM.effort_limits
KNOTS = np.linspace(0.0, 1.0, 5)


def waypoints(seed: int, count: int) -> Any:
    middle, half = 0.5 * (ARM.lower + ARM.upper), 0.5 * (ARM.upper - ARM.lower)
    return middle + 0.5 * half * np.random.default_rng(seed).uniform(-1, 1, (count, 5, 7))


def of_toppra(Q: Any, points: int, torque: bool) -> float:
    toppra = pytest.importorskip("toppra")
    logging.getLogger("toppra").setLevel(logging.CRITICAL)
    constraint = toppra.constraint
    both = {"discretization_scheme": constraint.DiscretizationType.Interpolation}
    speed = np.asarray(ARM.velocity_limits)
    limits = [constraint.JointVelocityConstraint(np.stack([-speed, speed], axis=1))]
    if torque:
        bounds = np.stack([-WEAK, WEAK], axis=1)
        limits.append(constraint.JointTorqueConstraint(ARM.inverse_dynamics, bounds, np.zeros(7), **both))
    else:
        limits.append(constraint.JointAccelerationConstraint(np.stack([-STRONG, STRONG], axis=1), **both))
    path = toppra.SplineInterpolator(KNOTS, Q)
    grid = np.linspace(0.0, 1.0, points + 1)
    solver = toppra.algorithm.TOPPRA(limits, path, gridpoints=grid, parametrizer="ParametrizeConstAccel")
    return float(solver.compute_trajectory(0, 0).duration)


@pytest.mark.parametrize("torque", [False, True])
def test_durations_on_the_same_grid_are_those_of_toppra(torque: bool) -> None:
    Q = waypoints(0, 8)
    limits: dict[str, Any] = {"torque": WEAK} if torque else {"acceleration": STRONG, "torque": None}
    path = motion.spline(ARM, Q, knots=KNOTS, ends="not-a-knot")
    fast = motion.time_optimal(path, **limits, points=100, between=False)
    theirs = [of_toppra(x, 100, torque) for x in Q]
    assert np.allclose(fast.duration, theirs, rtol=1e-5)


def test_limits_between_points_cost_little_of_the_time_of_a_fine_grid() -> None:
    """100 points against toppra's 401, without torques: at most 3.5 % on hard paths, 1 % on ordinary ones."""
    hard = waypoints(1, 8)
    ordinary = 0.5 * (ARM.lower + ARM.upper) + 0.5 * np.random.default_rng(2).uniform(-1, 1, (8, 5, 7))
    for Q, most in ((hard, 1.035), (ordinary, 1.01)):
        path = motion.spline(ARM, Q, knots=KNOTS, ends="not-a-knot")
        fast = motion.time_optimal(path, acceleration=STRONG, torque=None, points=100)
        ratio = fast.duration / [of_toppra(x, 401, False) for x in Q]
        assert ratio.min() > 1.0 - 1e-3 and ratio.max() < most


def least_time(path: motion.Path, count: int, **bounds: Any) -> float:
    """The least duration by a linear program (Hauser 2014): ṡ² at evenly spaced points, as large as they may be
    together, with limits in the middle of each interval."""
    optimize = pytest.importorskip("scipy.optimize")
    robot, s = path.robot, np.linspace(0.0, float(path.length), count + 1)
    h, half = np.diff(s), 0.5 * (s[1:] + s[:-1])
    d, e = path.dq(half), path.ddq(half)
    if "torque" in bounds:
        q, zero = path.q(half), np.zeros_like(d)
        rest = robot.inverse_dynamics(q, zero, zero)
        along, bend = (robot.inverse_dynamics(q, *x) - rest for x in ((zero, d), (d, e)))
        most = np.asarray(bounds["torque"])
    else:
        rest, along, bend, most = np.zeros_like(d), d, e, np.asarray(bounds["acceleration"])
    rows = np.zeros((*d.shape, count + 1))
    for k in range(count):
        rows[k, :, k], rows[k, :, k + 1] = 0.5 * bend[k] - along[k] / (2 * h[k]), 0.5 * bend[k] + along[k] / (2 * h[k])
    A, room = rows.reshape(-1, count + 1), [(most - rest).ravel(), (most + rest).ravel()]
    top = np.full(count + 1, 1e9)
    if "velocity" in bounds:
        with np.errstate(divide="ignore"):
            top = ((bounds["velocity"] / np.abs(path.dq(s))) ** 2).min(axis=1)
    top[[0, -1]] = 0.0
    found = optimize.linprog(
        -np.ones(count + 1), np.concatenate([A, -A]), np.concatenate(room), bounds=[(0.0, x) for x in top]
    )
    assert found.success
    root = np.sqrt(np.maximum(found.x, 0.0))
    return float((2.0 * h / (root[1:] + root[:-1])).sum())


def small_case(name: str) -> tuple[motion.Path, dict[str, Any]]:
    if name == "curve of two joints":
        arm = sv.load("planar_2r")
        path = motion.spline(arm, [[0.0, 0.0], [1.0, 0.5], [1.0, 1.5]])
        return path, {"velocity": 1.2, "acceleration": 2.0, "torque": None}
    if name == "torque of two joints":
        arm = sv.load("planar_2r")
        return motion.spline(arm, [[0.0, 0.3], [1.2, -0.4], [1.5, 0.8]]), {"velocity": None, "torque": [40.0, 12.0]}
    return motion.spline(ARM, waypoints(3, 1)[0][:3]), {"velocity": None, "torque": WEAK}


@pytest.mark.parametrize("name", ["curve of two joints", "torque of two joints", "torque of seven joints"])
def test_durations_are_those_of_dense_optimal_control(name: str) -> None:
    path, limits = small_case(name)
    fast = motion.time_optimal(path, **limits, points=400)
    least = least_time(path, 300, **{k: x for k, x in limits.items() if x is not None})
    assert fast and fast.duration == pytest.approx(least, rel=3e-3)


@pytest.mark.parametrize("seed", [1, 2])
def test_a_simulation_under_the_torques_reaches_the_goal(seed: int) -> None:
    """Integrated from point to point of the grid, where torques jump; arms amplify errors, so by a precise solver."""
    integrate = pytest.importorskip("scipy.integrate")
    path = motion.spline(ARM, waypoints(seed, 1)[0][:3])
    fast = motion.time_optimal(path, torque=WEAK)

    def rate(t: float, y: Any) -> Any:
        return np.concatenate([y[7:], ARM.forward_dynamics(y[:7], y[7:], fast.tau(t))])

    state = np.concatenate([path.q(0.0), np.zeros(7)])
    for start, end in zip(fast.times[:-1], fast.times[1:], strict=True):
        inside = start + 1e-12, end - 1e-12
        state = integrate.solve_ivp(rate, inside, state, "DOP853", rtol=1e-10, atol=1e-12).y[:, -1]
    assert np.abs(state[:7] - path.q(path.length)).max() < 1e-4
    assert np.abs(state[7:]).max() < 1e-2
