"""Stacks of tasks: least squares within limits, priorities, limits that hold for ever, and what cannot be met."""

from __future__ import annotations

import copy
import pickle
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sixvec as sv
from sixvec import tasks
from sixvec.errors import SixvecError
from sixvec.spatial import RigidInertia, Sym3, Vec3
from sixvec.verdict import Verdict

Q = np.array([0.0, -0.4, 0.0, -2.0, 0.0, 1.6, 0.8])
HAND = "panda_link8"
DT = 0.01


@cache
def panda() -> sv.Robot:
    return sv.load("panda")


def near(rng: np.random.Generator, count: int, size: float = 0.02) -> tuple[Any, Any]:
    """Positions, and poses of the hand that are near."""
    arm = panda()
    q = arm.random(rng, count)
    moved = np.clip(q + size * rng.normal(size=q.shape), arm.lower, arm.upper)
    return q, arm.pose(moved, HAND)


def test_a_frame_reaches_its_target_and_stays() -> None:
    arm = panda()
    q, goal = near(np.random.default_rng(0), 20)
    stack = tasks.Stack(arm, tasks.Frame(HAND), tasks.Posture(Q, weight=1e-3))
    path = stack.follow(q, {HAND: goal[None]}, 0.1, steps=400)
    assert path.q.shape == (20, 400, 7) and path
    error = abs(arm.pose(path.q[:, -1], HAND) - goal).max(axis=(-1, -2))
    assert np.median(error) < 1e-4  # the posture draws with a millionth of the weight


@pytest.mark.covers("TASK-02")
def test_steps_are_the_weighted_least_squares_within_the_limits() -> None:
    daqp = pytest.importorskip("daqp")
    arm = panda()
    q, goal = near(np.random.default_rng(1), 50, 0.2)
    stack = tasks.Stack(
        arm, tasks.Frame(HAND, weight=2.0, gain=0.5), tasks.Posture(Q, weight=0.03, gain=0.1), damping=0.0
    )
    step = stack(q, {HAND: goal}, DT)
    assert step and (step.active != 0).any()
    upper = np.minimum(arm.velocity_limits, (arm.upper - q) / DT)
    lower = np.maximum(-arm.velocity_limits, (arm.lower - q) / DT)
    for k in range(50):
        X, T, J = arm.pose(q[k], HAND), goal[k], arm.jacobian(q[k], HAND)
        e = np.r_[rotation_vector(T[:3, :3] @ X[:3, :3].T), T[:3, 3] - X[:3, 3]]
        H = 4.0 * J.T @ J + 9e-4 * np.eye(7)
        g = -4.0 * J.T @ e * 0.5 / DT - 9e-4 * (Q - q[k]) * 0.1 / DT
        kinds = np.zeros(7, np.int32)
        v, *_ = daqp.solve(H, g, np.zeros((0, 7)), upper[k], lower[k], kinds, primal_tol=1e-12, dual_tol=1e-12)
        assert abs(step.v[k] - v).max() < 1e-7
    assert abs(step.q - (q + DT * step.v)).max() < 1e-15


def rotation_vector(R: Any) -> Any:
    axis = 0.5 * np.array([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]])
    size = np.linalg.norm(axis)
    return axis * np.arctan2(size, (np.trace(R) - 1.0) / 2.0) / size if size > 1e-12 else axis


def test_steps_are_those_of_pink() -> None:
    pink, pin = pytest.importorskip("pink"), pytest.importorskip("pinocchio")
    from pink.tasks import FrameTask, PostureTask

    arm = panda()
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "panda.urdf"
        sv.save(arm, file)
        model = pin.buildModelFromUrdf(str(file))
    q, goal = near(np.random.default_rng(2), 5)
    stack = tasks.Stack(arm, tasks.Frame(HAND, reference="local"), tasks.Posture(Q, weight=0.1))
    step = stack(q, {HAND: goal}, DT)
    for k in range(5):
        configuration = pink.Configuration(model, model.createData(), q[k])
        frame, posture = FrameTask(HAND, position_cost=1.0, orientation_cost=1.0), PostureTask(cost=0.1)
        frame.set_target(pin.SE3(goal[k][:3, :3], goal[k][:3, 3]))
        posture.set_target(Q)
        theirs = pink.solve_ik(configuration, [frame, posture], DT, solver="daqp", damping=0.0)
        # pink's error is the logarithm of the motion, whose shift is bent by the turn: second order in the distance
        assert abs(step.v[k] - theirs).max() < 0.1 * abs(theirs).max()


def test_lower_priorities_use_what_is_left() -> None:
    arm = panda()
    rng = np.random.default_rng(3)
    q = arm.random(rng, 30)
    goal = arm.pose(arm.random(rng, 30), HAND)
    first = tasks.Frame(HAND, directions="xyz", gain=0.01)
    posture = tasks.Posture(Q, priority=1, gain=0.01)
    step = tasks.Stack(arm, first, posture, limits=False, damping=0.0)(q, {HAND: goal}, DT)
    assert step
    for k in range(30):
        J, b = arm.jacobian(q[k], HAND)[3:], (goal[k][:3, 3] - arm.pose(q[k], HAND)[:3, 3])
        wish = Q - q[k]
        expected = wish + np.linalg.pinv(J) @ (b - J @ wish)
        assert abs(step.v[k] - expected).max() < 1e-4 * abs(expected).max()


def test_three_priorities_with_limits_do_not_disturb_each_other() -> None:
    arm = panda()
    q, goal = near(np.random.default_rng(4), 30, 0.3)
    place, turn = (
        tasks.Frame(HAND, directions="xyz", name="place"),
        tasks.Frame(HAND, directions=("turn x", "turn y", "turn z"), priority=1, name="turn"),
    )
    posture = tasks.Posture(Q, priority=2, gain=0.1)
    alone = tasks.Stack(arm, place, damping=0.0)(q, {"place": goal}, DT)
    both = tasks.Stack(arm, place, turn, damping=0.0)(q, {"place": goal, "turn": goal}, DT)
    three = tasks.Stack(arm, place, turn, posture, damping=0.0)(q, {"place": goal, "turn": goal}, DT)
    solved = (both.verdict == 0) & (three.verdict == 0) & (alone.verdict == 0)
    assert solved.mean() > 0.9
    J = arm.jacobian(q, HAND)
    shift = [(J[:, 3:] @ s.v[..., None])[..., 0] for s in (alone, both, three)]
    assert abs(shift[1] - shift[0])[solved].max() < 1e-6 and abs(shift[2] - shift[0])[solved].max() < 1e-6
    spin = [(J[:, :3] @ s.v[..., None])[..., 0] for s in (both, three)]
    assert abs(spin[1] - spin[0])[solved].max() < 1e-5


@pytest.mark.parametrize("acceleration", [None, 8.0])
def test_limits_hold_for_ever(acceleration: float | None) -> None:
    arm, rng = panda(), np.random.default_rng(5)
    q = arm.random(rng, 8)
    stack = tasks.Stack(arm, tasks.Frame(HAND), tasks.Posture(Q, weight=1e-2), acceleration=acceleration)
    goals = arm.pose(arm.random(rng, 50 * 8).reshape(50, 8, 7), HAND).repeat(25, axis=0)
    path = stack.follow(q, {HAND: goals}, DT)
    assert (path.verdict == Verdict.SOLVED).all()
    assert (path.q <= arm.upper + 1e-9).all() and (path.q >= arm.lower - 1e-9).all()
    assert (abs(path.v) <= arm.velocity_limits + 1e-9).all()
    if acceleration is not None:
        before = np.concatenate([np.zeros((8, 1, 7)), path.v[:, :-1]], axis=1)
        assert (abs(path.v - before) <= acceleration * DT + 1e-9).all()


def test_a_state_beyond_its_limits_returns_at_the_allowed_speed() -> None:
    arm = panda()
    q = arm.upper + 0.1
    step = tasks.Stack(arm, tasks.Damping())(q, {}, DT)
    assert step and np.allclose(step.v, -arm.velocity_limits)
    path = tasks.Stack(arm, tasks.Damping()).follow(q, {}, DT, steps=100)
    assert (path.q[-1] <= arm.upper + 1e-12).all()


@pytest.mark.parametrize("acceleration", [None, 10.0])
def test_motions_come_to_rest_at_limits_and_do_not_jump_out_of_reach(acceleration: float | None) -> None:
    """Targets that ask for a joint beyond its limit, and for points too far away."""
    arm, rng = panda(), np.random.default_rng(6)
    q, joint = arm.random(rng, 14), np.arange(14) % 7
    beyond = np.where(np.arange(14) < 7, arm.upper[joint] + 0.3, arm.lower[joint] - 0.3)
    target = q.copy()
    target[np.arange(14), joint] = beyond
    start = np.clip(target + 0.1 * rng.normal(size=q.shape), arm.lower, arm.upper)
    goals = arm.pose(target, HAND)
    stack = tasks.Stack(arm, tasks.Frame(HAND, gain=0.5), tasks.Posture(Q, weight=0.03), acceleration=acceleration)
    path = stack.follow(start, {HAND: goals[None]}, DT, steps=2000)
    assert path and abs(path.v[:, -100:]).max() < 1e-9
    goals[:, :3, 3] *= 3.0
    path = stack.follow(start, {HAND: goals[None]}, DT, steps=2000)
    assert path and abs(path.v[:, -100:]).max() < 1e-3 and (np.diff(path.v[:, -100:], axis=1) < 1e-4).all()


def test_held_feet_do_not_move_and_the_centre_of_mass_does() -> None:
    robot, q = panda(), Q
    stack = tasks.Stack(
        robot, tasks.CenterOfMass(), tasks.Held(HAND, "point"), tasks.Damping(weight=1e-4), limits=False, damping=0.0
    )
    goal = robot.center_of_mass(q) + np.array([0.01, 0.0, 0.0])
    step = stack(q, {"com": goal}, 0.1)
    assert step and abs(robot.jacobian(q, HAND)[3:] @ step.v).max() < 1e-9
    J = robot.center_of_mass_jacobian(q)
    N = np.linalg.svd(robot.jacobian(q, HAND)[3:])[2][3:].T
    best = N @ np.linalg.lstsq(J @ N, (goal - robot.center_of_mass(q)) / 0.1, rcond=None)[0]
    assert abs(J @ (step.v - best)).max() < 1e-2 * 0.1


def test_loops_stay_closed() -> None:
    bars = sv.load("four_bar")
    q = bars.assemble([0.7, 0.0, 1.0], fixed=["drive"]).q
    stack = tasks.Stack(bars, tasks.JointVelocity(joints="drive"))
    path = stack.follow(q, {"joint velocity": [0.5, 0.0, 0.0]}, DT, steps=100)
    assert path and abs(bars.closure_error(path.q)).max() < 2e-4  # of one step: drift is removed in the next
    assert path.q[-1, 0] - q[0] == pytest.approx(0.5 * 100 * DT, rel=1e-6)


def test_relative_frames_and_looking_converge() -> None:
    arm, rng = panda(), np.random.default_rng(7)
    q = arm.random(rng, 10)
    other = q + 0.2 * rng.normal(size=q.shape)
    elbow = "panda_link4"
    goal = np.linalg.inv(arm.pose(other, elbow)) @ arm.pose(other, HAND)
    stack = tasks.Stack(arm, tasks.RelativeFrame(HAND, elbow, gain=0.3), limits=False)
    path = stack.follow(q, {f"{HAND} from {elbow}": goal[None]}, DT, steps=200)
    ends = np.linalg.inv(arm.pose(path.q[:, -1], elbow)) @ arm.pose(path.q[:, -1], HAND)
    assert np.median(abs(ends - goal).max(axis=(1, 2))) < 1e-6
    point = np.array([1.0, 0.5, 0.2])
    stack = tasks.Stack(arm, tasks.LookAt(HAND, gain=0.5), tasks.Damping(weight=1e-2), limits=False)
    path = stack.follow(q, {HAND: point}, DT, steps=300)
    X = arm.pose(path.q[:, -1], HAND)
    way = point - X[:, :3, 3]
    off = np.cross(X[:, :3, 2], way / np.linalg.norm(way, axis=1)[:, None])
    assert np.median(np.linalg.norm(off, axis=1)) < 1e-6


def test_looking_has_the_matrix_of_its_error() -> None:
    """The direction changes as J says, by differences, for small errors."""
    arm = panda()
    X = arm.pose(Q, HAND)
    point = X[:3, 3] + 0.8 * X[:3, 2]
    task = tasks.LookAt(HAND)
    rows = task.rows(sv.model.canonical.canonical(arm.model), _joint_vector(arm, Q), point.tolist(), 1.0)
    J, h = np.array(rows.J, float), 1e-6
    for k in range(7):
        moved = task.rows(
            sv.model.canonical.canonical(arm.model), _joint_vector(arm, Q + h * np.eye(7)[k]), point.tolist(), 1.0
        )
        assert np.allclose(-np.array(moved.b, float) / h, J[:, k], atol=1e-5)


def _joint_vector(robot: sv.Robot, q: Any) -> Any:
    from sixvec.algorithms.declaration import JointVector

    return JointVector(list(map(float, q)), sv.model.canonical.canonical(robot.model).q_slices)


def test_a_residual_of_the_user_is_the_task_it_describes() -> None:
    arm = panda()
    q, goal = near(np.random.default_rng(8), 10)

    def place(q: Any, target: Any) -> Any:
        return [x[3] - t for x, t in zip(arm.evaluate("pose", q, frame=HAND)[:3], target, strict=True)]

    own = tasks.Residual(place, 3, (3,), name="place")
    posture = tasks.Posture(Q, weight=0.1)
    ours = tasks.Stack(arm, own, posture)(q, {"place": goal[:, :3, 3]}, DT)
    theirs = tasks.Stack(arm, tasks.Frame(HAND, directions="xyz"), posture)(q, {HAND: goal}, DT)
    assert abs(ours.v - theirs.v).max() < 1e-9


def test_momentum_of_a_floating_robot() -> None:
    robot = sv.load("panda", floating=True)
    q, rng = robot.neutral(), np.random.default_rng(9)
    wish = rng.normal(size=6)
    stack = tasks.Stack(robot, tasks.Momentum(hard=True), tasks.Damping())
    step = stack(q, {"momentum": wish}, DT)
    assert step and abs(robot.momentum(q, step.v) - wish).max() < 1e-9


def test_hard_tasks_that_contradict_each_other_are_named_and_the_robot_stays() -> None:
    arm = panda()
    here = arm.pose(Q, HAND)
    there = here.copy()
    there[0, 3] += 0.5
    stack = tasks.Stack(
        arm, tasks.Held(HAND, ("x",), name="foot"), tasks.Frame(HAND, directions="xy", hard=True, name="hand")
    )
    step = stack(np.stack([Q, Q]), {"hand": np.stack([there, here])}, DT)
    assert step.verdict.tolist() == [Verdict.INFEASIBLE, Verdict.SOLVED]
    assert step.contradiction(0) == ("foot: x", "hand: x") and step.contradiction(1) == ()
    assert np.array_equal(step.q[0], Q) and not step.v[0].any()


def test_binding_limits_are_named() -> None:
    arm = panda()
    q = np.where(np.arange(7) == 3, arm.upper, Q)
    target = q + np.where(np.arange(7) == 3, 1.0, np.where(np.arange(7) == 0, 5.0, 0.0))
    step = tasks.Stack(arm, tasks.Posture(target))(q, {}, DT)
    assert step.binding == ("joint panda_joint1: speed limit", "joint panda_joint4: upper limit")
    many = tasks.Stack(arm, tasks.Posture(target))(np.stack([q, target]), {}, 10.0)
    assert len(many.binding) == 2


def test_nan_stays_in_its_sample() -> None:
    arm = panda()
    q, goal = near(np.random.default_rng(10), 9)
    stack = tasks.Stack(arm, tasks.Frame(HAND), tasks.Posture(Q, weight=1e-3))
    plain = stack(q, {HAND: goal}, DT)
    q[4, 2] = np.nan
    step = stack(q, {HAND: goal}, DT)
    rest = np.arange(9) != 4
    assert step.verdict[4] == Verdict.INVALID and np.isnan(step.v[4]).any()
    assert np.array_equal(step.v[rest], plain.v[rest])
    alone = stack(q[2], {HAND: goal[2]}, DT)
    assert np.array_equal(alone.v, plain.v[2]) and alone.verdict.shape == ()


def test_an_unknown_velocity_is_invalid_where_accelerations_are_limited() -> None:
    arm = panda()
    q, goal = near(np.random.default_rng(10), 3)
    v = np.zeros((3, 7))
    v[1, 4] = np.nan
    stack = tasks.Stack(arm, tasks.Frame(HAND), acceleration=10.0)
    step = stack(q, {HAND: goal}, DT, v=v)
    assert step.verdict.tolist() == [Verdict.SOLVED, Verdict.INVALID, Verdict.SOLVED]
    assert np.isnan(step.v).any(axis=1).tolist() == [False, True, False]


def test_a_step_of_one_sample_can_be_copied_before_its_parts_are_read() -> None:
    arm = panda()
    stack, targets = tasks.Stack(arm, tasks.Frame(HAND), tasks.Posture(Q, weight=1e-3)), {HAND: arm.pose(0.9 * Q, HAND)}
    step, batch = stack(Q, targets, DT), stack(Q[None], targets, DT)
    for other in (pickle.loads(pickle.dumps(step)), copy.copy(step), step):
        assert other.verdict.dtype == other.active.dtype == other.reason.dtype == np.int8
        for field in ("v", "q", "verdict", "residual", "active", "multipliers", "reason"):
            assert np.array_equal(getattr(other, field), getattr(batch, field)[0])
        assert other.binding == batch.binding[0] and repr(other) == "<Step: solved, v (7,)>"
    with pytest.raises(AttributeError, match="verdicts"):
        _ = step.verdicts


def test_calls_of_one_sample_are_those_of_a_batch() -> None:
    """They take a shorter way, except where an argument is unusual."""
    arm = panda()
    q, goal = near(np.random.default_rng(12), 30, 0.3)
    stack = tasks.Stack(arm, tasks.Frame(HAND), tasks.Posture(Q, weight=1e-3))
    batch = stack(q, {HAND: goal}, DT)
    for k in range(30):
        for one in (stack(q[k], {HAND: goal[k]}, DT), stack(q[k].tolist(), {HAND: goal[k].tolist()}, np.float64(DT))):
            for name in ("v", "q", "verdict", "residual", "active", "multipliers", "reason"):
                single, many = getattr(one, name), getattr(batch, name)[k]
                assert np.array_equal(single, many) and single.dtype == many.dtype and single.shape == many.shape
            assert one.binding == batch.binding[k] and one and repr(one) == "<Step: solved, v (7,)>"
    lost = stack(q[0], {HAND: np.full((4, 4), np.nan)}, DT)
    assert lost.verdict == Verdict.INVALID and stack(np.full(7, np.nan), {HAND: goal[0]}, DT).verdict == Verdict.INVALID
    for wrong in (goal[0] @ np.diag([1, 1, -1, 1.0]), goal[0] + 1e-4 * np.eye(4), 0.0 * goal[0]):
        with pytest.raises(SixvecError, match=HAND):
            stack(q[0], {HAND: wrong}, DT)


@pytest.mark.parametrize(
    ("made", "name"),
    [
        (lambda: tasks.Stack(panda()), "task"),
        (lambda: tasks.Stack(panda(), tasks.Frame), "Frame"),
        (lambda: tasks.Stack(panda(), "hand"), "hand"),
        (lambda: tasks.Stack(panda(), tasks.Frame("nowhere")), "nowhere"),
        (lambda: tasks.Stack(panda(), tasks.Frame(HAND), tasks.Frame(HAND)), HAND),
        (lambda: tasks.Stack(panda(), tasks.Posture([0.0, 0.0])), "Posture"),
        (lambda: tasks.Stack(panda(), tasks.Damping(joints="knee")), "knee"),
        (lambda: tasks.Stack(panda(), tasks.Damping(), acceleration=0.0), "acceleration"),
        (lambda: tasks.Stack(panda(), tasks.Frame(HAND, weight=(1.0, 2.0))), HAND),
        (lambda: tasks.Frame(HAND, weight=-1.0), "weight"),
        (lambda: tasks.Frame(HAND, gain=2.0), "gain"),
        (lambda: tasks.Frame(HAND, directions="xw"), "w"),
        (lambda: tasks.Frame(HAND, reference="world"), "reference"),
        (lambda: tasks.CenterOfMass(directions=("turn x",)), "CenterOfMass"),
        (lambda: stack_of_hand()(Q, {}, DT), HAND),
        (lambda: stack_of_hand()(Q, {"foot": np.eye(4)}, DT), "foot"),
        (lambda: stack_of_hand()(Q, {HAND: np.ones(3)}, DT), HAND),
        (lambda: stack_of_hand()(Q, {HAND: 2.0 * np.eye(4)}, DT), HAND),
        (lambda: stack_of_hand()(Q[:6], {HAND: np.eye(4)}, DT), "q"),
        (lambda: stack_of_hand()(Q, {HAND: np.eye(4)}, 0.0), "dt"),
        (lambda: stack_of_hand().follow(Q, {HAND: np.eye(4)}, DT), "steps"),
        (lambda: stack_of_hand().follow(Q, {HAND: np.broadcast_to(np.eye(4), (5, 4, 4))}, DT, steps=4), "steps"),
    ],
)
def test_wrong_arguments_are_named(made: Any, name: str) -> None:
    with pytest.raises(SixvecError, match=name):
        made()


@cache
def stack_of_hand() -> tasks.Stack:
    return tasks.Stack(panda(), tasks.Frame(HAND))


def rolling_cart() -> sv.Robot:
    body = RigidInertia.from_center_of_mass(20.0, Vec3(0.0, 0.0, 0.1), Sym3.diagonal(0.5, 0.5, 0.8))
    return sv.mobile.wheeled_robot(sv.mobile.differential_drive(0.5, 0.1), body, 1.0)


def test_wheels_that_roll_are_not_ignored() -> None:
    cart = rolling_cart()
    with pytest.raises(SixvecError, match=r"Stack.*wheels"):
        tasks.Stack(cart, tasks.Damping())
    assert tasks.Stack(cart.sliding, tasks.Damping())(cart.neutral(), {}, DT)
    path = sv.motion.spline(cart, [[0.0] * 5, [1.0, 0.0, 0.0, 1.0, 1.0]])
    with pytest.raises(SixvecError, match=r"time_optimal.*wheels"):
        sv.motion.time_optimal(path, velocity=1.0, torque=None)
