"""Rollouts with joints driven by acceleration: they move as told, the others by hybrid dynamics."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from euler_step import euler_step

import sixvec
from naming import named
from random_trees import random_tree
from sixvec import Robot
from sixvec.algorithms.hybrid_dynamics import coordinates
from sixvec.errors import ArgumentError, ShapeError
from sixvec.model.edits import lock
from sixvec.sim import INTEGRATORS, rollout
from sixvec.sim.integrators import UNDRIVEN
from tolerances import IDENTITY, INTEGRATED, SOLVED, assert_close

STEPS, H = 30, 0.01
DRIVEN = sorted(set(INTEGRATORS) - UNDRIVEN)
JOINTS = ("panda_joint2", "panda_joint4", 6)
KNOWN = [1, 3, 6]

Field = Callable[[np.ndarray, np.ndarray], np.ndarray]


@pytest.fixture(scope="module")
def panda() -> Robot:
    return sixvec.load("panda")


def _state(robot: Robot, seed: int = 0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    return robot.random(rng), rng.normal(size=robot.nv), rng.normal(size=(STEPS, robot.nv))


def _step(integrator: str, q: np.ndarray, v: np.ndarray, h: float, a: Field) -> tuple[np.ndarray, np.ndarray]:
    """One step on plain coordinates, as the textbooks write it."""
    if integrator == "bounded_leapfrog":  # groups with driven joints have no bound
        v1 = v + h * a(q + h / 2 * v, v)
        return q + h / 2 * v + h / 2 * v1, v1
    k1 = a(q, v)
    if integrator == "euler":
        return q + h * v, v + h * k1
    if integrator == "semi_implicit_euler":
        return q + h * (v + h * k1), v + h * k1
    k2 = a(q + h / 2 * v, v + h / 2 * k1)
    v2 = v + h / 2 * k1
    if integrator == "midpoint":
        return q + h * v2, v + h * k2
    v3 = v + h / 2 * k2
    k3 = a(q + h / 2 * v2, v3)
    v4 = v + h * k3
    k4 = a(q + h * v3, v4)
    return q + h / 6 * (v + 2 * v2 + 2 * v3 + v4), v + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)


@pytest.mark.parametrize("integrator", DRIVEN)
def test_steps_are_those_of_hybrid_dynamics(panda: Robot, integrator: str) -> None:
    q, v, inputs = _state(panda)
    frame, wrench = panda.frame_names[-1], np.arange(6.0)
    acting: dict[str, Any] = {"external": {frame: wrench}, "external_reference": "world", "passive": True}
    path = rollout(panda, q, v, inputs, H, integrator=integrator, prescribed=JOINTS, **acting)
    for t in range(STEPS):

        def a(q: np.ndarray, v: np.ndarray, u: np.ndarray = inputs[t]) -> np.ndarray:
            return panda.hybrid_dynamics(q, v, u, u, prescribed=JOINTS, **acting).a

        q, v = _step(integrator, q, v, H, a)
        assert_close(path.q[t], q, SOLVED, batched=False)
        assert_close(path.v[t], v, SOLVED, batched=False)


@pytest.mark.parametrize("new_moves", [False, True])
def test_steps_of_a_floating_tree(new_moves: bool) -> None:
    """Parts of a free and a ball joint are driven."""
    robot = Robot(random_tree(12, bodies=9, floating=True))
    rng = np.random.default_rng(1)
    q, v, inputs = robot.random(rng, 5), rng.normal(size=(5, robot.nv)), rng.normal(size=(5, 3, robot.nv))
    known = tuple(range(1, robot.nv, 2))
    integrator = "semi_implicit_euler" if new_moves else "euler"
    path = rollout(robot, q, v, inputs, H, integrator=integrator, prescribed=known)
    for t in range(3):
        a = robot.hybrid_dynamics(q, v, inputs[:, t], inputs[:, t], prescribed=known).a
        q, v = euler_step(robot, q, v, a, H, new_moves=new_moves)
        assert_close(path.q[:, t], q, IDENTITY)
        assert_close(path.v[:, t], v, SOLVED)


@pytest.mark.parametrize("integrator", ["midpoint", "rk4"])
def test_a_constant_acceleration_gives_a_parabola(panda: Robot, integrator: str) -> None:
    q, v, _ = _state(panda)
    push = np.linspace(-1.0, 1.0, 7)
    path = rollout(panda, q, v, np.tile(push, (STEPS, 1)), H, integrator=integrator, prescribed=JOINTS)
    t = H * np.arange(1, STEPS + 1)[:, None]
    assert np.abs(path.q - (q + v * t + push * t**2 / 2))[:, KNOWN].max() < 1e-14
    assert np.abs(path.v - (v + push * t))[:, KNOWN].max() < 1e-14


@pytest.mark.parametrize("integrator", ["semi_implicit_euler", "rk4"])
def test_a_driven_crank_follows_its_accelerations_with_a_closed_loop(integrator: str) -> None:
    bars = sixvec.load("four_bar")
    q = np.asarray(bars.assemble([0.7, 0.0, 1.0], fixed=["drive"]).q)
    rate = np.linalg.svd(bars.closure_jacobian(q))[2][-1]
    v = 5.0 * rate / rate[0]
    push, steps = 8.0, 60
    path = rollout(bars, q, v, np.tile([push, 0.0, 0.0], (steps, 1)), H, integrator=integrator, prescribed=["drive"])
    n = np.arange(1, steps + 1)
    told = q[0] + v[0] * H * n + push * H**2 * (n * (n + 1) if integrator != "rk4" else n**2) / 2
    assert np.abs(path.q[:, 0] - told).max() < 1e-12 and np.abs(path.v[:, 0] - v[0] - push * H * n).max() < 1e-11
    assert np.abs(bars.closure_error(path.q)).max() < 1e-11
    rates = (bars.closure_jacobian(path.q) @ path.v[..., None])[..., 0]
    assert np.abs(rates).max() < 1e-10


def test_none_prescribed_changes_no_bit(panda: Robot) -> None:
    run = (*_state(panda), H)
    plain = rollout(panda, *run)
    for none in ((), [], np.array([], int)):
        path = rollout(panda, *run, prescribed=none)
        assert np.array_equal(path.q, plain.q) and np.array_equal(path.v, plain.v)


def test_all_prescribed_leaves_nothing_to_forces(panda: Robot) -> None:
    q, v, inputs = _state(panda)
    path = rollout(panda, q, v, inputs, H, prescribed=tuple(range(7)))
    assert np.abs(path.v - (v + H * np.cumsum(inputs, axis=0))).max() < 1e-13


def test_names_and_coordinates_mean_the_same(panda: Robot) -> None:
    run = (*_state(panda), H)
    by_name = panda.rollout(*run, prescribed=JOINTS)
    for same in (KNOWN, np.array(KNOWN), coordinates(panda.model, JOINTS), KNOWN[::-1]):
        assert np.array_equal(panda.rollout(*run, prescribed=same).q, by_name.q)


def test_a_law_gives_accelerations(panda: Robot) -> None:
    """Springs between driven joints and their goals: the same as the accelerations that they ask for, as inputs."""
    q, v, inputs = _state(panda)

    def law(q: Any, v: Any, u: Any) -> Any:
        return [25.0 * (g - x) - 10.0 * y if i in KNOWN else g for i, (g, x, y) in enumerate(zip(u, q, v, strict=True))]

    path = rollout(panda, q, v, inputs, H, control=law, prescribed=JOINTS)
    before = zip([q, *path.q], [v, *path.v], inputs, strict=False)
    asked = np.array([law(*now) for now in before])
    same = rollout(panda, q, v, asked, H, prescribed=JOINTS)
    assert_close(same.q, path.q, SOLVED, batched=False)
    with pytest.raises(ShapeError, match=named("rollout", "control", "prescribed")):
        rollout(panda, q, v, inputs, H, control=lambda q, v, u: u[:3], prescribed=JOINTS)


def test_a_held_base_is_a_fixed_base() -> None:
    """Held where it starts, Solo's base stays, and its legs swing as on the robot without the free joint."""
    solo = sixvec.load("solo12")
    q, v, inputs = _state(solo)
    v[:6] = inputs[:, :6] = 0.0
    path = rollout(solo, q, v, inputs, 1e-3, integrator="rk4", prescribed=tuple(range(6)))
    assert np.abs(path.q[:, :7] - q[:7]).max() < 1e-15 and np.abs(path.v[:, :6]).max() < 1e-15
    fixed = Robot(lock(solo.model, {solo.joint_names[0]: q[:7].tolist()}))
    alone = rollout(fixed, q[7:], v[6:], inputs[:, 6:], 1e-3, integrator="rk4")
    assert_close(path.q[:, 7:], alone.q, SOLVED)
    assert_close(path.v[:, 6:], alone.v, SOLVED)


def test_driven_arms_make_no_momentum_and_their_work_is_the_energy() -> None:
    """In weightlessness; accelerations are constant, so that forces are smooth."""
    free = Robot(random_tree(11, bodies=5, floating=True)).with_gravity([0.0, 0.0, 0.0])
    rng = np.random.default_rng(0)
    q, v, push = free.random(rng), 0.3 * rng.normal(size=free.nv), rng.normal(size=free.nv)
    known = tuple(range(6, free.nv))
    push[:6] = 0.0
    count, h = 400, 5e-4
    path = rollout(free, q, v, np.tile(push, (count, 1)), h, integrator="rk4", prescribed=known)
    assert_close(free.momentum(path.q[-1], path.v[-1]), free.momentum(q, v), INTEGRATED, batched=False)
    qs, vs = np.vstack([q, path.q]), np.vstack([v, path.v])
    power = (free.hybrid_dynamics(qs, vs, push, np.zeros(free.nv), prescribed=known).tau * vs)[:, 6:].sum(axis=1)
    work = h / 3 * (power[0] + 4 * power[1:-1:2].sum() + 2 * power[2:-1:2].sum() + power[-1])  # Simpson
    gained = free.kinetic_energy(qs[-1], vs[-1]) - free.kinetic_energy(q, v)
    assert gained == pytest.approx(work, rel=1e-8) and abs(gained) > 0.01


def test_errors_teach(panda: Robot) -> None:
    run = (*_state(panda), H)
    with pytest.raises(ArgumentError, match=named("rollout", "symplectic_euler", "prescribed")):
        rollout(panda, *run, integrator="symplectic_euler", prescribed=JOINTS)
    with pytest.raises(ArgumentError, match=named("rollout", "panda_joint9", "panda_joint1")):
        rollout(panda, *run, prescribed=("panda_joint9",))
    with pytest.raises(ArgumentError, match=named("rollout", "prescribed", "panda_joint2")):
        rollout(panda, *run, prescribed="panda_joint2")
    with pytest.raises(ArgumentError, match=named("rollout", "panda")):
        rollout(panda, *run, prescribed=(7,))
    with pytest.raises(ArgumentError, match=named("rollout", "prescribed")):
        rollout(panda, *run, prescribed=3)  # type: ignore[arg-type]
