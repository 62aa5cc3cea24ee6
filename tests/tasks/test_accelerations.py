"""Stacks of accelerations: the equations of motion, torques, forces in cones of friction, feet that are released."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest

import sixvec as sv
from sixvec import tasks
from sixvec.errors import SixvecError
from sixvec.geometry.rigid_body import Sphere
from sixvec.model import Geom
from sixvec.spatial import Pose, Vec3
from sixvec.verdict import Verdict

Q = np.array([0.0, -0.4, 0.0, -2.0, 0.0, 1.6, 0.8])
HAND, DT = "panda_link8", 0.002
FRICTION, GAIN = 0.5, 0.02


@cache
def panda() -> sv.Robot:
    return sv.load("panda")


@cache
def dog() -> tuple[sv.Robot, Any, tuple[str, ...]]:
    robot = sv.load("solo12")
    q = robot.neutral()
    q[7:] = [0.0, 0.7, -1.4] * 4
    return robot, q, tuple(f for f in robot.frame_names if f.endswith("FOOT"))


@cache
def standing() -> tasks.Stack:
    robot, q, feet = dog()
    held = [tasks.Held(f, "point", friction=FRICTION, gain=0.2) for f in feet]
    trunk = tasks.CenterOfMass(weight=3.0, gain=GAIN), tasks.Orientation("base_link", gain=GAIN)
    return tasks.Stack(robot, *held, *trunk, tasks.Posture(q, weight=0.1, gain=GAIN), order="acceleration")


def states(count: int, seed: int = 0, speed: float = 0.3) -> tuple[Any, Any]:
    """Positions near the stance, and velocities."""
    robot, q, _ = dog()
    rng = np.random.default_rng(seed)
    moved = robot.integrate(np.broadcast_to(q, (count, robot.nq)), 0.1 * rng.normal(size=(count, robot.nv)))
    return moved, speed * rng.normal(size=(count, robot.nv))


def targets() -> dict[str, Any]:
    robot, q, _ = dog()
    return {"com": robot.center_of_mass(q) + np.array([0.02, 0.01, 0.0]), "base_link": np.eye(3)}


def test_torques_move_an_arm_as_the_step_says() -> None:
    arm, rng = panda(), np.random.default_rng(0)
    q, v = arm.random(rng, 100), rng.normal(size=(100, 7))
    stack = tasks.Stack(
        arm, tasks.Frame(HAND, gain=0.05), tasks.Posture(Q, weight=0.01, gain=0.05), order="acceleration"
    )
    step = stack(q, {HAND: arm.pose(arm.random(rng, 100), HAND)}, DT, v=v)
    solved = step.verdict == Verdict.SOLVED
    assert solved.mean() > 0.9
    assert abs(arm.forward_dynamics(q, v, step.tau) - step.a)[solved].max() < 1e-8 * abs(step.a).max()
    assert (abs(step.tau) <= arm.effort_limits * (1.0 + 1e-12)).all()
    assert any("torque limit" in name for k in np.flatnonzero(solved) for name in step.limits_at(k))
    assert np.allclose(step.v, v + DT * step.a, atol=1e-12) and np.allclose(step.q, q + DT * step.v, atol=1e-15)


def test_errors_decay_as_those_of_a_critically_damped_spring() -> None:
    arm, gain = panda(), 0.05
    target = Q + 0.2 * np.random.default_rng(1).normal(size=7)
    stack = tasks.Stack(arm, tasks.Posture(target, gain=gain), order="acceleration", limits=False)
    path = stack.follow(Q, {}, DT, steps=200)
    k = np.arange(1, 201)
    assert np.allclose(path.q - target, ((1.0 + gain * k) * (1.0 - gain) ** k)[:, None] * (Q - target), atol=1e-12)


def test_frames_reach_their_targets_without_overshooting() -> None:
    arm = panda()
    goal = arm.pose(Q, HAND)
    goal[:3, 3] += [0.1, 0.1, -0.1]
    stack = tasks.Stack(
        arm, tasks.Frame(HAND, gain=0.02), tasks.Posture(Q, weight=1e-3, gain=0.02), order="acceleration"
    )
    path = stack.follow(Q, {HAND: goal}, DT, steps=1500)
    error = np.linalg.norm(arm.pose(path.q, HAND)[:, :3, 3] - goal[:3, 3], axis=1)
    assert path and error[-1] < 1e-4 and abs(path.v[-100:]).max() < 1e-6
    assert (np.diff(error) < 1e-6).all()


@pytest.mark.covers("TASK-04")
def test_steps_are_those_of_daqp_on_the_whole_program() -> None:
    """Accelerations and forces as variables, with everything from the robot's own methods."""
    daqp = pytest.importorskip("daqp")
    robot, posture, feet = dog()
    n, forces = robot.nv, 12
    slope, mass, count = FRICTION / np.sqrt(2.0), robot.mass, 6
    q, v = states(count)
    goal = targets()
    step = standing()(q, goal, DT, v=v)
    assert step, step.verdict
    for k in range(count):
        J = np.vstack([robot.jacobian(q[k], f)[3:] for f in feet])
        bias = np.concatenate([robot.jacobian_derivative(q[k], v[k], f)[3:] @ v[k] for f in feet])
        M, h = robot.mass_matrix(q[k]), robot.bias_forces(q[k], v[k])
        wants = [
            (3.0, robot.center_of_mass_jacobian(q[k]), goal["com"] - robot.center_of_mass(q[k]),
             center(robot, q[k], v[k])),
            (1.0, robot.jacobian(q[k], "base_link")[:3], turn(robot.pose(q[k], "base_link")),
             (robot.jacobian_derivative(q[k], v[k], "base_link") @ v[k])[:3]),
            (0.1, np.eye(n), robot.difference(q[k], posture), np.zeros(n)),
        ]  # fmt: skip
        H, g = np.diag(np.r_[np.zeros(n), np.full(forces, 1e-5)]), np.zeros(n + forces)
        for weight, rows, error, bend in wants:
            a = (GAIN**2 * error / DT - (1.0 - (1.0 - GAIN) ** 2) * rows @ v[k]) / DT - bend
            H[:n, :n] += weight**2 * rows.T @ rows
            g[:n] -= weight**2 * rows.T @ a
        dynamics = np.hstack([M, -mass * J.T])  # forces per mass
        cone = np.zeros((16, n + forces))
        for c in range(4):
            for i, (axis, sign) in enumerate([(0, 1), (0, -1), (1, 1), (1, -1)]):
                cone[4 * c + i, n + 3 * c + axis], cone[4 * c + i, n + 3 * c + 2] = sign, -slope
        normal = np.eye(n + forces)[n + 2 :: 3]
        hold = np.hstack([J, np.zeros((12, forces))])
        A = np.vstack([dynamics[:6], hold, cone, normal])
        at = -0.2 * J @ v[k] / DT - bias
        low = np.r_[-h[:6], at, np.full(16, -1e30), np.zeros(4)]
        high = np.r_[-h[:6], at, np.zeros(16), np.full(4, 1e30)]
        kinds = np.r_[np.full(18, 5), np.zeros(20)].astype(np.int32)
        x, _, flag, _ = daqp.solve(H, g, A, high, low, kinds, primal_tol=1e-10, dual_tol=1e-10, iter_limit=10000)
        assert flag == 1
        assert abs(step.a[k] - x[:n]).max() < 1e-6 * abs(x[:n]).max()
        assert abs(step.force[k, :, 3:].ravel() / mass - x[n:]).max() < 1e-6 * abs(x[n:]).max()
        assert abs(step.tau[k] - (dynamics @ x + h)).max() < 1e-6 * abs(step.tau[k]).max()


def center(robot: sv.Robot, q: Any, v: Any, h: float = 1e-6) -> Any:
    """The acceleration of the centre of mass at constant joint velocities, by differences."""
    ends = [robot.center_of_mass_jacobian(robot.integrate(q, s * h * v)) @ v for s in (1.0, -1.0)]
    return (ends[0] - ends[1]) / (2.0 * h)


def turn(X: Any) -> Any:
    """The turn from an orientation to that of the world."""
    R = X[:3, :3].T
    axis = 0.5 * np.array([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]])
    size = np.linalg.norm(axis)
    return axis * (np.arctan2(size, (np.trace(R) - 1.0) / 2.0) / size if size > 1e-12 else 1.0)


def test_forces_satisfy_friction_and_the_equations_of_motion() -> None:
    robot, _, feet = dog()
    q, v = states(200, 1)
    goal = targets() | {"com": robot.center_of_mass(dog()[1]) + np.array([0.2, 0.0, -0.1])}  # pulls hard, and down
    step = standing()(q, goal, DT, v=v)
    solved = step.verdict == Verdict.SOLVED
    assert solved.mean() > 0.9 and step.contacts == feet
    f = step.force[solved]
    assert abs(f[..., :3]).max() == 0.0 and f[..., 5].min() > -1e-9
    assert (np.linalg.norm(f[..., 3:5], axis=-1) <= FRICTION * f[..., 5] + 1e-8 * f.max()).all()
    wrenches = sum(np.swapaxes(robot.jacobian(q, x), 1, 2) @ step.force_on(x)[..., None] for x in feet)[..., 0]
    rest = robot.inverse_dynamics(q, v, step.a) - wrenches - step.tau
    assert abs(rest[solved]).max() < 1e-9 * abs(step.tau).max() and abs(step.tau[solved, :6]).max() < 1e-9 * f.max()
    binding = {name for k in np.flatnonzero(solved) for name in step.limits_at(k)}
    assert {f"{feet[0]}: friction", f"{feet[0]}: lifts off"} <= binding
    for x in feet:  # the feet do not slide
        J, bend = robot.jacobian(q, x)[:, 3:], robot.jacobian_derivative(q, v, x)[:, 3:]
        ahead = (J @ step.v[..., None] + DT * bend @ v[..., None])[..., 0]
        assert np.allclose(ahead[solved], 0.8 * (J @ v[..., None])[solved, :, 0], atol=1e-9)


def test_a_foot_is_released_by_its_largest_force() -> None:
    robot, q, feet = dog()
    state, v = states(3, 2, 0.0)
    state[:] = q
    largest = np.array([np.inf, 3.0, 0.0])
    step = standing()(state, targets() | {feet[0]: largest}, DT, v=v)
    assert step
    f = step.force_on(feet[0])[:, 5]
    assert f[0] > 3.0 and f[1] == pytest.approx(3.0) and f[2] == pytest.approx(0.0, abs=1e-9)
    assert f"{feet[0]}: largest normal force" in step.limits_at(1)
    moved = robot.jacobian(q, feet[0])[3:] @ step.v[..., None]
    assert abs(moved[:2]).max() < 1e-9 and abs(moved[2]).max() > 1e-9
    assert step.force[..., 5].sum(axis=-1) == pytest.approx(9.81 * robot.mass, rel=0.2)


def test_welds_and_loops_have_the_forces_of_the_equations_of_motion() -> None:
    arm, rng = panda(), np.random.default_rng(3)
    q, v = arm.random(rng, 20), rng.normal(size=(20, 7))
    N = np.eye(7) - np.linalg.pinv(arm.jacobian(q, HAND)) @ arm.jacobian(q, HAND)
    v = (N @ v[..., None])[..., 0]  # the hand is at rest
    stack = tasks.Stack(arm, tasks.Held(HAND), tasks.Posture(Q, gain=0.05), order="acceleration", limits=False)
    step = stack(q, {}, DT, v=v)
    expected = arm.constrained_dynamics(q, v, step.tau, hold={HAND: "weld"})
    assert step and abs(step.a - expected.a).max() < 1e-6 * abs(expected.a).max()
    bars = sv.load("four_bar")
    q = bars.assemble([0.7, 0.0, 1.0], fixed=["drive"]).q
    turning = tasks.JointVelocity(joints="drive", gain=0.1)
    step = tasks.Stack(bars, turning, order="acceleration")(q, {"joint velocity": [0.5, 0, 0]}, DT, v=np.zeros(3))
    assert step and step.a[0] == pytest.approx(0.1 * 0.5 / DT)
    assert np.allclose(bars.forward_dynamics(q, np.zeros(3), step.tau), step.a, rtol=1e-8)


def test_joints_without_motor_are_not_driven() -> None:
    cart = sv.load("cart_pole")
    q, v = np.array([0.1, 0.3]), np.array([0.2, -0.5])
    step = tasks.Stack(cart, tasks.Posture([0.0, 0.0], gain=0.05), order="acceleration")(q, {}, DT, v=v)
    assert step and abs(step.tau[1]) < 1e-12 and np.allclose(cart.forward_dynamics(q, v, step.tau), step.a, rtol=1e-9)


def test_limits_of_positions_speeds_and_accelerations_hold() -> None:
    arm, rng = panda(), np.random.default_rng(4)
    q = arm.random(rng, 6)
    stack = tasks.Stack(
        arm, tasks.Frame(HAND, gain=0.1), tasks.Posture(Q, weight=1e-2, gain=0.1), order="acceleration",
        acceleration=8.0,
    )  # fmt: skip
    goals = arm.pose(arm.random(rng, 240).reshape(40, 6, 7), HAND).repeat(50, axis=0)
    path = stack.follow(q, {HAND: goals}, 0.01)
    assert (path.verdict == Verdict.SOLVED).all()
    assert (path.q <= arm.upper + 1e-9).all() and (path.q >= arm.lower - 1e-9).all()
    assert (abs(path.v) <= arm.velocity_limits + 1e-9).all() and (abs(path.a) <= 8.0 + 1e-9).all()
    assert (abs(path.tau) <= arm.effort_limits + 1e-9).all()


def test_clearances_hold() -> None:
    hand = Geom(HAND, Sphere(0.08), Pose.translation(Vec3(0.0, 0.0, 0.08)))
    robot, world, at = sv.Robot(replace(panda().model, geoms=(hand,))), sv.World(), np.eye(4)
    at[:3, 3] = [0.5, 0.0, 0.2]
    world.box((1.0, 1.0, 0.05), at, name="table")
    low = robot.pose(Q, HAND)
    low[2, 3] = 0.1
    frame, posture = tasks.Frame(HAND, gain=0.05), tasks.Posture(Q, weight=0.1, gain=0.05)
    stack = tasks.Stack(robot, frame, posture, clearance=(world, 0.02), order="acceleration", acceleration=10.0)
    path = stack.follow(Q, {HAND: low}, 0.01, steps=600)
    assert path and robot.distance(path.q, world).distance.min() > 0.02 - 1e-4
    assert robot.distance(path.q[-1], world).distance < 0.0202 and path.limits_at(-1) == (f"{HAND}–table: clearance",)


def test_motors_that_are_too_weak_are_named() -> None:
    arm = panda().with_limits("panda_joint2", effort=5.0)
    stack = tasks.Stack(arm, tasks.Posture(Q, hard=True, gain=0.1), order="acceleration")
    step = stack(Q, {}, DT, v=np.zeros(7))
    assert step.verdict == Verdict.INFEASIBLE and "joint panda_joint2: torque limit" in step.contradiction()
    assert (abs(step.tau) <= arm.effort_limits).all() and not step.a.any()


def test_steps_do_not_depend_on_their_neighbours_and_nan_stays() -> None:
    q, v = states(9, 5)
    plain = standing()(q, targets(), DT, v=v)
    v[4, 2] = np.nan
    step = standing()(q, targets(), DT, v=v)
    rest = np.arange(9) != 4
    assert step.verdict[4] == Verdict.INVALID
    assert np.array_equal(step.tau[rest], plain.tau[rest]) and np.array_equal(step.force[rest], plain.force[rest])
    alone = standing()(q[2], targets(), DT, v=v[2])
    assert np.array_equal(alone.tau, plain.tau[2]) and alone.force.shape == (4, 6)


def test_paths_are_steps_in_a_row() -> None:
    q, v = states(2, 6, 0.0)
    path = standing().follow(q, targets(), DT, steps=5, v0=v)
    for k in range(5):
        step = standing()(q, targets(), DT, v=v)
        assert np.array_equal(path.q[:, k], step.q) and np.array_equal(path.tau[:, k], step.tau)
        q, v = step.q, step.v


def test_tensors_of_torch_have_torques_of_torch() -> None:
    torch = pytest.importorskip("torch")
    q, v = states(3, 7)
    plain = standing()(q, targets(), DT, v=v)
    step = standing()(torch.tensor(q), {k: torch.tensor(x) for k, x in targets().items()}, DT, v=torch.tensor(v))
    assert isinstance(step.tau, torch.Tensor) and np.array_equal(step.tau.numpy(), plain.tau)
    assert repr(step) == "<AccelerationStep: 3 solved, v (3, 18)>"


@pytest.mark.parametrize(
    ("made", "name"),
    [
        (lambda: tasks.Stack(panda(), tasks.Damping(), order="jerk"), "order"),
        (lambda: tasks.Stack(panda(), tasks.Damping(), order="acceleration")(Q, {}, DT), "v="),
        (lambda: tasks.Held(HAND, friction=0.5), "points"),
        (lambda: tasks.Held(HAND, friction=0.5, points=[[0, 0, 0], [1, 0, 0], [2, 0, 0]]), "points"),
        (lambda: tasks.Held(HAND, points=[[0, 0, 0]]), "friction"),
        (lambda: tasks.Held(HAND, "point", friction=0.5, points=[[0, 0, 0.1]]), "point"),
        (lambda: tasks.Held(HAND, "point", friction=-0.5), "friction"),
        (lambda: tasks.Held(HAND, "point", friction=0.5, normal=(0, 0, 0)), "normal"),
        (lambda: tasks.Held(HAND, "point", friction=0.5, hard=False), "hard"),
        (lambda: standing()(states(1)[0], {}, DT, v=np.zeros(18)), "com"),
        (lambda: standing()(states(1)[0], targets() | {dog()[2][0]: -1.0}, DT, v=np.zeros(18)), dog()[2][0]),
        (lambda: standing()(states(1)[0], targets(), DT, v=np.zeros(18)).force_on("nose"), "nose"),
    ],
)
def test_wrong_arguments_are_named(made: Any, name: str) -> None:
    with pytest.raises(SixvecError, match=name):
        made()
