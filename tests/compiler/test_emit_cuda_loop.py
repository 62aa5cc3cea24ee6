"""CUDA source of loops, run by a loop over threads on the CPU: the bits of the CPU's own loops."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import sixvec as sv
from cuda_shim import launchable
from sixvec.compiler.emit.cuda_loop import Repeated, emit_loop, loop_launch
from sixvec.compiler.emit.function import Function
from sixvec.compiler.iteration import Iterated
from sixvec.ik.levenberg_marquardt import loop as search_loop
from sixvec.sim.rollout_inputs import prepared
from sixvec.sim.time_step import loop_of, step_kernel
from sixvec.tasks import Frame as PoseTask

ARM = sv.load("planar_2r")


class Backwards(Iterated):
    backwards = True


class ByLanes(Iterated):
    by_lanes = True


class BackwardsByLanes(Iterated):
    backwards = by_lanes = True


def run(loop: Iterated, inputs: list[np.ndarray], count: int, held: tuple[bool, ...] = ()) -> list[np.ndarray]:
    """What the emitted kernel makes of rows, some inputs with one row for all."""
    dtype = str(inputs[0].dtype)
    kinds = loop.until, loop.backwards, loop.may_skip, loop.by_lanes
    repeated = Repeated(loop.step.program, loop.carried, loop.each, *kinds)
    plan = loop_launch(repeated, dtype)
    source = emit_loop(Function(loop.step.program, "looped"), repeated, dtype, plan)
    blocks = 1 if loop.until else plan.blocks(count)
    found = [rows_last(np.full((count, *p.shape), np.nan, dtype), loop.by_lanes and k >= loop.carried)
             for k, p in enumerate(loop.outputs)]  # fmt: skip
    arguments: list[Any] = [np.int64(count), np.int64(loop.steps), np.full(1, blocks * plan.threads, np.uint64)]
    for k, (x, port) in enumerate(zip(inputs, loop.inputs, strict=True)):
        shared, each = x.ndim == len(port.shape), k >= len(inputs) - loop.each
        if loop.by_lanes:
            x = rows_last(x) if each else x
            row, step = (
                (0 if shared else x.strides[0] // x.itemsize),
                (x.strides[-1] // x.itemsize if port.shape else 1),
            )
            arguments += [x.T if each else x, np.int64(row), np.int64(step)]
            arguments += [np.int64(x.strides[1] // x.itemsize)] if each else []
            continue
        arguments += [x, np.int32(shared)]
        if k >= len(inputs) - loop.each:
            arguments.append(np.int32(bool(held and held[k - len(inputs) + loop.each])))
    memory = [x if x.flags.c_contiguous else x.T for x in found]
    launchable({"looped": source})["looped"]((blocks,), (plan.threads,), (*arguments, *memory))
    return found


def rows_last(x: np.ndarray, is_last: bool = True) -> np.ndarray:
    """An array (rows, steps, n) that is (n, steps, rows) in memory."""
    return np.asfortranarray(x) if is_last else x


def rollout_loop(steps: int, **options: Any) -> Any:
    options = {"integrator": "semi_implicit_euler", "passive": False, "control": None} | options
    given = (ARM, np.zeros(2), np.zeros(2), np.zeros((steps, 2)), 0.01, None, options.pop("external", None))
    step, count, each, _ = prepared(
        *given, *options.values(), external_reference="local", prescribed=(), touching=False
    )  # fmt: skip
    return loop_of(step_kernel(ARM.model, step), count, each)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("integrator", ["bounded_leapfrog", "semi_implicit_euler", "rk4"])
def test_rollouts(dtype: str, integrator: str) -> None:
    steps, count = 11, 70  # parts of the steps in shared memory, and of a warp, at the end
    loop = rollout_loop(steps, integrator=integrator)
    rng = np.random.default_rng(0)
    q, v = (rng.normal(size=(count, 2)).astype(dtype) for _ in range(2))
    tau = rng.normal(size=(count, steps, 2)).astype(dtype)
    dt = np.array(0.01, dtype)
    expected = loop.call_numpy(q, v, dt, tau)
    for x, y in zip(run(loop, [q, v, dt, tau], count), expected, strict=True):
        assert np.array_equal(x, y)


def test_loops_backwards() -> None:
    steps, count = 11, 70
    loop = rollout_loop(steps)
    rng = np.random.default_rng(0)
    q, v, tau, dt = *rng.normal(size=(2, count, 2)), rng.normal(size=(count, steps, 2)), np.array(0.01)
    expected = loop.call_numpy(q, v, dt, np.ascontiguousarray(tau[:, ::-1]))
    backwards = Backwards(loop.step, steps, loop.carried, loop.each)
    state, path = expected[: loop.carried], expected[loop.carried :]
    found = run(backwards, [q, v, dt, tau], count)
    assert all(np.array_equal(x, y) for x, y in zip(found, [*state, *(x[:, ::-1] for x in path)], strict=True))


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_loops_by_lanes_have_the_same_bits(dtype: str) -> None:
    steps, count = 7, 70
    loop = rollout_loop(steps)
    rng = np.random.default_rng(3)
    q, v = rng.normal(size=(2, count, 2)).astype(dtype)
    tau, dt = rng.normal(size=(count, steps, 2)).astype(dtype), np.array(0.01, dtype)
    for kind, order in ((ByLanes, 1), (BackwardsByLanes, -1)):
        expected = loop.call_numpy(q, v, dt, np.ascontiguousarray(tau[:, ::order]))
        found = run(kind(loop.step, steps, loop.carried, loop.each), [q, v, dt, tau], count)
        path = [x[:, ::order] for x in expected[loop.carried :]]
        assert all(np.array_equal(x, y) for x, y in zip(found, [*expected[: loop.carried], *path], strict=True))
    each = ByLanes(loop.step, steps, 0, 4)  # steps that do not depend on each other
    inputs = [np.ascontiguousarray(np.broadcast_to(x[..., None, :], (count, steps, 2))) for x in (q, v)]
    inputs += [np.full((count, steps), 0.01, dtype), tau]
    for x, y in zip(run(each, inputs, count), loop.step.call_numpy(*inputs), strict=True):
        assert np.array_equal(x, y)


def test_what_stays_the_same_is_given_once() -> None:
    steps, count = 9, 5
    loop = rollout_loop(steps)
    rng = np.random.default_rng(1)
    q, tau = rng.normal(size=(count, 2)), rng.normal(size=(count, 2))
    v, dt = rng.normal(size=2), rng.uniform(0.01, 0.02, count)
    repeated = np.repeat(tau[:, None], steps, axis=1)
    expected = loop.call_numpy(q, v, dt, repeated)
    for given, held in ((repeated, False), (tau[:, None], True)):
        for x, y in zip(run(loop, [q, v, dt, given], count, (held,)), expected, strict=True):
            assert np.array_equal(x, y)
    one = loop.call_numpy(q, v, dt, repeated[0])
    for given, held in ((repeated[0], False), (tau[:1], True)):  # for all rows, then for all steps as well
        for x, y in zip(run(loop, [q, v, dt, given], count, (held,)), one, strict=True):
            assert np.array_equal(x, y)


def test_wrenches_that_change_and_wrenches_that_stay() -> None:
    steps, count, frame = 6, 33, ARM.frame_names[-1]
    rng = np.random.default_rng(2)
    q, v = rng.normal(size=(count, 2)), rng.normal(size=(count, 2))
    tau = rng.normal(size=(count, steps, 2))
    for wrench in (rng.normal(size=6), rng.normal(size=(count, steps, 6))):
        shape = wrench if wrench.ndim == 1 else wrench[0]
        loop = rollout_loop(steps, external={frame: shape})
        order = [q, v, np.array(0.01), wrench, tau] if wrench.ndim == 1 else [q, v, np.array(0.01), tau, wrench]
        for x, y in zip(run(loop, order, count), loop.call_numpy(*order), strict=True):
            assert np.array_equal(x, y)


def test_searches_end_one_by_one_and_threads_go_on_with_the_next() -> None:
    robot, count = sv.load("puma560"), 200  # more than one block has threads
    frame = robot.frame_names[-1]
    limits = (tuple(map(float, robot.lower)), tuple(map(float, robot.upper)))
    loop = search_loop(robot.model, (PoseTask(frame),), limits, 0.0, 40)
    poses = robot.pose(robot.random(0, count), frame)
    poses[7, 0, 3] += 10.0  # out of reach
    given = [np.zeros(6), np.array(np.inf), np.array(0.0), np.array(0.0), np.array([1e-6, 1e-6]), np.zeros(6), poses]
    expected = loop.call(*given)
    found = run(loop, given, count)
    for x, y in zip(found, expected, strict=True):
        assert np.array_equal(x, y)
    assert 0 < (found[3] == 1.0).sum() < count
