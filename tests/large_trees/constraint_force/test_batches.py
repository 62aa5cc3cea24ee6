"""Batches of states of one chain, in every array library and in the prepared solver."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from chains import random_chain, random_state

from naming import named
from sixvec.errors import ShapeError
from sixvec.large_trees.constraint_force import (
    ArrayChain,
    ChainSolver,
    constraint_force_solution,
    forward_dynamics,
    inverse_dynamics,
    poses,
)
from tolerances import SOLVED, assert_close

MODEL = random_chain(1, 5, ["revolute", "spherical"], rotors=1.0)
CHAIN = ArrayChain.from_model(MODEL)
STATES = [np.stack(x) for x in zip(*(random_state(MODEL, seed) for seed in range(6)), strict=True)]
WRENCHES = np.random.default_rng(0).normal(size=(6, len(CHAIN.names), 6))


def forces(*state: Any, **options: Any) -> Any:
    return forward_dynamics(CHAIN, *state, **options)


def back(*state: Any, **options: Any) -> Any:
    return inverse_dynamics(CHAIN, *state, **options)


@pytest.mark.covers("CFA-04")
@pytest.mark.parametrize("function", [forces, back, ChainSolver(CHAIN)], ids=["forward", "inverse", "solver"])
def test_a_batch_is_its_states(function: Any) -> None:
    found = function(*STATES)
    assert isinstance(found, np.ndarray) and found.shape == (6, CHAIN.nv)
    pushed = function(*STATES, external=WRENCHES)
    for i, state in enumerate(zip(*STATES, strict=True)):
        assert_close(found[i], function(*state), SOLVED, batched=False)
        assert_close(pushed[i], function(*state, external=WRENCHES[i]), SOLVED, batched=False)
    q, v, x = STATES
    grid = function(q.reshape(2, 3, -1), v[0], x.reshape(2, 3, -1))  # axes of any number, broadcast
    assert grid.shape == (2, 3, CHAIN.nv)
    assert_close(grid[1, 2], function(q[5], v[0], x[5]), SOLVED, batched=False)
    with np.errstate(all="ignore"):
        assert function(*(y[:0] for y in STATES)).shape == (0, CHAIN.nv)
    with pytest.raises(ShapeError, match=named("q", "v")):
        function(q[:2], v[:3], x[0])


@pytest.mark.covers("CFA-04")
def test_poses_and_wrenches_of_a_batch() -> None:
    assert poses(CHAIN, STATES[0]).shape == (6, CHAIN.length, 4, 4)
    found = constraint_force_solution(CHAIN, *STATES, refinements=1)
    assert found.joint_wrench.shape == (6, len(CHAIN.names), 6) == found.body_acceleration.shape
    alone = constraint_force_solution(CHAIN, *(x[4] for x in STATES), refinements=1)
    assert_close(found.joint_wrench[4], alone.joint_wrench, SOLVED, batched=False)
    assert_close(inverse_dynamics(CHAIN, *STATES[:2], found.a), STATES[2], 1e-7)


@pytest.mark.covers("CFA-04")
@pytest.mark.slow
def test_a_batch_on_jax() -> None:
    jax = pytest.importorskip("jax")
    jax.config.update("jax_enable_x64", True)
    there = CHAIN.on(jax.numpy.asarray)
    found = forward_dynamics(there, *map(jax.numpy.asarray, STATES))
    assert isinstance(found, jax.Array)
    assert_close(np.asarray(found), forces(*STATES), SOLVED)
