"""The energy of a step is what its impulses and gravity give; what flies keeps its momenta; rest is not disturbed."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from random_trees import random_tree
from sixvec import Robot
from sixvec.kernels import Port
from sixvec.kernels.function import CompiledFunction
from sixvec.model.canonical import canonical
from sixvec.sim.energy_bound import ADDED, bounded
from sixvec.sim.fixed_axes import fixed_rates, moved, times
from sixvec.sim.groups import groups
from tolerances import SOLVED, assert_close

STEP = 0.02


def step(robot: Robot, rolls: bool = False, touching: float | None = None) -> Any:
    """(q, v, change of velocity, impulse) -> (q_½, q₁, v₁ before, v₁ after): the positions move by v and v₁."""
    model = canonical(robot.model)
    parts = groups(model, (), rolls, turning=True)

    def function(q: Any, v: Any, change: Any, impulse: Any) -> Any:
        half = moved(model, q, times(STEP / 2, fixed_rates(model, q, v)))
        raw = [x + y for x, y in zip(v, change, strict=True)]
        q1 = moved(model, half, times(STEP / 2, fixed_rates(model, half, raw)))
        v1 = bounded(model, parts, STEP, (q, v), half, (q1, raw), impulse, touching)
        return half, q1, raw, v1

    n, m = robot.nv, robot.nq
    inputs = (Port("q", (m,)), *(Port(name, (n,)) for name in ("v", "change", "impulse")))
    outputs = (Port("half", (m,)), Port("q1", (m,)), Port("raw", (n,)), Port("v1", (n,)))
    return CompiledFunction(function, inputs, outputs, f"{robot.model.fingerprint} {rolls} {touching} bounded")


def samples(robot: Robot, speed: float, count: int = 20) -> tuple[Any, ...]:
    rng = np.random.default_rng(7)
    v = speed * rng.normal(size=(count, robot.nv))
    return robot.random(rng, count), v, 0.02 * speed * rng.normal(size=v.shape), 0.02 * rng.normal(size=v.shape)


@pytest.mark.parametrize("floating", [False, True])
def test_without_gravity_the_kinetic_energy_is_what_the_impulses_give(floating: bool) -> None:
    """On the ground: uniform scaling of all velocities, with the work of the impulses at the mean velocity."""
    robot = Robot(random_tree(5, bodies=8, floating=floating)).with_gravity([0.0, 0.0, 0.0])
    q, v, change, impulse = samples(robot, 1.0)
    _, q1, raw, v1 = step(robot, rolls=True)(q, v, change, np.zeros_like(impulse))
    assert_close(robot.kinetic_energy(q1, v1), robot.kinetic_energy(q, v), SOLVED)
    for g in groups(canonical(robot.model), (), rolls=True, turning=True):
        ratio = (v1 / raw)[:, list(g.freedoms)]
        assert_close(ratio, np.broadcast_to(ratio[:, :1], ratio.shape), SOLVED)
        assert np.abs(ratio - 1.0).max() > 1e-3
    if not floating:
        pushed = step(robot, rolls=True)(q, v, change, impulse)
        work = (impulse * (v + raw) / 2).sum(axis=-1)
        assert_close(robot.kinetic_energy(q1, pushed[-1]), robot.kinetic_energy(q, v) + work, SOLVED)


@pytest.mark.parametrize("gravity", [0.0, 9.81])
def test_what_flies_keeps_its_momenta_and_gains_what_the_joints_give(gravity: float) -> None:
    """Energies are those relative to the centre of mass: gravity does no work, whatever the speed of the fall."""
    robot = Robot(random_tree(6, bodies=8, floating=True)).with_gravity([0.0, 0.0, -gravity])
    q, v, change, impulse = samples(robot, 1.0)
    v, change, impulse = 0.4 * v, 0.04 * change, 0.04 * impulse  # more would slow the rotation too
    v[:, 3:6] += [0.0, 0.0, -30.0]
    impulse[:, :6] = 0.0
    _, q1, raw, v1 = step(robot)(q, v, change, impulse)

    def relative(q: Any, v: Any) -> Any:
        p = robot.momentum(q, v)[:, 3:]
        return robot.kinetic_energy(q, v) - 0.5 * (p * p).sum(axis=-1) / robot.mass

    assert_close(robot.momentum(q1, v1), robot.momentum(q1, raw), SOLVED)
    work = (impulse * (v + raw) / 2)[:, 6:].sum(axis=-1)
    assert np.abs(relative(q1, raw) - relative(q, v) - work).max() > 1e-3
    assert_close(relative(q1, v1), relative(q, v) + work, 1e3 * SOLVED)  # the fall has a thousand times the energy


def test_no_step_adds_energy_at_any_speed() -> None:
    """A radian in a step and more: the energy is that of the start, lower where more than twice v would be needed."""
    robot = Robot(random_tree(5, bodies=8))
    q, v, change, impulse = samples(robot, 80.0)
    _, q1, raw, v1 = step(robot)(q, v, 20.0 * change, np.zeros_like(impulse))
    before, after = (robot.kinetic_energy(*x) + robot.potential_energy(x[0]) for x in ((q, v), (q1, v1)))
    most = (1.0 + ADDED) * robot.kinetic_energy(q1, raw) + robot.potential_energy(q1)
    assert_close(after, np.minimum(before, most), SOLVED)


def test_close_to_rest_nothing_changes() -> None:
    """The energy of fictitious forces is of third order in the velocities: the factor tends to 1 as they do to 0."""
    robot = Robot(random_tree(5, bodies=8))
    q, v, change, _ = samples(robot, 1.0)

    def correction(scale: float) -> Any:
        v0, dv = scale * v, scale * change
        half = step(robot)(q, v0, dv, np.zeros_like(v))[0]
        impulse = STEP * robot.inverse_dynamics(half, v0, dv / STEP)
        _, _, raw, v1 = step(robot)(q, v0, dv, impulse)
        return np.abs(v1 / raw - 1.0).max(axis=-1)

    assert_close(correction(1e-3) / correction(1e-2), np.full(len(q), 0.1), 0.1)
    at_rest = np.zeros((1, robot.nv))
    weight = STEP * robot.gravity_forces(q[:1])
    assert np.array_equal(step(robot)(q[:1], at_rest, at_rest, weight)[-1], at_rest)
