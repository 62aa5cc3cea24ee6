"""Strict priorities: a level below changes nothing above, and does as well as what is above allows."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import sixvec as sv
from naming import named
from sixvec.errors import ArgumentError

PANDA = sv.load("panda")
HAND, ELBOW = "panda_link8", "panda_link4"


def state(n: int = 20) -> tuple[Any, Any, Any]:
    rng = np.random.default_rng(0)
    return PANDA.random(rng, n), rng.normal(size=(n, 7)), rng.normal(size=(n, 7)) * 5.0


def dense(q: Any, v: Any, tau: Any, levels: list[tuple[Any, Any]]) -> Any:
    """The recursion in NumPy for one sample, with levels (J, target - Jdot v); pseudo-inverses judged by J M⁻¹ Jᵀ."""
    M, h = PANDA.mass_matrix(q), PANDA.bias_forces(q, v)
    W = np.linalg.inv(M)
    a, N = W @ (tau - h), np.eye(7)
    for J, b in levels:
        Jp = J @ N
        X, whole = Jp @ W @ Jp.T, J @ W @ J.T
        size, vectors = np.linalg.eigh(X)
        kept = size > 1e-9 * np.linalg.norm(whole)
        inverse = (vectors[:, kept] / size[kept]) @ vectors[:, kept].T
        a = a + W @ Jp.T @ inverse @ (b - J @ a)
        N = N @ (np.eye(7) - W @ Jp.T @ inverse @ Jp)
    return a


@pytest.mark.covers("CON-10")
def test_the_recursion_agrees_with_dense_projectors() -> None:
    q, v, tau = state()
    hold = {HAND: "point", ELBOW: "point", "panda_link6": ("turn x", "z")}
    target = np.random.default_rng(1).normal(size=(20, 8)) * 3.0
    found = PANDA.prioritised_dynamics(q, v, tau, target=target, hold=hold)
    A, gamma = PANDA.constraint_jacobian(q, hold=hold), PANDA.constraint_bias(q, v, hold=hold)
    rows = ((0, 3), (3, 6), (6, 8))
    for k in range(20):
        wanted = target[k] - gamma[k]
        expected = dense(q[k], v[k], tau[k], [(A[k, i:j], wanted[i:j]) for i, j in rows])
        assert np.allclose(found.a[k], expected, atol=1e-6 * np.abs(expected).max())
    assert np.allclose(found.residual, target - gamma - (A @ found.a[..., None])[..., 0], atol=1e-8)


@pytest.mark.covers("CON-10")
def test_a_lower_level_never_disturbs_a_higher_one() -> None:
    q, v, tau = state()
    hold = {HAND: "weld", ELBOW: "point", "panda_link5": "point"}  # 12 directions for seven joints: exhausted
    target = np.random.default_rng(2).normal(size=(20, 12))
    quiet = PANDA.prioritised_dynamics(q, v, tau, target=target, hold=hold)
    target[:, 6:] *= 1e3
    loud = PANDA.prioritised_dynamics(q, v, tau, target=target, hold=hold)
    for r in (quiet, loud):
        assert np.isfinite(r.a).all() and np.abs(r.residual[:, :6]).max() < 1e-7
    assert np.abs(loud.residual[:, 6:]).max() > 1.0
    # the one freedom that the first level leaves is the second's; nothing is left for the third
    two = PANDA.prioritised_dynamics(q, v, tau, target=target[:, :9], hold={HAND: "weld", ELBOW: "point"})
    assert np.allclose(two.a, loud.a, atol=1e-6 * np.abs(loud.a).max())


def test_what_a_level_cannot_reach_it_misses_least() -> None:
    q, v, tau = (x[0] for x in state(1))
    hold = {HAND: "weld", ELBOW: "point"}
    target = np.random.default_rng(3).normal(size=9)
    found = PANDA.prioritised_dynamics(q, v, tau, target=target, hold=hold)
    A, gamma = PANDA.constraint_jacobian(q, hold=hold), PANDA.constraint_bias(q, v, hold=hold)
    wanted = target - gamma
    _, _, Vt = np.linalg.svd(A[:6])
    for step in np.linspace(-1.0, 1.0, 11):  # the one motion that the first level leaves
        other = found.a + step * Vt[6]
        assert np.allclose(A[:6] @ other, wanted[:6], atol=1e-8)
        assert np.linalg.norm(A[6:] @ other - wanted[6:]) >= np.linalg.norm(found.residual[6:]) - 1e-9


def test_posture_forces_act_where_all_levels_leave_freedom() -> None:
    q, v, tau = state()
    plain = PANDA.prioritised_dynamics(q, v, 0.0 * tau, hold={HAND: "weld"})
    posed = PANDA.prioritised_dynamics(q, v, tau, hold={HAND: "weld"})
    assert np.abs(posed.a - plain.a).max() > 0.1
    J = PANDA.jacobian(q, HAND)
    assert np.allclose((J @ (posed.a - plain.a)[..., None])[..., 0], 0.0, atol=1e-8)
    # one level alone is constrained dynamics
    held = PANDA.constrained_dynamics(q, v, tau, hold={HAND: "weld"})
    assert np.allclose(posed.a, held.a, atol=1e-7)


def test_frames_may_share_a_level() -> None:
    q, v, tau = state(5)
    hold, target = {HAND: "weld", ELBOW: "point"}, np.ones(9)
    apart = PANDA.prioritised_dynamics(q, v, tau, target=target, hold=hold)
    shared = PANDA.prioritised_dynamics(q, v, tau, target=target, hold=hold, levels=(2,))
    total = [np.linalg.norm(r.residual, axis=-1) for r in (shared, apart)]
    assert (total[0] <= total[1] + 1e-9).all() and (np.abs(shared.residual[:, :6]).max(axis=-1) > 1e-3).all()
    with pytest.raises(ArgumentError, match=named("levels", "hold")):
        PANDA.prioritised_dynamics(q, v, tau, hold=hold, levels=(3,))


def test_loops_come_before_all_levels() -> None:
    bars = sv.load("four_bar")
    q = bars.assemble([0.7, 0.0, 1.0], fixed=["drive"]).q
    frame = bars.frame_names[-1]
    found = bars.prioritised_dynamics(q, np.zeros(3), np.zeros(3), target=[0.0] * 5 + [3.0] * 3, hold={frame: "point"})
    assert np.abs(bars.closure_jacobian(q) @ found.a).max() < 1e-9


def test_it_can_be_part_of_a_control_law() -> None:
    """`evaluate` takes frames by name as the method does."""
    q, v, tau = (x[0] for x in state(1))
    plain = PANDA.evaluate("prioritised_dynamics", q.tolist(), v.tolist(), tau.tolist(), hold={HAND: "point"})
    assert np.allclose(plain[0], PANDA.prioritised_dynamics(q, v, tau, hold={HAND: "point"}).a)
