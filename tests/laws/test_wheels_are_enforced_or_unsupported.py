"""Nothing computes a robot on wheels as if it slid, unless the result is a term of the mechanism."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import sixvec as sv
from naming import named
from sixvec.algorithms import REGISTRY, Algorithm
from sixvec.analysis import dynamic_manipulability, frames_inertia_inverse, task_space_dynamics
from sixvec.arguments.binding import REQUIRED
from sixvec.constraints import independent_dynamics, limited_accelerations, one_sided_dynamics, report
from sixvec.constraints.grasps import Arm, Carriers
from sixvec.errors import ArgumentError, ShapeError
from sixvec.identification import base_parameters, identify
from sixvec.ik.redundancy import motor_current, rest_torque
from sixvec.large_trees import LargeTree
from sixvec.large_trees.constraint_force import ArrayChain
from sixvec.mobile import Rolling, mount, wheeled_robot
from sixvec.model.edits import attach, mirror, reroot, with_free_root
from sixvec.spatial import RigidInertia, Sym3, Vec3
from sixvec.theory.lagrange import (
    ConstrainedLagrange,
    EulerLagrange,
    ScrewChain,
    StackedDynamics,
    action_gradient,
    collocated,
    noncollocated,
    symbolic,
)
from sixvec.theory.operators import spatial_operators, sweep_kernel

RNG = np.random.default_rng(7)
DRIVE = sv.mobile.differential_drive(0.5, 0.1)
SLAB = RigidInertia.from_center_of_mass(60.0, Vec3(0.1, 0.03, 0.15), Sym3.diagonal(2.0, 3.0, 4.0))
ROBOT = mount(sv.load("double_pendulum"), DRIVE, np.eye(4), inertia=SLAB)
WHEELED = wheeled_robot(DRIVE, SLAB, 1.0)
MECANUM = mount(sv.load("double_pendulum"), sv.mobile.mecanum(0.6, 0.4, 0.05), np.eye(4), inertia=SLAB)
FRAME = ROBOT.frame_names[-1]
OPTIONS: dict[str, Any] = {"frame": FRAME, "base": ROBOT.frame_names[0], "frames": (FRAME,)}
Q = RNG.normal(size=5)
V = ROBOT.rolling_velocity(Q, RNG.normal(size=5))
TAU = RNG.normal(size=5)

UNAFFECTED = {
    "acceleration", "analytical_jacobian", "bias_forces", "canonical_momenta", "center_of_mass",
    "center_of_mass_jacobian", "centroidal_momentum_matrix", "centroidal_momentum_matrix_derivative",
    "christoffel_symbols", "classical_acceleration", "closure_error", "closure_jacobian",
    "coriolis_matrix", "difference", "gravity_forces", "integrate", "jacobian",
    "jacobian_derivative", "kinematic_hessian", "kinetic_energy", "kinetic_energy_regressor", "mass_matrix",
    "mass_matrix_ltdl", "mass_matrix_ltl", "momentum", "momentum_regressor", "passive_forces", "pose", "poses",
    "potential_energy", "potential_energy_regressor", "quaternion_jacobian", "relative_jacobian", "tendon_jacobian",
    "tendon_lengths", "tendon_velocities", "velocity",
    "velocity_product_acceleration",
}  # fmt: skip
"""Terms of the mechanism: places, rates, energies, momenta, M, C and g."""

WITH_ROWS = {
    "constrained_dynamics", "constrained_dynamics_derivatives", "constraint_bias", "constraint_jacobian",
    "constraint_verdict", "delassus", "hybrid_dynamics", "prioritised_dynamics",
}  # fmt: skip
"""Wheels are rows, in methods, kernels and `evaluate`."""

ENFORCED = {
    "dynamically_consistent_inverse", "dynamically_consistent_null_space", "forward_dynamics",
    "forward_dynamics_derivatives", "operational_space_inertia", "operational_space_inertia_inverse",
    "task_space_bias", "wrench_response",
}  # fmt: skip
"""The same without rows in their results."""

UNSUPPORTED = {
    "articulated_inertia", "forward_dynamics_parameter_derivative", "inverse_dynamics", "inverse_dynamics_derivatives",
    "inverse_dynamics_regressor", "inverse_dynamics_regressor_entries", "joint_wrenches", "mass_matrix_inverse",
    "mass_matrix_solve", "moving_base_inverse_dynamics",
}  # fmt: skip
"""The method `inverse_dynamics` of a robot with a platform knows its motors; the kernel does not."""

LIBRARY = {name for name, a in REGISTRY.items() if a.function.__module__.startswith("sixvec.")}

DESCRIBED = {"constraint_bias", "constraint_jacobian"}
"""About the rows themselves."""

raises_error = pytest.raises(ArgumentError, match=named("robot.sliding"))


def options(algorithm: Algorithm) -> dict[str, Any]:
    return {k: OPTIONS[k] for k, default in algorithm.options.items() if default is REQUIRED}


def test_every_algorithm_is_in_one_list() -> None:
    lists = [UNAFFECTED, WITH_ROWS, ENFORCED, UNSUPPORTED]
    assert set().union(*lists) == LIBRARY and sum(map(len, lists)) == len(LIBRARY)
    treated = {n: REGISTRY[n].wheels or REGISTRY[n].loops for n in LIBRARY}
    assert {n for n, how in treated.items() if how == "unsupported"} == UNSUPPORTED
    assert {n for n, how in treated.items() if how == "enforced"} == (WITH_ROWS | ENFORCED) - DESCRIBED


@pytest.mark.parametrize("name", sorted(UNSUPPORTED))
def test_what_would_slide_raises_by_every_route(name: str) -> None:
    algorithm = REGISTRY[name]
    chosen, state = options(algorithm), [Q] * len(algorithm.arrays)
    for called in (name, *algorithm.aliases):
        with raises_error:
            ROBOT.kernel(called, **chosen)
        with raises_error:
            ROBOT.evaluate(called, *(x.tolist() for x in state), **chosen)
        with raises_error:
            ROBOT.symbolic(called, **chosen)
        if name != "inverse_dynamics":
            with raises_error:
                getattr(ROBOT, called)(*state, **chosen)
    assert MECANUM.kernel(name, **chosen) is not None  # its wheels allow every motion


@pytest.mark.parametrize("name", sorted(WITH_ROWS))
def test_what_takes_rows_has_those_of_the_wheels_by_every_route(name: str) -> None:
    algorithm, state = REGISTRY[name], [Q, V, TAU, TAU][: len(REGISTRY[name].arrays)]
    expected = getattr(ROBOT.sliding, name)(*state, hold=ROBOT.rolling)
    found: tuple[Any, ...] = (getattr(ROBOT, name)(*state), ROBOT.kernel(name)(*state))
    by_scalars = ROBOT.evaluate(name, *(x.tolist() for x in state))
    parts = range(len(algorithm.outputs))
    if len(parts) == 1:
        expected, found, by_scalars = (expected,), tuple((x,) for x in found), (by_scalars,)
    for k in parts:
        own = np.asarray(expected[k])
        if name == "prioritised_dynamics" and k:
            continue  # forces of dependent wheels share differently among levels
        if name == "constrained_dynamics_derivatives" and k >= 3:
            continue  # nor have they derivatives
        for each in (*found, by_scalars):
            assert np.allclose(np.asarray(each[k], float), own, atol=1e-8), (name, k)


@pytest.mark.parametrize(
    "route",
    [
        lambda r: r.inverse_dynamics_second_derivatives(Q, V, TAU),
        lambda r: r.forward_dynamics_second_derivatives(Q, V, TAU),
    ],
)
def test_other_methods_that_would_slide_raise(route: Callable[[Any], Any]) -> None:
    with raises_error:
        route(ROBOT)


def constrained_inverse(robot: Any, q: Any) -> Any:
    """M⁻¹ - M⁻¹ Aᵀ (A M⁻¹ Aᵀ)⁺ A M⁻¹ from the mass matrix and the rows of the robot that slides."""
    sliding = robot.sliding
    M_inverse, A = sliding.mass_matrix_inverse(q), sliding.constraint_jacobian(q, hold=robot.rolling)
    return M_inverse - M_inverse @ A.T @ np.linalg.pinv(A @ M_inverse @ A.T) @ A @ M_inverse


@pytest.mark.parametrize("robot", [ROBOT, WHEELED, MECANUM], ids=["drive", "wheeled", "mecanum"])
def test_the_response_to_forces_is_that_of_rolling(robot: Any) -> None:
    frame, (q, v, tau) = robot.frame_names[-1], (x[: robot.nv] for x in (Q, V, TAU))
    v = robot.rolling_velocity(q, v)
    K, J, M = constrained_inverse(robot, q), robot.jacobian(q, frame), robot.mass_matrix(q)
    Omega = J @ K @ J.T
    Lambda = np.linalg.inv(Omega + 0.1 * np.eye(6))
    assert np.allclose(robot.wrench_response(q, frame, "local_world_aligned"), K @ J.T, atol=1e-9)
    assert np.allclose(robot.operational_space_inertia_inverse(q, frame), Omega, atol=1e-9)
    assert np.allclose(frames_inertia_inverse(robot, q, [frame]), Omega, atol=1e-9)
    assert np.allclose(robot.operational_space_inertia(q, frame, damping=0.1), Lambda, atol=1e-7)
    back = robot.dynamically_consistent_inverse(q, frame, damping=0.1)
    assert np.allclose(back, K @ J.T @ Lambda, atol=1e-7)
    null = robot.dynamically_consistent_null_space(q, frame, damping=0.1)
    assert np.allclose(null, (np.eye(robot.nv) - back @ J) @ K @ M, atol=1e-7)
    fall = J @ robot.forward_dynamics(q, v, 0.0 * v) + robot.jacobian_derivative(q, v, frame) @ v
    assert np.allclose(robot.task_space_bias(q, v, frame, damping=0.1), -Lambda @ fall, atol=1e-6)
    pushed = robot.forward_dynamics(q, v, tau) - robot.forward_dynamics(q, v, 0.0 * tau)
    assert np.allclose(pushed, K @ tau, atol=1e-9)
    assert np.allclose(robot.forward_dynamics_derivatives(q, v, tau).dtau, K, atol=1e-9)


@pytest.mark.parametrize("name", ["forward_dynamics", "forward_dynamics_derivatives"])
def test_forward_dynamics_rolls_by_every_route(name: str) -> None:
    expected = ROBOT.sliding.constrained_dynamics(Q, V, TAU, hold=ROBOT.rolling).a
    if name == "forward_dynamics_derivatives":
        expected = ROBOT.sliding.constrained_dynamics_derivatives(Q, V, TAU, hold=ROBOT.rolling).da_dq
    scalars = [x.tolist() for x in (Q, V, TAU)]
    for found in (getattr(ROBOT, name)(Q, V, TAU), ROBOT.kernel(name)(Q, V, TAU), ROBOT.evaluate(name, *scalars)):
        first = found[0] if name == "forward_dynamics_derivatives" else found
        assert np.allclose(np.asarray(first, float), expected, atol=1e-9)


def test_robots_with_loads_and_parameters_roll() -> None:
    loaded, varied = ROBOT.with_payload(FRAME, 2.0), ROBOT.with_parameters("inertia")
    plain = sv.Robot(loaded.model)  # with a body for the load
    assert plain.model.rolling == ROBOT.model.rolling and loaded.rolling == ROBOT.rolling
    assert np.allclose(loaded.forward_dynamics(Q, V, TAU), plain.forward_dynamics(Q, V, TAU), atol=1e-9)
    assert not np.allclose(loaded.forward_dynamics(Q, V, TAU), ROBOT.forward_dynamics(Q, V, TAU))
    assert np.allclose(varied.forward_dynamics(Q, V, TAU), ROBOT.forward_dynamics(Q, V, TAU), atol=1e-9)
    heavy = varied.at(2.0 * varied.parameter_values).forward_dynamics(Q, V, 2.0 * TAU)
    assert np.allclose(heavy, ROBOT.forward_dynamics(Q, V, TAU), atol=1e-9)  # all masses and forces doubled
    for robot in (loaded, varied):
        with raises_error:
            robot.inverse_dynamics(Q, V, TAU)
    with pytest.raises(ArgumentError, match=named("robot.sliding")):
        _ = loaded.sliding


STILL = np.zeros((3, 5))

FUNCTIONS: dict[str, Callable[[Any], Any]] = {
    "independent_dynamics": lambda r: independent_dynamics(r, Q, V),
    "limited_accelerations": lambda r: limited_accelerations(r, Q, V, np.zeros(3), {FRAME: "point"}),
    "one_sided_dynamics": lambda r: one_sided_dynamics(r, Q, V, TAU, {FRAME: "point"}),
    "task_space_dynamics": lambda r: task_space_dynamics(r, Q, V, [FRAME]),
    "dynamic_manipulability": lambda r: dynamic_manipulability(r, Q, FRAME, np.eye(6)),
    "Carriers": lambda r: Carriers([Arm(r, FRAME)], SLAB),
    "base_parameters": base_parameters,
    "identify": lambda r: identify(r, *np.zeros((4, 5, r.nv))),
    "motor_current": lambda r: motor_current(r, 1.0),
    "rest_torque": lambda r: rest_torque(r, scale=1.0),
    "LargeTree.from_model": LargeTree.from_model,
    "ArrayChain.from_model": ArrayChain.from_model,
    "ScrewChain.of": ScrewChain.of,
    "ConstrainedLagrange": lambda r: ConstrainedLagrange(r, lambda q: [[1.0] * 5]),
    "EulerLagrange": EulerLagrange,
    "StackedDynamics.at": lambda r: StackedDynamics.at(r, Q),
    "action_gradient": lambda r: action_gradient(r, STILL, 0.1),
    "collocated": lambda r: collocated(r, Q, Q, Q),
    "noncollocated": lambda r: noncollocated(r, Q, Q, Q),
    "symbolic": lambda r: symbolic(r, "forward_dynamics"),
    "save": lambda r: sv.save(r, "robot.urdf"),
    "save the model": lambda r: sv.save(r.model, "robot.urdf"),
    "linearize": lambda r: r.linearize(Q, V, TAU),
    "with_free_root": lambda r: with_free_root(r.model),
    "mirror": lambda r: mirror(r.model),
    "reroot": lambda r: reroot(r.model, r.model.bodies[-1].name),
    "attach": lambda r: attach(sv.load("panda").model, r.model, "panda_link8"),
    "mount": lambda r: mount(r, DRIVE, np.eye(4), prefix="other_"),
    "spatial_operators": lambda r: spatial_operators(r, Q),
    "sweep_kernel": lambda r: sweep_kernel(r, "fd4"),
}
"""Functions of dynamics outside the robot: those of kinematics treat the platform as a joint."""


@pytest.mark.parametrize("name", sorted(FUNCTIONS))
def test_functions_that_would_slide_raise(name: str) -> None:
    with pytest.raises(ArgumentError, match=named("robot.sliding")):
        FUNCTIONS[name](ROBOT)


def test_derivatives_of_rolling_are_slopes() -> None:
    wrench = {FRAME: np.array([0.1, -0.2, 0.3, 1.0, 2.0, -3.0])}
    found = ROBOT.forward_dynamics_derivatives(Q, V, TAU, external=wrench)
    again = ROBOT.constrained_dynamics_derivatives(Q, V, TAU, external=wrench)
    by_program = ROBOT.kernel("constrained_dynamics").derivative("q")(Q, V, TAU)[0]
    assert np.allclose(ROBOT.forward_dynamics_derivatives(Q, V, TAU).dq, by_program, atol=1e-9)
    step = 1e-6 * np.eye(5)
    for k, (slope, same) in enumerate(zip(found, again, strict=False)):
        assert np.array_equal(slope, same)
        for i, e in enumerate(step):
            ahead, behind = ([x + s * e if n == k else x for n, x in enumerate((Q, V, TAU))] for s in (1.0, -1.0))
            change = ROBOT.forward_dynamics(*ahead, external=wrench) - ROBOT.forward_dynamics(*behind, external=wrench)
            assert np.allclose(slope[:, i], change / 2e-6, atol=1e-6), (k, i)
    into = tuple(np.empty((5, 5)) for _ in range(3))
    assert all(
        np.array_equal(x, y) for x, y in zip(ROBOT.forward_dynamics_derivatives(Q, V, TAU, out=into), into, strict=True)
    )
    wrong: list[Any] = [np.zeros(5), into[:2], (*into[:2], np.zeros((4, 4))), (*into[:2], np.zeros((5, 5), np.float32))]
    for out in wrong:
        with pytest.raises(ShapeError, match=named("forward_dynamics_derivatives", "out")):
            ROBOT.forward_dynamics_derivatives(Q, V, TAU, out=out)
    for method in (ROBOT.forward_dynamics, ROBOT.inverse_dynamics):
        with pytest.raises(ShapeError, match="out"):
            method(Q, V, np.zeros(5), out=np.zeros(4))
    free = MECANUM.forward_dynamics_derivatives(Q, V, TAU)
    assert np.array_equal(free.dq, MECANUM.sliding.forward_dynamics_derivatives(Q, V, TAU).dq)


def test_rows_have_the_names_of_their_wheels() -> None:
    hold = {FRAME: ("x", "y", "z")}
    for robot in (ROBOT, WHEELED):
        q, v, tau = (x[: robot.nv] for x in (Q, V, TAU))
        wheels = robot.constraint_names()
        assert (
            wheels == robot.sliding.constraint_names(hold=robot.rolling) == robot.constraint_names(hold=robot.rolling)
        )
        assert robot.constrained_dynamics(q, v, tau).force.shape == (len(wheels),) == robot.constraint_bias(q, v).shape
        assert np.array_equal(robot.constraint_jacobian(q) @ v, robot.slip(q, v))
    assert ROBOT.constraint_names(hold=hold) == (*ROBOT.constraint_names(), *(f"{FRAME}: {x}" for x in "xyz"))
    assert len(ROBOT.constrained_dynamics(Q, V, TAU, hold=hold).force) == len(ROBOT.constraint_names(hold=hold))


def test_priorities_and_targets_come_after_the_wheels() -> None:
    arm = mount(sv.load("ur5e"), DRIVE, np.eye(4), inertia=SLAB)
    q, still = np.r_[0.0, 0.0, 0.3, RNG.normal(size=6)], np.zeros(9)
    wanted, hold = np.array([0.0, 1.0, 0.0]), {arm.frame_names[-1]: ("x", "y", "z")}
    first = arm.prioritised_dynamics(q, still, still, hold=hold, target=wanted)
    assert np.abs(arm.slip(q, first.a)).max() < 1e-12 and np.abs(first.residual).max() < 1e-9
    held = arm.constrained_dynamics(q, still, still, hold=hold, target=wanted)
    assert np.allclose(held.a, first.a, atol=1e-9)
    given: list[Any] = [(1,), [1], np.array([1])]
    for levels in given:
        again = arm.prioritised_dynamics(q, still, still, hold=hold, target=wanted, levels=levels)
        assert np.array_equal(again.a, first.a)
    with pytest.raises(ArgumentError, match="levels"):
        arm.prioritised_dynamics(q, still, still, hold=hold, target=wanted, levels=3)  # type: ignore[arg-type]
    full = arm.constrained_dynamics(q, still, still, hold=hold, target=np.r_[np.zeros(2), wanted])
    assert np.array_equal(full.a, held.a)


def test_a_report_counts_the_rows_of_the_wheels() -> None:
    found = report(ROBOT, Q)
    assert len(found.names) == 2 and found.rank == 1 and found.freedoms == 4


def test_a_wheel_that_is_held_rolls_as_well() -> None:
    q, v, pushed = np.zeros(5), np.array([1.0, 0.0, 0.0, 10.0, 10.0]), np.array([0.0, 5.0, 0.0, 0.0, 0.0])
    plain = WHEELED.constrained_dynamics(q, v, pushed).a
    for more in (("z",), Rolling(0.1, ("normal",)), Rolling(0.1, ("roll",))):
        hold = {"left": more, "right": more}
        assert np.allclose(WHEELED.constrained_dynamics(q, v, pushed, hold=hold).a, plain, atol=1e-12)
        assert np.allclose(WHEELED.constrained_dynamics(q, v, pushed, None, None, hold).a, plain, atol=1e-12)
    path = WHEELED.rollout(q, v, pushed, 0.01, steps=3, hold={"left": Rolling(0.1, ("roll",))})
    assert np.abs(WHEELED.slip(path.q, path.v)).max() < 1e-12
    with pytest.raises(ArgumentError, match=named('hold["left"]', "left", "differential_drive")):
        WHEELED.constrained_dynamics(q, v, pushed, hold={"left": Rolling(0.2)})
