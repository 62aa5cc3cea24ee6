"""Rates within limits: feasible, optimal by the conditions of Karush, Kuhn and Tucker, and never into a dead end."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
import scipy.optimize

import sixvec
from naming import named
from sixvec.errors import ArgumentError, DegenerateError, ShapeError
from sixvec.ik.redundancy import LimitedRates, VelocityBounds, rates_within_limits, velocity_bounds, weighted_inverse
from sixvec.ik.redundancy.limited_rates import Policy
from sixvec.solve.bounded_least_squares import bounded_least_squares
from sixvec.verdict import Verdict
from tolerances import assert_close

PANDA = sixvec.load("panda")
TOOL = "panda_link8"
FEASIBLE = 1e-9
"""An active-set solver meets bounds and optimality to rounding."""


def cases(n: int, speed: float) -> list[tuple[np.ndarray, np.ndarray, VelocityBounds]]:
    rng = np.random.default_rng(2)
    q = PANDA.random(rng, n)
    return [(PANDA.jacobian(x, TOOL), speed * rng.normal(size=6), velocity_bounds(PANDA, x, 0.01)) for x in q]


def brute_force(A: np.ndarray, b: np.ndarray, lower: np.ndarray, upper: np.ndarray) -> float:
    """The least |A x - b|² within bounds, by trying every set of bounds to hold."""
    n, least = A.shape[1], np.inf
    for sides in itertools.product((-1, 0, 1), repeat=n):
        side = np.array(sides)
        x, free = np.where(side < 0, lower, upper), side == 0
        x[free] = 0.0
        x[free] = np.linalg.lstsq(A[:, free], b - A @ x, rcond=1e-12)[0]
        if (x >= lower - 1e-12).all() and (x <= upper + 1e-12).all():
            least = min(least, float(np.sum((A @ x - b) ** 2)))
    return least


@pytest.mark.covers("KIN-11")
def test_bounded_least_squares_finds_the_optimum_of_all_active_sets() -> None:
    """Small whole numbers make matrices that lose rank and bounds that are touched without binding."""
    rng = np.random.default_rng(0)
    for k in range(60):
        A, b = rng.integers(-2, 3, (3, 4)).astype(float), rng.integers(-3, 4, 3).astype(float)
        if k % 2:
            A = A + rng.normal(size=A.shape)
        lower, upper = -rng.integers(0, 2, 4).astype(float), rng.integers(0, 3, 4).astype(float)
        found = bounded_least_squares(A, b, lower, upper, np.zeros(4))
        assert np.sum((A @ found.x - b) ** 2) == pytest.approx(brute_force(A, b, lower, upper), abs=1e-11)


@pytest.mark.covers("KIN-11")
def test_bounded_least_squares_satisfies_its_optimality_conditions() -> None:
    rng = np.random.default_rng(0)
    for k in range(60):
        A, b, E = rng.normal(size=(5 + k % 3, 7)), 3.0 * rng.normal(size=5 + k % 3), rng.normal(size=(2 + k % 6, 7))
        if k % 4 == 0:
            E[-1] = E[0] - E[1]  # an equation that repeats others
        lower, upper = -rng.random(7), rng.random(7)
        upper[: k % 5] = lower[: k % 5]  # joints without room
        start = lower + (upper - lower) * rng.random(7)
        found = bounded_least_squares(A, b, lower, upper, start, E)
        x, lam = found.x, found.multipliers
        assert (x >= lower).all() and (x <= upper).all()
        assert np.abs(E @ (x - start)).max() < FEASIBLE
        g = A.T @ (A @ x - b) + lam
        assert np.abs(g - E.T @ np.linalg.lstsq(E.T, g, rcond=1e-11)[0]).max() < FEASIBLE
        inside = upper > lower
        assert np.abs((lam * np.where(lam > 0, upper - x, x - lower))[inside]).max(initial=0.0) < FEASIBLE


def kkt_residual(J: np.ndarray, t: np.ndarray, bounds: VelocityBounds, v0: np.ndarray, found: LimitedRates) -> float:
    """The largest violation of the conditions of Karush, Kuhn and Tucker that the docstring states."""
    v, lam = found.v, found.multipliers
    outside = np.maximum(bounds.lower - v, v - bounds.upper).max()
    slack = np.where(lam > 0.0, bounds.upper - v, np.where(lam < 0.0, v - bounds.lower, 0.0))
    binding = np.where(found.active > 0, bounds.upper - v, np.where(found.active < 0, v - bounds.lower, 0.0))
    if found.verdict == Verdict.NEAREST:
        g = J.T @ (J @ v - t) + lam
    else:
        g = v - v0 + lam
        g = g - J.T @ np.linalg.lstsq(J.T, g, rcond=1e-11)[0]
    task = 0.0 if found.verdict == Verdict.NEAREST else np.abs(J @ v - found.scale * t).max()
    return max(outside, np.abs(lam * slack).max(), np.abs(binding).max(), task, np.abs(g).max() / (1 + np.abs(t).max()))


@pytest.mark.covers("KIN-11")
@pytest.mark.parametrize("policy", ["scaled", "nearest"])
@pytest.mark.parametrize(
    ("name", "frame", "step", "acceleration"),
    [("panda", TOOL, 0.01, 1.0), ("panda", TOOL, 0.01, 20.0), ("ur5e", "tool0", 0.008, 20.0)],
)
def test_a_controller_always_has_a_next_velocity_and_it_is_the_best(
    name: str, frame: str, step: float, acceleration: float, policy: Policy
) -> None:
    """Sample after sample as a user writes it: bounds, rates, step.  Nothing raises or breaks, all is optimal."""
    robot, rng = sixvec.load(name), np.random.default_rng(3)
    q, v, t = robot.random(rng), np.zeros(robot.nv), np.zeros(6)
    for k in range(300):
        if k % 30 == 0:
            t, v0 = rng.choice([0.1, 1.0, 5.0]) * rng.normal(size=6), rng.normal(size=robot.nv) * rng.integers(0, 2)
        bounds = velocity_bounds(robot, q, step, v=v, acceleration=acceleration)
        assert (bounds.lower <= bounds.upper).all()
        J = robot.jacobian(q, frame)
        found = rates_within_limits(J, t, bounds, policy=policy, secondary=v0)
        assert kkt_residual(J, t, bounds, v0, found) < FEASIBLE
        assert (np.abs(found.v - v) <= acceleration * step * (1 + 1e-12)).all()
        q, v = robot.integrate(q, step * found.v), found.v
        assert (q >= robot.lower - 1e-9).all() and (q <= robot.upper + 1e-9).all()
        assert (np.abs(v) <= robot.velocity_limits * (1 + 1e-9)).all()


@pytest.mark.covers("KIN-11")
def test_the_bound_that_slows_an_arm_without_joints_to_spare_is_named() -> None:
    """v = s J⁻¹ t has nothing left to choose: the joint whose bound ends the growth of s is the active one."""
    robot = sixvec.load("ur5e")
    J, t = robot.jacobian([0.3, -1.2, 1.4, 0.4, 1.1, 0.2], "tool0"), np.array([0.0, 0.0, 0.0, 3.0, 2.0, 1.0])
    limit = robot.velocity_limits
    ratio = np.linalg.solve(J, t) / limit
    worst = int(np.abs(ratio).argmax())
    found = rates_within_limits(J, t, (-limit, limit))
    assert found.verdict == Verdict.SCALED and found.scale == pytest.approx(1.0 / np.abs(ratio[worst]), rel=1e-12)
    assert np.flatnonzero(found.active).tolist() == [worst] and found.active[worst] == np.sign(ratio[worst])


@pytest.mark.covers("KIN-11")
@pytest.mark.parametrize("speed", [0.05, 1.0, 5.0])
def test_scaled_rates_keep_the_direction_and_the_bounds(speed: float) -> None:
    verdicts = set()
    for J, t, bounds in cases(25, speed):
        found = rates_within_limits(J, t, bounds)
        verdicts.add(found.verdict)
        assert (found.v >= bounds.lower - FEASIBLE).all() and (found.v <= bounds.upper + FEASIBLE).all()
        assert_close(J @ found.v, found.scale * t, 1e-7, batched=False, scale=np.abs(t).max())
        assert (found.scale == 1.0) == (found.verdict == Verdict.SOLVED)
        # The largest scale, by a linear program of another library.
        A = np.column_stack([J, -t])
        lp = scipy.optimize.linprog([0.0] * 7 + [-1.0], A_eq=A, b_eq=np.zeros(6),
                                    bounds=[*zip(bounds.lower, bounds.upper, strict=True), (0.0, 1.0)])  # fmt: skip
        assert lp.success and abs(lp.x[7] - found.scale) < 1e-7
    assert {0.05: Verdict.SOLVED, 1.0: Verdict.SCALED, 5.0: Verdict.SCALED}[speed] in verdicts


@pytest.mark.covers("KIN-11")
def test_nearest_rates_are_the_bounded_least_squares() -> None:
    for J, t, bounds in cases(25, 3.0):
        found = rates_within_limits(J, t, bounds, policy="nearest")
        expected = scipy.optimize.lsq_linear(J, t, (bounds.lower - 1e-12, bounds.upper + 1e-12), tol=1e-12)
        assert np.linalg.norm(found.residual) ** 2 <= 2 * expected.cost * (1 + 1e-9) + 1e-12
        assert (found.v >= bounds.lower - FEASIBLE).all() and (found.v <= bounds.upper + FEASIBLE).all()
        at_bound = np.where(found.active > 0, bounds.upper, np.where(found.active < 0, bounds.lower, found.v))
        assert np.abs(at_bound - found.v).max() < FEASIBLE


@pytest.mark.covers("KIN-11")
def test_without_active_limits_it_is_the_pseudo_inverse_with_a_secondary_motion() -> None:
    J, t, _ = cases(1, 0.01)[0]
    wide = VelocityBounds(np.full(7, -100.0), np.full(7, 100.0), ("",) * 7, ("",) * 7, PANDA.joint_names)
    M, v0 = np.diag(np.arange(1.0, 8.0)), np.linspace(-1.0, 1.0, 7)
    inverse = weighted_inverse(J, joint_weight=M)
    expected = inverse @ t + v0 - inverse @ (J @ v0)
    found = rates_within_limits(J, t, wide, joint_weight=M, secondary=v0)
    assert found.verdict == Verdict.SOLVED and not found.active.any()
    assert_close(found.v, expected, 1e-8, batched=False)


@pytest.mark.covers("KIN-11")
@pytest.mark.parametrize("acceleration", [1.0, 2.0, 10.0, 20.0])
def test_limits_of_position_speed_and_acceleration_never_contradict_each_other(acceleration: float) -> None:
    """Whatever is commanded, sample after sample, there is always a velocity, and no limit is ever broken."""
    rng, step = np.random.default_rng(1), 0.01
    q, v = PANDA.random(rng), np.zeros(7)
    touched, commands = np.zeros(7, bool), rng.choice([-10.0, 10.0], size=(20, 7))
    for k in range(3000):
        bounds = velocity_bounds(PANDA, q, step, v=v, acceleration=acceleration)
        assert (bounds.lower <= bounds.upper).all() and not bounds.conflict()
        new = np.clip(commands[k // 150], bounds.lower, bounds.upper)
        assert (np.abs(new - v) <= acceleration * step * (1 + 1e-12)).all()
        q, v = q + step * new, new
        assert (q >= PANDA.lower - 1e-9).all() and (q <= PANDA.upper + 1e-9).all()
        assert (np.abs(v) <= PANDA.velocity_limits * (1 + 1e-9)).all()
        touched |= (q > PANDA.upper - 0.01) | (q < PANDA.lower + 0.01)
    assert touched.all(), "every joint must have come to one of its stops"


@pytest.mark.covers("KIN-11")
def test_the_braking_bound_is_the_largest_from_which_one_can_stop() -> None:
    """From the bound full braking ends at the limit, to rounding; from a little more it passes it."""
    step, a, rng = 0.01, 3.0, np.random.default_rng(0)
    for d in [1e-6, 2e-4, *rng.random(20)]:
        q = PANDA.upper.copy() - d
        fast = velocity_bounds(PANDA, q, step, v=np.full(7, 10.0), acceleration=a).upper[0]
        for factor, passes in ((1.0, False), (1.0001, True)):
            v, covered = fast * factor, 0.0
            if fast >= PANDA.velocity_limits[0]:
                continue
            while v > 0.0:
                covered, v = covered + step * v, v - a * step
            assert (covered > d * (1 + 1e-9)) == passes


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
    with pytest.raises(DegenerateError, match="panda_joint3"):
        rates_within_limits(PANDA.jacobian(q, TOOL), np.zeros(6), bounds)


@pytest.mark.covers("KIN-11")
def test_lost_directions_are_a_verdict() -> None:
    J = np.array([[1.0, 0.5], [0.0, 0.0]])
    bounds = VelocityBounds(np.full(2, -1.0), np.full(2, 1.0), ("",) * 2, ("",) * 2, ("a", "b"))
    found = rates_within_limits(J, [1.0, 1.0], bounds)
    assert found.verdict == Verdict.SINGULAR and found.scale == 0.0 and np.abs(found.v).max() < 1e-9
    near = rates_within_limits(J, [1.0, 1.0], bounds, policy="nearest")
    assert near.verdict == Verdict.NEAREST and abs(near.residual[0]) < 1e-12 and near.residual[1] == 1.0
    rolling = VelocityBounds(np.array([0.5, 0.5]), np.ones(2), ("",) * 2, ("",) * 2, ("a", "b"))
    braked = rates_within_limits(J, [0.0, 1.0], rolling)  # cannot stand still: comes as near as it can
    assert braked.verdict == Verdict.NEAREST and braked.v.tolist() == [0.5, 0.5] and (braked.active == -1).all()


def test_bad_requests_are_explained() -> None:
    J, t, bounds = cases(1, 1.0)[0]
    with pytest.raises(ArgumentError, match=named("policy", "best")):
        rates_within_limits(J, t, bounds, policy="best")
    with pytest.raises(ShapeError, match=named("J")):
        rates_within_limits(J[None], t, bounds)
    with pytest.raises(ShapeError, match="bounds"):
        rates_within_limits(J[:, :6], t, bounds)
    with pytest.raises(ArgumentError, match=named("t")):
        rates_within_limits(J, t * np.nan, bounds)
    with pytest.raises(ArgumentError, match=named("dt")):
        velocity_bounds(PANDA, PANDA.neutral(), 0.0)
    with pytest.raises(ShapeError, match=named("q")):
        velocity_bounds(PANDA, [PANDA.neutral()], 0.1)
    with pytest.raises(ArgumentError, match=named("acceleration", "panda_joint1")):
        velocity_bounds(PANDA, PANDA.neutral(), 0.1, acceleration=-1.0)
