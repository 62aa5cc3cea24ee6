"""Analysis at singular and open positions, and of samples that are not finite."""

from __future__ import annotations

import numpy as np
import pytest

import sixvec
from sixvec.analysis import (
    dynamic_manipulability,
    force_manipulability,
    mobility,
    velocity_manipulability,
    workspace,
)
from sixvec.constraints import assembled
from sixvec.ik import inverse_position
from sixvec.ik.redundancy import (
    Gap,
    close_gaps,
)
from sixvec.solve import Metric
from sixvec.tasks import Frame
from sixvec.viz import scene

TOOL = "panda_link8"
BENT = np.array([0.0, -0.8, 0.0, -2.4, 0.0, 1.6, 0.8])


def test_inverse_position_of_nan_is_unsolved_in_its_sample() -> None:
    arm = sixvec.load("panda")
    poses = np.stack([arm.pose(BENT, TOOL)] * 3)
    assert inverse_position(arm, poses, TOOL, BENT).solved.all()
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


def test_mobility_reports_open_loops() -> None:
    bars = sixvec.load("four_bar")
    guess = np.array([0.7, 0.0, 1.0])
    apart, together = mobility(bars, guess), mobility(bars, assembled(bars, guess))
    assert not apart.is_assembled
    assert apart.closure_error == pytest.approx(np.abs(bars.closure_error(guess)).max())
    assert "loops are open" in str(apart) and "assembled" in str(apart)
    assert together.is_assembled and "open" not in str(together)


def test_dynamic_manipulability_takes_a_metric_or_its_weight() -> None:
    """The joint weight has no part in it: the efforts say how joints compare."""
    arm, metric = sixvec.load("panda"), Metric.from_length(0.2, 7, rates=np.arange(1.0, 8.0))
    q = arm.random(0, 3)
    whole, weight = (dynamic_manipulability(arm, q, TOOL, x) for x in (metric, metric.task))
    np.testing.assert_array_equal(whole.radii, weight.radii)
    np.testing.assert_array_equal(whole.axes, weight.axes)


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
    within = close_gaps(arm, BENT, [Gap(Frame(TOOL), arm.pose(BENT + 0.1, TOOL))])
    assert within.solved and within.beyond_limits == ()
    q = BENT.copy()
    q[5] = arm.upper[5] + 0.2
    outside = close_gaps(arm, q, [Gap(Frame(TOOL), arm.pose(q, TOOL))])
    assert outside.solved and outside.beyond_limits == ("panda_joint6",)
