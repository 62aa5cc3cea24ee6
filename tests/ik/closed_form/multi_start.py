"""Inverse kinematics by brute force: damped Newton steps from random starts, on the robot's own pose and Jacobian."""

from __future__ import annotations

import numpy as np

from sixvec import Robot

STEPS = 30


def solutions(
    robot: Robot, frame: str, X: np.ndarray, starts: int, seed: int, task: str = "pose"
) -> tuple[np.ndarray, np.ndarray]:
    """Where the search ended, (n, starts, nq), and whether it is a solution, (n, starts), for poses or positions."""
    rows, part = (slice(None), np.s_[..., :3, :]) if task == "pose" else (slice(3, 6), np.s_[..., :3, 3:])
    q = np.random.default_rng(seed).uniform(-np.pi, np.pi, (len(X), starts, robot.nq))
    X = X[:, None]
    for _ in range(STEPS):
        error = missing(X, robot.pose(q, frame))[..., rows]
        J = robot.jacobian(q, frame)[..., rows, :]
        JT = np.swapaxes(J, -1, -2)
        damping = 1e-2 * (error**2).sum(-1)[..., None, None] + 1e-14
        q = q + np.linalg.solve(JT @ J + damping * np.eye(robot.nv), JT @ error[..., None])[..., 0]
    close = np.abs(robot.pose(q, frame) - X)[part].max((-1, -2)) < 1e-9
    # Next to a singularity the same error belongs to many positions, which are no separate solutions.
    regular = np.linalg.svd(robot.jacobian(q, frame)[..., rows, :], compute_uv=False)[..., -1] > 1e-3
    return q, close & regular


def missing(X: np.ndarray, Y: np.ndarray) -> np.ndarray:
    """The twist from Y towards X, angular first."""
    gap = X[..., :3, :3] @ np.swapaxes(Y[..., :3, :3], -1, -2)
    turn = [gap[..., 2, 1] - gap[..., 1, 2], gap[..., 0, 2] - gap[..., 2, 0], gap[..., 1, 0] - gap[..., 0, 1]]
    return np.concatenate([0.5 * np.stack(turn, -1), X[..., :3, 3] - Y[..., :3, 3]], -1)


def angle_gap(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """The largest difference of angles, modulo a turn."""
    return np.abs(np.remainder(a - b + np.pi, 2 * np.pi) - np.pi).max(-1)


def joint_gap(kinds: str, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """The largest difference of joint positions, angles (R among the kinds) modulo a turn."""
    gap = a - b
    turning = [i for i, kind in enumerate(kinds) if kind == "R"]
    gap[..., turning] = np.remainder(gap[..., turning] + np.pi, 2 * np.pi) - np.pi
    return np.abs(gap).max(-1)
