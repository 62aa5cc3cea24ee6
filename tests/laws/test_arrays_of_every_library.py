"""Law: a public method that takes arrays takes them of every library, single, in batches, empty and next to constants.

The answer is of the library of the arguments (NumPy for lists) and has the numbers that NumPy gives, sample by sample;
or the call raises an error that names the argument.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields, is_dataclass, replace
from functools import partial
from typing import Any

import numpy as np
import pytest

import sixvec as sv
from sixvec import analysis, constraints, ik, solve
from sixvec.algorithms import REGISTRY
from sixvec.arguments.binding import REQUIRED
from sixvec.geometry.rigid_body import Sphere
from sixvec.model import Geom
from sixvec.parallel import Delta
from sixvec.solve import Metric

torch = pytest.importorskip("torch")
jax = pytest.importorskip("jax")

PANDA, BAR = sv.load("panda"), sv.load("four_bar")
TIP = "panda_link8"
DRIVE, CAR = sv.mobile.differential_drive(0.5, 0.1), sv.mobile.car(1.3, 0.8)
CASTERS = sv.mobile.Platform([*DRIVE.wheels, sv.mobile.Caster(-0.3, 0.1, offset=0.05, radius=0.04)])
TRUCK, DELTA = DRIVE.with_trailer(0.1, length=0.8), Delta(0.2, 0.05, 0.25, 0.6)

COUNT = 3
RNG = np.random.default_rng(0)
Q = PANDA.random(RNG, COUNT)
V, A, TAU = RNG.normal(size=(3, COUNT, 7))
STATE = {"q": Q, "v": V, "a": A, "tau": TAU, "q0": Q, "q1": PANDA.integrate(Q, 0.1 * V),
         "base_twist": RNG.normal(size=(COUNT, 6)), "base_acceleration": RNG.normal(size=(COUNT, 6))}  # fmt: skip
TWIST, RATES = RNG.normal(size=(COUNT, 3)), RNG.normal(size=(COUNT, 2))
PLACE = np.array([0.02, 0.01, -0.5]) + 0.01 * RNG.normal(size=(COUNT, 3))
POSE2 = RNG.normal(size=(COUNT, 3))
ANGLE = 0.2 * RNG.normal(size=(COUNT, 1))


@dataclass
class Case:
    """A method, its arrays in batches of COUNT, and how far answers may differ."""

    call: Callable[..., Any]
    arrays: dict[str, Any]
    tolerance: float = 1e-10
    alone: bool = False
    """Whether it is for one sample: batches are errors."""


def with_spheres(robot: sv.Robot) -> sv.Robot:
    """The robot with a ball in each frame."""
    return sv.Robot(replace(robot.model, geoms=tuple(Geom(f.name, Sphere(0.05)) for f in robot.model.frames)))


def algorithms() -> Iterator[tuple[str, Case]]:
    given = {"frame": TIP, "hold": {TIP: "point"}, "prescribed": ("panda_joint2",), "base": "panda_link2"}
    for name, algorithm in REGISTRY.items():
        options = {k: given[k] for k, x in algorithm.options.items() if x is REQUIRED}
        options |= {k: given[k] for k in ("hold", "prescribed") if k in algorithm.parameters}
        if name in ("closure_error", "closure_jacobian", "prioritised_dynamics"):
            options.pop("hold", None)
        call = partial(_method, PANDA, name, options)
        yield f"robot.{name}", Case(call, {k: STATE[k] for k in algorithm.arrays})


def _method(owner: Any, name: str, options: dict[str, Any], **arrays: Any) -> Any:
    return getattr(owner, name)(**arrays, **options)


X = PANDA.pose(Q, TIP)
PATHS = np.stack([PANDA.pose(PANDA.integrate(Q, s * V), TIP) for s in (0.0, 0.005, 0.01)], axis=1)
STEPS = RNG.normal(size=(COUNT, 4, 7))


def states(path: Any) -> tuple[Any, Any]:
    """What a rollout has in every library; verdicts are those of NumPy."""
    return path.q, path.v


WRITTEN: dict[str, Case] = {
    "robot.ik": Case(lambda pose, q0: PANDA.ik(pose, TIP, q0=q0), {"pose": X, "q0": Q}, 1e-7),
    "robot.track": Case(lambda q0, poses: PANDA.track(q0, poses, TIP), {"q0": Q, "poses": PATHS}, 1e-6),
    "robot.rollout": Case(
        lambda q, v, tau: states(PANDA.rollout(q, v, tau, 1e-3)), {"q": Q, "v": V, "tau": STEPS} 
    ),
    "robot.assemble": Case(BAR.assemble, {"q": np.array([[0.7, 0.0, 1.0]] * COUNT)}, 1e-8),
    "robot.inverse_dynamics_second_derivatives": Case(
        PANDA.inverse_dynamics_second_derivatives, {"q": Q, "v": V, "a": A}
    ),
    "robot.forward_dynamics_second_derivatives": Case(
        PANDA.forward_dynamics_second_derivatives, {"q": Q, "v": V, "tau": TAU}, 1e-8
    ),
    "robot.energy": Case(PANDA.energy, {"q": Q, "v": V}),
    "robot.linearize": Case(PANDA.linearize, {"q": Q, "v": V, "tau": TAU}, 1e-8),
    "robot.linearize after a step": Case(
        lambda q, v, tau: PANDA.linearize(q, v, tau, 0.01), {"q": Q, "v": V, "tau": TAU}, 1e-8
    ),
    "robot.joint_values": Case(lambda q: PANDA.joint_values(q), {"q": Q}),
    "robot.joint_vector": Case(
        lambda q0, value: PANDA.joint_vector({"panda_joint2": value}, q0), {"q0": Q, "value": Q[:, 0]}
    ),
    "external": Case(
        lambda q, wrench: PANDA.inverse_dynamics(q, V[0], A[0], external={TIP: wrench}),
        {"q": Q, "wrench": RNG.normal(size=(COUNT, 6))},
    ),
    "parameters": Case(
        lambda q, parameters: PANDA.with_parameters("inertia", ["panda_link7"]).at(parameters).gravity_forces(q),
        {"q": Q, "parameters": RNG.normal(size=(COUNT, 10))},
    ),
    "kernel": Case(PANDA.kernel("forward_dynamics"), {"q": Q, "v": V, "tau": TAU}),
    "kernel.vjp": Case(lambda q, v, tau, w: PANDA.kernel("forward_dynamics").vjp(q, v, tau, w),
                       {"q": Q, "v": V, "tau": TAU, "w": A}),
    "kernel.jvp": Case(lambda q, w: PANDA.kernel("gravity_forces").jvp(q, w), {"q": Q, "w": V}),
    "kernel.derivative": Case(PANDA.kernel("gravity_forces").derivative("q"), {"q": Q}),
    "convert": Case(lambda q: sv.convert(q, PANDA, to="mujoco"), {"q": Q}),
    "platform.forward_velocity": Case(DRIVE.forward_velocity, {"rates": RATES}),
    "platform.inverse_velocity": Case(DRIVE.inverse_velocity, {"twist": TWIST}),
    "platform.inverse_velocity with steer": Case(CAR.inverse_velocity, {"twist": TWIST, "steer": ANGLE}),
    "platform.forward_force": Case(DRIVE.forward_force, {"forces": RNG.normal(size=(COUNT, 4))}),
    "platform.inverse_force": Case(DRIVE.inverse_force, {"wrench": TWIST}),
    "platform.least_forces": Case(DRIVE.least_forces, {"wrench": TWIST}),
    "platform.icr": Case(DRIVE.icr, {"twist": TWIST}),
    "platform.filter": Case(DRIVE.filter, {"twist": TWIST}),
    "platform.wrench_basis": Case(CAR.wrench_basis, {"steer": ANGLE}),
    "platform.lateral_lines": Case(CAR.lateral_lines, {"steer": ANGLE}),
    "platform.odometry": Case(
        lambda rates, pose0: DRIVE.odometry(rates, 0.1, pose0), {"rates": np.stack([RATES] * 4, 1), "pose0": POSE2},
    ),
    "platform.caster_rates": Case(CASTERS.caster_rates, {"twist": TWIST, "angles": ANGLE}),
    "platform.shaft_velocity": Case(CAR.shaft_velocity, {"rate": RATES[:, 0], "steer": ANGLE}),
    "platform.wheel_angles": Case(CAR.wheel_angles, {"steer": ANGLE}),
    "platform.rolling_twist": Case(CAR.rolling_twist, {"steer": ANGLE}),
    "platform.equivalent_legs": Case(CAR.equivalent_legs, {"steer": ANGLE}),
    "truck.steady_angles": Case(TRUCK.steady_angles, {"curvature": ANGLE[:, 0]}),
    "truck.steady_radii": Case(TRUCK.steady_radii, {"curvature": ANGLE[:, 0]}),
    "truck.odometry": Case(
        lambda rates, pose0, angles0: TRUCK.odometry(rates, 0.1, pose0, angles0),
        {"rates": np.stack([RATES] * 4, 1), "pose0": POSE2, "angles0": ANGLE},
    ),
    "truck.angle_rates": Case(TRUCK.angle_rates, {"angles": ANGLE, "twist": TWIST}),
    "truck.poses": Case(TRUCK.poses, {"pose": POSE2, "angles": ANGLE}),
    "truck.speeds": Case(TRUCK.speeds, {"angles": ANGLE, "twist": TWIST}),
    "delta.inverse_position": Case(DELTA.inverse_position, {"X": PLACE}),
    "delta.forward_position": Case(DELTA.forward_position, {"q": DELTA.inverse_position(PLACE).q}, 1e-8),
    "delta.wrench_basis": Case(DELTA.wrench_basis, {"X": PLACE}),
    "delta.forward_velocity": Case(DELTA.forward_velocity, {"X": PLACE, "qd": TWIST}),
    "delta.inverse_velocity": Case(DELTA.inverse_velocity, {"X": PLACE, "twist": TWIST}),
    "delta.forward_force": Case(DELTA.forward_force, {"X": PLACE, "tau": TWIST}),
    "delta.inverse_force": Case(DELTA.inverse_force, {"X": PLACE, "w": TWIST}),
    "delta.working_modes": Case(DELTA.working_modes, {"X": PLACE}),
    "delta.assembly_modes": Case(lambda q: DELTA.assembly_modes(q).poses, {"q": DELTA.inverse_position(PLACE).q}, 1e-8),
    "delta.singularity": Case(lambda X: DELTA.singularity(X).values, {"X": PLACE}, alone=True),
    "delta.internal_forces": Case(DELTA.internal_forces, {"X": PLACE}, alone=True),
    "delta.stiffness": Case(lambda X: DELTA.stiffness(X, np.ones(3)), {"X": PLACE}),
    "dubins": Case(lambda start, goal: sv.mobile.dubins(start, goal, 0.5).length, {"start": POSE2, "goal": TWIST}),
    "reeds_shepp": Case(
        lambda start, goal: sv.mobile.reeds_shepp(start, goal, 0.5).length, {"start": POSE2, "goal": TWIST}
    ),
}  # fmt: skip

METRIC, BAR_FRAME = Metric.from_length(0.5, 7), BAR.frame_names[-1]
CLOSED = BAR.assemble(np.array([[0.7, 0.0, 1.0], [0.8, 0.0, 1.0], [0.6, 0.0, 1.0]])).q
CLOSED_RATES = constraints.velocity_map(BAR, CLOSED)[..., 0]
FLYING = sv.load("panda", floating=True)
POSES7 = FLYING.random(RNG, COUNT)
TWISTS = RNG.normal(size=(COUNT, 6))
MATRICES, HESSIANS = RNG.normal(size=(COUNT, 3, 4)), np.eye(3) + np.zeros((COUNT, 1, 1))
PUMA = sv.load("puma560")
SHAPED, WORLD = with_spheres(PANDA), sv.World()
WORLD.box((1.0, 1.0, 0.05))

FUNCTIONS: dict[str, Case] = {
    "analysis.configuration": Case(
        lambda q: analysis.configuration(PUMA, q, PUMA.frame_names[-1], Metric.from_length(0.5, 6)), {"q": Q[:, :6]}
    ),
    "analysis.velocity_manipulability": Case(
        lambda q: analysis.velocity_manipulability(PANDA, q, TIP, METRIC), {"q": Q}
    ),
    "analysis.force_manipulability": Case(lambda q: analysis.force_manipulability(PANDA, q, TIP, METRIC), {"q": Q}),
    "analysis.dynamic_manipulability": Case(
        lambda q: analysis.dynamic_manipulability(PANDA, q, TIP, METRIC), {"q": Q}, 1e-8
    ),
    "analysis.frames_inertia_inverse": Case(lambda q: analysis.frames_inertia_inverse(PANDA, q, [TIP]), {"q": Q}),
    "analysis.graph_jacobian": Case(lambda q: analysis.graph_jacobian(BAR, q, [BAR_FRAME]), {"q": CLOSED}),
    "analysis.tree_jacobian": Case(lambda q: analysis.tree_jacobian(PANDA, q, [TIP]), {"q": Q}),
    "analysis.point_jacobian": Case(lambda q: analysis.point_jacobian(PANDA, q, TIP), {"q": Q}),
    "analysis.rate_demand": Case(
        lambda q, twist: analysis.rate_demand(PANDA, q, twist, TIP, METRIC), {"q": Q, "twist": TWISTS}
    ),
    "analysis.singularity": Case(lambda q: analysis.singularity(PANDA, q, TIP, METRIC).values, {"q": Q}),
    "analysis.task_space_dynamics": Case(
        lambda q, v: analysis.task_space_dynamics(PANDA, q, v, TIP), {"q": Q, "v": V}, 1e-8
    ),
    "analysis.load_capacity": Case(
        lambda q, direction: analysis.load_capacity(PANDA, q, TIP, direction),
        {"q": Q, "direction": TWISTS}, 1e-8,
    ),
    "analysis.natural_frequencies": Case(
        lambda q: analysis.natural_frequencies(sv.load("double_pendulum"), q), {"q": np.zeros((COUNT, 2))}
    ),
    "analysis.generalised_jacobian": Case(lambda q: analysis.generalised_jacobian(FLYING, q, TIP), {"q": POSES7}),
    "analysis.floating_velocity": Case(
        lambda q, rates: analysis.floating_velocity(FLYING, q, rates), {"q": POSES7, "rates": V}
    ),
    "analysis.linearize": Case(
        lambda q, v, tau: analysis.linearize(PANDA, q, v, tau), {"q": Q, "v": V, "tau": TAU}, 1e-8
    ),
    "constraints.velocity_map": Case(lambda q: constraints.velocity_map(BAR, q), {"q": CLOSED}),
    "constraints.assembled": Case(lambda q: constraints.assembled(BAR, q), {"q": CLOSED}),
    "constraints.independent_dynamics": Case(
        lambda q, v: constraints.independent_dynamics(BAR, q, v), {"q": CLOSED, "v": CLOSED_RATES}
    ),
    "constraints.active_jacobian": Case(lambda q: constraints.active_jacobian(BAR, q, BAR_FRAME), {"q": CLOSED}),
    "constraints.one_sided_dynamics": Case(
        lambda q, v, tau: constraints.one_sided_dynamics(PANDA, q, v, tau, {TIP: "point"}),
        {"q": Q, "v": V, "tau": TAU}, 1e-8, alone=True,
    ),
    "ik.forward_position": Case(lambda q: ik.forward_position(PANDA, q, TIP), {"q": Q}),
    "ik.forward_velocity": Case(lambda q, v: ik.forward_velocity(PANDA, q, v, TIP), {"q": Q, "v": V}),
    "ik.forward_acceleration": Case(
        lambda q, v, a: ik.forward_acceleration(PANDA, q, v, a, TIP), {"q": Q, "v": V, "a": A}
    ),
    "ik.inverse_velocity": Case(
        lambda q, twist: ik.inverse_velocity(PANDA, q, twist, TIP, metric=METRIC),
        {"q": Q, "twist": TWISTS}, 1e-8,
    ),
    "ik.inverse_acceleration": Case(
        lambda q, v, acceleration: ik.inverse_acceleration(PANDA, q, v, acceleration, TIP, metric=METRIC),
        {"q": Q, "v": V, "acceleration": TWISTS}, 1e-8,
    ),
    "ik.inverse_force": Case(
        lambda q, wrench: ik.inverse_force(PANDA, q, wrench, TIP, acting="on_robot"), {"q": Q, "wrench": TWISTS}
    ),
    "ik.inverse_position": Case(
        lambda pose, q0: ik.inverse_position(PANDA, pose, TIP, q0), {"pose": X, "q0": Q}, 1e-7
    ),
    "robot.distance": Case(lambda q: SHAPED.distance(q, WORLD).distance, {"q": Q}, 1e-9),
    "robot.distances": Case(lambda q: SHAPED.distances(q, WORLD).distance, {"q": Q}, 1e-9),
    "solve.pseudo_inverse": Case(lambda A: solve.pseudo_inverse(A), {"A": MATRICES}),
    "solve.quadratic_program": Case(
        lambda H, g: solve.quadratic_program(H, g, None, [-0.1] * 3, [0.1] * 3).x, {"H": HESSIANS, "g": V[:, :3]}, 1e-9
    ),
    "solve.spectral_inverse": Case(lambda A: solve.spectral_inverse(A), {"A": MATRICES}),
}  # fmt: skip
CASES = dict(algorithms()) | WRITTEN | FUNCTIONS

YES_OR_NO: dict[str, Case] = {
    "robot.is_clear": Case(lambda q: SHAPED.is_clear(q, WORLD), {"q": Q}),
    "robot.is_clear_between": Case(lambda q0, q1: SHAPED.is_clear_between(q0, q1, WORLD), {"q0": Q, "q1": Q + 0.05}),
    "robot.check_motion": Case(
        lambda t, q: np.broadcast_to(bool(PANDA.check_motion(t, q)), COUNT), {"t": np.array([0.0, 1.0, 2.0]), "q": Q}
    ),
}
"""Answers that are not numbers are those of NumPy."""

NO_ARRAYS = {
    "aba", "crba", "rnea",  # other names of algorithms
    "animate", "play", "view", "verify", "constraint_names", "evaluate", "kernel", "symbolic", "of", "random",
    "neutral", "with_closure", "with_collision_pairs", "with_frame", "with_gravity", "with_limits",
    "with_loop_tolerance", "with_parameters", "with_payload", "with_shapes", "with_tendons",
}  # fmt: skip
"""Methods of a robot that take no states, or show them."""

KINDS: dict[str, tuple[Callable[[Any], Any], Any]] = {
    "numpy": (np.asarray, np.ndarray | np.floating),
    "list": (lambda x: np.asarray(x).tolist(), np.ndarray | np.floating | float),
    "torch": (lambda x: torch.tensor(np.asarray(x), dtype=torch.float64), torch.Tensor),
    "jax": (lambda x: jax.numpy.asarray(x), jax.Array),
}


def floats(x: Any) -> Iterator[Any]:
    """The arrays of floats in an answer."""
    if isinstance(x, sv.arguments.result.Result) or is_dataclass(x):
        for f in fields(x):
            if f.name != "plan":
                yield from floats(getattr(x, f.name))
    elif isinstance(x, dict):
        for part in x.values():
            yield from floats(part)
    elif isinstance(x, tuple):
        for part in x:
            yield from floats(part)
    elif "float" in str(getattr(x, "dtype", "")):
        yield x


def answer(case: Case, arrays: dict[str, Any]) -> list[Any]:
    return list(floats(case.call(**arrays)))


def numbers(x: Any) -> Any:
    return np.asarray(x.detach() if isinstance(x, torch.Tensor) else x)


@pytest.fixture(autouse=True)
def _double() -> Any:
    with jax.enable_x64(True):
        yield


@pytest.mark.parametrize("name", CASES)
def test_every_library_and_every_form(name: str) -> None:
    case = CASES[name]
    singles = [answer(case, {k: x[i] for k, x in case.arrays.items()}) for i in range(COUNT)]
    expected = [np.stack([np.asarray(s[j]) for s in singles]) for j in range(len(singles[0]))]
    assert expected, "there is something to compare"
    for kind, (of, types) in KINDS.items():
        forms = {
            "single": {k: of(x[0]) for k, x in case.arrays.items()},
            "batch": {k: of(x) for k, x in case.arrays.items()},
            "empty": {k: of(x[:0]) for k, x in case.arrays.items()},
        }
        if kind != "numpy":
            for first in case.arrays:
                forms[f"mixed, {first}"] = {k: of(x) if k == first else x for k, x in case.arrays.items()}
        for form, arrays in forms.items():
            _check(case, kind, form, arrays, types, expected)


@pytest.mark.parametrize("name", YES_OR_NO)
def test_answers_that_are_not_numbers(name: str) -> None:
    case = YES_OR_NO[name]
    expected = case.call(**case.arrays)
    assert expected.shape == (COUNT,)
    for of, _ in KINDS.values():
        assert np.array_equal(case.call(**{k: of(x) for k, x in case.arrays.items()}), expected)


def _tried(case: Case, arrays: Any) -> tuple[list[Any], str]:
    try:
        return answer(case, arrays), ""
    except sv.SixvecError as problem:
        return [], str(problem)


def _check(case: Case, kind: str, form: str, arrays: Any, types: Any, expected: list[Any]) -> None:
    found, problem = _tried(case, arrays)
    if problem:  # a list without entries has lost the axes of its samples
        assert (kind, form) == ("list", "empty") or (case.alone and form != "single"), (kind, form, problem)
        assert any(k in problem for k in case.arrays), problem
        return
    assert len(found) == len(expected), (kind, form)
    for x, y in zip(found, expected, strict=True):
        assert isinstance(x, types), (kind, form, type(x))
        if form == "empty":
            assert kind == "list" or (0 in x.shape and x.shape[1:] == y.shape[1:]), (kind, form, x.shape, y.shape)
            continue
        wanted = y[0] if form == "single" else y
        assert numbers(x).shape == wanted.shape, (kind, form)
        scale = 1.0 + np.nanmax(np.abs(wanted), initial=0.0)
        assert np.allclose(numbers(x), wanted, atol=case.tolerance * scale, rtol=0.0, equal_nan=True), (kind, form)


OTHERS = {
    "platform": {"with_trailer", "checked_steer", "controllability", "free_motions"},
    "truck": {"with_trailer", "controllability", "jackknifed", "last_axle"},
    "delta": {
        "animate",
        "play",
        "view",
        "draw",
        "draw_modes",
        "dynamics",
        "robot",
        "kernel",
        "branch",
        "run_map",
        "stiffnesses",
        "twist_shift",
    },
}
"""Methods that take no arrays, show something, analyse one position, answer with choices, or serve others in NumPy."""


@pytest.mark.parametrize(("word", "owner"), [("platform", DRIVE), ("truck", TRUCK), ("delta", DELTA)])
def test_no_method_of_wheels_and_parallel_robots_is_missing(word: str, owner: Any) -> None:
    methods = {n for n in dir(type(owner)) if not n.startswith("_") and inspect.isfunction(getattr(type(owner), n))}
    covered = {name.removeprefix(f"{word}.").split()[0] for name in CASES if name.startswith(word)}
    assert methods - covered - OTHERS[word] == set()


def test_no_method_of_a_robot_is_missing() -> None:
    methods = {
        name for name in dir(type(PANDA))
        if not name.startswith("_") and callable(inspect.getattr_static(type(PANDA), name, None))
        and not isinstance(inspect.getattr_static(type(PANDA), name), property)
    }  # fmt: skip
    covered = {name.removeprefix("robot.") for name in CASES | YES_OR_NO} | NO_ARRAYS
    assert methods - covered == set()


OTHER_FUNCTIONS = {
    "analysis": {"chebyshev", "distance_accuracy", "kutzbach", "mobility", "pose_accuracy", "workspace"},
    "constraints": {
        "constrained_body", "constraint_of_joint", "constraint_of_twists", "constraint_of_wrenches", "contact_rows",
        "edge_edge", "edge_face", "face_face", "gauss_measure", "gauss_measure_of_body", "is_holonomic",
        "kinetostatic_filter", "least_constraint", "limited_accelerations", "numeric_holonomy", "push", "report",
        "stacked", "symbolic_holonomy", "vertex_face", "virtual_work", "wrench_matrix",
    },
    "ik": {
        "dual_wrench_basis", "forward_force", "hybrid_acceleration", "hybrid_force", "hybrid_position",
        "hybrid_velocity", "solve", "track",
    },
    "solve": {"rank", "spectrum"},
}  # fmt: skip
"""Of numbers and spatial vectors, of one state, with results in words or whole numbers, or in NumPy alone."""


@pytest.mark.parametrize("package", OTHER_FUNCTIONS)
def test_no_function_of_a_package_is_missing(package: str) -> None:
    module = getattr(sv, package)
    functions = {name for name in module.__all__ if inspect.isfunction(getattr(module, name))}
    assert (
        functions - {name.split(".")[1] for name in FUNCTIONS if name.startswith(package)} == OTHER_FUNCTIONS[package]
    )
