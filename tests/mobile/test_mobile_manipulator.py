"""An arm on wheels is one robot: pose, Jacobian in its inputs, redundancy, forces, supports."""

from __future__ import annotations

import math
import pickle
from typing import Any

import numpy as np
import pytest

import sixvec as sv
from naming import named
from sixvec.errors import ArgumentError, DegenerateError, ModelError, ShapeError
from sixvec.mobile import Caster, MobileRobot, Platform, mount
from sixvec.mobile.manipulator.support import SupportPolygon
from sixvec.spatial import RigidInertia, Sym3, Vec3

RNG = np.random.default_rng(8)
START = RNG.bit_generator.state


@pytest.fixture(autouse=True)
def same_numbers() -> None:
    """The same random numbers for every test, whatever ran before."""
    RNG.bit_generator.state = START


TIP = "panda_link8"
PANDA = sv.load("panda")
MOUNT = np.array([[0.0, -1.0, 0.0, 0.2], [1.0, 0.0, 0.0, 0.05], [0.0, 0.0, 1.0, 0.4], [0.0, 0.0, 0.0, 1.0]])
SLAB = RigidInertia.from_center_of_mass(60.0, Vec3(0.0, 0.0, 0.15), Sym3.diagonal(2.0, 3.0, 4.0))
DRIVE = sv.mobile.differential_drive(0.5, 0.1)
CARRIAGE = Platform([*DRIVE.wheels, Caster(-0.35, 0.0, offset=0.04, radius=0.04, name="caster")], name="carriage")
BASES = {"drive": CARRIAGE, "car": sv.mobile.car(0.9, 0.5, radius=0.1), "mecanum": sv.mobile.mecanum(0.6, 0.4, 0.05)}
ROBOTS = {name: mount(PANDA, base, MOUNT, inertia=SLAB) for name, base in BASES.items()}
EVERY = pytest.mark.parametrize("name", BASES)


def state(robot: MobileRobot, *batch: int) -> Any:
    q = np.zeros((*batch, robot.nq))
    q[..., :3] = RNG.uniform(-1.0, 1.0, (*batch, 3))
    q[..., 3 : robot.arm_start] = 0.3
    q[..., robot.arm_start :] = PANDA.random(RNG, *batch)
    return q


def planar(q: Any) -> Any:
    x, y, a = q[:3]
    c, s = math.cos(a), math.sin(a)
    return np.array([[c, -s, 0.0, x], [s, c, 0.0, y], [0.0, 0.0, 1.0, 0.0], [0.0, 0.0, 0.0, 1.0]])


@EVERY
@pytest.mark.covers("MM-01")
def test_pose_is_base_times_mount_times_arm(name: str) -> None:
    robot, q = ROBOTS[name], state(ROBOTS[name])
    assert np.allclose(robot.pose(q, TIP), planar(q) @ MOUNT @ PANDA.pose(q[-7:], TIP))
    assert robot.nq == (11 if name == "car" else 10) and robot.joint_names[0] == "platform"


@EVERY
@pytest.mark.covers("MM-01")
def test_jacobian_in_the_inputs(name: str) -> None:
    robot, base = ROBOTS[name], BASES[name]
    q, h = state(robot), 1e-6
    steer = robot.steering(q)
    n = len(base.rate_names)
    u = RNG.normal(size=len(robot.input_names))
    if n > 2:
        u[:n] = base.inverse_velocity(RNG.normal(size=3)).rates
    if name == "car":
        u[:n] = base.inverse_velocity([math.tan(0.3) / 0.9, 1.0, 0.0]).rates  # what rolls together with the steering
    ends = []
    for t in (-h, h):
        pose = base.odometry(u[None, :n] * np.sign(t), abs(t), q[:3], steer=steer).end
        ends.append(robot.pose(np.concatenate([pose, q[3:] + t * u[n:]]), TIP))
    rate = (ends[1] - ends[0]) / (2 * h)
    spin = rate[:3, :3] @ robot.pose(q, TIP)[:3, :3].T
    twist = np.array([spin[2, 1], spin[0, 2], spin[1, 0], *rate[:3, 3]])
    assert np.allclose(robot.input_jacobian(q, TIP) @ u, twist, atol=1e-8)


@EVERY
def test_every_input_rolls(name: str) -> None:
    robot, base = ROBOTS[name], BASES[name]
    q = state(robot, 4)
    v = robot.input_map(q) @ RNG.normal(size=len(robot.input_names))
    c, s = np.cos(q[:, 2]), np.sin(q[:, 2])
    twist = np.stack([v[:, 2], c * v[:, 0] + s * v[:, 1], c * v[:, 1] - s * v[:, 0]], axis=-1)
    slip = base.inverse_velocity(twist, robot.steering(q)).slip
    assert np.abs(slip).max(initial=0.0) < 1e-13


@EVERY
@pytest.mark.covers("MM-01")
def test_redundancy_with_a_heavy_platform(name: str) -> None:
    robot, q = ROBOTS[name], state(ROBOTS[name], 5)
    twist = RNG.normal(size=(5, 6)) * 0.1
    light = robot.inverse_rates(q, twist, TIP, weight=np.ones(len(robot.input_names)))
    heavy = robot.inverse_rates(q, twist, TIP)
    n = len(BASES[name].rate_names)
    for motion in (light, heavy):
        assert motion.residual.max() < 1e-10
        assert np.allclose((robot.jacobian(q, TIP) @ motion.v[..., None])[..., 0], twist)
    assert np.linalg.norm(heavy.u[:, :n]) < np.linalg.norm(light.u[:, :n])
    wanted = RNG.normal(size=len(robot.input_names))
    led = robot.inverse_rates(q, twist, TIP, preferred=wanted)
    assert led.residual.max() < 1e-10
    root = np.sqrt(np.where(np.arange(len(wanted)) < n, 10.0, 1.0))
    near, far = (np.linalg.norm(root * (m.u - wanted), axis=-1) for m in (led, heavy))
    assert (near < far).all()


@pytest.mark.covers("MM-02")
def test_a_virtual_base_with_a_constraint_gives_the_same() -> None:
    """v over a free planar joint with C v = 0 and a weight on rates: the inputs are but coordinates of it."""
    robot, q = ROBOTS["drive"], state(ROBOTS["drive"])
    twist = RNG.normal(size=6)
    weight = RNG.uniform(0.5, 2.0, 9)
    u = robot.inverse_rates(q, twist, TIP, weight=weight)
    J, N = robot.jacobian(q, TIP), robot.input_map(q)
    C = np.zeros((1, 10))
    C[0, :2] = [-math.sin(q[2]), math.cos(q[2])]
    assert np.allclose(C @ N, 0.0)
    rates = np.linalg.pinv(N)  # of v that obeys the constraint, exactly
    W = rates.T @ np.diag(weight) @ rates
    kkt = np.block([[W + C.T @ C, J.T, C.T], [J, np.zeros((6, 7))], [C, np.zeros((1, 7))]])
    v = np.linalg.solve(kkt, np.concatenate([np.zeros(10), twist, [0.0]]))[:10]
    assert np.allclose(v, u.v, atol=1e-9)


@EVERY
@pytest.mark.covers("MM-02")
def test_forces_of_motors_and_ground(name: str) -> None:
    robot, base = ROBOTS[name], BASES[name]
    for _ in range(20):
        q, wrench = state(robot), RNG.normal(size=6) * 10.0
        effort = robot.inverse_force(q, {TIP: wrench})
        if np.isfinite(effort.support.loads).all():  # it does not tip over
            break
    steer = robot.steering(q)
    X = robot.pose(q, TIP)
    moment, force = X[:3, :3] @ wrench[:3], X[:3, :3] @ wrench[3:]
    com, total = robot.center_of_mass(q), force + robot.mass * robot.gravity
    at = np.array([q[0], q[1], 0.0])
    about = moment + np.cross(X[:3, 3] - at, force) + np.cross(com - at, robot.mass * robot.gravity)
    R = planar(q)[:3, :3]
    ground = robot.ground_wrench(q, external={TIP: wrench})
    assert np.allclose(ground, -np.concatenate([R.T @ about, R.T @ total]), atol=1e-9)
    arm = PANDA.gravity_forces(q[-7:]) - PANDA.jacobian(q[-7:], TIP, reference="local").T @ wrench
    assert np.allclose(effort.tau, arm, atol=1e-9)
    assert np.allclose(base.forward_force(effort.wheel_forces, steer), ground[[2, 3, 4]], atol=1e-9)
    n = len(base.rate_names)
    assert np.allclose(effort.wheel_torques, effort.wheel_forces[:n] * [w.radius for w in base.rolling if w.driven])
    assert np.isclose(effort.support.loads.sum(), ground[5])
    size = np.linalg.norm(base.wrench_basis(steer)[1:], axis=0)  # along rollers it takes more than at the rim
    for k, wheel in enumerate(base.wheels):
        lines = [i for i, line in enumerate(base.line_names) if line.startswith(f"{wheel.name}: ")]
        sideways = np.linalg.norm(effort.wheel_forces[lines] * size[lines])
        assert np.isclose(effort.grip[k] * effort.support.loads[k], sideways) or effort.support.loads[k] <= 0.0
    assert np.nanmax(effort.grip) > 0.0 and np.array_equal(np.isnan(effort.grip), effort.support.loads <= 0.0)


@pytest.mark.covers("MM-02")
def test_wheel_torques_do_the_work_of_the_wheels() -> None:
    robot, q = ROBOTS["drive"], state(ROBOTS["drive"])
    wrench, u = RNG.normal(size=6), RNG.normal(size=9)
    heavy = robot.inverse_force(q, {TIP: wrench})
    rest = robot.inverse_force(q)
    torques = np.concatenate([heavy.wheel_torques - rest.wheel_torques, heavy.tau - rest.tau])
    V = robot.input_jacobian(q, TIP, reference="local") @ u
    assert np.isclose(torques @ u, -wrench @ V)


@EVERY
@pytest.mark.covers("MM-02")
def test_the_ground_changes_the_momentum(name: str) -> None:
    robot, q, h = ROBOTS[name], state(ROBOTS[name]), 1e-6
    v, a = RNG.normal(size=(2, robot.nv))  # the ground also holds it sideways

    def momentum(t: float) -> Any:
        """About the origin of the world."""
        at, rate = robot.integrate(q, v * t + a * (t * t / 2.0)), v + a * t
        p = robot.momentum(at, rate)
        return np.concatenate([p[:3] + np.cross(robot.center_of_mass(at), p[3:]), p[3:]])

    weight = robot.mass * robot.gravity
    needed = (momentum(h) - momentum(-h)) / (2.0 * h)
    needed -= np.concatenate([np.cross(robot.center_of_mass(q), weight), weight])
    X = planar(q)
    R = X[:3, :3]
    moment, force = R.T @ (needed[:3] - np.cross(X[:3, 3], needed[3:])), R.T @ needed[3:]
    assert np.allclose(robot.ground_wrench(q, v, a), [*moment, *force], rtol=1e-6, atol=1e-5)


@pytest.mark.covers("MM-03")
def test_the_zero_moment_point_and_the_margin() -> None:
    robot = ROBOTS["mecanum"]
    q = np.concatenate([[0.4, -0.2, 0.7], PANDA.random(RNG)])
    rest = robot.support(q)
    com = planar(q)[:3, :3].T @ (robot.center_of_mass(q) - [0.4, -0.2, 0.0])
    assert np.allclose(rest.point, com[:2])
    assert np.isclose(rest.margin, min(0.3 - abs(com[0]), 0.2 - abs(com[1]))) and rest.stable
    x, y = np.array(robot.supports.points).T
    assert np.allclose([rest.loads.sum(), rest.loads @ y, rest.loads @ -x], robot.ground_wrench(q)[[5, 0, 1]])
    a = np.zeros(10)
    a[:2] = 3.0 * np.array([math.cos(0.7), math.sin(0.7)])  # speeds up forward: the point moves backward
    faster = robot.support(q, a=a)
    assert np.isclose(faster.point[0], com[0] - 3.0 * com[2] / 9.81)
    down = robot.support(q, external={TIP: np.zeros(6)})
    assert np.allclose(down.loads, rest.loads)
    a[:2] *= 10.0
    assert not robot.support(q, a=a).stable and "tips over" in repr(robot.support(q, a=a))


def test_corners_of_any_support() -> None:
    points = ((0.0, 0.0), (1.0, 0.0), (0.5, 0.2), (1.0, 1.0), (0.0, 1.0), (0.5, 0.0))
    polygon = sv.mobile.manipulator.SupportPolygon(tuple("abcdef"), points)
    assert polygon.corners().tolist() == [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]]
    with pytest.raises(DegenerateError, match="support"):
        mount(PANDA, DRIVE, MOUNT).support(np.zeros(10))


@pytest.mark.covers("MM-02")
def test_several_arms() -> None:
    arm = sv.load("planar_2r")
    other = np.eye(4)
    other[1, 3] = -0.4
    two = mount(arm, mount(PANDA, CARRIAGE, MOUNT, inertia=SLAB), other, prefix="right_")
    assert two.nq == 12 and two.input_names[-1].startswith("right_") and two.platform == CARRIAGE
    q = np.concatenate([[0.1, 0.2, 0.3], PANDA.random(RNG), [0.4, 0.5]])
    frames = (TIP, f"right_{arm.frame_names[-1]}")
    J = np.vstack([two.input_jacobian(q, f) for f in frames])
    assert np.allclose(J[:6, -2:], 0.0) and np.allclose(J[6:, 2:9], 0.0)
    assert np.allclose(two.pose(q, frames[1]), planar(q) @ other @ arm.pose(q[-2:], arm.frame_names[-1]))


def test_reaching_by_inverse_kinematics_and_a_planner() -> None:
    robot = ROBOTS["drive"]
    q0 = np.concatenate([[0.0, 0.0, 0.0], (PANDA.lower + PANDA.upper) / 2])
    target = robot.pose(q0, TIP)
    target[:2, 3] += [1.5, 1.0]
    reach = robot.reach(target, TIP, q0, radius=0.5)
    answer, path = reach.solution, reach.path
    assert answer and np.allclose(robot.pose(answer.q, TIP), target, atol=1e-6)
    assert np.allclose(path.samples(2)[1, :2], answer.q[:2], atol=1e-9)


def test_following_twists_of_the_tool() -> None:
    robot = ROBOTS["drive"]
    q0 = np.concatenate([[0.0, 0.0, 0.0], (PANDA.lower + PANDA.upper) / 2])
    twist = np.tile([0.0, 0.0, 0.0, 0.3, 0.1, 0.0], (200, 1))
    followed = robot.follow(q0, twist, TIP, 0.01)
    q, u = followed.q, followed.u
    moved = robot.pose(q[-1], TIP)[:3, 3] - robot.pose(q0, TIP)[:3, 3]
    assert np.allclose(moved, [0.6, 0.2, 0.0], atol=5e-3)
    assert np.allclose(CARRIAGE.odometry(u[:, :2], 0.01).end, q[-1, :3], atol=5e-3)


def test_robots_on_wheels_pickle() -> None:
    again = pickle.loads(pickle.dumps(ROBOTS["drive"]))
    assert again.platform == CARRIAGE and again.input_names == ROBOTS["drive"].input_names
    assert set(again.rolling) == {"contact left", "contact right"} and not ROBOTS["mecanum"].rolling


BAD: list[tuple[Any, type[Exception], str]] = [
    (lambda: mount("panda", CARRIAGE), ArgumentError, named("mount", "arm", "panda")),  # type: ignore[arg-type]
    (lambda: mount(PANDA, PANDA), ArgumentError, "mount"),  # type: ignore[arg-type]
    (lambda: mount(PANDA, CARRIAGE, np.eye(3)), ShapeError, "pose"),
    (lambda: mount(PANDA, CARRIAGE, 2.0 * np.eye(4)), ModelError, "pose"),
    (lambda: mount(PANDA, ROBOTS["drive"]), ModelError, "prefix"),
    (lambda: mount(ROBOTS["drive"], CARRIAGE, prefix="a_"), ArgumentError, "mount"),
    (lambda: mount(sv.load("ur5e", floating=True), CARRIAGE), ModelError, "mount"),
]


@pytest.mark.parametrize(("make", "error", "text"), BAD)
def test_bad_mounts_raise(make: Any, error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=text):
        make()


def test_loads_of_a_rectangle_are_those_of_equal_springs() -> None:
    """A force of 100 N at (0.1, 0.2), and the point where its wheels are in a row along two edges."""
    names = tuple("abcdef")
    points = ((0.5, 0.4), (-0.5, 0.4), (-0.5, -0.4), (0.5, -0.4), (0.0, 0.4), (0.0, -0.4))
    held = SupportPolygon(names[:4], points[:4]).bears([20.0, -10.0, 7.0, 1.0, 2.0, 100.0])
    x, y = np.array(points[:4]).T
    assert np.allclose(held.loads, 25.0 * (1.0 + 0.1 * x / 0.25 + 0.2 * y / 0.16))
    assert np.allclose(held.point, [0.1, 0.2]) and held.margin == pytest.approx(0.2) and held.stable
    six = SupportPolygon(names, points)
    assert six.corners().tolist() == [[-0.5, -0.4], [0.5, -0.4], [0.5, 0.4], [-0.5, 0.4]]
    found = six.bears(
        [[20.0, -10.0, 0, 0, 0, 100.0], [50.0, 0, 0, 0, 0, 100.0], [0, 0, 0, 0, 0, -1.0], [0, 0, 0, 0, 0, np.nan]]
    )
    assert np.allclose(found.margin, [0.2, -0.1, -np.inf, np.nan], equal_nan=True)
    assert found.stable.tolist() == [True, False, False, False] and np.allclose(found.loads[0].sum(), 100.0)
    for few in (points[:2], ((0.0, 0.0), (0.1, 0.2), (0.3, 0.6))):
        with pytest.raises(DegenerateError, match="line"):
            SupportPolygon(names[: len(few)], few)


def test_corners_are_counter_clockwise_from_the_leftmost() -> None:
    """Points on an edge, within, and given twice are none."""
    square = [(0.0, 0.0), (2.0, 0.0), (2.0, 2.0), (0.0, 2.0)]
    more = [(1.0, 0.0), (1.0, 1.0), (2.0, 1.0), (0.5, 2.0), (0.0, 1.5), (2.0, 2.0), (0.0, 0.0)]
    for order in (square + more, more + square, [*reversed(square + more)]):
        found = SupportPolygon(tuple(map(str, range(len(order)))), tuple(order)).corners()
        assert found.tolist() == [[*p] for p in square]
    lines = [(-1.0, 0.0), (1.0, -1.0), (3.0, 0.0), (1.0, 1.0), (1.0, 0.0), (1.0, -0.5)]
    found = SupportPolygon(tuple("abcdef"), tuple(lines)).corners()
    assert found.tolist() == [[-1.0, 0.0], [1.0, -1.0], [3.0, 0.0], [1.0, 1.0]]


WEIGHTS = (1.0, 1e6, 1e12, 1e20, math.inf)


@pytest.mark.covers("MM-01")
def test_weights_of_any_ratio_do_not_decide_what_is_reached() -> None:
    arm = sv.load("planar_2r")
    robot = mount(arm, BASES["mecanum"], np.eye(4))
    q, twist = np.array([0.1, 0.2, 0.3, 0.3, 0.4]), [0.0, 0.0, 0.0, 0.1, 0.05, 0.0]
    usual = robot.inverse_rates(q, twist, "tip")
    for w in WEIGHTS:
        motion = robot.inverse_rates(q, twist, "tip", weight=[w, w, w, w, 1.0, 1.0])
        assert motion.residual < 1e-14 and np.allclose(motion.u, usual.u, atol=1e-12)
    robot, q = ROBOTS["mecanum"], state(ROBOTS["mecanum"])
    twist = RNG.normal(size=6)
    for w in WEIGHTS[2:]:
        motion = robot.inverse_rates(q, twist, TIP, weight=np.r_[np.full(4, w), np.ones(7)])
        assert motion.residual < 1e-10 and np.abs(motion.u[:4]).max() < 1e-8 * np.abs(motion.u).max()


@pytest.mark.covers("MM-01")
@EVERY
def test_a_batch_of_weights(name: str) -> None:
    robot, q, twist = ROBOTS[name], state(ROBOTS[name], 3), RNG.normal(size=(3, 6))
    weights = 10.0 ** RNG.uniform(-2.0, 18.0, (3, len(robot.input_names)))
    together = robot.inverse_rates(q, twist, TIP, weight=weights)
    for k in range(3):
        alone = robot.inverse_rates(q[k], twist[k], TIP, weight=weights[k])
        assert np.array_equal(together.u[k], alone.u)
        J, W = robot.input_jacobian(q[k], TIP), np.diag(weights[k])
        null = np.linalg.svd(J)[2][6:]
        steepest = np.abs(null * weights[k]).sum(axis=-1) * np.abs(alone.u).max()
        assert alone.residual < 1e-9 and (np.abs(null @ W @ alone.u) <= 1e-9 * steepest).all()


def test_forces_with_weights_of_any_ratio() -> None:
    base = BASES["mecanum"]
    for w in WEIGHTS:
        forces = base.inverse_force([1.0, 2.0, 3.0], weight=[w, w, w, 1.0])
        assert np.allclose(base.forward_force(forces), [1.0, 2.0, 3.0])
    assert np.allclose(DRIVE.filter([1.0, 2.0, 3.0], weight=[1.0, 1.0, 1e20]), [1.0, 2.0, 0.0])
