"""Trailers: hinge angles, steady circles, jack-knives, and why nobody likes to reverse."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import sixvec as sv
from naming import named
from sixvec.errors import ArgumentError, ModelError, ShapeError

DD = sv.mobile.differential_drive(0.5, 0.1)
CAR = sv.mobile.bicycle(1.3)


@pytest.mark.covers("MOB-11")
@pytest.mark.parametrize(
    ("hitch", "radius", "angle"),
    [(0.0, 2.368544, 0.3257), (0.4, 2.402082, None), (0.8, 2.5, 0.6194), (1.2, 2.655184, None)],
)
def test_steady_circles(hitch: float, radius: float, angle: float | None) -> None:
    truck = DD.with_trailer(hitch=hitch, length=0.8)
    found = truck.steady_angles(1.0 / 2.5)
    assert np.allclose(truck.angle_rates(found, [0.4, 1.0, 0.0]), 0.0, atol=1e-15)
    assert np.allclose(truck.steady_radii(1.0 / 2.5), radius, atol=5e-7)
    assert np.allclose(truck.speeds(found, [0.4, 1.0, 0.0]) / 0.4, radius, atol=5e-7)
    if angle is not None:
        assert np.isclose(found[0], angle, atol=5e-5)
    assert np.allclose(truck.steady_angles([-0.4, 0.0]), [-found, [0.0]])


@pytest.mark.covers("MOB-11")
@pytest.mark.parametrize("base", [CAR, sv.mobile.mecanum(0.6, 0.4, 0.05)], ids=lambda b: b.name)
def test_axles_do_not_slip(base: sv.mobile.Platform) -> None:
    truck = base.with_trailer(hitch=0.3, length=1.1).with_trailer(hitch=0.2, length=0.9)
    slide = 0.4 if base.kind.holonomic else 0.0  # of the platform, not of its trailers
    pose, angles, twist, h = np.array([0.2, 0.1, 0.4]), np.array([0.3, -0.5]), np.array([0.5, 1.2, slide]), 1e-6
    poses = []
    for t in (-h, h):
        end = (
            sv.mobile.PlanarPose.of(pose) @ sv.mobile.PlanarPose.exp(sv.mobile.PlanarTwist.of(twist * t))
        ).as_vector()
        poses.append(truck.poses(end, angles + t * truck.angle_rates(angles, twist)))
    moved, heading = (poses[1] - poses[0]) / (2 * h), truck.poses(pose, angles)[:, 2]
    sideways = moved[:, 1] * np.cos(heading) - moved[:, 0] * np.sin(heading)
    along = moved[:, 0] * np.cos(heading) + moved[:, 1] * np.sin(heading)
    assert np.allclose(sideways, 0.0, atol=1e-9) and np.allclose(along, truck.speeds(angles, twist), atol=1e-9)


@pytest.mark.covers("MOB-11")
def test_pulling_straightens_and_pushing_folds() -> None:
    truck = DD.with_trailer(length=0.8).with_trailer(length=0.8)
    forward = np.tile([5.0, 5.0], (400, 1))
    pulled = truck.odometry(forward, 0.02, np.zeros(3), [0.4, -0.3]).angles
    assert np.abs(pulled[-1]).max() < 0.02
    pushed = truck.odometry(-forward, 0.02, np.zeros(3), [0.01, -0.01]).angles
    assert np.abs(pushed[-1]).max() > 0.3
    assert truck.jackknifed([[0.3, 1.6], [0.1, 0.1]]).tolist() == [[False, True], [False, False]]


def test_the_loop_converges_to_the_steady_circle() -> None:
    truck = CAR.with_trailer(hitch=0.2, length=1.0).with_trailer(length=0.8)
    steer = np.arctan(1.3 / 4.0)
    angles = truck.odometry(np.ones((4000, 1)), 0.02, np.zeros(3), [0.0, 0.0], steer=steer).angles
    assert np.allclose(angles[-1], truck.steady_angles(1.0 / 4.0), atol=1e-9)
    fine = truck.odometry(np.ones((200, 1)), 0.01, np.zeros(3), [0.5, -0.4], steer=steer).angles[-1]
    coarse = truck.odometry(np.ones((20, 1)), 0.1, np.zeros(3), [0.5, -0.4], steer=steer).angles[-1]
    assert np.allclose(fine, coarse, atol=1e-6)


def test_circles_too_narrow_and_trailers_without_length() -> None:
    assert np.isnan(DD.with_trailer(length=0.8).steady_angles(2.0)).all()
    with pytest.raises(ModelError, match=named("length", "trailer")):
        DD.with_trailer(length=0.0)
    with pytest.raises(ShapeError, match="angles"):
        DD.with_trailer(length=1.0).angle_rates([0.1, 0.2], [0.0, 1.0, 0.0])


def test_a_truck_has_a_trailer() -> None:
    with pytest.raises(ModelError, match=named("trailers", "Trailer")):
        sv.mobile.Truck(sv.mobile.differential_drive(0.5, 0.1), ())


def test_nothing_follows_a_trailer_that_cannot_follow() -> None:
    truck = sv.mobile.differential_drive(0.5, 0.1).with_trailer(hitch=0.0, length=1.0)
    truck = truck.with_trailer(hitch=0.8, length=0.1)
    assert np.isnan(truck.steady_radii(1 / 0.9)).all() and np.isnan(truck.steady_angles(1 / 0.9)).all()
    assert np.isfinite(truck.steady_radii([1 / 1.2, 0.0])[0]).all()


def test_hinges_at_the_limit_are_folded() -> None:
    truck = DD.with_trailer(length=0.8)
    assert truck.trailers[0].hitch == 0.0
    quarter = np.pi / 2
    assert truck.jackknifed([[quarter], [-quarter], [quarter - 1e-9]])[:, 0].tolist() == [True, True, False]
    assert truck.jackknifed([[0.5], [-0.5], [0.49]], 0.5)[:, 0].tolist() == [True, True, False]


def test_the_last_axle_is_that_of_the_last_pose() -> None:
    for base, steer in ((DD, []), (CAR, [0.3])):
        truck = base.with_trailer(hitch=0.3, length=1.1).with_trailer(hitch=-0.2, length=0.9)
        pose, angles = [0.2, 0.1, 0.4], [0.3, -0.5]
        found = truck.poses(pose, angles)
        assert np.allclose(truck.last_axle([*pose, *steer, *angles]), found[-1, :2], rtol=0.0, atol=1e-15)
        assert np.allclose(found[:, 2], [0.1, 0.6])
        first = [0.2 - 0.3 * np.cos(0.4) - 1.1 * np.cos(0.1), 0.1 - 0.3 * np.sin(0.4) - 1.1 * np.sin(0.1)]
        assert np.allclose(found[0, :2], first)


@pytest.mark.covers("MOB-11")
@pytest.mark.parametrize("dt", [0.01, 0.1, 0.14, 0.2, 1.0, 10.0])
@pytest.mark.parametrize("length", [0.02, 1.0])
def test_a_trailer_straight_ahead_follows_whatever_the_step(dt: float, length: float) -> None:
    """tan(angle / 2) decays as e^(-v t / length)."""
    base = sv.mobile.car(3.0, 1.8, 0.4)
    motion, steps = base.inverse_velocity([0.0, 20.0, 0.0]), max(1, round(10.0 / dt))
    truck = base.with_trailer(length=length)
    for start in (0.2, 3.1, -1.5):
        angles = truck.odometry(np.tile(motion.rates, (steps, 1)), dt, [0, 0, 0], [start], steer=motion.steer).angles
        decay = np.exp(-20.0 * dt * np.arange(1, steps + 1) / length)
        assert np.allclose(angles[:, 0], 2.0 * np.arctan(np.tan(start / 2.0) * decay), atol=1e-13)


@pytest.mark.covers("MOB-11")
@pytest.mark.parametrize("seed", range(12))
def test_hinges_on_arcs_against_fine_integration(seed: int) -> None:
    """Of a platform that also slides, with hitches on and off the axle, circles that are too narrow among them."""
    rng = np.random.default_rng(seed)
    base: Any = sv.mobile.mecanum(0.6, 0.4, 0.05)
    truck = base
    for _ in range(1 + seed % 3):
        truck = truck.with_trailer(hitch=(seed % 2) * rng.uniform(-0.5, 0.8), length=10.0 ** rng.uniform(-0.7, 0.5))
    twist, start = rng.normal(size=3) * [2.0, 2.0, 1.0], rng.uniform(-2.0, 2.0, len(truck.trailers))
    dt = rng.uniform(0.3, 2.0)
    found = truck.odometry(base.inverse_velocity(twist).rates[None], dt, np.zeros(3), start).angles[0]
    angles, h = start, dt / 4000
    for _ in range(4000):
        k1 = truck.angle_rates(angles, twist)
        k2 = truck.angle_rates(angles + k1 * h / 2.0, twist)
        k3 = truck.angle_rates(angles + k2 * h / 2.0, twist)
        k4 = truck.angle_rates(angles + k3 * h, twist)
        angles = angles + (k1 + 2.0 * k2 + 2.0 * k3 + k4) * h / 6.0
    assert np.allclose(found, angles, atol=1e-9 if len(start) == 1 else 1e-7)


def test_a_trailer_that_goes_round_counts_its_turns() -> None:
    truck = sv.mobile.differential_drive(0.5, 0.1).with_trailer(length=2.0)
    rates = truck.platform.inverse_velocity([3.0, 0.1, 0.0]).rates
    whole = truck.odometry(rates[None], 20.0, np.zeros(3), [0.3]).angles[-1]
    fine = truck.odometry(np.tile(rates, (2000, 1)), 0.01, np.zeros(3), [0.3]).angles[-1]
    assert whole[0] > 50.0 and np.allclose(whole, fine, atol=1e-9)


def test_each_history_of_trailers_is_the_same_alone() -> None:
    truck = sv.mobile.differential_drive(0.5, 0.1).with_trailer(length=0.3).with_trailer(hitch=0.1, length=0.2)
    rates = np.random.default_rng(0).normal(size=(4, 10, 2)) * np.array([0.1, 1.0, 10.0, 100.0])[:, None, None]
    together = truck.odometry(rates, 0.05, np.zeros(3), [0.1, 0.2])
    for k in range(4):
        alone = truck.odometry(rates[k], 0.05, np.zeros(3), [0.1, 0.2])
        assert np.array_equal(together.pose[k], alone.pose) and np.array_equal(together.angles[k], alone.angles)
    assert np.allclose(together.pose, truck.platform.odometry(rates, 0.05).pose, atol=1e-11)
    with pytest.raises(ArgumentError, match=named("dt")):
        truck.odometry(np.full((10, 2), 1e9), 0.5, np.zeros(3), [0.1, 0.2])
