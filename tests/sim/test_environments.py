"""Batches of environments: laws of contacts, independence, resets, bad input."""

from __future__ import annotations

import math
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sixvec as sv
from package_files import published_mjcf
from sixvec import sim
from sixvec.constraints.contacts import Contact, floor
from sixvec.errors import ArgumentError, SixvecError
from sixvec.geometry.rigid_body.solids import Box, Sphere
from sixvec.model import Body, Model
from sixvec.model.body import Frame
from sixvec.model.joints import Free
from sixvec.sim.start_states import uniform_numbers
from sixvec.spatial import Pose, Vec3
from sixvec.verdict import Verdict

FILES = {path.stem: path for path in published_mjcf() if "gymnasium" in path.parts}
BLOCK = Box(Vec3(0.4, 0.3, 0.2))
G = 9.81


@pytest.fixture(scope="module")
def ant() -> sv.Robot:
    return loaded("ant")


@pytest.fixture(scope="module")
def hopper() -> sv.Robot:
    """Whose steps compile much faster."""
    return loaded("hopper")


def loaded(name: str) -> sv.Robot:
    if name not in FILES:
        pytest.skip("gymnasium is not installed")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return sv.load(Path(FILES[name]))


def block(mass: float = 2.0) -> sv.Robot:
    return sv.Robot(Model("block", (Body("b", None, Free(), inertia=BLOCK.inertia(mass)),), frames=(Frame("b", "b"),)))


def environments(robot: sv.Robot, count: int, **options: Any) -> sim.Batch:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return sim.Batch(robot, count, **({"dt": 0.01} | options), contacts="file", actuators="file")


def test_a_block_sticks_below_and_slides_above_the_angle_of_friction() -> None:
    angle, mass, h, steps = 0.4, 5.0, 1e-3, 300
    robot, incline = block(mass), Pose.rotation(Vec3(0.0, 1.0, 0.0), angle)
    q = robot.neutral()
    q[:3] = [*(incline.rot @ Vec3(0.0, 0.0, 0.1))]
    q[3:] = [0.0, np.sin(angle / 2), 0.0, np.cos(angle / 2)]
    contact = Contact("b", BLOCK, friction=float(np.tan(angle)), on_placement=incline)
    env = sim.Batch(
        robot, 2, dt=h, substeps=steps, contacts=[contact], start=(q, np.zeros(6)), friction=[0.9, 1.1], tolerance=1e-9,
        most_sweeps=300,
    )  # fmt: skip
    env.step(np.zeros(6))
    slid = np.linalg.norm(env.q[:, :3] - q[:3], axis=1)
    acceleration = G * (np.sin(angle) - 0.9 * np.tan(angle) * np.cos(angle))
    assert slid[0] == pytest.approx(acceleration * h * h * steps * (steps + 1) / 2, rel=1e-6)
    assert slid[1] < 1e-9
    assert np.allclose(env.force[:, ::3].sum(axis=1), mass * G * np.cos(angle), rtol=1e-6)
    assert (env.verdict == 0).all()


def test_two_stacked_blocks_stand_and_carry_their_weight() -> None:
    bodies = tuple(Body(f"b{i}", None, Free(), inertia=BLOCK.inertia(2.0)) for i in range(2))
    robot = sv.Robot(Model("stack", bodies, frames=tuple(Frame(b.name, b.name) for b in bodies)))
    q = robot.neutral()
    q[2], q[7:10] = 0.1, [0.05, 0.02, 0.3]
    contacts = [Contact("b0", BLOCK, friction=0.6), Contact("b1", BLOCK, BLOCK, "b0", friction=0.6)]
    env = sim.Batch(robot, 1, dt=2e-3, substeps=200, contacts=contacts, start=(q, np.zeros(12)), tolerance=1e-9,
                    most_sweeps=300)  # fmt: skip
    env.step(np.zeros(12))
    assert np.abs(env.q - q).max() < 1e-9
    assert env.force[0, :12:3].sum() == pytest.approx(4.0 * G, rel=1e-7)
    assert env.force[0, 12::3].sum() == pytest.approx(2.0 * G, rel=1e-7)


def test_a_falling_ball_lands_and_loses_its_energy() -> None:
    ball = Body("b", None, Free(), inertia=Sphere(0.1).inertia(2.0))
    robot = sv.Robot(Model("ball", (ball,), frames=(Frame("b", "b"),)))
    q = robot.neutral()
    q[2] = 0.5
    env = sim.Batch(robot, 1, dt=1e-3, contacts=floor(["b"], Sphere(0.1)), start=(q, np.zeros(6)))
    heights = []
    for _ in range(600):
        env.step(np.zeros(6))
        heights.append(env.q[0, 2])
    assert min(heights) > 0.1 - 1e-9 and heights[-1] == pytest.approx(0.1, abs=1e-9)
    assert np.abs(env.v).max() < 1e-9 and env.force[0, 0] == pytest.approx(2.0 * G)


@pytest.mark.parametrize("name", ["ant", "half_cheetah", "walker2d", "hopper"])
def test_steps_of_published_files_are_solved_within_limits(name: str) -> None:
    robot = loaded(name)
    env = environments(robot, 64, noise=0.1, dt=robot.model.simulation.timestep or 0.002)
    rng, residuals = np.random.default_rng(0), []
    low, high = env.action_limits
    for _ in range(150):
        env.step(rng.uniform(low, high, (64, env.action_size)))
        residuals.append(env.residual.copy())
    assert np.isfinite(env.q).all() and np.quantile(residuals, 0.99) < 1e-3 and np.quantile(residuals, 0.9995) < 1e-2
    assert (env.q >= robot.lower - 0.02).all() and (env.q <= robot.upper + 0.02).all()


def test_an_ant_at_rest_is_carried_by_the_floor(ant: sv.Robot) -> None:
    env = environments(ant, 1, tolerance=1e-6)
    for _ in range(500):
        env.step(np.zeros(8))
    mass = sum(b.inertia.mass for b in ant.model.bodies)
    points = (env.force.shape[1] - 8) // 3
    assert np.abs(env.v).max() < 1e-3
    assert env.force[0, : 3 * points : 3].sum() == pytest.approx(mass * G, rel=1e-3)


def test_bits_of_an_environment_do_not_depend_on_the_others(ant: sv.Robot) -> None:
    actions = np.random.default_rng(1).uniform(-1.0, 1.0, (40, 21, 8))
    few, many = (environments(ant, n, noise=0.1, substeps=2) for n in (3, 21))
    for a in actions:
        few.step(a[:3])
        many.step(a)
    for x, y in ((few.q, many.q), (few.v, many.v), (few.force, many.force), (few.residual, many.residual)):
        assert (x == y[:3]).all()


def test_substeps_are_steps_with_the_same_action(ant: sv.Robot) -> None:
    one, five = environments(ant, 2, noise=0.1), environments(ant, 2, noise=0.1, substeps=5)
    rng = np.random.default_rng(2)
    for _ in range(4):
        action = rng.uniform(-1.0, 1.0, (2, 8))
        for _ in range(5):
            one.step(action)
        five.step(action)
    assert (one.q == five.q).all() and (one.time == pytest.approx(five.time))


def test_arrays_stay_the_same_objects_and_what_is_written_counts(ant: sv.Robot) -> None:
    env = environments(ant, 2)
    q, v = env.q, env.v
    env.step(np.zeros(8))
    assert env.q is q and env.v is v
    q[1, 2] = 5.0
    env.step(np.zeros(8))
    assert env.q[1, 2] == pytest.approx(5.0, abs=0.2) and env.q[0, 2] < 1.0


def test_resets_reach_the_chosen_environments_only(ant: sv.Robot) -> None:
    env = environments(ant, 5, noise=0.1)
    start = env.q.copy()
    rng = np.random.default_rng(3)
    for _ in range(20):
        env.step(rng.uniform(-1.0, 1.0, (5, 8)))
    before, mask = env.q.copy(), np.array([False, True, False, False, True])
    env.reset(mask)
    assert (env.q[~mask] == before[~mask]).all() and (env.time[mask] == 0.0).all() and (env.time[~mask] > 0.1).all()
    assert np.abs(env.q[mask] - start[mask]).max() < 0.3 and not (env.q[mask] == start[mask]).all()  # other noise
    env.reset(seed=0)
    assert (env.q == start).all()


def test_noise_is_uniform_and_depends_on_its_keys_alone() -> None:
    keys = np.stack([np.arange(2000), np.full(2000, 7)], axis=1).astype(np.uint64)
    x = uniform_numbers(keys, 10)
    assert x.min() >= 0.0 and x.max() < 1.0 and abs(x.mean() - 0.5) < 0.01
    assert np.abs(np.corrcoef(x.T) - np.eye(10)).max() < 0.08
    assert (x[5:6] == uniform_numbers(keys[5:6], 10)).all() and (x[:, :3] == uniform_numbers(keys, 3)).all()


@pytest.mark.parametrize("bad", [math.nan, math.inf])
def test_an_action_that_is_no_number_gives_a_verdict_and_keeps_the_state(ant: sv.Robot, bad: float) -> None:
    env, same = environments(ant, 3, noise=0.1), environments(ant, 3, noise=0.1)
    action = np.zeros((3, 8))
    same.step(action)
    before = env.q[1].copy()
    action[1, 4] = bad
    env.step(action)
    assert env.verdict.tolist() == [Verdict.SOLVED, Verdict.INVALID, Verdict.SOLVED]
    assert (env.q[1] == before).all() and np.isinf(env.residual[1]) and (env.q[[0, 2]] == same.q[[0, 2]]).all()
    env.step(np.zeros(8))
    assert (env.verdict == 0).all() and np.isfinite(env.q).all()


@pytest.mark.parametrize("limits", [False, True])
def test_a_robot_that_touches_nothing_keeps_its_state_too(limits: bool) -> None:
    robot = sv.load("panda")
    env = sim.Batch(robot, 3, dt=0.01, limits=limits)
    before, action = env.state.copy(), np.zeros((3, 7))
    action[1, 4] = np.nan
    after = env.step(action)
    assert env.verdict.tolist() == [Verdict.SOLVED, Verdict.INVALID, Verdict.SOLVED]
    assert (after[1] == before[1]).all() and np.isfinite(after).all() and (after[0] != before[0]).any()


def test_environments_may_differ_in_masses_friction_gravity_gain_and_latency(hopper: sv.Robot) -> None:
    varied = hopper.with_parameters("inertia")
    values = varied.parameter_values * np.array([1.0, 1.0, 2.0])[:, None]
    rng = np.random.default_rng(4)
    actions = rng.uniform(-1.0, 1.0, (30, 3, 3))
    plain = environments(hopper, 3)
    others = [
        environments(varied.at(values), 3),
        environments(hopper, 3, friction=[1.0, 1.0, 0.1]),
        environments(hopper, 3, gravity=[[0.0, 0.0, -G], [0.0, 0.0, -G], [0.0, 0.0, -1.6]]),
        environments(hopper, 3, gain=[1.0, 1.0, 0.5]),
        environments(hopper, 3, latency=[0, 0, 2]),
    ]
    for a in actions:
        for env in (plain, *others):
            env.step(a)
    for env in others:
        assert np.abs(env.q[:2] - plain.q[:2]).max() < 1e-6
        assert np.abs(env.q[2] - plain.q[2]).max() > 1e-4


def test_latency_delays_actions_by_steps(ant: sv.Robot) -> None:
    actions = np.random.default_rng(5).uniform(-1.0, 1.0, (10, 1, 8))
    late, shifted = environments(ant, 1, latency=3), environments(ant, 1)
    for k, a in enumerate(actions):
        late.step(a)
        shifted.step(actions[k - 3] if k >= 3 else np.zeros((1, 8)))
    assert (late.q == shifted.q).all()
    verdicts = []
    for bad in (math.inf, 0.0, 0.0, 0.0, 0.0):
        late.step(np.full(8, bad))
        verdicts += late.verdict.tolist()
    assert verdicts == [0, 0, 0, Verdict.INVALID, 0]


def test_single_precision_agrees(hopper: sv.Robot) -> None:
    double, single = environments(hopper, 4, noise=0.1), environments(hopper, 4, noise=0.1, dtype="float32")
    assert single.q.dtype == np.float32
    for a in np.random.default_rng(6).uniform(-1.0, 1.0, (10, 4, 3)):
        double.step(a)
        single.step(a)
    assert np.abs(double.q - single.q).max() < 1e-3 and (single.verdict == 0).all()


@pytest.mark.parametrize("library", ["torch", "jax"])
def test_other_libraries_have_the_same_bits(hopper: sv.Robot, library: str) -> None:
    pytest.importorskip(library)
    env, other = (
        environments(hopper, 3, noise=0.1),
        environments(hopper, 3, noise=0.1, dtype="float32", library=library),
    )
    single = environments(hopper, 3, noise=0.1, dtype="float32")
    for a in np.random.default_rng(7).uniform(-1.0, 1.0, (10, 3, 3)).astype(np.float32):
        for each in (env, other, single):
            each.step(a)
    assert (np.asarray(other.q) == single.q).all() and type(other.q).__module__.split(".")[0] in ("torch", "jaxlib")
    other.reset(np.array([True, False, False]))
    assert np.asarray(other.verdict).tolist() == [0, 0, 0]


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ({"dt": 0.0}, "dt"),
        ({"dt": float("nan")}, "dt"),
        ({"count": 0}, "count"),
        ({"substeps": 0}, "substeps"),
        ({"contacts": "files"}, "files"),
        ({"actuators": "all"}, "all"),
        ({"dtype": "int"}, "int"),
        ({"library": "tensorflow"}, "tensorflow"),
        ({"device": "cuda"}, "cuda"),
        ({"friction": -1.0}, "friction"),
        ({"friction": [1.0, 2.0, 3.0]}, "friction"),
        ({"gravity": [0.0, 1.0]}, "gravity"),
        ({"latency": -1}, "latency"),
        ({"seed": 0.5}, "seed"),
        ({"start": 3}, "start"),
        ({"start": ([float("nan")] * 7, [0.0] * 6)}, "start"),
        ({"noise": float("nan")}, "noise"),
        ({"noise": -1.0}, "noise"),
        ({"passive": "no"}, "passive"),
    ],
)
def test_bad_options_are_named(options: dict[str, Any], named: str) -> None:
    arguments: dict[str, Any] = {"dt": 0.01, "count": 2} | options
    with pytest.raises(SixvecError, match=named):
        sim.Batch(block(), arguments.pop("count"), **arguments)


def test_bad_actions_and_masks_are_named() -> None:
    env = sim.Batch(block(), 2, dt=0.01)
    for action in (np.zeros((2, 5)), np.zeros((3, 6)), "push", np.zeros((2, 6), complex)):
        with pytest.raises(SixvecError, match="action"):
            env.step(action)
    with pytest.raises(SixvecError, match="mask"):
        env.reset([0, 1])


def test_robots_without_actuators_say_so() -> None:
    with pytest.raises(ArgumentError, match="actuators"):
        sim.Batch(block(), 2, dt=0.01, actuators="file")


def test_arrays_cannot_be_exchanged_and_actions_are_copied() -> None:
    """Machine code writes to the arrays: another one could be too small."""
    env, action = sim.Batch(block(), 2, dt=0.01), np.zeros((2, 6))
    for name in ("q", "v", "impulses"):
        with pytest.raises(AttributeError):
            setattr(env, name, np.zeros((1, 1)))
    env.step(action)
    action[:] = np.nan
    assert np.isfinite(env.action).all()


@pytest.mark.parametrize("library", ["numpy", "torch"])
@pytest.mark.parametrize(
    "action",
    [[["a", "b"]] * 2, np.ones((2, 6), complex), np.ones((2, 6), bool), None, np.ones((2, 6), object)],
    ids=["words", "complex", "booleans", "nothing", "objects"],
)
def test_actions_are_real_numbers(library: Any, action: Any) -> None:
    if library == "torch":
        pytest.importorskip("torch")
    env = sim.Batch(block(), 2, dt=0.01, library=library)
    with pytest.raises(SixvecError, match="action"):
        env.step(action)


def test_actions_of_torch_are_real_numbers() -> None:
    torch = pytest.importorskip("torch")
    env = sim.Batch(block(), 2, dt=0.01, library="torch")
    reference = env.step(np.ones((2, 6))).clone()
    env.reset()
    assert (env.step(np.ones((2, 6))[::-1, ::-1]) == reference).all()
    for wrong in (torch.ones(2, 6, dtype=torch.complex64), torch.ones(2, 6, device="meta")):
        with pytest.raises(SixvecError, match="action"):
            env.step(wrong)
    with pytest.raises(ArgumentError, match="device"):
        sim.Batch(block(), 2, dt=0.01, library="torch", device="cuda:99")


def test_an_array_that_was_reshaped_is_not_used() -> None:
    env = sim.Batch(block(), 2, dt=0.01)
    env.step(np.zeros(6))
    env.v.resize((4, 3), refcheck=False)
    with pytest.raises(ArgumentError, match="changed"):
        env.step(np.zeros(6))


def test_the_time_step_cannot_be_changed_and_batches_not_copied() -> None:
    import copy

    env = sim.Batch(block(), 2, dt=0.01)
    env.dt[...] = 1.0
    assert env.dt == 0.01
    with pytest.raises(AttributeError):
        env.dt = 1.0  # type: ignore[misc,assignment]
    with pytest.raises(TypeError, match="Batch"):
        copy.deepcopy(env)


def test_single_environments_follow_what_is_written(ant: sv.Robot) -> None:
    """One environment steps through prepared addresses: the bits are those of a batch, also after changes."""
    single, several = environments(ant, 1, substeps=3), environments(ant, 2, substeps=3)
    rng = np.random.default_rng(4)
    for k in range(6):
        if k == 3:
            for env in (single, several):
                env.q[:, 2] += 0.1
        if k == 4:
            single.reset()
            several.reset()
        action = rng.uniform(-1.0, 1.0, single.action_size)
        first = single.step(action)
        assert np.array_equal(first[0], several.step(action)[0])
        action[:] = np.nan  # the batch has its own copy
    assert single.time[0] == several.time[0]


def test_actions_that_ask_for_derivatives_are_errors() -> None:
    torch = pytest.importorskip("torch")
    env = sim.Batch(block(), 2, dt=0.01, library="torch")
    action = torch.zeros(2, env.action_size, dtype=torch.float64, requires_grad=True)
    with pytest.raises(ArgumentError, match="derivatives"):
        env.step(action)
    with torch.no_grad():
        assert env.step(action).shape == (2, 13)


def test_steps_inside_a_transformation_of_jax_are_errors() -> None:
    jax = pytest.importorskip("jax")
    env = sim.Batch(block(), 2, dt=0.01, library="jax", dtype="float32")
    before = np.asarray(env.q)
    with pytest.raises(ArgumentError, match=r"jax\.jit"):
        jax.jit(env.step)(np.zeros((2, env.action_size), np.float32))
    assert np.array_equal(np.asarray(env.q), before)


def test_a_robot_without_joints_stays() -> None:
    model = Model("stone", (Body("base"), Body("stone", "base")))
    env = sim.Batch(sv.Robot(model), 2, dt=0.01, contacts=[])
    assert env.step(np.zeros((2, 0))).shape == (2, 0) and env.verdict.tolist() == [0, 0]
    path = sv.Robot(model).rollout([], [], np.zeros((3, 0)), 0.01, limits=True)
    assert path.q.shape == (3, 0) and int(path.verdict) == 0


def test_resets_in_single_precision_of_jax() -> None:
    """Starts are computed in double precision; what JAX gets of them is single, without a warning."""
    jax = pytest.importorskip("jax")
    with jax.enable_x64(True):
        env = sim.Batch(block(), 2, dt=0.01, library="jax", dtype="float32", noise=0.1)
        state = env.reset(np.array([True, False]))
    assert str(state.dtype) == "float32"
