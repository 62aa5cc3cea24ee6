"""Stacks of tasks on arrays of JAX: the steps of NumPy, also inside its transformations."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import sixvec as sv
from sixvec import tasks
from sixvec.tasks import levels
from sixvec.tasks.levels import StepLoop

jax = pytest.importorskip("jax")

HAND = "panda_link8"
ARM = sv.load("panda")
Q = np.array([0.0, -0.4, 0.0, -2.0, 0.0, 1.6, 0.8]) + 0.01 * np.arange(3)[:, None]
GOAL = ARM.pose(Q[0] + 0.02, HAND)
STACK = tasks.Stack(ARM, tasks.Frame(HAND), tasks.Posture(Q[0], weight=1e-3))


def velocity(q: Any) -> Any:
    return STACK(q, {HAND: GOAL}, 0.01).v


@pytest.mark.parametrize("transformed", [lambda f: f, jax.jit, jax.vmap], ids=["called", "jit", "vmap"])
def test_steps_are_those_of_numpy(transformed: Any) -> None:
    with jax.enable_x64(True):
        for q in (Q, Q[:1], Q[:0]) if transformed is not jax.vmap else (Q,):
            found = transformed(velocity)(jax.numpy.asarray(q))
            assert isinstance(found, jax.Array) and np.array_equal(found, velocity(q))


def test_calls_share_their_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    made = []
    monkeypatch.setattr(levels, "StepLoop", lambda *args, **kwargs: made.append(StepLoop(*args, **kwargs)) or made[-1])
    stack = tasks.Stack(ARM, tasks.Frame(HAND), tasks.Posture(Q[0], weight=1e-3))
    with jax.enable_x64(True):
        for q in (jax.numpy.asarray(Q), jax.numpy.asarray(Q[:1]), Q):
            stack(q, {HAND: GOAL}, 0.01)
    assert len(made) == 1
