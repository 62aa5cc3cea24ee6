"""Arms for the general solver of six revolute joints, and what it says about poses."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
from multi_start import angle_gap, missing
from sample_arms import X, Y, Z, arm, random_arm, ur5e

import sixvec
from sixvec import Robot
from sixvec.ik.closed_form import IncompleteSolutions, SerialChain, Solutions
from sixvec.ik.closed_form.closed_form import Solver
from sixvec.ik.closed_form.families.general_six import general_six
from sixvec.spatial import Mat3, Pose, Rotation, Vec3

SAME_SOLUTION = 1e-5
"""Radians between a solution and its counterpart, as in test_families.py."""

SINGULAR = 1e-6
"""Least singular value of the Jacobian of a position that is singular up to rounding."""

SAME_ROOT = 2e-3
"""Radians between singular solutions: an error of 1e-11 moves a root of multiplicity four by 1e-11^(1/4)."""


STRIDES = 40
"""Random directions in a null space of several dimensions."""


def offset_wrist() -> Robot:
    """Shoulder, parallel upper arm and forearm, and a wrist whose last axis passes beside the other two."""
    axes = [Z, Y, Y, X, Y, X]
    points = [(0.0, 0.0, 0.25), (0.0, 0.0, 0.45), (0.0, 0.0, 0.99), (0.0, 0.0, 0.99), (0.43, 0.0, 0.99)]
    tool = Pose(Rotation.from_rpy(0.2, -0.1, 0.4), Vec3(0.59, 0.13, 1.03))
    return arm("RRRRRR", axes, [*points, (0.43, 0.13, 0.99)], tool)


def curved_wrist() -> Robot:
    """A wrist bent twice by 60 degrees, whose axes meet in pairs, on a forearm with a small offset."""
    bend = np.array([0.0, -np.sin(np.pi / 3), np.cos(np.pi / 3)])
    last = np.array([0.0, -np.sin(2 * np.pi / 3), np.cos(2 * np.pi / 3)])
    elbow = np.array([0.0, 0.012, 0.7])
    wrist = elbow + 0.28 * np.array(Z)
    base = np.array([[0.0, 0.0, 0.29], [0.0, 0.0, 0.29], [0.0, 0.0, 0.7]])
    points = np.vstack([base, elbow, wrist, wrist + 0.075 * bend])
    tool = Pose(Rotation.from_rpy(0.3, 0.1, -0.2), Vec3(*map(float, points[-1] + 0.16 * last)))
    return arm("RRRRRR", [Z, Y, Y, Z, bend.tolist(), last.tolist()], points.tolist(), tool)


def sixteen() -> Robot:
    """An arm with 16 real solutions for some poses.

    That there are such arms was shown by Manseur and Doty, "A robot manipulator with 16 real inverse kinematic
    solution sets", Int. J. Robotics Research 8 (1989).
    """
    right, slight = np.pi / 2, np.pi / 180
    return denavit_hartenberg([0.3, 1.0, 0.0, 1.5, 0.0, 0.0], [right, slight] * 3, [0.0, 0.0, 0.2, 0.0, 0.0, 0.0])


def denavit_hartenberg(a: Sequence[float], alpha: Sequence[float], d: Sequence[float]) -> Robot:
    """An arm from its table, tool frame at the end of the last row."""
    at, axes, points = np.eye(4), [], []
    for length, twist, offset in zip(a, alpha, d, strict=True):
        axes.append(at[:3, 2].tolist())
        points.append(at[:3, 3].tolist())
        c, s = np.cos(twist), np.sin(twist)
        at = at @ np.array([[1, 0, 0, length], [0, c, -s, 0], [0, s, c, offset], [0, 0, 0, 1]])
    tool = Pose(Rotation(Mat3(*map(float, at[:3, :3].flat))), Vec3(*map(float, at[:3, 3])))
    return arm("RRRRRR", axes, points, tool)


ARMS: dict[str, tuple[Callable[[], Robot], str]] = {
    "generic": (lambda: random_arm(21), "tool"),
    "another-generic": (lambda: random_arm(22), "tool"),
    "offset-wrist": (offset_wrist, "tool"),
    "curved-wrist": (curved_wrist, "tool"),
    "one-pair-meets": (lambda: random_arm(23, meet=(2, 3)), "tool"),
    "one-pair-parallel": (lambda: random_arm(24, parallel=(1, 2)), "tool"),
    "sixteen": (sixteen, "tool"),
    "ur5e": (ur5e, "tool"),
    "puma560": (lambda: sixvec.load("puma560"), "link6"),
}
"""The last two have a closed form; here they are solved without."""


@dataclass(frozen=True, eq=False)
class Result:
    """Solutions of n poses, and which of the poses a warning named."""

    solutions: Solutions
    warned: np.ndarray

    def holds(self, q: np.ndarray, tolerance: float = SAME_SOLUTION) -> np.ndarray:
        """(n, k): which of the positions q (n, k, 6) are among the solutions."""
        gap = angle_gap(q[:, :, None], self.solutions.q[:, None])
        return np.asarray(np.where(self.solutions.valid[:, None], gap, np.inf).min(-1) < tolerance)


@dataclass(frozen=True, eq=False)
class GeneralArm:
    """An arm and the general solver for it, whatever its geometry."""

    robot: Robot
    frame: str
    solver: Solver

    @classmethod
    @cache
    def named(cls, name: str) -> GeneralArm:
        make, frame = ARMS[name]
        robot = make()
        family = general_six(SerialChain.of(robot.model, frame))
        return cls(robot, frame, Solver(robot, frame, family, np.zeros(robot.nq), range(6)))

    def pose(self, q: np.ndarray) -> np.ndarray:
        return np.asarray(self.robot.pose(q, self.frame))

    def least_singular_value(self, q: np.ndarray) -> np.ndarray:
        return np.asarray(np.linalg.svd(self.robot.jacobian(q, self.frame), compute_uv=False)[..., -1])

    def solve(self, poses: np.ndarray) -> Result:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            found = self.solver(poses)
        told = [w.message.poses for w in caught if isinstance(w.message, IncompleteSolutions)]
        return Result(found, np.isin(np.arange(len(poses)), np.concatenate([np.zeros(0, int), *told])))

    def moves_in_place(self, q: np.ndarray, stride: float = 0.05) -> np.ndarray:
        """(n,): which positions (n, 6) have others at about `stride` with the same pose: a continuous family.

        A stride along the null space of the Jacobian, then Newton steps by the pseudo-inverse; in many directions, as
        steps that start across the family end on it too slowly where the null space has more dimensions.
        """
        null = np.linalg.svd(self.robot.jacobian(q, self.frame), compute_uv=False) < SINGULAR
        found, rng = np.zeros(len(q), bool), np.random.default_rng(0)
        for attempt in range(STRIDES):
            rest = np.flatnonzero(~found & (null.sum(1) > (0 if attempt < 2 else 1)))
            found[rest] = self._strides(q[rest], stride, rng)
        return found

    def _strides(self, q: np.ndarray, stride: float, rng: np.random.Generator) -> np.ndarray:
        """(n,): where one random stride along the null space leads to another position with the same pose."""
        poses = self.pose(q)
        _, sigma, Vt = np.linalg.svd(self.robot.jacobian(q, self.frame))
        along = np.einsum("nk,nkj->nj", rng.normal(size=(len(q), 6)) * (sigma < SINGULAR), Vt)
        y = q + stride * along / np.linalg.norm(along, axis=1, keepdims=True)
        for _ in range(25):
            J = self.robot.jacobian(y, self.frame)
            y = y + np.einsum("nij,nj->ni", np.linalg.pinv(J, rcond=1e-5), missing(poses, self.pose(y)))
        gone = np.linalg.norm(y - q, axis=1)
        there = np.abs(self.pose(y) - poses).max((-1, -2)) < 1e-12
        return np.asarray(there & (gone > stride / 3) & (gone < stride * 3))
