"""The action is stationary along true motions, and its slope elsewhere is the force that the motion would need."""

from __future__ import annotations

import numpy as np
import pytest

import sixvec as sv
from naming import named
from random_trees import random_tree
from sixvec.errors import ArgumentError, ShapeError
from sixvec.theory.lagrange import action, action_gradient, action_variation

DURATION = 0.4


def motion(robot: sv.Robot, steps: int, fine: int = 10) -> tuple[np.ndarray, float]:
    """A free motion, by Runge-Kutta steps of order 4 that are `fine` times shorter than the path's."""
    rng = np.random.default_rng(4)
    q, v = robot.random(rng), 0.5 * rng.normal(size=robot.nv)
    h, tau = DURATION / steps / fine, np.zeros(robot.nv)
    path = [q]

    def rate(moved: np.ndarray, w: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return w, robot.forward_dynamics(robot.integrate(q, moved), w, tau)

    for i in range(steps * fine):
        start, zero = v, np.zeros(robot.nv)
        k1 = rate(zero, start)
        k2 = rate(0.5 * h * k1[0], start + 0.5 * h * k1[1])
        k3 = rate(0.5 * h * k2[0], start + 0.5 * h * k2[1])
        k4 = rate(h * k3[0], start + h * k3[1])
        q = robot.integrate(q, h / 6.0 * (k1[0] + 2.0 * k2[0] + 2.0 * k3[0] + k4[0]))
        v = start + h / 6.0 * (k1[1] + 2.0 * k2[1] + 2.0 * k3[1] + k4[1])
        if (i + 1) % fine == 0:
            path.append(q)
    return np.array(path), DURATION / steps


@pytest.fixture(scope="module")
def arm() -> sv.Robot:
    return sv.load("double_pendulum")


@pytest.mark.covers("DYN-13")
def test_gradient_vanishes_with_the_square_of_the_step_along_a_true_motion(arm: sv.Robot) -> None:
    sizes = [np.abs(action_gradient(arm, *motion(arm, steps))).max() for steps in (10, 20, 40)]
    assert sizes[0] / sizes[1] == pytest.approx(4.0, rel=0.15)
    assert sizes[1] / sizes[2] == pytest.approx(4.0, rel=0.15)
    assert sizes[2] < 1e-2 * np.abs(arm.gravity_forces(motion(arm, 10)[0])).max()


@pytest.mark.covers("DYN-13")
def test_balls_and_free_bodies_too() -> None:
    """On a free body with a ball, where variations are in tangent coordinates."""
    robot = sv.Robot(random_tree(7, bodies=3, floating=True))
    assert any(b.joint.nv == 3 for b in robot.model.moving)
    sizes = [np.abs(action_gradient(robot, *motion(robot, steps))).max() for steps in (20, 40)]
    assert sizes[0] / sizes[1] == pytest.approx(4.0, rel=0.2)


@pytest.mark.covers("DYN-13", "Bruyninckx (6.54)-(6.58)")
def test_elsewhere_the_gradient_is_minus_the_force(arm: sv.Robot) -> None:
    """δ∫L dt = -∫ τ·δq dt with the τ of inverse dynamics along any path: here a given one of known derivatives."""
    steps = 400
    h = DURATION / steps
    t = np.linspace(0.0, DURATION, steps + 1)[:, None]
    phase, speed = np.array([[0.2, -0.4]]), np.array([[3.0, 2.0]])
    q, v, a = (np.sin(speed * t + phase), speed * np.cos(speed * t + phase), -(speed**2) * np.sin(speed * t + phase))
    expected = arm.inverse_dynamics(q, v, a)[1:-1]
    np.testing.assert_allclose(-action_gradient(arm, q, h), expected, atol=1e-4 * np.abs(expected).max())


@pytest.mark.covers("DYN-13", "Bruyninckx (6.51)")
def test_variations_that_keep_the_ends(arm: sv.Robot) -> None:
    path, h = motion(arm, 40)
    bump = np.sin(np.linspace(0.0, np.pi, len(path)))[:, None] * [[1.0, -0.7]]
    bump[[0, -1]] = 0.0
    slope = action_variation(arm, path, h, bump)
    np.testing.assert_allclose(slope, h * np.sum(action_gradient(arm, path, h) * bump[1:-1]), atol=1e-8)
    away = arm.integrate(path, 0.3 * bump)  # no longer a true motion
    assert abs(action_variation(arm, away, h, bump)) > 100.0 * abs(slope)
    assert action(arm, path, h) != action(arm, away, h)


def test_mistakes(arm: sv.Robot) -> None:
    path = np.zeros((3, 2))
    with pytest.raises(ArgumentError, match="rows"):
        action_variation(arm, path, 0.1, np.ones((3, 2)))
    with pytest.raises(ShapeError, match="variation"):
        action_variation(arm, path, 0.1, np.ones((4, 2)))
    with pytest.raises(ShapeError, match="path"):
        action(arm, np.zeros((3, 5)), 0.1)
    with pytest.raises(ArgumentError, match=named("dt")):
        action(arm, path, 0.0)
    with pytest.raises(ShapeError, match="path"):
        action_gradient(arm, path[:2], 0.1)
