"""Floating robots at given momentum: momentum, rollouts, differences, and a manoeuvre."""

from __future__ import annotations

import importlib.util
import math
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

import sixvec
from random_trees import random_tree
from sixvec import Robot
from sixvec.analysis import floating_velocity, generalised_jacobian
from sixvec.errors import ArgumentError, ModelError, ShapeError
from sixvec.model.edits import with_free_root
from tolerances import assert_close

EXAMPLE = Path(__file__).parent.parent.parent / "examples/turn_in_space.py"


@pytest.fixture(scope="module")
def example() -> ModuleType:
    spec = importlib.util.spec_from_file_location("turn_in_space", EXAMPLE)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.covers("ANA-03")
@pytest.mark.parametrize("seed", range(3))
def test_the_velocity_has_the_momentum_and_the_rates(seed: int) -> None:
    """With every joint type below the base."""
    robot, rng = Robot(random_tree(seed, floating=True)), np.random.default_rng(seed)
    q, h = robot.random(seed, 7), rng.normal(size=(7, 6))
    base = robot.model.v_slices[robot.model.bodies[0].name]
    rates = rng.normal(size=(7, robot.nv - 6))
    v = floating_velocity(robot, q, rates, h)
    assert_close(robot.momentum(q, v), h, 1e-10)
    np.testing.assert_array_equal(np.delete(v, range(robot.nv)[base], axis=-1), rates)
    frame = robot.frame_names[-1]
    for reference in ("local_world_aligned", "local", "world"):
        g = generalised_jacobian(robot, q, frame, reference)
        twist = np.einsum("...ij,...j->...i", g.J, rates) + np.einsum("...ij,...j->...i", g.drift, h)
        assert_close(twist, robot.velocity(q, v, frame, reference), 1e-10)


@pytest.mark.covers("ANA-03")
def test_the_base_of_a_rollout_moves_as_its_momentum_says() -> None:
    """Without gravity, under internal forces, from a tumbling start: at every step the base follows from the joints."""
    robot = Robot(with_free_root(sixvec.load("panda").model)).with_gravity([0.0, 0.0, 0.0])
    rng = np.random.default_rng(0)
    q0, v0 = robot.random(1), rng.normal(size=robot.nv)
    tau = np.zeros((400, robot.nv))
    tau[:, 6:8] = np.sin(np.arange(400) / 40.0)[:, None] * [2.0, -1.0]
    path = robot.rollout(q0, v0, tau, 1e-3, integrator="rk4")
    h = robot.momentum(q0, v0)
    expected = floating_velocity(robot, path.q, path.v[:, 6:], h)
    assert_close(expected, path.v, 1e-7)


@pytest.mark.covers("ANA-03")
def test_the_generalised_jacobian_is_the_slope_of_the_frame() -> None:
    """Small steps of single joints at zero momentum, by central differences of poses."""
    robot = Robot(with_free_root(sixvec.load("panda").model))
    q, frame, h = robot.random(3), "panda_link8", 1e-5
    J = generalised_jacobian(robot, q, frame).J
    for j, unit in enumerate(np.eye(7)):
        v = floating_velocity(robot, q, unit)
        far, near = (robot.pose(robot.integrate(q, s * h * v), frame) for s in (1.0, -1.0))
        rate = (far - near) / (2.0 * h)
        spin = rate[:3, :3] @ robot.pose(q, frame)[:3, :3].T
        np.testing.assert_allclose(J[3:, j], rate[:3, 3], atol=1e-8)
        np.testing.assert_allclose(J[:3, j], [spin[2, 1], spin[0, 2], spin[1, 0]], atol=1e-8)


@pytest.mark.covers("ANA-03")
def test_a_satellite_turns_without_momentum(example: ModuleType) -> None:
    """The turn of a round does not depend on its duration, reverses with it, and vanishes with the square's area."""
    robot = example.satellite()
    start = robot.neutral()
    start[-2:] = [0.2, 0.4]
    end = example.after_round(robot, start, 1.5)
    turn = example.heading(robot, end) - example.heading(robot, start)
    assert abs(turn) > math.radians(3.0)
    np.testing.assert_allclose(end[-2:], start[-2:], atol=1e-12)
    path = [start]
    for rates in ((0.0, 1.5), (1.5, 0.0), (0.0, -1.5), (-1.5, 0.0)):  # the other way round
        path.append(example.after_side(robot, path[-1], np.array(rates)))
    back = example.heading(robot, path[-1]) - example.heading(robot, start)
    assert back == pytest.approx(-turn, abs=1e-5)
    small, smaller = (example.heading(robot, example.after_round(robot, start, s)) for s in (0.1, 0.05))
    assert small / smaller == pytest.approx(4.0, rel=0.2)
    coarse, fine = (example.after_round(robot, start, 1.5, steps) for steps in (50, 100))
    drift = [np.linalg.norm(robot.center_of_mass(x) - robot.center_of_mass(start)) for x in (coarse, fine)]
    assert drift[1] < 1e-4 and drift[0] / drift[1] == pytest.approx(4.0, rel=0.1)  # only the error of the midpoint rule


@pytest.mark.covers("ANA-03")
def test_the_turn_is_that_of_the_planar_connection(example: ModuleType) -> None:
    """An independent route: θ̇ = -(I₁ q̇₁ + I₂ q̇₂) / I₀ of the planar chain, with moments of inertia by hand."""
    robot = example.satellite()
    start = robot.neutral()
    start[-2:] = [0.2, 0.4]

    def locked(q: np.ndarray) -> np.ndarray:
        """Moments of inertia about the centre of mass when base, both joints or the last joint turn at unit rate."""
        points, m, own = places(q), np.array([12.0, 3.0, 3.0]), np.array([0.6, 0.12, 0.12])
        rates = np.zeros(3)
        for k in range(3):  # the bodies that turn with rate k, about its hinge
            hinge = hinges(q)[k]
            moved = np.array([np.array([-(p - hinge)[1], (p - hinge)[0]]) * (i >= k) for i, p in enumerate(points)])
            mean = (m[:, None] * points).sum(0) / m.sum()
            spin = sum(
                m[i] * ((points[i] - mean)[0] * moved[i, 1] - (points[i] - mean)[1] * moved[i, 0]) for i in range(3)
            )
            rates[k] = spin + own[k:].sum()
        return rates

    def hinges(q: np.ndarray) -> list[np.ndarray]:
        a, b = q[0], q[0] + q[1]
        first = np.array([0.3, 0.0])
        return [np.zeros(2), first, first + 0.7 * np.array([math.cos(a), math.sin(a)]) + 0.0 * b]

    def places(q: np.ndarray) -> list[np.ndarray]:
        a, b = q[0], q[0] + q[1]
        _, first, second = hinges(q)
        return [np.zeros(2), first + 0.35 * np.array([math.cos(a), math.sin(a)]),
                second + 0.35 * np.array([math.cos(b), math.sin(b)])]  # fmt: skip

    angle, q, n = 0.0, np.array(start[-2:]), 400
    for step in ((1.5, 0.0), (0.0, 1.5), (-1.5, 0.0), (0.0, -1.5)):
        d = np.array(step) / n
        for i in range(n):
            I = locked(q + (i + 0.5) * d)
            angle -= (I[1] * d[0] + I[2] * d[1]) / I[0]
        q = q + np.array(step)
    end = example.after_round(robot, start, 1.5)
    assert example.heading(robot, end) == pytest.approx(angle, abs=1e-5)


def test_batches_and_mistakes() -> None:
    robot = Robot(with_free_root(sixvec.load("panda").model))
    q = robot.random(0, 3)
    q[1, 0] = np.nan
    q[1, 8] = np.nan
    v = floating_velocity(robot, q, np.ones(7))
    assert np.isnan(v[1, :6]).any() and np.isfinite(v[[0, 2]]).all()
    assert floating_velocity(robot, q[:0], np.ones(7)).shape == (0, 13)
    assert floating_velocity(robot, q.astype(np.float32), np.ones(7, np.float32)).dtype == np.float32
    with pytest.raises(ShapeError, match="rates"):
        floating_velocity(robot, q, np.ones(13))
    with pytest.raises(ArgumentError, match="floating=True"):
        floating_velocity(sixvec.load("panda"), np.zeros(7), np.zeros(1))
    with pytest.raises(ModelError, match="without_closures"):
        generalised_jacobian(sixvec.load("four_bar"), np.zeros(3), "coupler")
