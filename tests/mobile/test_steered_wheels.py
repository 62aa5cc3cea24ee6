"""Steered wheels roll along the velocity of their contact, as far as they can turn."""

from __future__ import annotations

import math

import numpy as np
import pytest

from sixvec.mobile.planar import PlanarTwist
from sixvec.mobile.steering import Ackermann, Independent
from sixvec.mobile.wheel import SteeredWheel

RNG = np.random.default_rng(5)
LIMITS = [0.7, math.pi / 2, 1.9, 2.9, math.pi, 4.0]


def wheel(limit: float) -> SteeredWheel:
    x, y, heading = RNG.normal(size=3)
    return SteeredWheel(float(x), float(y), float(heading), radius=0.1, limit=limit)


@pytest.mark.parametrize("limit", LIMITS)
def test_a_wheel_of_its_own_motor_is_turned_along_its_velocity(limit: float) -> None:
    """Forward if it can turn so far, else backward; with at most a quarter turn each way, as near as it gets."""
    ways = set()
    for _ in range(60):
        w, twist = wheel(limit), PlanarTwist(*RNG.normal(size=3).tolist())
        (angle,) = Independent().following([w], twist)
        v = np.array([twist.x - twist.ang * w.y, twist.y + twist.ang * w.x])
        along = np.array([math.cos(w.heading + angle), math.sin(w.heading + angle)])
        speed = float(along @ v)
        assert abs(speed) == pytest.approx(np.linalg.norm(v), rel=1e-12)
        forward = math.remainder(math.atan2(v[1], v[0]) - w.heading, 2.0 * math.pi)
        assert (speed > 0.0) == (abs(forward) < max(limit, math.pi / 2))
        assert abs(angle) <= max(limit, math.pi / 2) + 1e-12
        ways.add(speed > 0.0)
    assert ways == ({True} if limit >= math.pi else {True, False})


def test_motors_of_their_own_have_their_names_and_limits() -> None:
    wheels = [SteeredWheel(0.1 * k, 0.0, radius=0.1, limit=limit, name=f"w{k}") for k, limit in enumerate(LIMITS)]
    assert Independent().inputs(wheels) == tuple(w.name for w in wheels)
    assert Independent().limits(wheels) == LIMITS and Ackermann(1.0).limits(wheels) == [0.7]
    assert Ackermann(1.0).limits([]) == [math.pi / 2] and Ackermann(1.0).inputs(wheels) == ("steering",)
    steer = RNG.normal(size=3).tolist()
    found = Independent().directions(wheels[:3], steer)
    assert np.allclose(found, np.stack([np.cos(steer), np.sin(steer)], axis=-1))


@pytest.mark.parametrize("wheelbase", [1.3, -0.8])
def test_a_linkage_turns_all_wheels_about_one_point(wheelbase: float) -> None:
    """It is on the line of the rear axle; the wheel midway steers by the input, and each is within a quarter turn."""
    linkage = Ackermann(wheelbase, axle=0.4)
    for _ in range(40):
        steer = float(RNG.uniform(-1.4, 1.4))
        wheels = [wheel(1.5) for _ in range(3)]
        center = np.array([linkage.axle, wheelbase / math.tan(steer)])
        for w, (c, s) in zip(wheels, linkage.directions(wheels, [steer]), strict=True):
            assert c * c + s * s == pytest.approx(1.0)
            along = np.array([c, s]) @ np.array([[math.cos(w.heading), math.sin(w.heading)],
                                                 [-math.sin(w.heading), math.cos(w.heading)]])  # fmt: skip
            assert abs(along @ (np.array([w.x, w.y]) - center)) < 1e-9 * (1.0 + abs(center[1]))
            assert along[0] > 0.0
        for v in (0.7, -0.7):
            twist = PlanarTwist(v * math.tan(steer) / wheelbase, v, 0.0)
            assert linkage.following(wheels, twist) == pytest.approx([steer])
