"""Closed-loop inverse kinematics: errors and loop gaps decay at the rate of the gain; two modes of one solver."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.spatial.transform
from planar_arms import five_bar, planar

import sixvec
from sixvec.errors import ArgumentError, DegenerateError
from sixvec.redundancy import (
    CONTROL,
    SIMULATION,
    LoopGap,
    PoseGap,
    close_gaps,
    closed_loop_rates,
    follow,
    pose_error,
    rates,
)
from sixvec.spatial import Rotation, Vec3
from tolerances import assert_close

PANDA = sixvec.load("panda")
TOOL = "panda_link8"
READY = np.array([0.0, -0.8, 0.0, -2.4, 0.0, 1.6, 0.8])
TIPS = LoopGap("left_tip", "right_tip", gain=20.0, directions="x y")
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
    goal = PoseGap(TOOL, displaced(turn, 0.05), gain=gain)
    run = follow(PANDA, READY, lambda time: [goal], step, 800)
    time = step * np.arange(801)
    ratio = run.errors[0] / (run.errors[0][0] * np.exp(-gain * time))
    assert np.abs(ratio - 1.0).max() < 0.02
    assert run.errors[0][-1] < 0.14 * run.errors[0][0]  # exp(-2)


@pytest.mark.covers("KIN-15")
def test_a_moving_target_is_followed_without_lag() -> None:
    """With the target's twist fed forward the error stays at that of the step; without it, it lags by v/K."""
    speed, step, gain = np.array([0.0, 0.0, 0.2, 0.05, -0.04, 0.03]), 2e-3, 10.0
    start = PANDA.pose(READY, TOOL)

    def goal(time: float, twist: np.ndarray) -> list[PoseGap]:
        X = start.copy()
        X[:3, :3] = np.array(Rotation.about_z(0.2 * time).as_matrix(), float) @ X[:3, :3]
        X[:3, 3] += time * speed[3:]
        return [PoseGap(TOOL, X, twist, gain)]

    fed = follow(PANDA, READY, lambda time: goal(time, speed), step, 500)
    lagging = follow(PANDA, READY, lambda time: goal(time, np.zeros(6)), step, 500)
    assert fed.errors[0].max() < 1e-4
    assert abs(lagging.errors[0][-1] / (np.linalg.norm(speed) / gain) - 1.0) < 0.05


@pytest.mark.covers("KIN-15")
def test_error_rate_is_minus_the_matrix_times_the_velocity() -> None:
    """With A q̇ = e the error shrinks at its own rate, ė = -e: both kinds of gap, by differences."""
    q, step = READY + 0.2, 1e-6
    chain = [LoopGap("panda_link1", TOOL), LoopGap(TOOL, "panda_link1")]  # six joints lie between the two frames
    for gap in (PoseGap(TOOL, displaced(0.9, 0.1)), *chain):
        found = closed_loop_rates(PANDA, q, [gap])
        assert np.abs(found.residuals[0]).max() < 1e-9
        ahead, behind = (gap.error(PANDA, PANDA.integrate(q, s * step * found.velocity)) for s in (1.0, -1.0))
        expected = gap.error(PANDA, q)
        assert_close((ahead - behind) / (2 * step), -expected, 1e-6, batched=False)


@pytest.mark.covers("KIN-15")
def test_loop_gaps_close_and_stay_closed_while_the_linkage_works() -> None:
    """A five-bar linkage cut at its tip: the loop first, then the left tip goes round a circle."""
    robot, step = five_bar(), 1e-3
    closed = close_gaps(robot, APART, [TIPS])
    assert closed.converged and np.abs(TIPS.error(robot, closed.position)).max() < 1e-12
    start = robot.pose(closed.position, "left_tip")
    turn = 2.0 * np.pi

    def gaps(time: float) -> list[LoopGap | PoseGap]:
        X, radius = start.copy(), 0.1
        X[:2, 3] += radius * np.array([np.cos(turn * time) - 1.0, np.sin(turn * time)])
        twist = radius * turn * np.array([0.0, 0.0, 0.0, -np.sin(turn * time), np.cos(turn * time), 0.0])
        return [TIPS, PoseGap("left_tip", X, twist, 20.0, "x y")]

    run = follow(robot, closed.position, gaps, step, 500)
    assert run.errors[0].max() < 1e-3 and run.errors[1].max() < 2e-3
    # From an open loop, the gap decays at its own rate whatever the lower task does.
    opened = follow(robot, closed.position + np.array([0.05, 0.0, 0.0, 0.0]), gaps, step, 100)
    decay = opened.errors[0][100] / opened.errors[0][0]
    assert abs(decay / np.exp(-20.0 * 0.1) - 1.0) < 0.1


@pytest.mark.covers("KIN-15")
def test_secondary_motion_does_not_disturb_the_target() -> None:
    goal = PoseGap(TOOL, PANDA.pose(READY, TOOL), gain=20.0)
    run = follow(PANDA, READY, lambda time: [goal], 5e-3, 200, secondary=lambda q: np.array([0, 0, 1.0, 0, 0, 0, 0]))
    assert run.errors[0].max() < 1e-3
    assert np.abs(run.positions[-1] - READY).max() > 0.3


@pytest.mark.covers("KIN-14")
def test_simulation_closes_tightly_and_control_answers_at_once() -> None:
    goal = PoseGap(TOOL, PANDA.pose(READY + 0.3, TOOL))
    tight = close_gaps(PANDA, READY, [goal], SIMULATION)
    assert tight.converged and tight.error < 1e-12 and tight.iterations < 20
    quick = close_gaps(PANDA, READY, [goal], CONTROL)
    assert quick.iterations == CONTROL.iterations and not quick.converged
    assert quick.error < np.abs(goal.error(PANDA, READY)).max()
    assert np.abs(quick.position - READY).max() <= CONTROL.iterations * CONTROL.largest_step + 1e-12


@pytest.mark.covers("KIN-14")
def test_unreachable_targets_end_with_the_nearest_error() -> None:
    """Stretched towards a point 3 m away, a 2 m arm is 1 m short, and both modes say so."""
    arm, target = planar(2), np.eye(4)
    target[0, 3] = 3.0
    goal = PoseGap("tip", target, directions="x y")
    ended = close_gaps(arm, np.array([0.5, 0.4]), [goal], SIMULATION)
    assert not ended.converged and ended.iterations <= SIMULATION.iterations
    assert 1.0 - 1e-9 <= ended.error < 1.1
    for start in ([1.5, 1.0], [-0.9, 2.0]):  # without stepping back it ends 0.6 % and 6 % farther away
        assert 1.0 - 1e-9 <= close_gaps(arm, np.array(start), [goal], SIMULATION).error < 1.001
    again = close_gaps(arm, np.array([0.5, np.nan]), [goal], SIMULATION)
    assert not again.converged and again.error == np.inf


@pytest.mark.covers("KIN-14")
def test_at_a_singularity_control_is_bounded_and_simulation_refuses() -> None:
    arm = planar(2)
    J = arm.jacobian([0.0, 0.0], "tip")[3:5]
    across, along = [0.0, 1.0], [1.0, 0.0]
    assert np.abs(rates(J, along, CONTROL)).max() < 1e-12
    assert np.abs(J @ rates(J, across, CONTROL) - across).max() < 0.01
    assert np.abs(J @ rates(J, across, SIMULATION) - across).max() < 1e-12
    with pytest.raises(DegenerateError, match="robot is singular here"):
        rates(J, along, SIMULATION)
    near = arm.jacobian([0.0, 1e-4], "tip")[3:5]
    assert np.abs(rates(near, along, SIMULATION)).max() > 1e3 > 10.0 > np.abs(rates(near, along, CONTROL)).max()


def test_pose_error_leads_from_one_pose_to_the_other() -> None:
    rng = np.random.default_rng(0)
    X, Y = PANDA.pose(PANDA.random(rng, 50), TOOL), PANDA.pose(PANDA.random(rng, 50), TOOL)
    e = pose_error(X, Y)
    R_X, R_Y = (scipy.spatial.transform.Rotation.from_matrix(P[:, :3, :3]) for P in (X, Y))
    expected = (R_Y * R_X.inv()).as_rotvec()
    assert np.abs(e[:, :3] - expected).max() < 1e-9
    assert np.abs(e[:, 3:] - (Y - X)[:, :3, 3]).max() < 1e-15


def test_bad_loops_are_explained() -> None:
    goal = PoseGap(TOOL, np.eye(4), gain=300.0)
    with pytest.raises(ArgumentError, match="diverges"):
        follow(PANDA, READY, lambda time: [goal], 0.01, 10)
    with pytest.raises(ArgumentError, match="nothing to do"):
        closed_loop_rates(PANDA, READY, [])
    with pytest.raises(ArgumentError, match="both must be positive"):
        follow(PANDA, READY, lambda time: [goal], 0.0, 10)
