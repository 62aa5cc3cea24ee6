"""tau · v = f_J · v_J for every joint (Featherstone (7)), and each joint's pose, S and Ṡ belong together."""

from __future__ import annotations

import numpy as np
import pytest

from differences import derivative
from matrices import hat
from random_trees import JOINTS, random_inertia, random_pose
from sixvec import Model, Robot
from sixvec.model import Body
from sixvec.model.joints import Joint
from sixvec.spatial import Motion, Pose
from tolerances import DIFFERENCE, IDENTITY, assert_close

SAMPLES = 5
every_joint = pytest.mark.parametrize("kind", [k for k in JOINTS if k != "fixed"])


@every_joint
@pytest.mark.covers("BODY-35", "CHAIN-21", "Featherstone (5)-(7)")
def test_power_at_the_joint_is_power_at_the_body(kind: str) -> None:
    """A wrench on the body of a one-joint robot: what it does at the joint is what it does to the body."""
    rng = np.random.default_rng(3)
    body = Body("body", None, JOINTS[kind](rng), random_pose(rng), random_inertia(rng))
    robot = Robot(Model(kind, (body,)))
    q, v, f = robot.random(rng, SAMPLES), rng.normal(size=(SAMPLES, robot.nv)), rng.normal(size=(SAMPLES, 6))
    zero = np.zeros_like(v)
    tau = robot.inverse_dynamics(q, v, zero) - robot.inverse_dynamics(q, v, zero, external={"body": f})
    power = (f * robot.velocity(q, v, "body", "local")).sum(axis=1)
    assert_close((tau * v).sum(axis=1), power, IDENTITY, scale=abs(f).max(axis=1))


@every_joint
@pytest.mark.covers("CHAIN-21")
def test_subspace_times_velocity_is_the_rate_of_the_pose(kind: str) -> None:
    joint, q, v, _ = sample(kind)
    rate = derivative(lambda t: matrix(joint.pose(moved(joint, q, t * v))))
    assert_close(np.linalg.inv(matrix(joint.pose(q))) @ rate, hat(velocity(joint, q, v)), DIFFERENCE, batched=False)


@every_joint
@pytest.mark.covers("CHAIN-21")
def test_bias_is_the_rate_of_the_subspace_times_velocity(kind: str) -> None:
    joint, q, v, _ = sample(kind)
    rate = derivative(lambda t: velocity(joint, moved(joint, q, t * v), v))
    scale = abs(velocity(joint, q, v)).max()
    assert_close(np.array([*joint.bias(q, v)]), rate, DIFFERENCE, batched=False, scale=scale)


@every_joint
def test_rate_is_the_start_of_integrate(kind: str) -> None:
    joint, q, v, _ = sample(kind)
    rate = derivative(lambda t: np.array(moved(joint, q, t * v)))
    assert_close(np.array(joint.rate(q, v)), rate, DIFFERENCE, batched=False)


@every_joint
@pytest.mark.covers("CHAIN-13", "CHAIN-21")
def test_elementary_joints_make_up_the_joint(kind: str) -> None:
    """The chain of simple joints ends where the joint's body stands, at every position."""
    joint, q, _, _ = sample(kind)
    X, used = Pose.identity(), 0
    for placement, simple in joint.elementary():
        X = X @ placement @ simple.pose(q[used : used + simple.nq])
        used += simple.nq
    assert used == joint.nq
    assert_close(matrix(X), matrix(joint.pose(q)), IDENTITY, batched=False)


@every_joint
def test_neutral_is_the_joint_frame(kind: str) -> None:
    joint, _, _, _ = sample(kind)
    np.testing.assert_array_equal(matrix(joint.pose(joint.neutral())), np.eye(4))


def sample(kind: str) -> tuple[Joint, list[float], np.ndarray, np.ndarray]:
    rng = np.random.default_rng(7)
    joint = JOINTS[kind](rng)
    q = joint.sample(rng, np.full(joint.nq, -np.inf), np.full(joint.nq, np.inf), ())
    return joint, q.tolist(), *rng.normal(size=(2, joint.nv))


def moved(joint: Joint, q: list[float], step: np.ndarray) -> list[float]:
    return joint.integrate(q, step.tolist())


def velocity(joint: Joint, q: list[float], v: np.ndarray) -> np.ndarray:
    """S v."""
    return np.array([*sum((S * x for S, x in zip(joint.subspace(q), v, strict=True)), Motion.zero())])


def matrix(X: Pose) -> np.ndarray:
    return np.array(X.as_matrix(), float)
