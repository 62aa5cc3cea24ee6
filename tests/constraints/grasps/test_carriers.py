"""Arms that carry an object: against one mechanism with held frames, between methods, and where arms are singular."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import sixvec as sv
from naming import named
from sixvec.constraints.grasps import (
    Arm,
    Carriers,
    Grasp,
    grasp_matrix,
    internal_forces,
    internal_part,
)
from sixvec.constraints.grasps.carriers import CarriedMotion
from sixvec.constraints.grasps.closure import GraspClosure
from sixvec.errors import ArgumentError, FrameNotFound, OpenLoop
from sixvec.geometry.rigid_body.solids import Box
from sixvec.model import Body, Model
from sixvec.model.body import Frame
from sixvec.model.joints import Free, Revolute
from sixvec.spatial import Motion, Pose, Vec3

PANDA = sv.load("panda")
HAND = "panda_link8"
LOAD = Box(Vec3(0.4, 0.2, 0.1)).inertia(3.0)
BASES = (Pose.identity(), Pose.rotation(Vec3(0.0, 0.0, 1.0), 2.5))


def state(grasps: list[Grasp], seed: int = 0) -> tuple[Any, ...]:
    """A state that fits rigid grasps: the object is where the first hand has it, bases where the others need them."""
    rng = np.random.default_rng(seed)
    q = [PANDA.random(rng) for _ in grasps]
    X_WC = np.array(BASES[0].as_matrix()) @ PANDA.pose(q[0], HAND) @ np.linalg.inv(np.array(grasps[0].pose.as_matrix()))
    bases = [
        X_WC @ np.array(g.pose.as_matrix()) @ np.linalg.inv(PANDA.pose(x, HAND)) for g, x in zip(grasps, q, strict=True)
    ]
    V = rng.normal(size=6)
    v = []
    for g, x in zip(grasps, q, strict=True):
        at_grasp = [*(g.pose.inv() @ Motion.of(V.tolist()))]
        v.append(np.linalg.pinv(PANDA.jacobian(x, HAND, "local")) @ at_grasp)
    tau = [rng.normal(size=7) * 10.0 for _ in grasps]
    return [Pose.from_matrix(b.tolist()) for b in bases], q, v, tau, X_WC, V


def whole(bases: list[Pose], grasps: list[Grasp]) -> sv.Robot:
    """Arms and object as one mechanism."""
    bodies: list[Body] = []
    frames: list[Frame] = []
    for k, base in enumerate(bases):
        for b in PANDA.model.bodies:
            parent = f"{b.parent}{k}" if b.parent is not None else None
            placed = base @ b.placement if b.parent is None else b.placement
            bodies.append(
                replace(b, name=f"{b.name}{k}", parent=parent, placement=placed, joint_name=f"{b.joint_name}{k}")
            )
        f = PANDA.model.frame(HAND)
        frames.append(Frame(f"hand{k}", f"{f.body}{k}", f.placement))
    bodies.append(Body("object", None, Free(), inertia=LOAD))
    frames += [Frame(f"grasp{k}", "object", g.pose) for k, g in enumerate(grasps)]
    return sv.Robot(Model("whole", tuple(bodies), frames=tuple(frames), gravity=PANDA.model.gravity))


HELD = {
    "rigid": "weld", "point": "point", "hinge": ("turn x", "turn y", "x", "y", "z"),
    "soft finger": ("turn z", "x", "y", "z"),
}  # fmt: skip


@pytest.mark.covers("CON-11", "CON-12")
@pytest.mark.parametrize(
    "kinds",
    [
        ("point", "soft finger"),
        pytest.param(("rigid", "rigid"), marks=pytest.mark.slow),
        pytest.param(("hinge", "rigid"), marks=pytest.mark.slow),
    ],
    ids="-".join,
)
def test_it_is_one_mechanism_whose_hands_are_held_to_the_object(kinds: tuple[Any, Any]) -> None:
    places = [Pose.translation(Vec3(-0.2, 0.0, 0.0)), Pose.rotation(Vec3(0.0, 1.0, 0.0), 1.0, Vec3(0.2, 0.0, 0.1))]
    grasps = [Grasp(kind, X) for kind, X in zip(kinds, places, strict=True)]
    bases, q, v, tau, X, V = state(grasps)
    if kinds != ("rigid", "rigid"):  # hands may turn in their grasps
        for k, g in enumerate(grasps):
            extra = np.zeros(6)
            extra[[i for i in range(6) if i not in [int(np.argmax([*w])) for w in g.wrenches]]] = 0.7
            v[k] = v[k] + np.linalg.pinv(PANDA.jacobian(q[k], HAND, "local")) @ extra
    carriers = Carriers([Arm(PANDA, HAND, g, b) for g, b in zip(grasps, bases, strict=True)], LOAD)
    found = carriers.forward_dynamics(q, v, tau, X, V)
    robot = whole(bases, grasps)
    free = robot.neutral()
    free[:7], free[7:14], free[14:] = q[0], q[1], [*X[:3, 3], *Rotation.from_matrix(X[:3, :3]).as_quat()]
    hold = {(f"grasp{k}", f"hand{k}"): HELD[g.kind] for k, g in enumerate(grasps)}
    still = np.concatenate([*v, V])
    forces = np.concatenate([*tau, np.zeros(6)])
    one = robot.constrained_dynamics(free, still, forces, hold=hold)
    scale = np.abs(one.a).max()
    assert np.allclose(np.concatenate(found.a), one.a[:14], atol=1e-8 * scale)
    assert np.allclose(found.acceleration, one.a[14:], atol=1e-8 * scale)  # of a free joint: rates of its components
    assert found.residual < 1e-8
    assert np.allclose(np.concatenate(found.force), one.force, atol=1e-6 * np.abs(one.force).max())
    other = carriers.forward_dynamics(q, v, tau, X, V, method="object")
    for a, b in zip(found.a, other.a, strict=True):
        assert np.allclose(a, b, atol=1e-7 * scale)
    assert np.allclose(found.acceleration, other.acceleration, atol=1e-7 * scale)


@pytest.mark.covers("CON-11")
def test_singular_arms_are_carried_along() -> None:
    grasps = [Grasp("rigid", Pose.translation(Vec3(-0.2, 0.0, 0.0))), Grasp("rigid")]
    _, q, _, tau, X, _ = state(grasps)
    q[1] = np.zeros(7)  # stretched: its hand cannot move in all directions
    assert np.linalg.matrix_rank(PANDA.jacobian(q[1], HAND), tol=1e-9) < 6
    base = X @ np.array(grasps[1].pose.as_matrix()) @ np.linalg.inv(PANDA.pose(q[1], HAND))
    carriers = Carriers(
        [Arm(PANDA, HAND, grasps[0]), Arm(PANDA, HAND, grasps[1], Pose.from_matrix(base.tolist()))], LOAD
    )
    found = carriers.forward_dynamics(q, [np.zeros(7)] * 2, tau, X, np.zeros(6))
    assert found.residual < 1e-7 and all(np.isfinite(a).all() for a in found.a)
    for arm, a, angles in zip(carriers.arms, found.a, q, strict=True):  # both hands go with the object
        A = Motion.of(arm.robot.acceleration(angles, np.zeros(7), a, HAND, "local").tolist())
        expected = arm.grasp.pose.inv() @ Motion.of(found.acceleration.tolist())
        assert np.allclose([*A], [*expected], atol=1e-6)


def of_linkage_and_arm() -> tuple[Carriers, sv.Robot, tuple[Any, ...], Any]:
    """A four-bar linkage and a Panda that hold one object, the two as one robot, and a state with closed loops."""
    rng = np.random.default_rng(6)
    bars = sv.load("four_bar").with_gravity([0.0, 0.0, -9.81])
    grasps = [
        Grasp("point", Pose.translation(Vec3(-0.1, 0.0, 0.0))),
        Grasp("soft finger", Pose.translation(Vec3(0.1, 0.0, 0.1))),
    ]
    robots, frames = [bars, PANDA], ["coupler_end", HAND]
    q = [np.asarray(bars.assemble([0.7, 0.0, 1.0], fixed=["drive"]).q), PANDA.random(rng)]
    A = bars.closure_jacobian(q[0])
    v = [np.linalg.svd(A)[2][-1] * 0.8]
    X = bars.pose(q[0], frames[0]) @ np.linalg.inv(np.array(grasps[0].pose.as_matrix()))
    other = X @ np.array(grasps[1].pose.as_matrix()) @ np.linalg.inv(PANDA.pose(q[1], HAND))
    V = np.array([*(grasps[0].pose @ Motion.of(bars.velocity(q[0], v[0], frames[0], "local").tolist()))])
    at_grasp = [*(grasps[1].pose.inv() @ Motion.of(V.tolist()))]
    v.append(np.linalg.pinv(PANDA.jacobian(q[1], HAND, "local")) @ at_grasp)
    bases = [Pose.identity(), Pose.from_matrix(other.tolist())]
    carriers = Carriers([Arm(*each) for each in zip(robots, frames, grasps, bases, strict=True)], LOAD)
    bodies = [*bars.model.bodies]
    for b in PANDA.model.bodies:
        bodies.append(b if b.parent is not None else replace(b, placement=bases[1] @ b.placement))
    grip = [Frame(f"grasp{k}", "object", g.pose) for k, g in enumerate(grasps)]
    one = Model(
        "whole", (*bodies, Body("object", None, Free(), inertia=LOAD)),
        (*bars.model.frames, PANDA.model.frame(HAND), *grip), PANDA.model.gravity, closures=bars.model.closures,
    )  # fmt: skip
    free = np.concatenate([*q, X[:3, 3], Rotation.from_matrix(X[:3, :3]).as_quat()])
    tau = [np.array([5.0, 0.0, 0.0]), rng.normal(size=7) * 10.0]
    return carriers, sv.Robot(one), (q, v, tau, X, V), free


@pytest.mark.covers("CON-11")
def test_arms_with_loops_carry_as_one_mechanism() -> None:
    carriers, robot, (q, v, tau, X, V), free = of_linkage_and_arm()
    found = carriers.forward_dynamics(q, v, tau, X, V)
    hold = {("grasp0", "coupler_end"): "point", ("grasp1", HAND): HELD["soft finger"]}
    forces = np.concatenate([*tau, np.zeros(6)])
    one = robot.constrained_dynamics(free, np.concatenate([*v, V]), forces, hold=hold)
    scale = np.abs(one.a).max()
    assert found.residual < 1e-8
    assert np.allclose(np.concatenate([*found.a, found.acceleration]), one.a, atol=1e-9 * scale)
    held = one.force[-7:]
    assert np.allclose(np.concatenate(found.force), held, atol=1e-8 * np.abs(held).max())


@pytest.mark.covers("CON-11")
def test_motors_of_linkages_balance_grasps_at_rest() -> None:
    """By virtual work: the motor's power is that of the grasp's force."""
    carriers, _, (q, v, _, X, _), _ = of_linkage_and_arm()
    force = np.array([3.0, -2.0, 5.0])
    linkage, _ = carriers.squeeze(q, X, [force, np.zeros(4)])
    assert np.allclose(linkage[1:], 0.0, atol=1e-12)  # joints without a motor
    bars, grasp = carriers.arms[0].robot, carriers.arms[0].grasp
    moved = bars.velocity(q[0], v[0], "coupler_end", "local")[3:]  # the grasp is at the frame, with its axes
    assert np.isclose(linkage @ v[0], moved @ force)
    assert grasp.rows == 3 and not np.isclose(linkage[0], 0.0)
    with pytest.raises(OpenLoop, match=named("forward_dynamics")):
        carriers.forward_dynamics([q[0] + [0.0, 0.1, 0.0], q[1]], v, [np.zeros(3), np.zeros(7)], X, np.zeros(6))


def test_a_squeeze_moves_nothing_and_is_felt_by_the_grasps() -> None:
    places = [Pose.translation(Vec3(-0.2, 0.0, 0.0)), Pose.rotation(Vec3(0.0, 1.0, 0.0), np.pi, Vec3(0.0, 0.0, 0.1))]
    grasps = [Grasp("rigid", X) for X in places]
    bases, q, v, tau, X, V = state(grasps)
    carriers = Carriers([Arm(PANDA, HAND, g, b) for g, b in zip(grasps, bases, strict=True)], LOAD)
    internal = internal_forces(grasps) @ np.random.default_rng(4).normal(size=6) * 20.0
    assert np.allclose(grasp_matrix(grasps) @ internal, 0.0, atol=1e-12)
    pressed = [t + s for t, s in zip(tau, carriers.squeeze(q, X, [internal[:6], internal[6:]]), strict=True)]
    plain, hard = (carriers.forward_dynamics(q, v, t, X, V) for t in (tau, pressed))
    assert np.allclose(plain.acceleration, hard.acceleration, atol=1e-6)
    felt = np.concatenate(hard.force) - np.concatenate(plain.force)
    assert np.allclose(felt, internal, atol=1e-5)
    assert np.allclose(internal_part(grasps, felt), felt, atol=1e-5)


def test_batches_and_mistakes() -> None:
    grasps = [Grasp("point", Pose.translation(Vec3(0.1, 0.0, 0.0)))]
    bases, q, v, tau, X, V = state(grasps)
    carriers = Carriers([Arm(PANDA, HAND, grasps[0], bases[0])], LOAD)
    many = carriers.forward_dynamics([np.tile(q[0], (5, 1))], v, tau, X, V)
    one = carriers.forward_dynamics(q, v, tau, X, V)
    assert many.a[0].shape == (5, 7) and np.allclose(many.a[0], one.a[0])
    rng = np.random.default_rng(3)
    Q, F = PANDA.random(rng, 2, 3), rng.normal(size=(2, 3, len(grasps[0].wrenches)))
    (pressed,) = carriers.squeeze([Q], X, [F])
    assert pressed.shape == (2, 3, 7)
    for at in np.ndindex(2, 3):
        assert np.allclose(pressed[at], carriers.squeeze([Q[at]], X, [F[at]])[0], atol=1e-12)
    with pytest.raises(ArgumentError, match=named("q")):
        carriers.forward_dynamics([q[0]] * 2, v, tau, X, V)
    with pytest.raises(ArgumentError, match="magic"):
        carriers.forward_dynamics(q, v, tau, X, V, method="magic")  # type: ignore[arg-type]
    with pytest.raises(FrameNotFound):
        Carriers([Arm(PANDA, "paw")], LOAD)
    with pytest.raises(ArgumentError, match="glue"):
        Grasp("glue")  # type: ignore[arg-type]


def test_words_and_what_cannot_be_carried() -> None:
    moved = CarriedMotion((np.zeros(2), np.zeros(3)), np.zeros(6), (np.zeros(3),) * 2, np.array([0.1, 0.25]))
    assert repr(moved) == "<CarriedMotion of 2 arms: residual 0.25>"
    assert repr(GraspClosure(True, 6, np.ones(7), np.zeros(6))) == "<GraspClosure: closed, rank 6 of 6>"
    assert repr(GraspClosure(False, 5, np.ones(7), np.ones(6))) == "<GraspClosure: open, rank 5 of 6>"
    arm = Arm(sv.load("planar_2r"), "tip")
    with pytest.raises(ArgumentError, match="arms"):
        Carriers([], Box(Vec3(0.1, 0.1, 0.1)).inertia(1.0))
    with pytest.raises(ArgumentError, match="mass"):
        Carriers([arm], Box(Vec3(0.1, 0.1, 0.1)).inertia(0.0))


@pytest.mark.parametrize("side", [1.0, -1.0])
def test_grasps_that_must_open_say_by_how_much(side: float) -> None:
    """Three bars turn about their ends, and their hands move together at 1 m/s: two with 1 m/s² to one side, one with
    2 m/s² to the other.  They cannot move otherwise; the object is in between and every grasp opens."""
    mass = Box(Vec3(0.1, 0.1, 0.1)).inertia(1.0)
    arms, speeds = [], []
    for length, towards in ((1.0, -side), (1.0, -side), (0.5, side)):
        tip = (Frame("hand", "bar", Pose.translation(Vec3(length, 0.0, 0.0))),)
        bar = Model("bar", (Body("bar", None, Revolute(Vec3(0.0, 0.0, 1.0)), inertia=mass),), tip)
        base = Pose.rotation(Vec3(0.0, 0.0, 1.0), np.pi * (towards > 0.0), Vec3(towards * length, 0.0, 0.0))
        arms.append(Arm(sv.Robot(bar), "hand", Grasp("point"), base))
        speeds.append(np.array([-towards / length]))
    still = [np.zeros(1)] * 3
    found = Carriers(arms, mass).forward_dynamics(still, speeds, still, np.eye(4), [0.0, 0.0, 0.0, 0.0, 1.0, 0.0])
    assert found.residual == pytest.approx(2.0, abs=1e-5) and abs(found.acceleration[3]) < 1e-5
