"""The closest position to what is out of reach, against SciPy's constrained minimisation of the same squared error."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.spatial.transform import Rotation

import sixvec
from sixvec import Robot
from sixvec.ik import PoseTask, Verdict, solve

ARMS = {"panda": "panda_link8", "ur5e": "tool0", "planar_2r": "link2"}
GAIN = 1e-9
"""m² and rad²: what SciPy may still gain on an error of about 1; its own steps end there."""


def _squared_error(robot: Robot, frame: str, target: Any) -> Any:
    def squared(q: Any) -> float:
        X = robot.pose(q, frame)
        turn = Rotation.from_matrix(X[:3, :3].T @ target[:3, :3]).magnitude()
        return float(np.sum((X[:3, 3] - target[:3, 3]) ** 2) + turn**2)

    return squared


@pytest.mark.every(3)
@pytest.mark.parametrize("name", ARMS)
def test_no_other_minimiser_comes_closer(name: str) -> None:
    robot = sixvec.load(name)
    frame = ARMS[name]
    rng = np.random.default_rng(0)
    X = robot.pose(robot.random(3, 3), frame)
    X[:, :3, 3] *= rng.uniform(2.5, 5.0, (3, 1)) / np.linalg.norm(X[:, :3, 3], axis=1, keepdims=True)
    answer = solve(robot, {PoseTask(frame): X})
    assert (answer.verdict == Verdict.UNREACHABLE).all()
    bounds = list(zip(np.maximum(robot.lower, -7.0), np.minimum(robot.upper, 7.0), strict=True))
    for k, target in enumerate(X):
        squared = _squared_error(robot, frame, target)
        ours = squared(answer.q[k])
        assert ours == pytest.approx(answer.position_error[k] ** 2 + answer.rotation_error[k] ** 2, rel=1e-9)
        for start in (answer.q[k], *robot.random(k, 2)):
            theirs = minimize(squared, start, method="L-BFGS-B", bounds=bounds, options={"ftol": 1e-14, "gtol": 1e-9})
            assert ours < theirs.fun + GAIN


def test_within_limits_the_closest_is_pressed_against_them() -> None:
    """Karush-Kuhn-Tucker: joints inside their range feel no slope; those at a limit are pushed against it."""
    robot = sixvec.load("panda")
    X = robot.pose(robot.random(8, 40), "panda_link8")
    X[:, :3, 3] *= 2.0
    answer = solve(robot, {PoseTask("panda_link8"): X})
    far = answer.verdict == Verdict.UNREACHABLE
    assert far.sum() > 20
    q, target = answer.q[far], X[far]
    here = robot.pose(q, "panda_link8")
    turn = Rotation.from_matrix(target[:, :3, :3] @ np.swapaxes(here[:, :3, :3], 1, 2)).as_rotvec()
    missing = np.concatenate([turn, target[:, :3, 3] - here[:, :3, 3]], axis=1)
    push = np.einsum("nij,ni->nj", robot.jacobian(q, "panda_link8"), missing)
    inside = (q > robot.lower) & (q < robot.upper)
    assert np.abs(push[inside]).max() < 1e-5
    assert (push[q >= robot.upper] > -1e-5).all() and (push[q <= robot.lower] < 1e-5).all()
    assert (~inside).any()


def test_of_several_hollows_the_deepest_is_found() -> None:
    """Poses with a second closest position whose squared error is greater by 2e-4 to 7e-3 only."""
    robot = sixvec.load("panda")
    rng = np.random.default_rng(0)
    X = robot.pose(robot.random(3, 100), "panda_link8")
    X[:, :3, 3] *= rng.uniform(1.2, 3.0, (100, 1)) / np.linalg.norm(X[:, :3, 3], axis=1, keepdims=True)
    X = X[[10, 97]]
    answer = solve(robot, {PoseTask("panda_link8"): X})
    assert (answer.verdict == Verdict.UNREACHABLE).all()
    bounds = list(zip(robot.lower, robot.upper, strict=True))
    for k, target in enumerate(X):
        ours = answer.position_error[k] ** 2 + answer.rotation_error[k] ** 2

        def squared(q: Any, target: Any = target) -> tuple[float, Any]:
            here = robot.pose(q, "panda_link8")
            turn = Rotation.from_matrix(target[:3, :3] @ here[:3, :3].T).as_rotvec()
            missing = np.concatenate([turn, target[:3, 3] - here[:3, 3]])
            return float(missing @ missing), -2.0 * robot.jacobian(q, "panda_link8").T @ missing

        found = [
            minimize(squared, q, jac=True, method="L-BFGS-B", bounds=bounds, options={"ftol": 1e-14, "gtol": 1e-9}).fun
            for q in robot.random(99, 12)
        ]
        assert ours < min(found) + GAIN
        assert max(found) > ours + 1e-2  # there are others
