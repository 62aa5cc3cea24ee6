"""Rolling as rows of the constrained dynamics: exact rows, closed forms of a disk, energy, and reduced equations."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import sixvec as sv
from naming import named
from sixvec import Robot
from sixvec.errors import ArgumentError, ModelError, ShapeError
from sixvec.mobile import Caster, OmniWheel, Platform, Rolling, SteeredWheel, mount, wheeled_robot
from sixvec.model import Body, Frame, Model
from sixvec.model.joints import Prismatic, Revolute
from sixvec.spatial import RigidInertia, Sym3, Vec3

RNG = np.random.default_rng(9)
SLAB = RigidInertia.from_center_of_mass(20.0, Vec3(0.05, 0.01, 0.1), Sym3.diagonal(0.5, 0.6, 0.8))
DRIVE = sv.mobile.differential_drive(0.5, 0.1)
CART = Platform([*DRIVE.wheels, Caster(-0.3, 0.0, offset=0.05, radius=0.04, name="caster")], name="cart")
MIXED = Platform(
    [SteeredWheel(0.3, 0.1, 0.2, radius=0.1, name="front"), OmniWheel(-0.2, 0.1, radius=0.08, roller_angle=0.5)]
)
R, MASS = 0.3, 2.0
THIN, ROUND = MASS * R**2 / 4, MASS * R**2 / 2
TOUCH = {"disk": Rolling(R, ("roll", "side", "normal"))}


def disk() -> Robot:
    """x, y, z, heading, lean, spin: a disk that may fall over."""
    solid = RigidInertia.from_center_of_mass(MASS, Vec3.zero(), Sym3.diagonal(THIN, ROUND, THIN))
    axes = {"x": Vec3(1.0, 0.0, 0.0), "y": Vec3(0.0, 1.0, 0.0), "z": Vec3(0.0, 0.0, 1.0)}
    places = [(f"p{k}", Prismatic(axis)) for k, axis in axes.items()]
    joints = [*places, *((name, Revolute(axes[k])) for name, k in (("heading", "z"), ("lean", "x"), ("disk", "y")))]
    names = [None, *(name for name, _ in joints)]
    bodies = [
        Body(name, parent, joint, inertia=solid if name == "disk" else RigidInertia.zero())
        for parent, (name, joint) in zip(names, joints, strict=False)
    ]
    return Robot(Model("coin", tuple(bodies), (Frame("disk", "disk"),)))


COIN = disk()
CARTED = wheeled_robot(CART, SLAB, 1.0, fork_mass=0.5)
MIX = wheeled_robot(MIXED, SLAB, 1.0, fork_mass=0.5)
SUBJECTS = [(CARTED, CARTED.rolling), (MIX, MIX.rolling), (COIN, TOUCH)]


@pytest.mark.parametrize(("robot", "hold"), SUBJECTS, ids=lambda x: getattr(x, "name", ""))
def test_the_bias_is_the_derivative_of_the_rows(robot: Robot, hold: Any) -> None:
    q, v, h = RNG.uniform(-0.7, 0.7, robot.nq), RNG.normal(size=robot.nv), 1e-6  # slipping or not
    ahead, behind = (robot.constraint_jacobian(q + s * h * v, hold=hold) @ v for s in (1, -1))
    assert np.allclose(robot.constraint_bias(q, v, hold=hold), (ahead - behind) / (2 * h), rtol=1e-7, atol=1e-7)


@pytest.mark.covers("MOB-16")
def test_rows_are_the_slip_of_the_platform() -> None:
    robot, q = CARTED, RNG.uniform(-1.0, 1.0, CARTED.nq)
    v = RNG.normal(size=robot.nv)
    c, s = math.cos(q[2]), math.sin(q[2])
    twist = [v[2], c * v[0] + s * v[1], c * v[1] - s * v[0]]
    rows = dict(zip(robot.constraint_names(hold=robot.rolling), robot.constraint_jacobian(q, hold=robot.rolling) @ v))
    answer = CART.inverse_velocity(twist)
    spin = dict(zip(robot.joint_names[1:], v[3:], strict=True))
    for k, name in enumerate(("left", "right")):
        assert np.isclose(rows[f"{name}: roll"], 0.1 * (answer.rates[k] - spin[f"{name} spin"]))
        assert np.isclose(rows[f"{name}: side"], answer.slip[k])
    rates = CART.caster_rates(twist, [q[5]])
    roll, swivel = rates.roll, rates.swivel
    fast = np.array([*v[:3], *answer.rates, swivel[0], roll[0]])
    fast[3:5] = answer.rates
    moved = dict(
        zip(robot.constraint_names(hold=robot.rolling), robot.constraint_jacobian(q, hold=robot.rolling) @ fast)
    )
    assert abs(moved["caster: roll"]) < 1e-13 and abs(moved["caster: side"]) < 1e-13


@pytest.mark.covers("MOB-16")
def test_an_upright_disk_in_closed_form() -> None:
    """(C + m r²) spin'' = torque on the spin,  A heading'' = torque on the heading; it rolls on a circle."""
    q = np.array([0.3, -0.2, R, 0.7, 0.0, 0.4])
    v = rolling_coin(q, turning=0.8, lean=0.0, spinning=3.0)
    tau = np.array([0.0, 0.0, 0.0, 0.5, 0.0, 1.5])
    answer = COIN.constrained_dynamics(q, v, tau, hold=TOUCH)
    assert np.isclose(answer.a[5], 1.5 / (ROUND + MASS * R**2))
    assert np.isclose(answer.a[3], 0.5 / THIN)
    heading, speed = np.array([math.cos(0.7), math.sin(0.7)]), 3.0 * R
    across = np.array([-heading[1], heading[0]])
    leaning = 0.8 * 3.0 * (ROUND + MASS * R**2) / (THIN + MASS * R**2)  # the gyroscopic moment about the contact
    assert np.isclose(answer.a[4], leaning)
    assert np.allclose(answer.a[:2], answer.a[5] * R * heading + (speed * 0.8 - R * leaning) * across)
    assert answer.residual < 1e-9


def rolling_coin(q: Any, turning: float, lean: float, spinning: float) -> Any:
    """The velocity with these rates of the angles at which the disk rolls: the others follow."""
    A = COIN.constraint_jacobian(q, hold=TOUCH)
    angles = np.array([turning, lean, spinning])
    return np.concatenate([np.linalg.solve(A[:, :3], -A[:, 3:] @ angles), angles])


def steady(lean: float, rho: float) -> tuple[Any, Any, float]:
    """A disk that leans inward and rolls on a circle: Ω² ((C/r + m r) ρ + A sin α) = m g r tan α."""
    square = MASS * 9.81 * R * math.tan(lean) / ((ROUND / R + MASS * R) * rho + THIN * math.sin(lean))
    omega = math.sqrt(square)
    q = np.array([rho, 0.0, R * math.cos(lean), math.pi / 2, -lean, 0.2])
    spin = omega * (rho / R + math.sin(lean))
    return q, rolling_coin(q, omega, 0.0, spin), omega


@pytest.mark.covers("MOB-16")
@pytest.mark.parametrize(("lean", "rho"), [(0.3, 1.0), (0.1, 0.4), (0.9, 0.7)])
def test_a_leaning_disk_on_its_steady_circle(lean: float, rho: float) -> None:
    q, v, omega = steady(lean, rho)
    assert np.allclose(v[:3], [0.0, omega * rho, 0.0], atol=1e-12)
    a = COIN.constrained_dynamics(q, v, np.zeros(6), hold=TOUCH).a
    assert np.allclose(a, [-(omega**2) * rho, 0.0, 0.0, 0.0, 0.0, 0.0], atol=1e-8)


def test_rollouts_of_a_disk_keep_energy_and_circle() -> None:
    q, v, omega = steady(0.3, 1.0)
    dt = 2.0 * math.pi / omega / 400
    path = COIN.rollout(q, v, np.zeros((400, 6)), dt, integrator="rk4", hold=TOUCH)
    assert np.allclose(path.q[-1, [0, 1, 2, 4]], q[[0, 1, 2, 4]], atol=1e-5)
    assert np.allclose(np.hypot(path.q[:, 0], path.q[:, 1]), 1.0, atol=1e-5)
    wobble = COIN.rollout(q, rolling_coin(q, omega, 0.3, v[5]), np.zeros((400, 6)), dt, integrator="rk4", hold=TOUCH)
    energy = COIN.kinetic_energy(wobble.q, wobble.v) + COIN.potential_energy(wobble.q)
    assert np.ptp(wobble.q[:, 4]) > 0.05 and np.ptp(energy) < 1e-5 * abs(energy[0])
    slip = (COIN.constraint_jacobian(wobble.q, hold=TOUCH) @ wobble.v[..., None])[..., 0]
    assert np.abs(slip).max() < 1e-9


@pytest.mark.covers("MOB-16")
def test_rolling_does_no_work() -> None:
    robot = CARTED
    q = np.concatenate([[0.1, 0.2, 0.3], [0.0, 0.0], [0.5], [0.0]])
    v = robot.rolling_velocity(q, RNG.normal(size=robot.nv))
    assert np.abs(robot.constraint_jacobian(q, hold=robot.rolling) @ v).max() < 1e-12
    tau = np.zeros(robot.nv)
    tau[list(robot.driven)] = [0.7, -0.2]
    answer = robot.constrained_dynamics(q, v, tau, hold=robot.rolling)
    change = v @ robot.mass_matrix(q) @ answer.a + v @ (robot.bias_forces(q, v))
    assert np.isclose(change, tau @ v)  # of the kinetic energy: M' - 2C has no power
    drift = []
    for steps in (150, 300):
        path = robot.rollout(q, v, np.zeros((steps, robot.nv)), 1.5 / steps, integrator="rk4")
        drift.append(np.ptp(robot.kinetic_energy(path.q, path.v)))
    assert drift[1] < 1e-6 and drift[0] / drift[1] > 8.0  # of fourth order


def test_a_caster_swings_behind() -> None:
    q = np.concatenate([np.zeros(5), [2.5, 0.0]])  # ahead of its pivot
    v = CARTED.rolling_velocity(q, np.array([1.0, 0.0, 0.0, 10.0, 10.0, 0.0, 0.0]))
    path = CARTED.rollout(q, v, np.zeros((500, 7)), 0.01, integrator="rk4")
    assert abs(path.q[-1, 5]) < 0.02


@pytest.mark.covers("MOB-16")
def test_inverse_and_forward_dynamics_of_rolling_agree() -> None:
    robot = CARTED
    q = RNG.uniform(-0.5, 0.5, robot.nq)
    v = robot.rolling_velocity(q, RNG.normal(size=robot.nv))
    tau = np.zeros(robot.nv)
    tau[list(robot.driven)] = RNG.normal(size=2)
    answer = robot.constrained_dynamics(q, v, tau, hold=robot.rolling)
    found = robot.driving_forces(q, v, answer.a)
    assert found.residual < 1e-9 and np.allclose(found.tau, tau[list(robot.driven)], atol=1e-8)
    A = robot.constraint_jacobian(q, hold=robot.rolling)
    assert np.allclose(A.T @ found.force, A.T @ answer.force, atol=1e-8)


@pytest.mark.covers("MM-02")
def test_a_mobile_manipulator_against_its_reduced_equations() -> None:
    """The planar joint with a row of rolling, and the motion in its inputs alone: the same accelerations."""
    arm = sv.load("planar_2r")
    robot = mount(arm, DRIVE, np.eye(4), inertia=SLAB)
    hold = robot.rolling  # both wheels, on one line: rows that depend on each other
    q, u, h = RNG.uniform(-1.0, 1.0, robot.nq), RNG.normal(size=4), 1e-6
    N = robot.input_map(q)
    v, tau = N @ u, RNG.normal(size=robot.nv)
    answer = robot.constrained_dynamics(q, v, tau, hold=hold)
    N_dot = (robot.input_map(q + h * v) - robot.input_map(q - h * v)) / (2 * h)
    M, bias = robot.mass_matrix(q), robot.bias_forces(q, v)
    u_dot = np.linalg.solve(N.T @ M @ N, N.T @ (tau - bias - M @ N_dot @ u))
    assert np.allclose(answer.a, N @ u_dot + N_dot @ u, atol=1e-8)


def test_mecanum_wheels_push_along_their_rollers() -> None:
    base = sv.mobile.mecanum(0.6, 0.4, 0.05)
    body = RigidInertia.from_center_of_mass(20.0, Vec3(0.0, 0.0, 0.1), Sym3.diagonal(0.5, 0.6, 0.8))
    robot = wheeled_robot(base, body, 1.0)
    torque = np.array([-1.0, 1.0, 1.0, -1.0])  # to the left
    answer = robot.constrained_dynamics(
        np.zeros(7), np.zeros(7), np.concatenate([np.zeros(3), torque]), hold=robot.rolling
    )
    inertia = 24.0 + 4.0 * (0.05**2 / 2) / 0.05**2
    assert np.allclose(answer.a[:3], [0.0, 4.0 / 0.05 / inertia, 0.0], atol=1e-9)


def test_bad_rolling_raises() -> None:
    with pytest.raises(ArgumentError, match=named("up")):
        Rolling(0.1, ("up",))
    with pytest.raises(ArgumentError, match="radius"):
        Rolling(-0.1)
    with pytest.raises(ArgumentError, match="assemble"):
        COIN.assemble(np.zeros(6), hold=TOUCH)
    with pytest.raises(ArgumentError, match="rollout"):
        COIN.rollout(np.zeros(6), np.ones(6), np.zeros((2, 6)), 0.1, integrator="rk4", hold=TOUCH)
    with pytest.raises(ArgumentError, match=named("hold", "disk", "pin")):
        COIN.rollout(np.zeros(6), np.zeros(6), np.zeros((2, 6)), 0.1, hold={"disk": "pin"})
    with pytest.raises(ShapeError, match=named("rollout", "tau")):
        COIN.rollout(np.zeros(6), np.zeros(6), np.zeros(6), 0.1, integrator="rk4", hold=TOUCH)
    with pytest.raises(ModelError, match="left"):
        wheeled_robot(DRIVE, SLAB, 0.0)
    with pytest.raises(ArgumentError, match=named("wheel_mass", "right")):
        wheeled_robot(DRIVE, SLAB, {"left": 1.0})
    car = sv.mobile.car(1.3, 0.8, radius=0.1)
    with pytest.raises(ModelError, match=named("wheeled_robot", "front_left", "front_right")):
        wheeled_robot(car, SLAB, 1.0)
    assert wheeled_robot(sv.mobile.reduced(car), SLAB, 1.0, fork_mass=0.1).nv == 6


@pytest.mark.covers("MOB-16", "MM-02")
def test_an_arm_on_wheels_with_mass() -> None:
    """Spinning wheels are inertia of the platform where they only add translation: the same accelerations."""
    arm, place = sv.load("planar_2r"), np.eye(4)
    place[:3, 3] = 0.1, 0.05, 0.3
    robot = mount(arm, wheeled_robot(DRIVE, SLAB, 1.0), place)
    assert isinstance(robot, sv.mobile.WheeledRobot) and robot.nv == 7 and robot.driven == (3, 4, 5, 6)
    disc = 0.1**2 / 2.0
    wheels = [  # a mass of 1.5 kg where each wheel is: its own, and its spinning, which is that of its translation
        RigidInertia.from_center_of_mass(1.0 + disc / 0.1**2, Vec3(0.0, y, 0.1), Sym3.diagonal(0.0, 0.0, disc / 2.0))
        for y in (0.25, -0.25)
    ]
    light = mount(arm, DRIVE, place, inertia=SLAB + wheels[0] + wheels[1])
    q, own = RNG.uniform(-1.0, 1.0, 7), [0, 1, 2, 5, 6]
    v = robot.rolling_velocity(q, RNG.normal(size=7))
    tau = np.concatenate([np.zeros(3), RNG.normal(size=4)])
    a = robot.forward_dynamics(q, v, tau)
    assert np.abs(robot.constraint_jacobian(q) @ a + robot.constraint_bias(q, v)).max() < 1e-10
    assert np.allclose(a[own], light.forward_dynamics(q[own], v[own], light.motor_basis(q[own]) @ tau[3:]), atol=1e-9)
    assert np.allclose(robot.inverse_dynamics(q, v, a), tau, atol=1e-9)
    grip = {"left": 1e5, "right": 1e5}
    slow, path = (sv.mobile.slipping_rollout(robot, q, v, np.tile(tau, (20, 1)), 1e-4, grip),
                  robot.rollout(q, v, tau, 1e-4, steps=20))  # fmt: skip
    assert slow and np.allclose(slow.q, path.q, atol=1e-5)
    with pytest.raises(ArgumentError, match="inertia"):
        mount(arm, robot, place, inertia=SLAB, prefix="b_")  # type: ignore[call-overload]
