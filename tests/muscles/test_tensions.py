"""Tensions of least effort, ranges of joint forces, and wrench closure, against linear programs and by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.optimize import linprog, minimize

import sixvec
from sixvec import Robot
from sixvec.errors import ArgumentError, ShapeError, SixvecError
from sixvec.model import FixedTendon, SpatialTendon, ViaPoint
from sixvec.muscles import cable_robot, tensions, torque_range, wrench_closure
from sixvec.spatial import RigidInertia, Sym3, Vec3
from sixvec.verdict import Verdict

LOAD = RigidInertia.from_center_of_mass(5.0, Vec3(0.0, 0.0, 0.02), Sym3.diagonal(0.1, 0.2, 0.3))


def arm_with_tendons(seed: int, count: int = 7) -> Robot:
    """Random moment arms on the first three joints of an arm."""
    rng = np.random.default_rng(seed)
    robot = sixvec.load("panda")
    names = robot.joint_names[:3]
    rows = [zip(names, rng.normal(size=3).tolist(), strict=True) for _ in range(count)]
    return robot.with_tendons(*(FixedTendon(f"t{i}", tuple(row)) for i, row in enumerate(rows)))


def hanging(cables: int = 8) -> Robot:
    """A box on cables from the corners of a room, crossed so that they can turn it both ways about every axis."""
    signs = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], float)
    twist = np.stack([0.1 * signs[:, 1] * signs[:, 2], -0.08 * signs[:, 0] * signs[:, 2],
                      0.07 * signs[:, 0] * signs[:, 1]], -1)  # fmt: skip
    box = signs * [0.2, -0.15, -0.1] + twist
    return cable_robot((signs * [2.0, 1.5, 1.1])[:cables], box[:cables], LOAD)


@pytest.mark.covers("MUS-03")
@pytest.mark.parametrize("seed", range(8))
def test_least_effort_is_that_of_a_general_optimiser(seed: int) -> None:
    """Feasible exactly where a linear program says so, and then as cheap as SLSQP finds."""
    robot, rng = arm_with_tendons(seed), np.random.default_rng(seed)
    q, joints = robot.random(seed), robot.joint_names[:3]
    upper, weight, aim = rng.uniform(1.0, 5.0, 7), rng.uniform(0.5, 2.0, 7), rng.uniform(0.0, 1.0, 7)
    lower = rng.uniform(0.0, 0.5, 7)
    J = robot.tendon_jacobian(q)[:, :3]
    for _ in range(6):
        tau = np.zeros(7)
        tau[:3] = rng.normal(size=3) * 4.0
        result = tensions(robot, q, tau, lower=lower, upper=upper, weight=weight, aim=aim, joints=joints)
        lp = linprog(np.zeros(7), A_eq=-J.T, b_eq=tau[:3], bounds=list(zip(lower, upper, strict=True)))
        assert (result.verdict == Verdict.SOLVED) == (lp.status == 0)
        assert ((result.tension >= lower - 1e-12) & (result.tension <= upper + 1e-12)).all()
        if lp.status == 0:
            np.testing.assert_allclose(result.tau[:3], tau[:3], atol=1e-9)
            peer = minimize(lambda t: (((t - aim) / weight) ** 2).sum(), lp.x, method="SLSQP",
                            bounds=list(zip(lower, upper, strict=True)), options={"ftol": 1e-14, "maxiter": 500},
                            constraints={"type": "eq", "fun": lambda t, goal=tau[:3]: -J.T @ t - goal})  # fmt: skip
            ours = (((result.tension - aim) / weight) ** 2).sum()
            assert ours <= peer.fun + 1e-7 * (1.0 + abs(peer.fun))


@pytest.mark.covers("MUS-03")
def test_a_torque_that_no_tendon_produces_is_infeasible_and_names_the_joint() -> None:
    arm = sixvec.load("planar_2r").with_tendons(
        FixedTendon("flexor", (("joint2", -0.05),)),
        FixedTendon("extensor", (("joint2", 0.04),)),
        FixedTendon("shoulder", (("joint1", -0.1),)),
    )
    goals = np.array([[3.0, 2.0], [-3.0, 2.0], [3.0, -2.0], [0.0, 0.0]])
    result = tensions(arm, np.zeros(2), goals)
    assert result.verdict.tolist() == [Verdict.SOLVED, Verdict.INFEASIBLE, Verdict.SOLVED, Verdict.SOLVED]
    assert result.joint.tolist() == [-1, 0, -1, -1]
    assert not result and str(result) == "3 solved, 1 infeasible"
    assert "joint1" in result.explain(1) and "-3" in result.explain(1)
    np.testing.assert_allclose(result.tension[0], [40.0, 0.0, 30.0], atol=1e-9)
    np.testing.assert_allclose(result.residual[1], [-3.0, 0.0], atol=1e-9)
    strong = tensions(arm, np.zeros(2), [0.0, 2.0], upper=30.0)
    assert strong.verdict == Verdict.INFEASIBLE and "1.5" in strong.explain()
    for factor in (1.0 - 1e-7, 1.0, 1.0 + 1e-7):  # exactly what is possible, and a little less and more
        edge = tensions(arm, np.zeros(2), [0.0, 2.0 * factor], upper=[40.0, 50.0, 30.0])
        assert (edge.verdict == Verdict.SOLVED) == (factor <= 1.0)


@pytest.mark.covers("MUS-03")
def test_the_range_of_a_joint_is_the_optimum_of_a_linear_program() -> None:
    robot = arm_with_tendons(3)
    q, rng = robot.random(1, 4), np.random.default_rng(2)
    lower, upper = rng.uniform(0.0, 1.0, 7), rng.uniform(1.0, 3.0, 7)
    found, J = torque_range(robot, q, upper, lower=lower), robot.tendon_jacobian(q)
    for i in range(4):
        for j in range(3):
            ends = [sign * linprog(sign * -J[i, :, j], bounds=list(zip(lower, upper, strict=True))).fun
                    for sign in (1.0, -1.0)]  # fmt: skip
            np.testing.assert_allclose([found.lower[i, j], found.upper[i, j]], ends, atol=1e-9)
    assert (found.upper[:, 3:] == 0.0).all()
    endless = torque_range(robot, q, np.inf)
    assert (endless.upper[:, 3:] == 0.0).all() and np.isposinf(endless.upper[:, :3]).all()


@pytest.mark.covers("MUS-04")
@pytest.mark.parametrize("cables", [6, 7, 8])
def test_wrench_closure_agrees_with_a_linear_program(cables: int) -> None:
    """Closed where tensions of 1 N and more balance each other; else the motion shortens no cable."""
    robot = hanging(cables=cables)
    rng = np.random.default_rng(cables)
    q = robot.integrate(robot.neutral(), rng.normal(size=(40, 6)) * 0.1)
    result, J = wrench_closure(robot, q), robot.tendon_jacobian(q)
    for i in range(len(q)):
        lp = linprog(np.ones(cables), A_eq=J[i].T, b_eq=np.zeros(6), bounds=[(1.0, None)] * cables)
        assert bool(result.closed[i]) == (lp.status == 0)
        if result.closed[i]:
            assert result.tension[i].min() == pytest.approx(1.0, abs=1e-9)
            np.testing.assert_allclose(J[i].T @ result.tension[i], 0.0, atol=1e-8 * result.tension[i].max())
        else:
            rates = J[i] @ result.motion[i]
            assert rates.min() > -1e-8 and abs(result.motion[i]).max() == 1.0
    assert result.closed.any() or cables < 8
    assert not result.closed.all()


@pytest.mark.covers("MUS-04")
def test_cable_robots_hold_their_load_and_keep_cables_tight() -> None:
    """The distribution between limits balances gravity, seen by forward dynamics; every cable is at 5 N or more."""
    robot = hanging()
    rng = np.random.default_rng(4)
    q = robot.integrate(robot.neutral(), rng.normal(size=(40, 6)) * 0.05)
    q = q[wrench_closure(robot, q).closed][:5]
    weight = robot.gravity_forces(q)
    result = tensions(robot, q, weight, lower=5.0, upper=1000.0, aim=100.0)
    assert result and result.tension.min() >= 5.0 - 1e-9
    a = robot.forward_dynamics(q, np.zeros((5, 6)), result.tau)
    np.testing.assert_allclose(a, 0.0, atol=1e-9)
    by_wrenches = np.zeros((5, 6))
    for t in robot.model.tendons:  # the same wrench by hand: each cable pulls its attachment towards its anchor
        anchor, end = (robot.pose(q, x.frame)[:, :3, 3] for x in t.path)
        u = (anchor - end) / np.linalg.norm(anchor - end, axis=1, keepdims=True)
        i = [x.name for x in robot.model.tendons].index(t.name)
        J = robot.jacobian(q, t.path[1].frame)[:, 3:]
        by_wrenches += np.einsum("bij,bi->bj", J, u * result.tension[:, i, None])
    np.testing.assert_allclose(by_wrenches, weight, atol=1e-8)


@pytest.mark.covers("MUS-03")
def test_a_load_on_three_cables_hangs_where_a_force_parallelogram_says() -> None:
    """Rows of rotation are zero: the cables meet in a point."""
    anchors = np.array([[0.0, 0.0, 3.0], [4.0, 0.0, 3.0], [2.0, 3.0, 3.0]])
    robot = cable_robot(anchors, np.zeros((3, 3)), RigidInertia.from_center_of_mass(5.0, Vec3.zero(), Sym3.zero()))
    q = np.array([2.0, 1.0, 0.5, 0, 0, 0, 1])
    u = (anchors - q[:3]) / np.linalg.norm(anchors - q[:3], axis=1, keepdims=True)
    expected = np.linalg.solve(u.T, [0.0, 0.0, 5.0 * 9.81])
    single = tensions(robot, q, robot.gravity_forces(q))
    assert single and single.verdict == Verdict.SOLVED
    np.testing.assert_allclose(single.tension, expected, rtol=1e-9)
    pushed = tensions(robot, q, -robot.gravity_forces(q))  # lifted: cables cannot
    assert pushed.verdict == Verdict.INFEASIBLE and "platform" in pushed.explain()


def test_planar_cable_robot_and_lengths_by_hand() -> None:
    robot = cable_robot([[0, 0, 0], [4, 0, 0], [2, 3, 0], [2, -3, 0]], [[0, 0, 0]] * 4, LOAD, planar=True)
    q = [1.0, 0.5, 0.7]
    expected = [np.hypot(1, 0.5), np.hypot(3, 0.5), np.hypot(1, 2.5), np.hypot(1, 3.5)]
    np.testing.assert_allclose(robot.tendon_lengths(q), expected, rtol=1e-14)
    closure = wrench_closure(robot, q)
    assert not closure and abs(closure.motion[2]) == 1.0 and abs(closure.motion[:2]).max() < 1e-9  # it can still turn


def test_batches_precision_and_arrays_of_others() -> None:
    robot = arm_with_tendons(0)
    q, joints = robot.random(0, 6).reshape(2, 3, 7), robot.joint_names[:3]
    tau = np.zeros((3, 7))
    tau[1, 0] = np.nan
    result = tensions(robot, q, tau, joints=joints)
    assert result.tension.shape == (2, 3, 7) and result.verdict.shape == (2, 3)
    assert (result.verdict[:, 1] == Verdict.INVALID).all() and np.isnan(result.tension[:, 1]).all()
    assert (result.verdict[:, [0, 2]] == Verdict.SOLVED).all()
    assert tensions(robot, q[:0], tau, joints=joints).tension.shape == (0, 3, 7)
    assert tensions(robot, q.astype(np.float32), tau.astype(np.float32), joints=joints).tension.dtype == np.float32
    alone = tensions(robot, q[1, 2], tau[2], joints=joints)
    np.testing.assert_array_equal(alone.tension, result.tension[1, 2])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"lower": -1.0}, "zero or more"),
        ({"lower": 3.0, "upper": 2.0}, "at least the lower limit"),
        ({"upper": [1.0, 2.0]}, "one for each of 7 tendons"),
        ({"upper": np.nan}, "zero or more"),
        ({"weight": 0.0}, "positive"),
        ({"tendons": ("t9",)}, 'no tendon "t9"'),
        ({"tendons": "t1"}, "write a tuple"),
        ({"joints": ("elbow",)}, 'no joint "elbow"'),
        ({"aim": np.inf}, "finite"),
        ({"tendons": ()}, "tendons is empty"),
        ({"joints": ()}, "joints is empty"),
        ({"tendons": ("t1", "t2", "t1")}, "t1.* more than once"),
    ],
)
def test_wrong_arguments_are_named(options: dict[str, Any], message: str) -> None:
    robot = arm_with_tendons(0)
    with pytest.raises((ArgumentError, ShapeError), match=message):
        tensions(robot, robot.neutral(), np.zeros(7), **options)


@pytest.mark.slow
def test_more_tendons_than_a_program_has_variables() -> None:
    """Seventy tendons are solved one by one, with no more effort than sixty of them need."""
    robot = arm_with_tendons(1, count=70)
    q, tau, joints = robot.random(0), np.zeros(7), robot.joint_names[:3]
    tau[:3] = 1.0
    every, some = (tensions(robot, q, tau, joints=joints, tendons=[f"t{i}" for i in range(n)]) for n in (70, 60))
    assert every and some
    np.testing.assert_allclose(every.tau[:3], 1.0, atol=1e-9)
    assert (every.tension**2).sum() <= (some.tension**2).sum()


def test_robots_without_tendons_and_broken_cable_robots_raise() -> None:
    with pytest.raises(ArgumentError, match="has no tendons"):
        tensions(sixvec.load("panda"), np.zeros(7), np.zeros(7))
    with pytest.raises(ShapeError, match="3 anchors and 2 attachments"):
        cable_robot(np.zeros((3, 3)), np.zeros((2, 3)), LOAD)
    with pytest.raises(ArgumentError, match="RigidInertia"):
        cable_robot(np.zeros((3, 3)), np.zeros((3, 3)), 5.0)  # type: ignore[arg-type]
    with pytest.raises(SixvecError, match="two or more"):
        sixvec.load("panda").with_tendons(SpatialTendon("one", (ViaPoint("panda_link0"),)))
