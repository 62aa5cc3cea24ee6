"""The general solver loses no solution: against search from random starts, at right angles and at singularities."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from general_arms import ARMS, SAME_ROOT, SINGULAR, GeneralArm, Result
from multi_start import solutions

ACCURACY = 1e-9
"""Metres and radians: what is asked of every solution."""

RIGHT_ANGLES = np.array([0.0, np.pi / 2, np.pi, -np.pi / 2])

NEAR_SINGULAR = 1e-3
"""Least singular value below which two solutions may be too near to each other to be told apart, as in multi_start."""


def assert_exact(arm: GeneralArm, poses: np.ndarray, answer: Result) -> None:
    valid = answer.solutions.valid
    error = np.abs(arm.pose(np.nan_to_num(answer.solutions.q)) - poses[:, None]).max((-1, -2))
    assert error[valid].max() < ACCURACY


def assert_random_poses_complete(name: str, n: int, starts: int) -> None:
    """What the search finds is there, without a warning, and the number is even: the map to poses has degree zero."""
    arm = GeneralArm.named(name)
    q = np.random.default_rng(31).uniform(-np.pi, np.pi, (n, 6))
    poses = arm.pose(q)
    answer = arm.solve(poses)
    assert_exact(arm, poses, answer)
    assert answer.holds(q[:, None]).all()
    searched, good = solutions(arm.robot, arm.frame, poses, starts, seed=32)
    assert good.mean() > 0.2  # otherwise the search would prove nothing
    missed = good & ~answer.holds(searched)
    assert not missed.any(), f"{missed.sum()} of {good.sum()} solutions are missing"
    assert not answer.warned.any()
    sigma = arm.least_singular_value(np.nan_to_num(answer.solutions.q))
    away = np.where(answer.solutions.valid, sigma, np.inf).min(-1) > NEAR_SINGULAR
    assert away.mean() > 0.8
    assert (answer.solutions.count[away] % 2 == 0).all()


def assert_special_poses_complete(name: str, q: np.ndarray) -> None:
    """The position that made the pose is there, or moves in place and a warning says so."""
    arm = GeneralArm.named(name)
    poses = arm.pose(q)
    answer = arm.solve(poses)
    assert_exact(arm, poses, answer)
    singular = arm.least_singular_value(q) < SINGULAR
    moving = arm.moves_in_place(q)
    there = np.where(singular, answer.holds(q[:, None], SAME_ROOT)[:, 0], answer.holds(q[:, None])[:, 0])
    assert there[~moving].all(), f"missing: {q[~moving & ~there]}"
    assert answer.warned[moving].all()
    assert (answer.solutions.count > 0).all()


@pytest.mark.every(9)
@pytest.mark.covers("FORM-05")
@pytest.mark.parametrize("name", ARMS)
def test_random_poses(name: str) -> None:
    assert_random_poses_complete(name, 40, 16)


@pytest.mark.slow
@pytest.mark.parametrize("name", ARMS)
def test_a_thousand_random_poses(name: str) -> None:
    assert_random_poses_complete(name, 1000, 24)


@pytest.mark.parametrize("name", ["offset-wrist", "curved-wrist", "sixteen", "ur5e", "puma560"])
def test_some_right_angles(name: str) -> None:
    q = np.random.default_rng(33).choice(RIGHT_ANGLES, (16, 6))
    assert_special_poses_complete(name, np.vstack([np.zeros(6), q]))


@pytest.mark.slow
@pytest.mark.parametrize("name", ARMS)
def test_all_right_angles(name: str) -> None:
    rest = np.array(list(product(RIGHT_ANGLES, repeat=5)))
    first = np.random.default_rng(35).choice(RIGHT_ANGLES, (len(rest), 1))  # it only turns the arm as a whole
    assert_special_poses_complete(name, np.hstack([first, rest]))


SINGULAR_POSITIONS = {
    "puma560 wrist straight": ("puma560", [0.3, 0.7, -1.1, 0.4, 0.0, 0.9]),
    "puma560 arm stretched": ("puma560", [0.3, 0.7, np.pi / 2 + np.arctan2(0.0203, 0.4318), 0.4, 0.6, 0.9]),
    "ur5e wrist aligned": ("ur5e", [0.3, -0.7, 1.1, 0.4, 0.0, 0.9]),
    "ur5e elbow stretched": ("ur5e", [0.3, -0.7, 0.0, 0.4, 1.2, 0.9]),
    "ur5e elbow folded": ("ur5e", [0.3, -0.7, np.pi, 0.4, 1.2, 0.9]),
}


@pytest.mark.every(2)
@pytest.mark.parametrize("name", SINGULAR_POSITIONS)
def test_singular_positions(name: str) -> None:
    arm, q = SINGULAR_POSITIONS[name]
    assert GeneralArm.named(arm).least_singular_value(np.array([q]))[0] < SINGULAR
    assert_special_poses_complete(arm, np.array([q]))


@pytest.mark.every(2)
@pytest.mark.parametrize("name", ["generic", "offset-wrist", "curved-wrist"])
@pytest.mark.parametrize("distance", [0.0, 1e-9, 1e-6])
def test_singular_positions_of_arms_without_closed_form(name: str, distance: float) -> None:
    arm = GeneralArm.named(name)
    q = singular_positions(arm, 10) + distance * np.arange(1.0, 7.0)
    answer = arm.solve(arm.pose(q))
    assert_exact(arm, arm.pose(q), answer)
    assert answer.holds(q[:, None], SAME_ROOT).all()


def singular_positions(arm: GeneralArm, n: int) -> np.ndarray:
    """(n, 6): where the determinant of the Jacobian changes sign along a random line, by bisection."""
    rng = np.random.default_rng(34)
    a, b = rng.uniform(-np.pi, np.pi, (2, 40 * n, 6))

    def sign(q: np.ndarray) -> np.ndarray:
        return np.asarray(np.sign(np.linalg.det(arm.robot.jacobian(q, arm.frame))))

    crossing = sign(a) != sign(b)
    a, b = a[crossing][:n], b[crossing][:n]
    assert len(a) == n
    for _ in range(60):
        middle = (a + b) / 2
        before = (sign(middle) == sign(a))[:, None]
        a, b = np.where(before, middle, a), np.where(before, b, middle)
    return a


@pytest.mark.covers("FORM-05")
def test_sixteen_real_solutions() -> None:
    # Six digits, made a rotation again.
    R = np.array([[-0.760117, -0.641689, 0.102262], [0.133333, 0.0, 0.991071], [-0.635959, 0.766965, 0.085558]])
    U, _, Vt = np.linalg.svd(R)
    pose = np.eye(4)
    pose[:3, :3], pose[:3, 3] = U @ Vt, (-1.140175, 0.0, 0.0)
    assert np.abs(U @ Vt - R).max() < 1e-6
    arm = GeneralArm.named("sixteen")
    answer = arm.solve(pose[None])
    assert_exact(arm, pose[None], answer)
    assert answer.solutions.count[0] == 16
    assert not answer.warned.any()


def test_a_pose_out_of_reach_has_no_solutions_and_no_warning() -> None:
    arm = GeneralArm.named("generic")
    poses = arm.pose(np.zeros((3, 6)))
    poses[:, :3, 3] += [[50.0, 0.0, 0.0], [0.0, 9.0, 0.0], [0.0, 0.0, 5.0]]
    answer = arm.solve(poses)
    assert (answer.solutions.count == 0).all() and not answer.warned.any()
