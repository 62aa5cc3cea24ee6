"""CUDA source of loops of stages, run by a loop over threads on the CPU: the bits of the CPU's own loops."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import sixvec as sv
from cuda_shim import launchable
from sixvec import sim, tasks
from sixvec.compiler.emit import cuda_staged
from sixvec.compiler.emit.cuda_parts import Fork, parts
from sixvec.compiler.emit.cuda_staged import THREADS, emit_staged_loop
from sixvec.compiler.iteration import Iterated
from sixvec.compiler.lower import lowered
from sixvec.constraints.contacts import floor
from sixvec.geometry.rigid_body import Sphere
from sixvec.solve.active_set_loop import active_set_loop


def run(loop: Iterated, inputs: list[Any], count: int, held: tuple[bool, ...] = ()) -> list[Any]:
    """What the emitted kernel makes of rows, some inputs with one row for all, or one entry for all steps."""
    source, symbol = emit_staged_loop(loop, "float64")
    found = [np.full((count, *p.shape), np.nan) for p in loop.outputs]
    arguments: list[Any] = [np.int64(count), np.int64(loop.steps), np.zeros(1, np.uint64)]
    for k, (x, port) in enumerate(zip(inputs, loop.inputs, strict=True)):
        arguments += [np.ascontiguousarray(x), np.int32(x.ndim == len(port.shape))]
        if k >= len(inputs) - loop.each:
            arguments.append(np.int32(bool(held and held[k - len(inputs) + loop.each])))
    blocks = -(-count // THREADS)
    launchable({symbol: source})[symbol]((blocks,), (THREADS,), (*arguments, *found))
    return found


@pytest.mark.parametrize("general", [0, 2])
def test_quadratic_programs(general: int) -> None:
    rng, n, count = np.random.default_rng(0), 3, 70
    G = rng.normal(size=(count, n, n))
    H, g = G @ G.swapaxes(1, 2) + 1e-2 * np.eye(n), rng.normal(size=(count, n))
    A = [rng.normal(size=(count, general, n))] if general else []
    upper = rng.uniform(0.05, 0.5, (count, n + general))
    H[3, 0, 0] = np.nan
    inputs = [H, g, *A, -upper, upper]
    loop = active_set_loop(n, n, general, False)
    for x, y in zip(run(loop, inputs, count), loop.call(*inputs), strict=True):
        assert np.array_equal(x, y, equal_nan=True)


def test_steps_of_tasks() -> None:
    arm, rng = sv.load("planar_2r"), np.random.default_rng(1)
    q, steps = rng.normal(size=(5, 2)), 4
    goals = arm.pose(rng.normal(size=(5, 2)), "tip")
    stack = tasks.Stack(arm, tasks.Frame("tip", directions="xz", gain=0.5), tasks.Posture([0.1, 0.2], weight=0.1))
    loop = stack._program.loop(steps)
    inputs = [q, np.zeros(2), np.array(0.01), np.repeat(goals[:, None], steps, axis=1)]
    expected = loop.call(*inputs)
    for given, held in ((inputs, False), ([*inputs[:3], goals[:, None]], True)):
        for x, y in zip(run(loop, given, 5, (held,)), expected, strict=True):
            assert np.array_equal(x, y)


def contact_steps() -> Iterated:
    """Steps of an arm with two balls above and in a floor."""
    contacts = floor(["link2", "tip"], Sphere(0.2), 0.5)
    env = sim.Batch(sv.load("double_pendulum"), 1, dt=0.01, contacts=contacts)
    return Iterated(env._step.staged(path=False), 4, len(env._step.state), name="simulation")


@pytest.mark.parametrize("largest", [30, 300])
def test_steps_in_parts(largest: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """A small tolerance takes Newton's method, whose block is longer than a part."""
    monkeypatch.setattr(cuda_staged, "LARGEST", largest)
    monkeypatch.setattr(cuda_staged, "parts", lambda program: parts(program, largest))
    loop, count, rng = contact_steps(), 70, np.random.default_rng(0)
    sizes = [p.shape for p in loop.inputs]
    rest = [np.zeros((count, *s)) for s in sizes[2 : loop.carried]]
    inputs = [rng.normal(size=(count, 2)), 3.0 * rng.normal(size=(count, 2)), *rest]
    inputs += [np.array(0.01), np.array(1e-12), rng.normal(size=(count, *sizes[-1]))]
    for x, y in zip(run(loop, inputs, count), loop.call(*inputs), strict=True):
        assert np.isfinite(y).all()
        assert np.array_equal(x, y)


def test_a_long_region_becomes_a_branch_around_parts() -> None:
    newton = contact_steps().step.stages[2].function  # type: ignore[attr-defined]
    program = lowered(newton.step.program, "float64")
    cut, whole = parts(program, 60), parts(program, 10**6)
    assert any(isinstance(piece, Fork) for piece in cut.pieces)
    assert cut.size > 0
    assert len(whole.pieces) == 1
    assert whole.size == 0
