"""Input that has no meaning is refused by name; answers that hold only in part say so."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import sixvec
from naming import named
from sixvec.analysis import (
    configuration,
    dynamic_manipulability,
    force_manipulability,
    mobility,
    rate_demand,
    singularity,
    velocity_manipulability,
    workspace,
)
from sixvec.constraints import assembled
from sixvec.errors import ArgumentError, ShapeError
from sixvec.identification import calibrate
from sixvec.ik import inverse_acceleration, inverse_position, inverse_velocity
from sixvec.ik.redundancy import (
    CONTROL,
    SIMULATION,
    PoseGap,
    RateTask,
    close_gaps,
    damped_least_squares,
    prioritised_rates,
    rates,
    resolved_rates,
)
from sixvec.solve import Metric
from sixvec.viz import scene

TOOL = "panda_link8"
BENT = np.array([0.0, -0.8, 0.0, -2.4, 0.0, 1.6, 0.8])


def test_inverse_position_refuses_what_is_no_rotation() -> None:
    arm = sixvec.load("panda")
    poses = np.stack([arm.pose(BENT, TOOL)] * 3)
    assert inverse_position(arm, poses, TOOL, BENT).solved.all()
    with pytest.raises(ArgumentError, match=named("inverse_position", "pose")):
        inverse_position(arm, np.eye(4) * 3, TOOL, BENT)
    poses[2, :3, 0] *= -1.0
    with pytest.raises(ArgumentError, match=named("inverse_position", "pose[2]")):
        inverse_position(arm, poses, TOOL, BENT)
    poses[2] = np.nan
    assert inverse_position(arm, poses, TOOL, BENT).solved.tolist() == [True, True, False]


def test_a_singular_arm_bears_infinite_force() -> None:
    """With the arm stretched upwards a direction is lost: no force along it loads a motor."""
    arm, metric = sixvec.load("panda"), Metric.from_length(0.2, 7)
    q = np.stack([np.zeros(7), BENT])
    force, velocity = force_manipulability(arm, q, TOOL, metric), velocity_manipulability(arm, q, TOOL, metric)
    assert np.isposinf(force.radii[0, -1]) and np.isposinf(force.volume[0])
    assert force.isotropy[0] == 0.0
    np.testing.assert_allclose(force.radii[1], 1.0 / velocity.radii[1])
    pin = sixvec.load("planar_2r")
    nowhere = force_manipulability(pin, [0.0, 0.0], pin.frame_names[0], Metric.from_length(1.0, 2))
    assert (nowhere.radii > 0.0).all() and np.isposinf(nowhere.volume)


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_singularity_and_mobility_refuse_positions_that_are_not_finite(bad: float) -> None:
    arm = sixvec.load("panda")
    q = BENT.copy()
    q[3] = bad
    with pytest.raises(ArgumentError, match=named("singularity", "q")):
        singularity(arm, q, TOOL, Metric.from_length(0.2, 7))
    with pytest.raises(ArgumentError, match=named("mobility", "q")):
        mobility(arm, q)


def test_mobility_says_that_loops_are_open() -> None:
    bars = sixvec.load("four_bar")
    guess = np.array([0.7, 0.0, 1.0])
    apart, together = mobility(bars, guess), mobility(bars, assembled(bars, guess))
    assert not apart.is_assembled
    assert apart.closure_error == pytest.approx(np.abs(bars.closure_error(guess)).max())
    assert "loops are open" in str(apart) and "assembled" in str(apart)
    assert together.is_assembled and "open" not in str(together)


def test_calibration_refuses_measurements_that_are_no_rotations() -> None:
    arm = sixvec.load("panda")
    q = arm.random(0, 10)
    measured = arm.pose(q, TOOL)
    assert calibrate(arm, q, np.round(measured, 4), TOOL).converged
    measured[[4, 7], :3, :3] *= 1.3
    with pytest.raises(ArgumentError, match=named("calibrate", "measured[4]")):
        calibrate(arm, q, measured, TOOL)


def test_calibration_names_the_measurement_that_is_not_finite() -> None:
    arm = sixvec.load("panda")
    q = arm.random(0, 10)
    measured = arm.pose(q, TOOL)
    measured[3, 0, 3] = np.nan
    with pytest.raises(ArgumentError, match=named("calibrate", "measured")):
        calibrate(arm, q, measured, TOOL)
    with pytest.raises(ArgumentError, match=named("calibrate", "measured")):
        calibrate(arm, q, measured[:, :3, 3], TOOL)
    measured[[5, 7]] = np.inf
    with pytest.raises(ArgumentError, match=named("calibrate", "measured")):
        calibrate(arm, q, measured, TOOL)
    q[6, 2] = np.nan
    with pytest.raises(ArgumentError, match=named("calibrate", "q")):
        calibrate(arm, q, measured, TOOL)
    with pytest.raises(ShapeError, match=named("calibrate", "q")):
        calibrate(arm, q[:0], measured[:0], TOOL)


@pytest.mark.parametrize(
    "ask",
    [
        lambda arm, metric: singularity(arm, BENT, TOOL, metric),
        lambda arm, metric: rate_demand(arm, BENT, np.ones(6), TOOL, metric),
        lambda arm, metric: velocity_manipulability(arm, BENT, TOOL, metric),
        lambda arm, metric: force_manipulability(arm, BENT, TOOL, metric),
        lambda arm, metric: dynamic_manipulability(arm, BENT, TOOL, metric),
        lambda arm, metric: inverse_velocity(arm, BENT, np.ones(6), TOOL, metric=metric),
        lambda arm, metric: inverse_acceleration(arm, BENT, BENT, np.ones(6), TOOL, metric=metric),
        lambda arm, metric: workspace(arm, TOOL, metric, samples=10),
        lambda arm, metric: configuration(arm, BENT, TOOL, metric),
    ],
)
def test_a_metric_must_be_made_for_the_robot(ask: Callable[[sixvec.Robot, Metric], object]) -> None:
    arm = sixvec.load("panda")
    with pytest.raises(ShapeError, match=named("Metric.from_length")):
        ask(arm, Metric.from_length(0.2, 6))
    with pytest.raises(ShapeError, match="twist"):
        ask(arm, Metric(np.eye(3), np.eye(7)))


def test_what_is_no_metric_is_refused_by_name() -> None:
    arm = sixvec.load("panda")
    for ask in (singularity, velocity_manipulability, force_manipulability):
        with pytest.raises(TypeError, match="Metric"):
            ask(arm, BENT, TOOL, np.eye(6))


def test_dynamic_manipulability_takes_a_metric_or_its_weight() -> None:
    """The joint weight has no part in it: the efforts say how joints compare."""
    arm, metric = sixvec.load("panda"), Metric.from_length(0.2, 7, rates=np.arange(1.0, 8.0))
    q = arm.random(0, 3)
    whole, weight = (dynamic_manipulability(arm, q, TOOL, x) for x in (metric, metric.task))
    np.testing.assert_array_equal(whole.radii, weight.radii)
    np.testing.assert_array_equal(whole.axes, weight.axes)


def test_task_velocities_must_fit_the_rows() -> None:
    J, t = sixvec.load("panda").jacobian(BENT, TOOL), np.ones(6)
    expected = named("t", "J")
    with pytest.raises(ShapeError, match=expected):
        resolved_rates(J, t[:3])
    with pytest.raises(ShapeError, match=expected):
        damped_least_squares(J, t[:3], 0.1)
    for mode in (CONTROL, SIMULATION):
        with pytest.raises(ShapeError, match=expected):
            rates(J, t[:3], mode)
    with pytest.raises(ShapeError, match=named("secondary", "J")):
        resolved_rates(J, t, secondary=t)
    with pytest.raises(ShapeError, match=named("J")):
        prioritised_rates([RateTask(J[:3], t[:3]), RateTask(J[3:], t)])


def test_a_workspace_is_short_in_print_and_draws_itself() -> None:
    arm = sixvec.load("planar_2r")
    found = workspace(arm, "tip", Metric.from_length(1.0, 2), samples=500, cell=0.2)
    for text in (repr(found), str(found)):
        assert text.startswith(f"Workspace: 500 samples in {len(found.cells)} cells of 0.2 m; {found.volume:.3g} ±")
        assert len(text) < 120 and "array" not in text
    ax = scene(pytest.importorskip("matplotlib.figure").Figure())
    marks = found.draw(ax, found.mobility)
    assert marks.axes is ax and marks.get_array().shape == (len(found.cells),)


def test_closed_gaps_name_joints_beyond_their_limits() -> None:
    arm = sixvec.load("panda")
    within = close_gaps(arm, BENT, [PoseGap(TOOL, arm.pose(BENT + 0.1, TOOL))])
    assert within.solved and within.beyond_limits == ()
    q = BENT.copy()
    q[5] = arm.upper[5] + 0.2
    outside = close_gaps(arm, q, [PoseGap(TOOL, arm.pose(q, TOOL))])
    assert outside.solved and outside.beyond_limits == ("panda_joint6",)
