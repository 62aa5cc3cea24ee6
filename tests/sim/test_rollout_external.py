"""Rollouts under external wrenches and passive forces: steps by hand, constant and changing wrenches, momentum."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from euler_step import euler_step

import sixvec
from naming import named
from random_trees import random_tree
from sixvec import Robot
from sixvec.algorithms.parts.reference import REFERENCES
from sixvec.errors import ArgumentError, FrameNotFound, ShapeError
from sixvec.model import JointDynamics
from sixvec.sim import INTEGRATORS, rollout
from tolerances import IDENTITY, SOLVED, assert_close

STEPS, H = 4, 0.01


@pytest.fixture(scope="module")
def robot() -> Robot:
    """A floating tree in which every joint has damping and a spring."""
    model = random_tree(11, bodies=4, floating=True)
    bodies = tuple(
        replace(b, dynamics=JointDynamics(damping=(0.7,) * b.joint.nv, stiffness=(3.0,) * b.joint.nv))
        for b in model.bodies
    )
    return Robot(replace(model, bodies=bodies))


@pytest.fixture(scope="module")
def state(robot: Robot) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(3)
    return robot.random(rng, 5), rng.normal(size=(5, robot.nv)), rng.normal(size=(5, STEPS, robot.nv))


@pytest.mark.covers("DYN-24")
@pytest.mark.parametrize("reference", REFERENCES)
def test_steps_are_forward_dynamics_with_the_wrench_of_the_step(robot: Robot, state: Any, reference: Any) -> None:
    """One frame with a wrench per step, one with the same for all, one with another for each sample."""
    q, v, tau = state
    rng = np.random.default_rng(4)
    changing, same, each = rng.normal(size=(5, STEPS, 6)), rng.normal(size=6), rng.normal(size=(5, 1, 6))
    names = [f.name for f in robot.model.frames if f.body is not None]
    external = {names[-1]: changing, names[0]: same, names[1]: each}
    options = {"external_reference": reference, "passive": True}
    path = rollout(robot, q, v, tau, H, integrator="euler", external=external, **options)
    for t in range(STEPS):
        now = {names[-1]: changing[:, t], names[0]: same, names[1]: each[:, 0]}
        a = robot.forward_dynamics(q, v, tau[:, t], external=now, **options)
        q, v = euler_step(robot, q, v, a, H, new_moves=False)
        assert_close(path.q[:, t], q, IDENTITY)
        assert_close(path.v[:, t], v, SOLVED)


@pytest.mark.parametrize("integrator", sorted(INTEGRATORS))
def test_a_wrench_that_joints_could_make_acts_as_they_do(integrator: str) -> None:
    """On a body that hangs on one revolute joint, a moment about its axis is a joint torque."""
    arm = sixvec.load("cart_pole")
    frame, joint = arm.model.frames[-1].name, 1
    axis = arm.jacobian([0.3, 0.4], frame, "local")[:3, joint]
    torque = np.zeros((6, 2))
    torque[:, joint] = np.linspace(1.0, 2.0, 6)
    pushes = np.concatenate([torque[:, joint, None] * axis, np.zeros((6, 3))], axis=1)
    start = [0.3, 0.4], [0.1, -0.2]
    pushed = rollout(arm, *start, np.zeros((6, 2)), H, integrator=integrator, external={frame: pushes})
    driven = rollout(arm, *start, torque, H, integrator=integrator)
    assert_close(pushed.q, driven.q, IDENTITY)
    assert_close(pushed.v, driven.v, SOLVED)
    assert np.abs(pushed.v - rollout(arm, *start, np.zeros((6, 2)), H, integrator=integrator).v).max() > 1e-3


def test_a_steady_push_makes_momentum() -> None:
    """In weightlessness a constant force in world axes changes the linear momentum by force times time."""
    free = Robot(random_tree(11, bodies=3, floating=True)).with_gravity([0.0, 0.0, 0.0])
    rng = np.random.default_rng(0)
    q, v = free.random(rng), rng.normal(size=free.nv)
    push = np.array([0.0, 0.0, 0.0, 1.0, -2.0, 0.5])
    frame = free.model.frames[-2].name
    path = rollout(free, q, v, np.zeros((200, free.nv)), 0.001, integrator="rk4", external={frame: push},
                   external_reference="local_world_aligned")  # fmt: skip
    gained = free.momentum(path.q[-1], path.v[-1])[3:] - free.momentum(q, v)[3:]
    assert gained == pytest.approx(push[3:] * 0.2, abs=1e-9)


def test_single_precision_stays() -> None:
    arm = sixvec.load("cart_pole")
    zero, frame = np.zeros(2, np.float32), arm.model.frames[-1].name
    path = rollout(arm, zero, zero, np.zeros((3, 2), np.float32), H, external={frame: np.ones(6, np.float32)})
    assert path.q.dtype == np.float32


def test_errors_teach() -> None:
    arm = sixvec.load("cart_pole")
    frame = arm.model.frames[-1].name
    run = ([0.0, 0.0], [0.0, 0.0], np.zeros((3, 2)), 0.1)
    with pytest.raises(FrameNotFound, match="nowhere"):
        rollout(arm, *run, external={"nowhere": np.zeros(6)})
    with pytest.raises(ShapeError, match=frame):
        rollout(arm, *run, external={frame: np.zeros((4, 6))})
    with pytest.raises(ShapeError, match=named("rollout", "tip")):
        rollout(arm, *run, external={frame: np.zeros(5)})
    with pytest.raises(ArgumentError, match=named("rollout", "external")):
        rollout(arm, *run, external=np.zeros(6))  # type: ignore[arg-type]
    with pytest.raises(ArgumentError, match="body"):
        rollout(arm, *run, external={frame: np.zeros(6)}, external_reference="body")  # type: ignore[arg-type]
