"""What has no meaning is refused by name, and what is not finite stays in its sample."""

from __future__ import annotations

import numpy as np
import pytest

import sixvec
from naming import named
from sixvec.analysis import chebyshev, distance_accuracy, dynamic_manipulability, pose_accuracy
from sixvec.errors import ArgumentError, DegenerateError, FrameNotFound, ShapeError
from sixvec.ik import inverse_position
from sixvec.ik.redundancy import (
    LoopGap,
    Obstacle,
    PoseGap,
    RateTask,
    VelocityBounds,
    chiaverini_damping,
    close_gaps,
    extended_inverse,
    joint_springs,
    motor_current,
    obstacle_avoidance,
    optimality_rows,
    prioritised_rates,
    rates_within_limits,
    task_error,
    velocity_bounds,
)

TOOL = "panda_link8"
BENT = np.array([0.0, -0.8, 0.0, -2.4, 0.0, 1.6, 0.8])


@pytest.fixture
def arm() -> sixvec.Robot:
    return sixvec.load("panda")


def test_a_gap_needs_a_pose_and_a_gain_that_closes_it(arm: sixvec.Robot) -> None:
    X = arm.pose(BENT, TOOL)
    with pytest.raises(ArgumentError, match=named("PoseGap", "panda_link8", "target")):
        PoseGap(TOOL, 2.0 * np.eye(4))
    with pytest.raises(ShapeError, match="PoseGap"):
        PoseGap(TOOL, np.eye(3))
    with pytest.raises(ShapeError, match="twist"):
        PoseGap(TOOL, X, twist=np.zeros(3))
    for gain in (-1.0, np.nan, np.inf):
        with pytest.raises(ArgumentError, match="gain"):
            PoseGap(TOOL, X, gain=gain)
        with pytest.raises(ArgumentError, match="gain"):
            LoopGap(TOOL, "panda_link0", gain=gain)
    with pytest.raises(ArgumentError, match=named("q")):
        LoopGap(TOOL, "panda_link0", directions="q")
    with pytest.raises(ArgumentError, match="PoseGap"):
        close_gaps(arm, BENT, [])
    with pytest.raises(ShapeError, match=named("q")):
        close_gaps(arm, np.stack([BENT, BENT]), [PoseGap(TOOL, X)])


def test_a_margin_must_leave_some_of_every_range(arm: sixvec.Robot) -> None:
    with pytest.raises(ArgumentError, match=named("margin", "panda_joint1")):
        velocity_bounds(arm, BENT, 0.01, margin=5.0)
    for margin in (-0.1, np.nan):
        with pytest.raises(ArgumentError, match="margin"):
            velocity_bounds(arm, BENT, 0.01, margin=margin)
    assert not velocity_bounds(arm, BENT, 0.01, margin=0.1).conflict()


def test_rates_within_limits_need_finite_numbers(arm: sixvec.Robot) -> None:
    J, bounds, t = arm.jacobian(BENT, TOOL), velocity_bounds(arm, BENT, 0.01), np.ones(6)
    broken = BENT * np.nan
    with pytest.raises(ArgumentError, match="secondary"):
        rates_within_limits(J, t, bounds, secondary=broken)
    with pytest.raises(ArgumentError, match=named("t")):
        rates_within_limits(J, t * np.inf, bounds)


def test_bounds_may_be_a_pair(arm: sixvec.Robot) -> None:
    J, t, upper = arm.jacobian(BENT, TOOL), np.array([0.0, 0.0, 0.0, 0.0, 5.0, 0.0]), np.full(7, 0.3)
    for policy in ("scaled", "nearest"):
        pair = rates_within_limits(J, t, (-upper, upper.tolist()), policy=policy)
        listed = rates_within_limits(J, t, VelocityBounds(-upper, upper, ("",) * 7, ("",) * 7, arm.joint_names),
                                    policy=policy)  # fmt: skip
        np.testing.assert_array_equal(pair.v, listed.v)
        assert np.abs(pair.v).max() == pytest.approx(0.3)
    with pytest.raises(DegenerateError, match="coordinate 2"):
        rates_within_limits(J, t, (np.where(np.arange(7) == 2, 0.3, -1.0), np.full(7, 0.1)))
    with pytest.raises(ShapeError, match="bounds"):
        rates_within_limits(J, t, (-upper, upper[:6]))
    with pytest.raises(ShapeError, match="bounds"):
        rates_within_limits(J, t, (-upper[:6], upper[:6]))
    with pytest.raises(ArgumentError, match=named("bounds[0]")):
        rates_within_limits(J, t, (-upper, upper * np.nan))
    for none in (1.0, upper, None):
        with pytest.raises(ArgumentError, match=named("bounds", "velocity_bounds")):
            rates_within_limits(J, t, none)


@pytest.mark.parametrize(
    ("state", "why"),
    [
        ({"acceleration": [1.0, 1.0, 1.0, -1.0, 1.0, 1.0, 1.0]}, "panda_joint4"),
        ({"acceleration": np.nan}, "panda_joint1"),
        ({"v": np.where(np.arange(7) == 5, np.inf, 0.0)}, named("v")),
        ({"q": np.where(np.arange(7) == 2, np.nan, BENT)}, named("q")),
    ],
)
def test_bounds_name_what_is_wrong(arm: sixvec.Robot, state: dict[str, object], why: str) -> None:
    with pytest.raises((ArgumentError, DegenerateError), match=why):
        velocity_bounds(arm, state.pop("q", BENT), 0.01, **state)


def test_springs_pull_and_obstacles_have_frames(arm: sixvec.Robot) -> None:
    with pytest.raises(ArgumentError, match=named("stiffness[0]")):
        joint_springs(arm, stiffness=-1.0)
    with pytest.raises(ArgumentError, match=named("stiffness[3]")):
        joint_springs(arm, stiffness=np.where(np.arange(7) == 3, np.nan, 1.0))
    with pytest.raises(ShapeError, match="stiffness"):
        joint_springs(arm, stiffness=np.ones(6))
    assert joint_springs(arm, stiffness=0.0).value(BENT) == 0.0
    ball = Obstacle((0.0, 0.0, 0.5), 0.1)
    with pytest.raises(FrameNotFound, match=named("zz")):
        obstacle_avoidance(arm, [TOOL, "zz"], [ball])
    with pytest.raises(ArgumentError, match="frames"):
        obstacle_avoidance(arm, TOOL, [ball])
    with pytest.raises(ArgumentError, match="stiffness"):
        obstacle_avoidance(arm, [TOOL], [ball], stiffness=-1.0)


def test_damping_is_not_negative(arm: sixvec.Robot) -> None:
    with pytest.raises(ArgumentError, match="largest"):
        chiaverini_damping(0.01, 0.1, -1.0)
    with pytest.raises(ArgumentError, match="damping"):
        prioritised_rates([RateTask(np.eye(2), [1.0, 1.0])], damping=-0.1)


def test_criteria_check_their_parameters(arm: sixvec.Robot) -> None:
    with pytest.raises(ArgumentError, match="Obstacle"):
        Obstacle((0.0, 0.0, 0.0), -1.0)
    with pytest.raises(ArgumentError, match="margin"):
        obstacle_avoidance(arm, [TOOL], [Obstacle((0.0, 0.0, 0.0), 1.0)], margin=np.nan)
    with pytest.raises(ShapeError, match="torque_constants"):
        motor_current(arm, np.ones(6))
    with pytest.raises(DegenerateError, match="torque"):
        motor_current(arm, np.nan)
    with pytest.raises(ShapeError, match="velocity"):
        task_error(arm, TOOL, np.zeros(3))
    with pytest.raises(ShapeError, match=named("q")):
        optimality_rows(arm, np.stack([BENT, BENT]), TOOL, joint_springs(arm))


def test_what_is_not_finite_stays_in_its_sample(arm: sixvec.Robot) -> None:
    q = np.stack([BENT, BENT * np.nan])
    J = arm.jacobian(q, TOOL)
    B = extended_inverse(J, np.eye(7)[:1])
    assert np.isfinite(B[0]).all() and np.isnan(B[1]).all()
    moved = dynamic_manipulability(arm, q, TOOL, np.eye(6))
    assert np.isfinite(moved.volume[0]) and np.isnan(moved.volume[1]) and np.isnan(moved.isotropy[1])
    alone = dynamic_manipulability(arm, BENT, TOOL, np.eye(6))
    np.testing.assert_allclose(moved.radii[0], alone.radii)


def test_measurements_and_counts_are_checked(arm: sixvec.Robot) -> None:
    with pytest.raises(ArgumentError, match=named("pose_accuracy", "attained[0]")):
        pose_accuracy(np.eye(4), np.stack([2.0 * np.eye(4)] * 3))
    with pytest.raises(ArgumentError, match="positions"):
        distance_accuracy(np.zeros((2, 3)), np.full((3, 2, 3), np.nan))
    with pytest.raises(ArgumentError, match="links"):
        chebyshev(-1, 2, 2)
    with pytest.raises(ShapeError, match=named("inverse_position", "q0")):
        inverse_position(arm, np.eye(4), TOOL, np.zeros(6))
