"""`Trajectory.tau`: applying the forces again gives the same path."""

from __future__ import annotations

import copy
import pickle
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import sixvec as sv
from sixvec.constraints.contacts import stops
from sixvec.model import JointDynamics
from tolerances import IDENTITY, assert_close

STEPS = 40


def law(q: Any, v: Any, u: Any) -> Any:
    return 10.0 * (u - q) - 2.0 * v + np.sin(q)


@pytest.fixture(scope="module")
def arm() -> sv.Robot:
    return sv.load("double_pendulum")


def replayed(robot: sv.Robot, path: Any, q: Any, v: Any, dt: Any, **options: Any) -> None:
    again = robot.rollout(q, v, path.tau, dt, **options)
    assert_close(again.q, path.q, IDENTITY)
    assert_close(again.v, path.v, IDENTITY)


@pytest.mark.parametrize("integrator", ["semi_implicit_euler", "rk4", "symplectic_euler"])
def test_what_a_law_returned_moves_the_robot_alike(arm: sv.Robot, integrator: str) -> None:
    rng = np.random.default_rng(0)
    q, v, goal = rng.normal(size=(5, 2)), rng.normal(size=2), rng.normal(size=(STEPS, 2))
    dt = np.linspace(0.001, 0.01, 5)
    path = arm.rollout(q, v, goal, dt, control=law, integrator=integrator)
    assert path.tau.shape == (5, STEPS, 2)
    assert_close(path.tau[2, 0], law(q[2], v, goal[0]), IDENTITY)
    replayed(arm, path, q, v, dt, integrator=integrator)


def test_contacts_and_wrenches(arm: sv.Robot) -> None:
    limited = arm.with_limits(arm.joint_names[1], lower=-0.1, upper=0.1)
    q, v, push = [1.0, 0.05], [0.0, 2.0], {"tip": np.random.default_rng(1).normal(size=(STEPS, 6))}
    options = {"contacts": stops(limited), "external": push}
    path = limited.rollout(q, v, [0.2, 0.1], 0.01, steps=STEPS, control=law, **options)
    assert path.force.any()
    replayed(limited, path, q, v, 0.01, **options)


@pytest.mark.parametrize("passive", [False, True])
def test_driven_joints_take_the_force_that_accelerates_them(passive: bool) -> None:
    """Applied as a force, it gives the same motion; passive forces act besides."""
    cart = sv.load("cart_pole")
    dynamics = JointDynamics(damping=(0.3,), friction=(0.2,))
    bodies = [replace(b, dynamics=dynamics) if b in cart.model.moving else b for b in cart.model.bodies]
    cart = sv.Robot(replace(cart.model, bodies=tuple(bodies)))
    accelerations = np.stack([np.sin(np.arange(STEPS)), np.zeros(STEPS)], axis=1)
    push = {cart.frame_names[-1]: [0.0, 0.0, 0.0, 1.0, 0.0, 0.5]}
    options = {"external": push, "passive": passive, "integrator": "semi_implicit_euler"}
    start = [0.1, 0.4], [0.2, -0.3]
    path = cart.rollout(*start, accelerations, 0.005, prescribed=(0,), **options)
    assert np.abs(path.tau[:, 0]).max() > 0.1 and not path.tau[:, 1].any()
    replayed(cart, path, *start, 0.005, **options)


def test_given_forces_are_those(arm: sv.Robot) -> None:
    path = arm.rollout(np.zeros((3, 2)), [0.0, 0.0], [1.0, 2.0], 0.01, steps=4)
    assert path.tau.shape == (3, 4, 2) and (path.tau == [1.0, 2.0]).all()
    assert path.t.tolist() == [0.01, 0.02, 0.03, 0.04]
    assert repr(path) == "<Trajectory: 4 steps of 0.01 s, q (3, 4, 2), v (3, 4, 2)>"


def test_copies_have_forces_and_single_precision_stays(arm: sv.Robot) -> None:
    single = np.ones(2, np.float32)
    path = arm.rollout(single, single, single, 0.01, steps=4, control=law)
    assert path.tau.dtype == np.float32
    for other in (pickle.loads(pickle.dumps(path)), copy.deepcopy(path)):
        assert np.array_equal(other.tau, path.tau) and len(other.plot()) == 3
