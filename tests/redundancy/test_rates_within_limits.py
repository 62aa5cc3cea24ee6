"""Rates within limits: feasible, optimal by the conditions of Karush, Kuhn and Tucker, and never into a dead end."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.optimize

import sixvec
from sixvec.errors import ArgumentError, DegenerateError, ShapeError
from sixvec.redundancy import VelocityBounds, rates_within_limits, velocity_bounds, weighted_inverse
from sixvec.redundancy.limited_rates import solve_qp
from tolerances import assert_close

PANDA = sixvec.load("panda")
TOOL = "panda_link8"
FEASIBLE = 1e-9
"""An active-set solver meets its bounds to rounding."""


def cases(n: int, speed: float) -> list[tuple[np.ndarray, np.ndarray, VelocityBounds]]:
    rng = np.random.default_rng(2)
    q = PANDA.random(rng, n)
    return [(PANDA.jacobian(x, TOOL), speed * rng.normal(size=6), velocity_bounds(PANDA, x, 0.01)) for x in q]


@pytest.mark.covers("KIN-11")
def test_quadratic_programs_satisfy_their_optimality_conditions() -> None:
    rng = np.random.default_rng(0)
    for _ in range(40):
        A = rng.normal(size=(7, 7))
        H, f, E = A @ A.T + 0.1 * np.eye(7), 3.0 * rng.normal(size=7), rng.normal(size=(2, 7))
        lower, upper = -rng.random(7), rng.random(7)
        b = E @ (lower + (upper - lower) * rng.random(7))
        found = solve_qp(H, f, lower, upper, E, b)
        assert found is not None
        x, lam = found
        assert (x >= lower - FEASIBLE).all() and (x <= upper + FEASIBLE).all()
        assert np.abs(E @ x - b).max() < FEASIBLE
        scale = np.abs(lam).max() + np.abs(f).max()
        assert np.abs(H @ x + f + lam[:7] + E.T @ lam[7:]).max() < 1e-8 * scale
        assert (np.abs(lam[:7] * np.where(lam[:7] > 0, upper - x, x - lower)) < 1e-8 * scale).all()


@pytest.mark.covers("KIN-11")
@pytest.mark.parametrize("speed", [0.05, 1.0, 5.0])
def test_scaled_rates_keep_the_direction_and_the_bounds(speed: float) -> None:
    verdicts = set()
    for J, t, bounds in cases(25, speed):
        found = rates_within_limits(J, t, bounds)
        verdicts.add(found.verdict)
        assert (found.velocity >= bounds.lower - FEASIBLE).all() and (found.velocity <= bounds.upper + FEASIBLE).all()
        assert_close(J @ found.velocity, found.scale * t, 1e-7, batched=False, scale=np.abs(t).max())
        assert (found.scale == 1.0) == (found.verdict == "exact")
        # The largest scale, by a linear program of another library.
        A = np.column_stack([J, -t])
        lp = scipy.optimize.linprog([0.0] * 7 + [-1.0], A_eq=A, b_eq=np.zeros(6),
                                    bounds=[*zip(bounds.lower, bounds.upper, strict=True), (0.0, 1.0)])  # fmt: skip
        assert lp.success and abs(lp.x[7] - found.scale) < 1e-4
    assert {0.05: "exact", 1.0: "scaled", 5.0: "scaled"}[speed] in verdicts


@pytest.mark.covers("KIN-11")
def test_nearest_rates_are_the_bounded_least_squares() -> None:
    for J, t, bounds in cases(25, 3.0):
        found = rates_within_limits(J, t, bounds, policy="nearest")
        expected = scipy.optimize.lsq_linear(J, t, (bounds.lower - 1e-12, bounds.upper + 1e-12), tol=1e-12)
        assert np.linalg.norm(found.residual) ** 2 <= 2 * expected.cost * (1 + 1e-3) + 1e-6
        assert (found.velocity >= bounds.lower - FEASIBLE).all() and (found.velocity <= bounds.upper + FEASIBLE).all()
        at_bound = np.where(found.active > 0, bounds.upper, np.where(found.active < 0, bounds.lower, found.velocity))
        assert np.abs(at_bound - found.velocity).max() < FEASIBLE


@pytest.mark.covers("KIN-11")
def test_without_active_limits_it_is_the_pseudo_inverse_with_a_secondary_motion() -> None:
    J, t, _ = cases(1, 0.01)[0]
    wide = VelocityBounds(np.full(7, -100.0), np.full(7, 100.0), ("",) * 7, ("",) * 7, PANDA.joint_names)
    M, v0 = np.diag(np.arange(1.0, 8.0)), np.linspace(-1.0, 1.0, 7)
    inverse = weighted_inverse(J, joint_weight=M)
    expected = inverse @ t + v0 - inverse @ (J @ v0)
    found = rates_within_limits(J, t, wide, joint_weight=M, secondary=v0)
    assert found.verdict == "exact" and not found.active.any()
    assert_close(found.velocity, expected, 1e-8, batched=False)


@pytest.mark.covers("KIN-11")
@pytest.mark.parametrize("acceleration", [2.0, 10.0])
def test_limits_of_position_speed_and_acceleration_never_contradict_each_other(acceleration: float) -> None:
    """Whatever is commanded, sample after sample, there is always a velocity, and no limit is ever broken."""
    rng, step = np.random.default_rng(1), 0.01
    q, v = PANDA.random(rng), np.zeros(7)
    touched, commands = np.zeros(7, bool), rng.choice([-10.0, 10.0], size=(20, 7))
    for k in range(3000):
        bounds = velocity_bounds(PANDA, q, step, v=v, acceleration=acceleration)
        assert (bounds.lower <= bounds.upper + 1e-9).all(), bounds.conflict()
        new = np.clip(commands[k // 150], bounds.lower, np.maximum(bounds.lower, bounds.upper))
        assert (np.abs(new - v) <= acceleration * step + 1e-9).all()
        q, v = q + step * new, new
        assert (q >= PANDA.lower - 1e-9).all() and (q <= PANDA.upper + 1e-9).all()
        assert (np.abs(v) <= PANDA.velocity_limits + 1e-9).all()
        touched |= (q > PANDA.upper - 0.01) | (q < PANDA.lower + 0.01)
    assert touched.all(), "every joint must have come to one of its stops"


@pytest.mark.covers("KIN-11")
def test_reasons_are_named() -> None:
    middle = (PANDA.lower + PANDA.upper) / 2
    assert velocity_bounds(PANDA, middle, 0.01).upper_reason[0] == "speed limit"
    assert velocity_bounds(PANDA, PANDA.upper, 0.01).upper_reason[0] == "position limit"
    assert velocity_bounds(PANDA, middle, 0.01, acceleration=1.0).upper_reason[0] == "acceleration limit"
    near = velocity_bounds(PANDA, PANDA.upper - 0.1, 0.01, v=np.full(7, 1.0), acceleration=1.0)
    assert near.upper_reason[0] == "braking distance"


@pytest.mark.covers("KIN-11")
def test_infeasible_limits_teach() -> None:
    """At full speed next to the stop, with weak brakes: nothing can be done, and the message says why."""
    q, v = PANDA.upper - 0.001, np.zeros(7)
    v[2] = 2.0
    bounds = velocity_bounds(PANDA, q, 0.01, v=v, acceleration=5.0)
    with pytest.raises(DegenerateError, match=r"panda_joint3: the acceleration limit asks for v ≥ 1\.95 and the brak"):
        rates_within_limits(PANDA.jacobian(q, TOOL), np.zeros(6), bounds)


@pytest.mark.covers("KIN-11")
def test_lost_directions_are_a_verdict() -> None:
    J = np.array([[1.0, 0.5], [0.0, 0.0]])
    bounds = VelocityBounds(np.full(2, -1.0), np.full(2, 1.0), ("",) * 2, ("",) * 2, ("a", "b"))
    found = rates_within_limits(J, [1.0, 1.0], bounds)
    assert found.verdict == "singular" and found.scale == 0.0 and np.abs(found.velocity).max() < 1e-9
    near = rates_within_limits(J, [1.0, 1.0], bounds, policy="nearest")
    assert near.verdict == "nearest" and abs(near.residual[0]) < 1e-5 and near.residual[1] == 1.0
    rolling = VelocityBounds(np.array([0.5, 0.5]), np.ones(2), ("",) * 2, ("",) * 2, ("a", "b"))
    with pytest.raises(DegenerateError, match="not even standing still"):
        rates_within_limits(J, [0.0, 1.0], rolling)


def test_bad_requests_are_explained() -> None:
    J, t, bounds = cases(1, 1.0)[0]
    with pytest.raises(ArgumentError, match='no policy "best"; policies: scaled, nearest'):
        rates_within_limits(J, t, bounds, policy="best")
    with pytest.raises(ShapeError, match="one sample at a time"):
        rates_within_limits(J[None], t, bounds)
    with pytest.raises(ShapeError, match="bounds for 7 coordinates, but J has 6"):
        rates_within_limits(J[:, :6], t, bounds)
    with pytest.raises(DegenerateError, match="finite"):
        rates_within_limits(J, t * np.nan, bounds)
    with pytest.raises(ArgumentError, match="step is 0"):
        velocity_bounds(PANDA, PANDA.neutral(), 0.0)
    with pytest.raises(ArgumentError, match="one state"):
        velocity_bounds(PANDA, [PANDA.neutral()], 0.1)
    with pytest.raises(DegenerateError, match=r"acceleration limit of panda_joint1 is -1\.0; it must be positive"):
        velocity_bounds(PANDA, PANDA.neutral(), 0.1, acceleration=-1.0)
