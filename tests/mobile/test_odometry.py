"""Dead reckoning: exact arcs, their covariance, and the systematic errors that a few runs show."""

from __future__ import annotations

import math
from typing import Any

import mpmath
import numpy as np
import pytest

import sixvec as sv
from naming import named
from sixvec.errors import ArgumentError, DegenerateError, ShapeError
from sixvec.mobile import PlanarPose, PlanarTwist, calibrate_drive
from sixvec.mobile.odometry import arc, turning

RNG = np.random.default_rng(4)
DD = sv.mobile.differential_drive(0.5, 0.1)
CAR = sv.mobile.car(1.3, 0.8, radius=0.3)
SWERVE = sv.mobile.swerve(0.6, 0.4, 0.05)


@pytest.mark.covers("MOB-06")
def test_golden_arc() -> None:
    v, omega = 0.95, 0.8
    rates = [(v - omega * 0.25) / 0.1, (v + omega * 0.25) / 0.1]
    end = DD.odometry([rates], 1.0, [2.0, 1.0, 0.3]).end
    assert np.allclose(end, [2.70737849, 1.59581669, 1.1], rtol=0.0, atol=5e-9)
    screw = PlanarPose.of([2.0, 1.0, 0.3]) @ PlanarTwist(omega, v, 0.0)  # of the point at the origin: not the pose's
    assert np.allclose([screw.x, screw.y], [1.708, -1.319], atol=5e-4)


@pytest.mark.covers("MOB-06", "Bruyninckx (9.18)")
def test_arcs_are_exact_whatever_the_step() -> None:
    rates = RNG.uniform(-5.0, 5.0, (6, 2))
    coarse = DD.odometry(rates[:, None, :].repeat(1, 1), 1.0, [0.3, 0.2, 2.9]).end
    fine = DD.odometry(rates[:, None, :].repeat(50, 1), 0.02, [0.3, 0.2, 2.9]).end
    assert np.allclose(coarse, fine, rtol=0.0, atol=1e-13)


@pytest.mark.parametrize("base", [DD, CAR, SWERVE], ids=lambda b: b.name)
def test_each_step_is_the_exponential_of_its_twist(base: Any) -> None:
    twist = base.filter(RNG.normal(size=(9, 3)))
    motion = base.inverse_velocity(twist)
    dt = RNG.uniform(0.05, 0.2, 9)
    steer = motion.steer if base.steering_names else None
    path = base.odometry(motion.rates, dt, [1.0, 2.0, 0.5], steer=steer)
    X = PlanarPose.of([1.0, 2.0, 0.5])
    for t, h, pose in zip(twist, dt, path.pose, strict=True):
        X = X @ PlanarPose.exp(PlanarTwist.of(t) * h)
        assert np.allclose(X.as_matrix(), PlanarPose.of(pose).as_matrix(), atol=1e-13)


def test_batches_and_held_inputs() -> None:
    rates = RNG.normal(size=(3, 20, 2))
    path = DD.odometry(rates, 0.1, RNG.normal(size=(3, 3)))
    assert path.pose.shape == (3, 20, 3) and repr(path) == "<OdometryPath: 20 steps>"
    held = CAR.odometry(rates, 0.1, steer=[0.2])
    assert np.array_equal(held.pose, CAR.odometry(rates, 0.1, steer=np.full((20, 1), 0.2)).pose)


@pytest.mark.parametrize("base", [DD, CAR], ids=lambda b: b.name)
def test_one_long_history_is_the_same_as_in_a_batch(base: Any) -> None:
    n = 5001
    rates = RNG.normal(size=(n, 2))
    steer = RNG.uniform(-0.5, 0.5, (n, 1)) if base is CAR else None
    start, dt = np.array([0.3, -0.2, 1.0]), RNG.uniform(0.01, 0.02, n)
    for step in (0.01, dt):
        one = base.odometry(rates, step, start, steer=steer)
        many = base.odometry(rates, step, np.stack([start + 1.0, start, start]), steer=steer)
        assert one.pose.shape == (n, 3) and np.array_equal(one.pose, many.pose[1])
        uncertain = base.odometry(rates, step, start, steer=steer, noise=0.1)
        assert np.array_equal(uncertain.pose, one.pose)


@pytest.mark.parametrize("base", [DD, CAR], ids=lambda b: b.name)
def test_a_long_history_is_its_parts_one_after_another(base: Any) -> None:
    n, part = 20_011, 2_000
    rates = RNG.normal(size=(n, 2)) * 3.0
    steer = RNG.uniform(-0.5, 0.5, (n, 1)) if base is CAR else None
    start, dt = np.array([0.3, -0.2, 1.0]), RNG.uniform(0.01, 0.2, n)
    whole, pose = base.odometry(rates, dt, start, steer=steer).pose, start
    for k in range(0, n, part):
        at = slice(k, k + part)
        found = base.odometry(rates[at], dt[at], pose, steer=None if steer is None else steer[at]).pose
        assert np.allclose(found, whole[at], rtol=0.0, atol=1e-11)
        pose = found[-1]


def test_long_histories_do_not_depend_on_what_was_computed_before() -> None:
    """Memory is kept from call to call: for more pieces than before, for fewer, and for several at once."""
    n = 4096 + 300
    rates = RNG.normal(size=(40, n, 2))
    starts = RNG.normal(size=(40, 3))
    single = [DD.odometry(r, 0.01, s).pose for r, s in zip(rates[:3], starts, strict=False)]
    for count in (1, 40, 3, 40, 2):
        many = DD.odometry(rates[:count], 0.01, starts[:count]).pose
        assert all(np.array_equal(a, b) for a, b in zip(many, single, strict=False))
    long = np.concatenate([rates[k] for k in range(34)])  # more pieces than are integrated at once
    end = DD.odometry(long, 0.01, starts[0]).pose
    assert np.array_equal(end[: n - 300], single[0][: n - 300])
    ahead = DD.odometry(long[-5000:], 0.01, end[-5001]).pose
    assert np.allclose(end[-5000:], ahead, rtol=0.0, atol=1e-9)


def test_steps_of_any_turn_are_as_exact_as_the_exponential() -> None:
    for half_turn in (0.0, 1e-12, 1e-5, 0.1249999, 0.1250001, 1.0, 3.0, 40.0):
        t = PlanarTwist(2.0 * half_turn, 0.7, 0.0)
        rates = DD.inverse_velocity([[*t]]).rates
        x, y, _ = DD.odometry(rates, 1.0, [0.0, 0.0, 0.9]).end
        X = PlanarPose.of([0.0, 0.0, 0.9]) @ PlanarPose.exp(t)
        assert np.allclose([x, y], [X.x, X.y], rtol=0.0, atol=2e-15 * max(1.0, half_turn))


def test_a_closed_loop_of_wheel_angles_does_not_close_in_the_plane() -> None:
    there = [[5.0, 5.0], [-3.0, 3.0], [-5.0, -5.0], [3.0, -3.0]]  # every wheel returns to its angle
    assert np.allclose(np.sum(there, axis=0), 0.0)
    end = DD.odometry(there, 1.0).end
    assert np.isclose(end[2], 0.0) and np.linalg.norm(end[:2]) > 0.1


def test_reversed_rates_lead_back() -> None:
    rates = RNG.normal(size=(30, 2))
    end = DD.odometry(rates, 0.1).end
    assert np.allclose(DD.odometry(-rates[::-1], 0.1, end).end, 0.0, atol=1e-14)


@pytest.mark.covers("MOB-06")
def test_covariance_is_that_of_many_noisy_runs() -> None:
    rates, sigma = np.tile([4.0, 6.0], (20, 1)), np.array([0.2, 0.3])
    P0 = np.diag([1e-4, 4e-4, 1e-4])
    path = DD.odometry(rates, 0.1, [0.0, 0.0, 0.4], covariance=P0, noise=sigma)
    assert path.covariance is not None and path.covariance.shape == (20, 3, 3)
    runs = 40_000
    noisy = rates + sigma * RNG.normal(size=(runs, 20, 2))
    starts = [0.0, 0.0, 0.4] + RNG.normal(size=(runs, 3)) * np.sqrt(np.diag(P0))
    ends = DD.odometry(noisy, 0.1, starts).end
    sampled = np.cov(ends.T)
    scale = np.sqrt(np.outer(np.diag(sampled), np.diag(sampled)))
    assert np.abs((sampled - path.covariance[-1]) / scale).max() < 4.0 / np.sqrt(runs)


def square(turn: float) -> Any:
    side, corner = np.tile([10.0, 10.0], (20, 1)), np.tile([-5.0 * turn, 5.0 * turn], (8, 1))
    return np.concatenate([side, corner] * 4)


def test_systematic_errors_from_squares_both_ways_round() -> None:
    true = sv.mobile.differential_drive(0.515, 0.0995, 0.1008)
    rates = np.stack([square(1.0), square(-1.0)])
    ends = true.odometry(rates, 0.1).end
    assert np.linalg.norm(ends - DD.odometry(rates, 0.1).end, axis=-1).max() > 0.05
    found = calibrate_drive(DD, rates, 0.1, np.zeros(3), ends)
    assert np.allclose(found.parameters, [0.0995, 0.1008, 0.515], rtol=1e-10)
    assert np.abs(found.residual).max() < 1e-12
    assert np.allclose(found.platform.odometry(rates, 0.1).end, ends)


def test_a_calibration_from_too_far_away_is_no_answer() -> None:
    true, far = sv.mobile.differential_drive(0.52, 0.099, 0.101), sv.mobile.differential_drive(0.2, 0.4, 0.05)
    rates = np.array([[[5.0, 9.0]] * 50, [[8.0, 4.0]] * 50, [[6.0, 6.0]] * 50])
    ends = true.odometry(rates, 0.1, np.zeros(3)).end
    with pytest.raises(DegenerateError, match=named("radii", "track")):
        calibrate_drive(far, rates, 0.1, np.zeros(3), ends)


def test_runs_that_show_nothing_raise() -> None:
    rates = np.tile([5.0, 5.0], (2, 30, 1))
    with pytest.raises(DegenerateError, match=named("radii", "track")):
        calibrate_drive(DD, rates, 0.1, np.zeros(3), DD.odometry(rates, 0.1).end)
    with pytest.raises(ArgumentError, match="car"):
        calibrate_drive(CAR, rates, 0.1, np.zeros(3), np.zeros((2, 3)))


def test_bad_histories_raise() -> None:
    with pytest.raises(ShapeError, match="rates"):
        DD.odometry([1.0, 2.0], 0.1)
    with pytest.raises(ShapeError, match=named("dt")):
        DD.odometry([[1.0, 2.0]], [0.1, 0.2])
    with pytest.raises(ArgumentError, match=named("dt")):
        DD.odometry([[1.0, 2.0]], 0.0)


def test_odometry_of_another_library() -> None:
    kinematics: Any = pytest.importorskip("wpimath.kinematics")
    geometry: Any = pytest.importorskip("wpimath.geometry")
    start = geometry.Pose2d(0.3, -0.2, 0.4)
    peer = kinematics.DifferentialDriveOdometry(start.rotation(), 0.0, 0.0, start)
    rates = RNG.uniform(-4.0, 6.0, (40, 2))
    path, travelled, heading = DD.odometry(rates, 0.05, [0.3, -0.2, 0.4]), np.zeros(2), 0.4
    for k, r in enumerate(rates):
        travelled = travelled + r * 0.1 * 0.05
        heading += (r[1] - r[0]) * 0.1 / 0.5 * 0.05
        pose = peer.update(geometry.Rotation2d(heading), *travelled)
        assert np.allclose(path.pose[k], [pose.x, pose.y, heading], atol=1e-9)  # its arcs have a series of their own


@pytest.mark.parametrize("half", [0.0, 1e-9, 0.1249, 0.1251, -0.12499, 0.7, -1.4])
def test_a_step_is_the_exponential_of_its_twist(half: float) -> None:
    """Just below and above the angle from which the chord is no series, and with slip across."""
    dt, start = 0.4, [0.3, -0.2, 0.9]
    twist = PlanarTwist(2.0 * half / dt, 1.3, -0.6)
    with mpmath.workdps(40):
        h, middle = mpmath.mpf(twist.ang) * dt / 2, mpmath.mpf(start[2])
        chord = (mpmath.sin(h) / h if half else mpmath.mpf(1)) * dt
        c, s = mpmath.cos(middle + h) * chord, mpmath.sin(middle + h) * chord
        exact = [float(start[0] + 1.3 * c + 0.6 * s), float(start[1] + 1.3 * s - 0.6 * c), float(middle + 2 * h)]
    assert arc(start, twist, dt) == pytest.approx(exact, rel=0.0, abs=4e-16)
    found = turning([*start, math.cos(0.9), math.sin(0.9)], twist, dt)
    assert found[:3] == pytest.approx(exact, rel=0.0, abs=2e-15)
    assert found[3:] == pytest.approx([math.cos(exact[2]), math.sin(exact[2])], abs=1e-15)


def test_a_calibration_counts_turns_weights_and_starts() -> None:
    true = sv.mobile.differential_drive(0.52, 0.099, 0.101)
    rates = np.array([[[5.0, 9.0]] * 50, [[8.0, 4.0]] * 50, [[6.0, 6.0]] * 50])
    starts = np.array([[0.0, 0.0, 0.0], [1.0, -1.0, 0.5], [0.2, 0.1, -2.0]])
    ends = true.odometry(rates, 0.1, starts).end
    wanted = [0.099, 0.101, 0.52]
    found = calibrate_drive(DD, rates, 0.1, starts, ends + np.array([0.0, 0.0, 4.0 * np.pi]))
    assert np.allclose(found.parameters, wanted, rtol=0.0, atol=1e-12) and np.abs(found.residual).max() < 1e-12
    wrong = ends + np.array([0.0, 0.0, 0.3])
    blind = calibrate_drive(DD, rates, 0.1, starts, wrong, weight=[1.0, 1.0, 0.0])
    assert np.allclose(blind.parameters, wanted, rtol=0.0, atol=1e-12) and np.allclose(blind.residual[:, 2], 0.3)
    assert not np.allclose(calibrate_drive(DD, rates, 0.1, starts, wrong).parameters, wanted, atol=1e-4)
    with pytest.raises(ShapeError, match="pose0"):
        calibrate_drive(DD, rates, 0.1, starts[:2], ends)
    with pytest.raises(ArgumentError, match="measured"):
        calibrate_drive(DD, rates, 0.1, starts, ends * np.nan)
