"""Poses, velocities, Jacobians and accelerations of published robots: ours and Pinocchio's."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from pinocchio_bridge import REFERENCES, Peer, peer, pin, six
from published import ALL, Published
from random_states import random_states
from tolerances import PEER, assert_close

every_robot = pytest.mark.parametrize("published", ALL, ids=lambda p: p.name)
every_reference = pytest.mark.parametrize("reference", REFERENCES)


@every_robot
@pytest.mark.covers("CHAIN-10", "CHAIN-22")
def test_poses(published: Published) -> None:
    other, robot = peer(published), published.target()
    q = random_states(robot).q
    ids = [other.frame(name) for name in robot.frame_names]

    def poses(q: np.ndarray) -> Any:
        pin.framesForwardKinematics(other.model, other.data, q)
        return np.array([other.data.oMf[i].homogeneous for i in ids])

    assert_close(robot.poses(q), other.each(poses, q), PEER)


@pytest.mark.every(3)
@every_reference
@every_robot
@pytest.mark.covers("CHAIN-14", "CHAIN-17", "KIN-24", "BODY-17")
def test_jacobian_and_its_derivative(published: Published, reference: str) -> None:
    other, robot, tip = peer(published), published.target(), published.tip
    q, v, _, _ = random_states(robot)

    def jacobians(q: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        where, axes = other.frame(tip), REFERENCES[reference]
        J = pin.computeFrameJacobian(other.model, other.data, q, where, axes)
        dJ = pin.frameJacobianTimeVariation(other.model, other.data, q, v, where, axes)
        return other.columns(J), other.columns(dJ)

    J, dJ = other.each(jacobians, q, v)
    assert_close(robot.jacobian(q, tip, reference), J, PEER)
    assert_close(robot.jacobian_derivative(q, v, tip, reference), dJ, PEER)


@pytest.mark.every(6)
@every_reference
@every_robot
@pytest.mark.covers(
    "CHAIN-11",
    "CHAIN-12",
    "BODY-15",
    "Bruyninckx (5.20)-(5.22)",
    "Rodriguez-Kreutz (2.26)-(2.27)",
    "Rodriguez-Kreutz (2.32)",
)
def test_velocity_and_accelerations(published: Published, reference: str) -> None:
    other, robot, tip = peer(published), published.target(), published.tip
    q, v, a, _ = random_states(robot)
    V, A, point = other.each(lambda q, v, a: motions(other, tip, reference, q, v, a), q, v, a)
    assert_close(robot.velocity(q, v, tip, reference), V, PEER)
    assert_close(robot.acceleration(q, v, a, tip, reference), A, PEER)
    assert_close(robot.classical_acceleration(q, v, a, tip, reference), point, PEER)


def motions(other: Peer, tip: str, reference: str, q: np.ndarray, v: np.ndarray, a: np.ndarray) -> tuple[Any, ...]:
    """Velocity, spatial and classical acceleration of a frame."""
    pin.forwardKinematics(other.model, other.data, q, v, a)
    at = other.model, other.data, other.frame(tip), REFERENCES[reference]
    found = pin.getFrameVelocity(*at), pin.getFrameAcceleration(*at), pin.getFrameClassicalAcceleration(*at)
    return tuple(map(six, found))
