"""A joint with several freedoms and the chain of single ones: the same robot in other coordinates."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import sixvec
from naming import named
from sixvec import Robot
from sixvec.errors import ArgumentError, ModelError
from sixvec.model import Body, FrictionLaw, JointDynamics, Limits, Model
from sixvec.model.actuation import active_joints, passive_joints
from sixvec.model.edits import split
from sixvec.model.joints import Cylindrical, Free, Joint, Planar, Prismatic, Revolute, Spherical, Universal
from sixvec.spatial import Pose, Quaternion, RigidInertia, Sym3, Vec3, so3

RNG = np.random.default_rng(6)


def chain(joint: Joint) -> Robot:
    """A link, the joint, and a link beyond it."""
    inertia = RigidInertia.from_center_of_mass(1.3, Vec3(0.1, -0.2, 0.15), Sym3.diagonal(0.05, 0.07, 0.06))
    placement = Pose(so3.exp(Vec3(0.3, -0.5, 0.2)), Vec3(0.2, 0.1, -0.3))
    bodies = (
        Body("before", None, Revolute(Vec3(0.0, 0.6, 0.8)), inertia=inertia),
        Body("at", "before", joint, placement, inertia, joint_name="hip"),
        Body("after", "at", Prismatic(Vec3(1.0, 0.0, 0.0)), placement, inertia),
    )
    return Robot(Model("chain", bodies))


def original(joint: Joint, parts: tuple[Body, ...], q: Any) -> tuple[Any, Any]:
    """The position of the joint, and the columns of its velocities by those of its parts."""
    X = Pose.identity()
    for b, x in zip(parts, q, strict=True):
        X = X @ b.joint.pose([x])
    columns = np.zeros((6, len(parts)))
    beyond = Pose.identity()
    for k in reversed(range(len(parts))):
        (S,) = parts[k].joint.subspace([q[k]])
        S = beyond.inv() @ S
        columns[:, k] = [*S.ang, *S.lin]
        beyond = parts[k].joint.pose([q[k]]) @ beyond
    turn = [*Quaternion.from_rotation(X.rot)]
    return (turn, columns[:3]) if isinstance(joint, Spherical) else ([*X.pos, *turn], columns)


@pytest.mark.covers("MODEL-10")
@pytest.mark.parametrize(
    ("joint", "axes"),
    [(Spherical(), "xyz"), (Spherical(), "zxz"), (Spherical(), "zyx"), (Free(), "xyz"), (Free(), "yzy")],
)
def test_turns_in_a_row_move_as_the_ball(joint: Joint, axes: str) -> None:
    """Poses, energy, and joint forces by virtual work: τ' = Jᵀ τ with v = J v'."""
    whole = chain(joint)
    parted = Robot(split(whole.model, "hip", axes))
    parts = parted.model.bodies[1:-1]
    n = len(parts)
    q, v, a = (RNG.normal(size=n + 2) for _ in range(3))

    def mapped(q: Any) -> tuple[Any, Any]:
        at, J = original(joint, parts, q[1:-1])
        return np.r_[q[0], at, q[-1]], J

    h, (q0, J) = 1e-6, mapped(q)
    rate = (mapped(q + h * v)[1] - mapped(q - h * v)[1]) @ v[1:-1] / (2 * h)
    v0 = np.r_[v[0], J @ v[1:-1], v[-1]]
    a0 = np.r_[a[0], J @ a[1:-1] + rate, a[-1]]
    assert np.allclose(parted.pose(q, "after"), whole.pose(q0, "after"), atol=1e-12)
    assert np.isclose(parted.kinetic_energy(q, v), whole.kinetic_energy(q0, v0), atol=1e-12)
    tau = whole.inverse_dynamics(q0, v0, a0)
    expected = np.r_[tau[0], J.T @ tau[1:-1], tau[-1]]
    assert np.allclose(parted.inverse_dynamics(q, v, a), expected, atol=1e-7)


@pytest.mark.covers("MODEL-10")
@pytest.mark.parametrize(
    "joint",
    [
        Universal(Vec3(1.0, 0.2, 0.0), Vec3(0.0, 1.0, 0.3)),
        Cylindrical(Vec3(0.0, 0.6, 0.8)),
        Planar(Vec3(0.6, 0.0, 0.8)),
    ],
)
def test_joints_of_plain_coordinates_keep_them(joint: Joint) -> None:
    n = joint.nv
    terms = JointDynamics((0.1, 0.2, 0.3)[:n], (0.4, 0.5, 0.6)[:n], (), (7.0, 8.0, 9.0)[:n], (0.1, 0.2, 0.3)[:n])
    bounds = Limits((-1.0, -2.0, -3.0)[:n], (1.0, 2.0, 3.0)[:n], (), (5.0, 6.0, 7.0)[:n])
    before = chain(joint).model
    law = FrictionLaw("at", lambda q, v: [x * x * x for x in v])
    bodies = tuple(replace(b, dynamics=terms, limits=bounds) if b.name == "at" else b for b in before.bodies)
    whole = Robot(replace(before, bodies=bodies, passive=(law,)))
    parted = Robot(split(whole.model, "hip"))
    q, v, tau = (RNG.normal(size=(4, n + 2)) for _ in range(3))
    assert parted.nv == parted.nq == n + 2 and all(b.joint.nv == 1 for b in parted.model.bodies)
    assert np.allclose(parted.pose(q, "after"), whole.pose(q, "after"), atol=1e-12)
    a = [robot.forward_dynamics(q, v, tau, passive=True) for robot in (parted, whole)]
    assert np.allclose(*a, atol=1e-8)
    assert np.array_equal(parted.lower, whole.lower) and np.array_equal(parted.effort_limits, whole.effort_limits)


def test_a_robot_with_a_ball_is_written_to_urdf_in_parts(tmp_path: Any) -> None:
    whole, file = chain(Spherical()), tmp_path / "parts.urdf"
    with pytest.raises(ModelError, match=named("sixvec.model.edits.split", "hip")):
        sixvec.save(whole, file)
    parted = Robot(split(whole.model, "hip"))
    sixvec.save(parted, file)
    again = sixvec.load(file)
    q, v, a = (RNG.normal(size=5) for _ in range(3))
    assert np.allclose(again.inverse_dynamics(q, v, a), parted.inverse_dynamics(q, v, a), atol=1e-9)
    assert [b.joint_label for b in parted.model.moving][1:4] == ["hip x", "hip y", "hip z"]


def test_order_and_what_refers_to_the_joint() -> None:
    model = chain(Spherical()).model
    turned = replace(model, order=("at", "before", "after"))
    assert split(turned, "hip").order == ("at x", "at y", "at", "before", "after")
    panda = sixvec.load("panda", floating=True)
    loose = Robot(split(panda.model, panda.joint_names[0]))
    assert loose.nq == loose.nv == panda.nv and len(loose.model.geoms) == len(panda.model.geoms)


def test_parts_of_a_joint_without_a_motor_have_none() -> None:
    """A floating base, and a ball whose efforts are zero."""
    dog = sixvec.load("solo12").model
    assert active_joints(split(dog, dog.moving[0].joint_label)) == active_joints(dog)
    model = chain(Spherical()).model
    first, ball, last = model.bodies
    loose = replace(model, bodies=(first, replace(ball, limits=Limits(effort=(0.0,) * 3)), last))
    assert passive_joints(split(loose, "hip")) == ("hip x", "hip y", "hip z")
    assert passive_joints(split(model, "hip")) == ()
    weak = replace(model, bodies=(first, replace(ball, limits=Limits(effort=(0.0, 0.0, 2.0))), last))
    with pytest.raises(ModelError, match=named("hip", "effort")):
        split(weak, "hip")


def test_what_cannot_be_split() -> None:
    model = chain(Spherical()).model
    for axes in ("xx", "xxy", "abc", "xyzx", 3):
        with pytest.raises(ArgumentError, match=named("split", "axes")):
            split(model, "hip", axes)  # type: ignore[arg-type]
    with pytest.raises(ModelError, match=named("before")):
        split(model, "before")
    with pytest.raises(ModelError, match='no joint "knee"'):
        split(model, "knee")
    first, ball, last = model.bodies
    damped = replace(model, bodies=(first, replace(ball, dynamics=JointDynamics(damping=(1.0,) * 3)), last))
    with pytest.raises(ModelError, match=named("hip", "damping")):
        split(damped, "hip")
    taken = replace(model, bodies=(*model.bodies, Body("at x", "after")))
    with pytest.raises(ModelError, match='"at x"'):
        split(taken, "hip")
    with pytest.raises(ArgumentError, match=named("split", "robot.model")):
        split(Robot(model), "hip")  # type: ignore[arg-type]
