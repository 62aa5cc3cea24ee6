"""Which joints can be driven, and what follows for the dynamics."""

from __future__ import annotations

import numpy as np
import pytest

import sixvec
from sixvec.model.actuation import active_joints, actuation_matrix, passive_joints
from sixvec.model.robots import BUILT_IN


@pytest.mark.covers("CHAIN-01", "MODEL-06")
@pytest.mark.parametrize(
    ("name", "passive"),
    [
        ("panda", ()),
        ("cart_pole", ("hinge",)),
        ("acrobot", ("shoulder",)),
        ("four_bar", ("crank_pin", "pivot")),
        ("slider_crank", ("crank_pin", "slide")),
        ("solo12", ("root_joint",)),
        ("humanoid", ("root_joint",)),
    ],
)
def test_joints_without_a_motor(name: str, passive: tuple[str, ...]) -> None:
    model = BUILT_IN[name]()
    assert passive_joints(model) == passive
    joints = [b.joint_name for b in model.moving]
    assert sorted((*active_joints(model), *passive)) == sorted(joints)
    B = actuation_matrix(model)
    assert B.shape == (model.nv, model.nv - sum(b.joint.nv for b in model.moving if b.joint_name in passive))
    # Motors do no work on passive joints, and each drives one coordinate.
    np.testing.assert_array_equal(B.T @ B, np.eye(B.shape[1]))
    for b in model.moving:
        assert B[model.v_slices[b.name]].any() == (b.joint_name not in passive)


@pytest.mark.covers("MODEL-06")
def test_motors_cannot_accelerate_an_underactuated_robot_at_will() -> None:
    robot = sixvec.load("solo12")
    B = actuation_matrix(robot.model)
    q, v = robot.random(0), np.zeros(robot.nv)
    falling = robot.forward_dynamics(q, v, np.zeros(robot.nv))
    reached = np.stack([robot.forward_dynamics(q, v, u) - falling for u in B.T], axis=1)
    assert np.linalg.matrix_rank(reached) == 12 < robot.nv
    # In flight no motor changes the momentum: the centre of mass falls with gravity, whatever they do.
    change = robot.mass_matrix(q)[:6] @ reached
    assert np.abs(change).max() < 1e-10


def test_a_loaded_robot_floats_without_a_motor() -> None:
    assert passive_joints(sixvec.load("panda", floating=True).model) == ("root_joint",)
