"""Weighted pseudo-inverses obey the four conditions of Penrose in their weights, at and away from singularities."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.optimize

import sixvec
from naming import named
from sixvec.errors import DegenerateError, ShapeError
from sixvec.ik.redundancy import resolved_rates, task_inertia, task_projector, weighted_inverse
from sixvec.solve import pseudo_inverse
from tolerances import IDENTITY, SOLVED, assert_close

RNG = np.random.default_rng(5)


def positive(n: int, *batch: int) -> np.ndarray:
    A = RNG.normal(size=(*batch, n, n))
    return A @ np.swapaxes(A, -1, -2) + n * np.eye(n)


def of_rank(m: int, n: int, r: int, batch: int = 6) -> np.ndarray:
    return RNG.normal(size=(batch, m, r)) @ RNG.normal(size=(batch, r, n))


SHAPES = [(6, 7, 6), (6, 7, 4), (6, 6, 6), (6, 6, 5), (6, 4, 4), (6, 4, 2), (2, 5, 0)]


@pytest.mark.covers("KIN-07", "KIN-12")
@pytest.mark.parametrize(("m", "n", "r"), SHAPES)
def test_penrose_conditions_in_the_weights(m: int, n: int, r: int) -> None:
    J, M, W = of_rank(m, n, r), positive(n, 6), positive(m, 6)
    G = weighted_inverse(J, joint_weight=M, task_weight=W)
    assert_close(J @ G @ J, J, SOLVED)
    assert_close(G @ J @ G, G, SOLVED)
    for symmetric in (W @ J @ G, M @ G @ J):
        scale = 1.0 + np.abs(symmetric).max(axis=(1, 2))
        assert_close(symmetric, np.swapaxes(symmetric, 1, 2), SOLVED, scale=scale)


@pytest.mark.covers("KIN-07", "Bruyninckx (5.40)", "Bruyninckx (5.44)-(5.46)", "Bruyninckx (5.54)")
def test_joint_weighted_inverse_of_full_row_rank_is_the_textbook_formula() -> None:
    panda = sixvec.load("panda")
    q = panda.random(1, 20)
    J, M = panda.jacobian(q, "panda_link8"), panda.mass_matrix(q)
    textbook = np.linalg.solve(M, np.swapaxes(J, 1, 2)) @ np.linalg.inv(J @ np.linalg.solve(M, np.swapaxes(J, 1, 2)))
    assert_close(weighted_inverse(J, joint_weight=M), textbook, 1e-9)
    # Bruyninckx (5.44): q̇ = M⁻¹ Jᵀ λ with the impulse λ = Λ t.
    t = RNG.normal(size=(20, 6, 1))
    impulse = task_inertia(J, M) @ t
    assert_close(np.linalg.solve(M, np.swapaxes(J, 1, 2) @ impulse), textbook @ t, 1e-9)


@pytest.mark.covers("KIN-07")
def test_no_other_motion_with_the_same_task_has_less_kinetic_energy() -> None:
    panda = sixvec.load("panda")
    q = panda.random(2)
    J, M, t = panda.jacobian(q, "panda_link8"), panda.mass_matrix(q), RNG.normal(size=6)
    v = weighted_inverse(J, joint_weight=M) @ t
    found = scipy.optimize.minimize(
        lambda x: 0.5 * x @ M @ x, np.zeros(7), jac=lambda x: M @ x,
        constraints={"type": "eq", "fun": lambda x: J @ x - t, "jac": lambda x: J}, method="SLSQP",
        options={"ftol": 1e-14, "maxiter": 200},
    )  # fmt: skip
    assert found.success
    assert np.abs(v - found.x).max() < 1e-6
    assert panda.kinetic_energy(q, v) < panda.kinetic_energy(q, weighted_inverse(J) @ t)


@pytest.mark.covers("KIN-12", "Bruyninckx (5.55)")
def test_task_weighted_inverse_of_full_column_rank_and_its_projector() -> None:
    J, W = of_rank(6, 4, 4), positive(6, 6)
    Jt = np.swapaxes(J, 1, 2)
    assert_close(weighted_inverse(J, task_weight=W), np.linalg.solve(Jt @ W @ J, Jt @ W), SOLVED)
    P = task_projector(J, W)
    assert_close(P @ P, P, SOLVED)
    assert_close(W @ P, np.swapaxes(W @ P, 1, 2), SOLVED)
    assert_close(P @ J, J, SOLVED)


@pytest.mark.covers("KIN-07")
def test_unweighted_result_depends_on_units_and_weighted_one_does_not() -> None:
    """A joint in degrees instead of radians: J's column shrinks, and the weight must follow."""
    J, S, t = of_rank(3, 4, 3, 1)[0], np.diag([1.0, 1.0, 1.0, 180.0 / np.pi]), RNG.normal(size=3)
    M = positive(4)
    other_J, other_M = J @ np.linalg.inv(S), np.linalg.inv(S) @ M @ np.linalg.inv(S)
    assert_close(np.linalg.inv(S) @ weighted_inverse(other_J, joint_weight=other_M) @ t,
                 weighted_inverse(J, joint_weight=M) @ t, SOLVED, batched=False)  # fmt: skip
    assert np.abs(np.linalg.inv(S) @ weighted_inverse(other_J) @ t - weighted_inverse(J) @ t).max() > 1e-3


@pytest.mark.covers("Bruyninckx (5.33)-(5.34)")
def test_plain_pseudo_inverse_is_numpys() -> None:
    A = of_rank(5, 7, 3)
    assert_close(pseudo_inverse(A), np.linalg.pinv(A, rcond=1e-10), IDENTITY)


def test_secondary_motion_is_done_as_far_as_the_task_allows() -> None:
    J, M, t, v0 = of_rank(3, 6, 3), positive(6, 6), RNG.normal(size=(6, 3)), RNG.normal(size=(6, 6))
    v = resolved_rates(J, t, v0, joint_weight=M)
    assert_close((J @ v[..., None])[..., 0], t, SOLVED)
    # What was removed from v0, beyond the task, is M-orthogonal to every internal motion.
    N = np.array([np.linalg.svd(j)[2][3:].T for j in J])
    removed = M @ (v - v0)[..., None]
    assert np.abs(np.swapaxes(N, 1, 2) @ removed).max() < 1e-10 * np.abs(removed).max()


def test_not_a_number_stays_in_its_sample() -> None:
    J = of_rank(3, 4, 3)
    J[2, 0, 0] = np.nan
    G = weighted_inverse(J)
    assert np.isnan(G[2]).all() and np.isfinite(np.delete(G, 2, axis=0)).all()
    M = positive(4, 6)
    M[1, 0, 0] = np.nan
    G = weighted_inverse(of_rank(3, 4, 3), joint_weight=M)
    assert np.isnan(G[1]).all() and np.isfinite(np.delete(G, 1, axis=0)).all()


def test_bad_weights_are_named() -> None:
    with pytest.raises(DegenerateError, match="weight"):
        weighted_inverse(np.eye(2), joint_weight=[[1.0, 2.0], [2.0, 1.0]])
    with pytest.raises(DegenerateError, match=named("weight", "symmetric")):
        weighted_inverse(np.eye(2), task_weight=[[1.0, 2.0], [0.0, 1.0]])
    with pytest.raises(DegenerateError, match="task"):
        weighted_inverse(np.eye(2), task_weight=[1.0, 0.0])
    with pytest.raises(ShapeError, match="weight"):
        weighted_inverse(np.eye(2), joint_weight=[1.0, 1.0, 1.0])
    with pytest.raises(ShapeError, match=named("J")):
        weighted_inverse([1.0])
