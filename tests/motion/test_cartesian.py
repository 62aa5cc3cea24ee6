"""Lines, circles and screws: the frame stays on them, and what cannot be reached is said."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import sixvec as sv
from sixvec import motion
from sixvec.errors import SixvecError
from sixvec.verdict import Verdict

ARM = sv.load("panda")
TOOL = "panda_link8"
Q = np.array([0.0, -0.4, 0.0, -2.0, 0.0, 1.6, 0.8])
START = ARM.pose(Q, TOOL)


def poses(path: motion.CartesianPath) -> Any:
    assert path
    return ARM.pose(path.q(np.linspace(0.0, path.length, 1001)), TOOL)


@pytest.mark.covers("TIME-04")
@pytest.mark.parametrize("deviation", [1e-3, 1e-5])
def test_a_line_is_straight_and_turns_about_one_axis(deviation: float) -> None:
    goal = ARM.pose(Q + 0.2, TOOL)
    X = poses(motion.line(ARM, START, goal, TOOL, Q, deviation=deviation))
    s = np.linspace(0.0, 1.0, 1001)[:, None]
    assert abs(X[:, :3, 3] - START[:3, 3] - s * (goal - START)[:3, 3]).max() < 1.5 * deviation
    turn = START[:3, :3].T @ X[:, :3, :3]
    axis = np.stack([turn[:, 2, 1] - turn[:, 1, 2], turn[:, 0, 2] - turn[:, 2, 0], turn[:, 1, 0] - turn[:, 0, 1]], -1)[
        1:
    ]
    unit = axis / np.linalg.norm(axis, axis=1, keepdims=True)
    assert abs(unit[100:] - unit[-1]).max() < 100 * deviation


def test_a_joint_that_stays_at_its_limit_does_not_exceed_it_between_poses() -> None:
    """The second joint reaches its limit, and the others carry on: a spline through the poses would overshoot."""
    goal = START.copy()
    goal[0, 3] -= 1.0
    path = motion.line(ARM, START, goal, TOOL, deviation=1e-3)
    assert path and path.deviation <= 1e-3
    q = path.q(np.linspace(0.0, path.length, 20001))
    assert (q - ARM.lower).min(axis=0)[1] < 1e-2  # it is there
    assert (q >= ARM.lower).all() and (q <= ARM.upper).all()
    assert abs(poses(path)[-1] - goal).max() < 2e-3


def test_a_screw_has_one_axis_and_one_pitch() -> None:
    """Seen from its start, equal parts of the way are the same displacement."""
    X = poses(motion.screw(ARM, START, ARM.pose(Q + 0.2, TOOL), TOOL, Q, deviation=1e-6))
    steps = np.linalg.inv(X[:-1:100]) @ X[100::100]
    assert abs(steps - steps[0]).max() < 1e-5


@pytest.mark.parametrize("turns", [True, False])
def test_a_circle_closes_and_keeps_its_distance(turns: bool) -> None:
    centre = START[:3, 3] + [0.0, 0.08, 0.0]
    angle = 1.0 if turns else 2 * np.pi
    X = poses(motion.circle(ARM, START, centre, [1.0, 0.0, 0.0], angle, TOOL, Q, turns=turns))
    assert abs(np.linalg.norm(X[:, :3, 3] - centre, axis=1) - 0.08).max() < 2e-4
    assert abs(X[:, 0, 3] - START[0, 3]).max() < 2e-4
    if turns:
        assert abs(X[-1, :3, :3] @ START[:3, :3].T - X[-1, :3, :3] @ START[:3, :3].T).max() < 1e-9
    else:
        assert abs(X[:, :3, :3] - START[:3, :3]).max() < 2e-4 and abs(X[-1] - START).max() < 2e-4


def test_pose_splines_go_through_their_poses_smoothly() -> None:
    interpolate = pytest.importorskip("scipy.interpolate")
    turns = pytest.importorskip("scipy.spatial.transform").Rotation
    through = ARM.pose(np.array([Q, Q + 0.15, Q + np.array([0.3, 0.1, 0, 0.1, 0.2, 0, 0]), Q + 0.3]), TOOL)
    path = motion.pose_spline(ARM, through, TOOL, Q, deviation=1e-6)
    X = poses(path)
    values = np.concatenate([turns.from_matrix(START[:3, :3].T @ through[:, :3, :3]).as_rotvec(), through[:, :3, 3]], 1)
    knots = np.append(0.0, np.cumsum(np.linalg.norm(np.diff(values, axis=0), axis=1)))
    expected = interpolate.CubicSpline(knots, values, bc_type="natural")(np.linspace(0.0, knots[-1], 1001))
    assert abs(X[:, :3, 3] - expected[:, 3:]).max() < 1e-5
    assert abs(X[:, :3, :3] - START[:3, :3] @ turns.from_rotvec(expected[:, :3]).as_matrix()).max() < 1e-5
    move = motion.time_optimal(path, acceleration=10.0, torque=None)
    assert move and not (move.speed[1:-1] == 0.0).any()
    with pytest.raises(SixvecError, match="poses 1 and 2"):
        motion.pose_spline(ARM, through[[0, 1, 1]], TOOL, Q)


def test_paths_can_be_timed() -> None:
    path = motion.line(ARM, START, ARM.pose(Q + 0.2, TOOL), TOOL, Q)
    fast = motion.time_optimal(path, acceleration=10.0, torque=None, points=400)
    assert fast and ARM.check_motion(fast, acceleration=10.0)


def test_what_cannot_be_reached_is_said() -> None:
    goal = START.copy()
    goal[0, 3] += 2.0
    path = motion.line(ARM, START, goal, TOOL, Q)
    assert not path and path.verdict != Verdict.SOLVED and 0.0 < path.reached < 0.5
    assert np.isnan(path.q(0.1)).all() and "after" in repr(path)
    assert motion.time_optimal(path, torque=None).verdict == Verdict.INVALID


@pytest.mark.parametrize(
    ("name", "arguments", "word"),
    [
        ("line", (START, START, TOOL), "path"),
        ("line", (START, np.eye(3), TOOL), "X1"),
        ("line", (START, np.diag([2.0, 1, 1, 1]), TOOL), "X1"),
        ("line", (START, np.eye(4), "tol"), "tol"),
        ("circle", (START, np.zeros(3), np.zeros(3), 1.0, TOOL), "axis"),
        ("circle", (START, np.zeros(3), [0, 0, 1], np.nan, TOOL), "angle"),
        ("screw", (START, np.full((4, 4), np.nan), TOOL), "X1"),
    ],
)
def test_wrong_arguments_are_named(name: str, arguments: Any, word: str) -> None:
    with pytest.raises(SixvecError, match=word):
        getattr(motion, name)(ARM, *arguments)
