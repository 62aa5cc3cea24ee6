"""Robots on wheels: their forward, inverse and hybrid dynamics and rollouts roll, whatever steers or closes loops."""

from __future__ import annotations

import math
import pickle
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import sixvec as sv
from naming import named
from sixvec import Robot
from sixvec.errors import ArgumentError, ModelError
from sixvec.mobile import Caster, MobileRobot, Platform, Rolling, mount, wheeled_robot
from sixvec.model import Body, Model
from sixvec.model.body import Mimic
from sixvec.model.edits import without_closures, without_rolling
from sixvec.model.joints import Prismatic, Revolute
from sixvec.spatial import RigidInertia, Sym3, Vec3
from sixvec.verdict import Verdict

RNG = np.random.default_rng(16)
ARM = sv.load("planar_2r")
SLAB = RigidInertia.from_center_of_mass(60.0, Vec3(0.05, 0.0, 0.15), Sym3.diagonal(2.0, 3.0, 4.0))
LENGTH = 0.9
BASES = {
    "drive": sv.mobile.differential_drive(0.5, 0.1),
    "car": sv.mobile.car(LENGTH, 0.5, radius=0.1),
    "mecanum": sv.mobile.mecanum(0.6, 0.4, 0.05),
    "swerve": sv.mobile.swerve(0.6, 0.4, 0.05),
}
ROBOTS = {name: mount(ARM, base, inertia=SLAB, steering_inertia=0.02) for name, base in BASES.items()}


def state(name: str) -> tuple[Any, Any]:
    """A position whose axles meet, and a velocity that rolls and keeps them so."""
    robot = ROBOTS[name]
    q, v = RNG.uniform(-0.5, 0.5, robot.nq), RNG.normal(size=robot.nv)
    if name == "swerve":
        q[3:7], v[3:7] = 0.3, 0.0
    return q, robot.rolling_velocity(q, v)


def reduced(robot: Robot, A: Any, gamma: Any, q: Any, v: Any, tau: Any) -> Any:
    """Accelerations by the motion in the null space of the rows, on the tree."""
    tree = Robot(without_closures(without_rolling(robot.model)))
    M, h = tree.mass_matrix(q), tree.inverse_dynamics(q, v, np.zeros(robot.nv))
    _, sigma, Vt = np.linalg.svd(A)
    N = Vt[int((sigma > 1e-9).sum()) :].T
    own = -np.linalg.pinv(A) @ gamma
    return own + N @ np.linalg.solve(N.T @ M @ N, N.T @ (tau - h - M @ own))


@pytest.mark.covers("MOB-16", "MM-02")
@pytest.mark.parametrize("name", BASES)
def test_forward_and_inverse_dynamics_roll(name: str) -> None:
    robot, (q, v) = ROBOTS[name], state(name)
    tau = robot.motor_basis(q) @ RNG.normal(size=len(robot.input_names))
    a = robot.forward_dynamics(q, v, tau)
    A, gamma = (
        f(*x, hold=robot.rolling) for f, x in ((robot.constraint_jacobian, (q,)), (robot.constraint_bias, (q, v)))
    )
    assert np.allclose(a, reduced(robot, A, gamma, q, v, tau), atol=1e-9)
    assert np.allclose(A @ a + gamma, 0.0, atol=1e-10) and np.array_equal(a, robot.aba(q, v, tau))
    back = robot.inverse_dynamics(q, v, a)
    assert np.allclose(robot.forward_dynamics(q, v, back), a, atol=1e-9)
    motors = robot.motor_basis(q)
    assert np.allclose(motors @ np.linalg.lstsq(motors, back, rcond=None)[0], back, atol=1e-9)  # of motors alone
    assert np.allclose(robot.hybrid_dynamics(q, v, a, tau).a, a, atol=1e-9)
    if robot.rolling:
        assert not np.allclose(robot.sliding.forward_dynamics(q, v, tau), a)
        with pytest.raises(ArgumentError, match="inverse_dynamics_derivatives"):
            robot.inverse_dynamics_derivatives(q, v, a)


@pytest.mark.covers("MOB-16")
@pytest.mark.parametrize("name", ["drive", "car"])
def test_rollouts_roll_and_keep_energy(name: str) -> None:
    robot, (q, v) = ROBOTS[name], state(name)
    path = robot.rollout(q, v, np.zeros(robot.nv), 0.002, steps=200, integrator="rk4")
    energy = robot.kinetic_energy(path.q, path.v) + robot.potential_energy(path.q)
    assert np.ptp(energy) < 1e-8 * abs(energy[0])
    assert np.abs(robot.slip(path.q, path.v)).max() < 1e-12
    with pytest.raises(ArgumentError, match=named("rollout", "rolling_velocity")):
        robot.rollout(q * 0.0, np.eye(robot.nv)[1], np.zeros(robot.nv), 0.002, steps=2)


@pytest.mark.covers("MM-02")
def test_the_steering_of_a_mounted_car_moves_and_the_car_follows() -> None:
    """The steering is driven by acceleration; the path's curvature is  tan(angle) / wheelbase  at every moment."""
    robot, v = ROBOTS["car"], np.zeros(6)
    v[0] = 1.0
    tau = np.zeros((400, 6))
    tau[:, 3] = 0.5 * np.cos(np.linspace(0.0, 6.0, 400))
    path = robot.rollout(np.zeros(6), v, tau, 0.005, prescribed=["steering"])
    speed = np.cos(path.q[:, 2]) * path.v[:, 0] + np.sin(path.q[:, 2]) * path.v[:, 1]
    assert np.allclose(path.v[:, 2], speed * np.tan(path.q[:, 3]) / LENGTH, atol=1e-12)
    assert np.allclose(path.v[:, 3], np.cumsum(tau[:, 3]) * 0.005) and np.ptp(path.q[:, 2]) > 0.05
    for name in ("front_left", "front_right"):  # and all wheels roll, not the one midway alone
        twist = np.stack([path.v[:, 2], speed, np.zeros(400)], axis=-1)
        slip = BASES["car"].inverse_velocity(twist, path.q[:, 3:4])
        assert np.abs(slip.slip).max() < 1e-12, name


def test_wheels_whose_axles_do_not_meet_do_not_roll() -> None:
    robot, q = ROBOTS["swerve"], np.zeros(9)
    q[3:7] = [0.4, -0.4, 0.9, 0.1]
    push = np.zeros(9)
    push[:3] = [30.0, 20.0, 5.0]
    a = robot.forward_dynamics(q, np.zeros(9), push)
    assert np.allclose(a[:3], 0.0, atol=1e-9)


@pytest.mark.covers("MM-02")
def test_an_arm_with_a_loop_on_wheels() -> None:
    bars = sv.load("four_bar")
    carriage = Platform([*BASES["drive"].wheels, Caster(-0.4, 0.1, radius=0.05), Caster(0.4, 0.0, radius=0.05)])
    robot = mount(bars, carriage, inertia=SLAB)
    assert robot.input_names == ("left", "right", "drive")
    q = np.concatenate([[0.1, 0.2, 0.3], bars.assemble([0.7, 0.0, 1.0], fixed=["drive"]).q])
    N = robot.input_map(q)
    A, v, tau = robot.constraint_jacobian(q, hold=robot.rolling), N @ RNG.normal(size=3), RNG.normal(size=6)
    assert np.abs(A @ N).max() < 1e-14
    near = robot.rolling_velocity(q, RNG.normal(size=6))
    assert np.abs(A @ near).max() < 1e-12 and robot.rollout(q, near, np.zeros(6), 0.002, steps=1).q.shape == (1, 6)
    a = robot.forward_dynamics(q, v, tau)
    assert np.allclose(a, reduced(robot, A, robot.constraint_bias(q, v, hold=robot.rolling), q, v, tau), atol=1e-8)
    back = robot.inverse_dynamics(q, v, a)
    assert np.allclose(robot.forward_dynamics(q, v, back), a, atol=1e-8) and np.abs(back[4:]).max() < 1e-9
    path = robot.rollout(q, v, np.zeros(6), 0.002, steps=100, integrator="rk4")
    assert np.abs(robot.closure_error(path.q)).max() < 1e-12 and np.abs(robot.slip(path.q, path.v)).max() < 1e-12
    frame, there = robot.frame_names[-1], np.tile([0.0, 0.0, 0.0, 0.1, 0.0, 0.0], (50, 1))
    followed = robot.follow(q, there, frame, 0.01).q
    assert np.abs(robot.closure_error(followed)).max() < 1e-9
    assert robot.inverse_force(q).tau.shape == (3,) and robot.support(q).stable


@pytest.mark.covers("MM-02")
def test_an_arm_with_a_follower_and_another_arm_on_wheels() -> None:
    solid = RigidInertia.from_center_of_mass(1.0, Vec3(0.1, 0.0, 0.0), Sym3.diagonal(0.1, 0.1, 0.1))
    fingers = [("first", 1.0, None), ("second", -1.0, Mimic("first"))]
    bodies = [
        Body(name, "wrist", Prismatic(Vec3(0.0, side, 0.0)), inertia=solid, joint_name=name, mimic=led)
        for name, side, led in fingers
    ]
    wrist = Body("wrist", None, Revolute(Vec3(0.0, 0.0, 1.0)), inertia=solid, joint_name="turn")
    gripper = Robot(Model("gripper", (wrist, *bodies)))
    two = mount(ARM, mount(gripper, BASES["drive"], inertia=SLAB), prefix="left_")
    assert two.input_names == ("left", "right", "turn", "first", "left_joint1", "left_joint2")
    q = RNG.uniform(-0.5, 0.5, two.nq)
    v = two.rolling_velocity(q, RNG.normal(size=two.nv))
    tau = two.motor_basis(q) @ RNG.normal(size=6)
    assert np.allclose(two.inverse_dynamics(q, v, two.forward_dynamics(q, v, tau)), tau, atol=1e-9)
    again: MobileRobot = pickle.loads(pickle.dumps(two))
    assert np.array_equal(again.forward_dynamics(q, v, tau), two.forward_dynamics(q, v, tau))


def test_edits_keep_the_wheels() -> None:
    robot, (q, v) = ROBOTS["drive"], state("drive")
    tau = RNG.normal(size=5)
    moon = robot.with_gravity([0.0, 0.0, -1.62]).with_frame("lamp", "platform").with_limits("joint1", upper=1.0)
    assert isinstance(moon, MobileRobot) and moon.rolling == robot.rolling and "lamp" in moon.frame_names
    A, gamma = moon.constraint_jacobian(q, hold=moon.rolling), moon.constraint_bias(q, v, hold=moon.rolling)
    assert np.allclose(A @ moon.forward_dynamics(q, v, tau), -gamma, atol=1e-10)
    assert robot.verify(samples=2, peers=False)
    assert robot.with_payload("link2", 1.0).rolling == robot.rolling


def test_steering_needs_inertia_and_a_rear_axle() -> None:
    light = mount(ARM, BASES["car"], inertia=SLAB)
    with pytest.raises(ModelError, match="steering"):
        light.forward_dynamics(np.zeros(6), np.zeros(6), np.zeros(6))
    front = [w for w in BASES["car"].wheels if w.name.startswith("front")]
    with pytest.raises(ModelError, match="mount"):
        mount(ARM, Platform(front, sv.mobile.Ackermann(LENGTH)))
    with pytest.raises(ModelError, match="inertia"):
        mount(ARM, BASES["car"], steering_inertia=-1.0)


def test_friction_of_joints_on_a_robot_that_rolls() -> None:
    """Brakes hold a robot whose motors cannot overcome them, and slow it down where they can."""
    drive = wheeled_robot(BASES["drive"], SLAB, 1.0)
    tau = np.array([0.0, 0.0, 0.0, 0.5, 0.5])
    free = drive.rollout(np.zeros(5), np.zeros(5), tau, 0.01, steps=50)
    assert np.isclose(free.v[-1, 0], 0.5 * 10.0 / (62.0 + 1.0))
    wheels = [b if not b.joint_name.endswith("spin") else _braked(b) for b in drive.model.bodies]
    braked = sv.mobile.WheeledRobot.on(replace(drive.model, bodies=tuple(wheels)), BASES["drive"])
    held = braked.rollout(np.zeros(5), np.zeros(5), tau, 0.01, steps=50, passive=True)
    assert np.abs(held.v).max() < 1e-10  # joints that rows tie together creep with 1e-9 of what they would gain
    pushed = braked.rollout(np.zeros(5), np.zeros(5), 3.0 * tau, 0.01, steps=50, passive=True)
    assert np.isclose(pushed.v[-1, 0], 0.5 * 10.0 / (62.0 + 1.0))  # 1.5 N m less 1.0 at each wheel
    assert math.isclose(pushed.v[-1, 2], 0.0, abs_tol=1e-12) and Rolling(0.1) == drive.rolling["left"]


def _braked(body: Body) -> Body:
    return replace(body, dynamics=replace(body.dynamics, friction=(1.0,)))


@pytest.mark.covers("MOB-16")
def test_accelerations_that_slip_have_no_forces() -> None:
    drive = wheeled_robot(BASES["drive"], SLAB, 1.0)
    sideways, ahead = np.array([0.0, 1.0, 0.0, 0.0, 0.0]), np.array([1.0, 0.0, 0.0, 10.0, 10.0])
    both, still = np.stack([sideways, ahead]), np.zeros(5)
    found = drive.driving_forces(still, still, both)
    assert found.verdict.tolist() == [Verdict.UNREACHABLE, Verdict.SOLVED] and not found
    assert np.isnan(found.tau[0]).all() and np.isnan(found.force[0]).all() and np.isclose(abs(found.slip[0]).max(), 1.0)
    assert np.isfinite(found.tau[1]).all() and found.residual[1] < 1e-9 and "1 of 2 slip" in repr(found)
    tau = drive.inverse_dynamics(still, still, both)
    assert np.isnan(tau[0]).all() and np.allclose(drive.forward_dynamics(still, still, tau[1]), ahead)
    turning = drive.rolling_velocity(still, np.array([1.0, 0.0, 2.0, 0.0, 0.0]))
    assert np.isnan(drive.inverse_dynamics(still, turning, ahead)).all()  # centripetal acceleration is missing
    for size in (1.0, 1e3, 1e6):
        a = drive.forward_dynamics(still, turning, size * np.array([0.0, 1.0, 1.0, 0.1, 0.0]))
        assert np.isfinite(drive.inverse_dynamics(still, turning, a)).all() and drive.driving_forces(still, turning, a)
    rest, wanted = still.astype(np.float32), ahead.astype(np.float32)
    assert drive.inverse_dynamics(rest, rest, wanted).dtype == np.float32
    assert drive.driving_forces(still, still, [np.nan] * 5).verdict == Verdict.INVALID
