"""Closed-loop inverse kinematics: errors and loop gaps decay at the rate of the gain; two modes of one solver."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
import scipy.spatial.transform

import sixvec
from naming import named
from planar_arms import five_bar, planar
from sixvec.errors import ArgumentError, DegenerateError, ShapeError
from sixvec.ik.redundancy import (
    CONTROL,
    SIMULATION,
    Gap,
    RateTask,
    close_gaps,
    closed_loop_rates,
    follow,
    pose_error,
    prioritised_rates,
    rates,
)
from sixvec.spatial import Rotation, Vec3
from sixvec.tasks import Frame, RelativeFrame
from tolerances import assert_close

PANDA, UR5E = sixvec.load("panda"), sixvec.load("ur5e")
TOOL = "panda_link8"
READY = np.array([0.0, -0.8, 0.0, -2.4, 0.0, 1.6, 0.8])
TIPS = Gap(RelativeFrame("left_tip", "right_tip", "x y"), np.eye(4), gain=20.0)
APART = np.array([1.9, -0.9, 1.3, 0.8])


def displaced(turn: float, shift: float) -> np.ndarray:
    X = PANDA.pose(READY, TOOL)
    R = np.array(Rotation.about(Vec3(0.6, 0.0, 0.8), turn).as_matrix(), float)
    X[:3, :3] = R @ X[:3, :3]
    X[:3, 3] += [shift, -shift, shift / 2]
    return X


@pytest.mark.covers("KIN-15")
@pytest.mark.parametrize("turn", [0.1, 0.8])
def test_error_decays_at_the_rate_of_the_gain(turn: float) -> None:
    """|e| = |e₀| exp(-K t), at first order in the step, for large turns too."""
    gain, step = 5.0, 5e-4
    goal = Gap(Frame(TOOL), displaced(turn, 0.05), gain=gain)
    run = follow(PANDA, READY, lambda time: [goal], step, 800, velocity_limits=np.inf)
    time = step * np.arange(801)
    ratio = run.errors[0] / (run.errors[0][0] * np.exp(-gain * time))
    assert np.abs(ratio - 1.0).max() < 0.02
    assert run.errors[0][-1] < 0.14 * run.errors[0][0]  # exp(-2)


@pytest.mark.covers("KIN-15")
def test_a_moving_target_is_followed_without_lag() -> None:
    """With the target's twist fed forward the error stays at that of the step; without it, it lags by v/K."""
    speed, step, gain = np.array([0.0, 0.0, 0.2, 0.05, -0.04, 0.03]), 2e-3, 10.0
    start = PANDA.pose(READY, TOOL)

    def goal(time: float, twist: np.ndarray) -> list[Gap]:
        X = start.copy()
        X[:3, :3] = np.array(Rotation.about_z(0.2 * time).as_matrix(), float) @ X[:3, :3]
        X[:3, 3] += time * speed[3:]
        return [Gap(Frame(TOOL), X, velocity=twist, gain=gain)]

    fed = follow(PANDA, READY, lambda time: goal(time, speed), step, 500)
    lagging = follow(PANDA, READY, lambda time: goal(time, np.zeros(6)), step, 500)
    assert fed.errors[0].max() < 1e-4
    assert abs(lagging.errors[0][-1] / (np.linalg.norm(speed) / gain) - 1.0) < 0.05


@pytest.mark.covers("KIN-15")
def test_error_rate_is_minus_the_matrix_times_the_velocity() -> None:
    """With A q̇ = e the error shrinks at its own rate, ė = -e: both kinds of gap, by differences."""
    q, step = READY + 0.2, 1e-6
    ends = (("panda_link1", TOOL), (TOOL, "panda_link1"))  # six joints lie between the two frames
    chain = [Gap(RelativeFrame(*frames), np.eye(4)) for frames in ends]
    for gap in (Gap(Frame(TOOL), displaced(0.9, 0.1)), *chain):
        found = closed_loop_rates(PANDA, q, [gap], velocity_limits=np.inf)
        assert np.abs(found.residuals[0]).max() < 1e-9
        ahead, behind = (gap.error(PANDA, PANDA.integrate(q, s * step * found.v)) for s in (1.0, -1.0))
        expected = gap.error(PANDA, q)
        assert_close((ahead - behind) / (2 * step), -expected, 1e-6, batched=False)


@pytest.mark.covers("KIN-15")
def test_loop_gaps_close_and_stay_closed_while_the_linkage_works() -> None:
    """A five-bar linkage cut at its tip: the loop first, then the left tip goes round a circle."""
    robot, step = five_bar(), 1e-3
    closed = close_gaps(robot, APART, [TIPS])
    assert closed.solved and np.abs(TIPS.error(robot, closed.q)).max() < 1e-12
    start = robot.pose(closed.q, "left_tip")
    turn = 2.0 * np.pi

    def gaps(time: float) -> list[Gap]:
        X, radius = start.copy(), 0.1
        X[:2, 3] += radius * np.array([np.cos(turn * time) - 1.0, np.sin(turn * time)])
        twist = radius * turn * np.array([0.0, 0.0, 0.0, -np.sin(turn * time), np.cos(turn * time), 0.0])
        return [TIPS, Gap(Frame("left_tip", "x y"), X, velocity=twist, gain=20.0)]

    run = follow(robot, closed.q, gaps, step, 500)
    assert run.errors[0].max() < 1e-3 and run.errors[1].max() < 2e-3
    # From an open loop, the gap decays at its own rate whatever the lower task does.
    opened = follow(robot, closed.q + np.array([0.05, 0.0, 0.0, 0.0]), gaps, step, 100)
    decay = opened.errors[0][100] / opened.errors[0][0]
    assert abs(decay / np.exp(-20.0 * 0.1) - 1.0) < 0.1


@pytest.mark.covers("KIN-15")
def test_secondary_motion_does_not_disturb_the_target() -> None:
    goal = Gap(Frame(TOOL), PANDA.pose(READY, TOOL), gain=20.0)
    run = follow(PANDA, READY, lambda time: [goal], 5e-3, 200, secondary=lambda q: np.array([0, 0, 1.0, 0, 0, 0, 0]))
    assert run.errors[0].max() < 1e-3
    assert np.abs(run.q[-1] - READY).max() > 0.3


@pytest.mark.covers("KIN-14")
def test_simulation_closes_tightly_and_control_results_at_once() -> None:
    goal = Gap(Frame(TOOL), PANDA.pose(READY + 0.3, TOOL))
    tight = close_gaps(PANDA, READY, [goal], SIMULATION)
    assert tight.solved and tight.residual < 1e-12 and tight.iterations < 20
    quick = close_gaps(PANDA, READY, [goal], CONTROL)
    assert quick.iterations == CONTROL.iterations and not quick.solved
    assert quick.residual < np.abs(goal.error(PANDA, READY)).max()
    assert np.abs(quick.q - READY).max() <= CONTROL.iterations * CONTROL.largest_step + 1e-12


@pytest.mark.covers("KIN-14")
def test_unreachable_targets_end_with_the_nearest_error() -> None:
    """Stretched towards a point 3 m away, a 2 m arm is 1 m short, and both modes say so."""
    arm, target = planar(2), np.eye(4)
    target[0, 3] = 3.0
    goal = Gap(Frame("tip", "x y"), target)
    ended = close_gaps(arm, np.array([0.5, 0.4]), [goal], SIMULATION)
    assert not ended.solved and ended.iterations <= SIMULATION.iterations
    assert 1.0 - 1e-9 <= ended.residual < 1.1
    for start in ([1.5, 1.0], [-0.9, 2.0]):  # without stepping back it ends 0.6 % and 6 % farther away
        assert 1.0 - 1e-9 <= close_gaps(arm, np.array(start), [goal], SIMULATION).residual < 1.001
    again = close_gaps(arm, np.array([0.5, np.nan]), [goal], SIMULATION)
    assert not again.solved and again.residual == np.inf


@pytest.mark.covers("KIN-14")
def test_at_a_singularity_control_is_bounded_and_simulation_rejects() -> None:
    arm = planar(2)
    J = arm.jacobian([0.0, 0.0], "tip")[3:5]
    across, along = [0.0, 1.0], [1.0, 0.0]
    assert np.abs(rates(J, along, CONTROL)).max() < 1e-12
    assert np.abs(J @ rates(J, across, CONTROL) - across).max() < 0.01
    assert np.abs(J @ rates(J, across, SIMULATION) - across).max() < 1e-12
    with pytest.raises(DegenerateError, match="singular"):
        rates(J, along, SIMULATION)
    near = arm.jacobian([0.0, 1e-4], "tip")[3:5]
    assert np.abs(rates(near, along, SIMULATION)).max() > 1e3 > 10.0 > np.abs(rates(near, along, CONTROL)).max()


def through_a_wrist_singularity(seed: int) -> tuple[np.ndarray, Callable[[float], list[Gap]]]:
    """A straight line of the hand of a UR5e whose wrist is nearly stretched, so that joints 4 and 6 nearly align."""
    rng = np.random.default_rng(seed)
    q = UR5E.random(rng)
    q[4] = 0.05 * rng.choice([-1.0, 1.0])
    X, speed = UR5E.pose(q, "tool0"), 0.2 * rng.normal(size=3)

    def gaps(time: float) -> list[Gap]:
        Y = X.copy()
        Y[:3, 3] += time * speed
        return [Gap(Frame("tool0"), Y, velocity=np.concatenate([np.zeros(3), speed]), gain=10.0)]

    return q, gaps


@pytest.mark.covers("KIN-14", "KIN-15")
@pytest.mark.parametrize("seed", [4, 5, 6, 8, 17])
def test_through_a_singularity_rates_keep_their_limits_and_the_answer_says_so(seed: int) -> None:
    """Without damping and limits these paths ask for 300 to 7000 rad/s."""
    q, gaps = through_a_wrist_singularity(seed)
    run = follow(UR5E, q, gaps, 0.005, 120)
    assert (np.abs(run.v) <= UR5E.velocity_limits).all() and np.isfinite(run.q).all()
    assert run.scale.shape == (120,) and ((run.scale > 0.0) & (run.scale <= 1.0)).all()
    slow = follow(UR5E, q, gaps, 0.005, 120, velocity_limits=0.1)
    assert (np.abs(slow.v) <= 0.1).all() and (slow.scale < 1.0).any()
    with pytest.raises(DegenerateError, match="limit"):
        follow(UR5E, q, gaps, 0.005, 120, mode=SIMULATION)


@pytest.mark.covers("KIN-14", "KIN-15")
def test_simulation_stays_on_the_gaps_and_a_controller_near_them() -> None:
    """A five-bar linkage cut at its tip, driven round a circle: the loop of a simulation is closed at every sample."""
    robot, step = five_bar(), 0.01
    q = close_gaps(robot, APART, [TIPS]).q
    start = robot.pose(q, "left_tip")

    def gaps(time: float) -> list[Gap]:
        X = start.copy()
        X[:2, 3] += 0.1 * np.array([np.cos(2.0 * time) - 1.0, np.sin(2.0 * time)])
        twist = 0.2 * np.array([0.0, 0.0, 0.0, -np.sin(2.0 * time), np.cos(2.0 * time), 0.0])
        return [TIPS, Gap(Frame("left_tip", "x y"), X, velocity=twist, gain=20.0)]

    simulated, controlled = (follow(robot, q, gaps, step, 60, mode=mode) for mode in (SIMULATION, CONTROL))
    assert max(e.max() for e in simulated.errors) < 1e-11
    assert 1e-6 < max(e.max() for e in controlled.errors) < 1e-2
    far = start.copy()
    far[0, 3] += 10.0
    away = [Gap(Frame("left_tip", "x y"), far, gain=0.0)]  # out of reach: no gain pulls there, the closing does
    with pytest.raises(DegenerateError, match="gaps"):
        follow(robot, q, lambda time: away, step, 5, mode=SIMULATION)
    with pytest.raises(ShapeError, match=named("q0", "mode", "simulation")):
        follow(robot, np.stack([q, q]), gaps, step, 5, mode=SIMULATION)


@pytest.mark.covers("KIN-14")
def test_a_controller_slows_the_path_down_and_a_simulator_rejects() -> None:
    J, t = PANDA.jacobian(PANDA.random(0, 20), TOOL), np.random.default_rng(0).normal(size=(20, 6))
    free, limit = rates(J, t), PANDA.velocity_limits / 4
    kept = rates(J, t, velocity_limits=limit)
    assert (np.abs(kept) <= limit).all()
    scale = (kept * free).sum(axis=1) / (free * free).sum(axis=1)
    assert_close(kept, scale[:, None] * free, 1e-12)  # the same direction
    fast = np.abs(free / limit).max(axis=1)
    assert_close(scale, np.minimum(1.0, 1.0 / fast), 1e-12)
    with pytest.raises(DegenerateError, match="limit"):
        rates(J, t, SIMULATION, velocity_limits=limit)
    with pytest.raises(ArgumentError):
        rates(J, t, velocity_limits=-1.0)
    with pytest.raises(ShapeError, match="velocity_limits"):
        rates(J, t, velocity_limits=[1.0, 2.0])


@pytest.mark.covers("KIN-14")
def test_directions_far_from_lost_are_not_damped() -> None:
    """Of two directions one is nearly lost: its gain is bounded, the other is exact."""
    J = np.diag([1.0, 1e-3])
    found = prioritised_rates([RateTask(J, [1.0, 1.0])], damps_below=0.05).v
    assert found[0] == 1.0 and 0.0 < found[1] < 1.0 / 0.05
    for sigma in np.geomspace(1e-6, 1.0, 50):
        gain = prioritised_rates([RateTask([[sigma]], [1.0])], damps_below=0.05).v[0]
        assert gain <= 1.0 / 0.05 * (1 + 1e-9) and (sigma < 0.05 or gain == pytest.approx(1.0 / sigma))


def test_pose_error_leads_from_one_pose_to_the_other() -> None:
    rng = np.random.default_rng(0)
    X, Y = PANDA.pose(PANDA.random(rng, 50), TOOL), PANDA.pose(PANDA.random(rng, 50), TOOL)
    e = pose_error(X, Y)
    R_X, R_Y = (scipy.spatial.transform.Rotation.from_matrix(P[:, :3, :3]) for P in (X, Y))
    expected = (R_Y * R_X.inv()).as_rotvec()
    assert np.abs(e[:, :3] - expected).max() < 1e-9
    assert np.abs(e[:, 3:] - (Y - X)[:, :3, 3]).max() < 1e-15


def test_bad_loops_are_explained() -> None:
    goal = Gap(Frame(TOOL), np.eye(4), gain=300.0)
    with pytest.raises(ArgumentError, match="gain"):
        follow(PANDA, READY, lambda time: [goal], 0.01, 10)
    with pytest.raises(ArgumentError, match="Gap"):
        closed_loop_rates(PANDA, READY, [])
    with pytest.raises(ArgumentError):
        follow(PANDA, READY, lambda time: [goal], 0.0, 10)


def test_without_gaps_only_the_secondary_motion_is_left() -> None:
    arm = sixvec.load("planar_2r")
    for mode in (CONTROL, SIMULATION):
        found = follow(arm, [0.1, 0.2], lambda _: [], 0.1, 3, secondary=lambda _: [1.0, -2.0], mode=mode)
        assert_close(found.q, [[0.1 + 0.1 * k, 0.2 - 0.2 * k] for k in range(4)], 1e-12, batched=False)
        assert found.errors == () and (found.scale == 1.0).all()
