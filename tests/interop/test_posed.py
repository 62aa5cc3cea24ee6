"""The joints that follow a moving pose: their rates are those of the inverse Jacobian, by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest

import sixvec as sv
from sixvec.interop.posed import following
from sixvec.spatial import Rotation, Vec3

AXIS = np.array([2.0, -3.0, 6.0]) / 7.0
SHIFT = np.array([0.02, -0.03, 0.05])
ANGLE = 0.2


def test_rates_are_those_of_the_inverse_jacobian() -> None:
    """A pose turned by an angle θ about an axis n of the frame and shifted by p has ε = (n sin θ, p)."""
    robot = sv.load("ur5e")
    q = robot.random(3, 4)
    X = robot.pose(q, "tool0")
    step = np.eye(4)
    step[:3, :3] = np.array(Rotation.about(Vec3(*map(float, AXIS)), ANGLE).as_matrix())
    step[:3, 3] = SHIFT
    seen: list[np.ndarray] = []

    def constant(x: np.ndarray) -> np.ndarray:
        seen.append(x)
        return x if x.shape[-2:] in ((4, 4), (6, 6)) else np.zeros_like(x)  # ε is zero at the solution

    solved = np.array([True, True, False, True])
    found = following(robot, "tool0", q, X @ step, np, constant, solved)
    small = np.concatenate([math.sin(ANGLE) * AXIS, SHIFT])
    np.testing.assert_allclose(seen[-1], np.broadcast_to(small, (4, 6)), atol=1e-12)
    rates = np.linalg.solve(robot.jacobian(q, "tool0", reference="local"), np.broadcast_to(small, (4, 6))[..., None])
    wanted = q + np.where(solved[:, None], rates[..., 0], 0.0)
    np.testing.assert_allclose(found, wanted, rtol=1e-9, atol=1e-9)


def test_the_value_is_the_solution() -> None:
    robot = sv.load("panda")
    q = robot.random(1, 2)
    X = robot.pose(q, "panda_link8") + 1e-3
    found = following(robot, "panda_link8", q, X, np, lambda x: x, np.array([True, True]))
    assert found == pytest.approx(q, abs=1e-15)
