"""Where is it, how do I get there, what happens, what does it take: four questions, each the inverse of another."""

from __future__ import annotations

import numpy as np
import pytest

import sixvec
from sixvec.large_trees.constraint_force import ArrayChain, forward_dynamics
from tolerances import PEER, SOLVED, assert_close


@pytest.mark.covers("MODEL-05")
@pytest.mark.parametrize(
    ("name", "by_formula"), [("ur5e", True), ("puma560", True), ("panda", False), ("iiwa14", True)]
)
def test_inverse_kinematics_takes_the_family_of_the_arm(name: str, by_formula: bool) -> None:
    """Forward kinematics undoes inverse kinematics; arms with a closed form need no iteration."""
    robot = sixvec.load(name)
    frame = robot.frame_names[-1]
    X = robot.pose(robot.random(0, 40), frame)
    answer = robot.ik(X, frame)
    assert answer.solved.mean() > 0.95
    assert ((answer.starts == 0) == by_formula)[answer.solved].all()
    assert np.abs(robot.pose(answer.q, frame) - X)[answer.solved].max() < 2e-6


@pytest.mark.covers("MODEL-05")
@pytest.mark.parametrize("name", ["ur5e", "panda", "iiwa14"])
def test_forward_dynamics_undoes_inverse_dynamics_in_every_variant(name: str) -> None:
    """O(n), and O(log n) on a chain."""
    robot, rng = sixvec.load(name), np.random.default_rng(1)
    q, v, a = robot.random(rng), rng.normal(size=robot.nv), rng.normal(size=robot.nv)
    tau = robot.inverse_dynamics(q, v, a)
    # The rounding of tau, most of it gravity, is divided by the least inertia.
    lightest = np.linalg.eigvalsh(robot.mass_matrix(q))[0]
    tolerance = max(SOLVED, 4 * np.finfo(float).eps * np.abs(tau).max() / (lightest * np.abs(a).max()))
    assert_close(robot.forward_dynamics(q, v, tau), a, tolerance, batched=False)
    chain = ArrayChain.from_model(robot.model)
    # The parallel algorithm solves for all bearing forces, a larger and worse conditioned system.
    assert_close(forward_dynamics(chain, q, v, tau), a, PEER, batched=False)
