"""Poses, velocities, Jacobians and accelerations of frames are derivatives of one another, in all three references."""

from __future__ import annotations

import numpy as np
import pytest

from differences import derivative, tangent_gradient
from matrices import times, transpose, unskew
from random_states import States
from sixvec.algorithms.parts.reference import REFERENCES
from targets import OnTarget
from tolerances import DIFFERENCE, IDENTITY, assert_close

every_reference = pytest.mark.parametrize("reference", REFERENCES)


@pytest.mark.every(3)
@every_reference
@pytest.mark.covers("CHAIN-14", "CHAIN-17", "KIN-18", "KIN-24")
def test_jacobian_is_the_derivative_of_the_pose(robot: OnTarget, states: States, reference: str) -> None:
    frame = tool(robot)
    X = robot.pose(states.q, frame)
    dX = tangent_gradient(robot, lambda q: robot.pose(q, frame), states.q)
    expected = np.stack([twist(X, dX[..., j], reference) for j in range(robot.nv)], axis=-1)
    assert_close(robot.jacobian(states.q, frame, reference), expected, DIFFERENCE)


@pytest.mark.every(3)
@every_reference
@pytest.mark.covers(
    "CHAIN-11",
    "CHAIN-17",
    "KIN-24",
    "Bruyninckx (5.15)-(5.17)",
    "Bruyninckx (5.23)",
    "Bruyninckx (7.10)-(7.13)",
    "Featherstone (17)-(25)",
    "Lynch-Park (9.91)",
    "Rodriguez-Kreutz (2.25)",
)
def test_jacobian_times_joint_velocity_is_velocity(robot: OnTarget, states: States, reference: str) -> None:
    q, v, _, _ = states
    expected = times(robot.jacobian(q, tool(robot), reference), v)
    assert_close(robot.velocity(q, v, tool(robot), reference), expected, IDENTITY)


@pytest.mark.every(3)
@every_reference
@pytest.mark.covers("BODY-17")
def test_jacobian_derivative_is_the_rate_of_the_jacobian(robot: OnTarget, states: States, reference: str) -> None:
    q, v, _, _ = states
    rate = derivative(lambda t: robot.jacobian(robot.integrate(q, t * v), tool(robot), reference))
    assert_close(robot.jacobian_derivative(q, v, tool(robot), reference), rate, DIFFERENCE)


@pytest.mark.every(3)
@every_reference
@pytest.mark.covers("CHAIN-12", "KIN-25", "BODY-15", "Featherstone (28)-(29)", "Lynch-Park (9.92)")
def test_J_a_plus_Jdot_v_is_the_derivative_of_velocity(robot: OnTarget, states: States, reference: str) -> None:
    """In axes that do not turn about a point that moves it is the point's acceleration, else the spatial one."""
    q, v, a, _ = states
    frame = tool(robot)
    rate = derivative(lambda t: robot.velocity(robot.integrate(q, t * v), v + t * a, frame, reference))
    J, dJ = robot.jacobian(q, frame, reference), robot.jacobian_derivative(q, v, frame, reference)
    assert_close(times(J, a) + times(dJ, v), rate, DIFFERENCE)
    point = reference == "local_world_aligned"
    accelerations = robot.classical_acceleration if point else robot.acceleration
    assert_close(accelerations(q, v, a, frame, reference), rate, DIFFERENCE)


@pytest.mark.every(3)
@every_reference
@pytest.mark.covers("BODY-15")
def test_classical_acceleration_is_spatial_plus_w_cross_v(robot: OnTarget, states: States, reference: str) -> None:
    q, v, a, _ = states
    frame = tool(robot)
    V = robot.velocity(q, v, frame, reference)
    expected = robot.acceleration(q, v, a, frame, reference)
    expected[:, 3:] += np.cross(V[:, :3], V[:, 3:])
    assert_close(robot.classical_acceleration(q, v, a, frame, reference), expected, IDENTITY)


@pytest.mark.covers("KIN-24")
def test_world_and_aligned_velocities_differ_by_p_cross_w(robot: OnTarget, states: States) -> None:
    """The linear part at the world's origin is not that of the frame's origin (the trap of Featherstone (26))."""
    q, v, _, _ = states
    frame = tool(robot)
    world, aligned = (robot.velocity(q, v, frame, r) for r in ("world", "local_world_aligned"))
    p = robot.pose(q, frame)[:, :3, 3]
    aligned[:, 3:] += np.cross(p, aligned[:, :3])
    assert_close(world, aligned, IDENTITY)


@pytest.mark.every(2)
@pytest.mark.covers("CHAIN-10", "CHAIN-22")
def test_poses_are_the_poses_of_all_frames(robot: OnTarget, states: States) -> None:
    together = robot.poses(states.q)
    for i, frame in enumerate(robot.frame_names):
        assert_close(together[:, i], robot.pose(states.q, frame), IDENTITY)


def tool(robot: OnTarget) -> str:
    """A frame at the end of the longest branch, not at its body's origin."""
    frames = [f for f in robot.model.frames if f.name.startswith("tool")]
    return max(frames, key=lambda f: len(robot.model.path(f.body))).name


def twist(X: np.ndarray, dX: np.ndarray, reference: str) -> np.ndarray:
    """(ω; v) of a pose that changes with dX: Ṙ Rᵀ = ω× in world axes, Rᵀ Ṙ in the frame's."""
    R, p, dR, dp = X[:, :3, :3], X[:, :3, 3], dX[:, :3, :3], dX[:, :3, 3]
    back = transpose(R)
    w = unskew(dR @ back)
    if reference == "local":
        return np.concatenate([unskew(back @ dR), times(back, dp)], axis=1)
    if reference == "world":
        return np.concatenate([w, dp - np.cross(w, p)], axis=1)
    return np.concatenate([w, dp], axis=1)
