"""exp and log of poses are inverse, agree with the matrix exponential, and keep full precision everywhere."""

from __future__ import annotations

import math

import mpmath
import numpy as np
import pytest
import scipy.linalg
from hypothesis import given
from hypothesis import strategies as st

import sixvec
from body_samples import array, close, homogeneous, laws, motions, random_motions, same
from sixvec.errors import DegenerateError
from sixvec.spatial import Motion, Pose, Vec3, se3
from sixvec.spatial.six_matrix import motion_transform

AXIS = np.array([2.0, -3.0, 6.0]) / 7.0
ANGLES = [0.0, 1e-300, 1e-160, 1e-12, 1e-8, 1e-4, 0.0199, 0.0201, 0.3, 0.999, 1.001, 2.0, 3.0]
NEAR_PI = [math.pi - 1e-3, math.pi - 1e-6, math.pi - 1e-9, math.pi - 1e-12]
SHIFT = np.array([0.3, -1.2, 0.7])


def twist(angle: float) -> Motion:
    return Motion(Vec3.of(AXIS * angle), Vec3.of(SHIFT))


def precise_exp(t: np.ndarray) -> np.ndarray:
    """exp of the 4x4 matrix of a twist, to 40 digits."""
    with mpmath.workdps(40):
        return np.array(mpmath.expm(mpmath.matrix(Motion.of(t).as_matrix())).tolist(), dtype=float)


@pytest.mark.covers("BODY-11", "Bruyninckx (4.22)")
@given(motions)
@laws
def test_exp_is_the_matrix_exponential(t: Motion) -> None:
    close(homogeneous(Pose.exp(t)), scipy.linalg.expm(np.array(t.as_matrix())))


@pytest.mark.covers("BODY-11")
@pytest.mark.parametrize("angle", ANGLES + NEAR_PI)
def test_exp_is_precise_at_every_angle(angle: float) -> None:
    close(homogeneous(Pose.exp(twist(angle))), precise_exp(array(twist(angle))), 1e-15)


@pytest.mark.covers("BODY-11")
@pytest.mark.parametrize("angle", ANGLES + NEAR_PI)
def test_log_undoes_exp_at_every_angle(angle: float) -> None:
    t = twist(angle)
    back = Pose.exp(t).log()
    same(back, t)
    assert np.linalg.norm(array(back.ang) - array(t.ang)) <= 4e-15 * angle


@pytest.mark.covers("BODY-11")
@given(motions, st.floats(0.0, math.pi - 1e-9))
@laws
def test_log_undoes_exp(t: Motion, angle: float) -> None:
    size = np.linalg.norm(array(t.ang))
    short = Motion(t.ang * (angle / size), t.lin) if size else t
    same(Pose.exp(short).log(), short)
    same(Pose.exp(short).inv().log(), -short)


@pytest.mark.covers("BODY-11")
@pytest.mark.parametrize("axis", [(1.0, 0.0, 0.0), (0.0, -1.0, 0.0), (0.0, 0.0, 1.0), (0.6, 0.0, -0.8), tuple(AXIS)])
def test_half_turns_come_back_with_one_of_their_two_senses(axis: tuple[float, ...]) -> None:
    X = Pose.exp(Motion(Vec3.of(axis) * math.pi, Vec3.of(SHIFT)))
    t = X.log()
    assert array(t.ang) @ array(t.ang) == pytest.approx(math.pi**2, rel=1e-14)
    close(np.abs(array(t.ang)), np.abs(axis) * np.array(math.pi))
    close(homogeneous(Pose.exp(t)), homogeneous(X))


@pytest.mark.covers("BODY-11")
@given(motions, st.floats(0.1, 2.0))
@laws
def test_exp_is_the_flow_of_the_twist(t: Motion, k: float) -> None:
    close(homogeneous(Pose.exp(t * (1.0 + k))), homogeneous(Pose.exp(t) @ Pose.exp(t * k)), 1e-11)
    X = Pose.exp(motion_of(7))
    close(homogeneous(Pose.exp(X @ t)), homogeneous(X @ Pose.exp(t) @ X.inv()), 1e-11)


def motion_of(seed: int) -> Motion:
    return Motion.of(random_motions(seed, 1)[0])


@pytest.mark.covers("BODY-11")
def test_a_point_of_the_axis_advances_by_the_pitch() -> None:
    w, point, pitch = Vec3(0.0, 0.6, 0.8), Vec3(1.0, 2.0, 3.0), 0.7
    X = Pose.exp(Motion(w, point.cross(w) + w * pitch))
    same(X * point, point + w * pitch)


COEFFICIENTS = {
    "versine": lambda t: (1 - mpmath.cos(t)) / t**2,
    "versine_slope": lambda t: (t * mpmath.sin(t) - 2 * (1 - mpmath.cos(t))) / t**4,
    "sine_excess": lambda t: (t - mpmath.sin(t)) / t**3,
    "sine_excess_slope": lambda t: (3 * mpmath.sin(t) - t * (2 + mpmath.cos(t))) / t**5,
    "half_cotangent": lambda t: (1 - t / 2 * mpmath.cot(t / 2)) / t**2,
    "half_cotangent_slope": lambda t: (t / 2 * mpmath.cot(t / 2) + (t / 2 / mpmath.sin(t / 2)) ** 2 - 2) / t**4,
}


@pytest.mark.covers("BODY-11")
@pytest.mark.parametrize("name", COEFFICIENTS)
def test_coefficients_to_many_digits(name: str) -> None:
    for angle in (1e-5, 1e-2, 0.3, 0.9, 0.9999, 1.0001, 1.5, 2.5, math.pi):
        with mpmath.workdps(60):
            exact = COEFFICIENTS[name](mpmath.sqrt(mpmath.mpf(angle**2)))
        assert abs(getattr(se3, name)(angle**2) / float(exact) - 1.0) < 2e-13


def difference(f, x: np.ndarray, dx: np.ndarray) -> np.ndarray:
    """Derivative of f at x along dx to 1e-15, by a central difference of 60-digit values."""
    h = mpmath.mpf(10) ** -20
    with mpmath.workdps(60):
        sides = [f([mpmath.mpf(float(a)) + s * h * mpmath.mpf(float(b)) for a, b in zip(x, dx)]) for s in (1, -1)]
        return np.array(((sides[0] - sides[1]) / (2 * h)).tolist(), dtype=float)


def expm(t: list) -> mpmath.matrix:
    return mpmath.expm(mpmath.matrix(Motion.of(t).as_matrix()))


@pytest.mark.covers("BODY-11")
@pytest.mark.parametrize("angle", [0.0, 1e-9, 1e-3, 0.5, 0.9999, 1.0001, 3.0, math.pi, 4.0])
def test_left_jacobian_is_the_derivative_of_exp(angle: float) -> None:
    """Against 60-digit differences of the matrix exponential: (J ṫ)^ exp(t) = d exp(t)/ds."""
    t, rate = array(twist(angle)), random_motions(3, 1)[0]
    V = se3.left_jacobian(Motion.of(t)) @ Motion.of(rate)
    expected = difference(expm, t, rate) @ np.linalg.inv(precise_exp(t))
    close(np.array(V.as_matrix()), expected, 4e-15)


@pytest.mark.covers("BODY-11")
@given(motions)
@laws
def test_jacobians_are_inverse_and_left_is_right_moved(t: Motion) -> None:
    J, Jinv = se3.left_jacobian(t), se3.left_jacobian_inverse(t)
    near_full_turn = abs(math.sin(np.linalg.norm(array(t.ang)) / 2)) < 0.05 and np.linalg.norm(array(t.ang)) > 1
    if not near_full_turn:
        close(np.array(list(J.product(Jinv))), np.eye(6), 1e-11)
    # ṫ is the same in both: V_fixed = X V_body.
    close(np.array(list(J)), np.array(list(motion_transform(Pose.exp(t)).product(se3.left_jacobian(-t)))), 1e-12)


@pytest.mark.covers("BODY-11")
@pytest.mark.parametrize("angle", [0.0, 1e-9, 1e-3, 0.3, 0.9999, 1.0001, 2.0, 3.1415, math.pi - 1e-9])
def test_automatic_derivatives_of_exp_and_log_are_precise(angle: float) -> None:
    """The compiled derivatives equal the closed Jacobians, also at zero and next to π."""
    t = array(twist(angle))
    exp = sixvec.compiled("t[6] -> X[4,4]")(lambda t: Pose.exp(Motion.of(t)).as_matrix())
    slope = exp.derivative("t")(t)
    J = np.array(list(se3.left_jacobian(Motion.of(t))))
    for k in range(6):
        close(slope[..., k], np.array(Motion.of(J[:, k]).as_matrix()) @ exp(t), 1e-14)

    # log(exp(s V) exp(t)) at s = 0: the derivative along V is J⁻¹ V.
    log = sixvec.compiled("V[6] X[4,4] -> t[6]")(lambda V, X: (Pose.exp(Motion.of(V)) @ Pose.from_matrix(X)).log())
    slope = log.derivative("V")(np.zeros(6), exp(t))
    close(slope, np.array(list(se3.left_jacobian_inverse(Motion.of(t)))), 2e-14)


@pytest.mark.covers("BODY-11")
def test_no_derivative_of_log_at_a_full_turn() -> None:
    with pytest.raises(DegenerateError, match="exp"):
        se3.left_jacobian_inverse(Motion(Vec3(2 * math.pi, 0.0, 0.0), Vec3.zero()))


@pytest.mark.covers("BODY-11")
def test_exp_and_log_run_batched_and_compiled() -> None:
    rows = random_motions(1, 50)
    rows[:5, :3] *= 1e-9
    rows[5, :3] = 0.0
    rows[6, :3] = AXIS * (math.pi - 1e-10)
    expected = np.array([array(Pose.exp(Motion.of(row)).log()) for row in rows])
    batch = Pose.exp(Motion.of(list(rows.T))).log()
    close(np.stack(list(batch), axis=1), expected)
    around = sixvec.compiled("t[6] -> u[6]")(lambda t: Pose.exp(Motion.of(t)).log())
    close(around(rows), expected)
