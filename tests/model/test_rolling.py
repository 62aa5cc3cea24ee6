"""Wheels as data of a model: edits keep them, with what they share, or say that they cannot."""

from __future__ import annotations

import copy
import pickle
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import sixvec as sv
from naming import named
from sixvec import Robot
from sixvec.errors import ArgumentError, FrameNotFound, ModelError
from sixvec.mobile import Rolling, mount, rolling_velocity, slip, wheeled_robot
from sixvec.model.edits import lock, rename, reorder, serialize, subchain, without_closures, without_rolling
from sixvec.model.joints import Prismatic
from sixvec.model.summary import summary
from sixvec.model.text_tree import text_tree
from sixvec.spatial import RigidInertia, Sym3, Vec3

RNG = np.random.default_rng(27)
SLAB = RigidInertia.from_center_of_mass(60.0, Vec3(0.1, 0.03, 0.15), Sym3.diagonal(2.0, 3.0, 4.0))
SWERVE = mount(sv.load("planar_2r"), sv.mobile.swerve(0.6, 0.4, 0.05), np.eye(4), inertia=SLAB, steering_inertia=0.1)
DRIVE = wheeled_robot(sv.mobile.differential_drive(0.5, 0.1), SLAB, 1.0)
Q, V, TAU = RNG.normal(0.0, 0.2, (3, SWERVE.nv))


def accelerations(robot: Robot, place: Any = slice(None)) -> Any:
    q, v, tau = (x[place] for x in (Q, V, TAU))
    return robot.forward_dynamics(q, v, tau)


def test_axles_find_their_joints_in_any_order() -> None:
    """The steered wheels share slip: the model says by which joints, so their order in q does not matter."""
    assert SWERVE.model.rolling[0].shared is not None
    names = SWERVE.joint_names
    order = [names[k] for k in (5, 3, 0, 4, 6, 1, 2)]
    turned = Robot(reorder(SWERVE.model, order))
    places = [
        i for name in order for i in range(SWERVE.nv)[SWERVE.model.v_slices[SWERVE.model.joint_by_name[name].name]]
    ]
    expected = accelerations(SWERVE)
    assert np.allclose(accelerations(turned, places), expected[places], atol=1e-12)
    slopes = turned.forward_dynamics_derivatives(*(x[places] for x in (Q, V, TAU)))
    for one, other in zip(slopes, SWERVE.forward_dynamics_derivatives(Q, V, TAU), strict=True):
        assert np.allclose(one, other[np.ix_(places, places)], atol=1e-9)
    assert not np.allclose(accelerations(SWERVE.sliding), expected)
    wide = Robot(serialize(SWERVE.model, "breadth_first"))
    assert np.allclose(accelerations(wide), expected, atol=1e-12) and wide.joint_names == names


def test_names_are_kept_in_step() -> None:
    names = {"contact front_left": "front", "front_left steer": "fork", "platform": "cart"}
    renamed = Robot(rename(SWERVE.model, names))
    assert renamed.model.rolling[0].frame == "front" and "front: side" in renamed.constraint_names()
    assert np.array_equal(accelerations(renamed), accelerations(SWERVE))


@pytest.mark.parametrize("again", [copy.copy, copy.deepcopy, lambda x: pickle.loads(pickle.dumps(x))])
def test_copies_roll(again: Any) -> None:
    for robot in (SWERVE, DRIVE):
        other = again(robot)
        assert other.model == robot.model and other.rolling == robot.rolling and type(other) is type(robot)
        assert other.model.fingerprint == robot.model.fingerprint != robot.sliding.model.fingerprint
    assert np.array_equal(accelerations(again(SWERVE)), accelerations(SWERVE))


def test_what_the_wheels_share_cannot_be_locked() -> None:
    for joint in ("front_left steer", "platform"):
        with pytest.raises(ModelError, match=named(joint, "contact front_left")):
            lock(SWERVE.model, [joint])
    firm = Robot(lock(SWERVE.model, ["joint2"]))
    assert firm.rolling == SWERVE.rolling and firm.nv == SWERVE.nv - 1
    free = Robot(lock(without_rolling(SWERVE.model), ["platform"]))
    assert not free.rolling and not without_rolling(SWERVE.model).rolling


def test_a_chain_has_the_wheels_inside_it() -> None:
    assert not subchain(SWERVE.model, "link1", "link2").rolling
    axle = subchain(DRIVE.model, "platform", "left")
    assert [w.frame for w in axle.rolling] == ["left"] and axle.nv == 1


def test_a_model_says_which_wheel_is_wrong() -> None:
    wheel = Rolling(0.1).at("left")
    with pytest.raises(FrameNotFound, match="front"):
        replace(DRIVE.model, rolling=(Rolling(0.1).at("front"),))
    with pytest.raises(ModelError, match=named("left", "twice")):
        replace(DRIVE.model, rolling=(wheel, wheel))
    wrong: Any = (Rolling(0.1),)
    with pytest.raises(ModelError, match=named("Rolling", "rolling")):
        replace(DRIVE.model, rolling=wrong)


def test_wheels_are_listed() -> None:
    assert text_tree(DRIVE.model).splitlines()[-2].split() == ["left", "0.1", "m", "roll,", "side"]
    assert summary(DRIVE.model)["rolling"][1] == {"frame": "right", "radius": 0.1, "directions": ["roll", "side"]}
    assert "rolling" not in summary(DRIVE.sliding.model)


def test_any_robot_may_have_wheels() -> None:
    """A model with `rolling` is one on wheels; nothing else is needed."""
    plain = Robot(replace(DRIVE.sliding.model, rolling=DRIVE.model.rolling))
    q, v, tau = RNG.normal(size=(3, plain.nv))
    assert np.array_equal(plain.forward_dynamics(q, v, tau), DRIVE.forward_dynamics(q, v, tau))
    rolls = rolling_velocity(plain, q, v)
    assert np.array_equal(rolls, DRIVE.rolling_velocity(q, v)) and np.abs(slip(plain, q, rolls)).max() < 1e-12
    path = plain.rollout(q, rolls, tau, 0.01, steps=5)
    assert np.array_equal(path.q, DRIVE.rollout(q, rolls, tau, 0.01, steps=5).q)
    with pytest.raises(ArgumentError, match=named("inverse_dynamics", "robot.sliding")):
        plain.inverse_dynamics(q, v, tau)


def test_loops_and_wheels_act_together() -> None:
    """A rail on the platform closes a loop through an arm; both kinds of rows hold, by the dense equations."""
    arm = mount(sv.load("planar_2r"), DRIVE, np.eye(4))
    q = np.array([0.1, 0.2, 0.3, 0.0, 0.0, 0.4, 0.5])
    rail = arm.with_closure("platform", "tip", Prismatic(Vec3(1.0, 0.0, 0.0)), "rail", q)
    tree = Robot(without_closures(without_rolling(rail.model)))
    assert np.abs(rail.closure_error(q)).max() < 1e-12 and rail.rolling == arm.rolling
    A = rail.constraint_jacobian(q)
    assert A.shape == (5 + 4, 7) and np.array_equal(A[:5], rail.closure_jacobian(q))
    v = rolling_velocity(rail, q, RNG.normal(size=7))
    tau, M = RNG.normal(size=7), tree.mass_matrix(q)
    free = np.linalg.solve(M, tau - tree.bias_forces(q, v))
    back = np.linalg.solve(M, A.T)
    a = free - back @ np.linalg.pinv(A @ back) @ (A @ free + rail.constraint_bias(q, v))
    assert np.allclose(rail.forward_dynamics(q, v, tau), a, atol=1e-8)
    names = rail.constraint_names()
    assert names[:5] == rail.sliding.constraint_names() and names[5:] == arm.constraint_names()
    path = rail.rollout(q, v, tau, 0.001, steps=20)
    assert np.abs(rail.closure_error(path.q)).max() < 1e-9 and np.abs(slip(rail, path.q, path.v)).max() < 1e-9
