"""Damping: bounded rates at singularities, the exact inverse away from them."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.optimize

import sixvec
from planar_arms import planar
from sixvec.errors import ArgumentError, DegenerateError, ShapeError
from sixvec.ik.redundancy import (
    adaptive_inverse,
    chiaverini_damping,
    damped_inverse,
    damped_least_squares,
    levenberg_marquardt_damping,
    nakamura_damping,
    task_jacobian,
    weighted_inverse,
)
from tolerances import SOLVED, assert_close

RNG = np.random.default_rng(7)
PANDA = sixvec.load("panda")
J = PANDA.jacobian(PANDA.random(0, 10), "panda_link8")


@pytest.mark.covers("KIN-10", "Bruyninckx (5.52)")
def test_three_formulas_of_the_damped_inverse_agree() -> None:
    lam = 0.3
    Jt = np.swapaxes(J, 1, 2)
    damped = damped_inverse(J, lam)
    assert_close(damped, np.linalg.solve(Jt @ J + lam**2 * np.eye(7), Jt), SOLVED)
    assert_close(damped, Jt @ np.linalg.inv(J @ Jt + lam**2 * np.eye(6)), SOLVED)
    U, s, Vt = np.linalg.svd(J, full_matrices=False)
    gains = s / (s**2 + lam**2)
    assert_close(damped, np.swapaxes(Vt, 1, 2) * gains[:, None, :] @ np.swapaxes(U, 1, 2), SOLVED)


@pytest.mark.covers("KIN-10", "Bruyninckx (5.49)-(5.51)")
def test_damped_solution_is_the_minimum() -> None:
    """Against a general least-squares solver, with a task weight and a full damping matrix."""
    A, B = RNG.normal(size=(6, 6)), RNG.normal(size=(7, 7))
    W, L, t = A @ A.T + np.eye(6), B @ B.T + np.eye(7), RNG.normal(size=6)
    stacked = np.vstack([np.linalg.cholesky(W).T @ J[0], np.linalg.cholesky(L).T])
    right = np.concatenate([np.linalg.cholesky(W).T @ t, np.zeros(7)])
    expected = scipy.optimize.lsq_linear(stacked, right, tol=1e-14).x
    assert_close(damped_least_squares(J[0], t, L, W), expected, 1e-10, batched=False)


@pytest.mark.covers("KIN-10")
def test_no_damping_is_the_pseudo_inverse_and_gains_are_bounded() -> None:
    assert_close(damped_inverse(J, 0.0), weighted_inverse(J), SOLVED)
    stretched = task_jacobian(planar(2), np.stack([np.full(200, 0.4), np.logspace(-9, 0, 200)], -1), "tip", "x y")
    for lam in (0.01, 0.1):
        gains = np.linalg.norm(damped_inverse(stretched, lam), ord=2, axis=(1, 2))
        assert gains.max() <= 0.5 / lam * (1 + 1e-12)
        assert gains.max() > 0.45 / lam  # the bound is reached near σ = λ
    assert np.linalg.norm(weighted_inverse(stretched, tolerance=0.0), ord=2, axis=(1, 2)).max() > 1e8


@pytest.mark.covers("KIN-10")
def test_per_joint_damping_moves_the_work_to_the_others() -> None:
    t = RNG.normal(size=6)
    free = damped_least_squares(J[0], t, 0.1)
    held = damped_least_squares(J[0], t, [0.1, 0.1, 0.1, 50.0, 0.1, 0.1, 0.1])
    assert abs(held[3]) < 1e-2 * abs(free[3])
    expected = np.linalg.solve(J[0].T @ J[0] + np.diag([0.01] * 3 + [2500.0] + [0.01] * 3), J[0].T @ t)
    assert_close(held, expected, 1e-9, batched=False)


@pytest.mark.covers("KIN-10")
def test_levenberg_marquardt_damping_ignores_the_unit_of_a_joint() -> None:
    t, S = RNG.normal(size=6), np.diag([1.0, 1.0, 180.0 / np.pi, 1.0, 1.0, 1.0, 1e3])
    one = damped_least_squares(J[0], t, levenberg_marquardt_damping(J[0], 0.01))
    other = damped_least_squares(J[0] @ np.linalg.inv(S), t, levenberg_marquardt_damping(J[0] @ np.linalg.inv(S), 0.01))
    assert_close(np.linalg.inv(S) @ other, one, 1e-10, batched=False)
    squares = np.diagonal(np.swapaxes(J, 1, 2) @ J, axis1=1, axis2=2)
    assert_close(np.diagonal(levenberg_marquardt_damping(J, 0.04), axis1=1, axis2=2), 0.04 * squares, SOLVED)
    assert damped_inverse(J, levenberg_marquardt_damping(J, 0.04)).shape == (10, 7, 6)
    # A joint that does not move the task is not damped and stays at rest.
    still = np.where(np.arange(7) == 2, 0.0, J[0])
    rates = damped_least_squares(still, t, levenberg_marquardt_damping(still, 0.01))
    assert np.isfinite(rates).all() and abs(rates[2]) < 1e-12


@pytest.mark.covers("KIN-10")
@pytest.mark.parametrize("law", [nakamura_damping, chiaverini_damping])
def test_adaptive_laws_are_continuous_and_vanish_beyond_the_threshold(law: object) -> None:
    s = np.linspace(0.0, 0.3, 3001)
    lam = law(s, threshold=0.1, largest=0.2)
    assert lam[0] == 0.2 and (lam[s >= 0.1] == 0.0).all() and (np.diff(lam) <= 0.0).all()
    assert np.abs(np.diff(lam**2)).max() < 1e-4  # Λ = λ² is what acts, and it has no jump


@pytest.mark.covers("KIN-10")
def test_adaptive_inverse_is_exact_far_from_and_bounded_at_singularities() -> None:
    arm = planar(2)
    far, near = ([0.4, 1.2], [0.4, 0.0])
    J_far, J_near = (task_jacobian(arm, q, "tip", "x y") for q in (far, near))
    assert_close(adaptive_inverse(J_far) @ J_far, np.eye(2), SOLVED, batched=False)
    path = task_jacobian(arm, np.stack([np.full(401, 0.4), np.linspace(-0.2, 0.2, 401)], -1), "tip", "x y")
    gains = np.linalg.norm(adaptive_inverse(path, 0.05, 0.1), ord=2, axis=(1, 2))
    assert gains.max() < 25.0  # 1/0.05 = 20 where damping sets in, 1/(2·0.1) = 5 inside
    assert np.isfinite(adaptive_inverse(J_near)).all()


def test_not_a_number_stays_in_its_sample() -> None:
    broken = J.copy()
    broken[3, 2, 1] = np.nan
    for inverse in (adaptive_inverse(broken), damped_inverse(broken, levenberg_marquardt_damping(broken, 0.1))):
        assert np.isnan(inverse[3]).all() and np.isfinite(np.delete(inverse, 3, axis=0)).all()
    assert_close(np.delete(adaptive_inverse(broken), 3, axis=0), np.delete(adaptive_inverse(J), 3, axis=0), SOLVED)


def test_bad_damping_is_explained() -> None:
    with pytest.raises(DegenerateError, match="damping"):
        damped_inverse(np.eye(2), -0.1)
    with pytest.raises(ShapeError, match="damping"):
        damped_inverse(np.eye(2), [0.1, 0.1, 0.1])
    with pytest.raises(DegenerateError, match="damping"):
        damped_inverse(np.eye(2), [[1.0, 2.0], [2.0, 1.0]])
    with pytest.raises(ArgumentError, match="threshold"):
        chiaverini_damping(0.1, 0.0, 0.1)
