"""The same source on arrays of other libraries."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from chains import random_chain, random_state

from random_trees import random_tree
from sixvec.large_trees.constraint_force import ArrayChain, forward_dynamics
from tolerances import SINGLE, SOLVED, assert_close

MODELS = {
    "chain": lambda: random_chain(1, 3, ["revolute", "universal", "spherical"], rotors=0.5),
    "tree": lambda: random_tree(0, bodies=3),
}
"""Small: compilers of other libraries take their time over every level."""


QUICKLY = {"xla_backend_optimization_level": 0, "xla_llvm_disable_expensive_passes": True}


@pytest.fixture
def jax() -> Any:
    jax = pytest.importorskip("jax")
    with jax.enable_x64(True):
        yield jax


@pytest.mark.covers("CFA-03", "CFA-04")
@pytest.mark.parametrize("kind", ["tree", pytest.param("chain", marks=pytest.mark.slow)])
def test_jax_arrays_compiled(jax: Any, kind: str) -> None:
    model = MODELS[kind]()
    chain, state = ArrayChain.from_model(model), random_state(model, 1)
    traced = jax.jit(lambda arrays, *x: forward_dynamics(chain.with_arrays(arrays), *x))
    compiled = traced.lower(chain.arrays(), *state).compile(QUICKLY)
    found = compiled(chain.arrays(), *state)
    assert isinstance(found, jax.Array)
    assert_close(found, forward_dynamics(chain, *state), SOLVED, batched=False)


@pytest.mark.covers("CFA-03")
@pytest.mark.slow
def test_batches_are_mapped(jax: Any) -> None:
    model = random_chain(1, 2, ["revolute", "spherical"], rotors=1.0)
    chain, states = ArrayChain.from_model(model), [random_state(model, seed) for seed in range(3)]
    there = chain.on(jax.numpy.asarray)
    found = jax.vmap(lambda *state: forward_dynamics(there, *state))(*map(np.stack, zip(*states, strict=True)))
    for row, state in zip(found, states, strict=True):
        assert_close(row, forward_dynamics(chain, *state), SOLVED, batched=False)


@pytest.mark.covers("CFA-03")
def test_the_chain_decides_the_precision() -> None:
    model = random_chain(4, 3, ["revolute"])
    state = (x.astype(np.float32) for x in random_state(model, 1))
    assert forward_dynamics(ArrayChain.from_model(model), *state).dtype == np.float64


@pytest.mark.covers("CFA-03", "CFA-04")
@pytest.mark.parametrize("kind", MODELS)
def test_torch_tensors(kind: str) -> None:
    torch = pytest.importorskip("torch")
    model = MODELS[kind]()
    chain, state = ArrayChain.from_model(model), random_state(model, 1)
    found = forward_dynamics(chain.on(torch.asarray), *map(torch.asarray, state))
    assert isinstance(found, torch.Tensor)
    assert_close(found.numpy(), forward_dynamics(chain, *state), SOLVED, batched=False)


@pytest.mark.covers("CFA-03")
# Small products in float32 may raise the flag for numbers beyond the end of a row, which no result uses.
@pytest.mark.filterwarnings("ignore:invalid value encountered in matmul:RuntimeWarning")
def test_single_precision_stays_single() -> None:
    model = random_chain(4, 8, ["revolute", "prismatic"])
    chain, state = ArrayChain.from_model(model), random_state(model, 1)
    small = chain.on(lambda x: x.astype(np.float32) if x.dtype == np.float64 else x)
    found = forward_dynamics(small, *(x.astype(np.float32) for x in state))
    assert found.dtype == np.float32
    assert_close(found, forward_dynamics(chain, *state), SINGLE, batched=False)
