"""What a joint transmits: its share along the axes is the joint force; it changes the momentum of what it carries."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import sixvec
from differences import derivative
from matrices import hat
from naming import named
from pinocchio_bridge import peer, pin, six
from published import ALL, Published
from random_states import random_states
from random_trees import random_tree
from sixvec import Robot
from sixvec.errors import ArgumentError, ModelError
from sixvec.model import JointDynamics
from tolerances import DIFFERENCE, IDENTITY, PEER, assert_close

trees = pytest.mark.parametrize("seed", range(6))


@trees
@pytest.mark.covers("DYN-27", "Featherstone (12)", "Lynch-Park (9.42)", "Lynch-Park (9.56)", "Rodriguez-Kreutz (2.29)")
def test_share_along_the_axes_is_the_joint_force(seed: int) -> None:
    """Sᵀ f = tau, with external wrenches, for every joint type."""
    robot = Robot(random_tree(seed, floating=bool(seed % 2)))
    q, v, a, _ = random_states(robot)
    external = {"tool0": np.random.default_rng(seed).normal(size=6), "tool1": np.ones(6)}
    wrenches = robot.joint_wrenches(q, v, a, external=external)
    tau = np.zeros_like(v)
    for i, x in enumerate(q):
        for b, f in zip(robot.model.moving, wrenches[i], strict=True):
            S = np.array([[*s] for s in b.joint.subspace(x[robot.model.q_slices[b.name]])], float)
            tau[i, robot.model.v_slices[b.name]] = S @ f
    assert_close(tau, robot.inverse_dynamics(q, v, a, external=external), IDENTITY)


@trees
@pytest.mark.covers("DYN-27")
def test_references_describe_the_same_wrench(seed: int) -> None:
    """Joint, body and world coordinates of one wrench differ by the transpose of the adjoint of the frame's pose."""
    model = random_tree(seed)
    bodies = model.by_name
    moved = tuple(replace(f, placement=bodies[f.name].placement) if f.name in bodies else f for f in model.frames)
    robot = Robot(replace(model, frames=moved))  # frames of the bodies' names, elsewhere on the bodies
    q, v, a, _ = random_states(robot)
    world = robot.joint_wrenches(q, v, a, reference="world")
    aligned = robot.joint_wrenches(q, v, a, reference="local_world_aligned")
    joint, body = robot.joint_wrenches(q, v, a), robot.joint_wrenches(q, v, a, reference="body")
    for i, b in enumerate(robot.model.moving):
        X_WF = robot.pose(q, b.name)
        X_WB = X_WF @ np.linalg.inv(as_array(robot.model.frame(b.name).placement))
        scale = abs(world[:, i]).max(axis=1)
        assert_close(in_world(X_WF, body[:, i]), world[:, i], IDENTITY, scale=scale)
        assert_close(in_world(X_WB, joint[:, i]), world[:, i], IDENTITY, scale=scale)
        at_origin = X_WB.copy()
        at_origin[:, :3, :3] = np.eye(3)
        assert_close(in_world(at_origin, aligned[:, i]), world[:, i], IDENTITY, scale=scale)


@trees
@pytest.mark.covers("DYN-27")
def test_the_root_carries_the_rate_of_momentum(seed: int) -> None:
    """At a floating root, f = d/dt (momentum about the world's origin) - weight: by differences along the motion."""
    robot = Robot(random_tree(seed, floating=True))
    q, v, a, _ = random_states(robot, 1, seed)
    q, v, a = q[0], v[0], a[0]

    def momentum(t: float) -> np.ndarray:
        x = robot.integrate(q, t * v + t * t / 2 * a)
        h, c = robot.momentum(x, v + t * a), robot.center_of_mass(x)
        return np.concatenate([h[:3] + np.cross(c, h[3:]), h[3:]])

    f = robot.joint_wrenches(q, v, a, reference="world")[0]
    weight = robot.mass * robot.gravity
    applied = np.concatenate([np.cross(robot.center_of_mass(q), weight), weight])
    assert_close(f + applied, derivative(momentum), DIFFERENCE, batched=False, scale=abs(f).max())


@pytest.mark.covers("DYN-27")
def test_rotors_and_passive_forces_do_not_load_the_joint_twice() -> None:
    """A rotor takes its torque from the motor, not from the body: the wrench is that of the robot without it."""
    model = sixvec.load("panda").model
    turned = tuple(
        replace(b, dynamics=JointDynamics(armature=(0.3,), damping=(2.0,))) if b.joint.nv else b for b in model.bodies
    )
    plain, driven = Robot(model), Robot(replace(model, bodies=turned))
    q, v, a, _ = random_states(plain)
    assert_close(driven.joint_wrenches(q, v, a), plain.joint_wrenches(q, v, a), IDENTITY)


@pytest.mark.covers("DYN-27")
def test_followers_have_no_row() -> None:
    """Of a robot with joints that mimic others, the rows are those of the robot with all joints independent."""
    folder = next(p.path.parents[2] for p in ALL if p.name == "panda")
    hand = sixvec.load(folder / "panda_description/urdf/panda.urdf")
    free = Robot(sixvec.model.coupling.coupling(hand.model).free)
    assert hand.nv < free.nv
    q, v, a, _ = random_states(hand)
    expand = sixvec.model.coupling.coupling(hand.model)
    wide = [
        np.apply_along_axis(f, 1, x)
        for f, x in zip((expand.positions, *[expand.velocities] * 2), (q, v, a), strict=True)
    ]
    rows = [free.joint_names.index(name) for name in hand.joint_names]
    assert_close(hand.joint_wrenches(q, v, a), free.joint_wrenches(*wide)[:, rows], IDENTITY)


@pytest.mark.covers("DYN-27")
def test_derivatives_by_differences() -> None:
    robot = Robot(random_tree(3))
    q, v, a, _ = random_states(robot, 1)
    slope = robot.kernel("joint_wrenches", reference="world").derivative("q")(q[0], v[0], a[0])
    for i, e in enumerate(np.eye(robot.nv)):

        def along(t: float, e: np.ndarray = e) -> np.ndarray:
            return robot.joint_wrenches(robot.integrate(q[0], t * e), v[0], a[0], reference="world")

        expected = derivative(along)
        assert_close(slope[..., i], expected, DIFFERENCE, batched=False, scale=abs(slope).max())


@pytest.mark.every(4)
@pytest.mark.parametrize("published", ALL, ids=lambda p: p.name)
@pytest.mark.covers("DYN-27")
def test_wrenches_of_pinocchio(published: Published) -> None:
    robot, other = published.target(), peer(published)
    q, v, a, _ = random_states(robot)
    names = list(other.model.names)

    def forces(*state: np.ndarray) -> np.ndarray:
        pin.rnea(other.model, other.data, *state)
        return np.array([six(other.data.f[names.index(n)]) for n in other.robot.joint_names])

    assert_close(robot.joint_wrenches(q, v, a), other.each(forces, q, v, a), PEER)


@pytest.mark.covers("DYN-27")
def test_wrenches_of_mujoco() -> None:
    """`cfrc_int` is in world axes at the centre of mass of the tree."""
    mujoco = pytest.importorskip("mujoco")
    from mujoco_bridge import peer as mujoco_peer

    published = next(p for p in ALL if p.name == "ur5_robot")
    other, robot = mujoco_peer(published), published.load()
    q, v, a, _ = random_states(robot)
    ours = robot.joint_wrenches(q, v, a, reference="world")
    for sample, state in zip(ours, zip(q, v, a, strict=True), strict=True):
        other.inverse_dynamics(*state)
        mujoco.mj_rnePostConstraint(other.model, other.data)
        for b, f in zip(robot.model.moving, sample, strict=True):
            body = other.model.body(b.name).id
            c = other.data.subtree_com[other.model.body_rootid[body]]
            theirs = other.data.cfrc_int[body]
            expected = np.concatenate([theirs[:3] + np.cross(c, theirs[3:]), theirs[3:]])
            assert_close(f, expected, PEER, batched=False, scale=abs(sample).max())


def test_wrong_arguments_raise() -> None:
    arm, loop = sixvec.load("panda"), sixvec.load("four_bar")
    zero = arm.neutral()
    with pytest.raises(ArgumentError, match=named("sideways", "joint", "body", "local_world_aligned", "world")):
        arm.joint_wrenches(zero, zero, zero, reference="sideways")
    with pytest.raises(ModelError, match="joint_wrenches"):
        loop.joint_wrenches(loop.neutral(), np.zeros(loop.nv), np.zeros(loop.nv))


def as_array(X: object) -> np.ndarray:
    return np.array(X.as_matrix(), float)  # type: ignore[attr-defined]


def in_world(X: np.ndarray, f: np.ndarray) -> np.ndarray:
    """Wrenches (n, 6) of frames at X (n, 4, 4), at the world's origin and in its axes."""
    force = np.einsum("nij,nj->ni", X[:, :3, :3], f[:, 3:])
    moment = np.einsum("nij,nj->ni", X[:, :3, :3], f[:, :3])
    return np.concatenate([moment + np.array([hat3(x) @ y for x, y in zip(X[:, :3, 3], force, strict=True)]), force], 1)


def hat3(p: np.ndarray) -> np.ndarray:
    return hat(np.concatenate([p, np.zeros(3)]))[:3, :3]
