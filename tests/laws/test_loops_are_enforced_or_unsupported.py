"""Nothing computes a mechanism with loops as if they were open, unless what it computes belongs to the open tree."""

from __future__ import annotations

import inspect
import pkgutil
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import sixvec
from installed_modules import installed
from naming import named
from sixvec import Robot, analysis, motion
from sixvec.algorithms import REGISTRY, Algorithm
from sixvec.algorithms.declaration import EXTERNAL, kernel
from sixvec.arguments.binding import REQUIRED
from sixvec.cli.main import main
from sixvec.errors import ArgumentError, ModelError
from sixvec.identification import base_parameters, identify
from sixvec.ik.closed_form import SerialChain, closed_form
from sixvec.ik.closed_form.arm_321 import Arm321, placed
from sixvec.ik.redundancy import (
    bounded_passage,
    cyclicity_defect,
    joint_springs,
    manipulability,
    motor_current,
    optimality_rows,
    redundancy,
    rest_torque,
    rms_motor_current,
    singularity_distance,
    symbolic_cyclicity,
)
from sixvec.large_trees import LargeTree
from sixvec.large_trees.constraint_force import ArrayChain
from sixvec.mobile import slipping_rollout
from sixvec.model import Gear
from sixvec.model.edits import without_closures
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
from sixvec.theory.operators import FORWARD_SWEEPS, spatial_operators, sweep_kernel

LOOP = sixvec.load("four_bar")
TREE = Robot(without_closures(LOOP.model))
Q = np.full(LOOP.nq, 0.3)
FRAME = LOOP.frame_names[-1]
OPTIONS: dict[str, Any] = {"frame": FRAME, "base": LOOP.frame_names[0], "frames": (FRAME,)}

IGNORED = {
    "acceleration", "analytical_jacobian", "bias_forces", "canonical_momenta", "center_of_mass",
    "center_of_mass_jacobian", "centroidal_momentum_matrix", "centroidal_momentum_matrix_derivative",
    "christoffel_symbols", "classical_acceleration", "coriolis_matrix",
    "difference", "gravity_forces", "integrate", "jacobian", "jacobian_derivative", "kinematic_hessian",
    "kinetic_energy", "kinetic_energy_regressor", "mass_matrix", "mass_matrix_ltdl", "mass_matrix_ltl", "momentum",
    "momentum_regressor", "passive_forces", "pose", "poses", "potential_energy", "potential_energy_regressor",
    "quaternion_jacobian", "relative_jacobian", "tendon_jacobian", "tendon_lengths", "tendon_velocities", "velocity",
    "velocity_product_acceleration",
}  # fmt: skip
"""Of the spanning tree: places, rates, energies, momenta, and the terms M, C, g of the equations of motion."""

DESCRIBED = {"closure_error", "closure_jacobian", "constraint_bias", "constraint_jacobian"}
"""Properties of the loops themselves, in any position."""

ENFORCED = {
    "constrained_dynamics", "constrained_dynamics_derivatives", "constraint_verdict", "delassus",
    "dynamically_consistent_inverse",
    "dynamically_consistent_null_space", "forward_dynamics", "forward_dynamics_derivatives", "hybrid_dynamics",
    "inverse_dynamics", "inverse_dynamics_derivatives", "operational_space_inertia",
    "operational_space_inertia_inverse", "prioritised_dynamics", "task_space_bias", "wrench_response",
}  # fmt: skip
"""The forces of the loops act: tests/constraints."""

LIBRARY = sorted(name for name, a in REGISTRY.items() if a.function.__module__.startswith("sixvec."))

unsupported = pytest.raises(ModelError, match=named("without_closures"))


def options(algorithm: Algorithm) -> dict[str, Any]:
    return {k: OPTIONS[k] for k, default in algorithm.options.items() if default is REQUIRED}


def _parts(result: Any) -> tuple[Any, ...]:
    return result if isinstance(result, tuple) else (result,)


@pytest.mark.parametrize("name", LIBRARY)
def test_every_algorithm_enforces_loops_or_ignores_or_rejects_them(name: str) -> None:
    algorithm = REGISTRY[name]
    state = [Q] * len(algorithm.arrays)
    if name in IGNORED:
        assert algorithm.loops == "ignored"
        loop, tree = (_parts(getattr(robot, name)(*state, **options(algorithm))) for robot in (LOOP, TREE))
        assert all(np.array_equal(x, y) for x, y in zip(loop, tree, strict=True))
        return
    if name in DESCRIBED:
        assert algorithm.loops == "described"
        assert any(np.size(part) for part in _parts(getattr(LOOP, name)(*state)))
        return
    if name in ENFORCED:
        assert algorithm.loops == "enforced"
        return
    assert algorithm.loops == "unsupported"
    with unsupported:
        LOOP.kernel(name, **options(algorithm))
    with unsupported:
        getattr(LOOP, name)(*state, **options(algorithm))
    with unsupported:
        LOOP.evaluate(name, *(x.tolist() for x in state), **options(algorithm))
    assert TREE.kernel(name, **options(algorithm)) is not None


@pytest.mark.parametrize("name", LIBRARY)
def test_algorithms_with_forces_never_ignore_loops(name: str) -> None:
    algorithm = REGISTRY[name]
    if {"tau", EXTERNAL} & {*algorithm.inputs}:
        assert algorithm.loops in ("unsupported", "enforced")


def test_every_declaration_states_the_treatment_of_loops() -> None:
    with pytest.raises(TypeError, match="loops"):
        kernel("q -> x[]")  # type: ignore[call-arg]
    with pytest.raises(ArgumentError, match=named("loops", "open")):
        kernel("q -> x[]", loops="open")  # type: ignore[arg-type]


def test_a_slider_crank_a_weld_and_gears_are_loops(capsys: pytest.CaptureFixture[str]) -> None:
    crank = sixvec.load("slider_crank")
    with unsupported:
        crank.mass_matrix_solve(*np.zeros((2, crank.nv)))
    arm = sixvec.load("planar_2r")
    first, second = (b.name for b in arm.model.moving)
    geared = Robot(replace(arm.model, closures=(Gear("pair", first, second, 2.0),)))
    with pytest.raises(ModelError, match=named("mass_matrix_solve", "planar_2r", "pair")):
        geared.mass_matrix_solve(*np.zeros((2, 2)))
    assert main(["emit", "four_bar", "mass_matrix_solve"]) != 0
    assert "without_closures" in capsys.readouterr().err


def test_a_loaded_robot_rejects_its_loops_too() -> None:
    tool = RigidInertia.from_center_of_mass(2.0, Vec3.zero(), Sym3.zero())
    with unsupported:
        LOOP.with_payload(FRAME, tool).mass_matrix_solve(Q, Q)


def test_the_tree_without_its_loops_is_reached_on_purpose() -> None:
    assert not TREE.model.closures
    a = TREE.forward_dynamics(Q, Q, TREE.inverse_dynamics(Q, Q, Q))
    assert np.allclose(a, Q)
    assert np.array_equal(TREE.mass_matrix(Q), LOOP.mass_matrix(Q))


X = np.eye(4)
STILL = np.zeros((3, LOOP.nv))

UNSUPPORTED: dict[str, Callable[[Robot], Any]] = {
    "closed_form": lambda r: closed_form(r, FRAME),
    "floating_velocity": lambda r: analysis.floating_velocity(r, Q, STILL),
    "generalised_jacobian": lambda r: analysis.generalised_jacobian(r, Q, FRAME),
    "linearize": lambda r: r.linearize(Q, STILL, STILL),
    "Arm321.from_robot": lambda r: Arm321.from_robot(r, FRAME),
    "placed": lambda r: placed(r, FRAME),
    "base_parameters": base_parameters,
    "identify": lambda r: identify(r, *np.zeros((4, 5, r.nv))),
    "ConstrainedLagrange": lambda r: ConstrainedLagrange(r, lambda q: [[1.0] * LOOP.nv]),
    "EulerLagrange": EulerLagrange,
    "ScrewChain.of": ScrewChain.of,
    "StackedDynamics.at": lambda r: StackedDynamics.at(r, Q),
    "action_gradient": lambda r: action_gradient(r, STILL, 0.1),
    "collocated": lambda r: collocated(r, Q, Q, Q),
    "noncollocated": lambda r: noncollocated(r, Q, Q, Q),
    "symbolic": lambda r: symbolic(r, "mass_matrix_solve"),
    "ArrayChain.from_model": ArrayChain.from_model,
    "LargeTree.from_model": LargeTree.from_model,
    **{f: lambda r, f=f: FORWARD_SWEEPS[f](r.model, Q, Q, Q) for f in FORWARD_SWEEPS},
    "spatial_operators": lambda r: spatial_operators(r, Q),
    "sweep_kernel": lambda r: sweep_kernel(r, "fd4"),
    "circle": lambda r: motion.circle(r, X, [0.0, 0.0, 1.0], [0.0, 1.0, 0.0], 1.0, FRAME),
    "excitation": lambda r: motion.excitation(r),
    "line": lambda r: motion.line(r, X, X + np.eye(4, k=3), FRAME),
    "rest_to_rest": lambda r: motion.rest_to_rest(r, Q, Q, "cubic"),
    "screw": lambda r: motion.screw(r, X, X + np.eye(4, k=3), FRAME),
    "bounded_passage": lambda r: bounded_passage(r, FRAME),
    "cyclicity_defect": lambda r: cyclicity_defect(r, Q, FRAME),
    "manipulability": lambda r: manipulability(r, FRAME),
    "motor_current": lambda r: motor_current(r, 1.0),
    "optimality_rows": lambda r: optimality_rows(r, Q, FRAME, joint_springs(TREE)),
    "redundancy": lambda r: redundancy(r, Q, FRAME),
    "rest_torque": lambda r: rest_torque(r, scale=1.0),
    "slipping_rollout": lambda r: slipping_rollout(r, Q, Q, STILL, 0.1, {}),
    "rms_motor_current": lambda r: rms_motor_current(r, 1.0, [0.0, 1.0], STILL[:2], STILL[:2], STILL[:2]),
    "singularity_distance": lambda r: singularity_distance(r, FRAME),
    "symbolic_cyclicity": lambda r: symbolic_cyclicity(r, Q, FRAME),
}

ENFORCED_BY_FUNCTIONS = {
    "load_capacity",
    "ik.solve", "ik.track", "independent_dynamics", "row_rank",
    "active_jacobian", "assembled", "configuration", "dual_wrench_basis", "dynamic_manipulability",
    "force_manipulability",
    "forward_acceleration", "forward_force", "forward_position", "forward_velocity", "graph_jacobian",
    "hybrid_acceleration", "hybrid_force", "hybrid_position", "hybrid_velocity", "inverse_acceleration",
    "inverse_force", "inverse_position", "inverse_velocity", "mobility", "rate_demand", "singularity",
    "natural_frequencies", "report", "rolling_velocity",
    "Batch", "rollout", "shape_pairs", "stops", "velocity_manipulability", "velocity_map", "verify", "workspace",
    "file_contacts", "file_stops", "floor_contacts",
    "Metric.from_inertia", "Metric.from_limits", "frames_inertia_inverse", "task_space_dynamics",
    "limited_accelerations", "one_sided_dynamics", "Arm",
}  # fmt: skip
"""Know the closures: tests/analysis/test_maps_of_loops.py and its neighbours."""

OF_THE_TREE = {
    "action", "action_variation", "ball_prior", "calibrate", "christoffel_by_differentiation", "contact_rows",
    "inertial_parameters", "joint_springs", "kinetic_energy_cost", "link_blocks", "mass_condition", "motor_strength",
    "obstacle_avoidance", "own_prior", "parameter_jacobian", "parameter_names", "point_jacobian", "regressor_pattern",
    "interpolate", "pose_spline", "slip", "spline",
    "solve_with_factors", "structure_constants", "task_error", "task_jacobian", "tree_jacobian", "velocity_bounds",
    "tensions", "torque_range", "wrench_closure", "with_parameters",
}  # fmt: skip
"""Places, rates and terms of the tree, as the algorithms marked open; joints all measured, inertias guessed; tendons,
whose forces are those of all joints."""

LOOPS_AMONG_THE_ARGUMENTS = {"close_gaps", "closed_loop_rates", "follow", "drift"}
"""What they keep closed, the caller says."""

PARTS = {
    "Calibration",
    "MobileRobot",
    "Muscles",
    "CartesianPath",
    "FourierMotion",
    "Interpolated",
    "Path",
    "PointToPoint",
    "Stack",
    "WheeledRobot",
    "Solver",
    "BaseParameters",
    "SpatialOperators",
    "Report",
    "SerialChain.of",
}
"""Made by functions of this list, or read from files."""

NOT_ABOUT_MOTION = ("sixvec.model", "sixvec.formats", "sixvec.viz", "sixvec.interop.conventions")


def public_takers() -> Iterator[str]:
    """The public functions, classes and class methods that are given a robot or a model."""
    for found in pkgutil.walk_packages(sixvec.__path__, "sixvec."):
        if found.name.endswith("__main__") or found.name.startswith(NOT_ABOUT_MOTION):
            continue
        module = installed(found.name)
        if module is None:
            continue
        for name in getattr(module, "__all__", ()):
            public = getattr(module, name)
            if not (inspect.isfunction(public) or inspect.isclass(public)):
                continue
            if inspect.isclass(public) and issubclass(public, BaseException):
                continue
            prefix = "ik." if (found.name, name) in (("sixvec.ik", "solve"), ("sixvec.ik", "track")) else ""
            if {"robot", "model"} & {*inspect.signature(public).parameters}:
                yield prefix + name
            if inspect.isclass(public):
                made = {k: f.__func__ for k, f in vars(public).items() if isinstance(f, classmethod) and k[0] != "_"}
                for k, f in made.items():
                    if {"robot", "model"} & {*inspect.signature(f).parameters}:
                        yield f"{name}.{k}"


def test_every_public_function_of_a_robot_declares_its_treatment_of_loops() -> None:
    known = {*UNSUPPORTED} | ENFORCED_BY_FUNCTIONS | OF_THE_TREE | LOOPS_AMONG_THE_ARGUMENTS | PARTS
    assert {*public_takers()} - known == set()


@pytest.mark.parametrize("name", sorted(UNSUPPORTED))
def test_functions_that_do_not_support_loops_raise_an_error(name: str) -> None:
    with pytest.raises(ModelError, match="coupler_pin"):
        UNSUPPORTED[name](LOOP)


def test_a_serial_chain_is_looked_at_by_solvers_only() -> None:
    assert SerialChain.of(LOOP.model, FRAME).kinds
