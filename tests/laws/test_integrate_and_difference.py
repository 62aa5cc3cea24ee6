"""Steps and differences on the manifold of positions: q0 ⊕ (q1 ⊖ q0) = q1 and (q ⊕ v) ⊖ q = v, at all angles."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from differences import derivative
from motion import position_rate
from random_states import States, random_states
from sixvec import Model, Robot
from sixvec.model import Body
from sixvec.model.joints import Free, Spherical
from targets import OnTarget
from tolerances import DIFFERENCE, IDENTITY, ROUNDING, assert_close

FREE = Robot(Model("free body", (Body("body", None, Free()),)))
BALL = Robot(Model("ball", (Body("body", None, Spherical()),)))

ANGLES = st.one_of(
    st.sampled_from([0.0, 1e-9, 1e-5, 0.01, 0.0199999, 0.02, 0.0200001, math.pi - 1e-9, math.pi - 1e-6]),
    st.floats(-12.0, math.log10(math.pi - 1e-9)).map(lambda x: 10.0**x),
)
"""Rotations by less than half a turn, spread over all magnitudes; the series for small ones end at 0.01 and 0.02."""

SEEDS = st.integers(0, 2**32 - 1)
many = settings(max_examples=60, deadline=None, derandomize=True)


@pytest.mark.every(2)
@pytest.mark.covers("ROT-05", "BODY-11")
def test_integrate_undoes_difference(robot: OnTarget, states: States) -> None:
    q0, q1 = states.q, random_states(robot, seed=1).q
    assert_same_position(robot, robot.integrate(q0, robot.difference(q0, q1)), q1)


@pytest.mark.covers("ROT-05", "BODY-11")
def test_difference_undoes_integrate(robot: OnTarget, states: States) -> None:
    q, v, _, _ = states
    step = 0.5 * v  # no rotation by more than half a turn
    assert_close(robot.difference(q, robot.integrate(q, step)), step, IDENTITY)


def test_integrate_starts_with_the_rate_of_the_position(robot: OnTarget, states: States) -> None:
    q, v, _, _ = states
    assert_close(derivative(lambda t: robot.integrate(q, t * v)), position_rate(robot, q, v), DIFFERENCE)


@pytest.mark.covers("ROT-05", "BODY-11")
def test_steps_along_one_velocity_add_up(robot: OnTarget, states: States) -> None:
    """(q ⊕ s v) ⊕ t v = q ⊕ (s + t) v; with the law above, ⊕ is the exponential map."""
    q, v, _, _ = states
    twice = robot.integrate(robot.integrate(q, 0.7 * v), 1.9 * v)
    assert_same_position(robot, twice, robot.integrate(q, 2.6 * v))


def test_integrate_returns_unit_quaternions(robot: OnTarget, states: States) -> None:
    """Also from a quaternion that has drifted from unit length."""
    q, v, _, _ = states
    for q1 in (robot.integrate(q, v), robot.integrate(q * (1.0 + 1e-6), v)):
        for at in quaternions(robot):
            np.testing.assert_allclose(np.linalg.norm(q1[:, at], axis=1), 1.0, rtol=ROUNDING)


@many
@given(ANGLES, SEEDS)
@pytest.mark.covers("ROT-05", "BODY-11")
def test_difference_undoes_integrate_at_every_angle(angle: float, seed: int) -> None:
    rng = np.random.default_rng(seed)
    q, v = FREE.random(rng), np.concatenate([direction(rng) * angle, rng.normal(size=3)])
    # The quaternion has entries of the order of one, so this is absolute, whatever the angle.
    assert_close(FREE.difference(q, FREE.integrate(q, v)), v, ROUNDING, batched=False, scale=1.0 + abs(v).max())


@many
@given(st.floats(-150.0, math.log10(3.0)), SEEDS)
@pytest.mark.covers("ROT-05")
def test_small_rotations_from_the_neutral_position_keep_all_digits(magnitude: float, seed: int) -> None:
    v = direction(np.random.default_rng(seed)) * 10.0**magnitude
    assert_close(BALL.difference(BALL.neutral(), BALL.integrate(BALL.neutral(), v)), v, ROUNDING, batched=False)


@many
@given(st.integers(-3, 3), st.floats(-3.0, 3.0), SEEDS)
@pytest.mark.covers("ROT-05")
def test_whole_turns_do_not_matter(turns: int, angle: float, seed: int) -> None:
    rng = np.random.default_rng(seed)
    axis, q = direction(rng), BALL.random(rng)
    here, there = BALL.integrate(q, axis * angle), BALL.integrate(q, axis * (angle + turns * 2.0 * math.pi))
    assert_same_position(BALL, there[None], here[None])


def test_opposite_quaternions_are_the_same_position() -> None:
    rng = np.random.default_rng(0)
    q0, q1 = BALL.random(rng, 20), BALL.random(rng, 20)
    assert_close(BALL.difference(-q0, q1), BALL.difference(q0, q1), ROUNDING)
    assert_close(BALL.difference(q0, -q0), np.zeros((20, 3)), ROUNDING, scale=1.0)


def direction(rng: np.random.Generator) -> np.ndarray:
    x = rng.normal(size=3)
    return x / np.linalg.norm(x)


def quaternions(robot: Robot | OnTarget) -> list[slice]:
    """Where the quaternions stand in q."""
    ends = [robot.model.q_slices[b.name].stop for b in robot.model.bodies if isinstance(b.joint, Free | Spherical)]
    return [slice(end - 4, end) for end in ends]


def assert_same_position(robot: Robot | OnTarget, actual: np.ndarray, expected: np.ndarray) -> None:
    """Equal up to the signs of quaternions."""
    actual = actual.copy()
    for at in quaternions(robot):
        actual[:, at] *= np.sign((actual[:, at] * expected[:, at]).sum(axis=1, keepdims=True))
    assert_close(actual, expected, IDENTITY)
