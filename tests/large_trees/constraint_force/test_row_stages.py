"""The fused stages against the array program, sequential recursions, and each other on both executors."""

from __future__ import annotations

import importlib.util
import sys

import numpy as np
import pytest
from chains import random_chain, random_state, sequential
from recording_cupy import recording_cupy

from cuda_shim import launchable
from naming import named
from random_trees import JOINTS, random_tree
from sixvec.errors import ArgumentError, MissingExtra, ModelError, ShapeError
from sixvec.large_trees import LargeTree, constraint_force, forward_dynamics
from sixvec.large_trees.constraint_force import ArrayChain
from sixvec.large_trees.constraint_force.chain_solver import ChainSolver
from sixvec.large_trees.constraint_force.cyclic_reduction import reduction_levels
from sixvec.large_trees.constraint_force.row_executors import CudaRows
from sixvec.large_trees.constraint_force.row_schedule import schedule
from tolerances import SOLVED, assert_close

SIZES = [1, 2, 3, 5, 8, 17, 100, 1000]
SINGLE_FREEDOM = ["revolute", "prismatic", "helical"]


def as_cuda(chain: ArrayChain) -> CudaRows:
    """The device's tables and kernels, with threads that run one after the other on the CPU."""
    made = schedule(chain)
    return CudaRows(made, np, launchable({name: stage.cuda() for name, stage in made.layout.stages.items()}))


@pytest.mark.every(2)
@pytest.mark.covers("CFA-03", "CFA-04")
@pytest.mark.parametrize("count", SIZES)
def test_single_freedom_chains(count: int) -> None:
    model = random_chain(1, count, SINGLE_FREEDOM)
    chain, state = ArrayChain.from_model(model), random_state(model, 1)
    found = ChainSolver(chain)(*state)
    assert_close(found, constraint_force.forward_dynamics(chain, *state), SOLVED, batched=False)
    assert_close(found, forward_dynamics(LargeTree.from_model(model), *state), SOLVED, batched=False)


@pytest.mark.every(2)
@pytest.mark.covers("CFA-03", "CFA-05")
@pytest.mark.parametrize("rotors", [0.0, 0.5])
@pytest.mark.parametrize("count", [1, 9, 20])
def test_chains_with_all_joint_types(count: int, rotors: float) -> None:
    model = random_chain(2, count, rotors=rotors)
    state = random_state(model, 3)
    assert_close(ChainSolver(ArrayChain.from_model(model))(*state), sequential(model, *state), SOLVED, batched=False)


@pytest.mark.covers("CFA-05")
def test_a_floating_base() -> None:
    model = random_chain(5, 6, ["free", *["revolute", "universal"] * 3])
    state = random_state(model, 2)
    assert_close(ChainSolver(ArrayChain.from_model(model))(*state), sequential(model, *state), SOLVED, batched=False)


@pytest.mark.every(2)
@pytest.mark.parametrize("count", SIZES)
def test_cuda_kernels_compute_the_bits_of_the_cpu(count: int) -> None:
    model = random_chain(1, count, SINGLE_FREEDOM)
    chain, (q, v, tau) = ArrayChain.from_model(model), random_state(model, 1)
    assert np.array_equal(as_cuda(chain)(q=q, v=v, tau=tau), ChainSolver(chain)(q, v, tau))


@pytest.mark.parametrize("pushed", [False, True])
@pytest.mark.slow
def test_cuda_kernels_of_all_joint_types(monkeypatch: pytest.MonkeyPatch, pushed: bool) -> None:
    monkeypatch.setitem(sys.modules, "cupy", recording_cupy())
    model = random_chain(7, 2 * len(JOINTS), rotors=0.5)
    chain, state = ArrayChain.from_model(model), random_state(model, 1)
    external = np.ones((chain.length, 6)) if pushed else None
    on_device, on_cpu = (ChainSolver(chain, device)(*state, external=external) for device in ("cuda", "cpu"))
    assert np.array_equal(on_device, on_cpu)


def test_external_wrenches() -> None:
    model = random_chain(2, 20, rotors=0.5)
    chain, state = ArrayChain.from_model(model), random_state(model, 3)
    wrenches = np.random.default_rng(1).normal(size=(20, 6))
    found = ChainSolver(chain)(*state, external=wrenches.tolist())
    assert_close(found, constraint_force.forward_dynamics(chain, *state, external=wrenches), SOLVED, batched=False)
    with pytest.raises(ShapeError, match="external"):
        ChainSolver(chain)(*state, external=np.zeros(6))


def test_a_solver_forgets_the_call_before() -> None:
    model = random_chain(3, 7, SINGLE_FREEDOM)
    chain = ArrayChain.from_model(model)
    solver, first, second = ChainSolver(chain), random_state(model, 1), random_state(model, 2)
    found = solver(*first)
    kept = found.copy()
    assert not np.allclose(solver(*second), kept)
    assert np.array_equal(solver(*first), kept)
    assert np.array_equal(found, kept)


@pytest.mark.covers("CFA-04")
def test_steps_grow_with_the_logarithm() -> None:
    link = random_chain(1, 1, ["revolute"]).bodies
    for k in (3, 6, 9, 12):
        counts = [step.stage for step in schedule(ArrayChain.chain(2**k, link)).steps]
        assert counts.count("elimination") == reduction_levels(2**k) == k + 1
        assert counts.count("back_substitution") == k
        assert counts.count("spread") == -(-k // 2)
        assert len(counts) <= 3 * k + 7


def test_bad_requests_are_explained() -> None:
    tree = ArrayChain.from_model(random_tree(1, bodies=16))
    with pytest.raises(ModelError, match="free7"):
        ChainSolver(tree)
    chain = ArrayChain.from_model(random_chain(1, 3, ["revolute"]))
    with pytest.raises(ArgumentError, match=named("device", "tpu")):
        ChainSolver(chain, device="tpu")  # type: ignore[arg-type]
    with pytest.raises(ShapeError, match=named("v")):
        ChainSolver(chain)(np.zeros(3), np.zeros(2), np.zeros(3))


@pytest.mark.skipif(importlib.util.find_spec("cupy") is not None, reason="CuPy is installed")
def test_the_device_needs_cupy() -> None:
    with pytest.raises(MissingExtra, match=named("device", "cuda", "CuPy")):
        ChainSolver(ArrayChain.from_model(random_chain(1, 3, ["revolute"])), device="cuda")


def test_the_device_needs_a_device(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "cupy", recording_cupy(devices=0))
    with pytest.raises(MissingExtra, match="CuPy"):
        ChainSolver(ArrayChain.from_model(random_chain(1, 3, ["revolute"])), device="cuda")


@pytest.mark.parametrize("refuses", [False, True])
def test_recorded_launches_follow_new_arguments(monkeypatch: pytest.MonkeyPatch, refuses: bool) -> None:
    """Everything is recorded once; later calls only put q, v and tau in place and replay."""
    cupy = recording_cupy(refuses=refuses)
    monkeypatch.setitem(sys.modules, "cupy", cupy)
    model = random_chain(1, 17, SINGLE_FREEDOM)
    chain = ArrayChain.from_model(model)
    on_device, on_cpu = ChainSolver(chain, device="cuda"), ChainSolver(chain)
    for seed in (1, 2):
        state = random_state(model, seed)
        assert np.array_equal(on_device(*state), on_cpu(*state))
    assert on_device.mode == ("launches" if refuses else "CUDA graph")
    assert [(len(g.launches), g.replays) for g in cupy.graphs] == ([] if refuses else [(on_device.steps, 2)])
