"""Robots that swing in environments gain no energy, however fast they turn in a step."""

from __future__ import annotations

import warnings
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sixvec as sv
from sixvec import sim


def gains(robot: sv.Robot, q: Any, h: float, seconds: float, **options: Any) -> tuple[Any, Any]:
    """The largest gain of energy, and of energy with the weight half a step late, in parts of the kinetic energy."""
    still = np.zeros(robot.nv)
    env = sim.Batch(robot, len(q), dt=h, start=(q, np.zeros_like(q)), passive=False, limits=False, **options)
    states = [(env.q.copy(), env.v.copy())]
    for _ in range(round(seconds / h)):
        env.step(still)
        states.append((env.q.copy(), env.v.copy()))
    Q, V = (np.array(x) for x in zip(*states, strict=True))
    assert not env.verdict.any()
    kinetic = robot.kinetic_energy(Q, V)
    energy = kinetic + robot.potential_energy(Q)
    late = energy - 0.5 * h * (robot.gravity_forces(Q) * V).sum(axis=-1)
    return tuple((x - x[0]).max(axis=0) / kinetic.max(axis=0) for x in (energy, late))  # type: ignore[return-value]


def test_a_double_pendulum_swings_without_gain() -> None:
    arm = sv.load("double_pendulum")
    q = np.random.default_rng(2).uniform(-2.0, 2.0, (8, 2))
    for h, most in ((4e-3, 0.015), (2e-2, 0.07)):
        energy, late = gains(arm, q, h, 8.0)
        assert energy.max() < most and late.max() < 1e-4


def test_gravity_of_its_own_gives_an_environment_the_same_motion() -> None:
    arm, q, zero = sv.load("double_pendulum"), np.array([[1.2, 0.7]] * 2), np.zeros(2)
    ends = []
    for gravity in (None, [[0.0, 0.0, -9.81], [0.0, 0.0, -3.0]]):
        env = sim.Batch(arm, 2, dt=1e-2, substeps=100, start=(q, 0.0 * q), gravity=gravity)
        env.step(zero)
        ends.append(env.q.copy())
    assert np.allclose(ends[0], ends[1][0], atol=1e-9) and abs(ends[1][1] - ends[1][0]).max() > 0.1


@pytest.mark.slow
@pytest.mark.parametrize(("name", "h", "most"), [
    ("so101", 1e-3, 0.01), ("so101", 4e-3, 0.012), ("so101", 1e-2, 0.04), ("ur5_robot", 4e-3, 0.01),
])  # fmt: skip
def test_published_arms_swing_for_a_minute_without_gain(name: str, h: float, most: float) -> None:
    try:
        files = [Path(str(f.locate())) for f in metadata.files("example-robot-data") or []]
    except metadata.PackageNotFoundError:
        pytest.skip("the package example-robot-data is not installed")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        robot = sv.load(next(f.resolve() for f in files if f.name == f"{name}.urdf"))
    q = np.stack([robot.neutral(), robot.neutral() + 0.1])
    found = gains(robot, q, h, 60.0)
    assert found[0].max() < most and found[1].max() < 1e-4
