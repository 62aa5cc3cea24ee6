"""Derivatives of the motors' forces, second derivatives, and task space of mechanisms with loops.

Against differences of the functions themselves, motions along the mechanism, and the dense system in NumPy.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from test_constrained_derivatives import AGREED, STEP, closed_by
from test_constrained_dynamics import turned_four_bar

import sixvec as sv
from sixvec.analysis import frames_inertia_inverse, task_space_dynamics
from sixvec.constraints import velocity_map
from sixvec.errors import DegenerateError
from sixvec.model import Body, Closure, Frame, Limits, Mimic, Model
from sixvec.model.joints import Fixed, Helical, Joint, Revolute, Spherical, Universal
from sixvec.spatial import Pose, RigidInertia, Rotation, Sym3, Vec3

LINKAGES = ("four_bar", "slider_crank")


def assembled(name: str) -> tuple[sv.Robot, np.ndarray]:
    robot = sv.load(name)
    return robot, robot.assemble(robot.neutral() + 0.4).q


def with_passive_joints(model: Model, q: np.ndarray) -> Model:
    """As many joints of the loop without motor as it can do the work of."""
    passive: list[str] = []
    for b in reversed(model.moving):
        columns = [i for name in (*passive, b.name) for i in range(model.nv)[model.v_slices[name]]]
        A = np.array(sv.Robot(model).evaluate("closure_jacobian", q.tolist()), float)[:, columns]
        if b.joint.nv == 1 and np.linalg.matrix_rank(A, 1e-6) == len(columns):
            passive.append(b.name)
    assert len(passive) > 1
    still = {name: replace(model.by_name[name].limits, effort=(0.0,)) for name in passive}
    bodies = tuple(replace(b, limits=still.get(b.name, b.limits)) for b in model.bodies)
    return replace(model, bodies=bodies)


@pytest.mark.every(2)
@pytest.mark.covers("CON-05")
@pytest.mark.parametrize("joint", [Spherical(), Revolute(), Helical(pitch=0.3), Universal(), Fixed()], ids=repr)
def test_forces_of_the_motors_by_differences(joint: Joint) -> None:
    model, q = closed_by(joint)
    robot, rng = sv.Robot(with_passive_joints(model, q)), np.random.default_rng(0)
    state = [q, *rng.normal(size=(2, robot.nv))]
    options = {"external": {"tool0": rng.normal(size=6).tolist()}, "external_reference": "world", "passive": True}

    def tau(*state: np.ndarray) -> np.ndarray:
        return np.array(robot.evaluate("inverse_dynamics", *map(list, state), **options), float)

    found = robot.evaluate("inverse_dynamics_derivatives", *map(list, state), **options)
    along = rng.normal(size=robot.nv)
    for which, slope in enumerate(found):
        ends = []
        for h in (STEP, -STEP):
            moved = list(state)
            step = list(along * h)
            moved[which] = robot.evaluate("integrate", list(q), step) if which == 0 else state[which] + step
            ends.append(tau(*moved))
        expected = (ends[0] - ends[1]) / (2.0 * STEP)
        assert np.allclose(np.array(slope, float) @ along, expected, atol=AGREED * (1.0 + np.abs(expected).max()))


def test_forces_of_the_motors_with_a_follower_in_the_loop() -> None:
    """A five-bar whose right crank is geared to the left one; its couplers have no motor."""
    rod = RigidInertia.from_center_of_mass(1.0, Vec3(0.5, 0.0, 0.0), Sym3.diagonal(0.1, 0.12, 0.11))
    ahead, idle = Pose(Rotation.identity(), Vec3(1.0, 0.0, 0.0)), Limits(effort=(0.0,))
    bodies = (
        Body("left", None, Revolute(), inertia=rod),
        Body("left_coupler", "left", Revolute(), ahead, rod, limits=idle),
        Body("right", None, Revolute(), ahead, rod, mimic=Mimic("left", -0.8, 2.4)),
        Body("right_coupler", "right", Revolute(), ahead, rod, limits=idle),
    )
    tips = tuple(Frame(f"{n}_tip", f"{n}_coupler", ahead) for n in ("left", "right"))
    pin = Closure("pin", "left_tip", "right_tip", Revolute())
    robot = sv.Robot(Model("geared_five_bar", bodies, tips, closures=(pin,)))
    q = robot.assemble([1.9, -1.0, 1.0]).q
    assert robot.nv == 3 and np.abs(robot.closure_error(q)).max() < 1e-12
    state = [q, *np.random.default_rng(0).normal(size=(2, 3))]
    found = robot.evaluate("inverse_dynamics_derivatives", *map(list, state))
    for which, slope in enumerate(found):
        expected = []
        for e in np.eye(3) * STEP:
            ends = [[*state[:which], state[which] + sign * e, *state[which + 1 :]] for sign in (1.0, -1.0)]
            ahead_tau, back = (np.array(robot.evaluate("inverse_dynamics", *map(list, x)), float) for x in ends)
            expected.append((ahead_tau - back) / (2.0 * STEP))
        assert np.allclose(np.array(slope, float).T, expected, atol=AGREED * (1.0 + np.abs(expected).max()))
        assert np.abs(np.array(slope, float)[1:]).max() < 1e-9 and np.abs(expected).max() > 1e-3


@pytest.mark.every(2)
@pytest.mark.parametrize("name", LINKAGES)
def test_forces_of_the_motors_along_a_motion(name: str) -> None:
    """d tau / ds = dq q' + dv v' + da a' on positions that the mechanism passes, with rates that keep it closed."""
    robot, q0 = assembled(name)
    active = sv.model.actuation.active_joints(robot.model)
    s = np.arange(-2, 3) * 1e-3
    q = robot.assemble(q0 + np.outer(s, velocity_map(robot, q0)[:, 0]), fixed=active).q
    v = 2.0 * velocity_map(robot, q)[..., 0]
    a = robot.forward_dynamics(q, v, np.eye(robot.nv)[0] * 0.1)
    tau = robot.inverse_dynamics(q, v, a)
    assert np.allclose(tau, np.eye(robot.nv)[0] * 0.1, atol=1e-9)
    d = robot.inverse_dynamics_derivatives(q[2], v[2], a[2])

    def rate(x: np.ndarray) -> np.ndarray:
        return (8.0 * (x[3] - x[1]) - (x[4] - x[0])) / (12.0 * 1e-3)

    parts = [d.dq @ rate(q), d.dv @ rate(v), d.da @ rate(a)]
    assert np.allclose(sum(parts), 0.0, atol=1e-6 * max(np.abs(x).max() for x in parts) + 1e-10 * 0.1)
    assert np.allclose(d.dq[1:], 0.0, atol=1e-12) and np.allclose(d.da[1:], 0.0, atol=1e-12)  # no motors there


def test_what_no_motor_can_do_has_no_slope() -> None:
    robot, q = assembled("four_bar")
    bodies = tuple(replace(b, limits=replace(b.limits, effort=(0.0,))) if b.joint.nv else b for b in robot.model.bodies)
    idle, rest = sv.Robot(replace(robot.model, bodies=bodies)), np.zeros(3)
    forced = idle.inverse_dynamics_derivatives(q, rest, np.ones(3))
    assert np.isnan(forced.dq).all() and np.isnan(forced.da).all()
    falling = idle.inverse_dynamics_derivatives(q, rest, idle.forward_dynamics(q, rest, rest))
    assert np.isfinite(falling.dq).all()


@pytest.mark.every(2)
@pytest.mark.covers("CON-05")
@pytest.mark.parametrize("name", LINKAGES)
@pytest.mark.parametrize("algorithm", ["inverse_dynamics", "forward_dynamics"])
def test_second_derivatives_are_differences_of_first_ones(name: str, algorithm: str) -> None:
    robot, q = assembled(name)
    v, x = np.random.default_rng(0).normal(size=(2, robot.nv))
    second = getattr(robot, f"{algorithm}_second_derivatives")(q, v, x)
    first = robot.kernel(algorithm)
    by = [first.derivative(p.name) for p in first.inputs]
    t = velocity_map(robot, q)[:, 0]

    def difference(f, at: int, along: np.ndarray) -> np.ndarray:
        ends = []
        for h in (STEP, -STEP):
            state = [q, v, x]
            state[at] = state[at] + h * along
            ends.append(np.asarray(f(*state)))
        return (ends[0] - ends[1]) / (2.0 * STEP)

    analytic = getattr(robot, f"{algorithm}_derivatives")
    assert np.allclose(by[0](q, v, x), analytic(q, v, x).dq, rtol=1e-9)
    pairs = (
        (second.dqdq @ t, difference(by[0], 0, t)),
        (np.einsum("ijk,j->ik", second.dqdv, t), difference(by[1], 0, t)),
        (np.einsum("ijk,j->ik", getattr(second, f"dqd{first.inputs[2].name}"), t), difference(by[2], 0, t)),
        (second.dvdv @ t, difference(lambda *s: analytic(*s)[1], 1, t)),
    )
    for found, expected in pairs:
        assert np.allclose(found, expected, atol=1e-7 * (1.0 + np.abs(expected).max()))
    batch = getattr(robot, f"{algorithm}_second_derivatives")(np.stack([q, q]), v, x)
    assert np.array_equal(batch.dqdq[1], second.dqdq)


def test_second_derivatives_end_where_the_rank_does() -> None:
    rod = RigidInertia.from_center_of_mass(1.0, Vec3(0.5, 0.0, 0.0), Sym3.diagonal(0.1, 0.1, 0.1))
    bodies = (
        Body("base"),
        Body("crank", "base", Revolute(), inertia=rod),
        Body("coupler", "crank", Revolute(), Pose(Rotation.identity(), Vec3(1.0, 0.0, 0.0)), rod),
        Body("rocker", "base", Revolute(), Pose(Rotation.identity(), Vec3(1.0, 0.0, 0.0)), rod),
    )
    tips = tuple(Frame(f"{n}_tip", n, Pose(Rotation.identity(), Vec3(1.0, 0.0, 0.0))) for n in ("coupler", "rocker"))
    rhombus = sv.Robot(
        Model("rhombus", bodies, tips, closures=(Closure("pin", "coupler_tip", "rocker_tip", Revolute()),))
    )
    q, v = np.array([[0.4, -0.4, 0.4], [0.0, 0.0, 0.0]]), np.zeros(3)  # open, and flat
    assert np.abs(rhombus.closure_error(q)).max() < 1e-12
    assert np.linalg.matrix_rank(rhombus.closure_jacobian(q), 1e-9).tolist() == [2, 1]
    found = rhombus.forward_dynamics_second_derivatives(q, v, v).dqdq
    assert np.isfinite(found[0]).all() and np.isnan(found[1]).all()


def dense_response(robot: sv.Robot, q: np.ndarray) -> np.ndarray:
    """K = M⁻¹ - M⁻¹ Aᵀ (A M⁻¹ Aᵀ)⁺ A M⁻¹."""
    W = np.linalg.inv(np.array(robot.evaluate("mass_matrix", q.tolist()), float))
    A = np.array(robot.evaluate("closure_jacobian", q.tolist()), float)
    return W - W @ A.T @ np.linalg.pinv(A @ W @ A.T, rcond=1e-10) @ A @ W


@pytest.mark.covers("CON-05", "OP-05")
@pytest.mark.parametrize("joint", [Revolute(), Spherical()], ids=repr)
def test_task_space_of_a_loop_against_the_dense_system(joint: Joint) -> None:
    model, q = closed_by(joint)
    robot, state = sv.Robot(model), q.tolist()
    frame = model.bodies[-1].name
    K, J = dense_response(robot, q), np.array(robot.evaluate("jacobian", state, frame=frame), float)
    A = np.array(robot.evaluate("closure_jacobian", state), float)
    found = {
        name: np.array(robot.evaluate(name, state, frame=frame), float)
        for name in ("operational_space_inertia", "operational_space_inertia_inverse",
                     "dynamically_consistent_inverse", "dynamically_consistent_null_space")
    }  # fmt: skip
    Omega = J @ K @ J.T
    Lambda = np.linalg.inv(Omega)
    size = np.abs(Omega).max()
    response = robot.evaluate("wrench_response", state, frame=frame, reference="local_world_aligned")
    assert np.allclose(response, K @ J.T, atol=1e-9 * np.abs(K @ J.T).max())
    assert np.allclose(found["operational_space_inertia_inverse"], Omega, atol=1e-9 * size)
    assert np.allclose(found["operational_space_inertia"], Lambda, rtol=1e-6, atol=1e-7 * np.abs(Lambda).max())
    Jbar, N = found["dynamically_consistent_inverse"], found["dynamically_consistent_null_space"]
    assert np.allclose(J @ Jbar, np.eye(6), atol=1e-6) and np.abs(A @ Jbar).max() < 1e-6 * np.abs(Jbar).max()
    assert np.abs(J @ N).max() < 1e-6 and np.abs(A @ N).max() < 1e-6 and np.abs(N @ N - N).max() < 1e-6
    assert np.trace(N) == pytest.approx(robot.nv - len(A) - 6, abs=1e-6)


@pytest.mark.covers("CON-05", "OP-06")
def test_a_task_of_a_linkage_accelerates_as_asked() -> None:
    robot, q = assembled("four_bar")
    v = velocity_map(robot, q)[:, 0] * 3.0
    task = task_space_dynamics(robot, q, v, "coupler_end", directions="x")
    assert task.rank == 1
    tau = task.forces([0.7], secondary=[1.0, 2.0, 3.0])
    a = robot.forward_dynamics(q, v, tau)
    assert robot.classical_acceleration(q, v, a, "coupler_end")[3] == pytest.approx(0.7, abs=1e-9)
    whole = task_space_dynamics(robot, q, v, "coupler_end")
    assert whole.rank == 1 and np.abs(whole.jacobian @ whole.null_space).max() < 1e-12
    assert np.abs(robot.closure_jacobian(q) @ whole.inverse).max() < 1e-12
    K = dense_response(robot, q)
    J = np.concatenate([robot.jacobian(q, name) for name in ("coupler_end", "crank")])
    found = frames_inertia_inverse(robot, q, ["coupler_end", "crank"])
    assert np.allclose(found, J @ K @ J.T, atol=1e-9 * np.abs(found).max())
    with pytest.raises(DegenerateError, match="coupler_end"):
        robot.operational_space_inertia(q, "coupler_end")


def test_a_singular_task_of_a_loop_has_no_inertia() -> None:
    robot, q = turned_four_bar()
    damped = robot.operational_space_inertia(q, "coupler_end", damping=0.1)
    J = robot.jacobian(q, "coupler_end")
    assert np.allclose(damped, np.linalg.inv(J @ dense_response(robot, q) @ J.T + 0.1 * np.eye(6)), atol=1e-9)
