"""Arms and compiled solvers that the tests of both structures share."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np

import sixvec as sv
from sixvec.ik.closed_form import arm_313, arm_321
from sixvec.ik.closed_form.arm_313 import Arm313
from sixvec.ik.closed_form.arm_321 import Arm321
from sixvec.spatial import Force, Motion, Pose

BOOK_Q = (0.3, 0.4, 0.5, 0.6, 0.7, 0.8)
BOOK_ARM = Arm321(0.7, 0.6, 0.5, 0.1)
ARMS = {
    "plain": BOOK_ARM,
    "equal": Arm321(0.0, 0.5, 0.5, 0.0),
    "base": Arm321(0.7, 0.6, 0.5, 0.1, base_offset=0.15),
    "shoulder": Arm321(0.7, 0.6, 0.5, 0.1, shoulder_offset=0.12),
    "elbow": Arm321(0.7, 0.6, 0.5, 0.1, elbow_offset=-0.08),
    "all": Arm321(0.4, 0.5, 0.62, 0.2, base_offset=-0.07, shoulder_offset=-0.15, elbow_offset=0.1),
}
SEVEN = Arm313(0.36, 0.42, 0.40, 0.126)
SEVEN_Q = (0.3, 0.5, -0.4, 0.9, 0.2, 0.7, -0.6)

RECHECK = 1e-12
"""Forward kinematics of a solution against its target, in metres and entries of R: some dozens of roundings."""


@cache
def robot_of(arm: Arm321 | Arm313) -> sv.Robot:
    return sv.Robot(arm.model())


@cache
def solver_321(arm: Arm321) -> Any:
    @sv.compiled("X[4,4] near[6] -> q[8,6] verdict[8]")
    def solve(X: Any, near: Any) -> Any:
        found = arm_321.inverse_position(arm, Pose.from_matrix(X), near)
        return [s.q for s in found], [s.verdict for s in found]

    return solve


@cache
def solver_313(arm: Arm313) -> Any:
    @sv.compiled("X[4,4] psi near[7] -> q[8,7] verdict[8]")
    def solve(X: Any, psi: Any, near: Any) -> Any:
        found = arm_313.inverse_position(arm, Pose.from_matrix(X), psi, near)
        return [s.q for s in found], [s.verdict for s in found]

    return solve


def matrix(X: Pose) -> np.ndarray:
    return np.array(X.as_matrix(), float)


def misses(arm: Arm321 | Arm313, q: np.ndarray, X: np.ndarray) -> np.ndarray:
    """How far each solution (..., 8, n) is from its target (..., 4, 4), by the robot's own forward kinematics."""
    return np.abs(robot_of(arm).pose(q, "tool") - X[..., None, :, :]).max((-1, -2))


def apart(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """The largest angle between configurations, whole turns not counted."""
    return np.abs((a - b + np.pi) % (2 * np.pi) - np.pi).max(-1)


def columns(six: Sequence[Motion | Force]) -> np.ndarray:
    return np.array([[*x] for x in six], float).T
