"""Input that has no meaning is refused by name; answers that hold only in part say so."""

from __future__ import annotations

import numpy as np
import pytest

import sixvec
from sixvec.analysis import (
    Metric,
    assembled,
    calibrate,
    force_manipulability,
    inverse_position,
    mobility,
    singularity,
    velocity_manipulability,
    workspace,
)
from sixvec.errors import ArgumentError, ShapeError
from sixvec.redundancy import (
    CONTROL,
    SIMULATION,
    PoseGap,
    Task,
    close_gaps,
    damped_least_squares,
    prioritised_rates,
    rates,
    resolved_rates,
)
from sixvec.viz import scene

TOOL = "panda_link8"
BENT = np.array([0.0, -0.8, 0.0, -2.4, 0.0, 1.6, 0.8])


def test_inverse_position_refuses_what_is_no_rotation() -> None:
    arm = sixvec.load("panda")
    poses = np.stack([arm.pose(BENT, TOOL)] * 3)
    assert inverse_position(arm, poses, TOOL, BENT).solved.all()
    with pytest.raises(ArgumentError, match=r"pose holds no rotation.*deviates by 8"):
        inverse_position(arm, np.eye(4) * 3, TOOL, BENT)
    poses[2, :3, 0] *= -1.0
    with pytest.raises(ArgumentError, match=r"pose\[2\].*mirror image"):
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
    with pytest.raises(ArgumentError, match=r"q\[3\]"):
        singularity(arm, q, TOOL, Metric.from_length(0.2, 7))
    with pytest.raises(ArgumentError, match="q is"):
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
    with pytest.raises(ArgumentError, match=r"measured\[4\] holds no rotation.*0\.69"):
        calibrate(arm, q, measured, TOOL)


def test_task_velocities_must_fit_the_rows() -> None:
    J, t = sixvec.load("panda").jacobian(BENT, TOOL), np.ones(6)
    expected = r"t has shape \(3,\), but J has 6 rows: t must have 6 numbers"
    with pytest.raises(ShapeError, match=expected):
        resolved_rates(J, t[:3])
    with pytest.raises(ShapeError, match=expected):
        damped_least_squares(J, t[:3], 0.1)
    for mode in (CONTROL, SIMULATION):
        with pytest.raises(ShapeError, match=expected):
            rates(J, t[:3], mode)
    with pytest.raises(ShapeError, match=r"secondary has shape \(6,\), but J has 7 columns"):
        resolved_rates(J, t, secondary=t)
    with pytest.raises(ShapeError, match="the velocity of task 1 has shape"):
        prioritised_rates([Task(J[:3], t[:3]), Task(J[3:], t)])


def test_a_workspace_is_short_in_print_and_draws_itself() -> None:
    arm = sixvec.load("planar_2r")
    found = workspace(arm, "tip", Metric.from_length(1.0, 2), samples=500, cell=0.2)
    for text in (repr(found), str(found)):
        assert text.startswith(f"Workspace: 500 samples in {len(found.cells)} cells of 0.2 m; x -")
        assert len(text) < 120 and "array" not in text
    ax = scene(pytest.importorskip("matplotlib.figure").Figure())
    marks = found.draw(ax, found.mobility)
    assert marks.axes is ax and marks.get_array().shape == (len(found.cells),)


def test_closed_gaps_name_joints_beyond_their_limits() -> None:
    arm = sixvec.load("panda")
    within = close_gaps(arm, BENT, [PoseGap(TOOL, arm.pose(BENT + 0.1, TOOL))])
    assert within.converged and within.beyond_limits == ()
    q = BENT.copy()
    q[5] = arm.upper[5] + 0.2
    outside = close_gaps(arm, q, [PoseGap(TOOL, arm.pose(q, TOOL))])
    assert outside.converged and outside.beyond_limits == ("panda_joint6",)
