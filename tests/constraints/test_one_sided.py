"""Frames that push and never pull: held where they push, free where they lift, sliding where friction gives out."""

from __future__ import annotations

import numpy as np
import pytest

import sixvec as sv
from naming import named
from sixvec.algorithms.parts.held_frames import held_frames
from sixvec.constraints import one_sided_dynamics, velocity_map
from sixvec.constraints.contacts.one_sided import _blocks
from sixvec.errors import ArgumentError, DtypeError
from sixvec.verdict import Verdict

DOG = sv.load("solo12")
FEET = tuple(f for f in DOG.frame_names if f.endswith("FOOT"))


def standing() -> np.ndarray:
    q = DOG.neutral()
    q[7:] = [0.0, 0.7, -1.4] * 4
    return q


@pytest.mark.covers("CON-09")
def test_feet_that_push_are_held() -> None:
    q, zeros = standing(), np.zeros(18)
    hold = dict.fromkeys(FEET, ("z",))
    tau = np.zeros(18)
    found = one_sided_dynamics(DOG, q, zeros, tau, hold)
    held = DOG.constrained_dynamics(q, zeros, tau, hold=hold)
    assert (held.force > 0.0).all()
    assert np.allclose(found.a, held.a, atol=1e-7) and np.allclose(found.force, held.force, atol=1e-7)
    assert (found.force >= 0.0).all() and (found.acceleration > -1e-8).all()
    assert np.abs(found.force * found.acceleration).max() < 1e-8
    M, h = DOG.mass_matrix(q), DOG.bias_forces(q, zeros)
    A = DOG.constraint_jacobian(q, hold=hold)
    assert np.allclose(M @ found.a + h, tau + A.T @ found.force, atol=1e-8)


@pytest.mark.covers("CON-09")
def test_it_is_the_best_of_all_sets_of_feet() -> None:
    """Enumerate which feet are held: one set alone pushes where it holds and lifts where it does not."""
    rng = np.random.default_rng(1)
    q, hold = standing(), dict.fromkeys(FEET, ("z",))
    for _ in range(4):
        v, tau = 0.5 * rng.normal(size=18), np.zeros(18)
        tau[6:] = rng.normal(size=12) * 2.0
        found = one_sided_dynamics(DOG, q, v, tau, hold)
        free, A = DOG.forward_dynamics(q, v, tau), DOG.constraint_jacobian(q, hold=hold)
        bias = DOG.constraint_bias(q, v, hold=hold)
        W = np.linalg.solve(DOG.mass_matrix(q), A.T)
        answers = []
        for mask in range(16):
            on = [i for i in range(4) if mask >> i & 1]
            force = np.zeros(4)
            force[on] = np.linalg.solve((A @ W)[np.ix_(on, on)], -(A @ free + bias)[on])
            if force.min() > -1e-9 and (A @ (free + W @ force) + bias).min() > -1e-9:
                answers.append(free + W @ force)
        assert len(answers) >= 1 and np.allclose(found.acceleration, A @ found.a + bias, atol=1e-8)
        assert all(np.allclose(found.a, a, atol=1e-6) for a in answers)


def test_points_stick_or_slide() -> None:
    q, v = np.tile(standing(), (6, 1)), np.zeros(18)
    hold = dict.fromkeys(FEET, "point")
    tau = np.zeros((6, 18))
    tau[:, 6:] = np.random.default_rng(2).normal(size=(6, 12))
    for mu in (0.3, 5.0):
        found = one_sided_dynamics(DOG, q, v, tau, hold, friction=mu)
        force, moves = found.force.reshape(6, 4, 3), found.acceleration.reshape(6, 4, 3)
        assert (found.verdict == 0).all()
        assert (np.hypot(force[..., 0], force[..., 1]) <= mu * force[..., 2] * (1 + 1e-9) + 1e-9).all()
        assert np.abs(force[..., 2] * moves[..., 2]).max() < 1e-6
        assert ((force[..., :2] * moves[..., :2]).sum(axis=-1) <= 1e-7).all()  # friction takes power


def test_mistakes_are_named() -> None:
    q, zeros = standing(), np.zeros(18)
    with pytest.raises(ArgumentError, match=named("one_sided_dynamics", "x", "y", "point")):
        one_sided_dynamics(DOG, q, zeros, zeros, {FEET[0]: "weld"})
    with pytest.raises(ArgumentError, match=named("one_sided_dynamics", "friction")):
        one_sided_dynamics(DOG, q, zeros, zeros, {FEET[0]: "point"}, friction=-1.0)
    with pytest.raises(ArgumentError, match=named("one_sided_dynamics", "friction")):
        one_sided_dynamics(DOG, q, zeros, zeros, {FEET[0]: "point"}, friction=np.nan)
    with pytest.raises(DtypeError, match=named("one_sided_dynamics", "q", "a")):
        one_sided_dynamics(DOG, "a", zeros, zeros, {FEET[0]: "point"})


@pytest.mark.parametrize("bad", [0, 1, 2], ids=["q", "v", "tau"])
def test_a_sample_that_is_not_finite_is_invalid(bad: int) -> None:
    arm = sv.load("planar_2r")
    state = [np.zeros((2, 2)) for _ in range(3)]
    state[bad][0, 0] = np.nan
    found = one_sided_dynamics(arm, *state, {"tip": ("y",)})
    assert found.verdict.tolist() == [Verdict.INVALID, Verdict.SOLVED]
    assert np.isnan(found.force[0]).all() and np.isnan(found.a[0]).all() and np.isinf(found.residual[0])
    assert found.force[1, 0] == pytest.approx(9.81) and np.isfinite(found.a[1]).all()


def test_a_linkage_that_leans_on_a_stop() -> None:
    """The loop stays closed; where the stop pushes, accelerations are those of a frame that is held."""
    bars, rest = sv.load("four_bar"), np.zeros(3)
    q = bars.assemble([0.7, 0.0, 1.0], fixed=["drive"]).q
    v, stop = 2.0 * velocity_map(bars, q)[:, 0], {"rocker_end": ("y",)}
    against, away = (one_sided_dynamics(bars, q, v, [tau, 0.0, 0.0], stop) for tau in (-1.0, 1.0))
    pushed, free = (against, away) if against.force[0] > 0.0 else (away, against)
    tau = -1.0 if pushed is against else 1.0
    held = bars.constrained_dynamics(q, v, [tau, 0.0, 0.0], hold=stop)
    assert pushed.force[0] > 0.1
    assert np.allclose(pushed.a, held.a, atol=1e-6) and pushed.force[0] == pytest.approx(held.force[-1], rel=1e-6)
    assert free.force[0] == 0.0 and np.allclose(free.a, bars.forward_dynamics(q, v, [-tau, 0.0, 0.0]))
    A, gamma = bars.closure_jacobian(q), bars.constraint_bias(q, v)
    assert all(np.abs(A @ x.a + gamma).max() < 1e-8 for x in (pushed, free)) and free.acceleration[0] > rest[0]


def test_rows_are_sorted_with_normals_first() -> None:
    hold = {FEET[0]: ("z",), FEET[1]: "point", FEET[2]: ("turn x",), FEET[3]: "point"}
    order, kinds, limits = _blocks(held_frames(DOG.model, hold), 0.4)
    assert order == [0, 3, 1, 2, 4, 7, 5, 6]
    assert kinds == ("stop", "contact", "stop", "contact") and limits == [0.0, 0.4, 0.0, 0.4]
    assert _blocks((), 0.0) == ([], (), [])
    with pytest.raises(ArgumentError, match="friction"):
        _blocks(held_frames(DOG.model, hold), -0.1)
    with pytest.raises(ArgumentError, match=named("one_sided_dynamics", "x", "y", "point")):
        _blocks(held_frames(DOG.model, {FEET[0]: ("x", "y")}), 0.0)
