"""Newton-Raphson, the product of exponentials, and where iteration must give up."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest
from arms_321_313 import ARMS, BOOK_ARM, BOOK_Q, SEVEN, SEVEN_Q, matrix, robot_of

import sixvec as sv
from sixvec.ik.closed_form.arm_313 import Arm313
from sixvec.ik.closed_form.arm_321 import Arm321, forward_position
from sixvec.ik.closed_form.newton_raphson import newton_raphson
from sixvec.spatial import Motion, Pose
from tolerances import IDENTITY, assert_close


@pytest.mark.covers("KIN-17")
@pytest.mark.parametrize(("arm", "q"), [(BOOK_ARM, BOOK_Q), (ARMS["all"], BOOK_Q), (SEVEN, SEVEN_Q)])
def test_the_pose_is_a_product_of_exponentials(arm: Arm321 | Arm313, q: tuple[float, ...]) -> None:
    """exp(S₁ q₁) … exp(Sₙ qₙ) M with the joints' screws at zero: the frames of the segments do not enter."""
    robot = robot_of(arm)
    screws = robot.jacobian(robot.neutral(), "tool", reference="world").T
    X = Pose.identity()
    for S, angle in zip(screws.tolist(), q, strict=True):
        X = X @ Pose.exp(Motion.of(S) * angle)
    X = X @ Pose.from_matrix(robot.pose(robot.neutral(), "tool").tolist())
    assert_close(matrix(X), robot.pose(q, "tool"), IDENTITY, batched=False)


@pytest.mark.covers("KIN-19")
@pytest.mark.parametrize("name", ["plain", "all"])
def test_converges_from_nearby(name: str) -> None:
    robot, rng = robot_of(ARMS[name]), np.random.default_rng(1)
    q = np.array(BOOK_Q) + rng.uniform(-0.2, 0.2, (100, 6))
    X = robot.pose(q, "tool")
    found = newton_raphson(robot, X, "tool", q + rng.uniform(-0.05, 0.05, q.shape), iterations=8)
    assert found.solved.all()
    assert np.abs(found.q - q).max() < 1e-8
    assert np.abs(robot.pose(found.q, "tool") - X).max() < 1e-9


@pytest.mark.covers("KIN-19")
def test_converges_quadratically() -> None:
    robot = robot_of(BOOK_ARM)
    X, start = robot.pose(BOOK_Q, "tool"), np.array(BOOK_Q) + 0.05
    errors = [float(newton_raphson(robot, X, "tool", start, n, 0.0).residual) for n in range(5)]
    assert errors[3] < 1e-7 < errors[1]
    assert all(b < 20.0 * a * a for a, b in pairwise(errors[:4]))


@pytest.mark.covers("KIN-19", "Bruyninckx (7.19)-(7.23)")
def test_a_half_turn_away_and_a_published_robot() -> None:
    robot = sv.load("puma560")
    q = np.array([0.3, -0.4, 0.5, 0.6, 0.7, 0.8])
    start = q + np.array([0.0, 0.0, 0.0, 0.0, 0.0, math.pi])
    found = newton_raphson(robot, robot.pose(q, "link6"), "link6", start, iterations=20)
    assert found.solved
    assert np.abs(robot.pose(found.q, "link6") - robot.pose(q, "link6")).max() < 1e-9


@pytest.mark.covers("KIN-19")
def test_gives_up_after_the_iterations_it_was_given() -> None:
    robot = robot_of(BOOK_ARM)
    reachable = matrix(forward_position(BOOK_ARM, BOOK_Q))
    beyond, nan = reachable.copy(), reachable.copy()
    beyond[1, 3], nan[0, 0] = 5.0, math.nan
    singular_start = np.zeros(6)
    found = newton_raphson(robot, np.stack([reachable, beyond, nan]), "tool", np.array(BOOK_Q) + 0.01)
    assert found.solved.tolist() == [True, False, False]
    assert found.residual[1] > 1.0
    tried = newton_raphson(robot, reachable, "tool", singular_start)
    assert np.isfinite(tried.q).all()


@pytest.mark.covers("KIN-19")
def test_redundant_arms_take_the_smallest_step() -> None:
    robot, near = robot_of(SEVEN), np.array(SEVEN_Q)
    X = robot.pose(near + 1e-6 * np.arange(7), "tool")
    step = newton_raphson(robot, X, "tool", near, iterations=1, tolerance=0.0).q - near
    J = robot.jacobian(near, "tool", reference="local")
    null = np.linalg.svd(J)[2][-1]
    assert abs(null @ step) < 1e-12
    assert np.abs(step).max() > 1e-7
