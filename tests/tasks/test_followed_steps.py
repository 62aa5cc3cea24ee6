"""Derivatives of steps and paths by torch and JAX: those by differences."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import sixvec as sv
from sixvec import tasks

Q = np.array([0.3, -0.4, 0.2, -2.0, 0.25, 1.6, 0.8])
HAND, DT, STEP = "panda_link8", 0.01, 1e-6


def ends() -> tuple[Any, Any]:
    """The sum of the positions after five steps towards a point out of reach, and its slope in the first position."""
    arm = sv.load("panda")
    goal = arm.pose(Q, HAND)
    goal[0, 3] += 1.0
    stack = tasks.Stack(arm, tasks.Frame(HAND, gain=0.5), tasks.Posture(Q, weight=0.1))

    def end(q: Any) -> Any:
        return stack.follow(q, {HAND: goal}, DT, steps=5).q[-1].sum()

    rates = [(end(Q + STEP * e) - end(Q - STEP * e)) / (2.0 * STEP) for e in np.eye(7)]
    return end, np.array(rates)


def test_torch_has_the_derivatives_of_paths() -> None:
    torch = pytest.importorskip("torch")
    end, expected = ends()
    q = torch.tensor(Q, requires_grad=True)
    value = end(q)
    assert value.item() == pytest.approx(end(Q), abs=1e-12)
    assert np.allclose(torch.autograd.grad(value, q)[0], expected, atol=1e-6)


def test_jax_has_them_too_and_compiles_steps() -> None:
    jax = pytest.importorskip("jax")
    end, expected = ends()
    with jax.enable_x64(True):
        assert np.allclose(jax.grad(end)(jax.numpy.asarray(Q)), expected, atol=1e-6)
        assert float(jax.jit(end)(jax.numpy.asarray(Q))) == pytest.approx(end(Q), abs=1e-12)


def test_jax_compiles_derivatives_of_paths() -> None:
    """`jax.enable_x64(True)` holds for one thread, and compiled programs call back from others."""
    jax = pytest.importorskip("jax")
    end, expected = ends()
    before = jax.config.jax_enable_x64
    jax.config.update("jax_enable_x64", True)
    try:
        q = jax.numpy.asarray(np.stack([Q, Q]))
        assert np.allclose(jax.jit(jax.vmap(jax.grad(end)))(q), expected, atol=1e-6)
    finally:
        jax.config.update("jax_enable_x64", before)


def test_steps_with_priorities_and_active_limits_have_derivatives() -> None:
    torch, jax = pytest.importorskip("torch"), pytest.importorskip("jax")
    arm = sv.load("panda")
    goal = arm.pose(Q, HAND)
    goal[0, 3] += 0.2
    place = tasks.Frame(HAND, directions="xyz")
    for stack in (
        tasks.Stack(arm, place, tasks.Posture(Q + 0.1, priority=1, gain=0.1)),
        tasks.Stack(arm, tasks.Frame(HAND), tasks.Posture(Q + 0.1, weight=0.1)),
    ):

        def effort(q: Any, stack: tasks.Stack = stack) -> Any:
            return (stack(q, {HAND: goal}, DT).v ** 2).sum()

        assert stack(Q, {HAND: goal}, DT).active.any()
        rates = np.array([effort(Q + STEP * e) - effort(Q - STEP * e) for e in np.eye(7)]) / (2.0 * STEP)
        q = torch.tensor(Q, requires_grad=True)
        near = 1e-6 * abs(rates).max()
        assert abs(torch.autograd.grad(effort(q), q)[0].numpy() - rates).max() < near
        with jax.enable_x64(True):
            assert abs(jax.grad(effort)(jax.numpy.asarray(Q)) - rates).max() < near


def test_torques_have_derivatives() -> None:
    torch = pytest.importorskip("torch")
    arm = sv.load("planar_2r")
    stack = tasks.Stack(arm, tasks.Posture([0.5, 0.2], gain=0.1), order="acceleration")
    q, v = torch.tensor([0.1, -0.3], requires_grad=True), torch.tensor([0.4, 0.2])
    q64 = q.double().detach().numpy()
    (slope,) = torch.autograd.grad(stack(q.double(), {}, DT, v=v.double()).tau.sum(), q)
    rates = [
        (
            stack(q64 + STEP * e, {}, DT, v=v.double().numpy()).tau
            - stack(q64 - STEP * e, {}, DT, v=v.double().numpy()).tau
        )
        for e in np.eye(2)
    ]
    assert np.allclose(slope, np.sum(rates, axis=1) / (2.0 * STEP), rtol=1e-4)
