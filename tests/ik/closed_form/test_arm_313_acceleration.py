"""Accelerations of the 313 structure: against differences, the robot's own algorithm, and at every singular set."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from arms_321_313 import SEVEN, robot_of
from test_arm_313_velocity import REGULAR, SINGULAR

import sixvec as sv
from differences import derivative
from sixvec.errors import DegenerateError
from sixvec.ik.closed_form.arm_313 import (
    Arm313,
    forward_acceleration,
    forward_velocity,
    inverse_acceleration,
    inverse_velocity,
    null_vector,
)
from sixvec.spatial import Motion
from tolerances import DIFFERENCE, IDENTITY, SOLVED, assert_close

ALL = {**REGULAR, **{name: q for name, (q, _) in SINGULAR.items()}}
everywhere = pytest.mark.parametrize("q", ALL.values(), ids=ALL)
regular = pytest.mark.parametrize("q", REGULAR.values(), ids=REGULAR)


def motion(seed: int) -> tuple[np.ndarray, np.ndarray]:
    v, a = np.random.default_rng(seed).normal(size=(2, 7))
    return v, a


@pytest.mark.covers("KIN-20", "FORM-07")
@everywhere
def test_acceleration_is_the_derivative_of_velocity(q: tuple[float, ...]) -> None:
    v, a = motion(1)

    def twist(t: float) -> np.ndarray:
        return np.array([*forward_velocity(SEVEN, (q + t * v + 0.5 * t * t * a).tolist(), (v + t * a).tolist())])

    mine = forward_acceleration(SEVEN, q, v.tolist(), a.tolist())
    assert_close([*mine], derivative(twist), DIFFERENCE, batched=False)


@pytest.mark.covers("KIN-20")
@pytest.mark.parametrize("arm", [SEVEN, Arm313(0.0, 0.5, 0.5)], ids=["hand", "equal, no hand"])
@everywhere
def test_forward_acceleration_is_that_of_the_robot(arm: Arm313, q: tuple[float, ...]) -> None:
    v, a = motion(2)
    expected = robot_of(arm).classical_acceleration(q, v, a, "tool")
    assert_close([*forward_acceleration(arm, q, v.tolist(), a.tolist())], expected, IDENTITY, batched=False)


@pytest.mark.covers("KIN-20", "FORM-07", "Lynch-Park (9.94)")
@regular
def test_inverse_acceleration_is_the_smallest_one(q: tuple[float, ...]) -> None:
    """That of the pseudo-inverse; the hand's acceleration comes back, with or without a self-motion."""
    v, A = motion(3)[0], np.random.default_rng(4).normal(size=6)
    J, bias = robot_of(SEVEN).jacobian(q, "tool"), robot_of(SEVEN).classical_acceleration(q, v, np.zeros(7), "tool")
    found = inverse_acceleration(SEVEN, q, v.tolist(), Motion.of(A.tolist()))
    assert_close(found, np.linalg.pinv(J) @ (A - bias), 10 * SOLVED, batched=False)  # cond J is near a hundred
    swinging = inverse_acceleration(SEVEN, q, v.tolist(), Motion.of(A.tolist()), self_acceleration=0.7)
    assert_close(np.subtract(swinging, found), 0.7 * np.array(null_vector(SEVEN, q)), 1e-9, batched=False)
    for a in (found, swinging):
        assert_close([*forward_acceleration(SEVEN, q, v.tolist(), a)], A, 10 * SOLVED, batched=False)


@pytest.mark.covers("FORM-08")
@pytest.mark.parametrize(("q", "sets"), SINGULAR.values(), ids=SINGULAR)
def test_the_inverse_names_singular_sets(q: tuple[float, ...], sets: tuple[str, ...]) -> None:
    why = "elbow" if "arm-extended" in sets else "straight"
    for inverse in (lambda t: inverse_velocity(SEVEN, q, t), lambda t: inverse_acceleration(SEVEN, q, (1.0,) * 7, t)):
        with pytest.raises(DegenerateError, match=why):
            inverse(Motion.of((1.0,) * 6))


@pytest.mark.covers("FORM-08")
@pytest.mark.parametrize(("q", "sets"), SINGULAR.values(), ids=SINGULAR)
@pytest.mark.parametrize("off", [1e-2, 1e-4])
def test_next_to_singular_sets_the_hand_is_still_met(q: tuple[float, ...], sets: tuple[str, ...], off: float) -> None:
    """Accelerations grow as the reciprocal of the distance (its square where two sets meet); what they give is right.

    Rounding is relative to the largest joint acceleration, which the hand's is the small difference of.
    """
    near = tuple(x + off * (1.0 + 0.1 * i) for i, x in enumerate(q))
    v, A = motion(5)[0], np.random.default_rng(6).normal(size=6)
    found = inverse_acceleration(SEVEN, near, v.tolist(), Motion.of(A.tolist()))
    error = np.abs(np.subtract([*forward_acceleration(SEVEN, near, v.tolist(), found)], A)).max()
    assert error < 1e-12 * np.abs(found).max()
    far = inverse_acceleration(SEVEN, tuple(x + 0.2 for x in q), v.tolist(), Motion.of(A.tolist()))
    assert np.abs(found).max() > np.abs(far).max()


def test_compiled_in_batches_a_singular_sample_stays_alone() -> None:
    @sv.compiled("q[7] v[7] A[6] -> a[7] again[6]")
    def round_trip(q: Any, v: Any, A: Any) -> Any:
        a = inverse_acceleration(SEVEN, q, v, Motion.of(A))
        return a, forward_acceleration(SEVEN, q, v, a)

    q = np.array([*REGULAR.values(), (0.3, 0.5, -0.4, 0.0, 0.2, 0.7, 0.1)])
    v, A = np.random.default_rng(7).normal(size=q.shape), np.random.default_rng(8).normal(size=(len(q), 6))
    a, again = round_trip(q, v, A)
    assert_close(again[:-1], A[:-1], 10 * SOLVED)
    assert not np.isfinite(a[-1]).all()
    alone = inverse_acceleration(SEVEN, q[0].tolist(), v[0].tolist(), Motion.of(A[0].tolist()))
    assert_close(a[0], alone, SOLVED, batched=False)
    assert math.isfinite(float(a[:-1].sum()))
